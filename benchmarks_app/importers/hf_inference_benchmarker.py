"""Hugging Face's inference-benchmarker: one JSON with a result for each load step.

**Source**: the fields that the tool's source writes; no published file was at hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks_app.contract import (
    Counts,
    Fact,
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
from benchmarks_app.importers.taking import (
    Scalar,
    measure,
    non_finite_notices,
    take_settings,
    take_stats,
    take_texts,
)
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields
from matrix.domain.redaction import mask_text

_TOOL = "hf_inference_benchmarker"
_FORMAT = "hf_inference_benchmarker"
_STATS: Mapping[str, str] = {
    "p50": "p50", "p60": "p60", "p70": "p70", "p80": "p80", "p90": "p90", "p95": "p95",
    "p99": "p99", "mean": "avg",
}  # fmt: skip
# What the tool calls inter token latency is (e2e - ttft) / (tokens - 1) of each request.
_LATENCIES = (
    ("ttft", "time_to_first_token_ms"),
    ("tpot", "inter_token_latency_ms"),
    ("e2el", "e2e_latency_ms"),
)
_RATES = (
    ("request_throughput", "request_rate"),
    ("output_token_throughput", "token_throughput_secs"),
)
_WARMUP = "warmup"
_SETTINGS = (
    "benchmark_kind", "warmup_duration_secs", "rates", "num_rates", "max_vus", "duration_secs",
    "dataset_file",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the report says of all of its results."""

    facts: Mapping[str, Fact]
    lengths: Mapping[str, Scalar]
    settings: Mapping[str, Scalar]
    identity: str


def recognises(document: Document) -> str | None:
    """The format of a report of inference-benchmarker."""
    value = document.value
    if document.kind is not Kind.JSON or not isinstance(value, dict):
        return None
    results = value.get("results")
    if not isinstance(value.get("config"), dict) or not isinstance(results, list) or not results:
        return None
    first = results[0]
    needed = ("executor_type", "time_to_first_token_ms", "token_throughput_secs")
    return _FORMAT if isinstance(first, dict) and all(n in first for n in needed) else None


def read(document: Document, found: str) -> FileReading:
    """A run for each load step; the warm-up is kept apart and is none."""
    report = Fields(document.value)
    config = report.child("config")
    shared = _Shared(
        facts=_facts(report, config),
        lengths=_lengths(config),
        settings=take_settings(config, _SETTINGS),
        identity=config.text("run_id") or "",
    )
    runs: list[RunReading] = []
    warmups: dict[str, object] = {}
    for result in report.children("results"):
        if result.peek("id") == _WARMUP:
            warmups[result.pointer] = dict(result.value)
            result.ignore(*result.value)
            continue
        runs.append(_run(result, len(runs), shared))
    config.withhold("url", "api_key", "hf_token")
    report.child("system").withhold("hostname")
    if not runs:
        return FileReading(
            format=found,
            tool=_TOOL,
            role=FileRole.REJECTED,
            reason="The file holds the warm-up alone and no result; send the report of a run that "
            "ended.",
        )
    notices = tuple(Notice("warmup_excluded", pointer=place) for place in warmups)
    return FileReading(
        format=found,
        tool=_TOOL,
        role=FileRole.RUNS,
        runs=tuple(runs),
        notices=(*notices, *non_finite_notices(report)),
        unmapped={**report.rest(), **warmups},
        withheld=report.withheld(),
    )


def _facts(report: Fields, config: Fields) -> dict[str, Fact]:
    facts = {"tool.name": Fact("inference-benchmarker")}
    facts |= take_texts(report, {"run.started_at": "start_time", "run.finished_at": "end_time"})
    facts |= take_texts(
        config,
        {
            "model.id": "model_name",
            "tokenizer.id": "tokenizer",
            "scenario": "profile",
            "load.dataset": "dataset",
        },
    )
    meta = config.child("meta")
    for name, value in take_settings(meta, tuple(meta.value)).items():
        shown = mask_text(value).text if isinstance(value, str) else value
        facts[f"user_meta.{name}"] = Fact(shown, pointer=meta.place(name))
    system = report.child("system")
    # The machine that sent the requests, which need not be the one that served them.
    parts = take_settings(system, ("os_name", "os_version", "kernel", "memory"))
    processors = system.peek("cpu")
    if isinstance(processors, list) and all(isinstance(one, str) for one in processors):
        system.take("cpu")
        parts["cpu"] = ", ".join(dict.fromkeys(processors))
    if parts:
        words = "; ".join(f"{name} {value}" for name, value in parts.items())
        facts["environment"] = Fact(f"client: {words}", pointer=system.pointer)
    return facts


def _lengths(config: Fields) -> dict[str, Scalar]:
    """Prompt and output lengths that were asked for, under ``prompt_`` and ``decode_``."""
    found: dict[str, Scalar] = {}
    for name, prefix in (("prompt_options", "prompt"), ("decode_options", "decode")):
        options = config.child(name)
        names = ("num_tokens", "min_tokens", "max_tokens", "variance")
        found |= {f"{prefix}_{k}": v for k, v in take_settings(options, names).items()}
    return found


def _run(result: Fields, index: int, shared: _Shared) -> RunReading:
    counts = Counts(
        total=result.integer("total_requests"),
        completed=result.integer("successful_requests"),
        failed=result.integer("failed_requests"),
    )
    duration_ms = result.number("duration_ms")
    load = _load(result, shared)
    metrics = _metrics(result, has_completed=counts.completed != 0)
    notices: list[Notice] = []
    if counts.completed == 0:
        notices.append(Notice("all_requests_failed", pointer=result.pointer))
    name = result.text("id")
    return RunReading(
        index=index,
        status=_status(counts, metrics),
        pointer=result.pointer,
        facts=shared.facts,
        load=load,
        requests=counts,
        tokens=Tokens(
            input_total=result.integer("total_tokens_sent"),
            output_total=result.integer("total_tokens"),
            duration_s=None if duration_ms is None else duration_ms / 1000,
        ),
        metrics=metrics,
        notices=tuple(notices),
        identity="/".join(part for part in (shared.identity, name) if part),
    )


def _status(counts: Counts, metrics: tuple[Measurement, ...]) -> RunStatus:
    if counts.completed == 0:
        return RunStatus.FAILED
    if counts.failed:
        return RunStatus.PARTIAL
    return RunStatus.OK if metrics else RunStatus.SUSPECT


def _load(result: Fields, shared: _Shared) -> Load:
    config = result.child("config")
    kind = (result.text("executor_type") or "").lower().replace("_", "")
    mode = None
    if "vus" in kind:
        mode = LoadMode.CLOSED_LOOP
    elif "arrivalrate" in kind:
        mode = LoadMode.OPEN_LOOP
    targets = {
        name: shared.lengths.get(name) for name in ("prompt_num_tokens", "decode_num_tokens")
    }
    isl, osl = (float(v) if isinstance(v, (int, float)) else None for v in targets.values())
    return Load(
        mode=mode,
        request_rate=config.number("rate"),
        max_concurrency=config.integer("max_vus"),
        duration_target_s=config.number("duration_secs"),
        isl_target=isl,
        osl_target=osl,
        extra={
            **shared.settings,
            **{n: v for n, v in shared.lengths.items() if n not in targets},
        },
    )


def _metrics(result: Fields, *, has_completed: bool) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    for metric, name in _LATENCIES:
        inner = result.child(name)
        stats = take_stats(inner, _STATS)
        if has_completed:  # Else the zeros stand for times that nobody measured.
            found += measure(metric, stats, pointer=inner.pointer, method="linear")
    for metric, name in _RATES:
        value = result.number(name)
        if value is not None and has_completed:
            found += measure(metric, {"value": value}, pointer=result.place(name))
    return tuple(found)


IMPORTER = Importer(tool=_TOOL, formats=(_FORMAT,), recognises=recognises, read=read)
