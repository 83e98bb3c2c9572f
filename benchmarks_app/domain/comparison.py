"""Compares runs with a baseline: value, ratio, difference, and how sure they are.

Values are made again from samples where a run has them, else they are what its tool reported.
The draws behind intervals are seeded by the identifiers of the runs, so that the same comparison
always says the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.contract import Measurement
from benchmarks_app.domain.comparability import Barrier, Severity, barriers_of_pair
from benchmarks_app.domain.comparison_rows import (
    Cell,
    ComparisonRow,
    Difference,
    Interval,
    NoInterval,
    ValueOrigin,
)
from benchmarks_app.domain.metrics import METRICS, Direction
from benchmarks_app.domain.resampling import (
    DRAWS,
    draw_mean,
    draw_percentile,
    draw_repeats,
    interval_of,
    make_generator,
)
from benchmarks_app.domain.run_view import RunView, SampledRun
from benchmarks_app.domain.summary import (
    METHOD,
    POOLED_METRICS,
    REQUEST_METRICS,
    derive_columns,
    metric_samples,
    percentile_of_sorted,
)

# What a comparison gives back is imported together with it.
__all__ = [
    "Cell",
    "ComparisonRow",
    "Difference",
    "Interval",
    "NoInterval",
    "ValueOrigin",
    "Wanted",
    "compare_runs",
    "wanted_of",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Value:
    value: float
    origin: ValueOrigin
    drawn: Floats | None = None
    why: NoInterval | None = None


Wanted = tuple[str, str]


def wanted_of(
    runs: Sequence[SampledRun], *, ranks: Sequence[str] = ("p50", "p95", "p99")
) -> list[Wanted]:
    """The statistics to compare: of each metric that any run has, its value, mean and ranks.

    A run with samples of a metric has its mean and every rank, whatever its tool printed.
    """
    found: set[Wanted] = set()
    for run in runs:
        sampled = _sampled_metrics(run)
        for one in run.view.measurements:
            stats = ("value", "mean", *ranks)
            found.update((one.metric, stat) for stat in stats if stat in one.stats)
        for metric in sampled:
            repeated = run.samples is not None and metric in run.samples.repeats
            found.update((metric, stat) for stat in ("mean", *(() if repeated else ranks)))
    order = {name: number for number, name in enumerate(METRICS)}
    stats_order = ("value", "mean", *ranks)
    return sorted(found, key=lambda one: (order[one[0]], stats_order.index(one[1])))


def _sampled_metrics(run: SampledRun) -> list[str]:
    if run.samples is None:
        return []
    full = derive_columns(run.samples)
    columns = (*REQUEST_METRICS.values(), *POOLED_METRICS.values(), *full.repeats)
    return [metric for metric in columns if metric_samples(full, metric) is not None]


def _with_sampled_metrics(run: SampledRun) -> RunView:
    """The view with a measurement for each metric that only the samples tell of."""
    told = {one.metric for one in run.view.measurements}
    added = tuple(
        Measurement(metric, METRICS[metric].definitions[0], {}, percentile_method=METHOD)
        for metric in _sampled_metrics(run)
        if metric not in told
    )
    return replace(run.view, measurements=(*run.view.measurements, *added))


def compare_runs(
    runs: Sequence[SampledRun],
    *,
    wanted: Sequence[Wanted],
    baseline: int = 0,
    varied: Sequence[str] = (),
    draws: int = DRAWS,
) -> list[ComparisonRow]:
    """One row for each wanted (metric, statistic), in that order.

    **Raises**: ``KeyError`` for an unknown metric, ``IndexError`` for a baseline beyond the runs.
    """
    sources = [_Source(run) for run in runs]
    views = [_with_sampled_metrics(run) for run in runs]
    base = views[baseline]
    metrics = list(dict.fromkeys(metric for metric, _stat in wanted))
    between: list[dict[str, tuple[Barrier, ...]]] = [
        {} if view is base else barriers_of_pair(metrics, base, view, varied=varied)
        for view in views
    ]
    rows = []
    for metric, stat in wanted:
        values = [source.value(metric, stat, draws=draws) for source in sources]
        cells = tuple(
            _cell(
                run.view.uid,
                metric,
                value,
                None if number == baseline else values[baseline],
                _for_stat(between[number].get(metric, ()), stat, (value, values[baseline])),
                is_baseline=number == baseline,
            )
            for number, (run, value) in enumerate(zip(runs, values, strict=True))
        )
        rows.append(ComparisonRow(metric, stat, cells))
    return rows


def _for_stat(
    between: tuple[Barrier, ...], stat: str, values: tuple[_Value | None, _Value | None]
) -> tuple[Barrier, ...]:
    """The barriers that hold for a statistic: what we made from samples has one method."""
    made_here = all(one is not None and one.origin is ValueOrigin.SAMPLES for one in values)
    if made_here or _rank(stat) is None:
        return tuple(one for one in between if one.code != "percentile-method")
    return between


class _Source:
    """One run's values, with its samples sorted once."""

    def __init__(self, run: SampledRun) -> None:
        self._run = run
        self._samples = derive_columns(run.samples) if run.samples is not None else None
        self._sorted: dict[str, Floats | None] = {}

    def value(self, metric: str, stat: str, *, draws: int) -> _Value | None:
        if self._samples is not None and metric in self._samples.repeats:
            found = self._from_repeats(metric, stat, draws=draws)
            if found is not None:
                return found
        ordered = self._ordered(metric)
        if ordered is not None:
            found = self._from_samples(ordered, metric, stat, draws=draws)
            if found is not None:
                return found
        reported = self._run.view.measured(metric)
        value = None if reported is None else reported.stats.get(stat)
        if value is None:
            return None
        return _Value(value, ValueOrigin.REPORTED, why=NoInterval.ONE_RUN)

    def _ordered(self, metric: str) -> Floats | None:
        if metric not in self._sorted:
            values = None
            if self._samples is not None and metric not in self._samples.repeats:
                values = metric_samples(self._samples, metric)
            self._sorted[metric] = None if values is None else np.sort(values)
        return self._sorted[metric]

    def _from_samples(
        self, ordered: Floats, metric: str, stat: str, *, draws: int
    ) -> _Value | None:
        generator = make_generator(self._run.view.uid, metric, stat)
        if stat == "mean":
            drawn = draw_mean(ordered, generator, draws=draws)
            value = float(ordered.mean())
        else:
            rank = _rank(stat)
            if rank is None:
                return None
            drawn = draw_percentile(ordered, rank, generator, draws=draws)
            value = percentile_of_sorted(ordered, rank)
        why = NoInterval.TOO_FEW if drawn is None else None
        return _Value(value, ValueOrigin.SAMPLES, drawn, why)

    def _from_repeats(self, metric: str, stat: str, *, draws: int) -> _Value | None:
        if stat not in ("mean", "value") or self._samples is None:
            return None
        values = self._samples.repeats[metric]
        values = values[np.isfinite(values)]
        if not values.size:
            return None
        generator = make_generator(self._run.view.uid, metric, stat)
        drawn = draw_repeats(values, generator, draws=draws)
        why = NoInterval.ONE_RUN if drawn is None else None
        return _Value(float(values.mean()), ValueOrigin.REPEATS, drawn, why)


def _rank(stat: str) -> float | None:
    if stat[:1] != "p" or not stat[1:2].isdigit():
        return None
    return float(stat[1:])


def _cell(
    uid: str,
    metric: str,
    value: _Value | None,
    base: _Value | None,
    between: tuple[Barrier, ...],
    *,
    is_baseline: bool,
) -> Cell:
    if value is None:
        return Cell(uid, None, barriers=between)
    interval = None if value.drawn is None else Interval(*interval_of(value.drawn))
    if is_baseline:
        return Cell(uid, value.value, value.origin, interval, no_interval=value.why)
    blocked = any(one.severity is Severity.BLOCKS for one in between)
    if base is None or base.value == 0.0 or blocked:
        return Cell(
            uid, value.value, value.origin, interval, no_interval=value.why, barriers=between
        )
    ratio = value.value / base.value
    ratios = _against(value.drawn, base.drawn, np.divide)
    differences = _against(value.drawn, base.drawn, np.subtract)
    why = value.why or (NoInterval.NO_BASELINE if base.drawn is None else None)
    return Cell(
        uid,
        value.value,
        value.origin,
        interval,
        ratio,
        ratios,
        value.value - base.value,
        differences,
        _judge(metric, ratio, ratios),
        why,
        between,
    )


def _against(
    drawn: Floats | None, base: Floats | None, combine: Callable[[Floats, Floats], Floats]
) -> Interval | None:
    if drawn is None or base is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        combined = combine(drawn, base)
    if not bool(np.all(np.isfinite(combined))):
        return None
    return Interval(*interval_of(combined))


_SIGNS: Mapping[Direction, int] = {
    Direction.HIGHER: 1,
    Direction.LOWER: -1,
    Direction.NEITHER: 0,
}


def _judge(metric: str, ratio: float, interval: Interval | None) -> Difference:
    if interval is None:
        return Difference.UNTESTED
    if interval.low <= 1.0 <= interval.high:
        return Difference.UNCLEAR
    sign = _SIGNS[METRICS[metric].direction]
    if sign == 0:
        return Difference.CHANGED
    return Difference.BETTER if (ratio - 1.0) * sign > 0.0 else Difference.WORSE
