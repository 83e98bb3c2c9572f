"""Statistics made again from a run's samples, beside what its tool reported."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks_app.contract import Floats, Notice, RunReading
from benchmarks_app.contract import Measurement as Measured
from benchmarks_app.domain.summary import derive_columns, metric_samples, summarise

# A reported percentile further than this from ours is no matter of the method.
_TOLERATED_SHARE = 0.05


def recompute(reading: RunReading) -> list[Measured]:
    """The statistics of a run's samples by our own method; none without samples."""
    if reading.samples is None:
        return []
    return summarise(reading.samples, reported=reading.metrics)


def contradicting(reading: RunReading, recomputed: Sequence[Measured]) -> Iterator[Notice]:
    """Reported percentiles that no method makes out of the samples.

    A percentile lies between two neighbouring values whatever the method, so that a few samples
    far apart are no contradiction.
    """
    if reading.samples is None:
        return
    full = derive_columns(reading.samples)
    ours = {(one.metric, one.definition): one.stats for one in recomputed}
    for one in reading.metrics:
        stats = ours.get((one.metric, one.definition))
        values = metric_samples(full, one.metric) if stats else None
        if stats is None or values is None:
            continue
        ordered = np.sort(values)
        for stat, value in one.stats.items():
            mine = stats.get(stat)
            if mine is None or not _is_percentile(stat):
                continue
            if abs(value - mine) > _TOLERATED_SHARE * abs(mine) and not _between(
                ordered, float(stat[1:]), value
            ):
                yield Notice("contradicts_itself", f"{one.metric}.{stat}", one.pointer)


def _is_percentile(stat: str) -> bool:
    return stat[:1] == "p" and stat[1:2].isdigit()


def _between(ordered: Floats, rank: float, value: float) -> bool:
    place = int((ordered.size - 1) * rank / 100.0)
    low = float(ordered[max(0, place - 1)])
    high = float(ordered[min(ordered.size - 1, place + 2)])
    return low * (1 - _TOLERATED_SHARE) <= value <= high * (1 + _TOLERATED_SHARE)
