"""Reads the lines of claim files: JSONL and CSV, with the place of everything that is wrong."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from matrix.domain.phrases import Phrase
from matrix.entering.problems import Problem, shown_value

LONGEST_LINE_BYTES = 64 * 2**10
LARGEST_FILE_BYTES = 64 * 2**20
MOST_LINES = 100_000
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
# The columns of a CSV file that hold lists, parted by a vertical bar.
LIST_SIGN = "|"
_JSON_COLUMNS = ("conditions", "settings")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line with its number, counted from 1."""

    line: int
    given: Mapping[str, Any]


class _RepeatedKey(ValueError):
    """A name that stands twice in one object."""


def read_lines(data: bytes, *, form: str) -> tuple[list[Entry], list[Problem]]:
    """The readable lines of a file and what is wrong with the others.

    ``form`` is ``jsonl`` or ``csv``.
    """
    if len(data) > LARGEST_FILE_BYTES:
        what = Phrase(
            "holds {count} bytes; accepted: up to {largest_file_bytes}",
            count=len(data),
            largest_file_bytes=LARGEST_FILE_BYTES,
        )
        return [], [Problem("file", what)]
    if data.startswith(_WIDE_BOMS) or b"\0" in data[:200]:
        return [], [Problem("file", Phrase("is UTF-16 or binary; accepted: text in UTF-8"), line=1)]
    data = data.removeprefix(_BOM)
    problems: list[Problem] = []
    entries = list(_read_jsonl(data, problems) if form == "jsonl" else _read_csv(data, problems))
    if not entries and not problems:
        problems.append(Problem("file", Phrase("holds no line; accepted: at least one claim")))
    return entries, problems


def _read_jsonl(data: bytes, problems: list[Problem]) -> Iterator[Entry]:
    lines = data.split(b"\n")
    if len(lines) > MOST_LINES:
        problems.append(
            Problem(
                "file",
                Phrase(
                    "has {count} lines; accepted: up to {most_lines}",
                    count=len(lines),
                    most_lines=MOST_LINES,
                ),
            )
        )
        return
    for number, raw in enumerate(lines, 1):
        raw = raw.removesuffix(b"\r")
        if len(raw) > LONGEST_LINE_BYTES:
            what = Phrase(
                "has {count} bytes; accepted: up to {longest_line_bytes} a line",
                count=len(raw),
                longest_line_bytes=LONGEST_LINE_BYTES,
            )
            problems.append(Problem("", what, line=number))
            continue
        try:
            text = raw.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            what = Phrase(
                "is no UTF-8 at column {start}; accepted: text in UTF-8", start=error.start + 1
            )
            problems.append(Problem("", what, line=number))
            continue
        if not text or text.startswith(("#", "//")):
            continue
        given = _parse(text, number, problems)
        if given is not None:
            yield Entry(number, given)


def _parse(text: str, number: int, problems: list[Problem]) -> Mapping[str, Any] | None:
    try:
        given = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        what = Phrase(
            "is no JSON at column {colno}: {msg}; accepted: one object a line",
            colno=error.colno,
            msg=error.msg,
        )
        problems.append(Problem("", what, line=number))
        return None
    except RecursionError:
        problems.append(Problem("", Phrase("is nested too deeply"), line=number))
        return None
    except ValueError as error:
        problems.append(Problem("", str(error), line=number))
        return None
    if not isinstance(given, dict):
        what = Phrase("is {value}; accepted: one object a line", value=shown_value(given))
        problems.append(Problem("", what, line=number))
        return None
    return given


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RepeatedKey(
                Phrase("holds the field {value} twice; accepted: once", value=shown_value(key))
            )
        found[key] = value
    return found


def _refuse_constant(word: str) -> Any:
    raise ValueError(
        Phrase("holds {word}, which is no JSON number; leave the field out", word=word)
    )


def _read_csv(data: bytes, problems: list[Problem]) -> Iterator[Entry]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        problems.append(Problem("", Phrase("is no UTF-8; accepted: text in UTF-8"), line=line))
        return
    # The reader's own limit would end the file; a long cell is a problem of its line.
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    start = 1
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1
            if not any(cell.strip() for cell in cells) or cells[0].startswith("#"):
                continue
            if header is None:
                header = [cell.strip() for cell in cells]
                if not _check_header(header, line, problems):
                    return
                continue
            if len(cells) != len(header):
                what = Phrase(
                    "has {count} cells; accepted: {columns}, as in the first line",
                    count=len(cells),
                    columns=len(header),
                )
                problems.append(Problem("", what, line=line))
                continue
            given = _nested(header, cells, line, problems)
            if given is not None:
                yield Entry(line, given)
    except csv.Error as error:
        problems.append(
            Problem(
                "",
                Phrase('is no CSV: {error}; accepted: cells quoted with " and ""', error=error),
                line=start,
            )
        )


def _check_header(header: list[str], line: int, problems: list[Problem]) -> bool:
    found = []
    if "framework" not in header:
        shown = shown_value(LIST_SIGN.join(header))
        found.append(
            Phrase("is {shown}; accepted: names of columns, one of them framework", shown=shown)
        )
    found += [
        Phrase("holds the column {name} twice; accepted: once", name=shown_value(name))
        for name in sorted({name for name in header if header.count(name) > 1})
    ]
    found += [
        Phrase(
            "holds {name} and {other}; accepted: one of the two",
            name=shown_value(name),
            other=shown_value(other),
        )
        for name in header
        for other in header
        if other.startswith(f"{name}.") and not name.startswith("scope.")
    ]
    problems += [Problem("", what, line=line) for what in found]
    return not found


def _nested(
    header: list[str], cells: list[str], line: int, problems: list[Problem]
) -> Mapping[str, Any] | None:
    """The cells as the object that a JSONL line would hold; blank cells are not given."""
    given: dict[str, Any] = {}
    for name, cell in zip(header, cells, strict=True):
        text = cell.strip()
        if not text:
            continue
        value: Any = text
        if name in _JSON_COLUMNS:
            before = len(problems)
            value = _parse_cell(name, text, line, problems)
            if len(problems) > before:
                return None
        elif name.startswith("scope.") and LIST_SIGN in text:
            value = [part.strip() for part in text.split(LIST_SIGN) if part.strip()]
        parts = name.split(".")
        if parts[0] == "scope" and len(parts) == 2:
            # An axis alone is what it includes, so that an excluding column may stand beside it.
            held = given.setdefault("scope", {}).get(parts[1])
            if isinstance(held, dict):
                parts.append("include")
        inner: Any = given
        for part in parts[:-1]:
            held = inner.get(part)
            if held is None or not isinstance(held, dict):
                inner[part] = {} if held is None else {"include": held}
            inner = inner[part]
        inner[parts[-1]] = value
    return given


def _parse_cell(name: str, text: str, line: int, problems: list[Problem]) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        what = Phrase(
            "is {value}, no JSON: {error}", value=shown_value(text), error=str(error)[:100]
        )
        problems.append(Problem(name, what, line=line))
        return None
