"""Atom feeds: well-formed, stable, conditional, and without a sentence of any page."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse

from matrix.feeds import build_feed
from matrix.feeds.atom import AtomFeed, Entry, render_atom
from matrix.index import current_knowledge, forget_knowledge
from matrix.models import Framework, Release
from matrix.services import add_claims, raise_revision
from tests import builders
from tests.matrix.api.rows import make_world

ATOM = "{http://www.w3.org/2005/Atom}"
SENTENCE = "<script>alert(1)</script> This sentence stands on a page."
NOW = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def world(db: None) -> Iterator[None]:
    """The small world with a statement that turned and a release of this month."""
    forget_knowledge()
    make_world()
    Release.objects.create(
        framework=Framework.objects.get(slug="vllm"), version="0.13.0", released_at=NOW
    )
    about = builders.scope(quantization="awq", hardware="nvidia-ampere")
    add_claims(
        [
            builders.claim("unsupported", about=about, seen=("0.11.0",), uid="no", gone="0.12.0"),
            builders.claim("partial", about=about, seen=("0.12.0",), uid="part", note=SENTENCE),
        ],
        shipped=False,
    )
    raise_revision()
    yield
    forget_knowledge()


@pytest.fixture
def january(monkeypatch: pytest.MonkeyPatch) -> None:
    """Feeds are read in January 2026, when the world's last releases are recent."""
    monkeypatch.setattr("matrix.views.atom.today", lambda: date(2026, 1, 10))


def entries(content: bytes) -> list[ElementTree.Element]:
    """The entries of a document that a parser accepts."""
    return ElementTree.fromstring(content).findall(f"{ATOM}entry")


def said(entry: ElementTree.Element, name: str) -> str:
    """The text of one element."""
    return entry.findtext(f"{ATOM}{name}") or ""


def test_a_feed_has_what_the_format_needs(january: None, client: Client) -> None:
    answer = client.get(reverse("feed-changes"))
    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    root = ElementTree.fromstring(answer.content)
    assert root.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):
        assert root.findtext(f"{ATOM}{name}")
    links = {link.get("rel"): link.get("href") for link in root.findall(f"{ATOM}link")}
    assert links["self"] == "http://testserver/feeds/changes.atom"
    found = entries(answer.content)
    assert found
    for entry in found:
        for name in ("id", "title", "updated", "published"):
            assert said(entry, name)
        assert datetime.fromisoformat(said(entry, "updated")).tzinfo
        link = entry.find(f"{ATOM}link")
        assert link is not None
        path = str(link.get("href")).removeprefix("http://testserver")
        assert client.get(path).status_code == 200


def test_entries_tell_releases_and_turned_statements_in_names_of_the_catalogue(
    january: None, client: Client
) -> None:
    found = entries(client.get(reverse("feed-framework", args=["vllm"])).content)
    titles = [said(entry, "title") for entry in found]
    assert "vLLM 0.13.0 was released" in titles
    assert "vLLM: 1 flipped" in titles
    turned = next(e for e in found if said(e, "title") == "vLLM: 1 flipped")
    assert "unsupported → partial" in said(turned, "summary")


def test_no_entry_holds_a_sentence_of_a_page(january: None, client: Client) -> None:
    text = client.get(reverse("feed-changes")).content.decode()
    assert "This sentence stands on a page" not in text
    assert "<script" not in text


def test_identifiers_stay_while_more_becomes_known(january: None, client: Client) -> None:
    before = {said(e, "id") for e in entries(client.get(reverse("feed-changes")).content)}
    add_claims(
        [builders.claim("supported", about=builders.scope(quantization="fp8"), uid="more",
                        seen=("0.12.0",))],
        shipped=False,
    )  # fmt: skip
    raise_revision()
    after = {said(e, "id") for e in entries(client.get(reverse("feed-changes")).content)}
    assert before == after
    assert all(name.startswith("urn:uuid:") for name in before)


def test_what_a_reader_holds_is_not_sent_again_until_something_is_written(
    january: None, client: Client
) -> None:
    address = reverse("feed-framework", args=["vllm"])
    tag = client.get(address).headers["ETag"]
    assert client.get(address, headers={"if-none-match": tag}).status_code == 304
    raise_revision()
    assert client.get(address, headers={"if-none-match": tag}).status_code == 200


def test_a_framework_without_news_has_an_empty_feed_and_an_unknown_one_none(
    january: None, client: Client
) -> None:
    answer = client.get(reverse("feed-framework", args=["vllm-ascend"]))
    assert (answer.status_code, entries(answer.content)) == (200, [])
    assert ElementTree.fromstring(answer.content).findtext(f"{ATOM}updated")
    assert client.get(reverse("feed-framework", args=["nobody"])).status_code == 404


def test_only_news_of_the_framework_is_in_its_feed() -> None:
    feed = build_feed(current_knowledge(), today=date(2026, 1, 10), framework="vllm-ascend")
    assert feed.entries == []


def test_pages_name_their_feeds(client: Client) -> None:
    for page, feed in (
        (reverse("changes"), reverse("feed-changes")),
        (reverse("overview"), reverse("feed-changes")),
        (reverse("framework", args=["vllm"]), reverse("feed-framework", args=["vllm"])),
    ):
        text = client.get(page).content.decode()
        assert f'href="{feed}"' in text
        assert 'rel="alternate" type="application/atom+xml"' in text


def test_characters_that_xml_does_not_know_are_left_out() -> None:
    entry = Entry("k", "a\x00b <&> \ud800", "c\x1b", "/x", NOW, NOW, "release")
    feed = AtomFeed("k", "t\x07", "s", "/f", "/p", [entry])
    text = render_atom(feed, base="https://example.org", language="en", updated=NOW)
    (found,) = entries(text.encode())
    assert said(found, "title") == "ab <&> "
    assert said(found, "summary") == "c"


def test_a_closed_installation_shows_no_feed(client: Client, settings: Any) -> None:
    settings.RUNPROOF_PUBLIC = False
    assert client.get(reverse("feed-changes")).status_code == 302
