"""A review queue filled by real polls of a code host on this machine; how its pages are read."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from bs4 import BeautifulSoup

from ingest.domain.review import ItemKind, ItemState
from ingest.models import ReviewItem
from ingest.services.items import Draft, Place, identity_of, open_items
from ingest.services.poll_context import Fetcher
from ingest.services.polling import backfill_feed
from tests.architecture import find_inline_code
from tests.ingest.pipeline.code_host import CodeHost, tag_feed
from tests.ingest.pipeline.test_poll_tags import page, publish

NOW = datetime(2026, 1, 10, 12, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
Fill = Callable[..., None]

__all__ = ["HOSTILE", "NOW", "Fill", "add_items", "filler", "open_pks", "page", "soup_of"]


def filler(host: CodeHost, fetcher: Fetcher, monkeypatch: Any) -> Fill:
    """Publishes releases and back-fills them; the feed is one of the registry."""
    feed = tag_feed(host.url)
    monkeypatch.setattr("ingest.domain.feeds.registry.FEEDS", (feed,))

    def run(**pages: str) -> None:
        versions = [f"0.{number.removeprefix('r')}.0" for number in pages]
        for version, text in zip(versions, pages.values(), strict=True):
            publish(host, version, text)
        backfill_feed(feed, fetcher=fetcher, now=NOW, since=versions[0], until=versions[-1])

    return run


def open_pks(**wanted: str) -> dict[str, int]:
    """The open items by statement."""
    rows = ReviewItem.objects.filter(state=ItemState.OPEN, **wanted)
    return {row.statement: row.pk for row in rows}


def add_items(number: int, *, kind: ItemKind = ItemKind.DRIFT_ALARM, **changes: Any) -> None:
    """Opens items that need no page."""
    place = Place(framework="vllm", version="0.12.0", path="docs/README.md")
    open_items(list(_drafts(number, kind, place, changes)), now=NOW)


def _drafts(number: int, kind: ItemKind, place: Place, changes: dict[str, Any]) -> Iterator[Draft]:
    for position in range(number):
        words = {
            "statement": f"statement {position}",
            "sentence": f"sentence {HOSTILE}",
            "source": "vllm-docs",
            "rule": "quantization-hardware",
            "code": "fewer-items",
        }
        identity = identity_of("test", kind, position)
        yield Draft(identity=identity, kind=kind, place=place, **(words | changes))


def soup_of(answer: Any, status: int = 200) -> Any:
    """The page of an answer, which has nothing inline and one heading."""
    assert answer.status_code == status, answer.content[:600]
    text = answer.content.decode()
    assert find_inline_code("page", text) == []
    soup = BeautifulSoup(text, "html.parser")
    assert len(soup.find_all("h1")) == 1
    assert all(table.caption for table in soup.find_all("table"))
    ids = [tag["id"] for tag in soup.find_all(id=True)]
    assert len(ids) == len(set(ids)), sorted(i for i in ids if ids.count(i) > 1)
    return soup
