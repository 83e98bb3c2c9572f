"""Pipe tables: where one starts, and how its lines fall into cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ingest.reading.document import Cell, Table
from ingest.reading.grid import MOST_COLUMNS, build_table, describe_ragged
from ingest.reading.inline import Inline
from ingest.reading.lines import Line

_DELIMITER_CELL = re.compile(r":?-+:?")
_DELIMITER_CHARS = frozenset("|:- \t")
_BLOCK_START = re.compile(
    r"\s{0,3}(?:#{1,6}(?:\s|$)|`{3}|~{3}|:{3,}\s?\{|!!!\s|\?\?\?\+?\s|===\+?\s?\"|>|--8<--"
    r"|</?(?:table|details|summary|div|style|sup|Tip|Note|Warning|Info|Tabs?)\b"
    r"|<!--|\[\^[^\]\s]{1,64}\]:|(?:[-*+]|\d{1,9}[.)])\s)",
    re.IGNORECASE,
)


def is_delimiter_row(text: str) -> bool:
    """Return whether a line is the `|---|:-:|` row below a table's header."""
    if "-" not in text or "|" not in text or not _DELIMITER_CHARS.issuperset(text):
        return False
    if text.count("|") > MOST_COLUMNS + 1:
        return False
    cells = text.strip().strip("|").split("|")
    return all(_DELIMITER_CELL.fullmatch(cell.strip()) for cell in cells)


def starts_table(lines: Sequence[Line], at: int) -> bool:
    """Return whether a pipe table's header stands at index `at`."""
    if at + 1 >= len(lines) or not is_delimiter_row(lines[at + 1][1]):
        return False
    text = lines[at][1]
    return bool(text.strip()) and ("|" in text or "|" not in lines[at + 1][1].strip().strip("|"))


def read_pipe_table(
    lines: Sequence[Line], at: int, *, reader: Callable[[str], Inline], code_first: bool
) -> tuple[Table, int]:
    """Return the table whose header is at index `at`, and the index after its last row.

    **Shapes** `code_first` says that a pipe within a code span does not split a cell.
    """
    number, text = lines[at]
    delimiters = split_cells(lines[at + 1][1], code_aware=False)
    header = _choose_split(text, len(delimiters), code_first=code_first)
    end = at + 2
    body: list[list[Cell]] = []
    while end < len(lines):
        row_number, row = lines[end]
        if not row.strip() or "|" not in row:
            break
        if not row.lstrip().startswith("|") and _BLOCK_START.match(row):
            break
        cells = _choose_split(row, len(header), code_first=code_first)
        body.append([_make_cell(raw, row_number, reader) for raw in cells])
        end += 1
    irregular = describe_ragged(len(header), body)
    if len(delimiters) != len(header):
        told = f"the delimiter row has {len(delimiters)} cells against {len(header)} in the header"
        irregular = f"{told}; {irregular}" if irregular else told
    table = build_table(
        [[_make_cell(raw, number, reader) for raw in header]],
        body,
        line=number,
        syntax="gfm",
        irregular=irregular,
    )
    return table, end


def split_cells(text: str, *, code_aware: bool) -> list[str]:
    """Return the cells of one row as written between its pipes, stripped.

    **Shapes** an escaped pipe never splits; with `code_aware` one in a code span neither.
    """
    text = text.strip()
    if text.startswith("|"):
        text = text[1:]
    if "\\" not in text and not (code_aware and "`" in text):
        cells = text.split("|")
    else:
        cells = _split_carefully(text, code_aware=code_aware)
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]


def _split_carefully(text: str, *, code_aware: bool) -> list[str]:
    """Return the cells of a row that has escapes or code spans."""
    cells: list[str] = []
    start = position = 0
    closing = {} if not code_aware else _pair_ticks(text)
    while position < len(text):
        char = text[position]
        if position in closing:
            position = closing[position]
        elif char == "\\":
            position += 2
        elif char == "|":
            cells.append(text[start:position])
            position += 1
            start = position
        else:
            position += 1
    cells.append(text[start:])
    return cells


def _pair_ticks(text: str) -> dict[int, int]:
    """Return, for each opening run of backticks, the position after its closing run."""
    runs = [(match.start(), match.end()) for match in re.finditer("`+", text)]
    following: dict[int, int] = {}
    latest: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        start, end = runs[index]
        if end - start in latest:
            following[start] = latest[end - start]
        latest[end - start] = end
    return following


def _choose_split(text: str, expected: int, *, code_first: bool) -> list[str]:
    """Return the cells by whichever rule for code spans fits the expected count."""
    first = split_cells(text, code_aware=code_first)
    if len(first) == expected or "`" not in text:
        return first
    second = split_cells(text, code_aware=not code_first)
    return second if len(second) == expected else first


def _make_cell(raw: str, line: int, reader: Callable[[str], Inline]) -> Cell:
    """Return one cell of the row at `line`."""
    if not raw:
        return Cell("", "", line)
    shown = reader(raw.replace("\\|", "|") if "\\|" in raw else raw)
    return Cell(
        text=shown.text,
        raw=raw,
        line=line,
        marks=shown.marks,
        links=shown.links,
        titles=shown.titles,
        colour=shown.colour,
    )
