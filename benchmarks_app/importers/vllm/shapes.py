"""Says which of vLLM's formats a document has, by what stands in it."""

import re

from benchmarks_app.importers.serving_console import is_console, is_of_sglang
from benchmarks_app.importers.vllm.logs import format_of_text
from benchmarks_app.importers.vllm.offline_text import FORMAT as OFFLINE_TEXT
from benchmarks_app.importers.vllm.offline_text import is_offline_text
from benchmarks_app.importers.vllm.pytorch_format import is_pytorch_format
from benchmarks_app.reading.document import Document, Kind

FORMATS = (
    "vllm.bench_serve",
    "vllm.bench_serve.detailed",
    "vllm.bench_sweep.summary",
    "vllm.bench_throughput",
    "vllm.bench_latency",
    "vllm.bench_startup",
    "inferencex.seconds_variant",
    "pytorch_benchmark.vllm",
    "vllm.console_text",
    OFFLINE_TEXT,
    "log.vllm",
    "prometheus.vllm",
)
_SERVE = ("model_id", "duration", "completed", "request_throughput", "num_prompts")
_DETAILS = ("ttfts", "itls", "errors")
# Keys of other clients whose files resemble these.
_FOREIGN = ("total_output_tokens_retokenized", "infmax_model_prefix", "aiperf_version")
_MILLISECONDS = re.compile(r"(?:mean|median|std|p\d+(?:\.\d+)?)_(?:ttft|tpot|itl|e2el)_ms")
_SECONDS = re.compile(r"(?:mean|median|std|p\d+(?:\.\d+)?)_(?:ttft|tpot|itl|e2el)")
_THROUGHPUT = ("elapsed_time", "num_requests", "total_num_tokens", "tokens_per_second")
_STARTUP = re.compile(r"avg_(?:cold|warm)_startup_time")


def recognise(document: Document) -> str | None:
    """The format of a document that vLLM or its client wrote."""
    if document.kind is Kind.JSON_LINES and document.records:
        return format_of_value(document.records[0].value)
    if document.kind in (Kind.TEXT, Kind.YAML):
        if is_console(document.text):
            return None if is_of_sglang(document.text) else "vllm.console_text"
        if is_offline_text(document.text):
            return OFFLINE_TEXT
        return format_of_text(document.text)
    if document.kind is not Kind.JSON:
        return None
    value = document.value
    if isinstance(value, list):
        if is_pytorch_format(value):
            return "pytorch_benchmark.vllm"
        return _format_of_list(value)
    return format_of_value(value)


def _format_of_list(values: list[object]) -> str | None:
    if not values or format_of_value(values[0]) is None:
        return None
    found = {format_of_value(value) for value in values}
    if len(found) != 1 or None in found:
        return None
    swept = any(isinstance(value, dict) and "run_number" in value for value in values)
    return "vllm.bench_sweep.summary" if swept else found.pop()


def format_of_value(value: object) -> str | None:
    """The format of one object, or ``None``."""
    if not isinstance(value, dict) or any(key in value for key in _FOREIGN):
        return None
    if all(key in value for key in _SERVE):
        if any(_MILLISECONDS.fullmatch(key) for key in value):
            detailed = all(isinstance(value.get(key), list) for key in _DETAILS)
            return "vllm.bench_serve.detailed" if detailed else "vllm.bench_serve"
        if any(_SECONDS.fullmatch(key) for key in value):
            return "inferencex.seconds_variant"
        return None
    if all(key in value for key in _THROUGHPUT):
        return "vllm.bench_throughput"
    if "avg_latency" in value and isinstance(value.get("percentiles"), dict):
        return "vllm.bench_latency" if isinstance(value.get("latencies"), list) else None
    if any(_STARTUP.fullmatch(key) for key in value):
        return "vllm.bench_startup"
    return None
