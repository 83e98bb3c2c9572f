"""How measured runs near an answer are shown."""

from dataclasses import dataclass
from datetime import date

from matrix.domain.catalogue import Catalogue
from matrix.domain.measured import MeasuredRun
from matrix.pages.links import node_name

_SHOWN_METRICS = (
    ("output_token_throughput_tok_s", "tok/s"),
    ("output_token_throughput_mean_tok_s", "tok/s"),
    ("ttft_p95_ms", "ms"),
    ("ttft_p50_ms", "ms"),
    ("ttft_mean_ms", "ms"),
    ("tpot_p50_ms", "ms"),
    ("tpot_mean_ms", "ms"),
)
_MOST_METRICS = 3


@dataclass(frozen=True, slots=True)
class RunLine:
    """One measured run near the answer."""

    label: str
    url: str
    what: str
    is_exact: bool
    is_performance: bool
    distance: str
    metrics: str
    measured_on: date | None


def run_line(catalogue: Catalogue, run: MeasuredRun) -> RunLine:
    """A run with what it is of, how it differs, and the values that say most."""
    hardware = node_name(catalogue, "hardware", run.hardware)
    devices = f"{run.hardware_count} × {hardware}" if run.hardware_count else hardware
    parts = (
        f"{node_name(catalogue, 'framework', run.framework)} {run.version}".strip(),
        node_name(catalogue, "model", run.model),
        node_name(catalogue, "quantization", run.quantization),
        devices,
    )
    metrics = [
        f"{name.removesuffix('_tok_s').removesuffix('_ms')} {run.metrics[name]:,.1f} {unit}"
        for name, unit in _SHOWN_METRICS
        if name in run.metrics
    ]
    return RunLine(
        label=run.label,
        url=run.url,
        what=" · ".join(part for part in parts if part),
        is_exact=run.is_exact,
        is_performance=run.is_performance,
        distance="; ".join(run.distance),
        metrics=", ".join(metrics[:_MOST_METRICS]),
        measured_on=run.measured_on,
    )
