"""Reads ``vllm bench throughput``, ``latency`` and ``startup``: an engine without a server.

**Units**: the tool writes seconds; ``tokens_per_second`` counts input and output tokens.
"""

from collections.abc import Mapping

from benchmarks_app.contract import (
    Counts,
    Fact,
    Floats,
    Load,
    Measurement,
    Notice,
    RunReading,
    Samples,
    Tokens,
)
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.model_identity import model_facts, tokenizer_fact
from benchmarks_app.importers.serving_stats import read_values, stat_name
from benchmarks_app.importers.vllm.extras import extra_facts
from benchmarks_app.importers.vllm.serve import read_local_date, read_settings
from benchmarks_app.reading.fields import Fields

_THROUGHPUT = (
    ("requests_per_second", "request_throughput/all"),
    ("tokens_per_second", "total_token_throughput/all"),
    ("output_tokens_per_second", "output_token_throughput/all"),
)
_STARTUPS = (("cold", "cold_start_time"), ("warm", "warm_start_time"))


def read_throughput(value: object, *, index: int, pointer: str) -> RunReading:
    """One run of ``vllm bench throughput``, which ends by an error or completes everything."""
    fields = Fields(value, pointer)
    facts, notices = _identity(fields, "vllm bench throughput")
    prompts = fields.integer("num_requests")
    metrics = read_values(fields, _THROUGHPUT)
    tokens = Tokens(
        input_total=fields.integer("total_input_tokens"),
        output_total=fields.integer("total_output_tokens"),
        duration_s=fields.number("elapsed_time"),
    )
    load = Load(
        mode=LoadMode.OFFLINE_BATCH,
        num_prompts=prompts,
        extra=read_settings(fields, ("total_num_tokens",)),
    )
    return _run(
        fields, index, facts=facts, notices=notices, load=load, metrics=metrics, tokens=tokens,
        requests=Counts(total=prompts, completed=prompts),
    )  # fmt: skip


def read_latency(value: object, *, index: int, pointer: str) -> RunReading:
    """One run of ``vllm bench latency``: the time of a whole batch, repeated."""
    fields = Fields(value, pointer)
    facts, notices = _identity(fields, "vllm bench latency")
    repeats = fields.numbers("latencies")
    stats = _stats(fields, "avg_latency", "percentiles", repeats)
    metrics: tuple[Measurement, ...] = ()
    if stats:
        place = fields.place("avg_latency")
        metrics = (_linear("batch_latency", "batch_latency/batch", stats, place),)
    samples = None
    if repeats is not None and repeats.size:
        samples = Samples(repeats={"batch_latency": repeats})
    return _run(
        fields, index, facts=facts, notices=notices, load=Load(mode=LoadMode.OFFLINE_BATCH),
        metrics=metrics, samples=samples,
    )  # fmt: skip


def read_startup(value: object, *, index: int, pointer: str) -> RunReading:
    """One run of ``vllm bench startup``; compilation times have no metric and stay unmapped."""
    fields = Fields(value, pointer)
    facts, notices = _identity(fields, "vllm bench startup", lengths=False)
    metrics, repeats = [], {}
    for phase, metric in _STARTUPS:
        times = fields.numbers(f"{phase}_startup_times")
        average = f"avg_{phase}_startup_time"
        stats = _stats(fields, average, f"{phase}_startup_percentiles", times)
        if stats:
            place = fields.place(average)
            metrics.append(_linear(metric, f"{metric}/reported", stats, place))
        if times is not None and times.size:
            repeats[metric] = times
    return _run(
        fields, index, facts=facts, notices=notices, load=Load(), metrics=tuple(metrics),
        samples=Samples(repeats=repeats) if repeats else None,
    )  # fmt: skip


def _stats(
    fields: Fields, average: str, percentiles: str, values: Floats | None
) -> dict[str, float]:
    """The mean, percentiles under keys such as ``"10"``, and how many values there were."""
    stats: dict[str, float] = {}
    mean = fields.number(average)
    if mean is not None:
        stats["mean"] = mean
    inner = fields.child(percentiles)
    for key in inner.value:
        stat = stat_name(f"p{key}")
        number = inner.number(key) if stat else None
        if stat and number is not None:
            stats[stat] = number
    if stats and values is not None and values.size:
        stats["count"] = float(values.size)
    return stats


def _linear(metric: str, definition: str, stats: Mapping[str, float], place: str) -> Measurement:
    return Measurement(metric, definition, stats, place, percentile_method="linear")


def _identity(
    fields: Fields, tool: str, *, lengths: bool = True
) -> tuple[dict[str, Fact], list[Notice]]:
    """Tool, model and date where newer versions write them."""
    facts = {"tool.name": Fact(tool)}
    notices: list[Notice] = []
    model = fields.text("model_id")
    if model:
        named, about = model_facts(model, fields.place("model_id"))
        facts.update(named)
        notices += about
    else:
        notices.append(Notice("no_model"))
    if lengths:
        # Input and output lengths and the batch size stand nowhere in the file.
        notices.append(Notice("load_only_in_filename"))
    tokenizer = fields.text("tokenizer_id")
    if tokenizer:
        facts["tokenizer.id"] = tokenizer_fact(tokenizer, fields.place("tokenizer_id"))
    backend = fields.text("backend")
    if backend:
        facts["client.backend"] = Fact(backend, pointer=fields.place("backend"))
    finished = read_local_date(fields)
    if finished:
        facts["run.finished_at_local"] = Fact(finished, pointer=fields.place("date"))
    return facts, notices


def _run(
    fields: Fields,
    index: int,
    *,
    facts: dict[str, Fact],
    notices: list[Notice],
    load: Load,
    metrics: tuple[Measurement, ...],
    tokens: Tokens = Tokens(),  # noqa: B008 - frozen
    requests: Counts = Counts(),  # noqa: B008 - frozen
    samples: Samples | None = None,
) -> RunReading:
    facts.update(extra_facts(fields))
    notices += [Notice("non_finite_value", one, pointer=one) for one in fields.all_non_finite()]
    return RunReading(
        index=index,
        status=RunStatus.OK if metrics else RunStatus.FAILED,
        pointer=fields.pointer,
        facts=facts,
        load=load,
        requests=requests,
        tokens=tokens,
        metrics=metrics,
        samples=samples,
        notices=tuple(notices),
        unmapped=fields.rest(),
        withheld=fields.withheld(),
    )
