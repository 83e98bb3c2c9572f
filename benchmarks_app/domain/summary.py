"""Makes statistics again from samples, so that one method stands behind every percentile.

Percentiles interpolate linearly between the two nearest values, as numpy does by default. NaN is
unknown and never counted; nothing measured gives no statistic rather than 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.contract import Measurement, Samples
from benchmarks_app.domain.metrics import METRICS

Floats = NDArray[np.float64]

PERCENTILES: tuple[float, ...] = (50.0, 90.0, 95.0, 99.0)
METHOD = "linear"
# Columns of requests, with the metric that each is a sample of.
REQUEST_METRICS: Mapping[str, str] = {
    "ttft_ms": "ttft",
    "tpot_ms": "tpot",
    "e2el_ms": "e2el",
    "ttst_ms": "ttst",
    "ntpot_ms": "ntpot",
    "queue_ms": "queue_time",
}
POOLED_METRICS: Mapping[str, str] = {"itl_ms": "itl"}
# Statistics over tokens, which samples of one value a request cannot give.
_OVER_TOKENS = frozenset({"tpot/token", "ntpot/token"})


def statistics_of(
    values: Floats, *, percentiles: Sequence[float] = PERCENTILES, ddof: int = 0
) -> dict[str, float] | None:
    """Count, mean, std, min, max and percentiles of the known values; ``None`` where none is.

    **Units**: those of the values. ``ddof`` is 0 for all requests of a run and 1 for repeats,
    which are a sample of what could have been measured; one repeat has no spread, and three have
    no 99th percentile: with ``ddof`` a rank is left out where no value lies beyond it.
    """
    known = values[np.isfinite(values)]
    count = int(known.size)
    if count == 0:
        return None
    ordered = np.sort(known)
    found = {
        "count": float(count),
        "mean": float(ordered.mean()),
        "min": float(ordered[0]),
        "max": float(ordered[-1]),
    }
    if count > ddof:
        found["std"] = float(ordered.std(ddof=ddof))
    for rank in percentiles:
        if ddof and not _reaches(count, rank):
            continue
        found[percentile_name(rank)] = percentile_of_sorted(ordered, rank)
    return found


def _reaches(count: int, rank: float) -> bool:
    """Whether so many values can tell a percentile: P90 takes ten, P99 a hundred."""
    return count * min(rank, 100.0 - rank) >= 100.0 - 1e-9 or rank == 50.0


def percentile_name(rank: float) -> str:
    """The statistic's name of a rank: ``p99``, ``p99.9``."""
    return f"p{rank:g}"


def percentile_of_sorted(ordered: Floats, rank: float) -> float:
    """One percentile of sorted known values by linear interpolation.

    **Shapes**: at least one value. **Raises**: ``ValueError`` for a rank outside 0 to 100.
    """
    if not 0.0 <= rank <= 100.0:
        raise ValueError(f"A percentile of rank {rank} was asked for; accepted: 0 to 100.")
    place = (ordered.size - 1) * (rank / 100.0)
    low = int(place)
    high = min(low + 1, ordered.size - 1)
    share = place - low
    return float(ordered[low] + (ordered[high] - ordered[low]) * share)


def succeeded(samples: Samples) -> NDArray[np.bool_] | None:
    """Which requests did not fail; ``None`` where the samples hold no requests.

    A request of which nobody says whether it failed counts as one that did not.
    """
    columns = samples.requests
    if not columns:
        return None
    ok = columns.get("ok")
    if ok is None:
        return np.ones(next(iter(columns.values())).size, dtype=np.bool_)
    return np.asarray(ok != 0.0, dtype=np.bool_)


def derive_columns(samples: Samples) -> Samples:
    """The samples with latencies of successful requests alone, and with what follows from them.

    ``tpot_ms`` is (e2el - ttft) / (output tokens - 1) and unknown for one token or none;
    ``e2el_ms`` is ttft + tpot x (output tokens - 1) where only those are given. A TTFT of exactly
    0 of a request without output is a placeholder of the tool, no measurement.
    """
    good = succeeded(samples)
    if good is None:
        return samples
    columns = dict(samples.requests)
    for name in REQUEST_METRICS:
        if name in columns:
            columns[name] = np.where(good, columns[name], np.nan)
    output, ttft = columns.get("output_tokens"), columns.get("ttft_ms")
    if output is not None and ttft is not None:
        columns["ttft_ms"] = ttft = np.where((ttft == 0.0) & (output == 0.0), np.nan, ttft)
        gaps = np.where(output > 1.0, output - 1.0, np.nan)
        if "tpot_ms" not in columns and "e2el_ms" in columns:
            columns["tpot_ms"] = (columns["e2el_ms"] - ttft) / gaps
        elif "e2el_ms" not in columns and "tpot_ms" in columns:
            columns["e2el_ms"] = np.where(output == 1.0, ttft, ttft + columns["tpot_ms"] * gaps)
    return replace(samples, requests=columns)


def metric_samples(samples: Samples, metric: str) -> Floats | None:
    """The known values of one metric from samples with derived columns; ``None`` where none is.

    **Shapes**: one value a request, a gap or a repeat, in no stated order of time.
    """
    for columns, names in (
        (samples.requests, REQUEST_METRICS),
        (samples.pooled, POOLED_METRICS),
    ):
        for column, found in names.items():
            if found == metric and column in columns:
                return _known(columns[column])
    repeats = samples.repeats.get(metric)
    return None if repeats is None else _known(repeats)


def _known(values: Floats) -> Floats | None:
    known = values[np.isfinite(values)]
    return known if known.size else None


def summarise(
    samples: Samples,
    *,
    percentiles: Sequence[float] = PERCENTILES,
    reported: Iterable[Measurement] = (),
) -> list[Measurement]:
    """Measurements made again from samples: requests, pooled gaps and repeats.

    ``reported`` are the run's measurements as the tool wrote them: their definition holds for the
    samples as well, unless it weighs by tokens what the samples hold by requests; else the first
    definition of the metric does.
    **Raises**: ``KeyError`` for repeats of a metric that ``METRICS`` does not hold.
    """
    definitions = {
        one.metric: one.definition
        for one in reversed(tuple(reported))
        if one.definition not in _OVER_TOKENS
    }
    full = derive_columns(samples)
    found = []
    for columns, names, place in (
        (full.requests, REQUEST_METRICS, "requests"),
        (full.pooled, POOLED_METRICS, "pooled"),
    ):
        for column, metric in names.items():
            if column in columns:
                stats = statistics_of(columns[column], percentiles=percentiles)
                found.append((metric, stats, f"samples.{place}.{column}"))
    for metric, values in full.repeats.items():
        stats = statistics_of(values, percentiles=percentiles, ddof=1)
        found.append((metric, stats, f"samples.repeats.{metric}"))
    return [
        Measurement(
            metric=metric,
            definition=definitions.get(metric, METRICS[metric].definitions[0]),
            stats=stats,
            pointer=pointer,
            percentile_method=METHOD,
        )
        for metric, stats, pointer in found
        if stats is not None
    ]
