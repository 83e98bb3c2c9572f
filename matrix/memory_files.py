"""Pasted model files: a bounded reading of ``config.json``, before anything is made of it."""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.phrases import Phrase

LARGEST_CONFIG_BYTES = 2**20
# Enough for the metadata and the tensor table of any published file.
LARGEST_HEAD_BYTES = 16 * 2**20
DEEPEST = 24
MOST_DIGITS = 20

_CONFIG = Phrase("the text of one config.json: a JSON object of at most 1 MiB")


def read_config_text(text: str) -> Mapping[str, object]:
    """The object that a pasted ``config.json`` holds.

    **Raises**: MemoryInputError for what is no bounded JSON object: too large, too deep, a member
    named twice, a number that JSON does not know or that no computer counts with.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LARGEST_CONFIG_BYTES:
        raise _unreadable("config", Phrase("{size} bytes", size=size), _CONFIG)
    try:
        found = json.loads(
            text,
            object_pairs_hook=_one_of_each,
            parse_constant=_no_constant,
            parse_int=_short_int,
            parse_float=_finite,
        )
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise _unreadable("config", str(error), _CONFIG) from error
    return check_config(found)


def check_config(found: object) -> Mapping[str, object]:
    """The parsed object, when it is one and no deeper than any real one."""
    if not isinstance(found, dict):
        raise _unreadable("config", f"a {type(found).__name__}", _CONFIG)
    _check_depth(found, DEEPEST)
    size = len(json.dumps(found, separators=(",", ":")))
    if size > LARGEST_CONFIG_BYTES:
        raise _unreadable("config", Phrase("{size} bytes", size=size), _CONFIG)
    return found


def read_head_text(text: str) -> bytes:
    """The first bytes of a GGUF file, sent as base64. **Raises**: MemoryInputError."""
    accepted = Phrase(
        "base64 of the first bytes of a GGUF file, at most {largest_head_bytes} bytes",
        largest_head_bytes=LARGEST_HEAD_BYTES,
    )
    if len(text) > LARGEST_HEAD_BYTES * 4 // 3 + 4:
        raise _unreadable("gguf_head", Phrase("{count} characters", count=len(text)), accepted)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _unreadable("gguf_head", str(error), accepted) from error
    return check_head(data)


def check_head(data: bytes) -> bytes:
    """The bytes, when they are not too many. **Raises**: MemoryInputError."""
    if len(data) > LARGEST_HEAD_BYTES:
        accepted = Phrase(
            "the first {largest_head_bytes} bytes of a GGUF file at most",
            largest_head_bytes=LARGEST_HEAD_BYTES,
        )
        raise _unreadable("gguf_head", Phrase("{count} bytes", count=len(data)), accepted)
    return data


def _one_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _unreadable(
                "config", Phrase("{name} twice", name=name[:40]), Phrase("each member once")
            )
        found[name] = value
    return found


def _no_constant(word: str) -> Any:
    raise ValueError(Phrase("{word} is no JSON number", word=word))


def _short_int(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(Phrase("a number of {count} digits", count=len(digits)))
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError(Phrase("{digits} is beyond every number", digits=digits[:20]))
    return value


def _check_depth(value: object, left: int) -> None:
    if left == 0:
        raise _too_deep()
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        if isinstance(one, dict | list):
            _check_depth(one, left - 1)


def _too_deep() -> MemoryInputError:
    return _unreadable(
        "config", Phrase("nested too deeply"), Phrase("at most {deepest} levels", deepest=DEEPEST)
    )


def _unreadable(key: str, value: str, accepted: str) -> MemoryInputError:
    return MemoryInputError(key=key, value=value, accepted=accepted, code="unreadable-file")
