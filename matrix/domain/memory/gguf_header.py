"""The head of a GGUF file: its metadata and its tensor table, read within bounds.

Nothing of the file is trusted: each length is checked against what is there before it is used, and
nothing is kept but numbers, short words and the lengths of lists.
**Source**: ggml/docs/gguf.md and ggml/src/gguf.cpp of llama.cpp 0c1e57098.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.ggml_types import TYPES_BY_NUMBER
from matrix.domain.memory.gguf_reader import HeadReader, ListValue, refuse
from matrix.domain.memory.gguf_shape import shape_of_header
from matrix.domain.memory.values import ModelShape
from matrix.domain.phrases import Phrase

MOST_HEAD_BYTES = 32 * 2**20
MOST_KEYS = 65_536
MOST_TENSORS = 131_072
MOST_DIMENSIONS = 4
LONGEST_NAME = 128
MOST_ELEMENTS = 2**48
LARGEST_ALIGNMENT = 65_536
_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_DEFAULT_ALIGNMENT = 32


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """One row of the tensor table. **Units**: bytes; ``offset`` from the start of the data."""

    name: str
    dimensions: tuple[int, ...]
    type_name: str
    offset: int

    @property
    def elements(self) -> int:
        """The number of weights."""
        count = 1
        for size in self.dimensions:
            count *= size
        return count


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What the head of a file says.

    ``tensors`` is ``None`` where only the metadata were given; ``tensor_bytes`` is what the tensors
    hold in sum, ``None`` where the table is missing or covers one part of several.
    ``notes`` are constant codes with their facts.
    """

    version: int
    metadata: Mapping[str, object]
    tensor_count: int
    tensors: tuple[GgufTensor, ...] | None
    alignment_bytes: int
    head_bytes: int
    tensor_bytes: int | None = None
    notes: tuple[tuple[str, Mapping[str, object]], ...] = field(default=())


def read_gguf_header(data: bytes) -> GgufHeader:
    """The header in the first bytes of a file.

    **Raises**: MemoryInputError for bytes that are no GGUF header, that are cut off within the
    metadata (it says how many bytes are needed), or whose lengths or weights cannot be.
    """
    reader = HeadReader(data[:MOST_HEAD_BYTES], limit=MOST_HEAD_BYTES)
    version = _read_version(reader)
    tensor_count = _bounded(reader, "tensor count", MOST_TENSORS)
    key_count = _bounded(reader, "metadata count", MOST_KEYS)
    metadata: dict[str, object] = {}
    for index in range(key_count):
        key = reader.name(
            Phrase("name of metadata {index}", index=index), longest=reader.LONGEST_KEY
        )
        if not key:
            raise refuse(
                Phrase("name of metadata {index}", index=index),
                key,
                Phrase("a name that is not empty"),
            )
        if key in metadata:
            raise refuse(
                Phrase("metadata {key}", key=key), Phrase("stated twice"), Phrase("each name once")
            )
        metadata[key] = reader.value(Phrase("metadata {key}", key=key))
    alignment = _alignment(metadata)
    tensors, notes = _read_tensors(reader, tensor_count)
    _check_offsets(tensors or (), alignment)
    parts = metadata.get("split.count", 1)
    is_whole = not isinstance(parts, int) or parts <= 1
    if not is_whole:
        notes = (*notes, ("one-part-of-several", {"parts": parts}))
    known = tensors is not None and is_whole
    return GgufHeader(
        version=version,
        metadata=metadata,
        tensor_count=tensor_count,
        tensors=tensors,
        alignment_bytes=alignment,
        head_bytes=reader.position,
        tensor_bytes=sum(_bytes_of(tensor) for tensor in tensors or ()) if known else None,
        notes=notes,
    )


def shape_from_gguf(header: GgufHeader) -> ModelShape:
    """The shape that a header describes. **Raises**: MemoryInputError for impossible numbers."""
    elements = None
    names: frozenset[str] | None = None
    if header.tensors is not None and header.tensor_bytes is not None:
        elements = sum(tensor.elements for tensor in header.tensors)
        names = frozenset(tensor.name for tensor in header.tensors)
    return shape_of_header(header.metadata, tensor_names=names, parameters=elements)


def _read_version(reader: HeadReader) -> int:
    magic = reader.take(4, "magic")
    if magic != _MAGIC:
        raise refuse(Phrase("magic"), magic, Phrase("a file that begins with GGUF"))
    raw = reader.take(4, "version")
    version = int(struct.unpack("<I", raw)[0])
    if version in _VERSIONS:
        return version
    if struct.unpack(">I", raw)[0] in _VERSIONS:
        raise refuse(Phrase("byte order"), Phrase("big endian"), Phrase("a little-endian file"))
    raise refuse(
        Phrase("version"), version, Phrase("version 2 or 3; earlier files must be converted anew")
    )


def _bounded(reader: HeadReader, what: str, most: int) -> int:
    count = reader.number("<Q", what)
    if count > most:
        raise refuse(what, count, Phrase("at most {most}", most=most))
    return count


def _alignment(metadata: Mapping[str, object]) -> int:
    value = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not isinstance(value, int) or not 1 <= value <= LARGEST_ALIGNMENT:
        raise refuse(
            Phrase("general.alignment"),
            value,
            Phrase("a power of two up to {largest_alignment}", largest_alignment=LARGEST_ALIGNMENT),
        )
    if value & (value - 1):
        raise refuse(Phrase("general.alignment"), value, Phrase("a power of two"))
    return value


def _read_tensors(
    reader: HeadReader, count: int
) -> tuple[tuple[GgufTensor, ...] | None, tuple[tuple[str, Mapping[str, object]], ...]]:
    """The table, or ``None`` with a note where it is missing or cut off."""
    if not count or not reader.remaining:
        return None, (("no-tensor-table", {"tensors": count}),)
    start = reader.position
    found: dict[str, GgufTensor] = {}
    for index in range(count):
        try:
            tensor = _read_tensor(reader, index)
        except MemoryInputError as error:
            if error.facts.get("is_cut") is not True:
                raise
            needed = start + (reader.position - start) * count // max(index, 1)
            return None, (("tensor-table-cut", {"tensors": count, "bytes_needed": needed}),)
        if tensor.name in found:
            raise refuse(
                Phrase("tensor {name}", name=tensor.name),
                Phrase("listed twice"),
                Phrase("each name once"),
            )
        found[tensor.name] = tensor
    return tuple(found.values()), ()


def _read_tensor(reader: HeadReader, index: int) -> GgufTensor:
    name = reader.name(Phrase("name of tensor {index}", index=index), longest=LONGEST_NAME)
    what = f"tensor {name or index}"
    count = reader.number("<I", Phrase("{what}, dimensions", what=what))
    if not 1 <= count <= MOST_DIMENSIONS:
        raise refuse(
            Phrase("{what}, dimensions", what=what),
            count,
            Phrase("1 to {most_dimensions}", most_dimensions=MOST_DIMENSIONS),
        )
    sizes = tuple(reader.number("<Q", Phrase("{what}, size", what=what)) for _ in range(count))
    number = reader.number("<I", Phrase("{what}, type", what=what))
    offset = reader.number("<Q", Phrase("{what}, offset", what=what))
    kind = TYPES_BY_NUMBER.get(number)
    if kind is None:
        raise refuse(
            Phrase("{what}, type", what=what),
            number,
            Phrase("the number of a ggml type that llama.cpp knows"),
        )
    tensor = GgufTensor(name=name, dimensions=sizes, type_name=kind.name, offset=offset)
    if any(size < 1 for size in sizes) or tensor.elements > MOST_ELEMENTS:
        raise refuse(
            Phrase("{what}, size", what=what),
            sizes,
            Phrase("sizes from 1 on, at most {most_elements} weights", most_elements=MOST_ELEMENTS),
        )
    if not kind.fits(sizes[0]):
        raise refuse(
            Phrase("{what}, rows", what=what),
            sizes[0],
            Phrase("whole blocks of {block_elements}", block_elements=kind.block_elements),
        )
    return tensor


def _bytes_of(tensor: GgufTensor) -> int:
    kind = next(k for k in TYPES_BY_NUMBER.values() if k.name == tensor.type_name)
    return kind.row_bytes(tensor.dimensions[0]) * (tensor.elements // tensor.dimensions[0])


def _check_offsets(tensors: tuple[GgufTensor, ...], alignment: int) -> None:
    """Refuses a table whose tensors do not lie one behind the other, as llama.cpp does."""
    expected = 0
    for tensor in tensors:
        if tensor.offset != expected:
            raise refuse(
                Phrase("tensor {name}, offset", name=tensor.name),
                tensor.offset,
                Phrase(
                    "{expected}, where the tensor before it ends: the weights do not add up",
                    expected=expected,
                ),
            )
        expected += -(-_bytes_of(tensor) // alignment) * alignment


__all__ = ["GgufHeader", "GgufTensor", "ListValue", "read_gguf_header", "shape_from_gguf"]
