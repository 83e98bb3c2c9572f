"""Shared readings of accelerator plug-ins' pages: model tables, pinned lines, legends.

Such a page speaks about the cards of one vendor; every statement that becomes a claim carries the
cards that the project names, so that nothing of it is heard for other hardware.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingest.contract import Finding, FindingKind, Page, StatementStatus, UnexpectedPage
from ingest.reading.document import Cell, Document, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, one_line
from ingest.sources.grids import Grid, Refine, read_grid
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind

# What a column adds to its row: facets, or nothing where it states the row's own word; ``None``
# for a column of text that states no support.
Columns = Mapping[str, Sequence[Facet] | None]

# An HTML row has one line for each cell.
_LONGEST_ROW = 20

NO_CARD_NAMED = Condition(
    kind=ConditionKind.OTHER, name="card", op="=", value="one of the vendor's; the page names none"
)


@dataclass(frozen=True, slots=True)
class ModelTable:
    """How a table of models × formats or features of one plug-in is read.

    **Shapes**: keys of ``models`` and ``columns`` are folded labels; ``always`` are the facets
    that every cell of the table carries, the hardware above all.
    """

    area: str
    always: Sequence[Facet]
    columns: Columns
    statuses: StatusTable
    models: Mapping[str, Iterable[str]] = field(default_factory=dict)
    refine: Refine | None = None
    row_column: int = 0


def read_model_table(collector: Collector, table: Table, shape: ModelTable) -> None:
    """Add a statement for every status cell, and a value for every cell of text columns."""

    def row(cell: Cell, at: Locator) -> list[Facet]:
        return collector.split(collector.facet(Axis.MODEL, cell.text, at, table=shape.models))

    def column(name: str, at: Locator) -> Sequence[Facet] | None:
        known = fold_label(one_line(name)) in shape.columns
        own = shape.columns[fold_label(one_line(name))] if known else None
        if known:
            return None if own is None else [*own, *shape.always]
        return [collector.facet(FEATURE, name, at), *shape.always]

    read_grid(
        collector,
        table,
        Grid(shape.area, row, column, shape.statuses, shape.refine, shape.row_column),
    )
    keep_text_columns(collector, table, shape)


def keep_text_columns(collector: Collector, table: Table, shape: ModelTable) -> None:
    """Add what the columns that state no support say, as values."""
    texts = [
        index
        for index, name in enumerate(table.columns)
        if index != shape.row_column and shape.columns.get(fold_label(one_line(name)), ()) is None
    ]
    for cells in table.rows:
        label = cells[shape.row_column].text
        for index in texts:
            if not cells[index].text:
                continue
            name = table.columns[index]
            finding = collector.at_cell(table, cells[index], row=label, column=name)
            collector.value(
                FindingKind.VALUE,
                f"{shape.area}-text/{fold_label(one_line(name))}/{fold_label(one_line(label))}",
                StatementStatus.VALUE,
                replace(finding, names={"row": label, "column": one_line(name)}),
                value=one_line(cells[index].text)[:200],
            )


def matches_in(document: Document, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Every place where a single line of the page matches, with the line's number."""
    for number, line in enumerate(document.source_lines, start=1):
        for match in pattern.finditer(line):
            yield number, match


def read_legend(collector: Collector, area: str, lines: Iterable[tuple[int, str, str]]) -> None:
    """Add the meaning of each sign of the page's legend: line, sign, meaning in our words."""
    for line, sign, meaning in lines:
        collector.value(
            FindingKind.LEGEND,
            f"legend/{area}/{sign}",
            StatementStatus.LEGEND,
            replace(collector.at_line(line, sign), names={"sign": sign}),
            value=meaning,
        )


def find_signs(
    document: Document, signs: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[int, str, str]]:
    """Legend lines: ``{sign: (text that stands beside it, meaning)}`` to line, sign, meaning."""
    for sign, (words, meaning) in signs.items():
        for number, line in enumerate(document.source_lines, start=1):
            if sign in line and words in line:
                yield number, sign, meaning
                break


def whole_row(finding: Finding, row: Cell, cell: Cell) -> Finding:
    """The finding with its place widened to the row, where an HTML row spans several lines.

    The label of a row that spans others stands elsewhere and is left out.
    """
    if row.spanned or not 0 < cell.line - row.line <= _LONGEST_ROW:
        return finding
    at = replace(finding.locator, line=row.line, line_end=cell.line)
    return replace(finding, locator=at)


def require_findings(collector: Collector, *, expected: str) -> None:
    """Refuse a page of which nothing was read; **Raises** ``UnexpectedPage``."""
    if not collector.findings:
        raise unexpected(collector.page, expected=expected)


def unexpected(page: Page, *, expected: str) -> UnexpectedPage:
    """The error for a page of another shape, with the tables and headings that it does have."""
    tables = [", ".join(table.columns[:5]) for table in page.document.tables[:3]]
    headings = [heading.text for heading in page.document.headings[:4]]
    nearest = "; ".join(tables) or "headings: " + ", ".join(headings)
    return UnexpectedPage(path=page.path, expected=expected, nearest=nearest)
