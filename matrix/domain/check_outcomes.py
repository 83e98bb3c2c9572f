"""Verdict and memory side by side: the one outcome that a reader may be told."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from matrix.domain.coordinates import Cell
from matrix.domain.levels import WEAKEST_FIRST, LegKind, SupportLevel
from matrix.domain.memory.values import FitLevel
from matrix.domain.verdict_values import LegResult, Verdict


class Outcome(StrEnum):
    """What verdict and memory say together, best first; none says "runs" without room for it."""

    RUNS = "runs"
    RUNS_UNDER_CONDITIONS = "runs-under-conditions"
    RUNS_IN_PART = "runs-in-part"
    ROOM_UNCERTAIN = "room-uncertain"  # fits at the low end of the estimate only
    ROOM_UNKNOWN = "room-unknown"  # the sources say yes; the memory could not be told
    NO_ROOM_BY_ESTIMATE = "no-room-by-estimate"
    NO_ROOM = "no-room"  # the weights alone exceed the devices
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"


_BY_LEVEL = {
    SupportLevel.SUPPORTED: Outcome.RUNS,
    SupportLevel.CONDITIONAL: Outcome.RUNS_UNDER_CONDITIONS,
    SupportLevel.PARTIAL: Outcome.RUNS_IN_PART,
}
_BY_FIT = {
    FitLevel.TIGHT: Outcome.ROOM_UNCERTAIN,
    FitLevel.EXCEEDS: Outcome.NO_ROOM_BY_ESTIMATE,
    FitLevel.DOES_NOT_FIT: Outcome.NO_ROOM,
    FitLevel.UNKNOWN: Outcome.ROOM_UNKNOWN,
}
POSITIVE_LEVELS = frozenset(_BY_LEVEL)
_STRENGTH = {level: position for position, level in enumerate(WEAKEST_FIRST)}


def combine(level: SupportLevel, fit: FitLevel | None) -> Outcome:
    """The outcome of a verdict's level and a fit; ``None`` where no hardware was asked about.

    A refusal and an unknown verdict stay what they are: memory alone never makes a yes. Nor does
    it make a no of the rules (rule 8): it is told beside the verdict.
    """
    if level is SupportLevel.UNSUPPORTED:
        return Outcome.UNSUPPORTED
    if level is SupportLevel.UNKNOWN:
        return Outcome.UNKNOWN
    if fit is None or fit is FitLevel.FITS:
        return _BY_LEVEL[level]
    return _BY_FIT[fit]


def is_better(level: SupportLevel, than: SupportLevel) -> bool:
    """Whether a level is a yes of some kind and stronger than another one."""
    return level in POSITIVE_LEVELS and _STRENGTH[level] > _STRENGTH[than]


class ChangeKind(StrEnum):
    """What would have to be otherwise for a better answer."""

    CONDITION = "condition"
    RELEASE = "release"
    HARDWARE = "hardware"
    FEATURES = "features"
    QUANTIZATION = "quantization"
    DEVICES = "devices"
    CONTEXT = "context"
    SEQUENCES = "sequences"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that would have to be otherwise, as an asked verdict or estimate answered it.

    ``level`` is the verdict there and ``cell`` asks for it again; for a change of the load or the
    number of devices the level is ``None``, because only the memory was asked. ``values`` are
    slugs, a version or a number, ``claims`` the uids of the claims that decide there. ``fit`` is
    what the estimate says there, ``None`` where none was made.
    """

    kind: ChangeKind
    values: tuple[str, ...]
    level: SupportLevel | None = None
    cell: Cell | None = None
    claims: tuple[str, ...] = ()
    fit: FitLevel | None = None
    earlier: bool = False


def is_silent(leg: LegResult) -> bool:
    """Whether nothing at all was said about a leg: no statement, no gate, no older word."""
    said = (leg.deciding, leg.contradicting, leg.others, leg.gates)
    return leg.level is SupportLevel.UNKNOWN and not any(said)


def concerns(verdict: Verdict, *, asks_hardware: bool) -> bool:
    """Whether claims of the framework could speak about the question at all.

    With hardware, that is decided by what is said of the platform: a plug-in for other hardware
    that lists the same model does not concern it.
    """
    legs: Sequence[LegResult] = verdict.legs
    if asks_hardware:
        legs = [leg for leg in legs if leg.kind is LegKind.PLATFORM]
    return any(not is_silent(leg) for leg in legs)
