"""Takes the values of Runproof's own JSON; a value of another type is refused with its place."""

import difflib
from collections.abc import Iterable
from datetime import datetime

from benchmarks_app.contract import Floats
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.reading.fields import Fields, is_number
from matrix.domain.phrases import Phrase

_NEAREST = 4
_SHOWN = 60


def take_number(fields: Fields, name: str) -> float | None:
    """A finite number, or ``None`` where it is absent or null.

    **Raises**: ``ResultError`` for any other value.
    """
    value = fields.take(name)
    if value is None:
        return None
    if not is_number(value):
        raise wrong_type(fields.place(name), value, Phrase("a finite number, or null for unknown"))
    return float(value)


def take_count(fields: Fields, name: str) -> int | None:
    """A whole number, or ``None`` where it is absent or null.

    **Raises**: ``ResultError`` for any other value.
    """
    value = fields.take(name)
    if value is None:
        return None
    if not is_number(value) or not float(value).is_integer():
        raise wrong_type(fields.place(name), value, Phrase("a whole number, or null for unknown"))
    return int(value)


def take_text(fields: Fields, name: str) -> str | None:
    """A text that is not blank, or ``None`` where it is absent, blank or null.

    **Raises**: ``ResultError`` for any other value.
    """
    value = fields.take(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise wrong_type(fields.place(name), value, Phrase("a text, or null for unknown"))
    return value.strip() or None


def take_flag(fields: Fields, name: str) -> bool | None:
    """A boolean, or ``None`` where it is absent or null.

    **Raises**: ``ResultError`` for any other value.
    """
    value = fields.take(name)
    if value is None or isinstance(value, bool):
        return value
    raise wrong_type(fields.place(name), value, Phrase("true, false, or null for unknown"))


def take_object(fields: Fields, name: str) -> Fields:
    """An object inside, empty where it is absent or null.

    **Raises**: ``ResultError`` for any other value.
    """
    value = fields.peek(name)
    if value is not None and not isinstance(value, dict):
        raise wrong_type(fields.place(name), value, Phrase("an object"))
    return fields.child(name)


def take_objects(fields: Fields, name: str) -> list[Fields]:
    """The objects of a list, none where it is absent or null.

    **Raises**: ``ResultError`` for any other value.
    """
    value = fields.peek(name)
    if value is None:
        fields.take(name)
        return []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise wrong_type(fields.place(name), value, Phrase("a list of objects"))
    return fields.children(name)


def take_column(fields: Fields, name: str) -> Floats:
    """A list of numbers as an array, null as NaN.

    **Raises**: ``ResultError`` for any other value.
    """
    found = fields.numbers(name)
    if found is None:
        value = fields.peek(name)
        raise wrong_type(
            fields.place(name), value, Phrase("a list of numbers, null for unknown ones")
        )
    return found


def choose(value: str, known: Iterable[str], *, place: str, kind: str) -> str:
    """The value, which is one of the known names.

    **Raises**: ``ResultError`` with the nearest known names.
    """
    names = sorted(known)
    if value in names:
        return value
    near = difflib.get_close_matches(value, names, n=_NEAREST, cutoff=0.4) or names[:8]
    raise ResultError(
        code=f"unknown-{kind.replace(' ', '-')}",
        what=Phrase("{value!r} is no known {kind}", value=value[:_SHOWN], kind=kind),
        place=place,
        accepted=Phrase("the nearest known: {names}", names=", ".join(near)),
    )


def check_time(value: str, *, place: str, has_zone: bool) -> str:
    """The time as it stands, which is ISO 8601 with a zone, or without one for local times.

    **Raises**: ``ResultError`` for any other text.
    """
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        parsed = None
    if parsed is None or (parsed.tzinfo is not None) != has_zone:
        example = "2026-11-30T12:00:00Z" if has_zone else "2026-11-30T12:00:00, without a zone"
        raise wrong_type(place, value, Phrase("a time such as {example}", example=example))
    return value


def wrong_type(place: str, value: object, accepted: str) -> ResultError:
    """The error for a value that cannot be used."""
    shown = repr(value)
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}…"
    return ResultError(
        code="wrong-value",
        what=Phrase("{shown} cannot be used", shown=shown),
        place=place,
        accepted=accepted,
    )
