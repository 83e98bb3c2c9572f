"""Maps a report of trtllm-bench, as written by --report_json or rebuilt from its console text.

**Source**: the reports of TensorRT-LLM 0.16 to 1.3; see docs/benchmark-formats.md.
"""

from collections.abc import Mapping

from benchmarks_app.contract import (
    Counts,
    Fact,
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
    take_integers,
    take_settings,
    take_stats,
    take_texts,
)
from benchmarks_app.reading.fields import Fields
from matrix.domain.redaction import mask_text

SECTIONS = ("engine", "world_info", "request_info", "performance")
STATS: Mapping[str, str] = {
    "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "p99.9": "p999",
    "min": "minimum", "max": "maximum", "mean": "average",
}  # fmt: skip
_RANK = "nearest_rank"
# All requests handed over at once are "issued" within nanoseconds.
_UNBOUNDED_RATE = 1e9
# Tokens that arrive together make gaps of microseconds; no engine decodes so far below its median.
_OUTLIER_SHARE = 0.01
# Null without drafting; there is no metric for them yet, so they stay with what is not mapped.
_DRAFTS = (
    "num_draft_tokens_percentiles", "num_accepted_draft_tokens_percentiles",
    "draft_acceptance_rate_percentiles",
)  # fmt: skip
_NOT_STATED = frozenset({"none", "null", "n/a", ""})


def is_report(value: object) -> bool:
    """Whether a value has the sections of a report."""
    if not isinstance(value, dict):
        return False
    return all(isinstance(value.get(name), dict) for name in SECTIONS)


def read_report(
    value: object,
    *,
    index: int = 0,
    pointer: str = "$",
    facts: Mapping[str, Fact] | None = None,
    notices: tuple[Notice, ...] = (),
) -> RunReading:
    """The run of one report; ``facts`` and ``notices`` are what its console text adds."""
    report = Fields(value, pointer)
    stated = {"tool.name": Fact("trtllm-bench"), "framework.name": Fact("TensorRT-LLM")}
    stated |= _engine(report.child("engine")) | _machine(report.child("machine"))
    stated |= _world(report.child("world_info"))
    streaming = report.child("streaming_metrics")
    stated["load.streaming"] = Fact("streaming_metrics" in report, pointer=streaming.pointer)
    load, load_facts, load_notices = _load(report)
    performance = report.child("performance")
    duration_ms = performance.number("total_latency_ms")
    metrics = (
        *_latencies(performance, streaming),
        *_rates(performance, streaming),
        *_concurrency(report.child("request_info")),
        *_decoding(report.child("decoding_stats"), stated),
        *_energy(report.child("energy")),
    )
    stated |= load_facts | dict(facts or {})
    return RunReading(
        index=index,
        status=_status(load.num_prompts, metrics),
        pointer=pointer,
        facts=stated,
        load=load,
        requests=Counts(total=load.num_prompts, completed=load.num_prompts),
        tokens=Tokens(duration_s=None if duration_ms is None else duration_ms / 1000),
        metrics=metrics,
        notices=(
            *(() if "run.finished_at_local" in stated else (Notice("no_date", pointer=pointer),)),
            *load_notices,
            *_outliers(metrics),
            *notices,
            *non_finite_notices(report),
        ),
        unmapped=report.rest(),
    )


def _status(num_prompts: int | None, metrics: tuple[Measurement, ...]) -> RunStatus:
    if num_prompts == 0:
        return RunStatus.FAILED
    return RunStatus.OK if metrics else RunStatus.SUSPECT


def _engine(engine: Fields) -> dict[str, Fact]:
    names = {
        "model.id": "model",
        "model.revision": "revision",
        "framework.version": "version",
        "framework.backend": "backend",
        "dtype": "dtype",
        "quantization.weights": "quantization",
        "quantization.kv_cache": "kv_cache_dtype",
    }
    found = take_texts(engine, names)
    return {name: fact for name, fact in found.items() if _is_stated(fact.value)}


def _is_stated(value: object) -> bool:
    return str(value).strip().lower() not in _NOT_STATED


def _machine(machine: Fields) -> dict[str, Fact]:
    facts = take_texts(machine, {"accelerator.name": "name"})
    memory = machine.number("memory.total")
    if memory:
        place = machine.place("memory.total")
        facts["accelerator.memory_gib"] = Fact(memory, pointer=place)
    return facts


def _world(world: Fields) -> dict[str, Fact]:
    names = {
        "parallelism.tp": "tp_size",
        "parallelism.pp": "pp_size",
        "parallelism.ep": "ep_size",
        "accelerator.count": "world_size",
    }
    # -1 is what stands for "not set"; it stays with what is not mapped.
    return take_integers(world, {f: n for f, n in names.items() if world.peek(n) != -1})


def _load(report: Fields) -> tuple[Load, dict[str, Fact], tuple[Notice, ...]]:
    engine, world = report.child("engine"), report.child("world_info")
    requests, dataset = report.child("request_info"), report.child("dataset")
    extra = take_settings(world, ("scheduling_policy", "kv_cache_percentage"))
    extra |= take_settings(engine, ("max_input_length", "max_sequence_length"))
    extra |= _paths(engine, ("model_path", "engine_dir"))
    extra |= _lengths(dataset)
    facts: dict[str, Fact] = {}
    path = _paths(dataset, ("dataset_path",)).get("dataset_path")
    if path is not None:
        facts["load.dataset"] = Fact(path, pointer=dataset.place("dataset_path"))
    notices: tuple[Notice, ...] = ()
    rate = world.number("issue_rate")
    is_unbounded = rate is not None and rate >= _UNBOUNDED_RATE
    if is_unbounded:
        notices = (Notice("issue_rate_is_unbounded", pointer=world.place("issue_rate")),)
    elif rate is not None:
        extra["issue_rate"] = rate  # What was observed; what was asked for is not in the report.
    load = Load(
        mode=LoadMode.BURST if is_unbounded else None,
        request_rate_unbounded=True if is_unbounded else None,
        num_prompts=requests.integer("num_requests"),
        isl_mean=requests.number("avg_input_length"),
        osl_mean=requests.number("avg_output_length"),
        max_batch_size=world.integer("max_batch_size"),
        max_num_tokens=world.integer("max_num_tokens"),
        extra=extra,
    )
    return load, facts, notices


def _paths(fields: Fields, names: tuple[str, ...]) -> dict[str, Scalar]:
    """Paths without the names of people; "None" is what the tool writes for no path."""
    found = take_settings(fields, names)
    return {n: mask_text(str(path)).text for n, path in found.items() if _is_stated(path)}


def _lengths(dataset: Fields) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for stats, name in (("isl_stats", "isl"), ("osl_stats", "osl"), ("seq_len_stats", "seq_len")):
        inner = dataset.child(stats)
        found |= {f"{name}_{stat}": value for stat, value in take_stats(inner, STATS).items()}
    plain = ("max_isl", "max_osl", "max_sequence_length", "avg_isl", "avg_osl",
             "avg_sequence_length", "num_requests")  # fmt: skip
    settings = take_settings(dataset, plain)
    return found | {f"dataset_{name}": value for name, value in settings.items()}


def _latencies(performance: Fields, streaming: Fields) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    for metric, fields, block, mean in (
        ("ttft", streaming, "ttft_percentiles", "avg_ttft_ms"),
        ("tpot", streaming, "tpot_percentiles", "avg_tpot_ms"),
        ("e2el", performance, "request_latency_percentiles_ms", "avg_request_latency_ms"),
    ):
        inner = fields.child(block)
        stats = take_stats(inner, STATS)
        alone = fields.number(mean)
        if alone is not None:
            stats.setdefault("mean", alone)
        found += measure(metric, stats, pointer=inner.pointer, method=_RANK)
    return tuple(found)


def _rates(performance: Fields, streaming: Fields) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    for metric, name in (
        ("request_throughput", "request_throughput_req_s"),
        ("output_token_throughput", "system_output_throughput_tok_s"),
        ("total_token_throughput", "system_total_throughput_tok_s"),
        ("output_token_throughput_per_gpu", "output_throughput_per_gpu_tok_s"),
    ):
        value = performance.number(name)
        if value is not None:
            found += measure(metric, {"value": value}, pointer=performance.place(name))
    generating = streaming.child("gen_tps_percentiles")
    stats = take_stats(generating, STATS)
    speed = streaming.number("token_output_speed_tok_s")
    if speed is not None:
        stats.setdefault("mean", speed)
    metric = "output_token_throughput_per_user"
    found += measure(
        metric, stats, pointer=generating.pointer, definition="inverse-tpot", method=_RANK
    )
    whole = performance.number("output_throughput_per_user_tok_s")
    if whole is not None:
        found += measure(
            metric,
            {"mean": whole},
            pointer=performance.place("output_throughput_per_user_tok_s"),
            definition="whole-request",
        )
    return tuple(found)


def _concurrency(requests: Fields) -> tuple[Measurement, ...]:
    name = "avg_num_concurrent_requests"
    value = requests.number(name)
    if value is None:
        return ()
    return measure("achieved_concurrency", {"value": value}, pointer=requests.place(name))


def _decoding(decoding: Fields, facts: dict[str, Fact]) -> tuple[Measurement, ...]:
    facts |= take_texts(decoding, {"spec_decoding": "mode"})
    for name in _DRAFTS:
        decoding.child(name)
    accepted = decoding.child("acceptance_length_percentiles")
    stats = take_stats(accepted, STATS)
    return measure("accept_length", stats, pointer=accepted.pointer, method=_RANK)


def _energy(energy: Fields) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    for metric, name in (("energy", "total_energy_j"), ("avg_power", "average_gpu_power")):
        value = energy.number(name)
        if value is not None:
            found += measure(metric, {"value": value}, pointer=energy.place(name))
    return tuple(found)


def _outliers(metrics: tuple[Measurement, ...]) -> tuple[Notice, ...]:
    tpot = next((one for one in metrics if one.metric == "tpot"), None)
    if tpot is None or not {"min", "p50"} <= set(tpot.stats):
        return ()
    if 0 <= tpot.stats["min"] < tpot.stats["p50"] * _OUTLIER_SHARE:
        return (Notice("outlier_tpot_min", pointer=tpot.pointer),)
    return ()
