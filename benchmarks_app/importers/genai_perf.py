"""Reads GenAI-Perf's exported summary (JSON of 24.x and 0.0.16, CSV) and knows its raw exports.

**Source**: GenAI-Perf's JSON and CSV exporters. No version, no date and never an error count is
written; without streaming its time to first token is the whole latency and is no TTFT.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from benchmarks_app.contract import (
    Counts,
    Fact,
    FileReading,
    FileRole,
    Importer,
    Load,
    Notice,
    RunReading,
)
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.model_identity import model_facts, tokenizer_fact
from benchmarks_app.importers.nvidia_metrics import (
    GENAI_PERF_SOURCES,
    metric_objects,
    read_measurements,
    take_count,
    take_mean,
)
from benchmarks_app.importers.nvidia_tables import (
    is_summary_table,
    read_summary_tables,
    starts_with_high_percentiles,
)
from benchmarks_app.importers.taking import non_finite_notices, take_scalar
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields, is_number
from benchmarks_app.reading.private import part_private
from matrix.domain.phrases import Phrase

TOOL = "genai-perf"
_JSON, _CSV = "genai_perf.json", "genai_perf.csv"
_RAW, _CONSOLE = "genai_perf.profile_export", "genai_perf.console"
_AIPERF_KEYS = ("aiperf_version", "was_cancelled", "schema_version", "benchmark_id")
# Streaming in 24.11 and 24.12 gave answers five times as long as asked for; no server does that.
_TOO_LONG = 1.5


def recognise(document: Document) -> str | None:
    """The format of a GenAI-Perf file, or ``None``."""
    if document.kind is Kind.JSON and isinstance(document.value, dict):
        return _recognise_json(document.value)
    if document.kind is Kind.TEXT:
        text = document.text
        if is_summary_table(text) and starts_with_high_percentiles(text):
            return _CSV
        if "NVIDIA GenAI-Perf |" in text[:20000]:
            return _CONSOLE
    return None


def _recognise_json(value: Mapping[str, object]) -> str | None:
    if (
        "experiments" in value
        and "service_kind" in value
        and isinstance(value["experiments"], list)
    ):
        return _RAW
    if not isinstance(value.get("input_config"), dict) or any(k in value for k in _AIPERF_KEYS):
        return None
    measured = (value.get(key) for key in ("request_throughput", "request_latency"))
    known = any(isinstance(one, dict) and "unit" in one and "avg" in one for one in measured)
    return _JSON if known else None


def read(document: Document, form: str) -> FileReading:
    """The run of a summary; raw exports and console tables are kept as attachments."""
    if form == _RAW:
        return FileReading(
            format=form, tool=TOOL, role=FileRole.ATTACHMENT, completes=(TOOL,),
            reason="These are single requests with their prompts; send profile_export_genai_perf"
            ".json beside it for the run.",
            withheld=("$.experiments",),
        )  # fmt: skip
    if form == _CONSOLE:
        return FileReading(
            format=form, tool=TOOL, role=FileRole.ATTACHMENT, completes=(TOOL,),
            reason="This is console output with rounded values; send profile_export_genai_perf"
            ".json for the run.",
        )  # fmt: skip
    run = _read_json(document) if form == _JSON else _read_csv(document)
    return FileReading(format=form, tool=TOOL, role=FileRole.RUNS, runs=(run,))


def _read_json(document: Document) -> RunReading:
    report = Fields(document.value)
    objects = metric_objects(report)
    setup = _read_setup(report.child("input_config"))
    run = _read_run(objects, setup)
    notices = (*run.notices, *_missing_model(run), *non_finite_notices(report))
    unmapped, private = part_private(report.rest())
    withheld = (*report.withheld(), *private)
    return replace(run, notices=notices, unmapped=unmapped, withheld=withheld)


def _read_csv(document: Document) -> RunReading:
    tables = read_summary_tables(document.text)
    run = _read_run(tables.objects, _Setup())
    rest = {place: value for one in tables.objects.values() for place, value in one.rest().items()}
    notices = (Notice("rounded_values"), Notice("no_model"), *run.notices)
    return replace(run, notices=notices, unmapped={**rest, **tables.unmapped})


@dataclass(frozen=True, slots=True)
class _Setup:
    """What the settings inside the summary say."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    load: Load = field(default_factory=Load)
    notices: tuple[Notice, ...] = ()
    streaming: bool | None = None


def _read_run(objects: Mapping[str, Fields], setup: _Setup) -> RunReading:
    notices = [*setup.notices, Notice("no_date")]
    not_streaming = setup.streaming is False or _ttft_is_latency(objects)
    known = dict(objects)
    if not_streaming and known.pop("time_to_first_token", None) is not None:
        notices.append(Notice("ttft_dropped_not_streaming"))
    metrics = read_measurements(known, GENAI_PERF_SOURCES, as_text=True)
    if not metrics:
        raise ResultError(
            code="no-metrics",
            what=Phrase("The summary holds no metric with a known unit"),
            place="$",
            accepted=Phrase("a summary with request_latency or request_throughput"),
        )
    completed = take_count(objects, "request_count")
    if completed is None:
        notices.append(Notice("no_request_count"))
    load = replace(
        setup.load,
        isl_mean=take_mean(objects, "input_sequence_length"),
        osl_mean=take_mean(objects, "output_sequence_length"),
    )
    too_long = _osl_ratio(load)
    if too_long:
        notices.append(Notice("osl_differs_from_target", f"{too_long:.1f}x"))
    facts = {"tool.name": Fact(TOOL), **setup.facts}
    return RunReading(
        index=0,
        status=_status(completed, suspect=bool(too_long)),
        facts=facts,
        load=load,
        requests=Counts(completed=completed),
        metrics=metrics if completed != 0 else (),
        notices=tuple(notices),
    )


def _status(completed: int | None, *, suspect: bool) -> RunStatus:
    if completed == 0:
        return RunStatus.FAILED
    return RunStatus.SUSPECT if suspect else RunStatus.OK


def _missing_model(run: RunReading) -> tuple[Notice, ...]:
    return () if "model.id" in run.facts else (Notice("no_model"),)


def _osl_ratio(load: Load) -> float | None:
    if not load.osl_mean or not load.osl_target:
        return None
    ratio = load.osl_mean / load.osl_target
    return ratio if ratio >= _TOO_LONG else None


def _ttft_is_latency(objects: Mapping[str, Fields]) -> bool:
    """Whether both hold the same numbers, which only happens without streaming."""
    first, whole = objects.get("time_to_first_token"), objects.get("request_latency")
    if first is None or whole is None or "avg" not in first:
        return False
    return all(whole.peek(key) == value for key, value in first.value.items())


def _read_setup(config: Fields) -> _Setup:
    """The settings: one flat dump of the options in 24.x, nested since 0.0.16."""
    config.withhold("u", "url", "server_metrics_url", "server_metrics_urls", "header", "headers")
    # "input" holds headers and files, and is absent where the dump is flat.
    inputs = config.child("input")
    inputs.withhold("header", "headers")
    endpoint = config.child("endpoint")
    endpoint.withhold("url", "server_metrics_urls", "server_metrics_url", "api_key")
    names = "model_names" if "model_names" in config else "model"
    model, notices = _model(config, names)
    flat = endpoint.value == {}
    facts = {**model, **_client_facts(config if flat else endpoint, config)}
    streaming = (config if flat else endpoint).peek("streaming")
    load = _flat_load(config) if flat else _nested_load(config, inputs)
    seed = take_scalar(config if flat else inputs, "random_seed")
    if seed is not None:
        where = (config if flat else inputs).place("random_seed")
        facts["load.seed"] = Fact(seed, pointer=where)
    return _Setup(facts, load, notices, streaming if isinstance(streaming, bool) else None)


def _model(config: Fields, name: str) -> tuple[dict[str, Fact], tuple[Notice, ...]]:
    """The one model; several stay in the rest, because the numbers are those of all together."""
    value = config.peek(name)
    stated = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not isinstance(stated, str) or not stated.strip():
        return {}, ()
    config.take(name)
    config.ignore("formatted_model_name")
    return model_facts(stated.strip(), config.place(name))


def _client_facts(options: Fields, config: Fields) -> dict[str, Fact]:
    """Facts of the client. ``options`` holds the endpoint's options."""
    found: dict[str, Fact] = {}
    kind = options.text("service_kind")
    if kind:
        found["client.service_kind"] = Fact(kind, pointer=options.place("service_kind"))
    if kind == "triton":
        # Elsewhere the option stands at its default and says nothing of the server.
        backend = options.text("backend")
        if backend:
            found["framework.backend"] = Fact(backend, pointer=options.place("backend"))
    streaming = options.flag("streaming")
    if streaming is not None:
        found["load.streaming"] = Fact(streaming, pointer=options.place("streaming"))
    name = "type" if "type" in options else "endpoint_type"
    endpoint = options.text(name)
    if endpoint:
        found["client.backend"] = Fact(endpoint, pointer=options.place(name))
    found |= _tokenizer(config)
    return found


def _tokenizer(config: Fields) -> dict[str, Fact]:
    nested = isinstance(config.peek("tokenizer"), dict)
    holder, name = (config.child("tokenizer"), "name") if nested else (config, "tokenizer")
    stated = holder.text(name)
    return {"tokenizer.id": tokenizer_fact(stated, holder.place(name))} if stated else {}


def _flat_load(config: Fields) -> Load:
    return _load(
        concurrency=config.integer("concurrency"),
        rate=config.number("request_rate"),
        requests=_whole(config, "request_count"),
        isl=_positive(config, "synthetic_input_tokens_mean"),
        osl=_positive(config, "output_tokens_mean"),
        warmup=_whole(config, "warmup_request_count"),
        goodput=config,
    )


def _nested_load(config: Fields, inputs: Fields) -> Load:
    analyzer = config.child("perf_analyzer")
    stimulus = analyzer.child("stimulus")
    measurement = analyzer.child("measurement")
    requests = None
    if measurement.peek("mode") == "request_count":
        requests = _whole(measurement, "num")
    return _load(
        concurrency=stimulus.integer("concurrency"),
        rate=stimulus.number("request_rate"),
        requests=requests,
        isl=_positive(inputs.child("synthetic_tokens"), "mean"),
        osl=_positive(inputs.child("output_tokens"), "mean"),
        warmup=_whole(analyzer, "warmup_request_count"),
        goodput=inputs,
    )


def _positive(fields: Fields, name: str) -> float | None:
    """A length; -1 and 0 are the tool's "not set" and stay in the rest."""
    return fields.number(name) if _is_set(fields, name) else None


def _is_set(fields: Fields, name: str) -> bool:
    value = fields.peek(name)
    return is_number(value) and value > 0


def _whole(fields: Fields, name: str) -> int | None:
    """A number of requests; 0 is "not set" and stays in the rest."""
    return fields.integer(name) if _is_set(fields, name) else None


def _load(
    *,
    concurrency: int | None,
    rate: float | None,
    requests: int | None,
    isl: float | None,
    osl: float | None,
    warmup: int | None,
    goodput: Fields,
) -> Load:
    mode = None
    if rate is not None:
        mode = LoadMode.OPEN_LOOP
    elif concurrency:
        mode = LoadMode.CLOSED_LOOP
    return Load(
        mode=mode,
        request_rate=rate,
        max_concurrency=concurrency or None,
        num_prompts=requests or None,
        isl_target=isl,
        osl_target=osl,
        warmup=f"{warmup} requests" if warmup else None,
        slo=_slo(goodput),
    )


def _slo(fields: Fields) -> str | None:
    """The thresholds of goodput, as "name:milliseconds"."""
    value = fields.peek("goodput")
    if isinstance(value, dict) and value:
        fields.take("goodput")
        return " ".join(f"{name}:{limit}" for name, limit in sorted(value.items()))
    return fields.text("goodput")


IMPORTER = Importer(
    tool=TOOL, formats=(_JSON, _CSV, _RAW, _CONSOLE), recognises=recognise, read=read
)
