"""llama.cpp's llama-batched-bench: JSON Lines and the printed table.

**Source**: build 11434; the tool names neither model nor build; see docs/benchmark-formats.md.
"""

import re

from benchmarks_app.contract import (
    Fact,
    FileReading,
    FileRole,
    Importer,
    Load,
    Measurement,
    Notice,
    RunReading,
)
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.llama_bench.devices import lines_above, read_devices
from benchmarks_app.importers.llama_bench.markdown import HEADER as BENCH_HEADER
from benchmarks_app.importers.llama_bench.rows import take_extra
from benchmarks_app.importers.log_rows import read_row_lines
from benchmarks_app.importers.taking import (
    measure,
    non_finite_notices,
)
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.tables import read_pipe_tables
from matrix.domain.phrases import Phrase

_TOOL = "llama_batched_bench"
_JSONL, _MD = "llama_batched_bench.jsonl", "llama_batched_bench.md"
_NEEDED = ("pp", "tg", "pl", "speed_pp", "speed_tg")
# The columns of the printed table under the names of the JSON Lines.
_COLUMNS = {
    "PP": "pp", "TG": "tg", "B": "pl", "N_KV": "n_kv", "T_PP s": "t_pp", "S_PP t/s": "speed_pp",
    "T_TG s": "t_tg", "S_TG t/s": "speed_tg", "T s": "t", "S t/s": "speed",
}  # fmt: skip
_HEADER = re.compile(
    r"^[^\S\n]*\|\s*PP\s*\|\s*TG\s*\|\s*B\s*\|\s*N_KV\s*\|.*S t/s\s*\|", re.MULTILINE
)
_ROW_LINE = re.compile(r'^\{"n_kv_max": ?\d.*"pl": ?\d.*"speed_tg":', re.MULTILINE)
# "main: n_kv_max = …" until the tool got its own name in this line.
_CONFIG = re.compile(r"^\s*(?:llama_batched_bench|main): (?P<pairs>n_kv_max = .*)$")
_SETTINGS = (
    "n_kv_max", "is_pp_shared", "is_tg_separate", "n_threads", "n_threads_batch", "n_kv", "mmq",
)  # fmt: skip


def recognises(document: Document) -> str | None:
    """The format of a file of llama-batched-bench."""
    if document.kind is Kind.JSON_LINES:
        return _JSONL if _is_row(document.records[0].value) else None
    if document.kind is Kind.JSON:
        return _JSONL if _is_row(document.value) else None
    if BENCH_HEADER.search(document.text):
        return None  # A page with tables of both tools is read for the other's, which say more.
    if _HEADER.search(document.text):
        return _MD
    return _JSONL if _ROW_LINE.search(document.text) else None


def read(document: Document, found: str) -> FileReading:
    """A run for each line or row.

    **Raises**: ``ResultError`` naming the line that is no result.
    """
    around: dict[str, object] = {}
    if found == _MD:
        runs = _read_table(document.text)
    elif document.kind is Kind.JSON:
        runs = (_read_row(document.value, index=0, pointer="$"),)
    elif document.text:
        rows, around = read_row_lines(document.text, _ROW_LINE)
        runs = tuple(
            _read_row(value, index=at, pointer=place) for at, (place, value) in enumerate(rows)
        )
    else:
        runs = tuple(
            _read_row(record.value, index=at, pointer=f"line {record.line}")
            for at, record in enumerate(document.records)
        )
    if not runs:
        return FileReading(
            format=found,
            tool=_TOOL,
            role=FileRole.ATTACHMENT,
            completes=(_TOOL,),
            reason="llama-batched-bench wrote its settings and no result, as it does when it stops "
            "early; the file is kept as a log, send the results of a run that ended.",
        )
    return FileReading(
        format=found, tool=_TOOL, role=FileRole.RUNS, runs=runs, unmapped=around
    )  # fmt: skip


def _is_row(value: object) -> bool:
    return isinstance(value, dict) and all(name in value for name in _NEEDED)


def _read_row(
    value: object,
    *,
    index: int,
    pointer: str,
    facts: dict[str, Fact] | None = None,
    is_rounded: bool = False,
) -> RunReading:
    if not _is_row(value):
        raise ResultError(
            code="not-a-row",
            what=Phrase("The value is no result of llama-batched-bench"),
            place=pointer,
            accepted=Phrase("an object with {names}", names=", ".join(_NEEDED)),
        )
    fields = Fields(value, pointer)
    load = _load(fields)
    metrics = _metrics(fields)
    notices = [Notice("no_model", pointer=pointer), Notice("no_date", pointer=pointer)]
    if is_rounded:
        notices.append(Notice("rounded_values", pointer=pointer))
    return RunReading(
        index=index,
        status=RunStatus.OK if metrics else RunStatus.SUSPECT,
        pointer=pointer,
        facts={
            "tool.name": Fact("llama-batched-bench"),
            "framework.name": Fact("llama.cpp"),
            **(facts or {}),
        },
        load=load,
        metrics=metrics,
        notices=(*notices, *non_finite_notices(fields)),
        unmapped=fields.rest(),
    )


def _load(fields: Fields) -> Load:
    extra = take_extra(fields, _SETTINGS)
    return Load(
        mode=LoadMode.MICROBENCH,
        n_prompt=fields.integer("pp"),
        n_gen=fields.integer("tg"),
        batch_size=fields.integer("pl"),
        n_batch=fields.integer("n_batch"),
        n_ubatch=fields.integer("n_ubatch"),
        n_gpu_layers=fields.integer("n_gpu_layers"),
        extra=extra,
    )


def _metrics(fields: Fields) -> tuple[Measurement, ...]:
    """The rates and times; a rate of a part that was not asked for (0 tokens) is left out."""
    found: list[Measurement] = []
    for metric, name, count in (
        ("prefill_throughput", "speed_pp", "pp"),
        ("decode_throughput", "speed_tg", "tg"),
        ("total_token_throughput", "speed", ""),
    ):
        value = fields.number(name)
        if value is not None and not (count and fields.peek(count) == 0):
            definition = "reported" if metric == "total_token_throughput" else ""
            found += measure(
                metric, {"value": value}, pointer=fields.place(name), definition=definition
            )
    for metric, name, scale in (
        ("batch_latency", "t", 1.0),
        ("prefill_latency", "t_pp", 1000.0),
        ("decode_latency", "t_tg", 1000.0),
    ):
        value = fields.number(name)
        if value is not None:
            found += measure(metric, {"value": value * scale}, pointer=fields.place(name))
    return tuple(found)


def _read_table(text: str) -> tuple[RunReading, ...]:
    lines = text.splitlines()
    runs: list[RunReading] = []
    before = 0
    for table in read_pipe_tables(text):
        if not {"PP", "TG", "B"} <= set(table.header):
            continue
        above = lines_above(lines, before, table.line)
        facts = read_devices(above)
        settings = _settings(above)
        for row in table.rows:
            place = f"line {row.line}"
            if len(row.cells) != len(table.header):
                raise ResultError(
                    code="broken-table",
                    what=Phrase(
                        "The row has {count} cells under {count_2} names",
                        count=len(row.cells),
                        count_2=len(table.header),
                    ),
                    place=place,
                    accepted=Phrase("whole rows as llama-batched-bench prints them"),
                )
            cells = {_COLUMNS.get(name, name): _number(cell)
                     for name, cell in zip(table.header, row.cells, strict=True)}  # fmt: skip
            value = {**settings, **cells}
            runs.append(
                _read_row(value, index=len(runs), pointer=place, facts=facts, is_rounded=True)
            )
        before = table.rows[-1].line if table.rows else table.line + 1
    return tuple(runs)


def _settings(lines: list[tuple[int, str]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for _number_of_line, line in lines:
        config = _CONFIG.match(line)
        if config:
            for pair in config["pairs"].split(","):
                name, _sign, value = pair.partition("=")
                if value.strip():
                    found[name.strip()] = _number(value.strip())
    return found


def _number(cell: str) -> object:
    if re.fullmatch(r"-?\d{1,18}", cell):
        return int(cell)
    return float(cell) if re.fullmatch(r"-?\d+\.\d+", cell) else cell


IMPORTER = Importer(tool=_TOOL, formats=(_JSONL, _MD), recognises=recognises, read=read)
