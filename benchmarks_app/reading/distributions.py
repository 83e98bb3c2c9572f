"""Knows the many names under which tools write the same statistic."""

import math
import re

from benchmarks_app.reading.fields import Fields, is_number

_PLAIN = {
    "mean": "mean", "avg": "mean", "average": "mean",
    "median": "p50",
    "std": "std", "stddev": "std", "std_dev": "std", "stdev": "std",
    "min": "min", "minimum": "min",
    "max": "max", "maximum": "max",
}  # fmt: skip
# "p99", "P99", "p99.9", "p0p1" (which is 0.1) and "99.9%".
_PERCENTILE = re.compile(r"(?i)p?(\d{1,2})(?:[.p](\d{1,3}))?(%?)")


def stat_name(key: str) -> str | None:
    """The canonical statistic behind a tool's key, or ``None`` for anything else."""
    plain = _PLAIN.get(key.strip().lower())
    if plain:
        return plain
    found = _PERCENTILE.fullmatch(key.strip())
    if not found or (key[:1] not in "pP" and not found[3]):
        return None
    whole, part = str(int(found[1])), (found[2] or "").rstrip("0")
    return f"p{whole}.{part}" if part else f"p{whole}"


def take_distribution(
    fields: Fields, *, factor: float = 1.0, skip: tuple[str, ...] = ()
) -> dict[str, float]:
    """All statistics of one object times ``factor``, but those of ``skip``; of two keys for one
    statistic the first counts and the other stays in the rest."""
    return _take(fields, "", factor, skip)


def take_affixed(
    fields: Fields, suffix: str, *, factor: float = 1.0, skip: tuple[str, ...] = ()
) -> dict[str, float]:
    """All statistics of flat keys such as ``p99_ttft`` with the suffix ``_ttft``."""
    return _take(fields, suffix, factor, skip)


def scale(value: float, factor: float) -> float | None:
    """The product, or ``None`` where it is beyond all numbers."""
    product = value * factor
    return product if math.isfinite(product) else None


def _take(fields: Fields, suffix: str, factor: float, skip: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, entered in fields.value.items():
        stat = stat_name(key.removesuffix(suffix)) if key.endswith(suffix) else None
        if stat is None or stat in found or stat in skip:
            continue
        if is_number(entered) and scale(float(entered), factor) is None:
            continue
        value = fields.number(key)
        if value is not None:
            found[stat] = value * factor
    return found
