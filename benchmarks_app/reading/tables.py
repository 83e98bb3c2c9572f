"""Reads CSV and pipe tables out of text, with line numbers."""

import csv
import io
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks_app.domain.errors import ResultError
from matrix.domain.phrases import Phrase

_LONGEST_CELL = 16 * 1024 * 1024
# The csv module knows one limit for the whole process, on which other readers rely.
_limit = threading.Lock()


@dataclass(frozen=True, slots=True)
class Row:
    """One row; ``line`` counts from 1 and is the last line of a row with line breaks."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PipeTable:
    """A table written with pipes. ``line`` is the line of its header."""

    line: int
    header: tuple[str, ...]
    rows: Sequence[Row]


def read_csv(text: str) -> list[Row]:
    """All rows; blank lines are rows without cells.

    **Raises**: ``ResultError`` naming the line of an unclosed quote or an endless cell.
    """
    with _limit:
        usual = csv.field_size_limit(_LONGEST_CELL)
        try:
            return _read_csv(text)
        finally:
            csv.field_size_limit(usual)


def _read_csv(text: str) -> list[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows = []
    try:
        for cells in reader:
            rows.append(Row(reader.line_num, tuple(cells)))
    except csv.Error as error:
        raise ResultError(
            code="broken-csv",
            what=Phrase("The CSV is broken ({error})", error=error),
            place=f"line {reader.line_num}",
            accepted=Phrase("comma-separated rows with closed quotes"),
        ) from error
    return rows


def read_pipe_tables(text: str) -> list[PipeTable]:
    """The tables in their order; text around them is passed over."""
    found: list[PipeTable] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines) - 1:
        if _is_row(lines[at]) and _is_rule(lines[at + 1]):
            end = at + 2
            while end < len(lines) and _is_row(lines[end]):
                end += 1
            rows = [Row(n + 1, split_pipes(lines[n])) for n in range(at + 2, end)]
            found.append(PipeTable(at + 1, split_pipes(lines[at]), rows))
            at = end
        else:
            at += 1
    return found


def split_pipes(line: str) -> tuple[str, ...]:
    """The cells of a row, without blanks around them."""
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _is_rule(line: str) -> bool:
    plain = line.strip()
    return _is_row(plain) and "-" in plain and not plain.strip("|:- \t")
