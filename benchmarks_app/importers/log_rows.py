"""Finds JSON that stands between the lines of a log, where both streams of a tool share a file."""

import re

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.reading.json_text import parse_json
from matrix.domain.phrases import Phrase
from matrix.domain.redaction import mask_text

Placed = list[tuple[str, object]]


def read_row_lines(text: str, row: re.Pattern[str]) -> tuple[Placed, dict[str, object]]:
    """The objects of the lines that begin as ``row``, by line, and the log around them.

    **Raises**: ``ResultError`` naming a line that is cut off.
    """
    rows: Placed = []
    passed: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if row.match(line):
            place = f"line {number}"
            rows.append((place, parse_json(line.encode(), place=place)))
        else:
            passed.append((number, line))
    return rows, log_parts(passed)


def read_array(text: str, start: re.Pattern[str]) -> tuple[Placed, dict[str, object]]:
    """The entries of the list that begins at ``start``, by place, and the log around it.

    The list ends at the last line that is its bracket alone.
    **Raises**: ``ResultError`` for a list that is not closed or broken.
    """
    found = start.search(text)
    lines = text.splitlines()
    first = text.count("\n", 0, found.start()) if found else 0
    last = next((at for at in range(len(lines) - 1, first, -1) if lines[at].rstrip() == "]"), None)
    place = f"line {first + 1}"
    if last is None:
        raise ResultError(
            code="broken-json",
            what=Phrase("The list of results is not closed"),
            place=place,
            accepted=Phrase("the whole output of a run that ended"),
        )
    value = parse_json("\n".join(lines[first : last + 1]).encode(), place=place)
    rows = value if isinstance(value, list) else []
    around = [(at + 1, line) for at, line in enumerate(lines) if not first <= at <= last]
    return [(f"{place}, $[{at}]", row) for at, row in enumerate(rows)], log_parts(around)


def log_parts(lines: list[tuple[int, str]]) -> dict[str, object]:
    """Neighbouring lines joined, under the line where they begin; masked."""
    parts: dict[int, list[str]] = {}
    start, before = 0, -1
    for number, line in lines:
        if number != before + 1:
            start = number
        before = number
        if line.strip():
            parts.setdefault(start, []).append(line)
    return {f"line {at}": mask_text("\n".join(part)).text for at, part in parts.items()}
