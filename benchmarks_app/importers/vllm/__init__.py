"""vLLM: ``vllm bench serve``, ``throughput``, ``latency``, ``startup``, console text and logs."""

from benchmarks_app.contract import FileReading, Importer, RunReading
from benchmarks_app.importers.record_runs import read_records
from benchmarks_app.importers.vllm.console import read_console
from benchmarks_app.importers.vllm.logs import read_text
from benchmarks_app.importers.vllm.offline import read_latency, read_startup, read_throughput
from benchmarks_app.importers.vllm.offline_text import FORMAT as OFFLINE_TEXT
from benchmarks_app.importers.vllm.offline_text import read_offline_text
from benchmarks_app.importers.vllm.pytorch_format import read_pytorch
from benchmarks_app.importers.vllm.serve import read_serve_run
from benchmarks_app.importers.vllm.shapes import FORMATS, format_of_value, recognise
from benchmarks_app.reading.document import Document

TOOL = "vllm"


def read(document: Document, found: str) -> FileReading:
    """What the file says, by its format."""
    if found == "vllm.console_text":
        return read_console(document.text, found, TOOL)
    if found == OFFLINE_TEXT:
        return read_offline_text(document.text, TOOL)
    if found in ("log.vllm", "prometheus.vllm"):
        return read_text(document.text, found, TOOL)
    if found == "pytorch_benchmark.vllm" and isinstance(document.value, list):
        return read_pytorch(document.value, TOOL)
    return read_records(document, found, tool=TOOL, read=_read_value)


def _read_value(value: object, *, index: int, pointer: str) -> RunReading | None:
    match format_of_value(value):
        case "vllm.bench_serve" | "vllm.bench_serve.detailed":
            return read_serve_run(value, index=index, pointer=pointer)
        case "inferencex.seconds_variant":
            return read_serve_run(value, index=index, pointer=pointer, in_seconds=True)
        case "vllm.bench_throughput":
            return read_throughput(value, index=index, pointer=pointer)
        case "vllm.bench_latency":
            return read_latency(value, index=index, pointer=pointer)
        case "vllm.bench_startup":
            return read_startup(value, index=index, pointer=pointer)
    return None


IMPORTER = Importer(tool=TOOL, formats=FORMATS, recognises=recognise, read=read)
