"""Reads the tables that llama-bench prints, alone or in a log with device lines around them."""

import re
from collections.abc import Sequence

from benchmarks_app.contract import Fact, Load, Notice, RunReading
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.llama_bench.devices import (
    is_boundary,
    lines_above,
    read_devices,
)
from benchmarks_app.importers.llama_bench.rows import (
    FIRST_BUILD,
    fixed_facts,
    metric_of,
    name_flash_attention,
)
from benchmarks_app.importers.taking import Scalar, measure
from benchmarks_app.reading.tables import PipeTable, Row, read_pipe_tables, split_pipes
from matrix.domain.phrases import Phrase
from matrix.domain.redaction import mask_text

HEADER = re.compile(
    # Blank lines are no indentation: each of a thousand would be looked through from each.
    r"^[^\S\n]*\|\s*model\s*\|\s*size\s*\|\s*params\s*\|\s*backend\s*\|(?:.*\|)?"
    r"\s*test\s*\|\s*t/s\s*\|\s*$",
    re.MULTILINE,
)
_NEEDED = ("model", "size", "params", "backend", "test", "t/s")
_BUILD = re.compile(r"^\s*build: (?P<commit>[0-9A-Za-z]+) \((?P<number>\d{1,9})\)")
# "pp512", "tg128", "pp64+tg16", "pp512 @ d128"; early versions wrote a blank after the letters.
_TEST = re.compile(
    r"^(?:pp\s*(?P<pp>\d{1,9}))?(?:\s*\+\s*)?(?:tg\s*(?P<tg>\d{1,9}))?(?:\s*@\s*d\s*(?P<depth>\d{1,9}))?$"
)
# A fork measures generation behind a prompt under "tg64@pp512".
_BEHIND = re.compile(r"^tg(?P<tg>\d{1,9})@pp(?P<depth>\d{1,9})$")
# The sign between is "±", or what a console without UTF-8 made of it.
_RATE = re.compile(
    r"^(?P<mean>\d{1,15}(?:\.\d{1,15})?)(?:\s*[^\d\s.]{1,3}\s*(?P<std>\d{1,15}(?:\.\d{1,15})?))?$"
)
# Columns that the table shows only where they differ from the default, under their short names.
_LOAD = {"ngl": "n_gpu_layers", "n_batch": "n_batch", "n_ubatch": "n_ubatch"}
_CACHE = {"type_k": "kv_cache.type_k", "type_v": "kv_cache.type_v"}
_SETTINGS = {
    "threads": "n_threads", "cpu_mask": "cpu_mask", "cpu_strict": "cpu_strict", "poll": "poll",
    "ncmoe": "n_cpu_moe", "n_cpu_moe": "n_cpu_moe", "sm": "split_mode", "mg": "main_gpu",
    "main_gpu": "main_gpu", "dev": "devices", "devices": "devices", "ts": "tensor_split",
    "ot": "tensor_buft_overrides", "mmap": "use_mmap", "dio": "use_direct_io",
    "load_mode": "load_mode", "lm": "load_mode", "lazy_mode": "lazy_mode", "embd": "embeddings",
    "nopo": "no_op_offload", "noh": "no_host", "no_host": "no_host", "repack": "repack",
    "fitt": "fit_target", "fitc": "fit_min_ctx", "fit_target": "fit_target",
    "fit_min_ctx": "fit_min_ctx", "defrag_thold": "defrag_thold", "rpc": "rpc",
}  # fmt: skip
_FLAGS = frozenset({"use_mmap", "use_direct_io", "embeddings", "no_host", "repack", "cpu_strict"})


def read_markdown(text: str) -> tuple[tuple[RunReading, ...], dict[str, object]]:
    """The runs of all tables of llama-bench in a text, and the rows that say nothing, by line.

    Each table has its own build and devices. Lines of a log may stand between its rows.
    **Raises**: ``ResultError`` naming the line of a row that is cut off or says no rate.
    """
    lines = text.splitlines()
    every = read_pipe_tables(text)
    runs: list[RunReading] = []
    rest: dict[str, object] = {}
    before = 0
    tables = [at for at, table in enumerate(every) if all(name in table.header for name in _NEEDED)]
    for number, at in enumerate(tables):
        table = every[at]
        after = every[tables[number + 1]].line if number + 1 < len(tables) else len(lines) + 1
        until = every[at + 1].line if at + 1 < len(every) else len(lines) + 1
        rows = _rows(table, lines, until, rest)
        end = rows[-1].line if rows else table.line + 1
        facts = fixed_facts()
        facts |= read_devices(lines_above(lines, before, table.line))
        facts |= _build(lines, end, after)
        runs += [_run(table, row, facts=facts, index=len(runs) + at) for at, row in enumerate(rows)]
        before = end
    for at, table in enumerate(every):
        if at not in tables:
            end = table.rows[-1].line if table.rows else table.line + 1
            rest[f"line {table.line}"] = mask_text("\n".join(lines[table.line - 1 : end])).text
    return tuple(runs), rest


def _rows(
    table: PipeTable, lines: Sequence[str], until: int, rest: dict[str, object]
) -> list[Row]:  # fmt: skip
    """The rows of a table up to the next one; what a tool or a person put between goes to rest."""
    end = table.rows[-1].line if table.rows else table.line + 1
    below = [
        Row(at, split_pipes(lines[at - 1]))
        for at in range(end + 1, until)
        if lines[at - 1].lstrip().startswith("|")
    ]
    rows: list[Row] = []
    for row in (*table.rows, *below):
        # The heading again, words of a log in the first cell alone, or a row of something else.
        is_other = row.line > end and len(row.cells) != len(table.header)
        if row.cells == table.header or not any(row.cells[1:]) or is_other:
            rest[f"line {row.line}"] = mask_text(lines[row.line - 1]).text
        else:
            rows.append(row)
    return rows


def _build(lines: Sequence[str], start: int, stop: int) -> dict[str, Fact]:
    """The build line below a table, before the next table."""
    for number in range(start, min(stop, len(lines) + 1)):
        if is_boundary(lines[number - 1]):
            break
        found = _BUILD.match(lines[number - 1])
        if found:
            place = f"line {number}"
            facts = {}
            if found["commit"] != "unknown":
                facts["framework.commit"] = Fact(found["commit"], pointer=place)
            if int(found["number"]) >= FIRST_BUILD:
                facts["framework.build_number"] = Fact(int(found["number"]), pointer=place)
            return facts
    return {}


def _run(table: PipeTable, row: Row, *, facts: dict[str, Fact], index: int) -> RunReading:
    place = f"line {row.line}"
    if len(row.cells) != len(table.header):
        raise _broken(
            place,
            Phrase(
                "The row has {count} cells under {count_2} names",
                count=len(row.cells),
                count_2=len(table.header),
            ),
        )
    cells = dict(zip(table.header, row.cells, strict=True))
    n_prompt, n_gen, n_depth = _test(cells.pop("test"), place)
    stats = _rate(cells.pop("t/s"), place)
    own = facts | _model(cells, place)
    load, own = _load(cells, own, place)
    metric = metric_of(n_prompt, n_gen)
    if metric is None:
        raise _broken(place, Phrase("The test has neither prompt nor generated tokens"))
    return RunReading(
        index=index,
        status=RunStatus.OK,
        pointer=place,
        facts=own,
        load=Load(
            mode=LoadMode.MICROBENCH,
            n_prompt=n_prompt,
            n_gen=n_gen,
            n_depth=n_depth,
            n_batch=load.n_batch,
            n_ubatch=load.n_ubatch,
            n_gpu_layers=load.n_gpu_layers,
            extra=load.extra,
        ),
        metrics=measure(metric, stats, pointer=place),
        notices=(Notice("rounded_values", pointer=place), Notice("no_date", pointer=place)),
        unmapped={f"{place}, {name}": value for name, value in cells.items()},
    )


def _model(cells: dict[str, str], place: str) -> dict[str, Fact]:
    name = cells.pop("model")
    facts = {}
    if name:
        facts["model.desc"] = Fact(name, pointer=place)
    backend = cells.pop("backend")
    if backend:
        facts["accelerator.backend"] = Fact(backend, pointer=place)
    # Size and parameters are rounded here, so they are no exact counts; kept as they stand.
    raw = " | ".join(part for part in (name, cells.pop("size"), cells.pop("params")) if part)
    if raw:
        facts["model.raw"] = Fact(raw, pointer=place)
    return facts


def _load(
    cells: dict[str, str], facts: dict[str, Fact], place: str
) -> tuple[Load, dict[str, Fact]]:
    numbers: dict[str, int] = {}
    extra: dict[str, Scalar] = {}
    own = dict(facts)
    for column in list(cells):
        value = cells[column]
        whole = int(value) if re.fullmatch(r"-?\d{1,18}", value) else None
        if column in _LOAD and whole is not None:
            numbers[_LOAD[column]] = whole
        elif column in _CACHE and value:
            own[_CACHE[column]] = Fact(value, pointer=place)
        elif column == "fa" and value:
            extra["flash_attn"] = name_flash_attention(value if whole is None else whole)
        elif column == "nkvo" and value in ("0", "1"):
            own["kv_offload"] = Fact(value == "0", pointer=place)
        elif column in _SETTINGS and value:
            name = _SETTINGS[column]
            setting: Scalar = whole if whole is not None else value
            extra[name] = bool(whole) if name in _FLAGS and whole in (0, 1) else setting
        elif value:
            continue
        del cells[column]
    backend = own.get("accelerator.backend")
    # Devices of other machines, which RPC adds, print no line here.
    is_remote = backend is not None and "RPC" in str(backend.value).split(",")
    if is_remote or extra.get("split_mode") == "none" or extra.get("devices", "auto") != "auto":
        own.pop("accelerator.count", None)
    return Load(
        n_gpu_layers=numbers.get("n_gpu_layers"),
        n_batch=numbers.get("n_batch"),
        n_ubatch=numbers.get("n_ubatch"),
        extra=extra,
    ), own


def _test(cell: str, place: str) -> tuple[int, int, int]:
    behind = _BEHIND.match(cell)
    if behind:
        return 0, int(behind["tg"]), int(behind["depth"])
    found = _TEST.match(cell)
    if not cell or not found:
        raise _broken(place, Phrase("The test {cell!r} is not known", cell=cell[:40]))
    return int(found["pp"] or 0), int(found["tg"] or 0), int(found["depth"] or 0)


def _rate(cell: str, place: str) -> dict[str, float]:
    found = _RATE.match(cell)
    if not found:
        raise _broken(place, Phrase("The rate {cell!r} is no number", cell=cell[:40]))
    stats = {"mean": float(found["mean"])}
    if found["std"]:
        stats["std"] = float(found["std"])
    return stats


def _broken(place: str, what: str) -> ResultError:
    return ResultError(
        code="broken-table",
        what=what,
        place=place,
        accepted=Phrase(
            "whole rows as llama-bench prints them, with pp512, tg128 or pp64+tg16 as test"
        ),
    )
