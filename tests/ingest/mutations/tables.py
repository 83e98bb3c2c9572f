"""Tables as they stand in a page's source: cut out, changed as grids, written back."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingest.reading.document import Table
from tests.ingest.mutations.changes import Subject

_LIST_START = re.compile(r"(\s*)(?:\.\. list-table::|:{3,}\{list-table\}|`{3,}\{list-table\})")


@dataclass(frozen=True, slots=True)
class Grid:
    """One table of a page: its cells as written, and the lines that it takes.

    **Shapes**: ``first`` and ``last`` are indices into the page's lines, both inside the table;
    ``labels`` are the columns as the reader shows them.
    """

    syntax: str
    first: int
    last: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    row_labels: tuple[str, ...]
    prefix: str = ""

    def with_columns(self, order: Sequence[int]) -> "Grid":
        """Returns the grid with these columns in this order."""
        return replace(
            self,
            header=tuple(self.header[at] for at in order),
            rows=tuple(tuple(row[at] for at in order) for row in self.rows),
        )


def grids_of(subject: Subject, *, most: int) -> Iterator[Grid]:
    """Yields the tables from which most is read, where they can be written back."""
    if subject.page.path.endswith(".csv"):
        yield from _csv_grid(subject)
        return
    if not subject.page.path.endswith((".md", ".mdx", ".rst", ".html")):
        return
    read: dict[int, int] = {}
    for finding in subject.reading.findings:
        if finding.locator.table is not None:
            read[finding.locator.table] = read.get(finding.locator.table, 0) + 1
    busiest = sorted(read, key=lambda index: -read[index])[:most]
    for table in subject.page.document.tables:
        if table.index in busiest:
            grid = _cut(subject, table)
            if grid is not None:
                yield grid


def _csv_grid(subject: Subject) -> Iterator[Grid]:
    rows = [tuple(row) for row in csv.reader(io.StringIO(subject.page.text)) if row]
    if len(rows) > 1:
        yield Grid(
            syntax="csv",
            first=0,
            last=len(subject.lines) - 1,
            header=rows[0],
            rows=tuple(rows[1:]),
            labels=rows[0],
            row_labels=tuple(row[0] for row in rows[1:]),
        )


def _cut(subject: Subject, table: Table) -> Grid | None:
    lines = subject.lines
    width = len(table.columns)
    if not table.rows or any(len(row) != width for row in table.rows):
        return None
    if table.syntax == "gfm":
        first, last = table.line - 1, table.rows[-1][0].line - 1
        prefix = re.match(r"[\s>]*", lines[first])
        start = prefix.group() if prefix else ""
    elif table.syntax.endswith("list-table"):
        found = _list_table_span(lines, table)
        if found is None:
            return None
        first, last, start = found
    else:
        return None
    return Grid(
        syntax=table.syntax,
        first=first,
        last=last,
        header=tuple(cell.raw for cell in table.header_cells),
        rows=tuple(tuple(cell.raw for cell in row) for row in table.rows),
        labels=table.columns,
        row_labels=tuple(row[0].text for row in table.rows),
        prefix=start,
    )


def _list_table_span(lines: Sequence[str], table: Table) -> tuple[int, int, str] | None:
    for first in range(table.line - 1, max(-1, table.line - 12), -1):
        match = _LIST_START.match(lines[first])
        if not match:
            continue
        start = match.group(1)
        fence = re.match(r"\s*(:{3,}|`{3,})", lines[first])
        last = first
        for at in range(first + 1, len(lines)):
            if fence and lines[at].strip() == fence.group(1):
                return first, at, start
            indented = len(lines[at]) - len(lines[at].lstrip()) > len(start)
            if not fence and lines[at].strip() and not indented:
                break
            last = at if lines[at].strip() else last
        return first, last, start
    return None


def write_back(subject: Subject, grid: Grid, body: Sequence[str]) -> str:
    """Returns the page's text with the lines of the table replaced."""
    lines = subject.lines
    written = [f"{grid.prefix}{line}" if line else "" for line in body]
    return "\n".join([*lines[: grid.first], *written, *lines[grid.last + 1 :]])


def write(grid: Grid) -> list[str]:
    """Returns the lines of a grid in the syntax that it was cut from."""
    if grid.syntax == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([grid.header, *grid.rows])
        return [*out.getvalue().split("\n")]
    if grid.syntax == "gfm":
        rule = ["---"] * len(grid.header)
        return [f"| {' | '.join(row)} |" for row in (grid.header, rule, *grid.rows)]
    rows = [line for row in (grid.header, *grid.rows) for line in _list_row(row)]
    if grid.syntax.startswith("rst"):
        options = [".. list-table::", "   :header-rows: 1", ""]
        return [*options, *(f"   {line}" if line else "" for line in rows)]
    return [":::{list-table}", ":header-rows: 1", "", *rows, ":::"]


def _list_row(row: Sequence[str]) -> Iterator[str]:
    for at, cell in enumerate(row):
        start = "* - " if at == 0 else "  - "
        for number, line in enumerate(cell.split("\n")):
            yield ((start if number == 0 else "    ") + line).rstrip()


def write_html(grid: Grid, *, span_column: int | None = None) -> list[str]:
    """Returns the lines of an HTML table; equal neighbours of one column may share a cell."""
    out = ["<table>", "<thead>", "<tr>"]
    out += [f"<th>{cell}</th>" for cell in grid.header]
    out += ["</tr>", "</thead>", "<tbody>"]
    at = 0
    while at < len(grid.rows):
        span = 1
        if span_column is not None:
            sign = grid.rows[at][span_column]
            while at + span < len(grid.rows) and grid.rows[at + span][span_column] == sign:
                span += 1
        for step in range(span):
            out.append("<tr>")
            for column, cell in enumerate(grid.rows[at + step]):
                if column != span_column:
                    out.append(f"<td>{cell}</td>")
                elif step == 0:
                    spanning = f' rowspan="{span}"' if span > 1 else ""
                    out.append(f"<td{spanning}>{cell}</td>")
            out.append("</tr>")
        at += span
    return [*out, "</tbody>", "</table>"]
