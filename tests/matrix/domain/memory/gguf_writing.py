"""Writes heads of GGUF files for tests: metadata and a tensor table, no weights."""

import struct
from collections.abc import Mapping, Sequence

from matrix.domain.memory.ggml_types import GGML_TYPES

Tensor = tuple[str, tuple[int, ...], str]


def text(value: str) -> bytes:
    """A string as the format writes it."""
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def value_bytes(value: object) -> bytes:
    """A value with its type before it."""
    if isinstance(value, bool):
        return struct.pack("<IB", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    assert isinstance(value, list)
    if value and isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(item) for item in value)
    return struct.pack(f"<IIQ{len(value)}I", 9, 4, len(value), *value)


def tensor_size(sizes: Sequence[int], kind: str) -> int:
    """The bytes of a tensor."""
    rows = 1
    for size in sizes[1:]:
        rows *= size
    return GGML_TYPES[kind].row_bytes(sizes[0]) * rows


def gguf_head(
    metadata: Mapping[str, object], tensors: Sequence[Tensor] = (), *, version: int = 3
) -> bytes:
    """The head of a file; each tensor begins where the one before it ends."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    for key, value in metadata.items():
        head += text(key) + value_bytes(value)
    offset = 0
    for name, sizes, kind in tensors:
        head += text(name) + struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
        head += struct.pack("<IQ", GGML_TYPES[kind].number, offset)
        offset += -(-tensor_size(sizes, kind) // 32) * 32
    return head
