"""The models that the plug-in was tested with, and two features of each."""

import re
from dataclasses import replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from ingest.sources.grids import Grid, read_grid, tables_with
from ingest.sources.plugin_pages import find_signs, matches_in, read_legend, unexpected
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

HARDWARE = facet_of(Axis.HARDWARE, "MetaX C-series", "metax-c-series")

_SIGNS = StatusTable(
    {
        "✅": StatementStatus.SUPPORTED,
        "🚧": StatementStatus.PLANNED,
        "⚠": StatementStatus.KNOWN_ISSUES,
    }
)
_LEGEND = {
    "✅": ("indicates", "supported for the model"),
    "🚧": ("indicates", "planned, not yet supported for the model"),
    "⚠": ("indicates", "there, with known issues or limits"),
}
_LISTED = re.compile(r"list all the \*\*tested\*\* model")
_FEATURES = {"lora": "lora", "pp": "pipeline-parallel"}
_INPUTS = {"I": "multimodal-image", "V": "multimodal-video", "A": "multimodal-audio"}
_BRACKETS = "in brackets on the page: not for every model of the row"
_CLASS = re.compile(r"[A-Za-z][\w]+")


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every listed architecture as tested, with its features, inputs and examples.

    A blank cell is not in the legend and states nothing.
    """
    collector = Collector(page, vocabulary)
    tables = tables_with(page, "Architecture", "LoRA", "PP")
    if not tables:
        raise unexpected(page, expected='tables with "Architecture", "LoRA" and "PP"')
    for table in tables:
        _read_rows(collector, table)
        read_grid(
            collector,
            table,
            Grid(
                "model-feature",
                lambda cell, at: _classes(collector, cell, at),
                _feature,
                _SIGNS,
            ),
        )
    read_legend(collector, "models", find_signs(page.document, _LEGEND))
    for line, match in matches_in(page.document, _LISTED):
        read_legend(collector, "models", [(line, match.group(0), "listed models are tested")])
    return collector.reading("models")


def _classes(collector: Collector, cell: Cell, at: Locator) -> list[Facet]:
    """The architectures of a row, one statement each."""
    return [
        part
        for word in _CLASS.findall(cell.text)
        for part in collector.split(collector.facet(Axis.MODEL, word, at))
    ]


def _feature(name: str, at: Locator) -> list[Facet] | None:
    slug = _FEATURES.get(fold_label(name))
    return [facet_of(FEATURE, name, slug), HARDWARE] if slug else None


def _read_rows(collector: Collector, table: Table) -> None:
    """Add the row itself as tested, its inputs as features, its names and examples as values."""
    for cells in table.rows:
        row = cells[0].text
        for index, name in enumerate(table.columns):
            label, cell = fold_label(name), cells[index]
            if label in _FEATURES:
                continue
            finding = collector.at_cell(table, cell, row=row, column=name)
            if label == "architecture":
                for part in _classes(collector, cells[0], finding.locator):
                    collector.state("model", [part, HARDWARE], StatementStatus.VALIDATED, finding)
                continue
            for part in _classes(collector, cells[0], finding.locator):
                if label == "inputs":
                    _state_inputs(collector, part, cell, finding)
            collector.value(
                FindingKind.VALUE,
                f"model-{label}/{fold_label(row)}",
                StatementStatus.VALUE if cell.text else StatementStatus.NOT_STATED,
                replace(finding, names={"architecture": row}),
                value=cell.text[:200],
            )


def _state_inputs(collector: Collector, model: Facet, cell: Cell, finding: Finding) -> None:
    """Add each kind of input; one in brackets is not there for every model of the row."""
    for sign in _inputs(cell.text):
        some = f"({sign}" in cell.text
        collector.state(
            "model-input",
            [model, facet_of(FEATURE, cell.text, _INPUTS[sign]), HARDWARE],
            StatementStatus.PARTIAL if some else StatementStatus.SUPPORTED,
            replace(finding, note=_BRACKETS) if some else finding,
        )


def _inputs(text: str) -> list[str]:
    """The letters of the inputs besides text."""
    return [sign for sign in _INPUTS if re.search(rf"\b{sign}\b", text)]
