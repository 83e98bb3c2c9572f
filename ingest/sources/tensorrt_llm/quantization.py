"""Precision tables: model × scheme, hardware × scheme (two tables with the same header)."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Document, Table, fold_label
from ingest.sources.collecting import Collector, Facet
from ingest.sources.grids import Grid, GridCell, read_grid, require_table
from ingest.sources.tensorrt_llm.words import (
    ARCHITECTURES,
    PRECISION_SIGNS,
    SM_NUMBERS,
    WEIGHT_ONLY_SLUGS,
    architecture_row,
    models,
    precision,
    read_sm_numbers,
    sm_slugs,
)
from matrix.domain.levels import Execution, Limit

_REFUSED_ON = re.compile(r"INT8 SmoothQuant is not supported on (SM[\w, ]+)", re.IGNORECASE)
_REFUSED_BELOW = re.compile(r"INT4 AWQ and GPTQ are not supported on SM\s*<\s*(\d+)", re.IGNORECASE)
_FP8_ACTIVATIONS = re.compile(
    r"INT4 AWQ and GPTQ with FP8 activations require SM\s*>=\s*(\d+)", re.IGNORECASE
)
_TEXT_MARK = re.compile(r"\((\d)\)")
_IN_INT8 = frozenset({"smoothquant"})
_REMOVED = "legacy tensorrt backend has been removed"


def read_quantization_page(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of features/quantization.md: models first, then hardware under "Model"."""
    collector = Collector(page, vocabulary)
    columns = ("Model", "NVFP4", "FP8 KV Cache")
    require_table(page, columns=columns, heading="Model Supported Matrix")
    require_table(page, columns=columns, heading="Hardware Support Matrix")
    for table in page.document.tables:
        if not table.has_columns(columns):
            continue
        # The hardware table's first column is headed "Model" too; its rows tell what it lists.
        if any(_names_hardware(row[0]) for row in table.rows):
            read_grid(collector, table, hardware_grid("quantization-hardware", collector))
            _note_block_recipe(collector, table)
        else:
            read_grid(collector, table, model_grid("model-quantization", collector))
    return collector.reading()


def read_precision_page(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of precision.md: model × precision.

    After the removal of the TensorRT backend the page keeps the table as history: its cells are
    then values, not claims.
    """
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=("Model", "FP16", "W8A8 SQ"))
    read_grid(collector, table, model_grid("model-quantization", collector))
    if any(_REMOVED in text.text.lower() for text in page.document.paragraphs):
        collector.findings = [
            replace(found, kind=FindingKind.VALUE, note="history of the removed TensorRT backend")
            for found in collector.findings
        ]
    return collector.reading()


def read_readme_precision(collector: Collector) -> None:
    """Add the README's hardware × precision table of 2023 and 2024, with its numbered notes."""
    for table in collector.document.tables:
        if {"fp8", "int8", "int4"} <= {fold_label(name) for name in table.columns}:
            read_grid(collector, table, hardware_grid("quantization-hardware", collector))


def model_grid(area: str, collector: Collector) -> Grid:
    """How to read a table of models × precisions."""
    return Grid(
        area=area,
        row=lambda cell, at: models(cell.text, at, collector),
        column=lambda name, at: [precision(name, at, collector)],
        statuses=PRECISION_SIGNS,
        refine=_refine_weight_only,
    )


def hardware_grid(area: str, collector: Collector) -> Grid:
    """How to read a table of NVIDIA architectures × precisions."""

    def refine(found: GridCell) -> None:
        _refine_weight_only(found)
        notes = numbered_notes(collector.document)
        marks = [*found.cell.marks, *_TEXT_MARK.findall(found.cell.raw)]
        texts = [notes[mark] for mark in dict.fromkeys(marks) if mark in notes]
        if texts and found.status is None:
            found.status = PRECISION_SIGNS.read_text(_TEXT_MARK.sub("", found.cell.raw))
        found.facets, found.finding = apply_notes(
            collector, area, found.facets, (found.finding, texts)
        )

    return Grid(
        area=area,
        row=lambda cell, at: [architecture_row(cell.text, at, collector)],
        column=lambda name, at: [precision(name, at, collector)],
        statuses=PRECISION_SIGNS,
        refine=refine,
    )


def apply_notes(
    collector: Collector, area: str, facets: list[Facet], noted: tuple[Finding, Sequence[str]]
) -> tuple[list[Facet], Finding]:
    """Turn numbered notes of a hardware × precision statement into refusals of their own.

    **Shapes**: the first facet is the hardware; returned are the facets without the refused
    scheme, where it lies in the stated family, and the finding with a note that names it.
    """
    finding, texts = noted
    for text in texts:
        refused, on = refusal_of(text)
        hit = [number for number in read_sm_numbers(facets[0].word) if number in on]
        if not refused or not hit:
            continue
        for slug in sorted(refused):
            scheme = replace(facets[1], slugs=frozenset({slug}), exclude=frozenset())
            collector.state(
                area,
                [replace(facets[0], slugs=sm_slugs(hit)), scheme],
                StatementStatus.UNSUPPORTED,
                replace(
                    finding,
                    limit=Limit.HARDWARE,
                    footnotes=(text,),
                    note=f"a note of the table refuses {slug} on this compute capability",
                ),
            )
        facets = [facets[0], replace(facets[1], exclude=facets[1].exclude | (refused & _IN_INT8))]
        finding = replace(
            finding,
            footnotes=(*finding.footnotes, text),
            note=f"not {', '.join(sorted(refused))} on this compute capability",
        )
    return facets, finding


def refusal_of(text: str) -> tuple[frozenset[str], frozenset[int]]:
    """The schemes that a numbered note refuses and the compute capabilities it refuses them on."""
    if match := _REFUSED_ON.search(text):
        return frozenset({"smoothquant"}), frozenset(read_sm_numbers(match.group(1)))
    if match := _REFUSED_BELOW.search(text):
        floor = int(match.group(1))
        return frozenset({"awq", "gptq"}), frozenset(n for n in SM_NUMBERS if n < floor)
    if match := _FP8_ACTIVATIONS.search(text):
        floor = int(match.group(1))
        return frozenset({"awq-w4a8", "gptq-w4a8"}), frozenset(n for n in SM_NUMBERS if n < floor)
    return frozenset(), frozenset()


def numbered_notes(document: Document) -> dict[str, str]:
    """Notes written as text, "(1) …" at the start of a line, and named footnotes, by mark."""
    notes = {note.mark: note.text for note in document.footnotes}
    for line in document.source_lines:
        if match := re.match(r"\((\d)\)\s+(.*)", line.strip()):
            notes[match.group(1)] = match.group(2).removesuffix("<br>")
    return notes


def _names_hardware(cell: Cell) -> bool:
    """Whether a row's word is an NVIDIA architecture."""
    return bool(read_sm_numbers(cell.text)) or fold_label(cell.text) in ARCHITECTURES


def _refine_weight_only(found: GridCell) -> None:
    """State how weight-only schemes run: their weights are expanded before the product."""
    slugs = {slug for facet in found.facets for slug in facet.slugs}
    if slugs & WEIGHT_ONLY_SLUGS and found.status is StatementStatus.SUPPORTED:
        found.change(execution=Execution.WEIGHT_ONLY)


def _note_block_recipe(collector: Collector, table: Table) -> None:
    """Add the note that Blackwell's block-scaled FP8 follows the MXFP8 recipe."""
    for text in collector.document.paragraphs:
        if text.heading != table.heading or "MXFP8 recipe" not in text.text:
            continue
        numbers = read_sm_numbers(text.text.split("using")[0])
        collector.value(
            FindingKind.VALUE,
            "quantization-recipe/fp8-w8a8-block/" + "+".join(sorted(sm_slugs(numbers))),
            StatementStatus.VALUE,
            collector.at_line(text.line, "MXFP8 recipe"),
            value="mxfp8",
        )
