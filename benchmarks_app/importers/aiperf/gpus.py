"""Reads the GPU telemetry that AIPerf scraped: names, power, memory of each GPU of the node.

The exporter sees every GPU of a node, used or not, so their number is not the number used.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks_app.contract import Fact, Measurement
from benchmarks_app.importers.nvidia_tables import Telemetry
from benchmarks_app.reading.fields import Fields

# Metric of the exporter → canonical metric, statistic, and the factor from each of its units.
_POWER = ("avg_power", "avg", {"W": 1.0})
_ENERGY = ("energy", "avg", {"MJ": 1e6, "J": 1.0, "mJ": 1e-3})
_MEMORY = ("peak_gpu_memory", "max", {"GB": 1e9, "MB": 1e6, "MiB": 2.0**20, "GiB": 2.0**30})
_KNOWN: Mapping[str, tuple[str, str, Mapping[str, float]]] = {
    "gpu_power_usage": _POWER,
    "energy_consumption": _ENERGY,
    "gpu_memory_used": _MEMORY,
    "gpu power usage": _POWER,
    "energy consumption": _ENERGY,
    "gpu memory used": _MEMORY,
}


@dataclass(frozen=True, slots=True)
class Gpus:
    """What telemetry says; hosts and serial numbers are withheld by place."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    metrics: tuple[Measurement, ...] = ()
    unmapped: Mapping[str, object] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()


def read_gpus(telemetry: Fields) -> Gpus:
    """The GPUs of ``telemetry_data``; marks what holds host names as withheld."""
    names: list[str] = []
    metrics: list[Measurement] = []
    endpoints = telemetry.peek("endpoints")
    for host in endpoints.values() if isinstance(endpoints, dict) else ():
        gpus = host.get("gpus") if isinstance(host, dict) else None
        for label, gpu in gpus.items() if isinstance(gpus, dict) else ():
            one = Fields(gpu, f"{telemetry.place('endpoints')}[…].gpus.{label}")
            name = one.text("gpu_name")
            names += [name] if name else []
            measured = one.child("metrics")
            for key in measured.value:
                metrics += _measure(key, measured.child(key), basis=f"device {label}")
    # The keys of the endpoints are addresses, so their places must not be shown either.
    telemetry.withhold("endpoints", "error_summary")
    telemetry.child("summary").withhold(
        "endpoints_configured", "endpoints_tested", "endpoints_successful"
    )
    return Gpus(_name_fact(names, telemetry.place("endpoints")), tuple(metrics))


def read_gpu_rows(rows: Sequence[Telemetry]) -> Gpus:
    """The GPUs of the third table of the CSV summary."""
    names: list[str] = []
    metrics: list[Measurement] = []
    withheld: list[str] = []
    unmapped: dict[str, object] = {}
    for row in rows:
        place = f"line {row.row.line}"
        name, index = row.columns.get("GPU_Name", "").strip(), row.columns.get("GPU_Index", "")
        names += [name] if name else []
        withheld += [f"{place}, Endpoint", f"{place}, GPU_UUID"]
        printed, _, unit = row.columns.get("Metric", "").rpartition(" (")
        stats = {key: value for key, value in row.columns.items() if value.strip()}
        one = Fields({**stats, "unit": unit.rstrip(")")}, place)
        found = _measure(printed.strip().lower(), one, basis=f"device gpu_{index}")
        metrics += found
        if not found:
            hidden = ("Endpoint", "GPU_UUID", "unit")
            unmapped[place] = {k: v for k, v in stats.items() if k not in hidden}
    return Gpus(_name_fact(names, "GPU_Name"), tuple(metrics), unmapped, tuple(withheld))


def _measure(key: str, one: Fields, *, basis: str) -> list[Measurement]:
    known = _KNOWN.get(key)
    unit = one.peek("unit")
    scale = known[2].get(unit) if known and isinstance(unit, str) else None
    value = one.number_text(known[1]) if known and scale is not None else None
    if known is None or scale is None or value is None:
        return []
    stats = {"value": value * scale}
    return [Measurement(known[0], f"{known[0]}/reported", stats, one.pointer, basis)]


def _name_fact(names: Iterable[str], pointer: str) -> dict[str, Fact]:
    """The name of the GPUs where all have the same."""
    kinds = sorted(set(names))
    return {"accelerator.name": Fact(kinds[0], pointer=pointer)} if len(kinds) == 1 else {}
