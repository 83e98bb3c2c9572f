"""Models × formats and features, features alone, and the quantization matrix."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, facet_of, one_line
from ingest.sources.grids import GridCell, tables_with
from ingest.sources.plugin_pages import (
    ModelTable,
    matches_in,
    read_model_table,
    require_findings,
    unexpected,
    whole_row,
)
from ingest.sources.vllm_kunlun.words import (
    COLUMNS,
    FEATURE_SIGNS,
    FEATURES,
    HARDWARE,
    MODELS,
    SCHEMES,
    SIGNS,
)
from matrix.domain.levels import Axis, Tier

_EXPERIMENTAL = re.compile(r"feature is currently experimental")
_METHODS = re.compile(
    r"support quantization methods such as compressed-tensors, AWQ, and GPTQ, enabling various "
    r"precision configurations including W8A8, W4A16, and W8A16"
)
# Bullets below the matrix: what stands in them, the schemes, and what they are restricted to.
_BULLETS = (
    ("Compressed-Tensors w8a8-Int8", ("int8-w8a8-dynamic", "int8-w8a8-static"), ""),
    ("Compressed-Tensors w4a16", ("int4-w4a16",), ""),
    ("AWQ(w4a16) quantization", ("awq-w4a16",), ""),
    ("GPTQ (w4a16/w8a16) quantization", ("gptq-w4a16", "gptq-w8a16"), "dense models only"),
)


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The tables of models with their formats and features."""
    collector = Collector(page, vocabulary)
    read_support_tables(collector, area="models")
    require_findings(collector, expected='tables with "Model" and "Support"')
    return collector.reading("models")


def read_support_tables(collector: Collector, *, area: str) -> None:
    """Add every table of the page that has a model and a support column."""
    for table in tables_with(collector.page, "Model", "Support"):
        read_model_table(
            collector,
            table,
            ModelTable(
                area=area,
                always=(HARDWARE,),
                columns=COLUMNS,
                statuses=SIGNS,
                models=MODELS,
                refine=_refine,
            ),
        )


def _refine(found: GridCell) -> None:
    """The warning sign means "planned" only beside such a note."""
    found.finding = whole_row(found.finding, found.row, found.cell)
    if found.cell.text.strip() != "⚠":
        return
    row = next(cells for cells in found.table.rows if cells[0] is found.row)
    if not any("coming" in cell.text.lower() for cell in row[1:]):
        found.status = None


def read_features(page: Page, vocabulary: Vocabulary) -> Reading:
    """Features of the plug-in, with the words of its status column."""
    collector = Collector(page, vocabulary)
    for table in tables_with(page, "Feature", "Status"):
        for cells in table.rows:
            finding = collector.at_cell(table, cells[1], row=cells[0].text, column="Status")
            facet = collector.facet(FEATURE, cells[0].text, finding.locator, table=FEATURES)
            status = FEATURE_SIGNS.read(cells[1])
            if status is None:
                collector.miss("status", cells[1].text, finding.locator)
                status = StatementStatus.NOT_STATED
            if len(cells) > 2 and cells[2].text:
                finding = replace(finding, note=f"the page adds: {one_line(cells[2].text)[:100]}")
            collector.state("feature", [facet, HARDWARE], status, finding)
    if not collector.findings:
        raise unexpected(page, expected='a table with "Feature" and "Status"')
    return collector.reading()


def read_quantization(page: Page, vocabulary: Vocabulary) -> Reading:
    """The quantization matrix and its bullets; the page calls the feature experimental."""
    collector = Collector(page, vocabulary)
    experimental = any(_EXPERIMENTAL.search(line) for line in page.document.source_lines)
    for line, match in matches_in(page.document, _METHODS):
        finding = collector.at_line(line, match.group(0))
        for slug in ("int8-w8a8", "awq-w4a16", "gptq-w4a16", "gptq-w8a16"):
            collector.state(
                "quantization-named",
                [facet_of(Axis.QUANTIZATION, slug, slug), HARDWARE],
                StatementStatus.SUPPORTED,
                finding,
            )
    for table in page.document.tables:
        _read_matrix(collector, table)
    for item in page.document.items:
        for words, slugs, limit in _BULLETS:
            if one_line(item.text).startswith(words):
                finding = replace(collector.at_line(item.line, item.text), note=limit)
                for slug in slugs:
                    collector.state(
                        "quantization-bullet",
                        [facet_of(Axis.QUANTIZATION, words, slug), HARDWARE],
                        StatementStatus.PARTIAL if limit else StatementStatus.SUPPORTED,
                        finding,
                    )
    require_findings(collector, expected="the support matrix or the sentence that names methods")
    if experimental:
        collector.findings = [
            replace(found, tier=Tier.EXPERIMENTAL)
            if found.status is StatementStatus.SUPPORTED
            else found
            for found in collector.findings
        ]
    return collector.reading()


def _read_matrix(collector: Collector, table: Table) -> None:
    """Add the one row of the matrix; its three header rows are joined in the column names."""
    for cells in table.rows:
        for name, cell in zip(table.columns, cells, strict=False):
            finding = collector.at_cell(table, cell, row="", column=name)
            facets = SCHEMES.get(fold_label(one_line(name)))
            if facets is None:
                facets = (collector.facet(Axis.QUANTIZATION, name, finding.locator),)
            status = SIGNS.read(cell)
            if status is None:
                collector.miss("status", cell.text, finding.locator)
                status = StatementStatus.NOT_STATED
            for facet in collector.split(facets[0]):
                collector.state("quantization", [facet, *facets[1:], HARDWARE], status, finding)


def read_checkpoints(page: Page, vocabulary: Vocabulary) -> Reading:
    """The quantised checkpoints that the project publishes, with their addresses."""
    collector = Collector(page, vocabulary)
    for table in tables_with(page, "Model", "INT8 Address"):
        model, address = table.column("Model"), table.column("INT8 Address")
        for cells in table.rows:
            if not cells[model].text:
                continue
            finding = collector.at_cell(
                table, cells[address], row=cells[model].text, column="INT8 Address"
            )
            collector.value(
                FindingKind.ARTEFACT,
                f"checkpoint/{fold_label(cells[model].text)}",
                StatementStatus.PUBLISHED,
                replace(
                    finding,
                    names={"model": cells[model].text, "quantization": "INT8 (W8A8)"},
                    links=tuple(link.target for link in cells[address].links),
                ),
                value=cells[model].text,
            )
    if not collector.findings:
        raise unexpected(page, expected='a table with "Model" and "INT8 Address"')
    return collector.reading()
