"""What a llm-d Benchmark Report observed of engines while they served: memory, power, starts."""

from collections.abc import Collection

from benchmarks_app.contract import Measurement
from benchmarks_app.importers.taking import measure
from benchmarks_app.reading.distributions import take_distribution
from benchmarks_app.reading.fields import Fields

_BYTES = {
    "bytes": 1.0, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
}  # fmt: skip
_PORTION = {"percent": 0.01, "fraction": 1.0}
_SECONDS = {"s": 1.0, "ms": 0.001}


def take_observed(observed: Fields, labels: Collection[str]) -> tuple[Measurement, ...]:
    """Measurements by component; ``labels`` are the components that the report describes.

    Further observations stay unmapped.
    """
    found: list[Measurement] = []
    for part in observed.children("components"):
        label = part.peek("component_label")
        basis = label if isinstance(label, str) and label in labels else ""
        usage = part.child("aggregate")
        found += _peak(usage.child("gpu_memory_usage"), basis)
        found += _scaled(usage.child("kv_cache_usage"), "kv_cache_usage", _PORTION, basis)
        found += _scaled(usage.child("power_consumption"), "avg_power", {"Watts": 1.0}, basis)
    starts = observed.child("pod_startup_times")
    found += _scaled(starts.child("aggregate"), "cold_start_time", _SECONDS, "pod")
    _hide_names(observed)
    return tuple(found)


def _hide_names(observed: Fields) -> None:
    """Withholds the names of pods, nodes and deployments of somebody's cluster."""
    for pod in observed.child("pod_startup_times").children("pods"):
        pod.withhold("name", "node")
    replicas = observed.child("replica_status")
    for moment in (replicas, *replicas.children("time_series")):
        moment.withhold("namespace")
        for controller in moment.children("controllers"):
            controller.withhold("name")


def _scaled(
    inner: Fields, metric: str, units: dict[str, float], basis: str
) -> tuple[Measurement, ...]:
    factor = units.get(str(inner.peek("units")))
    if factor is None:
        return ()
    inner.take("units")
    stats = take_distribution(inner, factor=factor)
    return measure(metric, stats, pointer=inner.pointer, basis=basis)


def _peak(inner: Fields, basis: str) -> tuple[Measurement, ...]:
    """The greatest use of memory; the rest of its distribution is no peak and stays unmapped."""
    factor, most = _BYTES.get(str(inner.peek("units"))), inner.peek("max")
    if factor is None or most is None:
        return ()
    value = inner.number("max")
    if value is None:
        return ()
    pointer = inner.place("max")
    return measure(
        "peak_gpu_memory", {"value": value * factor}, pointer=pointer, basis=basis or "device"
    )  # fmt: skip
