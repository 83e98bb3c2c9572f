"""Maps optimum-benchmark's report: one run with its phases load, prefill, decode, per token.

**Source**: reports of optimum-benchmark 0.2 to 0.6; see docs/benchmark-formats.md.
"""

from collections.abc import Mapping

from benchmarks_app.contract import Floats, Measurement, Samples
from benchmarks_app.importers.taking import measure, scale_column, take_stats
from benchmarks_app.reading.fields import Fields

PHASES = ("load_model", "load", "prefill", "decode", "per_token", "forward", "generate", "call")
_STATS: Mapping[str, str] = {
    "mean": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "std": "stdev",
    "count": "count", "sum": "total",
}  # fmt: skip
_MS_PER_S = 1000.0
_BYTES_PER_MB = 1e6
_J_PER_KWH = 3.6e6
# Metric of a phase's latency, with its unit by the second.
_LATENCIES: Mapping[str, tuple[str, float]] = {
    "prefill": ("prefill_latency", _MS_PER_S),
    "decode": ("decode_latency", _MS_PER_S),
    "per_token": ("decode_step_latency", _MS_PER_S),
    # Whole calls of models that do not decode; ``basis`` says which.
    "forward": ("batch_latency", 1.0),
    "generate": ("batch_latency", 1.0),
    "call": ("batch_latency", 1.0),
}
_RATES = {"prefill": "prefill_throughput", "decode": "decode_throughput"}
# What each field counts; the process's own memory comes last and is what most people ask for.
_MEMORY = (
    ("peak_host_memory", "max_ram", "process"),
    ("peak_gpu_memory", "max_global_vram", "device"),
    ("peak_gpu_memory", "max_reserved", "reserved"),
    ("peak_gpu_memory", "max_allocated", "allocated"),
    ("peak_gpu_memory", "max_process_vram", "process"),
)


def is_report(value: object) -> bool:
    """Whether a value is a report: phases, each with a latency and its unit."""
    if not isinstance(value, dict):
        return False
    phases = [value.get(name) for name in PHASES if isinstance(value.get(name), dict)]
    return any(_has_latency(phase) for phase in phases)


def read_report(report: Fields) -> tuple[tuple[Measurement, ...], Samples | None]:
    """The measurements of all phases, and what was measured one by one."""
    metrics: list[Measurement] = []
    repeats: dict[str, Floats] = {}
    for name in PHASES:
        phase = report.child(name)
        metrics += _latency(name, phase, repeats)
        metrics += _rate(name, phase)
        metrics += _energy(name, phase)
        phase.child("efficiency")
    metrics += _memory(report)
    return tuple(metrics), Samples(repeats=repeats) if repeats else None


def _has_latency(phase: object) -> bool:
    if not isinstance(phase, dict):
        return False
    latency = phase.get("latency")
    return isinstance(latency, dict) and latency.get("unit") == "s" and "mean" in latency


def _latency(name: str, phase: Fields, repeats: dict[str, Floats]) -> tuple[Measurement, ...]:
    latency = phase.child("latency")
    if latency.peek("unit") != "s":
        return ()
    if name in ("load_model", "load"):
        latency.take("unit")
        value = latency.number("mean")
        _ignore_repeated(latency)
        latency.ignore("values", "count", "total", "p50", "p90", "p95", "p99", "stdev")
        stats = {} if value is None else {"value": value}
        return measure("model_load_time", stats, pointer=latency.place("mean"))
    if name not in _LATENCIES:
        return ()
    metric, scale = _LATENCIES[name]
    latency.take("unit")
    stats = take_stats(latency, _STATS, scale=scale, skip=("count",))
    _ignore_repeated(latency)
    values = latency.numbers("values")
    if values is not None and values.size:
        repeats.setdefault(metric, scale_column(values, scale))
    basis = name if metric == "batch_latency" else ""
    return measure(metric, stats, pointer=latency.place("mean"), basis=basis, method="linear")


def _ignore_repeated(latency: Fields) -> None:
    """The spread in percent repeats the spread in seconds."""
    latency.ignore("stdev_", "stdev_%")


def _rate(name: str, phase: Fields) -> tuple[Measurement, ...]:
    rate = phase.child("throughput")
    # Samples a second are batches, not tokens; they stay in the rest.
    if name not in _RATES or rate.peek("unit") != "tokens/s":
        return ()
    rate.take("unit")
    value = rate.number("value")
    stats = {} if value is None else {"value": value}
    return measure(_RATES[name], stats, pointer=rate.place("value"))


def _energy(name: str, phase: Fields) -> tuple[Measurement, ...]:
    energy = phase.child("energy")
    if energy.peek("unit") != "kWh":
        return ()
    energy.take("unit")
    value = energy.number("total")
    stats = {} if value is None else {"value": value * _J_PER_KWH}
    return measure("energy", stats, pointer=energy.place("total"), basis=name)


def _memory(report: Fields) -> tuple[Measurement, ...]:
    """The peak over all phases, by what it counts."""
    found: list[Measurement] = []
    phases = [(name, report.child(name).child("memory")) for name in PHASES]
    phases = [(name, memory) for name, memory in phases if memory.peek("unit") == "MB"]
    for metric, field, basis in _MEMORY:
        peak, place = None, ""
        for _name, memory in phases:
            memory.take("unit")
            value = memory.number(field)
            if value is not None and (peak is None or value > peak):
                peak, place = value, memory.place(field)
        if peak is not None:
            # The tool divided whole bytes; rounding takes back what that left behind the comma.
            stats = {"value": round(peak * _BYTES_PER_MB, 0)}
            found += measure(metric, stats, pointer=place, basis=basis)
    return tuple(found)
