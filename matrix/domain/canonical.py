"""One text for one JSON value, and its hash: what a frozen dossier is known by.

The text has sorted keys, no blanks and no escapes beyond those JSON needs. A number without a
fraction is written as a whole number, because databases and other programs do not keep ``1.0``
apart from ``1``.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any


def canonical_value(value: Any) -> Any:
    """The value with its numbers in one form and its keys as texts.

    **Raises**: ``ValueError`` for what JSON does not have: NaN, infinities, other types.
    """
    if isinstance(value, Mapping):
        return {_key(key): canonical_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [canonical_value(item) for item in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} is no number of JSON")
        return int(value) if value.is_integer() else value
    if value is None or isinstance(value, (str, int)):
        return value
    raise ValueError(f"{type(value).__name__} is no type of JSON")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise ValueError(f"the key {key!r} is no text")
    return key


def canonical_text(value: Any) -> str:
    """The one text of a JSON value. **Raises**: ``ValueError``."""
    return json.dumps(
        canonical_value(value),
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    )


def content_sha256(value: Any) -> str:
    """The SHA-256 of the canonical text in UTF-8, as hexadecimal digits. **Raises**: ``ValueError``
    (also for texts that UTF-8 cannot hold).
    """
    return hashlib.sha256(canonical_text(value).encode("utf-8")).hexdigest()
