"""SGLang: ``bench_serving``, ``bench_one_batch(_server)``, ``bench_offline_throughput``, logs."""

from dataclasses import replace

from benchmarks_app.contract import FileReading, FileRole, Importer, RunReading
from benchmarks_app.importers.model_identity import model_facts
from benchmarks_app.importers.record_runs import read_records
from benchmarks_app.importers.serving_console import is_console, is_of_sglang, read_blocks
from benchmarks_app.importers.sglang.logs import format_of_text, read_text
from benchmarks_app.importers.sglang.offline import read_offline, read_one_batch
from benchmarks_app.importers.sglang.offline_text import FORMAT as OFFLINE_TEXT
from benchmarks_app.importers.sglang.offline_text import is_offline_text, read_offline_text
from benchmarks_app.importers.sglang.serving import read_serving_run
from benchmarks_app.reading.document import Document, Kind

TOOL = "sglang"
FORMATS = (
    "sglang.bench_serving",
    "sglang.one_batch_server",
    "sglang.offline_throughput",
    "sglang.console_text",
    OFFLINE_TEXT,
    "log.sglang",
    "prometheus.sglang",
)
_SERVING = ("completed", "duration", "total_output_tokens_retokenized")
_ONE_BATCH = ("run_name", "batch_size", "input_len", "output_len", "overall_throughput")
_OFFLINE = ("total_latency", "successful_requests", "output_throughput", "total_throughput")


def recognise(document: Document) -> str | None:
    """The format of a document that one of SGLang's clients wrote."""
    if document.kind is Kind.JSON_LINES and document.records:
        return _format_of(document.records[0].value)
    if document.kind in (Kind.TEXT, Kind.YAML):
        if is_console(document.text):
            return "sglang.console_text" if is_of_sglang(document.text) else None
        if is_offline_text(document.text):
            return OFFLINE_TEXT
        return format_of_text(document.text)
    if document.kind is Kind.JSON:
        value = document.value
        if isinstance(value, list):
            if not value or _format_of(value[0]) is None:
                return None
            found = {_format_of(one) for one in value}
            return found.pop() if len(found) == 1 else None
        return _format_of(value)
    return None


def _format_of(value: object) -> str | None:
    if not isinstance(value, dict) or "model_id" in value:
        return None
    if all(key in value for key in _SERVING):
        return "sglang.bench_serving"
    if all(key in value for key in _ONE_BATCH) and ("latency" in value or "total_latency" in value):
        return "sglang.one_batch_server"
    if all(key in value for key in _OFFLINE):
        return "sglang.offline_throughput"
    return None


def read(document: Document, found: str) -> FileReading:
    """One run for each record; records of another shape stay as they are."""
    if found == "sglang.console_text":
        return _read_console(document.text, found)
    if found == OFFLINE_TEXT:
        return read_offline_text(document.text, TOOL)
    if found in ("log.sglang", "prometheus.sglang"):
        return read_text(document.text, found, TOOL)
    return read_records(document, found, tool=TOOL, read=_read_value)


def _read_value(value: object, *, index: int, pointer: str) -> RunReading | None:
    match _format_of(value):
        case "sglang.bench_serving":
            return read_serving_run(value, index=index, pointer=pointer)
        case "sglang.one_batch_server":
            return read_one_batch(value, index=index, pointer=pointer)
        case "sglang.offline_throughput":
            return read_offline(value, index=index, pointer=pointer)
    return None


def _read_console(text: str, found: str) -> FileReading:
    """One run a printed block; where it stands is the line of its title."""
    blocks, unmapped = read_blocks(text)
    runs = []
    for index, block in enumerate(blocks):
        values = dict(block.values)
        if "total_token_throughput" in values:
            values["total_throughput"] = values.pop("total_token_throughput")
        place = f"line {block.line}"
        model = values.pop("model_id", None)
        values.pop("num_prompts", None)  # Asked for; how many were sent is not printed.
        run = read_serving_run(values, index=index, pointer=place)
        if isinstance(model, str) and "model.id" not in run.facts:
            named, about = model_facts(model, place)
            notices = (*(one for one in run.notices if one.code != "no_model"), *about)
            run = replace(run, facts={**run.facts, **named}, notices=notices)
        runs.append(replace(run, command=block.command))
    return FileReading(
        format=found, tool=TOOL, role=FileRole.RUNS, runs=tuple(runs), unmapped=unmapped
    )


IMPORTER = Importer(tool=TOOL, formats=FORMATS, recognises=recognise, read=read)
