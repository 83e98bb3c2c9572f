"""Reads fields of JSON answers by type: a field of another shape is an unexpected page."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ingest.contract import UnexpectedPage

_SHOWN = 120


def unexpected(url: str, expected: str, seen: object) -> UnexpectedPage:
    """The refusal of an answer, with the beginning of what was seen."""
    return UnexpectedPage(path=url, expected=expected, nearest=repr(seen)[:_SHOWN])


def object_of(value: Any, *, url: str, what: str) -> Mapping[str, Any]:
    """The value as an object. **Raises**: ``UnexpectedPage``."""
    if not isinstance(value, dict):
        raise unexpected(url, f"an object that describes {what}", value)
    return value


def list_of(value: Any, *, url: str, what: str) -> list[Mapping[str, Any]]:
    """The value as a list of objects. **Raises**: ``UnexpectedPage``."""
    if not isinstance(value, list):
        raise unexpected(url, f"a list of {what}", value)
    return [object_of(item, url=url, what=what) for item in value]


def text_at(value: Mapping[str, Any], *names: str, url: str) -> str:
    """The text of the first of the fields that has one. **Raises**: ``UnexpectedPage``."""
    found = optional_text(value, *names)
    if not found:
        raise unexpected(url, f"text under {' or '.join(names)}", sorted(value)[:12])
    return found


def optional_text(value: Mapping[str, Any], *names: str) -> str:
    """The text of the first of the fields that has one, else nothing."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return found.strip()
    return ""


def flag_at(value: Mapping[str, Any], name: str) -> bool | None:
    """A flag; ``None`` where the answer does not say."""
    found = value.get(name)
    return found if isinstance(found, bool) else None


def moment_at(value: Mapping[str, Any], *names: str, url: str) -> datetime | None:
    """The moment of the first of the fields that has one, aware UTC; ``None`` without any.

    **Raises**: ``UnexpectedPage`` for text that is no moment.
    """
    text = optional_text(value, *names)
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise unexpected(url, f"a moment under {' or '.join(names)}", text) from error
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
