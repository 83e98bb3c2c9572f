"""Reads SGLang's ``bench_one_batch``, ``bench_one_batch_server`` and offline throughput.

**Units**: the tools write seconds and tokens per second, rounded to two to four digits.
"""

from benchmarks_app.contract import Counts, Fact, Load, Measurement, Notice, RunReading, Tokens
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.serving_stats import one_value, read_values
from benchmarks_app.importers.sglang.server_info import server_facts
from benchmarks_app.reading.fields import Fields
from matrix.domain.redaction import mask_text

_BATCH_RATES = (
    ("overall_throughput", "total_token_throughput/all"),
    ("input_throughput", "prefill_throughput/prompt-tokens"),
    ("prefill_throughput", "prefill_throughput/prompt-tokens"),
    ("decode_throughput", "decode_throughput/generated-tokens"),
    ("median_decode_throughput", "decode_throughput/generated-tokens"),
    ("acc_length", "accept_length/reported"),
)
_OFFLINE_RATES = (
    ("request_throughput", "request_throughput/all"),
    ("input_throughput", "input_token_throughput/all"),
    ("output_throughput", "output_token_throughput/all"),
    ("total_throughput", "total_token_throughput/all"),
    ("accept_length", "accept_length/reported"),
)
_MILLISECONDS = 1000.0


def read_one_batch(value: object, *, index: int, pointer: str) -> RunReading:
    """One fixed batch, sent whole and awaited."""
    fields = Fields(value, pointer)
    served = "prefill_latency" not in fields
    tool = "sglang.bench_one_batch_server" if served else "sglang.bench_one_batch"
    facts = {"tool.name": Fact(tool)}
    name = fields.text("run_name")
    if name:
        facts["user_meta.run_name"] = Fact(mask_text(name).text, pointer=fields.place("run_name"))
    about_server, about_model = server_facts(fields)
    facts.update(about_server)
    load = Load(
        mode=LoadMode.BURST if served else LoadMode.MICROBENCH,
        batch_size=fields.integer("batch_size"),
        isl_target=fields.number("input_len"),
        osl_target=fields.number("output_len"),
    )
    found = [
        *_timed(fields, "latency", "batch_latency/batch", 1.0),
        *_timed(fields, "total_latency", "batch_latency/batch", 1.0),
        *_timed(fields, "last_ttft", "ttft/first-output", _MILLISECONDS),
        *_timed(fields, "prefill_latency", "prefill_latency/batch", _MILLISECONDS),
        *_timed(fields, "median_decode_latency", "decode_step_latency/step", _MILLISECONDS, "p50"),
        *_rates(fields),
    ]
    return _run(fields, index, facts=facts, load=load, metrics=found, notices=list(about_model))


def read_offline(value: object, *, index: int, pointer: str) -> RunReading:
    """A whole dataset handed to the engine."""
    fields = Fields(value, pointer)
    facts = {"tool.name": Fact("sglang.bench_offline_throughput")}
    backend = fields.text("backend")
    if backend:
        facts["client.backend"] = Fact(backend, pointer=fields.place("backend"))
    completed = fields.integer("successful_requests")
    tokens = Tokens(
        input_total=fields.integer("total_input_tokens"),
        output_total=fields.integer("total_output_tokens"),
        duration_s=fields.number("total_latency"),
    )
    metrics = list(read_values(fields, _OFFLINE_RATES))
    return _run(
        fields, index, facts=facts, load=Load(mode=LoadMode.OFFLINE_BATCH), metrics=metrics,
        notices=[], tokens=tokens, requests=Counts(completed=completed),
    )  # fmt: skip


def _timed(
    fields: Fields, key: str, definition: str, scale: float, stat: str = "value"
) -> list[Measurement]:
    """A time; zero and less say that it was not measured and stay in the rest."""
    value = fields.peek(key)
    if isinstance(value, (int, float)) and value <= 0:
        return []
    number = fields.number(key)
    if number is None:
        return []
    metric = definition.partition("/")[0]
    return [Measurement(metric, definition, {stat: number * scale}, fields.place(key))]


def _rates(fields: Fields) -> list[Measurement]:
    """The rates that were measured; the tools write -1 where a server does not tell.

    The output rate leaves the prefill out since the tool times it, and counted the whole before.
    """
    split = "input_throughput" in fields
    whole = "decode_throughput/generated-tokens" if split else "output_token_throughput/all"
    found: dict[str, Measurement] = {}
    for key, definition in (("output_throughput", whole), *_BATCH_RATES):
        value = fields.peek(key)
        if isinstance(value, (int, float)) and value <= 0:
            continue
        if definition in found and fields.peek(key) is not None:
            continue
        number = fields.number(key)
        if number is not None:
            found[definition] = one_value(definition, number, fields.place(key))
    return list(found.values())


def _run(
    fields: Fields,
    index: int,
    *,
    facts: dict[str, Fact],
    load: Load,
    metrics: list[Measurement],
    notices: list[Notice],
    tokens: Tokens = Tokens(),  # noqa: B008 - frozen
    requests: Counts = Counts(),  # noqa: B008 - frozen
) -> RunReading:
    if "model.id" not in facts:
        notices.append(Notice("no_model"))
    notices += [Notice("no_date"), Notice("rounded_values")]
    if requests.completed is not None:
        notices[-1] = Notice("total_requests_unknown")
    notices += [Notice("non_finite_value", one, pointer=one) for one in fields.all_non_finite()]
    failed = not metrics or requests.completed == 0
    return RunReading(
        index=index,
        status=RunStatus.FAILED if failed else RunStatus.OK,
        pointer=fields.pointer,
        facts=facts,
        load=load,
        requests=requests,
        tokens=tokens,
        metrics=tuple(metrics),
        notices=tuple(notices),
        unmapped=fields.rest(),
        withheld=fields.withheld(),
    )
