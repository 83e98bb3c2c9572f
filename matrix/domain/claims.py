"""Claims and evidence: one dated statement of one source about a scope, append-only."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from matrix.domain.coordinates import Condition, Scope
from matrix.domain.data_rules import DataRule
from matrix.domain.levels import (
    CLAIM_LEVELS,
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    Outcome,
    SupportLevel,
    Tier,
)
from matrix.domain.phrases import Phrase


@dataclass(frozen=True, slots=True)
class Locator:
    """Where in a document a statement stands; ``line`` counts from 1."""

    heading: tuple[str, ...] = ()
    row: str = ""
    column: str = ""
    line: int | None = None
    line_end: int | None = None
    table: int | None = None
    tabs: tuple[str, ...] = ()
    path: tuple[str, ...] = ()  # keys into a structured document (facts read from code, CSV)


NOWHERE = Locator()


@dataclass(frozen=True, slots=True)
class Document:
    """One version of one page, file or thread.

    **Dates**: ``stated_on`` is the day the document speaks for (release or commit day, post day);
    ``retrieved_at`` is when the bytes were taken. Either may be unknown.
    """

    key: str
    url: str
    version: str = ""
    commit: str = ""
    path: str = ""
    sha256: str = ""
    stated_on: date | None = None
    retrieved_at: datetime | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """One document saying the claim's statement, at one release.

    **Dates**: ``stated_on`` is the document's date; it decides what ``as_of`` may see.
    """

    document: Document
    locator: Locator
    release: str
    stated_on: date
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Validity:
    """The release range of a claim, each endpoint typed; gaps between observations stay gaps.

    ``first``/``last`` are versions. ``after`` is the last version known not to say it (for
    ``between``); ``gone`` the first later version of the same source that no longer says it, with
    its date in ``gone_on``. ``open_ended`` holds for statements that speak "from this release on".
    """

    first: str
    last: str
    first_kind: EndpointKind = EndpointKind.EXACT
    after: str = ""
    gone: str = ""
    gone_on: date | None = None
    open_ended: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """One dated statement of one source about a scope.

    **Dates**: valid time is ``validity`` with its observations; recorded time is
    ``recorded_at``, ``superseded_at`` and ``withdrawn_at``. The two are never mixed.
    """

    uid: str
    framework: str
    source: str
    statement: str
    scope: Scope
    level: SupportLevel
    kind: EvidenceKind
    validity: Validity
    observations: tuple[Observation, ...]
    execution: Execution = Execution.UNSTATED
    tier: Tier = Tier.OFFICIAL
    outcome: Outcome = Outcome.UNSTATED
    limit: Limit | None = None
    note: str = ""
    conditions: tuple[Condition, ...] = ()
    reference: str = ""
    parser: str = ""
    recorded_at: datetime | None = None
    superseded_at: datetime | None = None
    withdrawn_at: datetime | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


NOTE_LIMIT_CHARACTERS = 200


def problems_of(claim: Claim, *, today: date | None = None) -> list[str]:
    """Everything in the claim alone that breaks a data rule; an empty list when it is sound.

    What needs the catalogue or other claims is checked by ``matrix.domain.lint``.
    **Dates**: an observation after ``today`` is refused; without ``today`` none is.
    **Source**: docs/data-guidelines.md, rules D1–D7.
    """
    return [f"{what} ({rule})" for rule, what in claim_breaches(claim, today=today)]


def claim_breaches(claim: Claim, *, today: date | None = None) -> Iterator[tuple[DataRule, str]]:
    """Each breach as its rule and a sentence."""
    if claim.level not in CLAIM_LEVELS:
        accepted = ", ".join(CLAIM_LEVELS)
        yield (
            DataRule.CLAIM_LEVEL,
            Phrase(
                "a claim cannot be {level}; accepted: {accepted}",
                level=claim.level,
                accepted=accepted,
            ),
        )
    if claim.level is SupportLevel.PARTIAL and not claim.note.strip():
        yield DataRule.PARTIAL_HAS_NOTE, Phrase("a partial claim needs a note that says what part")
    if len(claim.note) > NOTE_LIMIT_CHARACTERS:
        yield (
            DataRule.SHORT_NOTE,
            Phrase(
                "the note has {count} characters; accepted: up to {most}",
                count=len(claim.note),
                most=NOTE_LIMIT_CHARACTERS,
            ),
        )
    yield from _evidence_breaches(claim)
    yield from _range_breaches(claim.validity)
    for seen in claim.observations:
        if today is not None and seen.stated_on > today:
            yield (
                DataRule.DATED,
                Phrase(
                    "the observation at {release} is dated {stated_on}, after today",
                    release=seen.release,
                    stated_on=seen.stated_on,
                ),
            )
        taken = seen.document.retrieved_at
        if taken is not None and taken.date() < seen.stated_on:
            yield (
                DataRule.DATED,
                Phrase(
                    "the observation at {release} is dated {stated_on}, after its "
                    "document was taken on {taken}",
                    release=seen.release,
                    stated_on=seen.stated_on,
                    taken=taken.date(),
                ),
            )


def _evidence_breaches(claim: Claim) -> Iterator[tuple[DataRule, str]]:
    if not claim.framework:
        yield DataRule.EVIDENCE, Phrase("a claim names its framework")
    if not claim.source or not claim.statement:
        yield DataRule.EVIDENCE, Phrase("a claim names its source and its statement")
    if not claim.observations:
        yield DataRule.EVIDENCE, Phrase("a claim needs at least one observation as evidence")
    for seen in claim.observations:
        if not (seen.document.url or claim.reference):
            yield (
                DataRule.EVIDENCE,
                Phrase(
                    "the observation at {release} has neither a url nor a reference",
                    release=seen.release,
                ),
            )
    no = claim.level is SupportLevel.UNSUPPORTED and claim.observations
    if no and not claim.reference and all(o.locator == NOWHERE for o in claim.observations):
        yield DataRule.NO_HAS_LOCATOR, Phrase('a "no" needs the place in the document that says it')


def _range_breaches(validity: Validity) -> Iterator[tuple[DataRule, str]]:
    if not validity.first or not validity.last:
        yield DataRule.TYPED_RANGE, Phrase("a range names its first and last release")
    if validity.first_kind is EndpointKind.BETWEEN and not validity.after:
        yield (
            DataRule.TYPED_RANGE,
            Phrase("a range that starts 'between' names the version after which it starts"),
        )
    if validity.gone and validity.gone_on is None:
        yield (
            DataRule.TYPED_RANGE,
            Phrase("a statement that is gone names the day it was first missed"),
        )
    if validity.gone_on is not None and not validity.gone:
        yield (
            DataRule.TYPED_RANGE,
            Phrase("a statement that is gone names the release that misses it"),
        )
