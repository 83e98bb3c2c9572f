"""Shows a run over its own time: requests and latency by windows, and whether they drift.

A drift is a rank correlation of the windows' values with time that chance does not explain and
that changes the value by more than ``SMALLEST_CHANGE`` from the first to the last third. Windows
while the load rises and while it ends are left out of the test.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.contract import Samples
from benchmarks_app.domain.summary import REQUEST_METRICS, derive_columns

Floats = NDArray[np.float64]

MOST_WINDOWS = 60
FEWEST_WINDOWS = 12
FEWEST_REQUESTS_A_WINDOW = 5
ALPHA = 0.01
SMALLEST_CHANGE = 0.05


class WhyNone(StrEnum):
    """Why there is no series."""

    NO_SAMPLES = "no-samples"
    NO_START_TIMES = "no-start-times"
    TOO_FEW = "too-few-requests"
    NO_TIME = "no-time-passed"


class Drift(StrEnum):
    """What a series does over time; the pages make sentences of it."""

    STEADY = "steady"
    RISING = "rising"
    FALLING = "falling"
    UNTESTED = "untested"  # too few windows hold a value


@dataclass(frozen=True, slots=True)
class WindowSeries:
    """One value by window; NaN where a window holds none.

    ``change`` is the last third's median against the first third's as a share, ``None`` where it
    is untested. ``name`` is "completed_per_s" or a latency metric, which stands for its median.
    """

    name: str
    values: Floats
    drift: Drift
    change: float | None = None
    p_value: float | None = None


@dataclass(frozen=True, slots=True)
class Stability:
    """The windows of a run. **Units**: ``starts_s`` and ``width_s`` in seconds from the first
    request on; latencies in milliseconds. ``why_none`` says why there are no windows."""

    starts_s: Floats
    width_s: float
    series: tuple[WindowSeries, ...] = ()
    why_none: WhyNone | None = None


def describe_stability(
    samples: Samples | None,
    *,
    windows: int = MOST_WINDOWS,
    metrics: Collection[str] = tuple(REQUEST_METRICS.values()),
) -> Stability:
    """The run by windows of equal time. Requests count where they end, latencies as well.

    ``metrics`` are the latencies that are looked at.
    """
    if samples is None or not samples.requests:
        return _none(WhyNone.NO_SAMPLES)
    columns = derive_columns(samples).requests
    start, e2el = columns.get("start_s"), columns.get("e2el_ms")
    if start is None or e2el is None:
        return _none(WhyNone.NO_START_TIMES)
    ends = start + e2el / 1000.0
    known = np.isfinite(ends)
    if not known.any():
        return _none(WhyNone.NO_START_TIMES)
    first, span = float(np.nanmin(start)), float(np.nanmax(ends[known]) - np.nanmin(start))
    if not span > 0.0:
        return _none(WhyNone.NO_TIME)
    count = min(windows, int(known.sum()) // FEWEST_REQUESTS_A_WINDOW)
    if count < 3:
        return _none(WhyNone.TOO_FEW)
    width = span / count
    place = np.minimum(((ends[known] - first) / width).astype(np.intp), count - 1)
    completed = np.bincount(place, minlength=count) / width
    series = [_describe("completed_per_s", completed)]
    for column, metric in REQUEST_METRICS.items():
        if column in columns and metric in metrics:
            medians = _medians(columns[column][known], place, count)
            if np.isfinite(medians).any():
                series.append(_describe(metric, medians))
    return Stability(np.arange(count, dtype=np.float64) * width, width, tuple(series))


def _none(why: WhyNone) -> Stability:
    return Stability(np.empty(0), 0.0, why_none=why)


def _medians(values: Floats, place: NDArray[np.intp], count: int) -> Floats:
    """The median of each window's known values."""
    found = np.full(count, np.nan)
    known = np.isfinite(values)
    # Sorted by window and inside it by value, so that the middle of each window is a place.
    values, place = values[known], place[known]
    order = np.lexsort((values, place))
    ordered, edges = values[order], np.searchsorted(place[order], np.arange(count + 1))
    filled = edges[1:] > edges[:-1]
    first, last = edges[:-1][filled], edges[1:][filled] - 1
    found[filled] = (ordered[(first + last) // 2] + ordered[(first + last + 1) // 2]) / 2.0
    return found


def _describe(name: str, values: Floats) -> WindowSeries:
    # The first window fills the server, the last ones hold stragglers alone.
    edge = max(1, values.size // 20)
    middle = values[edge:-edge]
    middle = middle[np.isfinite(middle)]
    if middle.size < FEWEST_WINDOWS - 2:
        return WindowSeries(name, values, Drift.UNTESTED)
    p_value, rho = _rank_test(middle)
    third = middle.size // 3
    before, after = float(np.median(middle[:third])), float(np.median(middle[-third:]))
    if before <= 0.0:
        return WindowSeries(name, values, Drift.UNTESTED)
    change = after / before - 1.0
    drift = Drift.STEADY
    if p_value < ALPHA and abs(change) > SMALLEST_CHANGE and (change > 0.0) == (rho > 0.0):
        drift = Drift.RISING if change > 0.0 else Drift.FALLING
    return WindowSeries(name, values, drift, change, p_value)


def _rank_test(values: Floats) -> tuple[float, float]:
    """Spearman's correlation with time and its two-sided p by the normal approximation.

    What one window hands on to the next makes fewer windows of them: the number that counts is
    reduced by the correlation of neighbours.
    """
    ranks = _ranks(values)
    count = ranks.size
    spread = float(ranks.std())
    if spread == 0.0:
        return 1.0, 0.0
    time = np.arange(count, dtype=np.float64)
    rho = float(((ranks - ranks.mean()) * (time - time.mean())).mean() / (spread * time.std()))
    # What remains beside a straight trend tells how windows hang together.
    rest = ranks - ranks.mean() - rho * spread * (time - time.mean()) / time.std()
    power = float((rest**2).mean())
    beside = float((rest[1:] * rest[:-1]).mean()) / power if power > 0.0 else 0.0
    beside = min(max(beside, 0.0), 0.9)
    counted = max(count * (1.0 - beside) / (1.0 + beside), 3.0)
    z = abs(rho) * math.sqrt(counted - 1.0)
    return math.erfc(z / math.sqrt(2.0)), rho


def _ranks(values: Floats) -> Floats:
    """Ranks from 1 on; equal values share the middle of theirs."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.searchsorted(ordered, values, side="left")
    last = np.searchsorted(ordered, values, side="right")
    ranks: Floats = (first + last + 1) / 2.0
    return ranks
