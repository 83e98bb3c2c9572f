"""An estimate of memory as plain data, for REST and for files."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from matrix.domain.memory.values import MemoryEstimate, ModelShape, Part, Term

# Layers of a kind are counted, not listed.
_SHAPE_NUMBERS = (
    "num_layers", "hidden_size", "num_heads", "num_kv_heads", "head_dim", "feed_forward_size",
    "vocab_size", "tied_embeddings", "max_context_tokens", "num_experts", "num_experts_per_token",
    "num_mtp_layers", "parameters_total",
)  # fmt: skip


def estimate_plain(estimate: MemoryEstimate) -> dict[str, Any]:
    """The estimate by parts, the fullest device, the fit and the warnings."""
    request = estimate.request
    return {
        "model": shape_plain(request.shape),
        "quantization": request.scheme,
        "engine": request.engine or None,
        "engine_version": request.version or None,
        "context_tokens": request.context_tokens,
        "sequences": request.sequences,
        "kv_dtype": request.kv_dtype or None,
        "layout": {**asdict(request.layout), "devices": request.layout.devices},
        "options": dict(request.options),
        "parts": [part_plain(part) for part in estimate.parts],
        "per_device": asdict(estimate.share),
        "fit": fit_plain(estimate),
        "warnings": [warning_plain(code, facts) for code, facts in estimate.warnings],
    }


def shape_plain(shape: ModelShape) -> dict[str, Any]:
    """The numbers of a shape that an estimate rests on; ``null`` is unknown."""
    kinds: dict[str, int] = {}
    for layer in shape.layers:
        kinds[layer.attention.value] = kinds.get(layer.attention.value, 0) + 1
    return {
        "name": shape.name,
        "architecture": shape.architecture,
        **{name: getattr(shape, name) for name in _SHAPE_NUMBERS},
        "num_layers_by_attention": kinds,
        "has_cache": shape.has_cache,
        "source": shape.source,
    }


def part_plain(part: Part) -> dict[str, Any]:
    """One part with its range and its formula."""
    return {
        "kind": part.kind.value,
        "certainty": part.certainty.value,
        "bytes": part.bytes_,
        "low_bytes": part.low_bytes,
        "high_bytes": part.high_bytes,
        "terms": [term_plain(term) for term in part.terms],
        "source": part.source,
        "why_unknown": part.why_unknown or None,
    }


def term_plain(term: Term) -> dict[str, Any]:
    """One line of a formula with its numbers."""
    return {
        "name": term.name,
        "bytes": term.bytes_,
        "expression": term.expression,
        "numbers": dict(term.numbers),
    }


def fit_plain(estimate: MemoryEstimate) -> dict[str, Any]:
    """The fit: level, figures of one device, failure points, the largest that fits."""
    fit = estimate.fit
    return {
        "level": fit.level.value,
        "usable_bytes": fit.usable_bytes,
        "usable_source": fit.usable_source,
        "engine_bytes": fit.engine_bytes,
        "needed_low_bytes": fit.needed_low_bytes,
        "needed_high_bytes": fit.needed_high_bytes,
        "headroom_bytes": fit.headroom_bytes,
        "failure_points": {point.value: level.value for point, level in fit.points.items()},
        "largest_context_tokens": fit.largest_context_tokens,
        "largest_sequences": fit.largest_sequences,
        "largest_context_at_best_tokens": fit.largest_context_at_best_tokens,
        "largest_sequences_at_best": fit.largest_sequences_at_best,
        "devices_needed": fit.devices_needed,
    }


def warning_plain(code: str, facts: Mapping[str, object]) -> dict[str, Any]:
    """A warning or note: its constant code and its facts."""
    return {"code": code, "facts": dict(facts)}
