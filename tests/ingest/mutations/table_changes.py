"""Changes of one table: cells, rows, columns, header, markup and place."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from tests.ingest.mutations.changes import Change, Effect, Subject, one_line
from tests.ingest.mutations.tables import Grid, write, write_back, write_html

_SIGNS = re.compile("[✅❌✔✓✗✘🟠🟡🟢🔴🔵🚧❓❔]")
_STRANGE_SIGN = "🦑"
_STRANGE_WORD = "Zorblax 9000"
_WORDS = {"yes": "No", "no": "Yes", "y": "N", "n": "Y"}


def change_table(subject: Subject, grid: Grid) -> Iterator[Change]:
    """Yields every change of one table that its shape allows."""
    for kind, effect, changed, rows, columns in _grids(grid):
        yield Change(
            kind=kind,
            text=write_back(subject, grid, write(changed)),
            effect=effect,
            rows=frozenset(map(one_line, rows)),
            columns=frozenset(map(one_line, columns)),
        )
    yield from _rewritten(subject, grid)


Changed = tuple[str, Effect, Grid, tuple[str, ...], tuple[str, ...]]


def _grids(grid: Grid) -> Iterator[Changed]:
    width = len(grid.header)
    middle = len(grid.rows) // 2
    plain_columns = len(set(grid.labels)) == width
    if width > 2 and plain_columns:
        order = [0, width - 1, *range(2, width - 1), 1]
        yield "columns swapped with headers", Effect.NOTHING, grid.with_columns(order), (), ()
        less = grid.with_columns(range(width - 1))
        yield "column removed", Effect.REMOVAL, less, (), (grid.labels[-1],)
    if plain_columns and all(grid.row_labels) and len(set(grid.row_labels)) == len(grid.rows):
        if len(grid.rows) > 1:
            back = replace(grid, rows=grid.rows[::-1])
            yield "rows in another order", Effect.NOTHING, back, (), ()
            less = replace(grid, rows=grid.rows[:middle] + grid.rows[middle + 1 :])
            yield "row removed", Effect.REMOVAL, less, (grid.row_labels[middle],), ()
        yield from _cells(grid)
    if width > 1:
        yield from _headers(grid)
    empty = replace(grid, rows=())
    yield "all rows removed", Effect.DAMAGE, empty, (), ()
    if len(grid.rows) > 1:
        headless = replace(grid, header=grid.rows[0], rows=grid.rows[1:])
        yield "header row removed", Effect.DAMAGE, headless, (), ()
    yield from _swapped_words(grid)


def _headers(grid: Grid) -> Iterator[Changed]:
    at = len(grid.header) - 1
    renamed = replace(grid, header=(*grid.header[:at], _STRANGE_WORD))
    yield "header renamed", Effect.DAMAGE, renamed, (), ()
    first = replace(grid, header=(_STRANGE_WORD, *grid.header[1:]))
    yield "first header renamed", Effect.DAMAGE, first, (), ()
    foreign = replace(grid, header=tuple(f"列{n}项" for n in range(len(grid.header))))
    yield "headers translated", Effect.DAMAGE, foreign, (), ()
    sign = next((c for row in grid.rows for c in row[1:] if _SIGNS.search(c)), "✅")
    longer = replace(
        grid,
        header=(*grid.header[:1], _STRANGE_WORD, *grid.header[1:]),
        rows=tuple((*row[:1], sign, *row[1:]) for row in grid.rows),
    )
    yield "column inserted", Effect.ADDITION, longer, (), (_STRANGE_WORD,)


def _cells(grid: Grid) -> Iterator[Changed]:
    for at, row in enumerate(grid.rows):
        for column, cell in enumerate(row):
            if column and _is_status(cell):
                place = (grid.row_labels[at],), (grid.labels[column],)
                for kind, new in (("cell blanked", ""), ("sign unknown", _STRANGE_SIGN)):
                    cells = (*row[:column], new, *row[column + 1 :])
                    rows = (*grid.rows[:at], cells, *grid.rows[at + 1 :])
                    yield kind, Effect.SILENCE, replace(grid, rows=rows), *place
                return


def _is_status(cell: str) -> bool:
    return bool(_SIGNS.search(cell)) or cell.strip().lower() in _WORDS


def _swapped_words(grid: Grid) -> Iterator[Changed]:
    def other(cell: str) -> str:
        return _WORDS.get(cell.strip().lower(), cell)

    rows = tuple((row[0], *map(other, row[1:])) for row in grid.rows)
    if rows != grid.rows:
        yield "status words swapped", Effect.RESTATED, replace(grid, rows=rows), (), grid.labels


def _rewritten(subject: Subject, grid: Grid) -> Iterator[Change]:
    """Yields changes of the markup around unchanged cells."""
    lines = write(grid)
    head, tail = subject.lines[: grid.first], subject.lines[grid.last + 1 :]

    def damage(kind: str, body: list[str], effect: Effect = Effect.DAMAGE) -> Change:
        return Change(kind=kind, text=write_back(subject, grid, body), effect=effect)

    bullets = [
        "* " + "; ".join(f"{k}: {v}" for k, v in zip(grid.header, row, strict=True))
        for row in grid.rows
    ]
    if grid.syntax != "csv":
        yield damage("table as bullet list", ["", *bullets, ""])
        yield damage("table duplicated", [*lines, "", *lines], Effect.REPEATED)
        yield damage("table commented out", ["<!--", *lines, "-->"])
        title = ["Appendix", "--------"] if grid.syntax.startswith("rst") else ["## Appendix"]
        moved = "\n".join([*head, *tail, "", *title, "", *lines, ""])
        yield Change(kind="table under another heading", text=moved, effect=Effect.DAMAGE)
        rows = [f"{line} stray" for line in lines]
        yield damage("rows with stray words", rows)
    if grid.syntax == "gfm" and "\t" not in grid.prefix:
        yield damage("table as HTML", ["", *write_html(grid), ""], Effect.NOTHING)
        spanning = next((at for at in range(len(grid.header)) if _repeats(grid, at)), None)
        if spanning is not None:
            spanned = ["", *write_html(grid, span_column=spanning), ""]
            yield damage("row span added", spanned, Effect.NOTHING)
        yield from _broken_pipes(subject, grid, lines)


def _repeats(grid: Grid, column: int) -> bool:
    """Returns whether two rows that follow each other hold the same in a column."""
    cells = [row[column] for row in grid.rows]
    return any(cell == below for cell, below in pairwise(cells))


def _broken_pipes(subject: Subject, grid: Grid, lines: list[str]) -> Iterator[Change]:
    at = 2 + len(grid.rows) // 2
    row = lines[at]
    pipes = [match.start() for match in re.finditer(r"(?<!\\)\|", row)]
    for kind, gone in (
        ("pipes of a row gone", pipes[1:-1]),
        ("one pipe of a row gone", pipes[2:3] if len(pipes) > 3 else []),
    ):
        if gone:
            broken = "".join(" " if n in gone else char for n, char in enumerate(row))
            body = [*lines[:at], broken, *lines[at + 1 :]]
            yield Change(kind=kind, text=write_back(subject, grid, body), effect=Effect.DAMAGE)
