"""Interfaces of code hosts, registries and model hubs: JSON that is kept, then read by its reader.

The readers are named in ``READERS``, one for each kind of feed; a kind without reader is kept all
the same and can be read from its snapshots later.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from ingest.domain.feeds.feed import Feed, FeedKind
from ingest.fetching.request import NotModified
from ingest.models import Retrieval
from ingest.services.listing import UnusableListing
from ingest.services.poll_context import Poll, content_of
from matrix.domain.catalogue import Catalogue


@dataclass(frozen=True)
class JsonPage:
    """One answer of an interface.

    **Shapes**: ``template`` is the feed's own address of it, so that a reader can tell the
    answers of one feed apart; ``links`` are the addresses of its ``Link`` header by relation.
    """

    feed: Feed
    template: str
    url: str
    value: Any
    snapshot_sha256: str
    retrieved_at: datetime
    links: Mapping[str, str]


# What a reader writes it writes inside the caller's transaction; it returns whether that changed
# anything.
ReadJson = Callable[[JsonPage, Catalogue], bool]
READERS: Mapping[FeedKind, ReadJson] = {}


def poll_interface(poll: Poll) -> None:
    """Asks for every address of the feed and hands on what is new."""
    for template, url in endpoint_urls(poll.feed, poll.catalogue):
        _poll_address(poll, template, url)


def _poll_address(poll: Poll, template: str, url: str) -> None:
    """What came is kept first; it counts as read only after its reader wrote what it says."""
    read = poll.state.cursor.setdefault("read", {})
    last = Retrieval.objects.filter(feed=poll.feed.name, url=url).order_by("-retrieved_at").first()
    whole = last is not None and read.get(url) == last.snapshot_id
    answer = poll.ask(url, etag=last.headers.get("etag", "") if last and whole else "")
    if isinstance(answer, NotModified):
        return
    sha256 = content_of(answer).sha256
    if read.get(url) == sha256:
        return
    value = _value(answer.body, url)
    sha256 = poll.keep(answer, url=url)
    page = JsonPage(
        feed=poll.feed,
        template=template,
        url=url,
        value=value,
        snapshot_sha256=sha256,
        retrieved_at=answer.retrieved_at,
        links=links_of(answer.headers.get("link", "")),
    )
    with transaction.atomic():
        read_json(page, poll.catalogue)
        read[url] = sha256
        poll.state.save(update_fields=["cursor"])
    poll.changed = True


def read_json(page: JsonPage, catalogue: Catalogue) -> bool:
    """Lets the reader of the feed's kind write what an answer says; whether it wrote anything."""
    reader = READERS.get(page.feed.kind)
    return reader(page, catalogue) if reader is not None else False


def _value(body: bytes, url: str) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise UnusableListing(url, f"no JSON ({error})") from error


def endpoint_urls(feed: Feed, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Each template of the feed with each address that it stands for."""
    for template in feed.endpoints:
        if "{model}" not in template:
            yield template, feed.fill(template)
            continue
        for model in hub_models(catalogue):
            yield template, feed.fill(template, model=model)


def hub_models(catalogue: Catalogue) -> list[str]:
    """Names of the catalogue's checkpoints as the model hub writes them ("organisation/name")."""
    nodes = catalogue.area("model").values()
    return sorted({n.name for n in nodes if n.kind == "checkpoint" and n.name.count("/") == 1})


def links_of(header: str) -> dict[str, str]:
    """The addresses of a Link header by their relation."""
    found = {}
    for part in header.split(","):
        address, _, rest = part.partition(";")
        if 'rel="' in rest:
            found[rest.partition('rel="')[2].partition('"')[0]] = address.strip().strip("<>")
    return found
