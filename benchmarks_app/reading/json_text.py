"""Reads JSON and JSON Lines as tools write them: fast, with bare NaN and Infinity, never twice.

msgspec reads what is strict JSON; the standard library reads files with bare ``NaN`` and
``Infinity``, and everything that is broken, because it can tell where.
"""

import json
import re
from collections.abc import Iterator

import msgspec
import numpy as np

from benchmarks_app.domain.errors import ResultError
from matrix.domain.phrases import Phrase

DEEPEST_LEVELS = 200
_QUOTE, _COLON, _BLANK, _BACKSLASH = b'": \\'
# What may stand before the quote that opens a text.
_BEFORE_TEXTS = np.frombuffer(b":,[ ", dtype=np.uint8)
_STRIDE_BYTES = 1 << 20
_HALF_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")
_ACCEPTED = Phrase("JSON, or JSON Lines with one object a line")


class _Twice(dict[str, object]):
    """An object in which a key stood twice."""

    key: str = ""


def parse_json(data: bytes, *, place: str = "") -> object:
    """The value of a JSON text; bare NaN and Infinity become floats.

    **Raises**: ``ResultError`` with the line and column, or the path of a repeated key.
    """
    try:
        value: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return _parse_slowly(data, place)
    depth, keys = _measure(value)
    if depth > DEEPEST_LEVELS:
        raise _too_deep(place)
    # A key ends in a quote and a colon, which a text inside quotes can only hold escaped.
    if keys != _count_keys(data):
        _parse_slowly(data, place)
    return value


def parse_lines(data: bytes) -> list[tuple[int, object]] | None:
    """The values of JSON Lines with their line numbers, or ``None`` for anything else.

    JSON Lines are two or more lines of which the first is a whole object.
    **Raises**: ``ResultError`` naming the line that is broken.
    """
    body = data.strip()
    if not body.startswith(b"{"):
        return None
    first, newline, rest = body.partition(b"\n")
    first = first.strip()
    if not newline or not first.endswith(b"}") or not rest.strip():
        return None
    try:
        head = parse_json(first)
    except ResultError:
        return None
    if not isinstance(head, dict):
        return None
    return list(_lines(data))


def _lines(data: bytes) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield number, parse_json(line, place=f"line {number}")


def _measure(value: object) -> tuple[int, int]:
    """The depth of a value and the number of keys in it; lists of plain values are not walked."""
    deepest, keys = 0, 0
    waiting: list[tuple[object, int]] = [(value, 1)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(node, dict):
            keys += len(node)
            waiting += [(v, depth + 1) for v in node.values() if isinstance(v, (dict, list))]
        elif isinstance(node, list) and node and isinstance(node[0], (dict, list)):
            waiting += [(v, depth + 1) for v in node if isinstance(v, (dict, list))]
    return deepest, keys


def _count_keys(data: bytes) -> int:
    """How many keys a JSON text seems to hold; another number than it has costs time alone.

    A key ends in a quote and a colon, or a blank and a colon. A text holds quotes only escaped;
    one that begins with a colon is told by what stands before its quote.
    """
    found = 0
    signs = np.frombuffer(data, dtype=np.uint8)
    last = len(signs) - 1
    for start in range(0, len(signs), _STRIDE_BYTES):
        quotes = np.flatnonzero(signs[start : start + _STRIDE_BYTES] == _QUOTE) + start
        before = signs[np.maximum(quotes - 1, 0)]
        after, further = (signs[np.minimum(quotes + step, last)] for step in (1, 2))
        ends = (after == _COLON) | ((after == _BLANK) & (further == _COLON))
        opens = np.isin(before, _BEFORE_TEXTS) & (after == _COLON)
        found += int(np.count_nonzero(ends & ~opens & (before != _BACKSLASH)))
    return found


def _parse_slowly(data: bytes, place: str) -> object:
    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(items)
        if len(found) == len(items):
            return found
        twice = _Twice(found)
        seen: set[str] = set()
        for name, _value in items:
            if name in seen:
                twice.key = name
                break
            seen.add(name)
        return twice

    try:
        value = json.loads(data, object_pairs_hook=pairs)
    except RecursionError as error:
        raise _too_deep(place) from error
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError, a number without end
        raise _broken(error, data, place) from error
    _check_texts(value, data, place)
    if _measure(value)[0] > DEEPEST_LEVELS:
        raise _too_deep(place)
    for path, node in _objects(value):
        if isinstance(node, _Twice):
            where = f"{place}, {path}" if place else path
            raise ResultError(
                code="repeated-key",
                what=Phrase("The key {key!r} stands twice in one object", key=node.key[:80]),
                place=where,
                accepted=Phrase("each key once"),
            )
    return value


def _check_texts(value: object, data: bytes, place: str) -> None:
    """Returns where every text can be written again; an escape may name half a character."""
    half = _HALF_PAIR.search(data)
    if half is None:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError) as error:
        raise ResultError(
            code="broken-json",
            what=Phrase("An escape names half a character"),
            place=", ".join(part for part in (place, f"byte {half.start()}") if part),
            accepted=Phrase("pairs of surrogate escapes"),
        ) from error


def _objects(value: object, path: str = "$") -> Iterator[tuple[str, object]]:
    waiting = [(path, value)]
    while waiting:
        place, node = waiting.pop()
        if isinstance(node, dict):
            yield place, node
            waiting += [(f"{place}.{k}", v) for k, v in node.items() if isinstance(v, (dict, list))]
        elif isinstance(node, list):
            waiting += [
                (f"{place}[{i}]", v) for i, v in enumerate(node) if isinstance(v, (dict, list))
            ]


def _too_deep(place: str) -> ResultError:
    return ResultError(
        code="too-deep",
        what=Phrase(
            "The values are nested more than {deepest_levels} levels deep",
            deepest_levels=DEEPEST_LEVELS,
        ),
        place=place,
        accepted=Phrase("at most {deepest_levels} levels", deepest_levels=DEEPEST_LEVELS),
    )


def _broken(error: Exception, data: bytes, place: str) -> ResultError:
    """The error with line and column; a file that just ends is said to be cut off."""
    if isinstance(error, json.JSONDecodeError):
        where = f"line {error.lineno}, column {error.colno}"
        if place:
            where = f"{place}, column {error.colno}"
        ends = error.pos >= len(data.decode("utf-8", "replace").rstrip())
        if ends or error.msg.startswith("Unterminated string"):
            return ResultError(
                code="truncated-json",
                what=Phrase("The JSON ends before it is complete"),
                place=where,
                accepted=Phrase("the whole file"),
            )
        return ResultError(
            code="broken-json",
            what=Phrase("The JSON is broken ({msg})", msg=error.msg),
            place=where,
            accepted=_ACCEPTED,
        )
    not_text = isinstance(error, UnicodeDecodeError)
    at = f"byte {error.start}" if isinstance(error, UnicodeDecodeError) else _long_number(data)
    return ResultError(
        code="broken-json",
        what=(
            Phrase("The JSON is not UTF-8")
            if not_text
            else Phrase("The JSON holds a number without end")
        ),
        place=", ".join(part for part in (place, at) if part),
        accepted=_ACCEPTED,
    )


def _long_number(data: bytes) -> str:
    found = re.search(rb"(?<!\d)\d{4300}", data)
    return f"byte {found.start()}" if found else "$"
