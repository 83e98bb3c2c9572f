"""The values of the verdict rules: candidates, legs, verdicts, and the limits the rules use."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from matrix.domain.claims import Claim, Observation
from matrix.domain.coordinates import Cell, Condition
from matrix.domain.levels import (
    MEASURED_KINDS,
    STRENGTH,
    Axis,
    ConditionKind,
    Confidence,
    Coverage,
    EvidenceKind,
    Execution,
    LegKind,
    Limit,
    SupportLevel,
    Tier,
    UnknownReason,
)
from matrix.domain.trees import Place

RULESET_VERSION = "2026-11-30.5"

# A statement that its source did not repeat for this long no longer carries an answer: the leg
# becomes unknown (stale). Chosen because 42 of the measured topics changed their answer within it.
CARRY_LIMIT_DAYS = 365
# Re-check is due this long after the last observation that a verdict rests on.
RECHECK_AFTER_DAYS = 90


# Conditions that a user sets or leaves; they belong to a combination, not to its parts.
SWITCHES = frozenset(
    {ConditionKind.FLAG, ConditionKind.ENV, ConditionKind.DTYPE, ConditionKind.FEATURE_OFF}
)
# Stands for a claim whose source does not say since when it holds.
NOT_DATED = -1


class Rule(StrEnum):
    """The rule that decided a leg; each has a sentence for readers in ``rule_texts``."""

    WHOLE_CELL = "whole-cell"
    SPECIFIC_OVER_GENERAL = "specific-over-general"
    NEAREST_VERSION = "nearest-version"
    STRENGTH = "strength"
    ONLY_CLAIM = "only-claim"
    VETO = "veto"
    DEPENDS = "depends"
    IMPLIED = "implied"
    CONFLICT = "conflict"
    STALE = "stale"
    NO_CLAIM = "no-claim"
    UNQUANTIZED = "unquantized"


class AgeKind(StrEnum):
    """Where the asked release lies relative to what the claim's source was seen saying."""

    OBSERVED = "observed"
    BETWEEN_OBSERVATIONS = "between-observations"
    CARRIED_FORWARD = "carried-forward"
    OPEN_ENDED = "open-ended"


class Age(NamedTuple):
    """How old the statement is at the asked release.

    **Units**: ``releases`` counts releases of the framework since the observation used,
    ``days`` the days between that observation's date and the asked release's date.
    """

    kind: AgeKind
    releases: int = 0
    days: int = 0


# Candidates and legs are made by the dozen for every verdict and shared between verdicts. They are
# not declared frozen because that makes them three times as slow to make; nothing changes them.


@dataclass(slots=True, eq=False)
class Candidate:
    """One claim that speaks about a leg of the cell, with what the rules need of it.

    ``rank`` is the rank of the observation used; ``specificity`` counts restricted axes and the
    depth of the matched nodes; ``strength`` is that of the evidence kind; ``is_gate_pass`` holds
    for a gate that lets pass, which refuses nothing and proves nothing; ``is_stale`` for a
    statement carried forward past the limit, which is no answer any more; ``said_of`` is equal for
    open statements about the same scope under the same conditions; ``implied`` marks a yes about
    more than this leg; ``places`` are those of the cell's nodes; ``since`` is the rank of the
    release since when the source itself says that it holds.
    """

    claim: Claim
    coverage: Coverage
    rank: int
    specificity: int
    age: Age
    observation: Observation
    strength: int
    negative: bool
    is_gate_pass: bool
    is_stale: bool
    said_of: Hashable
    implied: bool = False
    inherited_from: str = ""
    conditions: tuple[Condition, ...] = ()
    depends_on: tuple[str, ...] = ()
    places: Mapping[Axis, Place] = field(default_factory=dict)
    since: int = NOT_DATED

    def depth_on(self, axis: Axis) -> int:
        """How deep the node lies by which the claim covers the cell: 0 for a root or unlisted."""
        nodes = self.claim.scope.nodes.get(axis)
        if nodes is None:
            return -1
        place = self.places.get(axis)
        path = () if place is None else place.up
        for position, slug in enumerate(path):
            if slug in nodes.include:
                return len(path) - 1 - position
        return 0


@dataclass(slots=True, eq=False)
class LegResult:
    """What one leg says, by which rule and which claims."""

    kind: LegKind
    subject: str
    level: SupportLevel
    rule: Rule
    deciding: tuple[Candidate, ...] = ()
    contradicting: tuple[Candidate, ...] = ()
    others: tuple[Candidate, ...] = ()
    gates: tuple[Candidate, ...] = ()
    unknown_reason: UnknownReason | None = None
    conflicting: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The computed answer for a cell at a date, with everything needed to explain it.

    What follows from the legs is worked out when it is read: a grid reads little of it.

    **Dates**: ``as_of`` is the asked day; ``recheck_on`` the day a re-check falls due.
    """

    cell: Cell
    as_of: date
    version: str | None
    level: SupportLevel
    legs: tuple[LegResult, ...]
    assumed: tuple[tuple[str, str], ...] = ()
    limits: tuple[Claim, ...] = ()
    ruleset: str = RULESET_VERSION
    revision: int = 0
    notes: tuple[str, ...] = ()

    @property
    def deciding(self) -> tuple[Candidate, ...]:
        """Deciding candidates of all legs, in leg order, each claim once."""
        seen: dict[str, Candidate] = {}
        for candidate in self._candidates():
            seen.setdefault(candidate.claim.uid, candidate)
        return tuple(seen.values())

    @property
    def unknown_reason(self) -> UnknownReason | None:
        """The most telling reason of the unknown legs; ``None`` when the verdict is known."""
        return _unknown_reason_of(self.level, self._leading())

    @property
    def limit(self) -> Limit | None:
        """Whose limit a "no" is."""
        return _limit_of(self.level, self._leading())

    @property
    def execution(self) -> Execution:
        """How the claims that decide the scheme's own legs say it is executed."""
        own = [leg for leg in self.legs if leg.kind in _SCHEME_LEGS]
        return _execution_of([c for leg in own for c in leg.deciding])

    @property
    def tier(self) -> Tier:
        """The weakest tier of the deciding claims."""
        return _tier_of(self._candidates())

    @property
    def conflicting(self) -> bool:
        """Whether the sources of a leg contradict each other."""
        return any(leg.conflicting for leg in self.legs)

    @property
    def confidence(self) -> Confidence:
        """How firm the verdict is."""
        general = Axis.HARDWARE in self.cell.nodes and any(
            Axis.HARDWARE not in c.claim.scope.nodes
            for leg in self.legs
            if leg.kind is LegKind.MODEL
            for c in leg.deciding
        )
        return _confidence_of(
            self.level, self._candidates(), conflicting=self.conflicting, general=general
        )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Conditions of the deciding claims that the cell leaves open."""
        return tuple(dict.fromkeys(c for item in self._relevant() for c in item.conditions))

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Axes that the cell leaves open and a deciding claim restricts."""
        return tuple(dict.fromkeys(d for item in self._relevant() for d in item.depends_on))

    @property
    def stale(self) -> bool:
        """Whether it rests on, or lacks only, statements that were not repeated since."""
        reasons = (leg.unknown_reason for leg in self.legs)
        return self.carried_forward or UnknownReason.STALE in reasons

    @property
    def carried_forward(self) -> bool:
        """Whether a deciding claim was last seen at an earlier release."""
        return any(c.age.kind is AgeKind.CARRIED_FORWARD for c in self._candidates())

    @property
    def recheck_on(self) -> date | None:
        """The day the oldest deciding observation falls due for a re-check."""
        return _recheck_on(self._candidates())

    @property
    def measured(self) -> tuple[Candidate, ...]:
        """Deciding candidates that were measured, each claim once."""
        return tuple(c for c in self.deciding if c.claim.kind in MEASURED_KINDS)

    def _candidates(self) -> list[Candidate]:
        return [candidate for leg in self.legs for candidate in leg.deciding]

    def _leading(self) -> list[LegResult]:
        return [leg for leg in self.legs if leg.level is self.level]

    def _relevant(self) -> list[Candidate]:
        """A "no" has the conditions of its own legs only."""
        refused = self.level is SupportLevel.UNSUPPORTED
        return [c for leg in (self._leading() if refused else self.legs) for c in leg.deciding]


_SCHEME_LEGS = frozenset({LegKind.QUANTIZATION, LegKind.KV_DTYPE})

_TELLING_FIRST = (
    UnknownReason.SOURCES_CONFLICT,
    UnknownReason.STALE,
    UnknownReason.EXTRACTOR_FAILED,
    UnknownReason.SOURCE_SILENT,
    UnknownReason.NOT_LISTED,
    UnknownReason.NEVER_INVESTIGATED,
)


def _unknown_reason_of(level: SupportLevel, leading: Sequence[LegResult]) -> UnknownReason | None:
    if level is not SupportLevel.UNKNOWN:
        return None
    reasons = [leg.unknown_reason for leg in leading if leg.unknown_reason]
    return min(reasons, key=_TELLING_FIRST.index, default=UnknownReason.NEVER_INVESTIGATED)


def _limit_of(level: SupportLevel, leading: Sequence[LegResult]) -> Limit | None:
    """Whose limit a "no" is: what the claim says, else what its scope names."""
    if level is not SupportLevel.UNSUPPORTED:
        return None
    for leg in leading:
        for candidate in leg.deciding:
            if candidate.claim.limit:
                return candidate.claim.limit
            nodes = candidate.claim.scope.nodes
            if Axis.ARTEFACT in nodes:
                return Limit.ARTEFACT
            if Axis.HARDWARE in nodes or Axis.BACKEND in nodes:
                return Limit.HARDWARE
            if Axis.MODEL in nodes:
                return Limit.MODEL
    return Limit.FRAMEWORK


def _execution_of(deciding: Sequence[Candidate]) -> Execution:
    stated = [c.claim.execution for c in deciding if c.claim.execution is not Execution.UNSTATED]
    return stated[0] if stated else Execution.UNSTATED


_TIER_ORDER = (Tier.PLANNED, Tier.EXPERIMENTAL, Tier.DEPRECATED, Tier.UNOFFICIAL, Tier.OFFICIAL)


def _tier_of(deciding: Sequence[Candidate]) -> Tier:
    tiers = [c.claim.tier for c in deciding]
    return min(tiers, key=_TIER_ORDER.index) if tiers else Tier.OFFICIAL


def _confidence_of(
    level: SupportLevel, deciding: Sequence[Candidate], *, conflicting: bool, general: bool
) -> Confidence:
    """Low for conflict, inheritance, what is only implied, or a statement not repeated for long;
    high only where every leg was seen at the release itself and speaks for the hardware."""
    if level is SupportLevel.UNKNOWN or not deciding:
        return Confidence.NONE
    if conflicting or any(c.inherited_from or c.implied for c in deciding):
        return Confidence.LOW
    if any(c.age.kind is AgeKind.CARRIED_FORWARD and c.age.days > RECHECK_AFTER_DAYS
           for c in deciding):  # fmt: skip
        return Confidence.LOW
    weak = min(c.strength for c in deciding) < STRENGTH[EvidenceKind.DOCUMENTATION]
    exact = all(c.age.kind is AgeKind.OBSERVED for c in deciding)
    return Confidence.HIGH if exact and not weak and not general else Confidence.MEDIUM


def _recheck_on(deciding: Sequence[Candidate]) -> date | None:
    if not deciding:
        return None
    oldest = min(c.observation.stated_on for c in deciding)
    return date.fromordinal(oldest.toordinal() + RECHECK_AFTER_DAYS)
