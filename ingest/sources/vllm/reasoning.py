"""Reasoning models: which series also take structured output and tool calls.

**Source**: docs "Reasoning Outputs", table of supported models (0.7 on).
"""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Item, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer
from ingest.sources.vllm.words import fold
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

_CHECKPOINT = re.compile(r"huggingface\.co/(?!collections/)(?P<name>[\w.-]+/[\w.-]+)")
_SERIES = re.compile(r"\s+series$", re.IGNORECASE)
_LISTED = re.compile(r"\((?P<parser>\w+), which looks for")
_COLUMNS: dict[str, str] = {
    "structured output support": "structured-output",
    "tool calling": "tool-calling",
}


def read_reasoning_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the reasoning-model table.

    **Raises**: ``UnexpectedPage`` when the table is missing.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    listed = [item for item in gather.document.items if _LISTED.search(item.text)]
    if listed and not gather.document.tables:
        for item in listed:
            gather.add(_read_listed(gather, item))
        return gather.reading()
    table = gather.table(columns=("Model Series", "Parser Name"))
    for row in table.rows:
        models = _models(gather, table, row[0])
        for column, cell in zip(table.columns[1:], row[1:], strict=False):
            _read_cell(gather, table, cell, label=row[0].text, column=column, models=models)
    return gather.reading()


def _read_listed(gather: Gatherer, item: Item) -> Finding:
    """A line of the first release's list: a series and its parser."""
    locator = gather.line_locator(item.line)
    series = item.links[0].text if item.links else item.text
    models = gather.find("model", _SERIES.sub("", series), locator)
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("reasoning", models or fold(series), "listed"),
        status=StatementStatus.SUPPORTED,
        raw=series,
        locator=locator,
        names={"model": series, "feature": "reasoning"},
        scope=scope_of({Axis.MODEL: models}, features="reasoning-parser") if models else None,
    )


def _models(gather: Gatherer, table: Table, cell: Cell) -> frozenset[str]:
    """The series as the catalogue knows it, else the checkpoint that the row links to."""
    found = gather.vocabulary.find("model", _SERIES.sub("", cell.text))
    if found:
        return frozenset(found)
    for link in cell.links:
        match = _CHECKPOINT.search(link.target)
        if match and (found := gather.vocabulary.find("model", match.group("name"))):
            return frozenset(found)
    locator = Locator(heading=table.heading, row=cell.text, line=cell.line)
    gather.report("model", cell.text, locator)
    return frozenset()


# A cell names what is supported ("json, regex") or has one of these signs.
_OUTPUTS = re.compile(r"(?:guided_)?(?:json|regex|grammar|choice)(?:, (?:guided_)?[a-z]+)*")
_SIGNS = {"✅": StatementStatus.SUPPORTED, "❌": StatementStatus.UNSUPPORTED}


def _read_status(cell: Cell) -> StatementStatus | None:
    """The status of a cell, or ``None`` for a sign that means nothing here."""
    text = cell.text.strip()
    if not text:
        return StatementStatus.NOT_STATED
    if _OUTPUTS.fullmatch(text):
        return StatementStatus.SUPPORTED
    return _SIGNS.get(text[0])


def _read_cell(
    gather: Gatherer,
    table: Table,
    cell: Cell,
    *,
    label: str,
    column: str,
    models: frozenset[str],
) -> None:
    feature = _COLUMNS.get(fold(column))
    status: StatementStatus | None = StatementStatus.VALUE
    if feature or not cell.text:
        status = _read_status(cell)
    if status is None:
        locator = Locator(heading=table.heading, row=label, column=column, line=cell.line)
        gather.report("status", cell.text, locator)
    scope = None
    if feature and models and status:
        scope = scope_of({Axis.MODEL: models}, features=("reasoning-parser", feature))
    finding = Finding(
        kind=FindingKind.COMPATIBILITY if feature else FindingKind.VALUE,
        statement=statement_key(
            "reasoning", models or fold(label).replace(" ", "-"), feature or fold(column)
        ),
        status=status or StatementStatus.UNKNOWN,
        raw=cell.raw,
        locator=gather.line_locator(cell.line),
        names={"model": label, "feature": column},
        scope=scope,
        value=cell.text,
    )
    gather.add(gather.of_cell(table, cell, row=label, column=column, finding=finding))
