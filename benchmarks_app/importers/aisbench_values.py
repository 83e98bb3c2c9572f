"""Reads AISBench's quantities: numbers, or texts of a number and its unit."""

import re

from benchmarks_app.reading.distributions import scale
from benchmarks_app.reading.fields import is_number

_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z/]*)\s*")
_LONGEST_QUANTITY = 200
# How many of the wanted unit one of the written unit is.
_FACTORS = {
    ("ms", "ms"): 1.0,
    ("s", "ms"): 1000.0,
    ("us", "ms"): 0.001,
    ("token/s", "token/s"): 1.0,
    ("tokens/s", "token/s"): 1.0,
    ("req/s", "req/s"): 1.0,
    ("", ""): 1.0,
}


def read_quantity(value: object, unit: str) -> float | None:
    """The number in the wanted unit; ``None`` for another unit or no number. A bare number is
    taken as it stands."""
    if is_number(value):
        return float(value)
    short = isinstance(value, str) and len(value) <= _LONGEST_QUANTITY
    found = _QUANTITY.fullmatch(str(value)) if short else None
    if not found:
        return None
    factor = 1.0 if not found[2] else _FACTORS.get((found[2], unit))
    return None if factor is None else scale(float(found[1]), factor)
