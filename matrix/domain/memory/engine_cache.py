"""The KV cache of serving engines on one rank: by layer, blocks, windows and states."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from matrix.domain.memory.architectures import LayerRule, architecture_of
from matrix.domain.memory.engine_rules import EngineRules, frees_windows, rules_of
from matrix.domain.memory.kv_values import (
    INDEX_SCALE_BYTES,
    KV_VALUES,
    LATENT_LAYOUT_BYTES,
    KvValue,
)
from matrix.domain.memory.parameters import indexes
from matrix.domain.memory.values import AttentionKind, LayerShape, MemoryRequest, ModelShape, Term
from matrix.domain.phrases import Phrase

# What the hybrid allocators of vLLM took beyond the arithmetic in public start-up logs of 2026:
# 0 to 8 %, and 58 % for a model whose layers have two head sizes.
_HYBRID_EXCESS = 0.08
_TWO_SIZES_EXCESS = 0.58
# Tokens that one step may put beyond the windows, over all sequences, before it frees anything.
_STEP_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class Span:
    """A size from least to most. **Units**: bytes."""

    low: float = 0.0
    figure: float = 0.0
    high: float = 0.0

    def __add__(self, more: "Span") -> "Span":
        return Span(self.low + more.low, self.figure + more.figure, self.high + more.high)

    def times(self, factor: float) -> "Span":
        """The span of as many of it."""
        return Span(self.low * factor, self.figure * factor, self.high * factor)


NO_SPAN = Span()


@dataclass(frozen=True, slots=True)
class CacheNeed:
    """What the asked load takes. ``rank`` is on the fullest rank, ``everywhere`` on all together.

    ``why_unknown`` is a constant code; then the spans are empty.
    """

    rank: Span = NO_SPAN
    everywhere: Span = NO_SPAN
    terms: tuple[Term, ...] = ()
    why_unknown: str = ""


@dataclass(frozen=True, slots=True)
class _Load:
    """What one rank keeps tokens for."""

    sequences: int
    context_tokens: int
    block_tokens: int
    tensor_parallel: int
    value: KvValue
    frees: bool | None
    wide_block_tokens: int = 0

    def rounded(self, tokens: int) -> int:
        """The tokens of the whole blocks that hold them."""
        return -(-tokens // self.block_tokens) * self.block_tokens


def block_tokens_of(request: MemoryRequest, rules: EngineRules) -> int:
    """Tokens in one block: the option of the request, else the engine's own."""
    stated = request.options.get("block_tokens")
    return stated if isinstance(stated, int) and stated > 0 else rules.block_tokens


def is_hybrid(layers: Iterable[LayerShape]) -> bool:
    """Whether layers keep different things, so that an allocator of one size does not fit all."""
    kept = [layer for layer in layers if layer.attention is not AttentionKind.NONE]
    kinds = {(layer.attention, layer.kv_heads, layer.key_dim) for layer in kept}
    return len(kinds) > 1 or any(layer.state_elements for layer in kept)


def cache_need(request: MemoryRequest) -> CacheNeed:
    """The cache of the asked context and sequences."""
    shape = request.shape
    if not shape.has_cache:
        return CacheNeed()
    value = KV_VALUES.get(request.kv_dtype)
    if value is None:
        return CacheNeed(why_unknown="kv-bits-unknown")
    if not shape.layers:
        known = architecture_of(shape.architecture) is not None
        return CacheNeed(why_unknown="layer-numbers-missing" if known else "unknown-architecture")
    rules = rules_of(request.engine)
    load = _Load(
        sequences=-(-request.sequences // request.layout.data_parallel),
        context_tokens=request.context_tokens,
        block_tokens=block_tokens_of(request, rules),
        tensor_parallel=request.layout.tensor_parallel,
        value=value,
        frees=frees_windows(rules, request.version),
    )
    alike = Counter(shape.layers)
    load = replace(load, wide_block_tokens=_wide_block(alike, load, shape))
    spans = {layer: _layer_span(layer, load, shape) for layer in alike}
    whole = NO_SPAN
    for layer, count in alike.items():
        whole = whole + spans[layer].times(count)
    index = _index_span(shape, load)
    stages = request.layout.pipeline_parallel
    rank = whole if stages == 1 else _fullest_stage(shape, spans, stages)
    excess = _excess(shape, alike)
    ranks = load.tensor_parallel * request.layout.data_parallel
    return CacheNeed(
        rank=_widened(rank + index.times(1 / stages), excess),
        everywhere=_widened(whole + index, excess).times(ranks),
        terms=_terms(shape, load, alike, spans=spans, index=index),
    )


def _widened(span: Span, excess: float) -> Span:
    return Span(span.low, span.figure, span.high * (1 + excess))


def _excess(shape: ModelShape, layers: Iterable[LayerShape]) -> float:
    row = architecture_of(shape.architecture)
    if row is not None and row.rule is LayerRule.TWO_HEAD_SIZES:
        return _TWO_SIZES_EXCESS
    sparse = isinstance(shape.raw.get("index_head_dim"), int)
    return _HYBRID_EXCESS if is_hybrid(layers) or sparse else 0.0


def _fullest_stage(shape: ModelShape, spans: Mapping[LayerShape, Span], stages: int) -> Span:
    """The pipeline stage whose layers keep most; the first stages take the odd layers."""
    each = -(-len(shape.layers) // stages)
    fullest = Span()
    for start in range(0, len(shape.layers), each):
        total = Span()
        for layer, count in Counter(shape.layers[start : start + each]).items():
            total = total + spans[layer].times(count)
        if total.high > fullest.high:
            fullest = total
    return fullest


def heads_on_rank(kv_heads: int, tensor_parallel: int) -> int:
    """KV heads that one rank keeps; ranks beyond the heads keep copies."""
    return max(1, -(-kv_heads // tensor_parallel)) if kv_heads else 0


def _layer_span(layer: LayerShape, load: _Load, shape: ModelShape) -> Span:
    """What a layer keeps on one rank for all its sequences."""
    state = _state_span(layer, load)
    if layer.attention in {AttentionKind.RECURRENT, AttentionKind.NONE}:
        return state
    row = _row_span(layer, load, shape)
    least, likely, most = _tokens_kept(layer, load)
    if load.wide_block_tokens:
        whole = -(-load.context_tokens // load.wide_block_tokens) * load.wide_block_tokens
        most = max(most, whole * load.sequences)
    return state + Span(row.low * least, row.figure * likely, row.high * most)


def _wide_block(layers: Iterable[LayerShape], load: _Load, shape: ModelShape) -> int:
    """Tokens of a block as large as a state, which allocators of one page size give both kinds;
    0 where the layers have no states or nothing else."""
    states = [4 * layer.state_elements / load.tensor_parallel for layer in layers]
    rows = [
        _row_span(layer, load, shape).low
        for layer in layers
        if layer.attention not in {AttentionKind.RECURRENT, AttentionKind.NONE}
    ]
    if not any(states) or not rows or not min(rows):
        return 0
    return load.rounded(-int(-max(states) // min(rows)))


def _row_span(layer: LayerShape, load: _Load, shape: ModelShape) -> Span:
    """The bytes of one token in a layer on one rank."""
    value = load.value
    if layer.attention is AttentionKind.LATENT:
        latent = layer.kv_heads * layer.key_dim
        sparse = isinstance(shape.raw.get("index_head_dim"), int)
        if value.is_latent_layout or (value.bits == 8 and sparse):
            return Span(latent, LATENT_LAYOUT_BYTES, LATENT_LAYOUT_BYTES)
        return _of_bits(latent, value)
    heads = heads_on_rank(layer.kv_heads, load.tensor_parallel)
    row = _of_bits(heads * (layer.key_dim + layer.value_dim), value)
    scales = float(heads * value.scale_bytes)
    return row + Span(0.0, scales, scales)


def _of_bits(elements: int, value: KvValue) -> Span:
    return Span(
        elements * value.low_bits / 8, elements * value.bits / 8, elements * value.high_bits / 8
    )


def _tokens_kept(layer: LayerShape, load: _Load) -> tuple[int, int, int]:
    """Tokens of all sequences that a layer keeps: least, the figure, most."""
    every = load.rounded(load.context_tokens) * load.sequences
    window = layer.window_tokens
    if window is None or window >= load.context_tokens or load.frees is False:
        return every, every, every
    kept = min(every, (load.rounded(window) + load.block_tokens) * load.sequences)
    return (kept, kept, min(every, kept + _STEP_TOKENS)) if load.frees else (kept, every, every)


def _state_span(layer: LayerShape, load: _Load) -> Span:
    """A state for each sequence: its convolution in 16 bits, the rest in 32 (or all in either)."""
    if not layer.state_elements:
        return Span()
    share = load.sequences / load.tensor_parallel
    rest = layer.state_elements - layer.conv_elements
    return Span(
        2 * layer.state_elements * share,
        (2 * layer.conv_elements + 4 * rest) * share,
        4 * layer.state_elements * share,
    )


def _index_span(shape: ModelShape, load: _Load) -> Span:
    """The keys of sparse attention's indexers, whole on every rank: 16 bits, or 8 with a scale."""
    width = shape.raw.get("index_head_dim")
    if not isinstance(width, int):
        return Span()
    own = sum(1 for at in range(len(shape.layers)) if indexes(shape, at))
    tokens = load.rounded(load.context_tokens) * load.sequences
    wide = own * tokens * 2 * width
    return Span(own * tokens * (width + INDEX_SCALE_BYTES), wide, wide)


def _terms(
    shape: ModelShape,
    load: _Load,
    alike: Mapping[LayerShape, int],
    *,
    spans: Mapping[LayerShape, Span],
    index: Span,
) -> tuple[Term, ...]:
    terms = [
        _term(layer, count, load, spans[layer].times(count))
        for layer, count in alike.items()
        if layer.attention is not AttentionKind.NONE
    ]
    if index.figure:
        width = shape.raw.get("index_head_dim")
        terms.append(
            Term(
                name="cache-index",
                bytes_=round(index.figure),
                expression="layers × sequences × tokens × index_head_dim × 2",
                numbers={
                    "layers": sum(1 for at in range(len(shape.layers)) if indexes(shape, at)),
                    "sequences": load.sequences,
                    "tokens": load.rounded(load.context_tokens),
                    "index_head_dim": width if isinstance(width, int) else 0,
                },
            )
        )
    return tuple(terms)


def _term(layer: LayerShape, count: int, load: _Load, span: Span) -> Term:
    numbers: dict[str, float | int | str] = {"layers": count, "sequences": load.sequences}
    if layer.state_elements:
        numbers |= {
            "state_elements": layer.state_elements,
            "conv_elements": layer.conv_elements,
            "tensor_parallel": load.tensor_parallel,
        }
        if layer.attention is AttentionKind.RECURRENT:
            states = (
                "layers × sequences × (conv_elements × 2 + (state_elements − conv_elements) × 4) "
                "/ tensor_parallel"
            )
            return Term("state-recurrent", round(span.figure), states, numbers)
    numbers |= {
        "tokens": _tokens_kept(layer, load)[1] // load.sequences,
        "key_dim": layer.key_dim,
        "bits": load.value.bits,
    }
    if layer.attention is AttentionKind.LATENT:
        formula = "layers × sequences × tokens × key_dim × bits / 8"
        expression: str = Phrase("{formula}, on every rank", formula=formula)
    else:
        numbers |= {
            "heads_on_rank": heads_on_rank(layer.kv_heads, load.tensor_parallel),
            "value_dim": layer.value_dim,
        }
        expression = (
            "layers × sequences × tokens × heads_on_rank × (key_dim + value_dim) × bits / 8"
        )
    return Term(f"cache-{layer.attention}", round(span.figure), expression, numbers)
