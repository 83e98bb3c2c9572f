"""Bytes to text, text to numbered lines, and offsets back to line numbers."""

from __future__ import annotations

import codecs
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from ingest.reading.errors import OversizedPage, UndecodablePage

Line = tuple[int, str]
MOST_LINES = 100_000
MOST_TAGS = 200_000


def decode_page(content: bytes) -> str:
    """Return the page's text without byte order mark, with plain newlines and plain blanks.

    **Shapes** a no-break space is a space: it only says where a line may not end.
    **Raises** UndecodablePage with the first bad byte's offset.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    else:
        encoding = "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        bad = content[error.start : error.start + 4]
        raise UndecodablePage(
            offset=error.start, found=f"the bytes {bad.hex(' ')} ({error.reason})"
        ) from error
    return normalise_newlines(text).replace("\u00a0", " ")


def normalise_newlines(text: str) -> str:
    """Return text with every CRLF or CR as LF and no byte order mark."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff")


def number_lines(text: str) -> list[Line]:
    """Return the lines with their 1-based numbers, leading tabs as four spaces each.

    **Raises** OversizedPage above MOST_LINES.
    """
    check_size("lines", text.count("\n") + 1, most=MOST_LINES)
    return [
        (number, line if "\t" not in line[:40] else _expand_leading(line))
        for number, line in enumerate(text.split("\n"), start=1)
    ]


def check_size(what: str, found: int, *, most: int) -> None:
    """Refuse a page with more than `most` parts of a kind.

    **Raises** OversizedPage.
    """
    if found > most:
        raise OversizedPage(what=what, found=found, most=most)


def _expand_leading(line: str) -> str:
    """Return the line with tabs before its first word as spaces to the next multiple of four."""
    content = line.lstrip(" \t")
    lead = line[: len(line) - len(content)]
    return lead.expandtabs(4) + content


def indent_of(text: str) -> int:
    """Return how many spaces a line starts with."""
    return len(text) - len(text.lstrip(" "))


def dedent(lines: Sequence[Line], width: int) -> list[Line]:
    """Return the lines without up to `width` leading spaces each."""
    return [(number, text[min(width, indent_of(text)) :]) for number, text in lines]


def take_indented(lines: Sequence[Line], at: int, width: int) -> int:
    """Return the index after the lines from `at` on that are blank or indented by `width`.

    **Shapes** trailing blank lines are not taken.
    """
    end = at
    while at < len(lines):
        text = lines[at][1]
        if text.strip():
            if indent_of(text) < width:
                break
            end = at + 1
        at += 1
    return end


@dataclass(slots=True)
class Fragment:
    """Lines joined to one text, with the page's line for every offset."""

    text: str
    numbers: list[int]
    starts: list[int] = field(default_factory=list)

    @classmethod
    def join(cls, lines: Sequence[Line]) -> Fragment:
        """Return the fragment of these lines."""
        starts = []
        total = 0
        for _, text in lines:
            starts.append(total)
            total += len(text) + 1
        return cls("\n".join(text for _, text in lines), [number for number, _ in lines], starts)

    def line_at(self, offset: int) -> int:
        """Return the page's line at an offset of the text."""
        if not self.starts:
            return 1
        return self.numbers[max(0, bisect_right(self.starts, offset) - 1)]
