"""Parses the SQL that llama-bench prints; nothing is ever executed."""

import re

from benchmarks_app.domain.errors import ResultError
from matrix.domain.phrases import Phrase

# The table was named "test" until 2025.
_TABLE = re.compile(
    r"^[^\S\n]*CREATE TABLE IF NOT EXISTS (?:llama_bench|test) \(\s*build_commit\b", re.MULTILINE
)
_INSERT = re.compile(
    r"^[^\S\n]*INSERT INTO (?:llama_bench|test)\b(?P<rest>(?=\s*\(build_commit\b|.{0,20}$).*)$",
    re.MULTILINE,
)
_COLUMNS = re.compile(r"^\s*\((?P<names>[\w, ]+)\)\s*VALUES\s*\(")
_VALUE = re.compile(r"\s*(?:'(?P<text>(?:[^']|'')*)'|(?P<bare>[^\s,')]+))\s*(?P<end>[,)])")


def is_sql(text: str) -> bool:
    """Whether a text holds llama-bench's table or rows of it."""
    if "build_commit" not in text:
        return False
    return bool(_TABLE.search(text) or _INSERT.search(text))


def read_sql(text: str) -> list[tuple[int, dict[str, str]]]:
    """The rows with the numbers of their lines.

    **Raises**: ``ResultError`` naming the line of a statement that is not complete.
    """
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        found = _INSERT.match(line)
        if found:
            rows.append((number, _row(found["rest"], f"line {number}")))
    return rows


def _row(statement: str, place: str) -> dict[str, str]:
    head = _COLUMNS.match(statement)
    if not head:
        raise _broken(place, Phrase("The statement names no columns"))
    names = [name.strip() for name in head["names"].split(",")]
    values: list[str] = []
    at = head.end()
    while True:
        found = _VALUE.match(statement, at)
        if not found:
            raise _broken(place, Phrase("The statement ends before its values do"))
        quoted = found["text"]
        values.append(quoted.replace("''", "'") if quoted is not None else found["bare"])
        at = found.end()
        if found["end"] == ")":
            break
    if len(values) != len(names):
        raise _broken(
            place,
            Phrase(
                "The statement has {count} values for {count_2} columns",
                count=len(values),
                count_2=len(names),
            ),
        )
    return dict(zip(names, values, strict=True))


def _broken(place: str, what: str) -> ResultError:
    return ResultError(
        code="broken-sql",
        what=what,
        place=place,
        accepted=Phrase("whole INSERT statements of one line, as llama-bench prints them"),
    )
