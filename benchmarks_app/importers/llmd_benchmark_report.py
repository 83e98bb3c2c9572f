"""llm-d Benchmark Report 0.1, 0.2 and 0.2.1, as YAML or JSON.

**Units**: each distribution names its own; one in an unknown unit stays unmapped. **Source**: the
report carries figures of several load generators under one name, so that whose definition a
figure follows depends on the generator that it names.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

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
from benchmarks_app.importers.llmd_observed import take_observed
from benchmarks_app.importers.llmd_stack import take_scenario, take_stack
from benchmarks_app.importers.taking import measure, non_finite_notices
from benchmarks_app.reading.distributions import take_distribution
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields, is_number
from benchmarks_app.reading.private import part_private
from matrix.domain.redaction import mask_text

TOOL = "llmd_benchmark_report"
_FORMAT = "llmd_benchmark_report"
_SCHEMA = "json_schema"
_VERSIONS = frozenset({"0.1", "0.2", "0.2.1"})
_MS = {"s": 1000.0, "ms": 1.0, "s/token": 1000.0, "ms/token": 1.0}
_LATENCIES = {
    "time_to_first_token": ("ttft", "first-chunk"),
    "request_latency": ("e2el", "client"),
    "normalized_time_per_output_token": ("ntpot", "request"),
    "time_per_output_token": ("tpot", "request"),
    "inter_token_latency": ("itl", "chunk"),
}
# Generators that mean something else by a name than the report's schema.
_MEANT: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "aiperf": {"inter_token_latency": ("tpot", "request")},
    "guidellm": {
        "inter_token_latency": ("tpot", "token"),
        "time_per_output_token": ("ntpot", "token"),
    },
    "inference-perf": {"time_to_first_token": ("ttft", "first-output")},
}
_RATES = {
    "request_rate": "request_throughput", "requests_per_sec": "request_throughput",
    "output_token_rate": "output_token_throughput",
    "output_tokens_per_sec": "output_token_throughput",
    "input_token_rate": "input_token_throughput",
    "input_tokens_per_sec": "input_token_throughput",
    "total_token_rate": "total_token_throughput",
    "total_tokens_per_sec": "total_token_throughput",
}  # fmt: skip
# The generator that writes the report itself; it names itself in the identifier of the run.
_OWN_REPORTS = "inference-perf"
_LINEAR = frozenset({"inference-perf", "aiperf", "vllm-benchmark"})
_TITLE = re.compile(r"Benchmark ?Report")
_DURATION = re.compile(
    r"P(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_LATEST_S = 253_402_300_799  # the end of the year 9999


def _recognises(document: Document) -> str | None:
    value = document.value
    if document.kind not in (Kind.JSON, Kind.YAML) or not isinstance(value, dict):
        return None
    if "$defs" in value and _TITLE.match(str(value.get("title", ""))):
        return _SCHEMA
    if str(value.get("version")) not in _VERSIONS:
        return None
    results, metrics = value.get("results"), value.get("metrics")
    is_new = isinstance(value.get("run"), dict) and isinstance(results, dict)
    is_old = isinstance(value.get("scenario"), dict) and isinstance(metrics, dict)
    return _FORMAT if is_new or is_old else None


def _read(document: Document, found: str) -> FileReading:
    if found == _SCHEMA:
        return FileReading(
            found, TOOL, FileRole.REJECTED,
            reason="The file is the schema of the Benchmark Report and holds no run; send a report "
            "that follows it.",
        )  # fmt: skip
    report = Fields(document.value)
    run = _read_new(report) if "results" in report else _read_old(report)
    return FileReading(found, TOOL, FileRole.RUNS, runs=(run,))


def _read_new(report: Fields) -> RunReading:
    about, scenario = report.child("run"), report.child("scenario")
    performance = report.child("results").child("request_performance").child("aggregate")
    offered = scenario.child("load").child("standardized")
    identity = about.text("uid") or ""
    tool = offered.text("tool")
    if tool is None and identity.startswith(f"{_OWN_REPORTS}-"):
        tool = _OWN_REPORTS
    facts = {**_tool(tool, offered), **take_stack(scenario)}
    version = offered.text("tool_version")
    if version is not None:
        facts["tool.version"] = Fact(mask_text(version).text, pointer=offered.place("tool_version"))
    source = offered.text("source")
    if source is not None and source != "unknown":
        facts["load.dataset"] = Fact(source, pointer=offered.place("source"))
    facts |= _schema(report)
    times, duration = _new_times(about.child("time"))
    observed = report.child("results").child("observability")
    labels = [_label(one) for one in scenario.children("stack")]
    more = take_observed(observed, [label for label in labels if label])
    load = _new_load(offered)
    about.withhold(*(name for name in ("user",) if about.peek(name)))
    return _finish(
        report, performance, facts | times, load, duration, more=more, identity=identity
    )  # fmt: skip


def _label(part: Fields) -> str:
    label = part.child("metadata").peek("label")
    return label if isinstance(label, str) else ""


def _read_old(report: Fields) -> RunReading:
    scenario, performance = report.child("scenario"), report.child("metrics")
    offered = scenario.child("load")
    facts = {**_tool(offered.text("name"), offered), **take_scenario(scenario), **_schema(report)}
    times, duration = _old_times(performance.child("time"))
    return _finish(report, performance, facts | times, Load(), duration)


def _schema(report: Fields) -> dict[str, Fact]:
    return {"schema_version": Fact(str(report.take("version")), pointer="$.version")}


def _tool(name: str | None, offered: Fields) -> dict[str, Fact]:
    if name is None:
        return {"tool.name": Fact("llm-d benchmark report")}
    return {"tool.name": Fact(name, pointer=offered.pointer)}


def _finish(
    report: Fields,
    performance: Fields,
    facts: dict[str, Fact],
    load: Load,
    duration: float | None,
    *,
    more: tuple[Measurement, ...] = (),
    identity: str = "",
) -> RunReading:
    counts, lengths = _requests(performance.child("requests"))
    tool = str(facts["tool.name"].value)
    latencies = _latencies(performance.child("latency"), tool) if counts.completed != 0 else ()
    metrics = (*latencies, *_throughputs(performance.child("throughput")), *more)
    notices = [] if "model.id" in facts else [Notice("no_model")]
    if not any(name.startswith("run.") for name in facts):
        notices.append(Notice("no_date"))
    if counts.completed is None:
        notices.append(Notice("no_request_count"))
    if counts.completed == 0:
        notices.append(Notice("all_requests_failed"))
    if counts.incomplete:
        notices.append(Notice("incomplete_requests", str(counts.incomplete)))
    kept, withheld = part_private(report.rest(), ("logs", "raw_data_path", "graph_path", "path"))
    return RunReading(
        index=0, status=_status(counts, metrics), facts=facts,
        load=_with_lengths(load, counts, lengths), requests=counts,
        tokens=Tokens(duration_s=duration or None), metrics=metrics,
        notices=(*notices, *non_finite_notices(report)), unmapped=kept,
        withheld=(*report.withheld(), *withheld), identity=identity,
    )  # fmt: skip


def _status(counts: Counts, metrics: tuple[Measurement, ...]) -> RunStatus:
    if counts.completed == 0:
        return RunStatus.FAILED
    if counts.completed is None and not metrics:
        return RunStatus.SUSPECT
    return RunStatus.PARTIAL if counts.failed or counts.incomplete else RunStatus.OK


def _requests(requests: Fields) -> tuple[Counts, tuple[float | None, float | None]]:
    total, failed = requests.integer("total"), requests.integer("failures")
    incomplete = requests.integer("incomplete")
    completed = None
    if total is not None and failed is not None:
        left = total - failed - (incomplete or 0)
        completed = left if left >= 0 else None
    lengths = [
        inner.number("mean") if inner.text("units") in (None, "count") else None
        for inner in (requests.child("input_length"), requests.child("output_length"))
    ]
    return Counts(total, completed, failed, incomplete), (lengths[0], lengths[1])


def _with_lengths(load: Load, counts: Counts, lengths: tuple[float | None, float | None]) -> Load:
    return Load(
        mode=load.mode, request_rate=load.request_rate,
        request_rate_unbounded=load.request_rate_unbounded, max_concurrency=load.max_concurrency,
        num_prompts=counts.total, isl_target=load.isl_target, osl_target=load.osl_target,
        isl_mean=lengths[0], osl_mean=lengths[1], extra=load.extra,
    )  # fmt: skip


def _new_load(offered: Fields) -> Load:
    """The load; a rate makes it open whatever the limit of requests in flight, which may be
    infinite and is then no limit."""
    rate = offered.number("rate_qps")
    in_flight = offered.peek("concurrency")
    limit = offered.integer("concurrency") if is_number(in_flight) else None
    is_unlimited = isinstance(in_flight, float) and in_flight == float("inf")
    rate_is_unbounded = offered.peek("rate_qps") in (float("inf"), "inf")
    if is_unlimited:
        offered.take("concurrency")
    if rate_is_unbounded:
        offered.take("rate_qps")
    mode = None
    if rate is not None:
        mode = LoadMode.OPEN_LOOP
    elif limit is not None:
        mode = LoadMode.CLOSED_LOOP
    elif is_unlimited or rate_is_unbounded:
        mode = LoadMode.BURST
    stage = offered.integer("stage")
    return Load(
        mode=mode,
        request_rate=rate,
        request_rate_unbounded=True if mode is LoadMode.BURST or rate_is_unbounded else None,
        max_concurrency=limit,
        isl_target=offered.child("input_seq_len").number("value"),
        osl_target=offered.child("output_seq_len").number("value"),
        extra={} if stage is None else {"stage": stage},
    )


def _latencies(latency: Fields, tool: str) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    meant = _MEANT.get(tool, {})
    # What a generator means by a name of its own comes first; the schema's reading of another
    # name for the same metric then stays unmapped.
    for name in sorted(_LATENCIES, key=lambda one: one not in meant):
        metric, definition = meant.get(name, _LATENCIES[name])
        inner = latency.child(name)
        factor = _MS.get(str(inner.peek("units")))
        if factor is None or any(one.metric == metric for one in found):
            continue
        inner.take("units")
        stats = take_distribution(inner, factor=factor)
        if metric == "itl" and stats.get("min") == 0:
            definition = "token-zero-filled"
        found += measure(
            metric, stats, pointer=inner.pointer, definition=definition,
            method="linear" if tool in _LINEAR else "unknown",
        )  # fmt: skip
    return tuple(found)


def _throughputs(rates: Fields) -> tuple[Measurement, ...]:
    """Rates as plain numbers (0.1) or the mean of a distribution over time (0.2)."""
    found: list[Measurement] = []
    for name, metric in _RATES.items():
        value, place = rates.number(name), rates.place(name)
        if isinstance(rates.peek(name), dict):
            inner = rates.child(name)
            if inner.peek("units") in ("tokens/s", "queries/s"):
                inner.take("units")
                value, place = inner.number("mean"), inner.place("mean")
        if value is not None and not any(one.metric == metric for one in found):
            found += measure(metric, {"value": value}, pointer=place, definition="successful")
    return tuple(found)


def _new_times(time: Fields) -> tuple[dict[str, Fact], float | None]:
    facts = {}
    for fact, name in (("run.started_at", "start"), ("run.finished_at", "end")):
        text = time.text(name)
        if text is not None:
            known, moment = _moment(text)
            facts[fact if known else f"{fact}_local"] = Fact(moment, pointer=time.place(name))
    duration = time.text("duration")
    parts = _DURATION.fullmatch(duration) if duration else None
    if parts is None or not any(parts.groups()):
        return facts, None
    days, hours, minutes, seconds = (float(one or 0) for one in parts.groups())
    return facts, ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _moment(text: str) -> tuple[bool, str]:
    """The moment in UTC where the text names its zone, else the text itself."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False, text
    if moment.tzinfo is None:
        return False, moment.isoformat()
    return True, moment.astimezone(UTC).isoformat()


def _old_times(time: Fields) -> tuple[dict[str, Fact], float | None]:
    facts = {}
    for fact, name in (("run.started_at", "start"), ("run.finished_at", "stop")):
        seconds = time.number(name)
        if seconds is not None and 0 < seconds < _LATEST_S:
            moment = datetime.fromtimestamp(seconds, tz=UTC).isoformat()
            facts[fact] = Fact(moment, pointer=time.place(name))
    return facts, time.number("duration")


IMPORTER = Importer(tool=TOOL, formats=(_FORMAT, _SCHEMA), recognises=_recognises, read=_read)
