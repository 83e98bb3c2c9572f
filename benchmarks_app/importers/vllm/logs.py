"""Knows vLLM's server logs and metrics, which are kept as evidence."""

import re

from benchmarks_app.contract import FileReading
from benchmarks_app.importers.server_texts import is_scrape, read_log, read_scrape

_HEAD = 1_000_000
_LOG_LINE = re.compile(
    r"(?m)^.{0,80}?\b(?:INFO|WARNING|ERROR|DEBUG) \d\d-\d\d \d\d:\d\d:\d\d "
    r"\[?[\w./-]+\.py:\d+\]"
)
# A traceback alone, as people paste it.
_TRACE = re.compile(r"(?m)^.{0,80}?File \"[^\"\n]{0,300}/vllm/[^\"\n]{1,200}\", line \d+")
_NAMED = re.compile(r"(?i)\bvllm\b|LLM engine \(v|\(EngineCore")
# What other tools' texts hold, which may quote vLLM's modules.
_FOREIGN = ("ServerArgs(", "[TRT-LLM]", ":::MLLOG", "MLPerf Results Summary")
_VERSION = re.compile(r"(?:engine \(v|API server version:? |\bversion +)(\d+\.\d+[\w.+-]*)")
_CONFIG = re.compile(r"(?m)LLM engine \(v[^)]*\) with config: (.*)$")
_NAMES = {
    "model": "model.id",
    "tokenizer": "tokenizer.id",
    "dtype": "dtype",
    "quantization": "quantization.weights",
    "kv_cache_dtype": "quantization.kv_cache",
    "tensor_parallel_size": "parallelism.tp",
    "pipeline_parallel_size": "parallelism.pp",
    "data_parallel_size": "parallelism.dp",
    "revision": "model.revision",
}


def format_of_text(text: str) -> str | None:
    """``prometheus.vllm``, ``log.vllm`` or ``None``."""
    if is_scrape(text, "vllm"):
        return "prometheus.vllm"
    head = text[:_HEAD]
    if any(words in head for words in _FOREIGN):
        return None
    traced = "/vllm/" in head and _TRACE.search(head)
    logged = ".py:" in head and _NAMED.search(head) and _LOG_LINE.search(head)
    return "log.vllm" if traced or logged else None


def read_text(text: str, found: str, tool: str) -> FileReading:
    """The attachment."""
    if found == "prometheus.vllm":
        return read_scrape(found, tool, "vLLM")
    return read_log(
        text, found, tool, server="vLLM", version=_VERSION, settings=_CONFIG, names=_NAMES
    )
