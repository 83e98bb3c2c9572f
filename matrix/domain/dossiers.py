"""What a selection dossier shows: its candidates as assessed, its scorecard, its risks and gaps.

These values are the content of a frozen dossier: everything in them can be written as JSON and
read back equal. For a draft they are computed anew each time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from matrix.domain.levels import MaintenanceStatus, SupportLevel
from matrix.domain.need import Need
from matrix.domain.pinned import (
    PinnedCost,
    PinnedFeature,
    PinnedMaintenance,
    PinnedMemory,
    PinnedRun,
    PinnedThroughput,
    PinnedVerdict,
    SloCheck,
)
from matrix.domain.scorecard import Scorecard

# Raised when the form of the content changes; a command that verifies reads all forms.
CONTENT_FORM = "runproof-dossier-1"


class FindingKind(StrEnum):
    """A risk is something known that may hurt; a gap is something that nobody knows."""

    RISK = "risk"
    GAP = "gap"


RISK_CODES = (
    "not-maintained",  # maintenance mode, deprecated or archived; status, since, url
    "long-silence",  # neither release nor push for long; days, since
    "no-recent-release",  # days since the last release of the framework
    "newer-release",  # the asked version is not the newest; version, newest, releases_after
    "refused",  # the verdict is "unsupported"; limit
    "conditional",  # works under conditions; conditions
    "partial",  # works in part only; note
    "stale-evidence",  # not repeated by its source for long; stated_on
    "recheck-due",  # recheck_on
    "conflicting-sources",  # subject, uids
    "unofficial-tier",  # tier
    "does-not-fit",  # needed_low_bytes, usable_bytes
    "tight-fit",  # needed_high_bytes, usable_bytes
    "slo-missed",  # metric, value, limit, run
    "feature-refused",  # feature
    "published-numbers-only",  # runs are published tables, demonstrations or stand-ins
    "waiver-overdue",  # remove_by
)
GAP_CODES = (
    "unknown-verdict",  # unknown_reason
    "unknown-leg",  # leg, subject, unknown_reason
    "unknown-maintenance",
    "no-run",  # no run of this combination at all
    "no-exact-run",  # runs near it only; distance
    "no-slo-run",  # nothing measured meets or answers the objectives; why
    "feature-unstated",  # feature
    "memory-unknown",  # why
    "no-price",  # hardware, currency
    "no-cost",  # why
    "open-knock-out",  # criterion
    "open-score",  # criterion
    "unanswerable",  # problem: the candidate's question names something unknown
    "nothing-asked",  # the candidate's question has no model, hardware or quantization: axis
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A risk or a gap that was found, of one candidate or (blank) of the dossier.

    ``code`` is one of ``RISK_CODES`` or ``GAP_CODES`` with words in the pages; ``facts`` plain.
    """

    kind: FindingKind
    code: str
    candidate: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Effort:
    """Engineering cost that people stated; ``None`` is not stated, never zero."""

    conversion_steps: int | None = None
    image_rebuilds_per_release: int | None = None
    person_days_to_adopt: float | None = None
    person_days_per_quarter: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Burden:
    """What one framework in operation adds, counted.

    ``combinations`` = models × kinds of hardware of the dossier. ``releases_by_quarter`` are the
    stable releases of the last four quarters of 91 days up to the date, oldest first; ``None``
    where they are not known. ``test_runs_per_quarter`` = combinations × mean releases per quarter,
    when every release is tested on everything; ``image_rebuilds_per_quarter`` = the largest stated
    number of rebuilds per release × the same mean, ``None`` where nobody stated one.
    """

    framework: str
    name: str
    models: int
    hardware: int
    combinations: int
    releases_by_quarter: tuple[int, ...] | None = None
    releases_per_quarter: float | None = None
    test_runs_per_quarter: float | None = None
    image_rebuilds_per_quarter: float | None = None
    is_chosen: bool = False


_UNKNOWN_VERDICT = PinnedVerdict(SupportLevel.UNKNOWN)
_UNKNOWN_MAINTENANCE = PinnedMaintenance(MaintenanceStatus.UNKNOWN)
_UNKNOWN_MEMORY = PinnedMemory(why_unknown="no-question")
_NOTHING_REACHED = PinnedThroughput(why_unknown="no-question")
_NO_COST = PinnedCost(why_unknown="no-question")
_NOTHING_STATED = Effort()


@dataclass(frozen=True, slots=True)
class CandidateAssessment:
    """Everything known of one candidate at the dossier's dates.

    ``key`` identifies it inside the dossier for good (its position as text); ``words`` are the
    [parameter, value] pairs of its question. ``problem`` is a sentence where the question itself
    cannot be asked (an unknown name): then everything else is unknown.
    """

    key: str
    name: str
    words: tuple[tuple[str, str], ...]
    framework: str = ""
    framework_name: str = ""
    version: str = ""
    model: str = ""
    model_name: str = ""
    quantization: str = ""
    quantization_name: str = ""
    hardware: str = ""
    hardware_name: str = ""
    hardware_count: int | None = None
    verdict: PinnedVerdict = _UNKNOWN_VERDICT
    maintenance: PinnedMaintenance = _UNKNOWN_MAINTENANCE
    memory: PinnedMemory = _UNKNOWN_MEMORY
    throughput: PinnedThroughput = _NOTHING_REACHED
    cost: PinnedCost = _NO_COST
    effort: Effort = _NOTHING_STATED
    runs: tuple[PinnedRun, ...] = ()
    slo_checks: tuple[SloCheck, ...] = ()
    features: tuple[PinnedFeature, ...] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    is_chosen: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A knock-out that is accepted until a day, with the plan that ends it."""

    candidate: str
    criterion: str
    reason: str
    removal_plan: str
    remove_by: date
    granted_by: str
    granted_at: datetime


@dataclass(frozen=True, slots=True)
class DossierAssessment:
    """All that a page or an export shows of a dossier, and all that is frozen of it.

    **Dates**: ``as_of`` and ``known_at`` are the two clocks that it was assessed at; of a draft
    without them, today and now.
    """

    uid: str
    series: str
    version: int
    replaces: str
    title: str
    summary: str
    is_demonstration: bool
    need: Need
    as_of: date
    known_at: datetime
    ruleset: str
    revision: int
    decision: str
    recheck_on: date | None
    candidates: tuple[CandidateAssessment, ...]
    scorecard: Scorecard
    findings: tuple[Finding, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    burdens: tuple[Burden, ...] = ()
    form: str = CONTENT_FORM
    memory_rules: str = ""

    @property
    def risks(self) -> tuple[Finding, ...]:
        """The findings that are risks."""
        return tuple(f for f in self.findings if f.kind is FindingKind.RISK)

    @property
    def gaps(self) -> tuple[Finding, ...]:
        """The findings that are gaps."""
        return tuple(f for f in self.findings if f.kind is FindingKind.GAP)

    def candidate(self, key: str) -> CandidateAssessment:
        """The candidate of a key. **Raises**: ``KeyError``."""
        for candidate in self.candidates:
            if candidate.key == key:
                return candidate
        raise KeyError(key)
