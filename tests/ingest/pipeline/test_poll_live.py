"""Polls of live pages, of branches and of interfaces."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from ingest.domain.feeds import Feed, FeedKind
from ingest.domain.review import ItemState
from ingest.models import FeedState, PageRecord, Retrieval, ReviewItem, Snapshot
from ingest.services import poll_interface
from ingest.services.poll_interface import JsonPage, links_of
from ingest.services.polling import FeedFailed, PollResult
from matrix.models import Claim
from tests.ingest.capture_folders import QUANTIZATION_PAGE
from tests.ingest.pipeline.code_host import REPOSITORY, CodeHost, site_feed, tag_feed
from tests.ingest.pipeline.conftest import NOW
from tests.ingest.pipeline.test_poll_tags import counts, page, standing

pytestmark = pytest.mark.django_db
Poll = Callable[..., PollResult]
LATER = NOW + timedelta(days=1)
TURING = "quantization-hardware/awq/nvidia-turing"


def branch_feed(url: str, **changes: Any) -> Feed:
    """A feed of the branch of a repository without tags."""
    settings = {
        "name": "vllm-test-branch",
        "kind": FeedKind.DOCUMENTATION_LIVE,
        "branch": "main",
        "branch_url": url + "/repos/{repository}/commits/{ref}",
        "label": "{branch}-{commit}",
    }
    return tag_feed(url, **{**settings, **changes})


def push(host: CodeHost, commit: str, moment: str, text: str) -> None:
    host.heads["main"] = (commit, moment)
    host.trees[commit] = {QUANTIZATION_PAGE: text}


def test_a_live_page_speaks_for_the_newest_release(host: CodeHost, poll: Poll) -> None:
    host.pages["/live"] = page()
    poll(site_feed(host.url, QUANTIZATION_PAGE))
    record = PageRecord.objects.get()
    assert (record.release, record.stated_on) == ("0.12.0", date(2026, 1, 10))
    assert record.url == host.url + "/live"
    assert record.version.startswith("live-2026-01-10-")
    assert len(standing()) == 12


def test_a_live_page_that_did_not_change_writes_nothing(host: CodeHost, poll: Poll) -> None:
    host.pages["/live"] = page()
    feed = site_feed(host.url, QUANTIZATION_PAGE)
    poll(feed)
    before = counts()
    assert poll(feed, LATER).changed is False
    assert (counts(), host.not_modified) == (before, 1)
    assert PageRecord.objects.get().retrieved_at == LATER


def test_a_changed_live_page_takes_the_place_of_the_older_one(host: CodeHost, poll: Poll) -> None:
    feed = site_feed(host.url, QUANTIZATION_PAGE)
    host.pages["/live"] = page()
    poll(feed)
    host.pages["/live"] = page(**{"FP8 (W8A8)": "yes blank blank"})
    poll(feed, LATER)
    assert len(standing()) == 13
    assert Snapshot.objects.count() == 2
    assert PageRecord.objects.count() == 2


def test_a_reversal_on_a_live_page_waits_and_the_older_word_stands(
    host: CodeHost, poll: Poll
) -> None:
    feed = site_feed(host.url, QUANTIZATION_PAGE)
    host.pages["/live"] = page()
    poll(feed)
    host.pages["/live"] = page(AWQ="no no yes")
    poll(feed, LATER)
    assert [(i.kind, i.statement, i.state) for i in ReviewItem.objects.all()] == [
        ("changed", TURING, "open")
    ]
    assert f"{TURING} supported 0.12.0..0.12.0" in standing()
    assert len(standing()) == 12


def test_a_newer_live_page_makes_open_questions_about_the_older_obsolete(
    host: CodeHost, poll: Poll
) -> None:
    feed = site_feed(host.url, QUANTIZATION_PAGE)
    for day, text in enumerate((page(), page(AWQ="no no yes"), page() + "\nMore.\n")):
        host.pages["/live"] = text
        poll(feed, NOW + timedelta(days=day))
    assert ReviewItem.objects.get().state == ItemState.OBSOLETE
    assert f"{TURING} supported 0.12.0..0.12.0" in standing()


def test_a_sign_in_page_is_a_feed_error_and_the_claims_stay(host: CodeHost, poll: Poll) -> None:
    feed = site_feed(host.url, QUANTIZATION_PAGE)
    host.pages["/live"] = page()
    poll(feed)
    before = standing()
    host.before = lambda path: (403, b"<html>Sign in</html>", "text/html")
    with pytest.raises(FeedFailed):
        poll(feed, LATER)
    assert standing() == before
    assert FeedState.objects.get().error_code == "http-status"


def test_a_branch_is_read_at_its_newest_commit(host: CodeHost, poll: Poll) -> None:
    push(host, "a" * 40, "2025-12-20T10:00:00Z", page())
    poll(branch_feed(host.url))
    record = PageRecord.objects.get()
    assert (record.version, record.commit) == ("main-aaaaaaaaaa", "a" * 40)
    assert (record.release, record.stated_on) == ("0.12.0", date(2025, 12, 20))
    assert len(standing()) == 12


def test_a_commit_that_changes_no_page_is_no_new_version(host: CodeHost, poll: Poll) -> None:
    push(host, "a" * 40, "2025-12-20T10:00:00Z", page())
    poll(branch_feed(host.url))
    before = counts()
    push(host, "b" * 40, "2025-12-21T10:00:00Z", page())
    assert poll(branch_feed(host.url), LATER).changed is False
    assert counts() == before


def test_an_answer_of_an_interface_is_kept_and_read_once(
    host: CodeHost, poll: Poll, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[JsonPage] = []

    def take(page: JsonPage, catalogue: object) -> bool:
        read.append(page)
        return True

    monkeypatch.setattr(poll_interface, "READERS", {FeedKind.CODE_HOST: take})
    feed = tag_feed(
        host.url,
        name="vllm-test-interface",
        kind=FeedKind.CODE_HOST,
        endpoints=(host.url + "/repos/{repository}",),
        media_types=("application/json",),
    )
    assert poll(feed).changed is True
    assert poll(feed, LATER).changed is False
    assert [found.value["full_name"] for found in read] == [REPOSITORY]
    assert read[0].template == feed.endpoints[0]
    assert Retrieval.objects.get().snapshot_id == read[0].snapshot_sha256


def test_a_reader_that_fails_is_given_the_same_answer_again(
    host: CodeHost, poll: Poll, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = tag_feed(
        host.url,
        kind=FeedKind.CODE_HOST,
        endpoints=(host.url + "/repos/{repository}",),
        media_types=("application/json",),
    )

    def fail(page: JsonPage, catalogue: object) -> bool:
        raise KeyError("tag_name")

    monkeypatch.setattr(poll_interface, "READERS", {FeedKind.CODE_HOST: fail})
    with pytest.raises(KeyError):
        poll(feed)
    monkeypatch.setattr(poll_interface, "READERS", {FeedKind.CODE_HOST: lambda page, _: True})
    assert poll(feed, LATER).changed is True


def test_an_interface_that_sends_no_json_is_a_feed_error(host: CodeHost, poll: Poll) -> None:
    feed = tag_feed(
        host.url,
        kind=FeedKind.CODE_HOST,
        endpoints=(host.url + "/repos/{repository}",),
        media_types=("application/json",),
    )
    host.before = lambda path: (200, b"{", "application/json")
    with pytest.raises(FeedFailed, match="no JSON"):
        poll(feed)
    assert not Claim.objects.exists()


def test_the_links_of_a_header_are_told_apart_by_relation() -> None:
    header = '<https://h/x?page=2>; rel="next", <https://h/x?page=9>; rel="last"'
    assert links_of(header) == {"next": "https://h/x?page=2", "last": "https://h/x?page=9"}
