"""What a reader of an estimate must know beside its figures: constant codes with their facts."""

from collections.abc import Iterator, Mapping

from matrix.domain.memory.architectures import architecture_of
from matrix.domain.memory.engine_cache import is_hybrid
from matrix.domain.memory.engine_ranges import CONTEXT_MOST_BYTES, compute_scale
from matrix.domain.memory.engine_rules import frees_windows, rules_of
from matrix.domain.memory.fit import Budget
from matrix.domain.memory.llamacpp import WARNINGS as LLAMACPP_WARNINGS
from matrix.domain.memory.llamacpp import llamacpp_warnings
from matrix.domain.memory.parameters import parameters_by_role
from matrix.domain.memory.schemes import scheme_bits
from matrix.domain.memory.values import Certainty, MemoryRequest, Part

Warning_ = tuple[str, Mapping[str, object]]

# Every code, for the words of the pages.
WARNING_CODES: tuple[str, ...] = (
    "unknown-architecture",
    "layer-numbers-missing",
    "parameters-unknown",
    "scheme-bits-unknown",
    "scheme-lower-bound",
    "kept-parts-vary",
    "prediction-layers",
    "head-size-derived",
    "encoder-without-cache",
    "context-beyond-model",
    "heads-not-divisible",
    "kv-heads-replicated",
    "latent-replicated",
    "hybrid-allocator",
    "windows-not-freed",
    "kv-bits-unknown",
    "engine-rules-borrowed",
    "weights-by-free-memory",
    "compute-scaled",
    "vision-peak",
    "vision-parts-not-counted",
    *LLAMACPP_WARNINGS,
    "device-context-added",
    "engine-share",
    "device-usable-unknown",
    "device-memory-unknown",
)


def warnings_of(
    request: MemoryRequest, parts: tuple[Part, ...], *, budget: Budget | None, is_llamacpp: bool
) -> tuple[Warning_, ...]:
    """The warnings of an estimate in the order of WARNING_CODES."""
    found = [*_of_model(request, parts), *_of_device(request, budget)]
    if is_llamacpp:
        found += llamacpp_warnings(request, parts)
        if request.options.get("offload_layers") != 0:
            found.append(("device-context-added", {"high_bytes": CONTEXT_MOST_BYTES}))
    else:
        found += [*_of_scheme(request, parts), *_of_layout(request), *_of_engine(request)]
    return tuple(sorted(found, key=lambda one: WARNING_CODES.index(one[0])))


def _of_model(request: MemoryRequest, parts: tuple[Part, ...]) -> Iterator[Warning_]:
    shape = request.shape
    facts: dict[str, object] = {"architecture": shape.architecture}
    for part in parts:
        if part.why_unknown in WARNING_CODES:
            yield part.why_unknown, facts | {"scheme": request.scheme, "kv_dtype": request.kv_dtype}
    if shape.raw.get("head_dim_from") == "hidden-size-over-heads":
        yield "head-size-derived", facts | {"head_dim": shape.head_dim}
    if not shape.has_cache:
        yield "encoder-without-cache", facts
    most = shape.max_context_tokens
    if most is not None and request.context_tokens > most:
        yield "context-beyond-model", {"asked": request.context_tokens, "accepted": most}


def _of_scheme(request: MemoryRequest, parts: tuple[Part, ...]) -> Iterator[Warning_]:
    weights = parts[0]
    found = scheme_bits(request.scheme)
    facts: dict[str, object] = {"scheme": request.scheme}
    if weights.certainty is Certainty.LOWER_BOUND:
        yield "scheme-lower-bound", facts | {"note": found.note if found else ""}
    elif weights.certainty is Certainty.RANGE:
        yield "kept-parts-vary", facts
    counts = parameters_by_role(request.shape)
    if counts is not None and counts.prediction:
        yield "prediction-layers", {"parameters": counts.prediction}


def _of_layout(request: MemoryRequest) -> Iterator[Warning_]:
    shape, ranks = request.shape, request.layout.tensor_parallel
    if ranks == 1:
        return
    if shape.num_heads is not None and shape.num_heads % ranks:
        yield "heads-not-divisible", {"heads": shape.num_heads, "tensor_parallel": ranks}
    row = architecture_of(shape.architecture)
    if row is not None and row.mixer == "latent":
        yield "latent-replicated", {"tensor_parallel": ranks}
    elif shape.num_kv_heads is not None and shape.num_kv_heads < ranks:
        yield "kv-heads-replicated", {"kv_heads": shape.num_kv_heads, "tensor_parallel": ranks}


def _of_engine(request: MemoryRequest) -> Iterator[Warning_]:
    shape, rules = request.shape, rules_of(request.engine)
    facts: dict[str, object] = {"engine": request.engine, "version": request.version}
    if not rules.is_own:
        yield "engine-rules-borrowed", facts
    if rules.weights_excess:
        yield (
            "weights-by-free-memory",
            facts | {"excess_percent": round(100 * rules.weights_excess)},
        )
    windows = any(layer.window_tokens for layer in shape.layers)
    if windows and not frees_windows(rules, request.version):
        yield "windows-not-freed", facts
    if is_hybrid(shape.layers) or isinstance(shape.raw.get("index_head_dim"), int):
        yield "hybrid-allocator", facts
    scale = compute_scale(request)
    if scale > 1:
        yield "compute-scaled", {"hidden_size": shape.hidden_size, "scale": round(scale, 2)}
    sees = shape.raw.get("parameters_vision") or shape.raw.get("has_vision")
    if sees or "Conditional" in shape.architecture:
        yield "vision-peak", {"architecture": shape.architecture}
        if shape.parameters_total is None:
            yield "vision-parts-not-counted", {"architecture": shape.architecture}


def _of_device(request: MemoryRequest, budget: Budget | None) -> Iterator[Warning_]:
    if budget is None:
        yield "device-memory-unknown", {}
        return
    if budget.engine_bytes < budget.usable_bytes:
        yield (
            "engine-share",
            {
                "engine": request.engine,
                "setting": rules_of(request.engine).share_setting,
                "share_percent": round(100 * budget.engine_bytes / budget.usable_bytes),
                "engine_bytes": budget.engine_bytes,
            },
        )
    if budget.source == "stated":
        yield "device-usable-unknown", {"stated": budget.usable_bytes}
