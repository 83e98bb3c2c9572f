"""TensorRT-LLM's trtllm-bench: JSON report, console text, and the records of single requests.

**Source**: reports of TensorRT-LLM 0.16 to 1.3; see docs/benchmark-formats.md.
"""

import re
from collections.abc import Sequence

import numpy as np

from benchmarks_app.contract import FileReading, FileRole, Importer, Samples
from benchmarks_app.importers.trtllm_bench.console import HEADING, OVERVIEW, read_console
from benchmarks_app.importers.trtllm_bench.report import is_report, read_report
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import is_number

_TOOL = "trtllm_bench"
_REPORT, _CONSOLE = "trtllm_bench.report", "trtllm_bench.console_text"
_REQUESTS, _LOG = "trtllm_bench.requests", "trtllm_bench.log"
_LOG_LINE = re.compile(
    r"^(?:\[[\d/:-]+\] )?\[(?:TRT-LLM|TensorRT-LLM)\]\s?\[(?:I|W|E|V|INFO|WARNING|ERROR)\]",
    re.MULTILINE,
)
_LOG_HEAD = 65536
_NS_PER_MS, _NS_PER_S = 1e6, 1e9
# What is neither a column nor withheld, and follows from those columns.
_DERIVED = ("id", "first_token_timestamp", "decode_iteration", "total_token_throughput",
            "output_token_throughput")  # fmt: skip
_PRIVATE = ("output", "tokens")
_COLUMNS = ("time_to_first_token", "intertoken_latency", "end_to_end_latency", "start_timestamp",
            "end_timestamp", "num_input_tokens", "output_tokens")  # fmt: skip
_RECORD = ("num_input_tokens", "start_timestamp", "end_timestamp", "end_to_end_latency")


def recognises(document: Document) -> str | None:
    """The format of a file of trtllm-bench."""
    if document.kind is Kind.JSON:
        if is_report(document.value):
            return _REPORT
        return _REQUESTS if _are_records(document.value) else None
    if not document.text:
        return None
    if HEADING.search(document.text) and OVERVIEW.search(document.text):
        return _CONSOLE
    return _LOG if _LOG_LINE.search(document.text, 0, _LOG_HEAD) else None


def read(document: Document, found: str) -> FileReading:
    """The runs of the file, or what it adds to the runs beside it."""
    if found == _REPORT:
        run = read_report(document.value)
        return FileReading(format=found, tool=_TOOL, role=FileRole.RUNS, runs=(run,))
    if found == _REQUESTS and isinstance(document.value, list):
        return _read_records(document.value)
    runs = read_console(document.text) if found == _CONSOLE else ()
    if runs:
        return FileReading(format=found, tool=_TOOL, role=FileRole.RUNS, runs=runs)
    return FileReading(
        format=_LOG,
        tool=_TOOL,
        role=FileRole.ATTACHMENT,
        completes=(_TOOL,),
        reason="This is a log of TensorRT-LLM without a whole report; it is kept beside the runs "
        "in its folder.",
    )


def _are_records(value: object) -> bool:
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return False
    return all(name in value[0] for name in _RECORD)


def _read_records(records: Sequence[object]) -> FileReading:
    """The requests one by one; their times are in nanoseconds, their answers are withheld."""
    known = frozenset((*_COLUMNS, *_DERIVED, *_PRIVATE))
    ttft = _column(records, "time_to_first_token") / _NS_PER_MS
    tpot = _column(records, "intertoken_latency") / _NS_PER_MS
    end_to_end = _column(records, "end_to_end_latency") / _NS_PER_MS
    start = _column(records, "start_timestamp") / _NS_PER_S
    first = np.nanmin(start) if np.isfinite(start).any() else 0.0
    completed = np.isfinite(end_to_end) & (end_to_end > 0)
    columns = {
        "ok": completed.astype(np.float64),
        # 0 is what is written where no token was seen on its own (no streaming, one token).
        "ttft_ms": np.where(completed & (ttft > 0), ttft, np.nan),
        "tpot_ms": np.where(completed & (tpot > 0), tpot, np.nan),
        "e2el_ms": np.where(completed, end_to_end, np.nan),
        "input_tokens": _column(records, "num_input_tokens"),
        "output_tokens": _column(records, "output_tokens"),
        "start_s": start - first,
    }
    return FileReading(
        format=_REQUESTS,
        tool=_TOOL,
        role=FileRole.ATTACHMENT,
        samples=Samples(requests=columns),
        completes=(_TOOL,),
        reason="These are the requests of a run one by one; they complete the report beside them.",
        unmapped={
            f"$[{at}].{name}": value
            for at, record in enumerate(records)
            if isinstance(record, dict)
            for name, value in record.items()
            if name not in known
        },
        withheld=tuple(f"$[*].{name}" for name in _PRIVATE),
    )


def _column(records: Sequence[object], name: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    values = [one.get(name) if isinstance(one, dict) else None for one in records]
    return np.array([v if is_number(v) else np.nan for v in values], dtype=np.float64)


IMPORTER = Importer(
    tool=_TOOL,
    formats=(_REPORT, _CONSOLE, _REQUESTS, _LOG),
    recognises=recognises,
    read=read,
)
