"""The values of the verdict rules: candidates, legs, verdicts, and the limits the rules use."""

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from matrix.domain.claims import Claim, Observation
from matrix.domain.coordinates import Cell, Condition
from matrix.domain.levels import (
    STRENGTH,
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

RULESET_VERSION = "2026-11-30.1"

# A statement that its source did not repeat for this long no longer carries an answer: the leg
# becomes unknown (stale). Chosen because 42 of the measured topics changed their answer within it.
CARRY_LIMIT_DAYS = 365
# Re-check is due this long after the last observation that a verdict rests on.
RECHECK_AFTER_DAYS = 90


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


@dataclass(frozen=True, slots=True)
class Age:
    """How old the statement is at the asked release.

    **Units**: ``releases`` counts releases of the framework since the observation used,
    ``days`` the days between that observation's date and the asked release's date.
    """

    kind: AgeKind
    releases: int = 0
    days: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """One claim that speaks about a leg of the cell, with what the rules need of it.

    ``rank`` is the rank of the observation used; ``specificity`` counts restricted axes and the
    depth of the matched nodes; ``implied`` marks a yes about more than this leg.
    """

    claim: Claim
    coverage: Coverage
    rank: int
    specificity: int
    age: Age
    observation: Observation
    implied: bool = False
    inherited_from: str = ""
    conditions: tuple[Condition, ...] = ()
    depends_on: tuple[str, ...] = ()

    @property
    def is_gate_pass(self) -> bool:
        """A gate that lets pass: it refuses nothing and proves nothing."""
        gate = self.claim.kind is EvidenceKind.CAPABILITY_GATE
        return gate and self.claim.level is not SupportLevel.UNSUPPORTED

    @property
    def negative(self) -> bool:
        """Whether the claim says no."""
        return self.claim.level is SupportLevel.UNSUPPORTED

    @property
    def strength(self) -> int:
        """Strength of the claim's evidence kind."""
        return STRENGTH[self.claim.kind]

    @property
    def is_stale(self) -> bool:
        """Carried forward past the limit: no answer any more."""
        carried = self.age.kind is AgeKind.CARRIED_FORWARD
        return carried and self.age.days > CARRY_LIMIT_DAYS


@dataclass(frozen=True, slots=True)
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

    **Dates**: ``as_of`` is the asked day; ``recheck_on`` the day a re-check falls due.
    """

    cell: Cell
    as_of: date
    version: str | None
    level: SupportLevel
    legs: tuple[LegResult, ...]
    unknown_reason: UnknownReason | None = None
    limit: Limit | None = None
    execution: Execution = Execution.UNSTATED
    tier: Tier = Tier.OFFICIAL
    conflicting: bool = False
    confidence: Confidence = Confidence.NONE
    conditions: tuple[Condition, ...] = ()
    depends_on: tuple[str, ...] = ()
    stale: bool = False
    carried_forward: bool = False
    recheck_on: date | None = None
    assumed: tuple[tuple[str, str], ...] = ()
    measured: tuple[Candidate, ...] = ()
    limits: tuple[Claim, ...] = ()
    ruleset: str = RULESET_VERSION
    revision: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def deciding(self) -> tuple[Candidate, ...]:
        """Deciding candidates of all legs, in leg order, each claim once."""
        seen: dict[str, Candidate] = {}
        for leg in self.legs:
            for candidate in leg.deciding:
                seen.setdefault(candidate.claim.uid, candidate)
        return tuple(seen.values())
