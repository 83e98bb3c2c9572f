"""What a comparison says: rows of statistics, one cell for each run."""

from dataclasses import dataclass
from enum import StrEnum

from benchmarks_app.domain.comparability import Barrier


class ValueOrigin(StrEnum):
    """Where a compared value comes from."""

    SAMPLES = "samples"
    REPEATS = "repeats"
    REPORTED = "reported"


class NoInterval(StrEnum):
    """Why a value has no interval."""

    ONE_RUN = "one-run"  # the tool kept one number
    TOO_FEW = "too-few-samples"
    NO_BASELINE = "baseline-has-none"


class Difference(StrEnum):
    """What a ratio says."""

    BETTER = "better"
    WORSE = "worse"
    UNCLEAR = "unclear"  # the interval holds 1
    CHANGED = "changed"  # apart, and neither direction is better
    UNTESTED = "untested"  # there is no interval


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle 95 of 100 draws."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Cell:
    """One run's value of one statistic, against the baseline.

    ``value`` is ``None`` where the run does not have the statistic. ``ratio`` and ``difference``
    are ``None`` for the baseline itself, where a value is missing and where ``barriers`` block.
    ``no_interval`` says why ``ratio_interval`` (for the baseline, ``interval``) is missing.
    """

    uid: str
    value: float | None
    origin: ValueOrigin | None = None
    interval: Interval | None = None
    ratio: float | None = None
    ratio_interval: Interval | None = None
    difference: float | None = None
    difference_interval: Interval | None = None
    verdict: Difference | None = None
    no_interval: NoInterval | None = None
    barriers: tuple[Barrier, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One statistic of one metric; ``cells`` are in the order of the runs."""

    metric: str
    stat: str
    cells: tuple[Cell, ...]
