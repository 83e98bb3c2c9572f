"""Claims and evidence: one dated statement of one source about a scope, append-only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from matrix.domain.coordinates import Condition, Scope
from matrix.domain.levels import (
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    Outcome,
    SupportLevel,
    Tier,
)


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


def problems_of(claim: Claim) -> list[str]:
    """Everything in the claim that breaks a data rule; an empty list when it is sound.

    **Source**: docs/data-guidelines.md, rules D1–D9.
    """
    problems = []
    if claim.level in {SupportLevel.CONDITIONAL, SupportLevel.UNKNOWN}:
        problems.append(f"a claim cannot be {claim.level}; it states supported, partial or no")
    if claim.level is SupportLevel.PARTIAL and not claim.note.strip():
        problems.append("a partial claim needs a note that says what part")
    if not claim.observations:
        problems.append("a claim needs at least one observation as evidence")
    if not claim.framework:
        problems.append("a claim names its framework")
    if claim.validity.first_kind is EndpointKind.BETWEEN and not claim.validity.after:
        problems.append("a range that starts 'between' names the version after which it starts")
    if claim.validity.gone and claim.validity.gone_on is None:
        problems.append("a statement that is gone names the day it was first missed")
    for seen in claim.observations:
        if not (seen.document.url or claim.reference):
            problems.append(f"the observation at {seen.release} has neither a url nor a reference")
    return problems
