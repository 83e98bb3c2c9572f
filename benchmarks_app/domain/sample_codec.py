"""Packs samples into bytes for storing, and reads them back without trusting the bytes.

Layout: the magic bytes, the header's length (4 bytes, little-endian), a JSON header that names
each column with its type, count and length, then the columns one after the other. Latencies are
float32 where that changes no value by more than a millionth; whole numbers take the smallest
unsigned type, whose greatest value stands for NaN; start times stay float64. A column is deflated
only where that saves a quarter, because deflated noise costs time and saves nothing.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.contract import Samples
from benchmarks_app.domain.errors import ResultError
from matrix.domain.phrases import Phrase

Floats = NDArray[np.float64]

MAGIC = b"RPSAMP1\n"
VERSION = 1
MOST_VALUES = 64_000_000
MOST_COLUMNS = 64
LONGEST_HEADER_BYTES = 64 * 1024
LONGEST_NAME = 80
# Errors of single precision below this share of the value are not worth four more bytes.
TOLERANCE = 1e-6
# Start times lie far from zero and are subtracted from each other.
_EXACT_COLUMNS = frozenset({"start_s"})
_GROUPS = ("requests", "pooled", "repeats")
_DTYPES = {"u1": "<u1", "u2": "<u2", "u4": "<u4", "f4": "<f4", "f8": "<f8"}
_SMALLEST_SAVING = 0.75


@dataclass(frozen=True, slots=True)
class _Column:
    group: str
    name: str
    dtype: str
    count: int
    deflated: bool
    size: int


def encode(samples: Samples) -> bytes:
    """The samples as bytes that ``decode`` reads.

    **Raises**: ``ResultError`` for columns of requests that differ in length, and for more values
    or longer names than are kept.
    """
    groups = {"requests": samples.requests, "pooled": samples.pooled, "repeats": samples.repeats}
    _check_columns(groups)
    header, body = [], []
    for group in _GROUPS:
        for name, values in groups[group].items():
            dtype, packed = _pack(name, np.ascontiguousarray(values, dtype=np.float64))
            deflated, data = _deflate(packed)
            header.append([group, name, dtype, int(values.size), int(deflated), len(data)])
            body.append(data)
    head = json.dumps({"version": VERSION, "columns": header}, separators=(",", ":")).encode()
    if len(head) > LONGEST_HEADER_BYTES or len(header) > MOST_COLUMNS:
        raise _refused(
            Phrase("Too many columns of samples"),
            accepted=Phrase("at most {most_columns}", most_columns=MOST_COLUMNS),
        )
    return b"".join((MAGIC, len(head).to_bytes(4, "little"), head, *body))


def decode(data: bytes) -> Samples:
    """The samples of ``encode``; every length is checked before anything is made of it.

    **Raises**: ``ResultError`` for bytes that ``encode`` did not write.
    """
    columns, at = _read_header(data)
    groups: dict[str, dict[str, Floats]] = {group: {} for group in _GROUPS}
    for column in columns:
        groups[column.group][column.name] = _unpack(column, data[at : at + column.size])
        at += column.size
    return Samples(**groups)


def _check_columns(groups: Mapping[str, Mapping[str, Floats]]) -> None:
    total = 0
    for group, columns in groups.items():
        for name, values in columns.items():
            total += values.size
            if values.ndim != 1 or not 0 < len(name) <= LONGEST_NAME:
                raise _refused(
                    Phrase(
                        "The column {name!r} is no list with a short name", name=name[:LONGEST_NAME]
                    ),
                    place=group,
                    accepted=Phrase(
                        "one dimension, a name of 1 to {longest_name} letters",
                        longest_name=LONGEST_NAME,
                    ),
                )
    lengths = {name: values.size for name, values in groups["requests"].items()}
    if len(set(lengths.values())) > 1:
        raise _refused(
            Phrase("The columns of requests differ in length ({lengths})", lengths=lengths),
            place="requests", accepted=Phrase("one entry a request in each column"),
        )  # fmt: skip
    if total > MOST_VALUES:
        raise _refused(
            Phrase("There are {total} sampled values", total=total),
            accepted=Phrase("at most {most_values}", most_values=MOST_VALUES),
        )


def _pack(name: str, values: Floats) -> tuple[str, bytes]:
    """The type and the bytes of one column."""
    if name in _EXACT_COLUMNS:
        return "f8", values.astype("<f8").tobytes()
    unknown = np.isnan(values)
    known = values[~unknown]
    if known.size == 0 or _are_counts(known):
        top = float(known.max()) if known.size else 0.0
        for dtype, greatest in (("u1", 0xFF), ("u2", 0xFFFF), ("u4", 0xFFFFFFFF)):
            if top < greatest:
                return dtype, np.where(unknown, greatest, values).astype(_DTYPES[dtype]).tobytes()
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        single = values.astype("<f4")
        error = np.abs(single[~unknown].astype(np.float64) - known)
    # Whole numbers are counts, which single precision may not round.
    whole = bool(np.all(known == np.floor(known)))
    if bool(np.all(error <= (0.0 if whole else TOLERANCE) * np.abs(known))):
        return "f4", single.tobytes()
    return "f8", values.astype("<f8").tobytes()


def _are_counts(known: Floats) -> bool:
    """Whether values are whole and not negative; minus zero would lose its sign."""
    if not bool(np.all((known >= 0.0) & (known < float(0xFFFFFFFF)))):
        return False
    return bool(np.all(known == np.floor(known))) and not bool(np.any(np.signbit(known)))


def _deflate(packed: bytes) -> tuple[bool, bytes]:
    # What the head of a column does not save, its rest rarely does.
    head = packed[: 16 * 1024]
    if len(zlib.compress(head, 1)) > _SMALLEST_SAVING * len(head):
        return False, packed
    small = zlib.compress(packed, 1)
    return (True, small) if len(small) <= _SMALLEST_SAVING * len(packed) else (False, packed)


def _read_header(data: bytes) -> tuple[list[_Column], int]:
    start = len(MAGIC) + 4
    if not data.startswith(MAGIC) or len(data) < start:
        raise _refused(Phrase("The bytes are no stored samples"), place="byte 0")
    length = int.from_bytes(data[len(MAGIC) : start], "little")
    if length > LONGEST_HEADER_BYTES or start + length > len(data):
        raise _refused(
            Phrase("The header is said to be {length} bytes long", length=length),
            place=f"byte {start - 4}",
        )
    try:
        head = json.loads(data[start : start + length])
    except (ValueError, RecursionError) as error:
        raise _refused(
            Phrase("The header of the samples is broken"), place=f"byte {start}"
        ) from error
    if not isinstance(head, dict) or head.get("version") != VERSION:
        raise _refused(
            Phrase("The samples are of an unknown version"),
            accepted=Phrase("version {version}", version=VERSION),
        )
    rows = head.get("columns")
    if not isinstance(rows, list) or len(rows) > MOST_COLUMNS:
        raise _refused(
            Phrase("The header lists no columns"),
            accepted=Phrase("up to {most_columns} columns", most_columns=MOST_COLUMNS),
        )
    columns = [_read_column(row, f"columns[{i}]") for i, row in enumerate(rows)]
    _check_lengths(columns, len(data) - start - length)
    return columns, start + length


def _read_column(row: object, place: str) -> _Column:
    if not isinstance(row, list) or len(row) != 6:
        raise _refused(Phrase("A column of the header has another form"), place=place)
    group, name, dtype, count, deflated, size = row
    texts = isinstance(group, str) and isinstance(name, str) and isinstance(dtype, str)
    numbers = all(isinstance(one, int) and one >= 0 for one in (count, deflated, size))
    if not texts or not numbers or group not in _GROUPS or dtype not in _DTYPES:
        raise _refused(Phrase("A column of the header has another form"), place=place)
    if not 0 < len(name) <= LONGEST_NAME or count > MOST_VALUES:
        raise _refused(
            Phrase("A column is said to hold {count} values", count=count), place=place,
            accepted=Phrase("at most {most_values} values and a name of up to {longest_name} "
"letters", most_values=MOST_VALUES, longest_name=LONGEST_NAME),
        )  # fmt: skip
    return _Column(group, name, dtype, count, bool(deflated), size)


def _check_lengths(columns: list[_Column], there: int) -> None:
    if sum(column.size for column in columns) != there:
        raise _refused(
            Phrase("The columns are longer or shorter than the header says"), place="columns"
        )
    if sum(column.count for column in columns) > MOST_VALUES:
        raise _refused(
            Phrase("The columns hold too many values"),
            accepted=Phrase("at most {most_values}", most_values=MOST_VALUES),
        )
    if len({(column.group, column.name) for column in columns}) != len(columns):
        raise _refused(Phrase("A column stands twice"), place="columns")
    if len({column.count for column in columns if column.group == "requests"}) > 1:
        raise _refused(Phrase("The columns of requests differ in length"), place="columns")
    for column in columns:
        wanted = column.count * np.dtype(_DTYPES[column.dtype]).itemsize
        # Deflate saves at most about a thousandfold: more is a bomb.
        fits = column.size <= wanted + 64 and wanted <= column.size * 1100 + 64
        if not (fits if column.deflated else column.size == wanted):
            raise _refused(
                Phrase(
                    "The column {name!r} of {count} values has {size} bytes",
                    name=column.name,
                    count=column.count,
                    size=column.size,
                ),
                place="columns",
            )


def _unpack(column: _Column, data: bytes) -> Floats:
    dtype = np.dtype(_DTYPES[column.dtype])
    if column.deflated:
        wanted = column.count * dtype.itemsize
        reader = zlib.decompressobj()
        try:
            # One byte more than wanted tells apart what ends there from what goes on.
            data = reader.decompress(data, wanted + 1)
        except zlib.error as error:
            raise _refused(
                Phrase("The column {name!r} is broken", name=column.name), place="columns"
            ) from error
        if len(data) != wanted:
            raise _refused(
                Phrase("The column {name!r} has another length", name=column.name), place="columns"
            )
    raw = np.frombuffer(data, dtype=dtype)
    with np.errstate(invalid="ignore"):  # Hostile bytes may hold signalling NaNs.
        values: Floats = raw.astype(np.float64)
    if dtype.kind == "u":
        values[raw == np.iinfo(dtype).max] = np.nan
    return values


def _refused(what: str, *, place: str = "", accepted: str = "") -> ResultError:
    return ResultError(code="broken-samples", what=what, place=place, accepted=accepted)
