"""Reads the statistics and the offered load that vLLM's client and its descendants write."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks_app.contract import Measurement
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.domain.metrics import is_stat
from benchmarks_app.reading.fields import Fields, is_number

_UNBOUNDED = ("inf", "+inf", "infinity")
_PERCENTILES = (50, 90, 99)


@dataclass(frozen=True, slots=True)
class Latencies:
    """Latency statistics; ``zero_means_missing`` where some stood there as nothing but zeros."""

    measurements: tuple[Measurement, ...]
    zero_means_missing: bool


@dataclass(frozen=True, slots=True)
class Rate:
    """The offered request rate. **Units**: requests per second."""

    value: float | None = None
    unbounded: bool | None = None
    replay: bool = False


def stat_name(word: str) -> str | None:
    """The statistic that a tool's word means, or ``None``: "median" is p50, "p99.0" is p99."""
    lowered = word.lower()
    if lowered == "median":
        return "p50"
    if re.fullmatch(r"p\d{1,3}(?:\.\d{1,4})?", lowered):
        lowered = f"p{float(lowered[1:]):g}"
    return lowered if is_stat(lowered) and lowered not in ("value", "count", "sum") else None


def read_latencies(
    fields: Fields,
    names: Mapping[str, str],
    *,
    suffix: str = "_ms",
    scale: float = 1.0,
) -> Latencies:
    """Every ``<stat>_<name><suffix>`` of an object, in milliseconds after ``scale``.

    ``names`` maps the tool's metric word to the definition. These tools write zeros for what they
    could not measure; a metric whose statistics are all zero is therefore missing.
    """
    words = "|".join(re.escape(name) for name in names)
    key_form = re.compile(rf"([A-Za-z]+[\d.]*)_({words}){re.escape(suffix)}")
    found: dict[str, dict[str, float]] = {}
    places: dict[str, str] = {}
    for key in fields.value:
        match = key_form.fullmatch(key)
        stat = stat_name(match[1]) if match else None
        if match is None or stat is None:
            continue
        stats = found.setdefault(match[2], {})
        value = fields.peek(key)
        scaled = value * scale if is_number(value) else math.nan
        if is_number(value) and (scaled != stats.get(stat, scaled) or math.isinf(scaled)):
            continue  # A second, different median stays in the rest.
        number = fields.number(key)
        if number is not None:
            stats[stat] = number * scale
            if stat == "mean" or match[2] not in places:
                places[match[2]] = fields.place(key)
    measurements = [
        Measurement(
            metric=names[word].partition("/")[0],
            definition=names[word],
            stats=stats,
            pointer=places[word],
            percentile_method="linear",
        )
        for word, stats in found.items()
        if any(stats.values())
    ]
    zeros = any(stats and not any(stats.values()) for stats in found.values())
    return Latencies(tuple(measurements), zeros)


def read_values(
    fields: Fields, names: Iterable[tuple[str, str]], *, scale: float = 1.0
) -> tuple[Measurement, ...]:
    """Single values: pairs of the tool's key and the definition it follows."""
    found = []
    for key, definition in names:
        number = fields.number(key)
        if number is not None:
            found.append(one_value(definition, number * scale, fields.place(key)))
    return tuple(found)


def one_value(definition: str, value: float, pointer: str) -> Measurement:
    """A metric that consists of one value."""
    return Measurement(definition.partition("/")[0], definition, {"value": value}, pointer=pointer)


def read_rate(fields: Fields, name: str = "request_rate") -> Rate:
    """The rate as written: a number, ``"inf"``, a bare Infinity, or ``"trace"`` for a replay."""
    value = fields.peek(name)
    if is_number(value):
        fields.take(name)
        return Rate(float(value), unbounded=False)
    if isinstance(value, float) and value == math.inf:
        fields.take(name)
        return Rate(unbounded=True)
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _UNBOUNDED:
            fields.take(name)
            return Rate(unbounded=True)
        if word == "trace":
            fields.take(name)
            return Rate(unbounded=False, replay=True)
        number = fields.number_text(name)
        return Rate() if number is None else Rate(number, unbounded=False)
    fields.number(name)  # Marks a null as read and notes a NaN.
    return Rate()


def load_mode(rate: Rate, max_concurrency: int | None) -> LoadMode | None:
    """How the load was offered: a finite rate is open loop even where requests are capped."""
    if rate.replay:
        return LoadMode.REPLAY
    if rate.value is not None:
        return LoadMode.OPEN_LOOP
    if max_concurrency is not None:
        return LoadMode.CLOSED_LOOP
    return LoadMode.BURST if rate.unbounded else None


def summarise_list(fields: Fields, key: str, definition: str, scale: float) -> Measurement | None:
    """Statistics of a list that a tool writes without its own summary; nulls do not count."""
    values = fields.numbers(key)
    if values is None:
        return None
    with np.errstate(over="ignore"):
        known = values[np.isfinite(values)] * scale
        total = known.sum()
    if not known.size or not np.isfinite(total):
        return None
    stats = {
        "mean": float(known.mean()),
        "min": float(known.min()),
        "max": float(known.max()),
        "count": float(known.size),
    }
    for percent, value in zip(_PERCENTILES, np.percentile(known, _PERCENTILES), strict=True):
        stats[f"p{percent}"] = float(value)
    metric = definition.partition("/")[0]
    return Measurement(metric, definition, stats, fields.place(key), percentile_method="linear")
