"""Bounded reading of the values of a GGUF head."""

import struct
from dataclasses import dataclass

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.phrases import Phrase

_SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_BOOL, _STRING, _LIST = 7, 8, 9
_LONGEST_KEPT = 4096
_LONGEST_STRING = 8 * 2**20
_MOST_ITEMS = 2**24
_DEEPEST = 2
_LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True)
class ListValue:
    """A list in the metadata: its length, and its items where they are few numbers."""

    length: int
    items: tuple[int | float | bool, ...] | None = None


def refuse(what: str, value: object, accepted: str) -> MemoryInputError:
    """The error of a header that breaks its format: the place, the value, what is accepted."""
    return MemoryInputError(
        key=f"GGUF {what}", value=value, accepted=accepted, code="unreadable-file"
    )


class HeadReader:
    """Reads forward through the first bytes of a file."""

    LONGEST_KEY = 1024

    def __init__(self, data: bytes, *, limit: int) -> None:
        self._data = data
        self._limit = limit
        self.position = 0

    @property
    def remaining(self) -> int:
        """The bytes that are left."""
        return len(self._data) - self.position

    def take(self, count: int, what: str) -> bytes:
        """The next bytes. **Raises**: MemoryInputError that says how many are needed."""
        end = self.position + count
        if end > self._limit:
            raise refuse(
                what,
                Phrase("byte {end}", end=end),
                Phrase("a head of at most {limit} bytes", limit=self._limit),
            )
        if end > len(self._data):
            error = refuse(
                what,
                Phrase("{count} bytes", count=len(self._data)),
                Phrase("at least {end} bytes of the file's head", end=end),
            )
            error.facts |= {"is_cut": True, "bytes_needed": end}
            raise error
        taken = self._data[self.position : end]
        self.position = end
        return taken

    def number(self, form: str, what: str) -> int:
        """The next whole number."""
        return int(struct.unpack(form, self.take(struct.calcsize(form), what))[0])

    def name(self, what: str, *, longest: int) -> str:
        """The next string, which must be a short one of UTF-8."""
        length = self.number("<Q", what)
        if length > longest:
            raise refuse(
                what,
                Phrase("{length} bytes", length=length),
                Phrase("at most {longest} bytes", longest=longest),
            )
        raw = self.take(length, what)
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise refuse(what, raw, "UTF-8") from error

    def value(self, what: str) -> object:
        """The next value with its type before it."""
        return self._value_of(self.number("<I", Phrase("{what}, type", what=what)), what, depth=0)

    def _value_of(self, kind: int, what: str, *, depth: int) -> object:
        if kind in _SCALARS:
            form = _SCALARS[kind]
            return struct.unpack(form, self.take(struct.calcsize(form), what))[0]
        if kind == _BOOL:
            return self._bool(what)
        if kind == _STRING:
            return self._string(what)
        if kind == _LIST:
            return self._list(what, depth=depth)
        raise refuse(Phrase("{what}, type", what=what), kind, Phrase("a value type from 0 to 12"))

    def _bool(self, what: str) -> bool:
        raw = self.number("<B", what)
        if raw > 1:
            raise refuse(what, raw, Phrase("0 or 1"))
        return raw == 1

    def _string(self, what: str) -> str:
        """A text; of a long one (a chat template) only the beginning is kept."""
        length = self.number("<Q", what)
        if length > _LONGEST_STRING:
            raise refuse(
                what,
                Phrase("{length} bytes", length=length),
                Phrase("at most {longest_string} bytes", longest_string=_LONGEST_STRING),
            )
        raw = self.take(length, what)
        return raw[:_LONGEST_KEPT].decode("utf-8", errors="replace")

    def _list(self, what: str, *, depth: int) -> ListValue:
        if depth >= _DEEPEST:
            raise refuse(
                what,
                Phrase("lists {depth} deep", depth=depth + 1),
                Phrase("at most {deepest} deep", deepest=_DEEPEST),
            )
        kind = self.number("<I", Phrase("{what}, item type", what=what))
        length = self.number("<Q", Phrase("{what}, length", what=what))
        if length > _MOST_ITEMS:
            raise refuse(
                Phrase("{what}, length", what=what),
                length,
                Phrase("at most {most_items} items", most_items=_MOST_ITEMS),
            )
        if kind in _SCALARS or kind == _BOOL:
            return self._numbers(kind, length, what)
        if kind == _STRING:
            self._skip_strings(length, what)
            return ListValue(length)
        if kind == _LIST:
            for _ in range(length):
                self._list(what, depth=depth + 1)
            return ListValue(length)
        raise refuse(
            Phrase("{what}, item type", what=what), kind, Phrase("a value type from 0 to 12")
        )

    def _numbers(self, kind: int, length: int, what: str) -> ListValue:
        form = _SCALARS.get(kind, "<?")
        raw = self.take(length * struct.calcsize(form), what)
        if length > _LONGEST_KEPT:
            return ListValue(length)
        return ListValue(length, struct.unpack(f"<{length}{form[1]}", raw))

    def _skip_strings(self, length: int, what: str) -> None:
        """Passes over strings; a list cut off says at least how many bytes it has."""
        data, position, end = self._data, self.position, len(self._data)
        for index in range(length):
            if position + _LENGTH_BYTES > end:
                self.take(position - self.position + (length - index) * _LENGTH_BYTES, what)
            size = int.from_bytes(data[position : position + _LENGTH_BYTES], "little")
            if size > _LONGEST_STRING:
                raise refuse(
                    what,
                    Phrase("{size} bytes", size=size),
                    Phrase(
                        "strings of at most {longest_string} bytes", longest_string=_LONGEST_STRING
                    ),
                )
            position += _LENGTH_BYTES + size
        self.take(position - self.position, what)
