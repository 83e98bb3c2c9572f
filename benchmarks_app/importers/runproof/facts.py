"""Reads the facts of Runproof's own JSON: known names with values of the right type."""

from benchmarks_app.contract import Fact
from benchmarks_app.domain.facts import is_fact
from benchmarks_app.importers.runproof.values import (
    check_time,
    take_count,
    take_text,
    wrong_type,
)
from benchmarks_app.reading.fields import Fields, is_number
from matrix.domain.redaction import mask_text

WHOLE_FACTS = frozenset(
    {"accelerator.count", "parallelism.tp", "parallelism.pp", "parallelism.ep", "parallelism.dp",
     "model.size_bytes", "model.n_params", "host.memory_bytes", "framework.build_number"}
)  # fmt: skip
# Times, and whether they carry a zone.
TIMES = {
    "run.started_at": True, "run.finished_at": True,
    "run.started_at_local": False, "run.finished_at_local": False,
}  # fmt: skip


def read_facts(fields: Fields) -> dict[str, Fact]:
    """Known facts; a name that is no fact stays with what is not mapped.

    **Raises**: ``ResultError`` for a known fact with a value of another type.
    """
    facts: dict[str, Fact] = {}
    for name in fields.value:
        if is_fact(name):
            value = _value(fields, name)
            if value is not None:
                facts[name] = Fact(value, pointer=fields.place(name))
    return facts


def _value(fields: Fields, name: str) -> str | int | float | bool | None:
    if name in WHOLE_FACTS:
        return take_count(fields, name)
    value = fields.peek(name)
    if isinstance(value, str) or name in TIMES:
        text = take_text(fields, name)
        if text is not None and name in TIMES:
            check_time(text, place=fields.place(name), has_zone=TIMES[name])
        return mask_text(text).text if text is not None else None
    if isinstance(value, bool) or is_number(value) or value is None:
        fields.take(name)
        return value
    accepted = "a text, a number, true or false, or null for unknown"
    raise wrong_type(fields.place(name), value, accepted)
