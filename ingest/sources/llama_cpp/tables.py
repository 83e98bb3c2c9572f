"""Tables with one or more status columns beside columns that only describe the row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ingest.contract import FindingKind, Page, StatementStatus, UnexpectedPage
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import Collector, Facet, one_line, shorten
from ingest.sources.grids import Grid, GridCell, Refine, column_named, read_grid
from ingest.sources.llama_cpp.words import NOT_OPTIMISED, SUPPORT_WORDS
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.coordinates import NodeSet, Scope
from matrix.domain.levels import Axis

RowFacets = Callable[[Cell, Locator], Sequence[Facet]]


def find_tables(page: Page, shapes: Sequence[Sequence[str]], expected: str) -> list[Table]:
    """Every table of the page whose columns are exactly one of the known shapes.

    **Raises**: ``UnexpectedPage`` when there is none, naming the nearest table of the page.
    """
    known = {tuple(fold_label(name) for name in shape) for shape in shapes}
    found = [table for table in page.document.tables if shape_of(table) in known]
    if found:
        return found
    raise UnexpectedPage(path=page.path, expected=expected, nearest=nearest_shape(page, known))


def shape_of(table: Table) -> tuple[str, ...]:
    """The folded labels of a table's columns."""
    return tuple(fold_label(one_line(name)) for name in table.columns)


def nearest_shape(page: Page, known: set[tuple[str, ...]]) -> str:
    """The table of the page that shares most columns with the known shapes, in words."""
    labels = {label for shape in known for label in shape}
    tables = page.document.tables
    if not tables:
        return "no table at all"
    best = max(tables, key=lambda table: len(labels & set(shape_of(table))))
    return f"the table at line {best.line} with columns {', '.join(best.columns[:8])}"


def read_status_table(
    collector: Collector,
    table: Table,
    area: str,
    *,
    row: RowFacets,
    columns: Mapping[str, Sequence[Facet]],
    statuses: StatusTable = SUPPORT_WORDS,
    refine: Refine | None = None,
) -> None:
    """Read the status columns as statements and the others as values, blank cells included.

    **Shapes**: keys of ``columns`` are folded labels; each gives the facets the column adds.
    """

    def refine_all(cell: GridCell) -> None:
        if fold_label(cell.cell.text) == "support, but not optimized":
            cell.change(note=NOT_OPTIMISED)
        if refine is not None:
            refine(cell)

    read_grid(
        collector,
        table,
        Grid(
            area=area,
            row=row,
            column=lambda label, _: columns.get(fold_label(one_line(label))),
            statuses=statuses,
            refine=refine_all,
        ),
    )
    others = [name for name in table.columns[1:] if fold_label(one_line(name)) not in columns]
    read_value_columns(collector, table, area, others)


def read_value_columns(
    collector: Collector, table: Table, area: str, labels: Sequence[str]
) -> None:
    """Add one value finding a cell of the named columns; a blank cell states nothing."""
    seen: dict[str, int] = {}
    for cells in table.rows:
        key = fold_label(cells[0].text)
        seen[key] = seen.get(key, 0) + 1
        again = f"#{seen[key]}" if seen[key] > 1 else ""
        for label in labels:
            index = column_named(table, label)
            if index is not None:
                _add_value(collector, table, cells, index, area=f"{area}/{key}{again}")


def _add_value(
    collector: Collector, table: Table, cells: Sequence[Cell], index: int, *, area: str
) -> None:
    row, cell, label = cells[0], cells[index], one_line(table.columns[index])
    draft = collector.at_cell(table, cell, row=row.text, column=label)
    collector.value(
        FindingKind.VALUE,
        f"{area}/{fold_label(label)}",
        StatementStatus.VALUE if cell.text else StatementStatus.NOT_STATED,
        replace(draft, raw=shorten(cell.raw), names={"row": row.text, "column": label}),
        value=shorten(cell.text),
    )


def read_os_table(collector: Collector, page: Page, backend: Facet) -> None:
    """The operating systems that a backend's page lists; a deployment fact, not a claim."""
    for table in page.document.tables:
        if shape_of(table) != ("os", "status", "verified"):
            continue
        for cells in table.rows:
            draft = collector.at_cell(table, cells[1], row=cells[0].text, column="Status")
            status = SUPPORT_WORDS.read(cells[1])
            if status is None:
                collector.miss("status", cells[1].text, draft.locator)
                status = StatementStatus.NOT_STATED
            collector.value(
                FindingKind.DEPLOYMENT,
                f"os/{backend.key_part}/{fold_label(cells[0].text)}",
                status,
                replace(draft, names={"os": cells[0].text}, scope=scope_of_backend(backend)),
            )
        read_value_columns(collector, table, f"os/{backend.key_part}", ["Verified"])


def scope_of_backend(backend: Facet) -> Scope | None:
    """The scope of a deployment fact of a backend."""
    if not backend.known:
        return None
    return Scope(nodes={Axis.BACKEND: NodeSet(include=backend.slugs)})
