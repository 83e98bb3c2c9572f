"""Reads what people state of a run: names of facts, values of one line, "not captured"."""

import difflib
from collections.abc import Mapping

from django.utils import timezone

from benchmarks_app.domain.facts import FACTS, OPEN_PREFIXES, is_fact
from benchmarks_app.domain.provenance import ITEMS, NOT_CAPTURED
from benchmarks_app.services.masking import mask_fact, storable_text
from benchmarks_app.services.run_dates import check_date
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

LONGEST_VALUE = 400
LONGEST_ARGUMENTS = 8_000
LONGEST_PASTED = 400_000
MOST_FACTS = 200
# Items of the checklist that are no facts may at least be stated as not captured.
_ITEMS = frozenset(item.name for item in ITEMS)
_LONG_FACTS = frozenset(
    {"framework.arguments", "framework.build_options", "environment", "client.command"}
)
# Facts that count things; a text such as "8" stands for the number.
_WHOLE = frozenset(
    {"accelerator.count", "parallelism.tp", "parallelism.pp", "parallelism.ep", "parallelism.dp",
     "framework.build_number", "model.n_params", "model.size_bytes", "host.memory_bytes"}
)  # fmt: skip
_COUNTS = frozenset(name for name in _WHOLE if name.startswith(("accelerator.", "parallelism.")))
MOST_DEVICES = 100_000
# No fact has a greater number; NaN is not below it.
_GREATEST_NUMBER = 1e300

Value = str | int | float | bool


def read_declared(given: Mapping[str, object]) -> dict[str, Value]:
    """The statements by fact name, masked; null is stated as not captured, blank is left out.

    **Raises**: ``InvalidValue`` for a name that is no fact, with near ones, and for values that
    are too long, of several lines or no number where one is needed.
    """
    if len(given) > MOST_FACTS:
        raise InvalidValue(
            name="facts",
            value=f"{len(given)} of them",
            accepted=Phrase("up to {most_facts}", most_facts=MOST_FACTS),
        )
    found: dict[str, Value] = {}
    for name, value in given.items():
        unstated = value is None or (
            isinstance(value, str) and value.strip().casefold() == NOT_CAPTURED
        )
        if len(name) > 120 or not (is_fact(name) or (unstated and name in _ITEMS)):
            raise _unknown_fact(name)
        if unstated:
            found[name] = NOT_CAPTURED
        elif not (isinstance(value, str) and not value.strip()):
            found[name] = _read_value(name, value)
    return found


def _unknown_fact(name: str) -> InvalidValue:
    near = difflib.get_close_matches(name, FACTS, n=3, cutoff=0.4)
    accepted = f"a fact such as {', '.join(near or ('model.id', 'framework.version'))}"
    return InvalidValue(
        name="fact",
        value=name[:120],
        accepted=Phrase(
            "{accepted}, or {names}…", accepted=accepted, names=", ".join(OPEN_PREFIXES)
        ),
    )


def _read_value(name: str, value: object) -> Value:
    if name in _WHOLE:
        return _read_whole(name, value)
    if isinstance(value, (bool, int, float)):
        if not -_GREATEST_NUMBER < value < _GREATEST_NUMBER:
            raise InvalidValue(name=name, value=str(value)[:80], accepted=Phrase("a finite number"))
        return value
    if not isinstance(value, str):
        raise InvalidValue(name=name, value=str(value)[:80], accepted=Phrase("a text or a number"))
    text = storable_text(value.strip())
    longest = LONGEST_ARGUMENTS if name in _LONG_FACTS else LONGEST_VALUE
    if len(text) > longest:
        raise InvalidValue(
            name=name,
            value=f"{len(text)} characters",
            accepted=Phrase("up to {longest} characters", longest=longest),
        )
    if name not in _LONG_FACTS and any(c in text for c in "\r\n"):
        raise InvalidValue(name=name, value=text[:80], accepted=Phrase("one line"))
    check_date(name, text, now=timezone.now())
    return mask_fact(name, text)


def _read_whole(name: str, value: object) -> int:
    most = MOST_DEVICES if name in _COUNTS else 2**62
    wanted = InvalidValue(
        name=name,
        value=str(value)[:80],
        accepted=Phrase("a whole number from 1 to {most}", most=most),
    )
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise wanted
    try:
        number = int(value)
    except ValueError:
        raise wanted from None
    if not 1 <= number <= most:
        raise wanted
    return number
