"""Opens the bytes of a result file once: text or not, JSON, JSON Lines, YAML or plain text.

The name's suffix is never trusted: tools write JSON Lines into ``.json`` and CSV into ``.jsonl``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.reading.json_text import parse_json, parse_lines
from benchmarks_app.reading.yaml_text import parse_yaml
from matrix.domain.phrases import Phrase


class Kind(StrEnum):
    """What the bytes are."""

    JSON = "json"
    JSON_LINES = "json-lines"
    YAML = "yaml"
    TEXT = "text"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class Record:
    """One line of JSON Lines; ``line`` counts from 1."""

    line: int
    value: object


@dataclass(frozen=True, slots=True)
class Document:
    """A file, parsed once.

    **Shapes**: ``value`` for JSON and YAML; ``records`` for JSON Lines; ``text`` for YAML and
    plain text (empty for JSON, whose bytes would only take room); ``media`` names a known binary
    format. JSON values may hold infinite and NaN floats, which ``fields.Fields`` turns away.
    """

    name: str
    size_bytes: int
    kind: Kind
    value: object = None
    records: Sequence[Record] = field(default=())
    text: str = ""
    media: str = ""

    @property
    def basename(self) -> str:
        """The name without folders."""
        return self.name.replace("\\", "/").rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The folders of the name, ``""`` at the top."""
        return self.name.replace("\\", "/").rpartition("/")[0]


# What binary files begin with; named so that a refusal can say what was sent.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"%PDF", "a PDF document"),
    (b"GGUF", "a GGUF model file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"PAR1", "a Parquet file"),
    (b"\x7fELF", "a program"),
)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
_YAML_START = re.compile(r"\A(?:#[^\n]*\n|\s)*+(?:---|[A-Za-z_][\w.-]*:(?:\s|$))")


def open_document(name: str, data: bytes) -> Document:
    """The parsed document.

    **Raises**: ``ResultError`` for an empty file, text in no known encoding, and JSON that is
    broken, too deep, or says one key twice in one object; each names its place.
    """
    media = next((words for magic, words in _MAGIC if data.startswith(magic)), "")
    if media:
        return Document(name, len(data), Kind.BINARY, media=media)
    size = len(data)
    if data.startswith(_UTF16):
        data = _decode(data, "utf-16").encode()
    data = data.removeprefix(_UTF8_MARK)
    start = data[:4096].lstrip()[:1]
    if not start and not data.strip():
        raise ResultError(
            code="empty-file", what=Phrase("The file is empty"), accepted=Phrase("a result file")
        )
    if start in (b"{", b"["):
        return _open_json(name, data, size)
    if b"\x00" in data[:65536]:
        return Document(name, size, Kind.BINARY)
    text = _decode(data, "utf-8")
    if _YAML_START.match(text[:4096]):
        value = parse_yaml(text)
        if isinstance(value, dict):
            return Document(name, size, Kind.YAML, value=value, text=text)
    return Document(name, size, Kind.TEXT, text=text)


def _open_json(name: str, data: bytes, size: int) -> Document:
    lines = parse_lines(data)
    if lines is not None:
        records = tuple(Record(line, value) for line, value in lines)
        return Document(name, size, Kind.JSON_LINES, records=records)
    if _is_no_json(data):
        return Document(name, size, Kind.TEXT, text=_decode(data, "utf-8"))
    return Document(name, size, Kind.JSON, value=parse_json(data))


# Console text may begin with a bracket: "[11/18/2024-10:00:00] [TRT-LLM] [I] …".
_NO_JSON = re.compile(
    rb"\A\s*(?:\[\d+[/:-][\d/:. +-]*\]|\[\s*[\w/:. +-]+\]\s*[^\s,\]\[{\"]|"
    rb"\[\s*[A-Za-z/]|\{[\s{]*[A-Za-z])"
)
_JSON_WORDS = re.compile(rb"\A\s*\[\s*(?:true|false|null|NaN|Infinity)\b")


def _is_no_json(data: bytes) -> bool:
    head = data[:400]
    return bool(_NO_JSON.match(head)) and not _JSON_WORDS.match(head)


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ResultError(
            code="unknown-encoding",
            what=Phrase("The text is not {upper}", upper=encoding.upper()),
            place=f"byte {error.start}",
            accepted=Phrase("UTF-8, or UTF-16 with a byte order mark"),
        ) from error
