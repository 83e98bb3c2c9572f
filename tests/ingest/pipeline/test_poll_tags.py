"""Polls of documentation at tags: fetched once, read, compared, accepted or held."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from ingest.domain.review import ItemKind, ItemState, PageState
from ingest.models import FeedState, PageRecord, Retrieval, ReviewItem, RuleRecord, Snapshot
from ingest.services.poll_context import Fetcher
from ingest.services.polling import FeedFailed, PollResult, backfill_feed
from ingest.services.reviewing import accept_items
from ingest.services.states import FeedBusy, hold_feed
from matrix.models import AuditEntry, Claim, KnowledgeRevision, SourceDocument
from tests.ingest.capture_folders import QUANTIZATION_PAGE, table_page
from tests.ingest.pipeline.code_host import CodeHost, tag_feed
from tests.ingest.pipeline.conftest import NOW

pytestmark = pytest.mark.django_db
Poll = Callable[..., PollResult]

# Twelve statements, so that one of them is a small share.
ROWS = {
    "AWQ": "no yes yes",
    "GPTQ": "yes yes yes",
    "GGUF": "yes yes yes",
    "INT8 (W8A8)": "no no yes",
}


def page(**changes: str) -> str:
    return table_page(**{**ROWS, **changes})


def standing() -> list[str]:
    rows = Claim.objects.standing().order_by("statement", "first")
    return [f"{c.statement} {c.level} {c.first}..{c.last} {c.gone}".rstrip() for c in rows]


def publish(host: CodeHost, version: str, text: str) -> None:
    """The quantization page and a file that no rule reads, at a tag."""
    host.trees[f"v{version}"] = {QUANTIZATION_PAGE: text, "setup.py": "pass\n"}


def counts() -> tuple[int, ...]:
    tables = (Claim, SourceDocument, Snapshot, Retrieval, PageRecord, RuleRecord, ReviewItem,
              AuditEntry)  # fmt: skip
    return tuple(table.objects.count() for table in tables)


def items(**wanted: str) -> list[str]:
    rows = ReviewItem.objects.filter(**wanted).order_by("statement")
    return [f"{row.kind} {row.statement} {row.state}" for row in rows]


def test_the_newest_release_is_fetched_read_and_accepted(host: CodeHost, poll: Poll) -> None:
    publish(host, "0.12.0", page())
    result = poll(tag_feed(host.url))
    assert (result.changed, result.fetched, result.opened) == (True, 1, 0)
    assert len(standing()) == 12
    assert host.asked[1:] == [f"/raw/example/engine/v0.12.0/{QUANTIZATION_PAGE}"]
    record = PageRecord.objects.get()
    assert (record.version, record.release, record.state) == ("0.12.0", "0.12.0", "accepted")
    document = SourceDocument.objects.get()
    assert document.url == f"https://code.example/example/engine/blob/v0.12.0/{QUANTIZATION_PAGE}"
    assert (document.sha256, document.retrieved_at) == (record.snapshot_id, NOW)
    assert bytes(Snapshot.objects.get().body).decode() == page()


def test_the_feed_remembers_when_it_is_due_again(host: CodeHost, poll: Poll) -> None:
    publish(host, "0.12.0", page())
    poll(tag_feed(host.url))
    state = FeedState.objects.get()
    assert state.next_due_at == NOW + timedelta(hours=6)
    assert (state.last_success_at, state.last_change_at) == (NOW, NOW)
    assert (state.locked_by, state.locked_until) == ("", None)


def test_an_unchanged_tag_only_moves_the_moment_of_its_confirmation(
    host: CodeHost, poll: Poll
) -> None:
    publish(host, "0.12.0", page())
    poll(tag_feed(host.url))
    before = (counts(), KnowledgeRevision.objects.get().number)
    later = NOW + timedelta(days=1)
    result = poll(tag_feed(host.url), later)
    assert (result.changed, result.fetched, host.not_modified) == (False, 0, 1)
    assert (counts(), KnowledgeRevision.objects.get().number) == before
    assert PageRecord.objects.get().retrieved_at == later
    assert FeedState.objects.get().last_change_at == NOW


def test_content_that_is_kept_already_is_not_fetched_again(
    host: CodeHost, fetcher: Fetcher
) -> None:
    for version in ("0.10.0", "0.11.0", "0.12.0"):
        publish(host, version, page())
    result = backfill_feed(tag_feed(host.url), fetcher=fetcher, now=NOW, since="0.10")
    assert result.fetched == 1
    assert Snapshot.objects.count() == 1
    assert {line.split()[2] for line in standing()} == {"0.10.0..0.12.0"}


def test_a_small_growth_is_accepted_at_once(host: CodeHost, fetcher: Fetcher) -> None:
    publish(host, "0.11.0", page())
    publish(host, "0.12.0", page(**{"FP8 (W8A8)": "yes blank blank"}))
    result = backfill_feed(tag_feed(host.url), fetcher=fetcher, now=NOW, since="0.11")
    assert items() == []
    assert result.settlement.summary.new == 13
    assert len(standing()) == 13


def test_a_statement_that_is_gone_waits_and_its_claim_stays(
    host: CodeHost, fetcher: Fetcher
) -> None:
    publish(host, "0.11.0", page())
    publish(host, "0.12.0", page(GPTQ="yes yes blank"))
    backfill_feed(tag_feed(host.url), fetcher=fetcher, now=NOW, since="0.11")
    assert items() == ["gone quantization-hardware/gptq/nvidia-ampere open"]
    assert not Claim.objects.exclude(gone="").exists()
    assert {line.split()[2] for line in standing()} == {"0.11.0..0.12.0", "0.11.0..0.11.0"}
    assert PageRecord.objects.get(version="0.12.0").state == PageState.HELD


def test_a_yes_that_became_a_no_waits_with_both_sides(host: CodeHost, fetcher: Fetcher) -> None:
    publish(host, "0.11.0", page())
    publish(host, "0.12.0", page(AWQ="no no yes"))
    backfill_feed(tag_feed(host.url), fetcher=fetcher, now=NOW, since="0.11")
    item = ReviewItem.objects.get()
    assert (item.kind, item.statement) == (
        ItemKind.CHANGED,
        "quantization-hardware/awq/nvidia-turing",
    )
    assert item.old["statements"][0]["level"] == "supported"
    assert item.new["statements"][0]["level"] == "unsupported"
    assert (item.locator["row"], item.locator["column"]) == ("AWQ", "Turing")
    assert item.snapshot_sha256 == PageRecord.objects.get(version="0.12.0").snapshot_id
    assert "quantization-hardware/awq/nvidia-turing supported 0.11.0..0.11.0" in standing()


def test_a_later_release_does_not_end_what_waits(host: CodeHost, fetcher: Fetcher) -> None:
    publish(host, "0.10.0", page())
    publish(host, "0.11.0", page(AWQ="no no yes"))
    publish(host, "0.12.0", page())
    backfill_feed(tag_feed(host.url), fetcher=fetcher, now=NOW, since="0.10")
    assert "quantization-hardware/awq/nvidia-turing supported 0.10.0..0.12.0" in standing()


def test_a_page_of_another_shape_is_quarantined_and_the_claims_stay(
    host: CodeHost, fetcher: Fetcher
) -> None:
    publish(host, "0.11.0", page())
    publish(host, "0.12.0", "# Quantization\n\n| Scheme | Fast |\n|---|---|\n| AWQ | a |\n")
    backfill_feed(tag_feed(host.url), fetcher=fetcher, now=NOW, since="0.11")
    item = ReviewItem.objects.get()
    assert (item.kind, item.state) == (ItemKind.UNEXPECTED_PAGE, ItemState.OPEN)
    assert "expected" in item.sentence
    assert {line.split()[2] for line in standing()} == {"0.11.0..0.11.0"}
    assert PageRecord.objects.get(version="0.12.0").state == PageState.QUARANTINED


def test_a_page_that_lost_its_rows_is_quarantined_by_a_drift_alarm(
    host: CodeHost, fetcher: Fetcher
) -> None:
    publish(host, "0.11.0", page())
    publish(host, "0.12.0", table_page(AWQ="no yes yes"))
    backfill_feed(tag_feed(host.url), fetcher=fetcher, now=NOW, since="0.11")
    assert {row.kind for row in ReviewItem.objects.all()} == {ItemKind.DRIFT_ALARM}
    assert not Claim.objects.exclude(gone="").exists()


def test_an_unknown_word_is_asked_once_and_the_rest_is_read(
    host: CodeHost, fetcher: Fetcher
) -> None:
    publish(host, "0.11.0", page(NewQuant="yes yes yes"))
    publish(host, "0.12.0", page(NewQuant="yes yes yes"))
    backfill_feed(tag_feed(host.url), fetcher=fetcher, now=NOW, since="0.11")
    item = ReviewItem.objects.get(kind=ItemKind.UNKNOWN_WORD)
    assert (item.code, item.statement, item.source) == ("quantization", "NewQuant", "vllm-docs")
    assert item.new["places"][0]["path"] == QUANTIZATION_PAGE
    assert len(standing()) == 12


def test_a_page_that_is_not_there_stops_its_rule_and_is_a_feed_error(
    host: CodeHost, poll: Poll
) -> None:
    publish(host, "0.12.0", page())
    host.before = lambda path: (404, b"no", "text/plain") if path.startswith("/raw") else None
    with pytest.raises(FeedFailed) as failed:
        poll(tag_feed(host.url))
    assert failed.value.error.code == "http-status"
    state = FeedState.objects.get()
    assert (state.error_code, state.failures_in_row, state.last_success_at) == (
        "http-status",
        1,
        None,
    )
    assert state.next_due_at == NOW + timedelta(hours=6)
    assert ReviewItem.objects.get().kind == ItemKind.UNEXPECTED_PAGE
    assert not Claim.objects.exists()


def test_a_page_that_is_not_to_be_had_can_be_done_without(host: CodeHost, poll: Poll) -> None:
    moved = "docs/features/quantization/supported_hardware.md"
    host.trees["v0.12.0"] = {QUANTIZATION_PAGE: page(), moved: page()}
    host.before = lambda path: (404, b"no", "text/plain") if path.endswith(moved) else None
    with pytest.raises(FeedFailed):
        poll(tag_feed(host.url))
    assert not Claim.objects.exists()
    accept_items([ReviewItem.objects.get().pk], actor="carla", now=NOW)
    assert len(standing()) == 12
    assert poll(tag_feed(host.url), NOW + timedelta(days=1)).opened == 0
    assert FeedState.objects.get().error_code == ""


def test_a_server_error_keeps_what_came_and_the_next_poll_goes_on(
    host: CodeHost, poll: Poll
) -> None:
    other = "docs/features/README.md"
    host.trees["v0.12.0"] = {other: "# Features\n", QUANTIZATION_PAGE: page()}
    host.before = lambda path: (503, b"", "text/plain") if "quantization" in path else None
    with pytest.raises(FeedFailed):
        poll(tag_feed(host.url))
    state = FeedState.objects.get()
    assert state.next_due_at == NOW + timedelta(minutes=5)
    assert (Snapshot.objects.count(), Claim.objects.count()) == (1, 0)
    host.before = lambda path: None
    host.asked.clear()
    poll(tag_feed(host.url), NOW + timedelta(minutes=5))
    assert [path for path in host.asked if path.startswith("/raw")] == [
        f"/raw/example/engine/v0.12.0/{QUANTIZATION_PAGE}"
    ]
    assert len(standing()) == 12
    assert FeedState.objects.get().failures_in_row == 0


def test_a_listing_that_is_cut_off_is_a_feed_error(host: CodeHost, poll: Poll) -> None:
    host.before = lambda path: (200, b'{"tree": [], "truncated": true}', "application/json")
    with pytest.raises(FeedFailed) as failed:
        poll(tag_feed(host.url))
    assert failed.value.error.code == "unusable-listing"
    assert "cut off by the server" in FeedState.objects.get().error_sentence


def test_a_backfill_goes_on_where_it_was_cut_off(host: CodeHost, fetcher: Fetcher) -> None:
    publish(host, "0.11.0", page())
    feed = tag_feed(host.url)
    with pytest.raises(FeedFailed):
        backfill_feed(feed, fetcher=fetcher, now=NOW, since="0.11")
    assert FeedState.objects.get().cursor["done"] == ["0.11.0"]
    publish(host, "0.12.0", page())
    host.asked.clear()
    lines: list[str] = []
    backfill_feed(feed, fetcher=fetcher, now=NOW, since="0.11", progress=lines.append)
    assert [path for path in host.asked if "v0.11.0" in path] == []
    assert lines == ["[2/2] vllm 0.12.0"]


@pytest.mark.django_db(transaction=True)
def test_a_feed_is_polled_by_one_process_at_a_time(host: CodeHost) -> None:
    import threading

    from django.db import connection

    refused: list[str] = []
    feed = tag_feed(host.url)

    def other() -> None:
        try:
            with hold_feed(feed, now=NOW):
                pass
        except FeedBusy as error:
            refused.append(str(error))
        finally:
            connection.close()

    with hold_feed(feed, now=NOW):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert refused and refused[0].startswith("vllm-test-tags is polled by ")
    with hold_feed(feed, now=NOW):
        pass


@pytest.mark.parametrize(
    ("between", "kind", "statement"),
    [({"AWQ": "no no yes"}, "changed", "awq/nvidia-turing"),
     ({"GPTQ": "yes yes blank"}, "gone", "gptq/nvidia-ampere")],
)  # fmt: skip
def test_a_release_between_two_known_ones_cuts_no_claim_unasked(
    host: CodeHost, fetcher: Fetcher, between: dict[str, str], kind: str, statement: str
) -> None:
    feed = tag_feed(host.url)
    for version, text in (("0.10.0", page()), ("0.12.0", page()), ("0.11.0", page(**between))):
        publish(host, version, text)
        backfill_feed(feed, fetcher=fetcher, now=NOW, since=version, until=version)
    name = f"quantization-hardware/{statement}"
    assert items() == [f"{kind} {name} open"]
    assert f"{name} supported 0.10.0..0.12.0" in standing()
    accept_items([ReviewItem.objects.get().pk], actor="carla", now=NOW)
    assert f"{name} supported 0.10.0..0.10.0 0.11.0" in standing()


def test_the_end_of_a_span_may_be_the_beginning_of_a_version(
    host: CodeHost, fetcher: Fetcher
) -> None:
    for version in ("0.10.0", "0.11.0", "0.12.0"):
        publish(host, version, page())
    lines: list[str] = []
    backfill_feed(tag_feed(host.url), fetcher=fetcher, now=NOW, since="0.10", until="0.11",
                  progress=lines.append)  # fmt: skip
    assert lines == ["[1/2] vllm 0.10.0", "[2/2] vllm 0.11.0"]
