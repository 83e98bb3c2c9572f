"""InferenceX (InferenceMAX): aggregated rows of single-node, multi-node and agentic runs.

**Units**: the rows hold seconds without a suffix. **Source**: interactivity is 1 / TPOT; in rows of
fixed lengths its P99 belongs to the slow tail, in older agentic rows to the fast one.
"""

import math
from collections.abc import Mapping

from benchmarks_app.contract import (
    Counts,
    FileReading,
    FileRole,
    Importer,
    Load,
    Measurement,
    Notice,
    RunReading,
    Tokens,
)
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.inferencex_subject import HARDWARE, read_subject
from benchmarks_app.importers.taking import measure, non_finite_notices
from benchmarks_app.reading.distributions import scale, take_affixed, take_distribution
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.private import part_private

TOOL = "inferencex"
_IDENTITY = ("framework", "precision", "model", "conc")
_LATENCIES = {
    "ttft": ("ttft", "first-chunk"), "e2el": ("e2el", "client"), "tpot": ("tpot", "request")
}  # fmt: skip
_PER_GPU = {
    "tput_per_gpu": "total_token_throughput_per_gpu",
    "output_tput_per_gpu": "output_token_throughput_per_gpu",
    "input_tput_per_gpu": "input_token_throughput_per_gpu",
}
_TOTALS = {
    "total_tput_tps": "total_token_throughput",
    "output_tput_tps": "output_token_throughput",
    "input_tput_tps": "input_token_throughput",
}


def _recognises(document: Document) -> str | None:
    value = document.value
    if document.kind is not Kind.JSON:
        return None
    rows = _listed(value)
    if rows and all(_is_row(one) for one in rows):
        return "inferencex.agg_array"
    if _is_row(value):
        return "inferencex.agg"
    return "inferencex.run_stats" if _is_run_stats(value) else None


def _listed(value: object) -> list[object]:
    """The rows of a list, or of one that stands beside the evaluations of a sweep."""
    rows = value.get("benchmarks") if isinstance(value, dict) else value
    return rows if isinstance(rows, list) else []


def _is_row(value: object) -> bool:
    if not isinstance(value, dict) or not all(name in value for name in _IDENTITY):
        return False
    if not any(name in value for name in HARDWARE):
        return False
    return "infmax_model_prefix" in value or "tput_per_gpu" in value


def _is_run_stats(value: object) -> bool:
    counted = [v for v in value.values() if isinstance(v, dict)] if isinstance(value, dict) else []
    return bool(counted) and all({"n_success", "total"} <= set(one) for one in counted)


def _read(document: Document, found: str) -> FileReading:
    value = document.value
    if found == "inferencex.run_stats":
        return FileReading(
            found, TOOL, FileRole.REJECTED, unmapped=Fields(value).rest(),
            reason="Counts of finished jobs by hardware hold no measurement; send the aggregated "
            "rows (agg_*.json).",
        )  # fmt: skip
    if found == "inferencex.agg":
        return FileReading(found, TOOL, FileRole.RUNS, runs=(_read_row(Fields(value), 0),))
    beside = Fields(value)
    beside.ignore("benchmarks")
    place = "$" if isinstance(value, list) else "$.benchmarks"
    runs = tuple(_read_row(Fields(row, f"{place}[{i}]"), i) for i, row in enumerate(_listed(value)))
    kept, withheld = part_private(beside.rest())
    return FileReading(
        found, TOOL, FileRole.RUNS, runs=runs, unmapped=kept, withheld=withheld
    )  # fmt: skip


def _read_row(row: Fields, index: int) -> RunReading:
    is_agentic = str(row.peek("scenario_type") or "").startswith("agentic")
    facts, notices = read_subject(row)
    requests = _requests(row)
    nested = row.child("request_metrics")
    metrics = _latencies(row, nested.child("latency")) if requests.completed != 0 else ()
    if metrics and not any("p50" in one.stats for one in metrics):
        notices.append(Notice("no_median"))
    if requests.completed is None:
        notices.append(Notice("no_request_count"))
    if requests.completed == 0:
        notices.append(Notice("all_requests_failed"))
    metrics = (*metrics, *_throughputs(row, nested.child("throughput")), *_power(row))
    load, tokens = _load(row, nested.child("tokens"), is_agentic), _tokens(row, nested)
    failures = _failures(row)
    kept, withheld = part_private(row.rest())
    return RunReading(
        index=index, status=_status(requests), pointer=row.pointer, facts=facts, load=load,
        requests=requests, tokens=tokens, metrics=metrics, failures=failures,
        notices=(Notice("no_date"), *notices, *non_finite_notices(row)), unmapped=kept,
        withheld=withheld,
    )  # fmt: skip


def _status(requests: Counts) -> RunStatus:
    if requests.completed == 0:
        return RunStatus.FAILED
    total = requests.total
    is_short = total is not None and requests.completed is not None and requests.completed < total
    return RunStatus.PARTIAL if requests.failed or is_short else RunStatus.OK


def _requests(row: Fields) -> Counts:
    completed = row.integer("num_requests_successful")
    outcome = row.child("benchmark_outcome")
    if completed is None and "completed" in outcome:
        return Counts(
            total=outcome.integer("requested"),
            completed=outcome.integer("completed"),
            failed=outcome.integer("failed"),
        )
    accounting = row.child("request_accounting")
    failed = accounting.integer("records_error_dropped")
    if failed is not None and completed is not None:
        # The stated total counts requests of the warm-up as well.
        return Counts(total=completed + failed, completed=completed, failed=failed)
    return Counts(total=row.integer("num_requests_total"), completed=completed, failed=failed)


def _failures(row: Fields) -> dict[str, int]:
    kinds = row.child("request_accounting").child("error_categories")
    found = {name: kinds.integer(name) for name in kinds.value}
    return {name: count for name, count in found.items() if count is not None}


def _load(row: Fields, lengths: Fields, is_agentic: bool) -> Load:
    sent = row.number("mean_input_tokens")
    received = row.number("mean_output_tokens_actual")
    return Load(
        mode=LoadMode.REPLAY if is_agentic else LoadMode.CLOSED_LOOP,
        max_concurrency=row.integer("conc"),
        isl_target=row.number("isl"),
        osl_target=row.number("osl"),
        isl_mean=lengths.child("input").number("mean") if sent is None else sent,
        osl_mean=lengths.child("output_actual").number("mean") if received is None else received,
    )


def _tokens(row: Fields, nested: Fields) -> Tokens:
    duration = row.number("duration_seconds")
    if duration is None:
        duration = nested.child("throughput").number("duration_seconds")
    return Tokens(
        input_total=row.integer("total_prompt_tokens"),
        output_total=row.integer("total_generation_tokens"),
        duration_s=duration or None,
    )


def _latencies(row: Fields, nested: Fields) -> tuple[Measurement, ...]:
    """Latencies of flat keys (``p99_ttft``) or of objects by name (``ttft.p95``)."""
    found: list[Measurement] = []
    seconds: dict[str, Mapping[str, float]] = {}
    for name, (metric, definition) in _LATENCIES.items():
        stats, place = _take(row, nested, name)
        seconds[name] = stats
        found += _milliseconds(metric, definition, stats, place)
    gaps, place = _take(row, nested, "itl")
    # Agentic rows write the time per token of each request under both names.
    if gaps != seconds["tpot"]:
        found += _milliseconds("itl", "chunk", gaps, place)
    return (*found, *_interactivity(row, nested, seconds["tpot"]))


def _take(
    row: Fields, nested: Fields, name: str, *, skip: tuple[str, ...] = ()
) -> tuple[dict[str, float], str]:
    stats = take_affixed(row, f"_{name}", skip=skip)
    if stats:
        return stats, row.place(f"mean_{name}")
    inner = nested.child(name)
    return take_distribution(inner, skip=skip), inner.pointer


def _milliseconds(
    metric: str, definition: str, stats: Mapping[str, float], place: str
) -> tuple[Measurement, ...]:
    scaled = {stat: scale(value, 1000) for stat, value in stats.items()}
    finite = {stat: value for stat, value in scaled.items() if value is not None}
    return measure(metric, finite, pointer=place, definition=definition, method="linear")


def _interactivity(
    row: Fields, nested: Fields, tpot: Mapping[str, float]
) -> tuple[Measurement, ...]:
    """Tokens per second and user. Where each value is the inverse of the same statistic of TPOT,
    its percentiles run backwards and a deviation has no meaning; that one stays unmapped."""
    stats, place = _take(row, nested, "intvty", skip=("std",))
    shared = [stat for stat in stats if tpot.get(stat, 0) > 0]
    backwards = bool(shared) and all(
        math.isclose(stats[stat], 1 / tpot[stat], rel_tol=1e-3) for stat in shared
    )
    if not backwards:
        stats |= _take(row, nested, "intvty")[0]
    return measure(
        "output_token_throughput_per_user", stats, pointer=place, method="linear",
        definition="inverse-tpot-of-percentile" if backwards else "inverse-tpot",
    )  # fmt: skip


def _throughputs(row: Fields, nested: Fields) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    per_gpu = nested.child("per_gpu")
    for name, metric in _PER_GPU.items():
        inner_name = "total_tput_tps" if name == "tput_per_gpu" else name.replace("per_gpu", "tps")
        found += _rate((row, name), (per_gpu, inner_name), metric, "reported")
    for name, metric in _TOTALS.items():
        side = nested.child(name.removesuffix("_tput_tps"))
        found += _rate((row, name), (side, "tokens_per_second"), metric, "successful")
    return tuple(found)


def _rate(
    first: tuple[Fields, str], second: tuple[Fields, str], metric: str, definition: str
) -> tuple[Measurement, ...]:
    for fields, name in (first, second):
        value = fields.number(name)
        if value is not None:
            return measure(
                metric, {"value": value}, pointer=fields.place(name), definition=definition
            )
    return ()


def _power(row: Fields) -> tuple[Measurement, ...]:
    """Power and energy where the row itself calls its telemetry valid."""
    if row.peek("power_valid") not in (None, 1, True):
        return ()
    found: list[Measurement] = []
    for name, metric, basis in (
        ("avg_total_gpu_power_w", "avg_power", "all devices"),
        ("avg_power_w", "avg_power", "one device"),
        ("total_gpu_energy_j", "energy", "all devices"),
    ):
        value = row.number(name)
        if value is not None:
            found += measure(metric, {"value": value}, pointer=row.place(name), basis=basis)
    return tuple(found)


IMPORTER = Importer(
    tool=TOOL,
    formats=("inferencex.agg", "inferencex.agg_array", "inferencex.run_stats"),
    recognises=_recognises,
    read=_read,
)
