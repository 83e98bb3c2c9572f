"""Turns rows of cells with spans into one rectangular Table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingest.reading.document import Cell, Table

MOST_COLUMNS = 1_000
MOST_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Spanning:
    """One cell as the source writes it, with the columns and rows it covers."""

    cell: Cell
    columns: int = 1
    rows: int = 1


def expand_spans(rows: Sequence[Sequence[Spanning]]) -> list[list[Cell]]:
    """Return the rows with every spanned place filled by a copy marked `spanned`.

    **Shapes** a span past the last row or past the column limit is cut.
    """
    pending: dict[int, tuple[int, Cell]] = {}
    expanded: list[list[Cell]] = []
    total = 0
    for row in rows:
        line: list[Cell] = []
        waiting = iter(row)
        current = next(waiting, None)
        while current is not None or any(column >= len(line) for column in pending):
            column = len(line)
            if column >= MOST_COLUMNS or total > MOST_CELLS:
                break
            total += 1
            if column in pending:
                left, cell = pending.pop(column)
                line.append(cell)
                if left > 1:
                    pending[column] = (left - 1, cell)
            elif current is None:
                # A row that is too short must not pull a cell spanning from above to the left.
                line.append(Cell("", "", row[0].cell.line if row else 0))
            else:
                copy = replace(current.cell, spanned=True)
                for offset in range(max(1, min(current.columns, MOST_COLUMNS - column))):
                    line.append(current.cell if not offset else copy)
                    if current.rows > 1:
                        pending[column + offset] = (min(current.rows, len(rows)) - 1, copy)
                current = next(waiting, None)
        pending = {column: rest for column, rest in pending.items() if column < MOST_COLUMNS}
        expanded.append(line)
    return expanded


def build_table(
    header: Sequence[Sequence[Cell]],
    body: Sequence[Sequence[Cell]],
    *,
    line: int,
    syntax: str,
    caption: str | None = None,
    irregular: str | None = None,
) -> Table:
    """Return a table; several header rows are joined label by label with " / ".

    **Shapes** short rows get empty cells on the right, long rows stay long and are told in
    `irregular`.
    """
    width = max((len(row) for row in header), default=0)
    if not header:
        width = max((len(row) for row in body), default=0)
    columns = tuple(
        _join_labels([row[at] for row in header if at < len(row)]) for at in range(width)
    )
    header_cells = tuple(
        next((row[at] for row in reversed(header) if at < len(row)), Cell("", "", line))
        for at in range(width)
    )
    rows = []
    for cells in body:
        at = cells[0].line if cells else line
        padding = [Cell("", "", at)] * (width - len(cells))
        rows.append((*cells, *padding))
    return Table(
        heading=(),
        tabs=(),
        index=0,
        line=line,
        syntax=syntax,
        columns=columns,
        header_cells=tuple(replace(cell, is_header=True) for cell in header_cells),
        rows=tuple(rows),
        caption=caption or None,
        irregular=irregular or describe_ragged(width, body),
    )


def describe_ragged(width: int, body: Sequence[Sequence[Cell]]) -> str | None:
    """Return in words which rows have another cell count than the header, or None."""
    told = []
    for word, rows in (
        ("fewer", [row for row in body if len(row) < width]),
        ("more", [row for row in body if len(row) > width]),
    ):
        if rows:
            lines = ", ".join(str(row[0].line) for row in rows[:5] if row)
            etc = ", …" if len(rows) > 5 else ""
            told.append(f"{len(rows)} rows have {word} than {width} cells (lines {lines}{etc})")
    return "; ".join(told) or None


def _join_labels(cells: Sequence[Cell]) -> str:
    """Return one label from the header cells of a column, without repeats and blanks."""
    labels: list[str] = []
    for cell in cells:
        text = cell.text.replace("\n", " ")
        if text and (not labels or labels[-1] != text):
            labels.append(text)
    return " / ".join(labels)
