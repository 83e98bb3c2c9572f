"""Knows SGLang's server logs and metrics, which are kept as evidence."""

import re

from benchmarks_app.contract import FileReading
from benchmarks_app.importers.server_texts import is_scrape, read_log, read_scrape

_HEAD = 1_000_000
_LOG_LINE = re.compile(r"(?m)^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [A-Z]{2}\d+)*\] ")
_ARGUMENTS = re.compile(r"server_args=ServerArgs\((.*)")
_VERSION = re.compile(r"(?i)\bsglang(?: version)?[ :=]+v?(\d+\.\d+[\w.+-]*)")
_NAMES = {
    "model_path": "model.id",
    "tokenizer_path": "tokenizer.id",
    "dtype": "dtype",
    "quantization": "quantization.weights",
    "kv_cache_dtype": "quantization.kv_cache",
    "tp_size": "parallelism.tp",
    "pp_size": "parallelism.pp",
    "ep_size": "parallelism.ep",
    "dp_size": "parallelism.dp",
    "revision": "model.revision",
    "speculative_algorithm": "spec_decoding",
}


def format_of_text(text: str) -> str | None:
    """``prometheus.sglang``, ``log.sglang`` or ``None``."""
    if is_scrape(text, "sglang"):
        return "prometheus.sglang"
    head = text[:_HEAD]
    logged = "ServerArgs(" in head and _ARGUMENTS.search(head) and _LOG_LINE.search(head)
    return "log.sglang" if logged else None


def read_text(text: str, found: str, tool: str) -> FileReading:
    """The attachment."""
    if found == "prometheus.sglang":
        return read_scrape(found, tool, "SGLang")
    return read_log(
        text, found, tool, server="SGLang", version=_VERSION, settings=_ARGUMENTS, names=_NAMES
    )
