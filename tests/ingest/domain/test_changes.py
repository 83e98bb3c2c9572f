"""What counts as a change of a statement, and what of it waits for a curator."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.contract import StatementStatus
from ingest.domain.changes import Change, changes_of, held_changes
from ingest.domain.derive import NOTHING_UNSETTLED, PageReading, collect_sightings, coverage_of
from ingest.domain.difference import compare_claims
from ingest.domain.feeds import ACCEPT_EVERYTHING, AcceptPolicy
from ingest.domain.review import ItemKind
from ingest.domain.sightings import document_of
from matrix.domain.claims import Claim
from tests.builders import history_of
from tests.ingest.domain.stating import finding, reading
from tests.ingest.domain.test_difference import record

HISTORY = history_of()
NO = StatementStatus.UNSUPPORTED


def changes(recorded: Sequence[Claim], *readings: PageReading) -> list[Change]:
    sightings = collect_sightings(readings, HISTORY)
    difference = compare_claims(
        recorded,
        sightings,
        framework="vllm",
        coverage=coverage_of(readings, HISTORY),
        read_again=frozenset((r.claim_source, document_of(r.page).key) for r in readings),
        read_before={},
        history=HISTORY,
        unsettled=NOTHING_UNSETTLED,
    )
    rank = max(rank for ranks in coverage_of(readings, HISTORY).values() for rank in ranks)
    return changes_of(difference, sightings, recorded=recorded, history=HISTORY, rank=rank)


def kinds(found: Sequence[Change]) -> list[tuple[str, str]]:
    return [(change.key[1], change.kind.value) for change in found]


BEFORE = record(reading("0.2.0", finding(), finding(statement="other")))


def test_the_same_words_at_a_later_release_are_no_change() -> None:
    assert changes(BEFORE, reading("0.3.0", finding(), finding(statement="other"))) == []


def test_added_changed_and_gone_are_told_apart() -> None:
    found = changes(BEFORE, reading("0.3.0", finding(NO), finding(statement="third")))
    assert sorted(kind for _, kind in kinds(found)) == ["added", "changed", "gone"]
    by_kind = {change.kind: change for change in found}
    assert [len(by_kind[ItemKind.CHANGED].old), len(by_kind[ItemKind.CHANGED].new)] == [1, 1]
    assert [len(by_kind[ItemKind.GONE].old), len(by_kind[ItemKind.GONE].new)] == [1, 0]
    assert [len(by_kind[ItemKind.ADDED].old), len(by_kind[ItemKind.ADDED].new)] == [0, 1]


def test_a_page_read_again_that_says_nothing_any_more_is_gone() -> None:
    assert kinds(changes(BEFORE, reading("0.2.0", finding()))) == [("other", "gone")]


def test_a_reading_between_two_known_ones_that_agrees_is_no_change() -> None:
    recorded = record(reading("0.2.0", finding()), reading("0.4.0", finding()))
    assert changes(recorded, reading("0.3.0", finding())) == []


def test_a_no_between_two_yes_is_a_reversal_and_no_addition() -> None:
    recorded = record(reading("0.2.0", finding()), reading("0.4.0", finding()))
    (change,) = changes(recorded, reading("0.3.0", finding(NO)))
    assert (change.kind, change.reverses, len(change.old)) == (ItemKind.CHANGED, True, 1)


def test_silence_between_two_known_ones_is_gone() -> None:
    recorded = record(reading("0.2.0", finding()), reading("0.4.0", finding()))
    (change,) = changes(recorded, reading("0.3.0"))
    assert (change.kind, len(change.old), change.new) == (ItemKind.GONE, 1, ())


def test_an_end_that_is_known_better_is_no_second_loss() -> None:
    recorded = record(reading("0.2.0", finding()), reading("0.4.0"))
    again = record(reading("0.2.0", finding()), reading("0.4.0", finding(statement="elsewhere")))
    assert any(claim.validity.gone == "0.4.0" for claim in again)
    assert changes(again, reading("0.3.0")) == []
    assert recorded


def test_a_yes_that_became_a_no_is_a_reversal() -> None:
    (change,) = changes(record(reading("0.2.0", finding())), reading("0.3.0", finding(NO)))
    assert change.reverses
    (grown,) = changes([], reading("0.3.0", finding(NO)))
    assert not grown.reverses


def held(found: Sequence[Change], policy: AcceptPolicy, on_record: int) -> list[str]:
    known = {change.key[0]: on_record for change in found}
    return [change.kind.value for change in held_changes(found, on_record=known, policy=policy)]


ALL_KINDS = changes(BEFORE, reading("0.3.0", finding(NO), finding(statement="third")))


def test_losses_and_reversals_wait_however_small_they_are() -> None:
    assert sorted(held(ALL_KINDS, AcceptPolicy(), 1_000)) == ["changed", "gone"]


def test_above_the_share_everything_waits() -> None:
    assert len(held(ALL_KINDS, AcceptPolicy(), 10)) == 3


def test_a_first_reading_is_accepted_unless_the_policy_says_otherwise() -> None:
    first = changes([], reading("0.3.0", finding()))
    assert held(first, AcceptPolicy(), 0) == []
    assert held(first, AcceptPolicy(first_held=True), 0) == ["added"]


def test_the_operators_word_lets_everything_through() -> None:
    assert held(ALL_KINDS, ACCEPT_EVERYTHING, 1) == []


def waiting_at(release: str) -> dict[tuple[str, str], frozenset[int]]:
    key = next((claim.source, claim.statement) for claim in BEFORE if claim.statement == "other")
    return {key: frozenset({HISTORY.rank(release)})}


def standing_after(*readings: PageReading, **options: object) -> list[str]:
    difference = compare_claims(
        BEFORE,
        collect_sightings(readings, HISTORY),
        framework="vllm",
        coverage=coverage_of(readings, HISTORY),
        read_again=frozenset((r.claim_source, document_of(r.page).key) for r in readings),
        read_before={},
        history=HISTORY,
        **options,  # type: ignore[arg-type]
    )
    ended = {c.statement for c in (*difference.gone, *difference.changed)}
    ended |= {item.recorded.statement for item in difference.replaced}
    return sorted(ended)


def test_a_release_at_which_a_statement_waits_does_not_end_it() -> None:
    silent = reading("0.3.0", finding())
    assert standing_after(silent) == ["other"]
    assert standing_after(silent, unsettled=waiting_at("0.3.0")) == []


def test_what_waits_stays_even_where_its_page_was_read_again() -> None:
    again = reading("0.2.0", finding())
    assert standing_after(again) == ["other"]
    assert standing_after(again, unsettled=waiting_at("0.2.0")) == []


def test_a_document_whose_place_was_taken_speaks_only_where_the_newer_one_agrees() -> None:
    keys = frozenset(o.document.key for claim in BEFORE for o in claim.observations)
    newer = reading("0.2.0", finding())
    page = replace(newer.page, version="live-2")
    assert standing_after(replace(newer, page=page), replaced=keys) == ["other"]
