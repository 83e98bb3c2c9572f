"""Finds steps in the history of one metric: regressions and improvements, with how sure they are.

Values are compared by their logarithms, because noise grows with the value. A series is cut at
the place where a step explains most, or around a stretch that differs from its surroundings; it
counts when Student's t test over the noise inside both sides, corrected for the number of places
looked at, is below half of ``ALPHA`` and the step is at least ``SMALLEST_EFFECT``. The parts are
then looked at in the same way. What lies on both sides of a mark that a person set is never
compared.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.domain.metrics import METRICS, Direction
from benchmarks_app.domain.student import two_sided_p

Floats = NDArray[np.float64]

ALPHA = 0.01
SMALLEST_EFFECT = 0.03
# One value before or after a step is an accident as likely as a change.
FEWEST_BESIDE = 2
FEWEST_POINTS = 6
# Runs that agree by chance must not make any difference significant.
SMALLEST_NOISE = 0.005
MOST_POINTS = 5000
# Stretches are looked for among all pairs of places, so only in series of this length.
LONGEST_STRETCHED = 300


class EventKind(StrEnum):
    """What a step means for the metric's better direction."""

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    CHANGE = "change"  # neither direction is better


class NoDetection(StrEnum):
    """Why nothing could be looked for."""

    TOO_FEW = "too-few-points"
    NOT_POSITIVE = "values-not-positive"


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """One run's value; the points of a history are in the order of their time or release.

    ``marked`` says that a person marked what is measured as changed from this run on.
    """

    uid: str
    value: float
    marked: bool = False


@dataclass(frozen=True, slots=True)
class StepEvent:
    """A step between the run before it and ``uid``, the first run after it.

    ``effect`` is the change of the typical value as a share of the one before (-0.1: a tenth
    lower); ``noise`` the spread from run to run as a share; ``p_value`` is corrected for the
    number of places looked at. ``before`` and ``after`` count the runs that it rests on.
    """

    uid: str
    previous_uid: str
    kind: EventKind
    effect: float
    p_value: float
    noise: float
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class History:
    """The steps of a history in its order; ``why_none`` says why none could be looked for."""

    events: tuple[StepEvent, ...]
    why_none: NoDetection | None = None


def detect_steps(metric: str, points: Sequence[HistoryPoint]) -> History:
    """The steps of a metric's history.

    **Raises**: ``KeyError`` for an unknown metric.
    """
    direction = METRICS[metric].direction
    recent = points[-MOST_POINTS:]
    if any(not (math.isfinite(one.value) and one.value > 0.0) for one in recent):
        return History((), NoDetection.NOT_POSITIVE)
    values = np.log(np.array([one.value for one in recent], dtype=np.float64))
    cuts = [i for i, one in enumerate(recent) if one.marked and i > 0]
    parts = list(zip([0, *cuts], [*cuts, len(recent)], strict=True))
    if all(end - start < FEWEST_POINTS for start, end in parts):
        return History((), NoDetection.TOO_FEW)
    steps = sorted(step for start, end in parts for step in _steps(values, start, end))
    starts = {start for start, _end in parts}
    return History(tuple(_events(recent, values, steps, starts, direction)))


def _steps(values: Floats, start: int, end: int) -> Iterator[int]:
    """Places of steps in a part, found by cutting again and again.

    Where no single cut counts, a stretch in the middle that differs from what lies around it is
    looked for: a fall that was repaired later hides from every single cut.
    """
    waiting = [(start, end)]
    while waiting:
        low, high = waiting.pop()
        if high - low < FEWEST_POINTS:
            continue
        cuts = _best_cut(values[low:high]) or _best_stretch(values[low:high])
        yield from (low + place for place in cuts)
        edges = [low, *(low + place for place in cuts), high]
        waiting += pairwise(edges) if cuts else ()


def _best_cut(values: Floats) -> tuple[int, ...]:
    """The place that splits a part best, if the step there counts."""
    count = values.size
    places = np.arange(FEWEST_BESIDE, count - FEWEST_BESIDE + 1)
    sums = np.cumsum(values)
    inside = sums[-1] - sums[places - 1]
    best = _best_split(values, places, inside, count - places)
    return () if best is None else (int(places[best]),)


def _best_stretch(values: Floats) -> tuple[int, ...]:
    """Both ends of the stretch that differs most from what lies around it, if that counts."""
    count = values.size
    if not FEWEST_POINTS <= count <= LONGEST_STRETCHED:
        return ()
    inner = np.arange(FEWEST_BESIDE, count - FEWEST_BESIDE + 1)
    first, last = (grid.ravel() for grid in np.meshgrid(inner, inner, indexing="ij"))
    fits = last - first >= FEWEST_BESIDE
    first, last = first[fits], last[fits]
    if not first.size:
        return ()
    sums = np.concatenate([[0.0], np.cumsum(values)])
    best = _best_split(values, count - (last - first), sums[last] - sums[first], last - first)
    return () if best is None else (int(first[best]), int(last[best]))


def _best_split(
    values: Floats, outside: NDArray[np.intp], sums: Floats, inside: NDArray[np.intp]
) -> int | None:
    """The way to split values in two that explains most, or ``None`` where it does not count.

    ``inside`` and ``outside`` are the sizes of both sides of each way, ``sums`` the inner sums.
    """
    within = sums / inside
    around = (values.sum() - sums) / outside
    squares = float((values**2).sum())
    rest = np.maximum(squares - inside * within**2 - outside * around**2, 0.0)
    noise = np.maximum(np.sqrt(rest / (values.size - 2)), SMALLEST_NOISE)
    t = np.abs(within - around) / (noise * np.sqrt(1.0 / inside + 1.0 / outside))
    best = int(np.argmax(t))
    # Neighbouring ways are nearly one test, so that this correction is on the careful side.
    p_value = two_sided_p(float(t[best]), values.size - 2) * t.size
    effect = abs(_share_of(float(within[best] - around[best])))
    # Two kinds of splits are looked at; each may err half as often.
    return best if p_value < ALPHA / 2.0 and effect >= SMALLEST_EFFECT else None


def _events(
    points: Sequence[HistoryPoint],
    values: Floats,
    steps: Sequence[int],
    starts: Collection[int],
    direction: Direction,
) -> Iterator[StepEvent]:
    """Each step again, between its neighbours, so that one part's step does not blur another's."""
    edges = sorted({0, len(points), *starts, *steps})
    for step in steps:
        number = edges.index(step)
        low, high = edges[number - 1], edges[number + 1]
        before, after = values[low:step], values[step:high]
        inside = ((before - before.mean()) ** 2).sum() + ((after - after.mean()) ** 2).sum()
        freedom = max(before.size + after.size - 2, 1)
        noise = max(math.sqrt(float(inside) / freedom), SMALLEST_NOISE)
        jump = float(after.mean() - before.mean())
        t = abs(jump) / (noise * math.sqrt(1.0 / before.size + 1.0 / after.size))
        places = max(high - low - 2 * FEWEST_BESIDE + 1, 1)
        yield StepEvent(
            uid=points[step].uid,
            previous_uid=points[step - 1].uid,
            kind=_kind(jump, direction),
            effect=_share_of(jump),
            p_value=min(1.0, two_sided_p(t, freedom) * places),
            noise=_share_of(noise),
            before=int(before.size),
            after=int(after.size),
        )


def _share_of(step: float) -> float:
    """The change as a share that a step of logarithms is; beyond all reason it stays finite."""
    return math.expm1(min(step, 700.0))


def _kind(jump: float, direction: Direction) -> EventKind:
    if direction is Direction.NEITHER:
        return EventKind.CHANGE
    better = (jump > 0.0) == (direction is Direction.HIGHER)
    return EventKind.IMPROVEMENT if better else EventKind.REGRESSION


@dataclass(frozen=True, slots=True)
class Power:
    """How often a step is found, and how often one is found where there is none.

    ``effect`` is the step, ``noise`` the spread from run to run, both as shares; ``before`` and
    ``after`` are numbers of runs. ``found`` and ``false_alarms`` are shares of histories.
    """

    effect: float
    noise: float
    before: int
    after: int
    found: float
    false_alarms: float


# Of 2,000 simulated histories with and 2,000 without a step for each line:
# tests/performance/regression_power.py.
POWER: tuple[Power, ...] = (
    Power(0.05, 0.01, 5, 3, 0.758, 0.0),
    Power(0.05, 0.01, 10, 5, 1.0, 0.0),
    Power(0.05, 0.01, 20, 10, 1.0, 0.0),
    Power(0.05, 0.03, 5, 3, 0.059, 0.008),
    Power(0.05, 0.03, 10, 5, 0.181, 0.0075),
    Power(0.05, 0.03, 20, 10, 0.531, 0.0055),
    Power(0.05, 0.05, 5, 3, 0.021, 0.0115),
    Power(0.05, 0.05, 10, 5, 0.037, 0.0075),
    Power(0.05, 0.05, 20, 10, 0.1, 0.004),
    Power(0.05, 0.1, 5, 3, 0.012, 0.006),
    Power(0.05, 0.1, 10, 5, 0.011, 0.0095),
    Power(0.05, 0.1, 20, 10, 0.008, 0.0045),
    Power(0.1, 0.01, 5, 3, 1.0, 0.0),
    Power(0.1, 0.01, 10, 5, 1.0, 0.0015),
    Power(0.1, 0.01, 20, 10, 1.0, 0.0),
    Power(0.1, 0.03, 5, 3, 0.346, 0.0145),
    Power(0.1, 0.03, 10, 5, 0.912, 0.0105),
    Power(0.1, 0.03, 20, 10, 0.987, 0.0055),
    Power(0.1, 0.05, 5, 3, 0.089, 0.011),
    Power(0.1, 0.05, 10, 5, 0.321, 0.009),
    Power(0.1, 0.05, 20, 10, 0.763, 0.0035),
    Power(0.1, 0.1, 5, 3, 0.016, 0.0105),
    Power(0.1, 0.1, 10, 5, 0.045, 0.006),
    Power(0.1, 0.1, 20, 10, 0.109, 0.0045),
    Power(0.2, 0.01, 5, 3, 1.0, 0.0),
    Power(0.2, 0.01, 10, 5, 1.0, 0.0),
    Power(0.2, 0.01, 20, 10, 1.0, 0.0005),
    Power(0.2, 0.03, 5, 3, 0.986, 0.01),
    Power(0.2, 0.03, 10, 5, 1.0, 0.007),
    Power(0.2, 0.03, 20, 10, 1.0, 0.0045),
    Power(0.2, 0.05, 5, 3, 0.597, 0.008),
    Power(0.2, 0.05, 10, 5, 0.995, 0.007),
    Power(0.2, 0.05, 20, 10, 0.999, 0.005),
    Power(0.2, 0.1, 5, 3, 0.106, 0.0135),
    Power(0.2, 0.1, 10, 5, 0.392, 0.011),
    Power(0.2, 0.1, 20, 10, 0.822, 0.0025),
)
