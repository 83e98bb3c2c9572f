"""What was measured, as the inner app sees it: runs near a cell and what they reach at an SLO."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True, slots=True)
class Slo:
    """Service-level objectives; ``None`` asks nothing.

    **Units**: latencies in milliseconds; ``share`` of requests that must meet all of them, 0 to 1;
    ``error_rate`` 0 to 1; ``request_rate_req_s`` the load to be carried.
    """

    ttft_ms: float | None = None
    tpot_ms: float | None = None
    e2el_ms: float | None = None
    share: float = 0.95
    error_rate: float | None = None
    request_rate_req_s: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    concurrency: int | None = None

    @property
    def asks_latency(self) -> bool:
        """Whether any latency is limited."""
        return any(v is not None for v in (self.ttft_ms, self.tpot_ms, self.e2el_ms))


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One benchmark run near a cell.

    ``reference`` is opaque (``benchmarks:run:<uid>``), ``digest`` that of its content. ``distance``
    names the axes on which it differs, in words for readers; empty for the cell itself.
    ``is_performance`` is off for published tables, demonstrations and stand-in servers: those are
    never used for a cost or an SLO. ``metrics`` by canonical name with unit and statistic
    (``ttft_p95_ms``, ``output_token_throughput_tok_s``). ``state`` is published, withdrawn or
    replaced, as the run stands now.
    **Dates**: ``measured_on`` is the day of the run, ``published_on`` that of its record here.
    """

    reference: str
    digest: str
    label: str
    url: str
    framework: str
    version: str
    model: str
    quantization: str
    hardware: str
    hardware_count: int | None
    run_class: str
    status: str
    is_performance: bool
    is_exact: bool
    distance: tuple[str, ...] = ()
    measured_on: date | None = None
    published_on: date | None = None
    load: str = ""
    grade: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)
    has_samples: bool = False
    state: str = "published"


@dataclass(frozen=True, slots=True)
class SloThroughput:
    """The best throughput that runs on a cell reached while meeting an SLO.

    ``low`` and ``high`` are an interval over runs or resampled requests; equal to ``None`` when
    there is one value only, and ``interval_of`` says which it is (``runs``, ``requests``, empty).
    ``why_unknown`` is a constant code when nothing is known: ``no-run``, ``no-samples``,
    ``slo-not-met``, ``not-performance``, ``no-column``, ``count-unknown``, ``other-load``,
    ``no-serving``. ``runs`` are those that the figure rests on, the one it is taken from first.
    ``marks`` are constant codes of what a reader must know: ``load-own-terms`` (no latency was
    limited), ``other-concurrency``, ``length-unknown``, ``features-not-stated``,
    ``some-runs-missed`` (a repetition at the same load did not meet the SLO). Beside
    ``slo-not-met`` they say that no run which missed it had the asked load.
    **Units**: tokens and requests per second of the whole deployment of ``hardware_count`` devices.
    """

    output_tok_s: float | None = None
    total_tok_s: float | None = None
    goodput_req_s: float | None = None
    attained_share: float | None = None
    low_output_tok_s: float | None = None
    high_output_tok_s: float | None = None
    interval_of: str = ""
    hardware: str = ""
    hardware_count: int | None = None
    runs: tuple[MeasuredRun, ...] = ()
    why_unknown: str = ""
    marks: tuple[str, ...] = ()
