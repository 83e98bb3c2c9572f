"""Kept bytes as inert lines of text, and the lines that a locator cites."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingest.models import Snapshot
from ingest.reading import read_page
from ingest.reading.document import Table, fold_label, under
from ingest.reading.errors import ReadingError
from ingest.reading.lines import normalise_newlines
from ingest.services.records import decode_snapshot
from matrix.domain.claims import Locator

LONGEST_LINE = 4_000
LARGEST_PARSED_BYTES = 4 * 2**20
_FORMAT_CONTROLS = {"Cc", "Cf"}
_HARMLESS = {"\t", "\u00ad", "\u200d"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line; ``left_out`` characters follow what is shown."""

    number: int
    text: str
    cited: bool
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class KeptText:
    """The text of kept bytes; a doubtful one is not what the bytes say in their own charset."""

    lines: Sequence[str]
    doubtful: bool


Cited = tuple[int, int]


def text_of(snapshot: Snapshot) -> KeptText:
    """The text of kept bytes, whatever they are: bytes without a meaning become signs for them."""
    body = bytes(snapshot.body)
    try:
        text, doubtful = decode_snapshot(body, snapshot.charset), False
    except (ReadingError, UnicodeDecodeError, LookupError):
        text, doubtful = normalise_newlines(body.decode("utf-8", "replace")), True
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return KeptText(lines=lines, doubtful=doubtful)


def show_lines(lines: Sequence[str], *, first: int, last: int, cited: Cited | None) -> list[Line]:
    """The lines from ``first`` to ``last``, counted from 1, with those that are cited marked."""
    found = []
    for number in range(max(1, first), min(last, len(lines)) + 1):
        text = lines[number - 1]
        found.append(
            Line(
                number=number,
                text=show_controls(text[:LONGEST_LINE]),
                cited=cited is not None and cited[0] <= number <= cited[1],
                left_out=max(0, len(text) - LONGEST_LINE),
            )
        )
    return found


def show_controls(text: str) -> str:
    """The text with its control signs spelt out: none may turn, hide or break what is shown."""
    if text.isprintable():
        return text
    return "".join(
        f"⟨U+{ord(sign):04X}⟩"
        if unicodedata.category(sign) in _FORMAT_CONTROLS and sign not in _HARMLESS
        else sign
        for sign in text
    )


def cited_lines(text: KeptText, locator: Locator, *, path: str) -> Cited | None:
    """The lines that a locator names, by its line or by its row and column in a table."""
    total = len(text.lines)
    if locator.line is not None and 1 <= locator.line <= total:
        return locator.line, min(total, max(locator.line, locator.line_end or 0))
    if not locator.row:
        return None
    line = _line_in_tables(text, locator, path=path) or _line_of_word(text.lines, locator.row)
    return (line, line) if line else None


def _line_in_tables(text: KeptText, locator: Locator, *, path: str) -> int | None:
    """The line of the cell that row and column name. Large or unreadable pages have none."""
    whole = "\n".join(text.lines)
    if len(whole) > LARGEST_PARSED_BYTES:
        return None
    try:
        tables = read_page(whole, path=path or "page.md").tables
    except ReadingError:
        return None
    heading = locator.heading[-1] if locator.heading else None
    near = [table for table in tables if under(table.heading, heading)]
    # A heading that changed its words since does not hide the row.
    for table in (*near, *tables):
        line = _line_of_cell(table, locator)
        if line:
            return line
    return None


def _line_of_cell(table: Table, locator: Locator) -> int | None:
    wanted = fold_label(locator.row)
    columns = [fold_label(name) for name in table.columns]
    column = fold_label(locator.column)
    if column and column not in columns:
        return None
    for row in table.rows:
        if any(fold_label(cell.text) == wanted for cell in row[:3]):
            index = columns.index(column) if column else 0
            return row[index].line if index < len(row) else row[0].line
    return None


def _line_of_word(lines: Iterable[str], word: str) -> int | None:
    wanted = fold_label(word)
    return next((n for n, text in enumerate(lines, 1) if wanted in fold_label(text)), None)
