"""Recomputes from samples how many requests met thresholds, and the goodput that makes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.domain.run_view import SampledRun
from benchmarks_app.domain.summary import (
    derive_columns,
    percentile_name,
    percentile_of_sorted,
    succeeded,
)
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LARGEST_MS = 86_400_000.0


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Greatest latencies that a request may have. **Units**: milliseconds; ``None`` asks nothing.

    **Raises**: ``InvalidValue`` for a threshold that is no number above 0 and up to a day.
    """

    ttft_ms: float | None = None
    tpot_ms: float | None = None
    e2el_ms: float | None = None

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if value is not None and not (math.isfinite(value) and 0.0 < value <= LARGEST_MS):
                raise InvalidValue(
                    name=one.name,
                    value=value,
                    accepted=Phrase(
                        "milliseconds above 0, at most {largest_ms:.0f}", largest_ms=LARGEST_MS
                    ),
                )

    @property
    def asked(self) -> dict[str, float]:
        """The thresholds by column, those alone that ask something."""
        named = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in named.items() if value is not None}


class WhyUnknown(StrEnum):
    """Why a run's attainment or goodput is unknown."""

    NO_SAMPLES = "no-samples"
    NO_COLUMN = "no-column"  # ``detail`` names it
    NOTHING_ASKED = "nothing-asked"
    NO_DURATION = "no-duration"


class DurationFrom(StrEnum):
    """Where the time that goodput is counted over comes from."""

    REPORTED = "reported"
    SAMPLES = "samples"  # from the first start to the last end


@dataclass(frozen=True, slots=True)
class Attainment:
    """How a run meets thresholds.

    ``met`` of ``total`` requests are within all thresholds; failed ones never are, also where the
    samples leave them out. ``met_by`` counts each threshold alone. ``undecided`` requests
    succeeded without the latency that is asked for; they do not count as met. ``percentiles`` are
    the columns' percentiles at the asked rank, with whether they are within their threshold.
    **Units**: ``goodput`` in requests per second; shares from 0 to 1.
    """

    uid: str
    met: int | None = None
    total: int | None = None
    share: float | None = None
    goodput: float | None = None
    duration_from: DurationFrom | None = None
    met_by: Mapping[str, int] | None = None
    undecided: int = 0
    percentiles: Mapping[str, tuple[float, bool]] | None = None
    why_unknown: WhyUnknown | None = None
    why_no_goodput: WhyUnknown | None = None
    detail: str = ""


def attain(run: SampledRun, thresholds: Thresholds, *, rank: float = 99.0) -> Attainment:
    """How a run meets thresholds, or the reason why that is unknown.

    ``rank`` is the percentile that is held against each threshold as well.
    """
    uid = run.view.uid
    asked = thresholds.asked
    if not asked:
        return _unknown(uid, WhyUnknown.NOTHING_ASKED)
    if run.samples is None or not run.samples.requests:
        return _unknown(uid, WhyUnknown.NO_SAMPLES)
    full = derive_columns(run.samples)
    missing = [name for name in asked if name not in full.requests]
    if missing:
        return _unknown(uid, WhyUnknown.NO_COLUMN, missing[0])
    good = succeeded(run.samples)
    if good is None:
        return _unknown(uid, WhyUnknown.NO_SAMPLES)
    unknown = [name for name in asked if not np.isfinite(full.requests[name]).any()]
    if unknown and good.any() and not _may_lack(unknown, full.requests, good):
        return _unknown(uid, WhyUnknown.NO_COLUMN, unknown[0])
    return _attained(run, full.requests, good, asked, rank=rank)


def _unknown(uid: str, why: WhyUnknown, detail: str = "") -> Attainment:
    return Attainment(uid, why_unknown=why, why_no_goodput=why, detail=detail)


def _may_lack(unknown: list[str], columns: Mapping[str, Floats], good: Flags) -> bool:
    """Whether the unknown column is a TPOT that no successful request can have."""
    return unknown == ["tpot_ms"] and bool(_single_token(columns)[good].all())


def _single_token(columns: Mapping[str, Floats]) -> Flags:
    output = columns.get("output_tokens")
    if output is None:
        length = next(iter(columns.values())).size
        return np.zeros(length, dtype=np.bool_)
    return np.asarray(output == 1.0, dtype=np.bool_)


def _attained(
    run: SampledRun,
    columns: Mapping[str, Floats],
    good: Flags,
    asked: Mapping[str, float],
    *,
    rank: float,
) -> Attainment:
    within = {}
    decided = np.ones(good.size, dtype=np.bool_)
    for name, limit in asked.items():
        values = columns[name]
        known = np.isfinite(values)
        inside = known & (values <= limit)
        if name == "tpot_ms":
            # A request of one token has no time between tokens to be late with.
            single = _single_token(columns)
            inside, known = inside | single, known | single
        within[name] = inside & good
        decided &= known
    all_met = np.logical_and.reduce(list(within.values()))
    met = int(all_met.sum())
    # Requests that the samples leave out did not succeed, or they would have been recorded.
    total = max(int(good.size), run.view.counts.total or 0)
    duration, origin = _duration(run, columns)
    return Attainment(
        run.view.uid,
        met=met,
        total=total,
        share=met / total if total else None,
        goodput=met / duration if duration else None,
        duration_from=origin,
        met_by={name: int(flags.sum()) for name, flags in within.items()},
        undecided=int((good & ~decided).sum()),
        percentiles=_percentiles(columns, asked, rank=rank),
        why_no_goodput=None if duration else WhyUnknown.NO_DURATION,
    )


def _duration(
    run: SampledRun, columns: Mapping[str, Floats]
) -> tuple[float | None, DurationFrom | None]:
    reported = run.view.tokens.duration_s
    if reported is not None and reported > 0.0:
        return reported, DurationFrom.REPORTED
    start, e2el = columns.get("start_s"), columns.get("e2el_ms")
    if start is None or e2el is None:
        return None, None
    ends = start + e2el / 1000.0
    if not np.isfinite(ends).any():
        return None, None
    span = float(np.nanmax(ends) - np.nanmin(start))
    return (span, DurationFrom.SAMPLES) if span > 0.0 else (None, None)


def _percentiles(
    columns: Mapping[str, Floats], asked: Mapping[str, float], *, rank: float
) -> dict[str, tuple[float, bool]]:
    found = {}
    for name, limit in asked.items():
        known = columns[name][np.isfinite(columns[name])]
        if known.size:
            value = percentile_of_sorted(np.sort(known), rank)
            found[f"{name}.{percentile_name(rank)}"] = (value, value <= limit)
    return found
