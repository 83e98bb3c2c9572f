"""supported_models.md: models by product, with the schemes and features stated for each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.vllm_ascend.legends import MODEL_LEGEND, read_legend
from ingest.sources.vllm_ascend.words import SIGNS, UNNAMED_NO, UNNAMED_YES, Place, places_of
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, Limit, Tier

_SUPPORT = frozenset({"support", "supported"})
_HARDWARE = "supported hardware"
_LENGTH = "max-model-len"
_VALUES = frozenset({"note", _HARDWARE, _LENGTH})
_SCHEMES = {"bf16": "bf16", "w8a8": "int8-w8a8"}
_POSITIVE = frozenset({StatementStatus.SUPPORTED, StatementStatus.EXPERIMENTAL})
# Words that name another set of models in a table of the other modality, or no set at all:
# "based on Qwen3" is whatever somebody trained further.
_MODALITY: dict[tuple[str, str], tuple[str, ...]] = {
    ("multimodal", "llama3.2"): ("llama-3.2-vision",),
    ("multimodal", "gemma3"): ("gemma-3-multimodal",),
    ("text", "gemma-3"): ("gemma-3-text",),
}
_OPEN_SETS = frozenset({"qwen2-based", "qwen2.5-based", "qwen3-based"})
_POOLS_ONLY = re.compile(r"embedding|rerank|roberta|\bbert\b|-rm-", re.IGNORECASE)
_NOTES = {
    "native mixed mxfp8/mxfp4 weights": "the checkpoint's own mix of MXFP8 and MXFP4 weights",
    "vllm-rm, tensor_parallel_size=4, max_model_len=4096": (
        "as a reward model, with tensor parallel 4 and 4096 tokens"
    ),
    "fp16": "in FP16",
    "fp16; embedding and scoring": "in FP16, for embedding and scoring",
    "fp16 classification": "in FP16, for classification",
}


@dataclass(frozen=True, slots=True)
class _Row:
    """One row: what it names, where it holds, and the status of the model itself."""

    table: Table
    cells: tuple[Cell, ...]
    task: str
    models: tuple[Facet, ...]
    status: StatementStatus
    note: str


@dataclass(frozen=True, slots=True)
class _Column:
    """One column that holds a status: where it stands and what it is called."""

    index: int
    name: str

    @property
    def label(self) -> str:
        """The name as columns are compared."""
        return fold_label(self.name)


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the model tables, one statement for each model and set of products."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        labels = [fold_label(name) for name in table.columns]
        if labels[0] != "model":
            continue
        if labels[1] not in _SUPPORT or labels[2:3] != ["note"]:
            raise UnexpectedPage(
                path=page.path,
                expected='model tables with the columns "Model", "Support" and "Note"',
                nearest=", ".join(table.columns[:6]),
            )
        for cells in table.rows:
            _read_row(collector, table, cells)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='model tables with the columns "Model", "Support" and "Note"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    read_legend(collector, "models", MODEL_LEGEND)
    return collector.reading("models")


def _read_row(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add the findings of one row."""
    task = _task(table)
    at = collector.at_cell(table, cells[0], row=cells[0].text, column=table.columns[0]).locator
    status = _support(collector, table, cells)
    note = _NOTES.get(fold_label(cells[2].text), "")
    models = tuple(_models(collector, task, one_line(cells[0].text), at))
    row = _Row(table, cells, task, models, status, note)
    positive = status in _POSITIVE
    for model in models:
        for place in _places(collector, row, at, positive=positive):
            _state_model(collector, row, model, place)
            for column in _columns(table):
                _state_cell(collector, row, model, place, column)
    for index, label in enumerate(fold_label(name) for name in table.columns):
        if label in _VALUES:
            _state_value(collector, row, index, label)


def _columns(table: Table) -> Iterator[_Column]:
    """The columns that hold a status of their own."""
    for index, name in enumerate(table.columns):
        label = fold_label(name)
        if index > 1 and label not in _VALUES and label != "doc":
            yield _Column(index, name)


def _task(table: Table) -> str:
    words = " ".join(table.heading).casefold()
    if "pooling" in words:
        return "pooling"
    return "multimodal" if "multimodal" in words else "text"


def _support(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> StatementStatus:
    """The status of the model; "Need test" beside an empty cell says that nobody tested it."""
    cell = cells[1]
    status = SIGNS.read(cell)
    if status is None:
        at = collector.at_cell(table, cell, row=cells[0].text, column=table.columns[1])
        collector.miss("status", cell.text, at.locator)
        return StatementStatus.NOT_STATED
    if status is StatementStatus.NOT_STATED and fold_label(cells[2].text) == "need test":
        return StatementStatus.UNTESTED
    return status


def _models(collector: Collector, task: str, word: str, at: Locator) -> list[Facet]:
    """The models of a row, one facet each."""
    if fold_label(word) in _OPEN_SETS:
        collector.miss(Axis.MODEL, word, at)
        return [Facet(Axis.MODEL, word)]
    own = _MODALITY.get((task, fold_label(word)))
    if own:
        return collector.split(facet_of(Axis.MODEL, word, *own))
    return collector.split(collector.facet(Axis.MODEL, word, at))


def _places(collector: Collector, row: _Row, at: Locator, *, positive: bool) -> list[Place]:
    """Where a row holds: its own hardware cell, else its tab, else what a bare row may mean."""
    labels = [fold_label(name) for name in row.table.columns]
    text = row.cells[labels.index(_HARDWARE)].text if _HARDWARE in labels else ""
    text = text or (row.table.tabs[-1] if row.table.tabs else "")
    if text:
        return places_of(collector, text, at)
    slugs = UNNAMED_YES if positive else UNNAMED_NO
    return [Place(facet_of(Axis.HARDWARE, "Ascend NPU", *slugs, key=slugs[0]))]


def _facets(row: _Row, model: Facet, place: Place) -> list[Facet]:
    """The model and its products; a general model under "Pooling" is stated for pooling only."""
    facets = [model, place.facet]
    if row.task == "pooling" and not _POOLS_ONLY.search(model.word):
        facets.append(facet_of(FEATURE, "pooling", "pooling"))
    return facets


def _state_model(collector: Collector, row: _Row, model: Facet, place: Place) -> None:
    """Add the statement about the model itself."""
    cell, note = row.cells[1], row.cells[2]
    finding = collector.at_cell(row.table, cell, row=row.cells[0].text, column=row.table.columns[1])
    finding = replace(
        finding,
        note=row.note,
        footnotes=(one_line(note.text),) if note.text else (),
        links=tuple(link.target for link in note.links),
    )
    status = row.status
    if place.experimental and status is StatementStatus.SUPPORTED:
        status = StatementStatus.EXPERIMENTAL
    if status is StatementStatus.UNSUPPORTED:
        finding = replace(finding, limit=Limit.FRAMEWORK)
    collector.state(f"{row.task}-model-hardware", _facets(row, model, place), status, finding)


def _state_cell(
    collector: Collector, row: _Row, model: Facet, place: Place, column: _Column
) -> None:
    """Add the statement of a scheme's or feature's cell."""
    cell = row.cells[column.index]
    finding = collector.at_cell(row.table, cell, row=row.cells[0].text, column=column.name)
    status = SIGNS.read(cell)
    if status is None and cell.links:
        # A row with a cell too few: what stands here is the link of the last column.
        status = StatementStatus.NOT_STATED
    if status is None:
        collector.miss("status", cell.text, finding.locator)
        status = StatementStatus.NOT_STATED
    if _is_open(column, place) and status is not StatementStatus.NOT_STATED:
        collector.miss(Axis.QUANTIZATION, "W8A8 on Ascend 950", finding.locator)
    collector.state(
        f"{row.task}-model-{'quantization' if column.label in _SCHEMES else 'feature'}-hardware",
        [*_facets(row, model, place), _stated(collector, place, column, finding.locator)],
        status,
        _mark(finding, row, place, status),
    )


def _stated(collector: Collector, place: Place, column: _Column, at: Locator) -> Facet:
    """What a column states."""
    if _is_open(column, place):
        return Facet(Axis.QUANTIZATION, column.name)
    if column.label in _SCHEMES:
        return facet_of(Axis.QUANTIZATION, column.name, _SCHEMES[column.label])
    return collector.facet(FEATURE, column.name, at)


def _is_open(column: _Column, place: Place) -> bool:
    """Whether a scheme may mean several: on the Ascend 950 "W8A8" is INT8 or MXFP8."""
    return column.label == "w8a8" and bool(place.facet.slugs & {"ascend-a5", "ascend-950dt"})


def _mark(finding: Finding, row: _Row, place: Place, status: StatementStatus) -> Finding:
    """A detail of an experimental model is experimental too; a no is the framework's."""
    if status is StatementStatus.UNSUPPORTED:
        return replace(finding, limit=Limit.FRAMEWORK)
    experimental = place.experimental or row.status is StatementStatus.EXPERIMENTAL
    if experimental and status is StatementStatus.SUPPORTED:
        return replace(finding, tier=Tier.EXPERIMENTAL, note="the model is marked experimental")
    return finding


def _state_value(collector: Collector, row: _Row, index: int, label: str) -> None:
    """Add what a cell holds that is no status: note, products, longest context."""
    cell = row.cells[index]
    name = one_line(row.cells[0].text)
    text = one_line(cell.text)
    finding = collector.at_cell(row.table, cell, row=name, column=row.table.columns[index])
    key = "/".join((label.replace(" ", "-"), row.task, fold_label(name), *row.table.tabs))
    names = {"model": name}
    if label == _LENGTH:
        names["context"] = text
    collector.value(
        FindingKind.VALUE,
        key,
        StatementStatus.VALUE if text else StatementStatus.NOT_STATED,
        replace(finding, names=names, links=tuple(link.target for link in cell.links)),
        value=text,
    )
