"""Tables whose cells each state something about a row's word and a column's word."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ingest.contract import Finding, Page, StatementStatus, UnexpectedPage
from ingest.reading.document import Cell, Table, fold_label
from ingest.reading.errors import TableMissing
from ingest.sources.collecting import Collector, Facet, one_line, table_cell_locator
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.coordinates import NodeSet, NumberRange
from matrix.domain.levels import Axis, NumberAxis


@dataclass(slots=True)
class GridCell:
    """One cell on its way to a finding; a source's ``refine`` may change anything of it."""

    table: Table
    row: Cell
    column: str
    cell: Cell
    facets: list[Facet]
    status: StatementStatus | None
    finding: Finding
    narrow: dict[Axis, NodeSet] = field(default_factory=dict)
    numbers: dict[NumberAxis, NumberRange] = field(default_factory=dict)

    def change(self, **fields: object) -> None:
        """Change fields of the finding: note, conditions, limit, execution …"""
        self.finding = replace(self.finding, **fields)  # type: ignore[arg-type]


RowMeaning = Callable[[Cell, Locator], Sequence[Facet]]
ColumnMeaning = Callable[[str, Locator], Sequence[Facet] | None]
Refine = Callable[[GridCell], None]


@dataclass(frozen=True, slots=True)
class Grid:
    """How a table of row words × column words is to be read.

    **Shapes**: ``row`` returns the facets of the row's alternatives, one statement each;
    ``column`` the facets that a column adds, or ``None`` for a column that states nothing.
    """

    area: str
    row: RowMeaning
    column: ColumnMeaning
    statuses: StatusTable
    refine: Refine | None = None
    row_column: int = 0


def read_grid(collector: Collector, table: Table, grid: Grid) -> None:
    """Add a finding for every status cell of the table, blank ones included."""
    header = Locator(heading=table.heading, line=table.line, table=table.index, tabs=table.tabs)
    meanings = [
        None if index == grid.row_column else grid.column(name, header)
        for index, name in enumerate(table.columns)
    ]
    for cells in table.rows:
        row = cells[grid.row_column]
        at = table_cell_locator(table, row, row.text, table.columns[grid.row_column])
        alternatives = grid.row(row, at) if row.text else ()
        for name, meaning, cell in zip(table.columns, meanings, cells, strict=False):
            if meaning is None:
                continue
            for facet in alternatives:
                grid_cell = GridCell(
                    table=table,
                    row=row,
                    column=name,
                    cell=cell,
                    facets=[facet, *meaning],
                    status=grid.statuses.read(cell),
                    finding=collector.at_cell(table, cell, row=row.text, column=name),
                )
                if grid.refine is not None:
                    grid.refine(grid_cell)
                state_cell(collector, grid.area, grid_cell)


def state_cell(collector: Collector, area: str, grid_cell: GridCell) -> None:
    """Add a read cell's finding to the collector."""
    if grid_cell.status is None:
        collector.miss("status", grid_cell.cell.text, grid_cell.finding.locator)
        done = collector.state(
            area, grid_cell.facets, StatementStatus.NOT_STATED, grid_cell.finding
        )
        collector.findings[-1] = replace(done, scope=None)
        return
    collector.state(
        area,
        grid_cell.facets,
        grid_cell.status,
        grid_cell.finding,
        numbers=grid_cell.numbers,
        narrow=grid_cell.narrow,
    )


def require_table(page: Page, *, columns: Sequence[str], heading: str | None = None) -> Table:
    """The table that the page must have; **Raises** ``UnexpectedPage`` with the nearest one."""
    try:
        return page.document.table(heading=heading, columns=columns)
    except TableMissing as missing:
        raise UnexpectedPage(
            path=page.path, expected=missing.expected, nearest=missing.nearest
        ) from missing


def tables_with(page: Page, *columns: str) -> list[Table]:
    """Every table of the page that has all these columns."""
    return [table for table in page.document.tables if table.has_columns(columns)]


def known_share(table: Table, known: Sequence[str]) -> int:
    """How many of the table's columns are among the known ones (folded labels)."""
    return sum(fold_label(name) in known for name in table.columns)


def column_named(table: Table, label: str) -> int | None:
    """The index of a column, or ``None`` when the table does not have it."""
    wanted = fold_label(label)
    for index, name in enumerate(table.columns):
        if fold_label(one_line(name)) == wanted:
            return index
    return None
