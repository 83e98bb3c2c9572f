"""What serving engines (vLLM, SGLang, TensorRT-LLM and others) put into device memory."""

from matrix.domain.memory.engine_cache import CacheNeed, Span, cache_need, is_hybrid
from matrix.domain.memory.engine_ranges import compute_part, overhead_part
from matrix.domain.memory.engine_rules import rules_of
from matrix.domain.memory.engine_weights import WeightsNeed, weights_need
from matrix.domain.memory.values import (
    Certainty,
    DeviceShare,
    MemoryRequest,
    Part,
    PartKind,
    Term,
)
from matrix.domain.phrases import Phrase

_WEIGHTS_SOURCE = Phrase("the model's structure by its own code, the scheme's layout")


def engine_parts(request: MemoryRequest) -> tuple[Part, ...]:
    """The four parts over all devices of the layout, in the order of PartKind.

    **Raises**: MemoryInputError for a word that means several schemes.
    """
    return (
        _weights_part(weights_need(request)),
        cache_part(request, cache_need(request)),
        compute_part(request),
        overhead_part(request),
    )


def engine_share(request: MemoryRequest, parts: tuple[Part, ...]) -> DeviceShare:
    """What of the parts lies on the fullest device."""
    weights, cache = weights_need(request), cache_need(request)
    devices = request.layout.devices
    compute, overhead = parts[2], parts[3]
    has_weights, has_cache = not weights.why_unknown, not cache.why_unknown
    return DeviceShare(
        weights_bytes=round(weights.rank.figure) if has_weights else None,
        cache_bytes=round(cache.rank.figure) if has_cache else None,
        compute_low_bytes=_each(compute.low_bytes, devices),
        compute_high_bytes=_each(compute.high_bytes, devices),
        overhead_low_bytes=_each(overhead.low_bytes, devices),
        overhead_high_bytes=_each(overhead.high_bytes, devices),
        weights_low_bytes=_end(weights.rank.low, weights.rank) if has_weights else None,
        weights_high_bytes=_end(weights.rank.high, weights.rank) if has_weights else None,
        cache_low_bytes=_end(cache.rank.low, cache.rank) if has_cache else None,
        cache_high_bytes=_end(cache.rank.high, cache.rank) if has_cache else None,
    )


def _end(end: float, span: Span) -> int | None:
    return None if round(end) == round(span.figure) else round(end)


def _each(total: int | None, devices: int) -> int | None:
    return None if total is None else round(total / devices)


def _weights_part(need: WeightsNeed) -> Part:
    if need.why_unknown:
        return Part(
            kind=PartKind.WEIGHTS, certainty=Certainty.UNKNOWN, why_unknown=need.why_unknown
        )
    return Part(
        kind=PartKind.WEIGHTS,
        certainty=need.certainty,
        bytes_=round(need.everywhere.figure),
        low_bytes=round(need.everywhere.low),
        high_bytes=round(need.everywhere.high),
        terms=need.terms,
        source=_WEIGHTS_SOURCE,
    )


def cache_part(request: MemoryRequest, need: CacheNeed) -> Part:
    """The cache as a part; exact where all layers keep the same and nothing but tokens."""
    rules = rules_of(request.engine)
    if need.why_unknown:
        return Part(kind=PartKind.CACHE, certainty=Certainty.UNKNOWN, why_unknown=need.why_unknown)
    terms = need.terms
    if not request.shape.has_cache:
        terms = (Term("no-cache", 0, Phrase("an encoder keeps nothing of the tokens"), {}),)
    span = need.everywhere
    certainty = Certainty.RANGE
    if span.low == span.high and not is_hybrid(request.shape.layers):
        certainty = Certainty.EXACT if rules.is_own else Certainty.CLOSE
    return Part(
        kind=PartKind.CACHE,
        certainty=certainty,
        bytes_=round(span.figure),
        low_bytes=round(span.low),
        high_bytes=round(span.high),
        terms=terms,
        source=rules.source,
    )
