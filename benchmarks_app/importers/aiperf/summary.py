"""Reads the summary of an AIPerf run, from JSON and from the rounded CSV tables.

**Dates**: naive local texts, so their zone is unknown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmarks_app.contract import (
    Counts,
    Fact,
    Load,
    Measurement,
    Notice,
    RunReading,
    Tokens,
)
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import RunStatus
from benchmarks_app.domain.metrics import Unit
from benchmarks_app.importers.aiperf.gpus import read_gpu_rows, read_gpus
from benchmarks_app.importers.aiperf.settings import Settings, read_settings, take_command
from benchmarks_app.importers.nvidia_metrics import (
    AIPERF_SOURCES,
    metric_objects,
    read_measurements,
    take_count,
    take_mean,
)
from benchmarks_app.importers.nvidia_tables import read_summary_tables
from benchmarks_app.importers.taking import non_finite_notices
from benchmarks_app.reading.document import Document
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.private import part_private
from matrix.domain.phrases import Phrase

TOOL = "aiperf"
# A run that stopped before half of its time did not measure what it was asked to.
_MUCH_SHORTER = 0.5
_STATED: Mapping[str, str] = {
    "tool.version": "aiperf_version",
    "schema_version": "schema_version",
    "run.started_at_local": "start_time",
    "run.finished_at_local": "end_time",
}


@dataclass(frozen=True, slots=True)
class _Stated:
    """What the summary says beside its metrics."""

    settings: Settings = field(default_factory=Settings)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    resources: tuple[Measurement, ...] = ()
    failures: Mapping[str, int] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    identity: str = ""
    command: str = ""
    cancelled: bool = False


def read_json_summary(document: Document) -> RunReading:
    """The run of ``profile_export_aiperf.json``."""
    report = Fields(document.value)
    # The warm-up has metrics of its own under a key of their own; they stay in the rest.
    objects = metric_objects(report)
    stated = _read_stated(report)
    run = _read_run(objects, stated)
    notices = (*run.notices, *non_finite_notices(report))
    unmapped, private = part_private(report.rest())
    withheld = (*report.withheld(), *private)
    return replace(run, notices=notices, unmapped=unmapped, withheld=withheld)


def read_csv_summary(document: Document) -> RunReading:
    """The run of ``profile_export_aiperf.csv``: two decimals, no model, no date.

    **Raises**: ``ResultError`` for tables without one known metric or count.
    """
    tables = read_summary_tables(document.text)
    gpus = read_gpu_rows(tables.telemetry)
    # The request count is written as 47.00 and absent errors are none, as in JSON.
    notices = tuple(
        Notice(code) for code in ("rounded_values", "no_model", "no_date", "tool_version_unknown")
    )
    stated = _Stated(facts=gpus.facts, resources=gpus.metrics, notices=notices)
    run = _read_run(tables.objects, stated, as_text=True)
    rest = {place: value for one in tables.objects.values() for place, value in one.rest().items()}
    unmapped = {**rest, **tables.unmapped, **gpus.unmapped}
    return replace(run, unmapped=unmapped, withheld=gpus.withheld)


def _read_run(
    objects: Mapping[str, Fields], stated: _Stated, *, as_text: bool = False
) -> RunReading:
    metrics = read_measurements(objects, AIPERF_SOURCES, as_text=as_text)
    counts, derived = _counts(objects), False
    if counts.completed is None and counts.failed is None and stated.failures:
        # Where nothing succeeded the tool writes no counts, only what went wrong how often.
        failed = sum(stated.failures.values())
        counts, derived = Counts(total=failed, completed=0, failed=failed), True
    if not metrics and counts.total is None and not stated.cancelled:
        raise ResultError(
            code="no-metrics",
            what=Phrase("The summary holds neither metrics nor counts of requests"),
            place="$",
            accepted=Phrase("request_count or a metric with a known unit"),
        )
    tokens = _tokens(objects)
    load = replace(
        stated.settings.load,
        isl_mean=take_mean(objects, "input_sequence_length"),
        osl_mean=take_mean(objects, "output_sequence_length"),
    )
    notices = [*stated.settings.notices, *stated.notices]
    if derived:
        notices.append(Notice("failed_count_derived"))
    if counts.completed == 0 or (counts.completed is None and counts.failed):
        metrics = ()
        notices.append(Notice("all_requests_failed"))
    notices += _about_duration(tokens, load, stated)
    return RunReading(
        index=0,
        status=_status(counts, cancelled=stated.cancelled),
        facts={"tool.name": Fact(TOOL), **stated.facts, **stated.settings.facts},
        load=load,
        requests=counts,
        tokens=tokens,
        metrics=(*metrics, *stated.resources),
        failures=stated.failures,
        notices=tuple(notices),
        identity=stated.identity,
        command=stated.command or stated.settings.command,
    )


def _read_stated(report: Fields) -> _Stated:
    config = report.child("input_config")
    settings = read_settings(config)
    gpus = read_gpus(report.child("telemetry_data"))
    info = report.child("run_info")
    facts: dict[str, Fact] = dict(gpus.facts)
    notices: list[Notice] = []
    for fact, name in _STATED.items():
        value = report.text(name)
        if value:
            facts[fact] = Fact(value, pointer=report.place(name))
    if "tool.version" not in facts:
        notices.append(Notice("tool_version_unknown"))
    if "run.started_at_local" not in facts:
        notices.append(Notice("no_date"))
    if "model.id" not in settings.facts:
        notices.append(Notice("no_model"))
    if "warmup_metrics" in report:
        notices.append(Notice("warmup_excluded"))
    described = report.child("metadata")
    known = settings.facts.get("scenario")
    if known is None or described.peek("scenario") == known.value:
        scenario = described.text("scenario")
        if scenario:
            facts["scenario"] = Fact(scenario, pointer=described.place("scenario"))
    cancelled = report.flag("was_cancelled") is True
    if cancelled:
        notices.append(Notice("cancelled"))
    return _Stated(
        settings=settings,
        facts=facts,
        resources=gpus.metrics,
        failures=read_failures(report),
        notices=tuple(notices),
        identity=_identity(report, info, config),
        command=take_command(info),
        cancelled=cancelled,
    )


def _identity(report: Fields, info: Fields, config: Fields) -> str:
    """The run's own identifier; a copy of it elsewhere in the file says nothing more."""
    stated = report.text("benchmark_id") or info.text("benchmark_id") or ""
    for one in (info, config):
        if one.peek("benchmark_id") == stated:
            one.ignore("benchmark_id")
    return stated


def read_failures(report: Fields) -> dict[str, int]:
    """Failed requests by kind of error; messages are withheld, for they may quote prompts."""
    found: dict[str, int] = {}
    for one, details in withhold_messages(report.children("error_summary")):
        code, kind = details.integer("code"), details.text("type")
        count = one.integer("count")
        name = " ".join(str(part) for part in (code, kind) if part is not None) or "unknown"
        if count is not None:
            found[name] = found.get(name, 0) + count
    return found


def withhold_messages(errors: Sequence[Fields]) -> list[tuple[Fields, Fields]]:
    """The errors with their details, of which only code and kind may be seen."""
    found = [(one, one.child("error_details")) for one in errors]
    for _, details in found:
        details.withhold("message", "cause", "details", "cause_chain")
    return found


def _counts(objects: Mapping[str, Fields]) -> Counts:
    """The requests; the count of errors is written only where there were some."""
    completed = take_count(objects, "request_count")
    failed = take_count(objects, "error_request_count")
    if completed is not None and failed is None and "error_request_count" not in objects:
        failed = 0
    if completed is None and failed and "request_count" not in objects:
        completed = 0
    known = completed is not None and failed is not None
    total = (completed or 0) + (failed or 0) if known else None
    return Counts(total=total, completed=completed, failed=failed)


def _tokens(objects: Mapping[str, Fields]) -> Tokens:
    output = take_count(objects, "total_osl")
    if output is None:
        output = take_count(objects, "total_output_tokens")
    return Tokens(
        input_total=take_count(objects, "total_isl"),
        output_total=output,
        duration_s=take_mean(objects, "benchmark_duration", unit=Unit.SECONDS),
    )


def _about_duration(tokens: Tokens, load: Load, stated: _Stated) -> list[Notice]:
    wanted, took = load.duration_target_s, tokens.duration_s
    if stated.cancelled or not wanted or took is None or took >= wanted * _MUCH_SHORTER:
        return []
    return [Notice("duration_much_shorter_than_target", f"{took:.0f} of {wanted:.0f} s")]


def _status(counts: Counts, *, cancelled: bool) -> RunStatus:
    if counts.failed:
        return RunStatus.PARTIAL if counts.completed else RunStatus.FAILED
    if cancelled:
        return RunStatus.CANCELLED
    return RunStatus.FAILED if counts.completed == 0 else RunStatus.OK
