"""What readings change in the record: idempotent, in any order, and never by editing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType

from ingest.contract import StatementStatus
from ingest.domain.derive import PageReading, collect_sightings, coverage_of
from ingest.domain.difference import Difference, compare_claims
from ingest.domain.sightings import document_of
from matrix.domain.claims import Claim
from tests.builders import history_of
from tests.ingest.domain.stating import finding, reading, spans

HISTORY = history_of()
NO = StatementStatus.UNSUPPORTED
_NUMBERS = count(1)


def compare(
    recorded: Iterable[Claim],
    *readings: PageReading,
    read_before: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> Difference:
    return compare_claims(
        recorded,
        collect_sightings(readings, HISTORY),
        framework="vllm",
        coverage=coverage_of(readings, HISTORY),
        read_again=frozenset((r.claim_source, document_of(r.page).key) for r in readings),
        read_before=read_before,
        history=HISTORY,
    )


def after(recorded: Sequence[Claim], difference: Difference) -> list[Claim]:
    """The standing claims once the difference is written."""
    moved = {c.uid: c for c in (*difference.confirmed, *difference.changed, *difference.gone)}
    ended = {item.recorded.uid for item in difference.replaced}
    standing = []
    for claim in recorded:
        if claim.uid in ended:
            continue
        now = moved.get(claim.uid)
        if now is not None:
            known = {(o.document.key, o.release) for o in claim.observations}
            fresh = tuple(o for o in now.observations if (o.document.key, o.release) not in known)
            claim = replace(
                claim, validity=now.validity, observations=(*claim.observations, *fresh)
            )
        standing.append(claim)
    return [*standing, *(replace(c, uid=f"u{next(_NUMBERS)}") for c in difference.new)]


def record(*readings: PageReading) -> list[Claim]:
    return after([], compare([], *readings))


def counts(difference: Difference) -> tuple[int, int, int, int, int]:
    """New, confirmed, changed, gone, replaced."""
    return (
        len(difference.new),
        len(difference.confirmed),
        len(difference.changed),
        len(difference.gone),
        len(difference.replaced),
    )


HISTORY_OF_A_ROW = (
    reading("0.2.0", finding(), finding(statement="other")),
    reading("0.3.0"),
    reading("0.4.0", finding(), finding(NO, statement="other")),
    reading("0.5.0", finding(NO)),
    reading("0.6.0", finding()),
    reading("0.8.0", finding(StatementStatus.REMOVED, statement="gone", release="0.7.0")),
)


def test_the_first_reading_makes_only_new_claims() -> None:
    assert counts(compare([], *HISTORY_OF_A_ROW)) == (7, 0, 0, 0, 0)


def test_reading_the_same_again_confirms_everything_and_changes_nothing() -> None:
    recorded = record(*HISTORY_OF_A_ROW)
    for order in (recorded, list(reversed(recorded))):
        again = compare(order, *HISTORY_OF_A_ROW)
        assert counts(again) == (0, 7, 0, 0, 0)
        assert again.evidence == 0


def test_a_newer_release_alone_extends_what_it_repeats() -> None:
    recorded = record(reading("0.2.0", finding()))
    difference = compare(recorded, reading("0.3.0", finding()))
    assert counts(difference) == (0, 1, 0, 0, 0)
    assert difference.evidence == 1
    assert spans(after(recorded, difference)) == ["supported at-or-before 0.2.0..0.3.0"]


def test_a_newer_release_that_says_something_else_ends_the_old_claim() -> None:
    recorded = record(reading("0.2.0", finding()))
    difference = compare(recorded, reading("0.3.0", finding(NO)))
    assert counts(difference) == (1, 0, 1, 0, 0)
    assert spans(after(recorded, difference)) == [
        "supported at-or-before 0.2.0..0.2.0 gone 0.3.0",
        "unsupported between 0.3.0..0.3.0 after 0.2.0",
    ]


def test_a_newer_release_that_is_silent_ends_the_claim_without_a_no() -> None:
    recorded = record(reading("0.2.0", finding()))
    difference = compare(recorded, reading("0.3.0", finding(statement="other")))
    assert counts(difference) == (1, 0, 0, 1, 0)
    assert spans(after(recorded, difference))[0] == (
        "supported at-or-before 0.2.0..0.2.0 gone 0.3.0"
    )


def test_a_rule_that_was_not_read_leaves_its_claims_alone() -> None:
    recorded = record(reading("0.2.0", finding()))
    assert counts(compare(recorded, reading("0.3.0", rule="another-rule"))) == (0, 0, 0, 0, 0)


def test_what_holds_from_a_release_on_is_not_ended_by_silence() -> None:
    recorded = record(reading("0.2.0", finding(StatementStatus.REMOVED)))
    assert counts(compare(recorded, reading("0.3.0"))) == (0, 0, 0, 0, 0)


def test_an_older_release_read_later_gives_the_same_record_as_reading_in_order() -> None:
    for readings in (
        [reading("0.2.0", finding()), reading("0.5.0", finding())],
        [reading("0.2.0", finding(NO)), reading("0.5.0", finding())],
        [reading("0.2.0"), reading("0.5.0", finding())],
    ):
        newer_first = record(readings[1])
        late = after(newer_first, compare(newer_first, readings[0]))
        assert sorted(spans(late)) == sorted(spans(record(*readings)))


def test_a_release_between_that_says_otherwise_splits_the_claim() -> None:
    recorded = record(reading("0.2.0", finding()), reading("0.6.0", finding()))
    difference = compare(recorded, reading("0.4.0", finding(NO)))
    standing = after(recorded, difference)
    assert sorted(spans(standing)) == [
        "supported at-or-before 0.2.0..0.2.0 gone 0.4.0",
        "supported between 0.6.0..0.6.0 after 0.4.0",
        "unsupported between 0.4.0..0.4.0 after 0.2.0 gone 0.6.0",
    ]
    # The observation at 0.6.0 must not stay with the claim that ended before it.
    assert all(
        {o.release for o in claim.observations} == {claim.validity.first} for claim in standing
    )


def test_a_reader_that_reads_the_same_page_otherwise_supersedes_the_claim() -> None:
    recorded = record(reading("0.2.0", finding()))
    difference = compare(recorded, reading("0.2.0", finding(NO)))
    assert counts(difference) == (1, 0, 0, 0, 1)
    (replacement,) = difference.replaced
    assert replacement.recorded.uid == recorded[0].uid
    assert replacement.by is difference.new[0]
    assert spans(after(recorded, difference)) == ["unsupported at-or-before 0.2.0..0.2.0"]


def test_a_reader_that_no_longer_finds_the_statement_withdraws_the_claim() -> None:
    recorded = record(reading("0.2.0", finding()))
    difference = compare(recorded, reading("0.2.0", finding(StatementStatus.NOT_STATED)))
    assert counts(difference) == (0, 0, 0, 0, 1)
    assert difference.replaced[0].by is None
    assert after(recorded, difference) == []


def test_a_corrected_middle_release_leaves_no_stray_observation() -> None:
    recorded = record(*(reading(v, finding()) for v in ("0.2.0", "0.3.0", "0.4.0")))
    standing = after(recorded, compare(recorded, reading("0.3.0", finding(NO))))
    seen = sorted((c.level, o.release) for c in standing for o in c.observations)
    assert seen == [("supported", "0.2.0"), ("supported", "0.4.0"), ("unsupported", "0.3.0")]


def test_a_page_that_was_not_read_again_keeps_what_it_said() -> None:
    recorded = record(
        reading("0.2.0", finding(), path="docs/a.md"),
        reading("0.2.0", finding(statement="other"), path="docs/b.md"),
    )
    difference = compare(recorded, reading("0.2.0", finding(), path="docs/a.md"))
    assert counts(difference) == (0, 1, 0, 0, 0)


def test_withdrawn_and_superseded_claims_take_no_part() -> None:
    recorded = record(reading("0.2.0", finding()))
    ended = [replace(recorded[0], withdrawn_at=HISTORY.releases[5].released_at)]
    assert counts(compare(ended, reading("0.2.0", finding()))) == (1, 0, 0, 0, 0)


def test_a_claim_at_a_release_that_is_not_known_any_more_is_left_alone() -> None:
    recorded = record(reading("0.2.0", finding()))
    observation = replace(recorded[0].observations[0], release="7.7.7")
    strange = [replace(recorded[0], observations=(observation,))]
    assert counts(compare(strange, reading("0.3.0"))) == (0, 0, 0, 0, 0)


def test_a_release_read_before_without_any_claim_still_ends_an_older_statement() -> None:
    before = {"test-docs:quantization": ["0.5.0", "9.9.9"]}
    difference = compare([], reading("0.2.0", finding()), read_before=before)
    assert spans(difference.new) == ["supported at-or-before 0.2.0..0.2.0 gone 0.5.0"]
    other = {"test-docs:another": ["0.5.0"]}
    difference = compare([], reading("0.2.0", finding()), read_before=other)
    assert spans(difference.new) == ["supported at-or-before 0.2.0..0.2.0"]
