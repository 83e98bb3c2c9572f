"""Reads what AIPerf writes: summary (JSON, CSV), per-request records, server metrics, phases.

**Source**: AIPerf's exporters, 0.2 (no version keys) to 0.13 (schema 1.4).
"""

from benchmarks_app.contract import FileReading, FileRole, Importer
from benchmarks_app.importers.aiperf.beside import read_phase_manifest, read_server_metrics
from benchmarks_app.importers.aiperf.records import read_records
from benchmarks_app.importers.aiperf.settings import is_warmup_alone
from benchmarks_app.importers.aiperf.summary import TOOL, read_csv_summary, read_json_summary
from benchmarks_app.importers.nvidia_tables import is_summary_table, starts_with_high_percentiles
from benchmarks_app.reading.document import Document, Kind

_JSON, _CSV = "aiperf.json", "aiperf.csv"
_RECORDS, _CONSOLE = "aiperf.profile_export", "aiperf.profile_export_console"
_SERVER, _PHASES = "aiperf.server_metrics_export", "aiperf.phase_manifest"
_RAW, _GPU = "aiperf.profile_export_raw", "aiperf.gpu_telemetry_export"
_SLICES, _AGGREGATE, _INPUTS = "aiperf.timeslices", "aiperf.aggregate", "aiperf.inputs"
_SERVER_HEAD = "# AIPerf Server Metrics Export"
# What is kept beside a run without being read, and the sentence for it.
_KEPT = {
    _CONSOLE: "This is console output with rounded values; send profile_export_aiperf.json for "
    "the run.",
    _RAW: "These are the raw requests with prompts and answers; send profile_export_aiperf.json "
    "for the run and profile_export.jsonl for its requests.",
    _GPU: "This is a series of GPU telemetry; send profile_export_aiperf.json for the run.",
    _SLICES: "These are parts of one run by time; send profile_export_aiperf.json for the run.",
    _AGGREGATE: "These are means over several runs; send the profile_export_aiperf.json of each "
    "run.",
}


def recognise(document: Document) -> str | None:
    """The format of an AIPerf file, or ``None``."""
    if document.kind is Kind.TEXT:
        return _recognise_text(document.text)
    if document.kind is Kind.JSON and isinstance(document.value, dict):
        return _recognise_object(document.value)
    if document.kind is Kind.JSON_LINES and isinstance(document.records[0].value, dict):
        return _recognise_record(document.records[0].value)
    return None


def _recognise_text(text: str) -> str | None:
    if text.lstrip().startswith(_SERVER_HEAD):
        return _SERVER
    if is_summary_table(text) and not starts_with_high_percentiles(text):
        return _CSV
    if text.lstrip().lower().startswith("timeslice,metric,"):
        return _SLICES
    return _CONSOLE if "NVIDIA AIPerf |" in text[:20000] else None


def _recognise_object(value: dict[str, object]) -> str | None:
    """An object; one line of JSON Lines is one, too."""
    if "timeslices" in value and isinstance(value["timeslices"], list):
        return _SLICES if "input_config" in value or "aiperf_version" in value else None
    described = value.get("metadata")
    if isinstance(described, dict) and "aggregation_type" in described and "metrics" in value:
        return _AGGREGATE
    versioned = "aiperf_version" in value or "input_config" in value
    if versioned and isinstance(value.get("metrics"), dict) and "summary" in value:
        return _SERVER
    if isinstance(value.get("input_config"), dict) and "was_cancelled" in value:
        return _JSON
    if "aiperf_version" in value and "benchmark_id" in value and "request_throughput" in value:
        return _JSON
    if _first_holds(value.get("phases"), "phase_kind", "phase_name"):
        return _PHASES
    if len(value) == 1 and _first_holds(value.get("data"), "payloads"):
        return _INPUTS
    return _recognise_record(value)


def _first_holds(entries: object, *names: str) -> bool:
    """Whether the first of a list is an object with these keys."""
    first = entries[0] if isinstance(entries, list) and entries else None
    return isinstance(first, dict) and all(name in first for name in names)


def _recognise_record(value: dict[str, object]) -> str | None:
    if "telemetry_data" in value and ("gpu_uuid" in value or "dcgm_url" in value):
        return _GPU
    described = value.get("metadata")
    if not isinstance(described, dict) or "request_start_ns" not in described:
        return None
    if isinstance(value.get("metrics"), dict):
        return _RECORDS
    return _RAW if "responses" in value or "payload" in value or "request" in value else None


def read(document: Document, form: str) -> FileReading:
    """What the file says: a run, a sidecar, samples to complete a run, or text to keep."""
    in_warmup = document.folder.rpartition("/")[2] == "warmup"
    if form in (_JSON, _CSV) and (in_warmup or is_warmup_alone(document.value)):
        return FileReading(
            format=form, tool=TOOL, role=FileRole.ATTACHMENT, completes=(TOOL,),
            reason="This is the warm-up of a run; send profile_export_aiperf.json of the run.",
        )  # fmt: skip
    if form == _JSON:
        runs = (read_json_summary(document),)
        return FileReading(format=form, tool=TOOL, role=FileRole.RUNS, runs=runs)
    if form == _CSV:
        runs = (read_csv_summary(document),)
        return FileReading(format=form, tool=TOOL, role=FileRole.RUNS, runs=runs)
    if form == _RECORDS:
        return read_records(document, form)
    if form == _SERVER:
        return read_server_metrics(document, form)
    if form == _PHASES:
        return read_phase_manifest(document, form)
    if form == _INPUTS:
        return FileReading(
            format=form, tool=TOOL, role=FileRole.REJECTED, withheld=("$.data",),
            reason="The file holds the prompts alone; send profile_export_aiperf.json.",
        )  # fmt: skip
    withheld = ("$",) if form == _RAW else ()
    return FileReading(
        format=form, tool=TOOL, role=FileRole.ATTACHMENT, completes=(TOOL,), reason=_KEPT[form],
        withheld=withheld,
    )  # fmt: skip


IMPORTER = Importer(
    tool=TOOL,
    formats=(_JSON, _CSV, _RECORDS, _SERVER, _PHASES, _INPUTS, *_KEPT),
    recognises=recognise,
    read=read,
)
