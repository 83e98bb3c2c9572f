"""Metrics: name, unit, direction, and the definitions that go under one name.

**Source**: what each tool's code computes, as listed in docs/benchmark-metrics.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Unit(StrEnum):
    """Canonical units; a number is stored in its metric's unit alone."""

    MILLISECONDS = "ms"
    SECONDS = "s"
    REQUESTS_PER_SECOND = "req/s"
    TOKENS_PER_SECOND = "tok/s"
    TOKENS_PER_SECOND_PER_GPU = "tok/s/gpu"
    TOKENS_PER_SECOND_PER_USER = "tok/s/user"
    REQUESTS = "requests"
    BYTES = "bytes"
    WATTS = "W"
    JOULES = "J"
    TOKENS = "tokens"
    FRACTION = "fraction"


class Direction(StrEnum):
    """Which way is better; NEITHER where that depends."""

    LOWER = "lower"
    HIGHER = "higher"
    NEITHER = "neither"


class Family(StrEnum):
    """Kinds of measurement that never share an axis."""

    SERVING = "serving"
    OFFLINE = "offline"
    MICROBENCH = "microbench"
    RESOURCE = "resource"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. ``definitions`` are identifiers; the first is what most tools mean."""

    name: str
    unit: Unit
    direction: Direction
    family: Family
    definitions: tuple[str, ...]


def _metric(
    name: str, unit: Unit, direction: Direction, family: Family, *definitions: str
) -> tuple[str, Metric]:
    full = tuple(f"{name}/{one}" for one in definitions)
    return name, Metric(name, unit, direction, family, full)


_MS, _S = Unit.MILLISECONDS, Unit.SECONDS
_RPS, _TPS = Unit.REQUESTS_PER_SECOND, Unit.TOKENS_PER_SECOND
_PER_GPU, _PER_USER = Unit.TOKENS_PER_SECOND_PER_GPU, Unit.TOKENS_PER_SECOND_PER_USER
_LOWER, _HIGHER, _NEITHER = Direction.LOWER, Direction.HIGHER, Direction.NEITHER
# Whose requests and tokens a rate counts.
_COUNTED = ("successful", "all", "reported")
_SERVING, _OFFLINE, _MICRO = Family.SERVING, Family.OFFLINE, Family.MICROBENCH

METRICS: Mapping[str, Metric] = dict(
    (
        # First chunk with or without text, first token with text, or the server's own clock.
        _metric(
            "ttft",
            _MS,
            _LOWER,
            _SERVING,
            "first-chunk",
            "first-output",
            "non-streaming",
            "unstated",
        ),
        # Per request (e2el - ttft) / (n_out - 1); statistics over requests or over tokens.
        _metric("tpot", _MS, _LOWER, _SERVING, "request", "token", "unstated"),
        # Gaps between chunks, between tokens, or with 0 for further tokens of one chunk.
        _metric("itl", _MS, _LOWER, _SERVING, "chunk", "token", "token-zero-filled"),
        # e2el / n_out: the first token's wait is inside. Over requests or over tokens.
        _metric("ntpot", _MS, _LOWER, _SERVING, "request", "token"),
        _metric("decode_time_per_output_token", _MS, _LOWER, _SERVING, "last-first-over-n"),
        _metric("e2el", _MS, _LOWER, _SERVING, "client", "batch-query"),
        _metric("ttst", _MS, _LOWER, _SERVING, "second-chunk"),
        _metric("queue_time", _MS, _LOWER, _SERVING, "client", "server"),
        _metric("request_throughput", _RPS, _HIGHER, _SERVING, "successful", "all", "reported"),
        _metric(
            "output_token_throughput", _TPS, _HIGHER, _SERVING, "successful", "all", "reported"
        ),
        _metric("input_token_throughput", _TPS, _HIGHER, _SERVING, "successful", "all", "reported"),
        _metric("total_token_throughput", _TPS, _HIGHER, _SERVING, "successful", "all", "reported"),
        _metric("goodput", _RPS, _HIGHER, _SERVING, "successful"),
        _metric("goodput_fraction", Unit.FRACTION, _HIGHER, _SERVING, "successful"),
        _metric("output_token_throughput_per_gpu", _PER_GPU, _HIGHER, _SERVING, "reported"),
        _metric("input_token_throughput_per_gpu", _PER_GPU, _HIGHER, _SERVING, "reported"),
        _metric("total_token_throughput_per_gpu", _PER_GPU, _HIGHER, _SERVING, "reported"),
        # A table's "tokens per second per GPU" that does not say which tokens it counts.
        _metric("token_throughput_per_gpu", _PER_GPU, _HIGHER, _SERVING, "unstated"),
        _metric("token_throughput", _TPS, _HIGHER, _SERVING, "unstated"),
        # 1 / tpot of each request, or output tokens by the whole time of each request.
        _metric(
            "output_token_throughput_per_user",
            _PER_USER,
            _HIGHER,
            _SERVING,
            "inverse-tpot",
            "inverse-tpot-of-percentile",
            "whole-request",
        ),
        _metric("output_token_throughput_per_request", _TPS, _HIGHER, _SERVING, "whole-request"),
        _metric("peak_output_token_throughput", _TPS, _HIGHER, _SERVING, "one-second"),
        _metric("achieved_concurrency", Unit.REQUESTS, _NEITHER, _SERVING, "mean-in-flight"),
        _metric("peak_concurrency", Unit.REQUESTS, _NEITHER, _SERVING, "one-second", "in-flight"),
        _metric("prefill_throughput", _TPS, _HIGHER, _MICRO, "prompt-tokens", "first-tokens"),
        _metric("decode_throughput", _TPS, _HIGHER, _MICRO, "generated-tokens"),
        _metric("mixed_throughput", _TPS, _HIGHER, _MICRO, "prompt-and-generated-tokens"),
        _metric("prefill_latency", _MS, _LOWER, _OFFLINE, "batch"),
        _metric("decode_latency", _MS, _LOWER, _OFFLINE, "batch"),
        _metric("decode_step_latency", _MS, _LOWER, _OFFLINE, "step"),
        _metric("batch_latency", _S, _LOWER, _OFFLINE, "batch"),
        _metric("model_load_time", _S, _LOWER, Family.RESOURCE, "reported"),
        _metric("cold_start_time", _S, _LOWER, Family.RESOURCE, "reported"),
        _metric("warm_start_time", _S, _LOWER, Family.RESOURCE, "reported"),
        _metric("peak_gpu_memory", Unit.BYTES, _LOWER, Family.RESOURCE, "reported"),
        _metric("peak_host_memory", Unit.BYTES, _LOWER, Family.RESOURCE, "reported"),
        _metric("kv_cache_usage", Unit.FRACTION, _NEITHER, Family.RESOURCE, "reported"),
        _metric("avg_power", Unit.WATTS, _LOWER, Family.RESOURCE, "reported"),
        _metric("energy", Unit.JOULES, _LOWER, Family.RESOURCE, "reported"),
        _metric("accept_length", Unit.TOKENS, _HIGHER, _SERVING, "reported"),
    )
)

STATS = (
    "value", "mean", "std", "min", "max", "p0.1", "p1", "p5", "p10", "p25", "p50", "p60", "p70",
    "p75", "p80", "p90", "p95", "p97", "p99", "p99.9", "count", "sum",
)  # fmt: skip
# Any other percentile that a tool writes is kept under "p<number>"; these are its plain forms.
PERCENTILE_METHODS = ("linear", "nearest_rank", "weighted_cdf", "unknown")


def is_stat(name: str) -> bool:
    """Whether a name is a statistic: one of ``STATS`` or any other percentile from p0 to p100."""
    if name in STATS:
        return True
    head, number = name[:1], name[1:]
    return head == "p" and number.replace(".", "", 1).isdigit() and 0 <= float(number) <= 100
