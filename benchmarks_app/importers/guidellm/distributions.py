"""Reads GuideLLM's distributions into statistics.

**Units**: ``request_latency`` in seconds, everything called ``_ms`` in milliseconds. Latencies of
0.2 and 0.3 are over requests; since 0.4 those between tokens weigh each request by its tokens.
What is called time per output token left the first token's wait out until 0.3, and has it since.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks_app.contract import Measurement
from benchmarks_app.reading.fields import Fields, is_number


@dataclass(frozen=True, slots=True)
class Source:
    """One distribution of latencies and what it means."""

    key: str
    metric: str
    definition: str
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Rate:
    """One distribution over time, of which only the mean is comparable."""

    key: str
    metric: str
    definition: str


_SHARED = (
    Source("request_latency", "e2el", "client", 1000.0),
    Source("time_to_first_token_ms", "ttft", "first-output"),
)
OLD_SOURCES: tuple[Source, ...] = (
    *_SHARED,
    Source("inter_token_latency_ms", "tpot", "request"),
    Source("time_per_output_token_ms", "decode_time_per_output_token", "last-first-over-n"),
)
NEW_SOURCES: tuple[Source, ...] = (
    *_SHARED,
    Source("inter_token_latency_ms", "tpot", "token"),
    Source("time_per_output_token_ms", "ntpot", "token"),
)
RATES: tuple[Rate, ...] = (
    Rate("requests_per_second", "request_throughput", "successful"),
    Rate("output_tokens_per_second", "output_token_throughput", "successful"),
    # Before 0.7 these are means over time in which prompts count at one instant.
    Rate("prompt_tokens_per_second", "input_token_throughput", "reported"),
    Rate("tokens_per_second", "total_token_throughput", "reported"),
    Rate("request_concurrency", "achieved_concurrency", "mean-in-flight"),
)
_PLAIN: Mapping[str, str] = {
    "mean": "mean", "std_dev": "std", "min": "min", "max": "max", "count": "count",
    "total_sum": "sum",
}  # fmt: skip
PERCENTILE_NAMES: Mapping[str, str] = {
    "p001": "p0.1", "p01": "p1", "p05": "p5", "p10": "p10", "p25": "p25", "p50": "p50",
    "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p99.9",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Distributions:
    """The measurements of the successful requests of a run, and what was odd about them."""

    metrics: tuple[Measurement, ...]
    zeros_dropped: bool
    median_for_p50: bool


def read_distributions(objects: Mapping[str, Fields], sources: tuple[Source, ...]) -> Distributions:
    """``objects`` holds each distribution of successful requests by its key.

    A distribution of no value is written as zeros; it is absent here and stays in the rest.
    """
    found: list[Measurement] = []
    zeros, median = False, False
    for source in sources:
        one = objects.get(source.key)
        if one is None or not one.value:
            continue
        if _is_nothing(one):
            zeros = True
            continue
        percentiles = one.child("percentiles")
        median = median or ("median" in one and "p50" not in percentiles)
        stats = _stats(one, percentiles, source.scale)
        found += _measurement(source, stats, one.pointer)
    for rate in RATES:
        one = objects.get(rate.key)
        value = one.number("mean") if one else None
        if one is not None and value is not None:
            definition = f"{rate.metric}/{rate.definition}"
            found.append(Measurement(rate.metric, definition, {"value": value}, one.pointer))
    return Distributions(tuple(found), zeros, median)


def _is_nothing(one: Fields) -> bool:
    """Whether nothing was measured: no values, or nothing but zeros, which no latency is."""
    return one.peek("count") == 0 or (one.peek("mean") == 0 and one.peek("max") == 0)


def _stats(one: Fields, percentiles: Fields, scale: float) -> dict[str, float]:
    read = {name: one.number(key) for key, name in _PLAIN.items()}
    read |= {name: percentiles.number(key) for key, name in PERCENTILE_NAMES.items()}
    if read["p50"] is None:
        read["p50"] = one.number("median")
    elif one.peek("median") == percentiles.peek("p50"):
        one.ignore("median")
    scaled = {
        name: value if name == "count" else value * scale
        for name, value in read.items()
        if value is not None
    }
    return {name: value for name, value in scaled.items() if is_number(value)}


def _measurement(source: Source, stats: dict[str, float], pointer: str) -> list[Measurement]:
    if not stats:
        return []
    return [
        Measurement(
            metric=source.metric,
            definition=f"{source.metric}/{source.definition}",
            stats=stats,
            pointer=pointer,
            percentile_method="weighted_cdf",
        )
    ]
