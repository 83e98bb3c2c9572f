"""Whether an estimate fits its devices: the level, the points of failure, and what would fit."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from matrix.domain.memory.values import (
    Certainty,
    DeviceShare,
    FailurePoint,
    Fit,
    FitLevel,
    MemoryRequest,
    Part,
    PartKind,
)

# Searched for at most: beyond it a figure tells nobody anything.
MOST_CONTEXT = 16_777_216
MOST_SEQUENCES = 65_536


@dataclass(frozen=True, slots=True)
class Needs:
    """What one device needs from least to most. **Units**: bytes."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Budget:
    """What one device gives. **Units**: bytes.

    ``engine_bytes`` is the engine's share of it; ``most_bytes`` is beyond what any reading of the
    stated size gives, so that more than it certainly does not fit.
    """

    usable_bytes: int
    engine_bytes: int
    most_bytes: int
    source: str


ShareAt = Callable[[int, int], DeviceShare]  # of context tokens and sequences
# Makers write GB for both readings: 10⁹ bytes or 2³⁰.
_GB_READINGS = 1024**3 / 1000**3


def budget_of(request: MemoryRequest, *, memory_share: float) -> Budget | None:
    """The memory of one device that counts; None where it is not known.

    What programs were seen to get counts before what the device has in all.
    """
    usable = request.device_usable_bytes
    source = "seen" if usable is not None else "stated"
    if usable is None:
        usable = request.device_memory_bytes
    if usable is None:
        return None
    most = usable if source == "seen" else int(usable * _GB_READINGS)
    return Budget(usable, int(usable * memory_share), most, source)


def needs_of(share: DeviceShare) -> Needs | None:
    """What the share adds up to; None where a part of it is unknown."""
    load = load_needs(share)
    cache = _cache(share)
    ends = (share.compute_low_bytes, share.compute_high_bytes)
    if load is None or cache is None or None in ends:
        return None
    return Needs(load.low + cache.low + (ends[0] or 0), load.high + cache.high + (ends[1] or 0))


def load_needs(share: DeviceShare) -> Needs | None:
    """What loading the weights needs."""
    figure = share.weights_bytes
    if figure is None:
        return None
    low = figure if share.weights_low_bytes is None else share.weights_low_bytes
    high = figure if share.weights_high_bytes is None else share.weights_high_bytes
    return Needs(low + (share.overhead_low_bytes or 0), high + (share.overhead_high_bytes or 0))


def _cache(share: DeviceShare) -> Needs | None:
    figure = share.cache_bytes
    if figure is None:
        return None
    low = figure if share.cache_low_bytes is None else share.cache_low_bytes
    high = figure if share.cache_high_bytes is None else share.cache_high_bytes
    return Needs(low, high)


def fit_of(
    request: MemoryRequest,
    parts: tuple[Part, ...],
    share: DeviceShare,
    *,
    budget: Budget | None,
    share_at: ShareAt,
) -> Fit:
    """The fit of a share; ``share_at`` gives the share at another context and concurrency."""
    needs = needs_of(share)
    if budget is None:
        return Fit(
            level=FitLevel.UNKNOWN,
            needed_low_bytes=needs.low if needs else None,
            needed_high_bytes=needs.high if needs else None,
        )
    points = {
        FailurePoint.LOAD: _load_level(parts, share, budget),
        FailurePoint.WARM_UP: _level(
            needs_of(share_at(request.context_tokens, 1)), budget.engine_bytes
        ),
        FailurePoint.SERVICE: _level(needs, budget.engine_bytes),
    }
    level = points[FailurePoint.SERVICE]
    if points[FailurePoint.LOAD] is FitLevel.DOES_NOT_FIT:
        level = FitLevel.DOES_NOT_FIT
    fit = Fit(
        level=level,
        usable_bytes=budget.usable_bytes,
        usable_source=budget.source,
        needed_low_bytes=needs.low if needs else None,
        needed_high_bytes=needs.high if needs else None,
        headroom_bytes=budget.engine_bytes - needs.high if needs else None,
        points=points,
        engine_bytes=budget.engine_bytes,
    )
    if needs is None or not request.shape.has_cache:
        return fit
    search = _Search(request, budget, share_at)
    return replace(
        fit,
        largest_context_tokens=search.context(at_best=False),
        largest_sequences=search.sequences(at_best=False),
        largest_context_at_best_tokens=search.context(at_best=True),
        largest_sequences_at_best=search.sequences(at_best=True),
    )


def _level(needs: Needs | None, given: int) -> FitLevel:
    if needs is None:
        return FitLevel.UNKNOWN
    if needs.high <= given:
        return FitLevel.FITS
    return FitLevel.TIGHT if needs.low <= given else FitLevel.EXCEEDS


def _load_level(parts: tuple[Part, ...], share: DeviceShare, budget: Budget) -> FitLevel:
    """Loading alone; only a true lower bound of the weights says that it does not fit."""
    weights = next(part for part in parts if part.kind is PartKind.WEIGHTS)
    needs = load_needs(share)
    if needs is None or weights.certainty is Certainty.UNKNOWN:
        return FitLevel.UNKNOWN
    least = share.weights_bytes if share.weights_low_bytes is None else share.weights_low_bytes
    if least is not None and least > budget.most_bytes:
        return FitLevel.DOES_NOT_FIT
    return _level(needs, budget.usable_bytes)


@dataclass(frozen=True, slots=True)
class _Search:
    """The largest loads that a budget gives, at the high end of every range or at the low."""

    request: MemoryRequest
    budget: Budget
    share_at: ShareAt

    def context(self, *, at_best: bool) -> int:
        """The most tokens for the asked sequences, up to what the model was made for."""
        most = min(self.request.shape.max_context_tokens or MOST_CONTEXT, MOST_CONTEXT)
        asked = self.request.sequences
        return largest_that(lambda tokens: self._fits(tokens, asked, at_best), most=most)

    def sequences(self, *, at_best: bool) -> int:
        """The most sequences of the asked context."""
        asked = self.request.context_tokens
        return largest_that(lambda count: self._fits(asked, count, at_best), most=MOST_SEQUENCES)

    def _fits(self, tokens: int, sequences: int, at_best: bool) -> bool:
        needs = needs_of(self.share_at(tokens, sequences))
        if needs is None:
            return False
        return (needs.low if at_best else needs.high) <= self.budget.engine_bytes


def largest_that(fits: Callable[[int], bool], *, most: int) -> int:
    """The largest number from 1 to ``most`` that fits, 0 where not even 1 does."""
    if not fits(1):
        return 0
    if fits(most):
        return most
    good, bad = 1, most
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good
