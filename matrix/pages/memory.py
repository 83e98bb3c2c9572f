"""A small picture of the fit: one bar for the fullest device, a sentence, and a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from matrix.domain.memory.values import DeviceShare, FitLevel, MemoryEstimate, PartKind
from matrix.pages.memory_words import (
    FIT_SIGNS,
    PART_WORDS,
    FitSign,
    exact_text,
    range_text,
    size_text,
)


@dataclass(frozen=True, slots=True)
class BarSegment:
    """One piece of the bar. **Units**: ``x`` and ``width`` in per cent of the bar."""

    style: str
    word: str | Promise
    x: float
    width: float
    text: str
    exact: str


@dataclass(frozen=True, slots=True)
class FitSummary:
    """The fit on the fullest device, ready to show.

    ``limit_x`` is where usable memory ends, ``engine_x`` where the engine's share of it does,
    ``None`` where that is not known or the whole; ``is_known`` is off
    where no part has a figure, and then there is no bar.
    """

    sign: FitSign
    sentence: str
    segments: Sequence[BarSegment]
    limit_x: float | None
    engine_x: float | None
    usable: str
    engine: str
    needed: str
    is_known: bool
    largest_context_tokens: int | None
    largest_sequences: int | None
    devices_needed: int | None


def fit_summary(estimate: MemoryEstimate) -> FitSummary:
    """The picture of an estimate."""
    fit = estimate.fit
    segments, limit = _segments(estimate.share, fit.usable_bytes)
    engine_x = None
    if limit is not None and fit.usable_bytes and _has_share(estimate):
        engine_x = round(limit * (fit.engine_bytes or 0) / fit.usable_bytes, 3)
    return FitSummary(
        sign=FIT_SIGNS[fit.level],
        sentence=fit_sentence(estimate),
        segments=segments,
        limit_x=limit,
        engine_x=engine_x,
        usable=size_text(fit.usable_bytes) if fit.usable_bytes is not None else "",
        engine=size_text(fit.engine_bytes) if engine_x is not None else "",
        needed=range_text(fit.needed_low_bytes, fit.needed_high_bytes),
        is_known=bool(segments),
        largest_context_tokens=fit.largest_context_tokens,
        largest_sequences=fit.largest_sequences,
        devices_needed=fit.devices_needed,
    )


def fit_sentence(estimate: MemoryEstimate) -> str:
    """One sentence: what one device needs of what it has, and what follows."""
    fit, share = estimate.fit, estimate.share
    words = {
        "needed": range_text(fit.needed_low_bytes, fit.needed_high_bytes),
        "low": size_text(fit.needed_low_bytes),
        "usable": size_text(fit.usable_bytes),
        "engine": size_text(fit.engine_bytes),
        "weights": size_text(share.weights_bytes),
    }
    if fit.level is FitLevel.DOES_NOT_FIT:
        return (
            _(
                "The weights alone take about %(weights)s on each device of %(usable)s usable:"
                " they do not fit."
            )
            % words
        )
    if fit.needed_low_bytes is None:
        return _("How much memory it needs cannot be told.")
    if fit.usable_bytes is None:
        return _("It needs about %(needed)s on each device.") % words
    sentences = _WITHIN_SHARE if _has_share(estimate) else _WITHIN_DEVICE
    return str(sentences[fit.level]) % words


def _has_share(estimate: MemoryEstimate) -> bool:
    """Whether the engine takes a share of the device only."""
    fit = estimate.fit
    return (
        fit.engine_bytes is not None
        and fit.usable_bytes is not None
        and fit.engine_bytes < fit.usable_bytes
    )


_WITHIN_DEVICE: Mapping[FitLevel, Promise] = {
    FitLevel.FITS: _lazy("About %(needed)s on each device of %(usable)s usable: it fits."),
    FitLevel.TIGHT: _lazy(
        "About %(needed)s on each device of %(usable)s usable: it fits at the low end only."
    ),
    FitLevel.EXCEEDS: _lazy(
        "At least %(low)s on each device of %(usable)s usable: more than there is, by this"
        " estimate."
    ),
    FitLevel.UNKNOWN: _lazy(
        "At least %(low)s on each device of %(usable)s usable; whether it fits cannot be told."
    ),
}
_WITHIN_SHARE: Mapping[FitLevel, Promise] = {
    FitLevel.FITS: _lazy(
        "About %(needed)s on each device, of %(engine)s that the engine takes of %(usable)s"
        " usable: it fits."
    ),
    FitLevel.TIGHT: _lazy(
        "About %(needed)s on each device, of %(engine)s that the engine takes of %(usable)s"
        " usable: it fits at the low end only."
    ),
    FitLevel.EXCEEDS: _lazy(
        "At least %(low)s on each device, of %(engine)s that the engine takes of %(usable)s"
        " usable: more than there is, by this estimate."
    ),
    FitLevel.UNKNOWN: _lazy(
        "At least %(low)s on each device, of %(engine)s that the engine takes of %(usable)s"
        " usable; whether it fits cannot be told."
    ),
}


def _ends(low: int | None, figure: int | None, high: int | None) -> tuple[int | None, int | None]:
    """The range of a figure; the figure itself at both ends where it is exact."""
    return figure if low is None else low, figure if high is None else high


def _segments(share: DeviceShare, usable: int | None) -> tuple[list[BarSegment], float | None]:
    """The pieces in the order of the parts, then what the ranges add; and where usable ends."""
    pieces: list[tuple[str, str | Promise, int]] = []
    spread = 0
    for kind, low, high in (
        (
            PartKind.WEIGHTS,
            *_ends(share.weights_low_bytes, share.weights_bytes, share.weights_high_bytes),
        ),
        (PartKind.CACHE, *_ends(share.cache_low_bytes, share.cache_bytes, share.cache_high_bytes)),
        (PartKind.COMPUTE, share.compute_low_bytes, share.compute_high_bytes),
        (PartKind.OVERHEAD, share.overhead_low_bytes, share.overhead_high_bytes),
    ):
        if low:
            pieces.append((kind.value, PART_WORDS[kind], low))
        spread += max(0, (high or 0) - (low or 0))
    if spread:
        pieces.append(("spread", _("More at the high end of the ranges"), spread))
    total = sum(size for _style, _word, size in pieces)
    whole = max(total, usable or 0)
    if not total:
        return [], None
    found = []
    before = 0
    for style, word, size in pieces:
        found.append(
            BarSegment(
                style=style,
                word=word,
                x=round(100 * before / whole, 3),
                width=round(100 * size / whole, 3),
                text=size_text(size),
                exact=exact_text(size),
            )
        )
        before += size
    return found, None if usable is None else round(100 * usable / whole, 3)
