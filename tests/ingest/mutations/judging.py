"""Whether a changed page was read right, held back, or read wrong without anyone being told."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    PageRule,
    Reading,
    ReadingError,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.domain.drift import compare_profiles, profile_page
from ingest.domain.drift_profile import PageProfile
from ingest.domain.statements import STANCES, stance_of
from matrix.domain.levels import SupportLevel
from tests.ingest.mutations.changes import Change, Effect, Subject, one_line


class Outcome(StrEnum):
    """What became of a changed page on the first run."""

    READ = "read"  # What the changed page says was read.
    LISTED = "listed"  # Read, and what could not be understood waits with its word listed.
    REFUSED = "refused"
    ALARMED = "alarmed"
    CRASHED = "CRASHED"  # The reader broke instead of saying what is wrong with the page.
    LOST = "LOST"  # Something is no longer said and nobody is told.
    INVERTED = "INVERTED"  # Something else is said and nobody is told.


_SAYS_NOTHING = (StatementStatus.NOT_STATED, StatementStatus.UNKNOWN)
GOOD = (Outcome.READ, Outcome.LISTED, Outcome.REFUSED, Outcome.ALARMED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one change, with what is wrong about it."""

    change: str
    outcome: Outcome
    details: str = ""


@dataclass(frozen=True)
class Case:
    """A page with its rule: read once, then changed many times."""

    name: str
    rule: PageRule
    subject: Subject
    words: Vocabulary
    profile: PageProfile


def make_case(name: str, rule: PageRule, page: Page, words: Vocabulary) -> Case:
    """Returns the case of a page that its rule can read."""
    reading = rule.parse(page, words)
    profile = profile_page(page, rule.name, reading)
    return Case(name, rule, Subject(page, reading), words, profile)


def judge(case: Case, change: Change) -> Verdict:
    """Returns what became of a changed page."""
    page = replace(case.subject.page, text=change.text)
    try:
        reading = case.rule.parse(page, case.words)
    except (UnexpectedPage, ReadingError) as refused:
        return Verdict(change.kind, Outcome.REFUSED, str(refused))
    except (LookupError, ValueError, TypeError, AttributeError) as broken:
        return Verdict(change.kind, Outcome.CRASHED, repr(broken))
    alarms = compare_profiles(case.profile, profile_page(page, case.rule.name, reading))
    holding = [alarm for alarm in alarms if alarm.quarantines]
    if holding:
        return Verdict(change.kind, Outcome.ALARMED, holding[0].code)
    return _compare(case.subject, Subject(page, reading), change)


def _compare(before: Subject, now: Subject, change: Change) -> Verdict:
    was = {meaning_of(f): f for f in before.reading.findings}
    reads = {meaning_of(f): f for f in now.reading.findings}
    missing = [f for key, f in was.items() if key not in reads and not _waits(f)]
    extra = [f for key, f in reads.items() if key not in was]
    waiting = [f for f in extra if _waits(f)]
    if _new_words(before.reading, now.reading):
        waiting += [f for f in extra if f.status in _SAYS_NOTHING]
        missing = [f for f in missing if not _has_waiting(f, before, waiting, now)]
    extra = [f for f in extra if f not in waiting]
    effect = change.effect
    if effect in (Effect.SILENCE, Effect.REMOVAL, Effect.RESTATED):
        # What is put together from several lines may say less without one of them.
        parts = {f.statement for f in missing if _touched(change, f, before)}
        if effect is Effect.SILENCE:
            # A blank may be carried on to rows below it; they then say as little.
            parts |= {f.statement for f in extra if f.status in _SAYS_NOTHING}
        extra = [f for f in extra if f.statement not in parts or not _says_less(f)]
        missing = [f for f in missing if f.statement not in parts]
    if effect in (Effect.ADDITION, Effect.RESTATED):
        extra = [f for f in extra if not _touched(change, f, now)]
    elif effect is Effect.SILENCE:
        extra = [f for f in extra if not _touched(change, f, now) or _claims(f)]
    elif effect is Effect.REPEATED:
        said = {(f.status, f.value, f.raw) for f in before.reading.findings}
        extra = [f for f in extra if (f.status, f.value, f.raw) not in said]
    if missing or extra:
        # A statement that is only said in other words than before counts as another one.
        keys = {f.statement for f in extra}
        swapped = extra and (not missing or any(f.statement in keys for f in missing))
        details = "; ".join(
            f"{word} {f.status} {f.statement}"
            for word, found in (("missing", missing), ("extra", extra))
            for f in found[:3]
        )
        return Verdict(change.kind, Outcome.INVERTED if swapped else Outcome.LOST, details)
    return Verdict(change.kind, Outcome.LISTED if waiting else Outcome.READ)


def meaning_of(finding: Finding) -> tuple[object, ...]:
    """Returns all that a finding says, without where it stands."""
    scope = finding.scope
    return (
        finding.kind,
        finding.statement,
        finding.status,
        None
        if scope is None
        else (frozenset(scope.nodes.items()), scope.features, frozenset(scope.numbers.items())),
        finding.execution,
        finding.limit,
        finding.note,
        finding.conditions,
        finding.value,
        finding.since,
        finding.release,
        finding.tier,
    )


def _waits(finding: Finding) -> bool:
    return finding.kind is FindingKind.COMPATIBILITY and finding.scope is None


def _claims(finding: Finding) -> bool:
    return stance_of(finding) is not None


def _says_less(finding: Finding) -> bool:
    stance = STANCES.get(finding.status)
    return stance is None or stance.level is SupportLevel.PARTIAL


def _touched(change: Change, finding: Finding, subject: Subject) -> bool:
    return change.touches(finding.locator, _line_of(finding, subject))


def _line_of(finding: Finding, subject: Subject) -> str:
    line = finding.locator.line
    return subject.lines[line - 1] if line and line <= len(subject.lines) else ""


def _has_waiting(
    finding: Finding, before: Subject, waiting: Iterable[Finding], now: Subject
) -> bool:
    """Returns whether a finding that is missing stands in the line or row of one that waits."""
    line, row = one_line(_line_of(finding, before)), one_line(finding.locator.row)
    return any(
        (row and one_line(f.locator.row) == row) or (line and one_line(_line_of(f, now)) == line)
        for f in waiting
    )


def _new_words(before: Reading, now: Reading) -> bool:
    known = Counter((w.axis, w.word) for w in before.unknown_words)
    return any((w.axis, w.word) not in known for w in now.unknown_words)
