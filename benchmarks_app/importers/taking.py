"""Turns fields of a file into facts, settings, statistics and notices, marking them as taken."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from benchmarks_app.contract import Fact, Floats, Measurement, Notice
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.reading.fields import Fields

Scalar = str | int | float | bool


def take_scalar(fields: Fields, name: str) -> Scalar | None:
    """A text, number or flag as it stands; blank texts and null are taken and unknown.

    Objects, lists and numbers without end stay in the rest.
    """
    value = fields.peek(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        fields.take(name)
        return None
    if isinstance(value, float) and not math.isfinite(value):
        fields.number(name)
        return None
    if isinstance(value, (str, int, float)):
        fields.take(name)
        return value.strip() if isinstance(value, str) else value
    return None


def take_settings(fields: Fields, names: Iterable[str]) -> dict[str, Scalar]:
    """The stated settings under their own names."""
    found = ((name, take_scalar(fields, name)) for name in names)
    return {name: value for name, value in found if value is not None}


def take_texts(fields: Fields, names: Mapping[str, str]) -> dict[str, Fact]:
    """Facts from text fields; ``names`` maps facts to fields. Blank is unknown."""
    found = {}
    for fact, name in names.items():
        value = fields.text(name)
        if value is not None:
            found[fact] = Fact(value, pointer=fields.place(name))
    return found


def take_integers(fields: Fields, names: Mapping[str, str]) -> dict[str, Fact]:
    """Facts from whole numbers; ``names`` maps facts to fields."""
    found = {}
    for fact, name in names.items():
        value = fields.integer(name)
        if value is not None:
            found[fact] = Fact(value, pointer=fields.place(name))
    return found


def take_stats(
    fields: Fields, names: Mapping[str, str], *, scale: float = 1.0, skip: Iterable[str] = ()
) -> dict[str, float]:
    """Statistics in a canonical unit; ``names`` maps statistics to fields.

    ``skip`` names statistics that are no lengths or times and are not scaled (counts).
    """
    unscaled = frozenset(skip)
    found = {}
    for stat, name in names.items():
        value = fields.number(name)
        if value is not None:
            found[stat] = value if stat in unscaled else value * scale
    return found


def measure(
    metric: str,
    stats: Mapping[str, float],
    *,
    pointer: str,
    definition: str = "",
    basis: str = "",
    method: str = "unknown",
) -> tuple[Measurement, ...]:
    """One measurement, or none where no statistic is known; the usual definition if not named.

    A value that its unit's factor took beyond all numbers is left out.
    """
    known = {name: value for name, value in stats.items() if math.isfinite(value)}
    if not known:
        return ()
    defined = f"{metric}/{definition}" if definition else METRICS[metric].definitions[0]
    return (Measurement(metric, defined, known, pointer, basis, method),)


def scale_column(values: Floats, scale: float) -> Floats:
    """A column in another unit; what goes beyond all numbers becomes unknown."""
    with np.errstate(over="ignore"):
        scaled = values * scale
    scaled[~np.isfinite(scaled)] = np.nan
    return scaled


def non_finite_notices(fields: Fields) -> tuple[Notice, ...]:
    """A notice for every infinite or NaN number that was asked for."""
    return tuple(
        Notice("non_finite_value", place, pointer=place) for place in fields.all_non_finite()
    )
