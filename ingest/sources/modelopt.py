"""Model Optimizer: formats × GPU generations × deployment engines, and models × formats.

A quantizer runs no model: what a format needs of a GPU is a claim, which engines take a
checkpoint is kept as a value beside it.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    PageRule,
    Reading,
    Source,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.capabilities import nvidia_below
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines
from ingest.sources.statuses import StatusTable
from matrix.domain.levels import Axis, Limit

_FORMATS = {
    "fp4": facet_of(Axis.QUANTIZATION, "FP4", "nvfp4-w4a4"),
    "fp8": facet_of(Axis.QUANTIZATION, "FP8", "fp8-w8a8-tensor"),
    "int8": facet_of(Axis.QUANTIZATION, "INT8", "int8-w8a8"),
    "w4a16 (int4 weights only)": facet_of(Axis.QUANTIZATION, "W4A16", "awq-w4a16"),
    "w4a8 (int4 weights, fp8 activations)": facet_of(Axis.QUANTIZATION, "W4A8", "awq-w4a8"),
}
# "Ada and Later": the families from the named one on, and the capability below which it ends.
_LATER: dict[str, tuple[float, tuple[str, ...]]] = {
    "ampere": (8.0, ("nvidia-ampere", "nvidia-ada", "nvidia-hopper", "nvidia-blackwell")),
    "ada": (8.9, ("nvidia-ada", "nvidia-hopper", "nvidia-blackwell")),
    "hopper": (9.0, ("nvidia-hopper", "nvidia-blackwell")),
    "blackwell": (10.0, ("nvidia-blackwell",)),
}
_GPUS = re.compile(r"GPUs: (\w+) and Later")
_STAR = re.compile(r"Features marked with an asterisk \(\*\) are considered experimental")
_CELLS = StatusTable(
    {"✅": StatementStatus.SUPPORTED, "❌": StatementStatus.UNSUPPORTED,
     "-": StatementStatus.NOT_STATED}
)  # fmt: skip
_LISTS = ("Supported Model Formats", "Deployment")
_NOTE = re.compile(r"^> \*<sup>(\d+)\.</sup>")


def read_matrix(page: Page, vocabulary: Vocabulary) -> Reading:
    """The support matrix: GPU floors of the formats; engines and model formats as values."""
    collector = Collector(page, vocabulary)
    tables = [t for t in page.document.tables if t.has_columns(("Quantization Format", *_LISTS))]
    if not tables:
        raise UnexpectedPage(
            path=page.path,
            expected="tables with Quantization Format, " + ", ".join(_LISTS),
            nearest="; ".join(", ".join(t.columns) for t in page.document.tables[:3]),
        )
    for table in tables:
        for row, cells in table.records():
            _read_floor(collector, table, row, cells["Details"])
            for column in _LISTS:
                for word, starred in _words(cells[column]):
                    _keep(collector, table, (row, cells[column]), column, word, starred=starred)
    for number, line in numbered_lines(page.document):
        if match := _STAR.search(line):
            collector.value(
                FindingKind.LEGEND,
                "legend/support-matrix/*",
                StatementStatus.LEGEND,
                collector.at_line(number, match.group(0)),
                value="experimental",
            )
    return collector.reading()


def _read_floor(collector: Collector, table: Table, row: Cell, details: Cell) -> None:
    """Add the generations that a format needs, and those below the floor."""
    match = _GPUS.search(details.text)
    if match is None:
        return
    finding = collector.at_cell(table, details, row=row.text, column="Details")
    finding = replace(finding, raw=match.group(0))
    scheme = _FORMATS.get(fold_label(row.text))
    if scheme is None:
        scheme = collector.facet(Axis.QUANTIZATION, row.text, finding.locator)
    floor, families = _LATER.get(match.group(1).lower(), (0.0, ()))
    if not families:
        collector.miss(Axis.HARDWARE, match.group(1), finding.locator)
    system = [facet_of(FEATURE, "Windows", "windows")] if "Windows" in table.tabs else []
    hardware = Facet(Axis.HARDWARE, match.group(0), frozenset(families))
    area = "format-hardware"
    facets = [scheme, hardware, *system]
    collector.state(area, facets, StatementStatus.SUPPORTED, finding)
    if not floor:
        return
    below = Facet(Axis.HARDWARE, f"below {match.group(1)}", nvidia_below(floor))
    refused = replace(
        finding,
        limit=Limit.HARDWARE,
        note=f"below the stated floor of compute capability {floor:g}",
    )
    facets = [scheme, below, *system]
    collector.state(f"{area}-floor", facets, StatementStatus.UNSUPPORTED, refused)


def _words(cell: Cell) -> Iterator[tuple[str, bool]]:
    """The parts of "TensorRT*, TensorRT-LLM", each with whether it has a star."""
    for part in re.split(r",\s*", one_line(cell.raw)):
        word = part.replace("\\", "").strip().lstrip("- ").strip()
        if word:
            yield word.rstrip("*").strip(), word.endswith("*")


def _keep(
    collector: Collector,
    table: Table,
    at: tuple[Cell, Cell],
    column: str,
    word: str,
    *,
    starred: bool,
) -> None:
    row, cell = at
    system = table.tabs[-1] if table.tabs else ""
    names = {"quantization": row.text, fold_label(column): word, "os": system}
    place = "/".join(fold_label(part) for part in (system, row.text, column, word) if part)
    collector.value(
        FindingKind.VALUE,
        f"format/{place}",
        StatementStatus.EXPERIMENTAL if starred else StatementStatus.SUPPORTED,
        replace(
            collector.at_cell(table, cell, row=row.text, column=column),
            raw=f"{word}*" if starred else word,
            names={key: name for key, name in names.items() if name},
        ),
        value=word,
    )


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """Models × formats, and exported checkpoints × engines: values with the page's notes."""
    collector = Collector(page, vocabulary)
    tables = [t for t in page.document.tables if fold_label(t.columns[0]) == "model"]
    if not any("fp8" in map(fold_label, table.columns) for table in tables):
        raise UnexpectedPage(
            path=page.path,
            expected='a table with "Model", "fp8", "nvfp4"',
            nearest="; ".join(", ".join(t.columns[:5]) for t in page.document.tables[:3]),
        )
    notes = _notes(page)
    for table in tables:
        for row, cells in table.records():
            kind = cells.get("Quant format")
            for column, cell in cells.items():
                if cell is row or cell is kind:
                    continue
                finding = collector.at_cell(table, cell, row=row.text, column=column)
                status = _CELLS.read(cell)
                if status is None:
                    collector.miss("status", cell.text, finding.locator)
                    status = StatementStatus.NOT_STATED
                words = [row.text, kind.text if kind else "", column]
                place = "/".join(fold_label(word) for word in words if word)
                marks = (*row.marks, *cell.marks)
                collector.value(
                    FindingKind.VALUE,
                    f"model-format/{place}",
                    status,
                    replace(
                        finding,
                        names={"model": row.text, "quantization": words[1] or column},
                        footnotes=tuple(notes[mark] for mark in marks if mark in notes),
                    ),
                    value=cell.text,
                )
    return collector.reading()


def _notes(page: Page) -> dict[str, str]:
    """The notes below the tables by their number."""
    found: dict[str, str] = {}
    for line in page.document.source_lines:
        if match := _NOTE.match(line):
            found[match.group(1)] = one_line(line)
    return found


SOURCE = Source(
    name="modelopt-docs",
    framework="modelopt",
    title="Model Optimizer documentation",
    rules=(
        PageRule("support-matrix", (r"docs/source/guides/0_support_matrix\.rst",), read_matrix),
        PageRule("models", (r"examples/(?:llm|hf)_ptq/README\.md",), read_models),
    ),
)
