"""Reads JSON and JSON Lines as tools write them: fast, with bare NaN and Infinity, never twice.

orjson reads what is strict JSON; the standard library reads files with bare ``NaN`` and
``Infinity``, and those in which a key may stand twice, because it can tell where.
"""

import json
import re
from collections.abc import Iterator

import orjson

from benchmarks_app.domain.errors import ResultError

DEEPEST_LEVELS = 200
_NON_FINITE = re.compile(rb"(?:^|[:\[,\s])-?(?:NaN|Infinity)\b")
_ACCEPTED = "JSON, or JSON Lines with one object a line"


class _Twice(dict[str, object]):
    """An object in which a key stood twice."""

    key: str = ""


def parse_json(data: bytes, *, place: str = "") -> object:
    """The value of a JSON text; bare NaN and Infinity become floats.

    **Raises**: ``ResultError`` with the line and column, or the path of a repeated key.
    """
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        if not _NON_FINITE.search(data):
            raise _broken(error, data, place) from error
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
    """How many keys a JSON text seems to hold; another number than it has costs time alone."""
    ends = data.count(b'":') + data.count(b'" :')
    if b'\\"' in data:
        ends -= data.count(b'\\":') + data.count(b'\\" :')
    # Texts that begin with a colon look like the end of a key, after what may stand before a text.
    return ends - sum(data.count(before + b'":') for before in (b":", b",", b"[", b" "))


def _parse_slowly(data: bytes, place: str) -> object:
    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(items)
        if len(found) == len(items):
            return found
        twice = _Twice(found)
        names = [name for name, _value in items]
        twice.key = next(name for name in names if names.count(name) > 1)
        return twice

    try:
        value = json.loads(data, object_pairs_hook=pairs)
    except RecursionError as error:
        raise _too_deep(place) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise _broken(error, data, place) from error
    if _measure(value)[0] > DEEPEST_LEVELS:
        raise _too_deep(place)
    for path, node in _objects(value):
        if isinstance(node, _Twice):
            where = f"{place}, {path}" if place else path
            raise ResultError(
                code="repeated-key",
                what=f"The key {node.key[:80]!r} stands twice in one object",
                place=where,
                accepted="each key once",
            )
    return value


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
        what=f"The values are nested more than {DEEPEST_LEVELS} levels deep",
        place=place,
        accepted=f"at most {DEEPEST_LEVELS} levels",
    )


def _broken(error: Exception, data: bytes, place: str) -> ResultError:
    """The error with line and column; a file that just ends is said to be cut off."""
    if isinstance(error, json.JSONDecodeError):
        where = f"line {error.lineno}, column {error.colno}"
        if place:
            where = f"{place}, column {error.colno}"
        if "depth limit" in error.msg or "recursion limit" in error.msg.lower():
            return _too_deep(place)
        if error.pos >= len(data.decode("utf-8", "replace").rstrip()):
            return ResultError(
                code="truncated-json", what="The JSON ends before it is complete", place=where,
                accepted="the whole file",
            )  # fmt: skip
        return ResultError(
            code="broken-json", what=f"The JSON is broken ({error.msg})", place=where,
            accepted=_ACCEPTED,
        )  # fmt: skip
    return ResultError(
        code="broken-json", what="The JSON is not UTF-8", place=place, accepted=_ACCEPTED
    )
