"""llama.cpp's llama-bench: JSON, JSON Lines, CSV, SQL, printed tables, and the logs beside them.

**Source**: what the tool writes from 2024 to build 11434; see docs/benchmark-formats.md.
"""

import re

from benchmarks_app.contract import FileReading, FileRole, Importer, RunReading
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.importers.llama_bench.devices import read_devices
from benchmarks_app.importers.llama_bench.markdown import HEADER, read_markdown
from benchmarks_app.importers.llama_bench.rows import is_row, read_row, type_row
from benchmarks_app.importers.llama_bench.sql import is_sql, read_sql
from benchmarks_app.importers.log_rows import read_array, read_row_lines
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.tables import read_csv
from matrix.domain.phrases import Phrase

_TOOL = "llama_bench"
_JSON, _JSONL = "llama_bench.json", "llama_bench.jsonl"
_CSV, _SQL, _MD = "llama_bench.csv", "llama_bench.sql", "llama_bench.md"
_LOG, _HELP, _METRICS = "llama_bench.log", "llama_bench.help", "llama_server.metrics"
_CSV_HEADER = re.compile(r'^"?build_commit"?,"?\w+"?,.*\bavg_ts\b.*$', re.MULTILINE)
# JSON that begins below lines of a log.
_ROW_LINE = re.compile(r'^\{"build_commit": ?"', re.MULTILINE)
_ARRAY = re.compile(r'^\[\s*\n\s*\{\s*"build_commit": ?"', re.MULTILINE)
_LOG_LINE = re.compile(
    r"^(?:ggml_(?:vulkan|cuda|hip|metal|sycl|cann|musa|init|backend|gallocr)\w*: |"
    r"llama[-_]bench: |llama_model_load\w*: |llama_(?:new_)?context\w*: |Available devices:$)",
    re.MULTILINE,
)
# What llama-batched-bench writes below the same lines of a log.
_BATCHED = re.compile(
    r'^(?:[^\S\n]*\|\s*PP\s*\|\s*TG\s*\|\s*B\s*\||\{"n_kv_max": ?\d)', re.MULTILINE
)
_USAGE = re.compile(r"\A(?:error: [^\n]*\n)?\s*usage: \S*llama-bench\b")
_FAILURE = re.compile(r"(?i)\b(?:error|abort(?:ed)?|failed|out of memory|ggml_abort)\b")
_LOG_HEAD = 65536


def recognises(document: Document) -> str | None:
    """The format of a file of llama-bench."""
    if document.kind is Kind.JSON:
        value = document.value
        if isinstance(value, list) and value and is_row(value[0]):
            return _JSON
        return _JSONL if is_row(value) else None
    if document.kind is Kind.JSON_LINES:
        return _JSONL if is_row(document.records[0].value) else None
    return _recognise_text(document.text) if document.text else None


def read(document: Document, found: str) -> FileReading:
    """The runs of the file.

    **Raises**: ``ResultError`` naming the row, line or cell that is broken.
    """
    if found in (_LOG, _HELP, _METRICS):
        return _read_aside(document, found)
    if found in (_JSON, _JSONL) and document.text:
        return _read_embedded(document.text, found)
    rest: dict[str, object] = {}
    if found == _MD:
        runs, rest = read_markdown(document.text)
    elif found == _SQL:
        rows = [(n, type_row(list(row), list(row.values()))) for n, row in read_sql(document.text)]
        runs = _read_lines(rows)
    elif found == _CSV:
        runs = _read_lines(_csv_rows(document.text))
    elif isinstance(document.value, list):
        runs = tuple(
            read_row(value, index=at, pointer=f"$[{at}]") for at, value in enumerate(document.value)
        )
    elif document.kind is Kind.JSON:
        runs = (read_row(document.value, index=0, pointer="$"),)
    else:
        runs = _read_lines([(record.line, record.value) for record in document.records])
    if not runs:
        return _without_rows(document, found)
    return FileReading(
        format=found, tool=_TOOL, role=FileRole.RUNS, runs=runs, unmapped=rest
    )  # fmt: skip


def _recognise_text(text: str) -> str | None:
    if _CSV_HEADER.search(text):
        return _CSV
    if is_sql(text):
        return _SQL
    if HEADER.search(text):
        return _MD
    if _ROW_LINE.search(text):
        return _JSONL
    if _ARRAY.search(text):
        return _JSON
    if _USAGE.match(text):
        return _HELP
    if "\nllamacpp:" in text or text.startswith("llamacpp:"):
        return _METRICS
    if _BATCHED.search(text):
        return None
    return _LOG if _LOG_LINE.search(text, 0, _LOG_HEAD) else None


def _read_lines(rows: list[tuple[int, object]] | list[tuple[int, dict[str, object]]]) -> (
    tuple[RunReading, ...]
):  # fmt: skip
    return tuple(
        read_row(value, index=at, pointer=f"line {line}") for at, (line, value) in enumerate(rows)
    )


def _read_embedded(text: str, found: str) -> FileReading:
    """The runs of JSON between the lines of a log, which stay beside them."""
    if found == _JSONL:
        rows, around = read_row_lines(text, _ROW_LINE)
    else:
        rows, around = read_array(text, _ARRAY)
    runs = tuple(read_row(value, index=at, pointer=place) for at, (place, value) in enumerate(rows))
    return FileReading(
        format=found, tool=_TOOL, role=FileRole.RUNS, runs=runs, unmapped=around
    )  # fmt: skip


def _csv_rows(text: str) -> list[tuple[int, dict[str, object]]]:
    """The rows below each header; what stands before the first header is a log."""
    header = _CSV_HEADER.search(text)
    start = header.start() if header else 0
    skipped = text.count("\n", 0, start)
    names: tuple[str, ...] = ()
    rows: list[tuple[int, dict[str, object]]] = []
    for row in read_csv(text[start:]):
        line = row.line + skipped
        if not row.cells:
            continue
        if row.cells[0] == "build_commit":
            names = row.cells
        elif len(row.cells) != len(names):
            raise ResultError(
                code="broken-csv",
                what=Phrase(
                    "The row has {count} cells under {count_2} names",
                    count=len(row.cells),
                    count_2=len(names),
                ),
                place=f"line {line}",
                accepted=Phrase("whole rows as llama-bench writes them"),
            )
        else:
            rows.append((line, type_row(names, row.cells)))
    return rows


def _without_rows(document: Document, found: str) -> FileReading:
    """A heading alone is no evidence; with what stopped the tool it is one of a failure."""
    has_failure = bool(_FAILURE.search(document.text))
    return FileReading(
        format=found,
        tool=_TOOL,
        role=FileRole.ATTACHMENT if has_failure else FileRole.REJECTED,
        completes=(_TOOL,),
        reason="llama-bench wrote its heading and no result, as it does when it stops before the "
        "first test ends; "
        + (
            "the file is kept as the log of that failure."
            if has_failure
            else "send the results of a run that ended, or the log that says why it stopped."
        ),
    )


def _read_aside(document: Document, found: str) -> FileReading:
    if found == _HELP:
        return FileReading(
            format=_HELP,
            tool=_TOOL,
            role=FileRole.REJECTED,
            reason="This is llama-bench's help text, printed because an option was not accepted, "
            "so nothing ran; send the output of a run with -o json.",
        )
    if found == _METRICS:
        return FileReading(
            format=_METRICS,
            tool=_TOOL,
            role=FileRole.ATTACHMENT,
            completes=(_TOOL, "llama_batched_bench"),
            reason="This is a scrape of llama-server's /metrics: totals since the server started "
            "and no latencies; it is kept beside the runs of a client.",
        )
    # Its devices are no facts of the runs beside it: a folder often holds runs of several builds
    # and backends, each of which names the same device in its own way.
    device = read_devices(enumerate(document.text.splitlines(), 1)).get("accelerator.name")
    named = f" It names {str(device.value)[:200]}." if device else ""
    return FileReading(
        format=_LOG,
        tool=_TOOL,
        role=FileRole.ATTACHMENT,
        completes=(_TOOL, "llama_batched_bench"),
        reason="This is a log of llama.cpp without results; it is kept beside the runs in its "
        f"folder.{named}",
    )


IMPORTER = Importer(
    tool=_TOOL,
    formats=(_JSON, _JSONL, _CSV, _SQL, _MD, _LOG, _HELP, _METRICS),
    recognises=recognises,
    read=read,
)
