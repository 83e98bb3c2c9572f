"""How many weights a model has in each role, counted from its shape as its own code makes them."""

from collections import Counter
from dataclasses import dataclass, fields

from matrix.domain.memory.architectures import Architecture, LayerRule, Mixer, architecture_of
from matrix.domain.memory.values import AttentionKind, ModelShape


@dataclass(frozen=True, slots=True)
class RoleCounts:
    """Weights by role. **Units**: weights (elements), over all layers.

    ``attention_replicated`` are matrices that every tensor-parallel rank holds whole (the down
    projections of latent attention); ``key_value`` the projections that are split by KV head;
    ``small`` is what is never quantised nor split: norms, biases, convolutions, gates.
    ``head`` is 0 where it is tied to the embedding. ``other`` is what a stated total has beyond
    the roles (vision parts) and stays in 16 bits; ``prediction`` the multi-token prediction layers
    where the total has them: engines load those for speculative decoding only.
    """

    embedding: int = 0
    head: int = 0
    attention: int = 0
    key_value: int = 0
    attention_replicated: int = 0
    mlp: int = 0
    shared_experts: int = 0
    experts: int = 0
    router: int = 0
    small: int = 0
    other: int = 0
    prediction: int = 0

    @property
    def total(self) -> int:
        """The sum of all roles."""
        return sum(int(getattr(self, part.name)) for part in fields(self))

    def times(self, count: int) -> "RoleCounts":
        """The weights of as many of it."""
        return RoleCounts(**{p.name: getattr(self, p.name) * count for p in fields(self)})

    def __add__(self, more: "RoleCounts") -> "RoleCounts":
        return RoleCounts(
            **{p.name: getattr(self, p.name) + getattr(more, p.name) for p in fields(self)}
        )


# A stated total that differs from the count by less than this share is the same model with a part
# more or less (biases, vision parts); beyond it, the structure is not what was counted.
_SAME_MODEL = 0.2


def parameters_by_role(shape: ModelShape) -> RoleCounts | None:
    """The weights of a model by role; None where neither structure nor total is known.

    A stated total wins over the count: what it has beyond goes to ``other``, and where it has
    less, the matrices take up the difference.
    """
    counted = _counted(shape)
    total = shape.parameters_total
    if total is None:
        return counted
    if counted is not None and abs(total - counted.total) <= _SAME_MODEL * total:
        return _adjusted(shape, counted, total - counted.total)
    return _split_of_total(shape, total)


def _adjusted(shape: ModelShape, counted: RoleCounts, beyond: int) -> RoleCounts:
    """The count with what a stated total has more or less than it."""
    if beyond < 0:
        if counted.experts > counted.mlp:
            return counted + RoleCounts(experts=max(beyond, -counted.experts))
        return counted + RoleCounts(mlp=max(beyond, -counted.mlp))
    vision = min(beyond, _number(shape, "parameters_vision"))
    rest = beyond - vision
    with_experts = sum(1 for at in range(len(shape.layers)) if has_experts(shape, at))
    layer = counted.experts / with_experts if with_experts else counted.mlp / len(shape.layers)
    # A prediction layer is a whole layer of its own; less than one is a part the count missed.
    if shape.num_mtp_layers and rest > 0.9 * layer:
        return counted + RoleCounts(other=vision, prediction=rest)
    return counted + RoleCounts(other=beyond)


def is_counted(shape: ModelShape) -> bool:
    """Whether the count from the structure gives the stated total to the weight.

    A total that is not stated is counted as well as one that agrees, but for vision parts.
    """
    counted = _counted(shape)
    if counted is None:
        return False
    if shape.parameters_total is None:
        return not shape.raw.get("has_vision")
    return counted.total + _number(shape, "parameters_vision") == shape.parameters_total


def _split_of_total(shape: ModelShape, total: int) -> RoleCounts:
    """What can be told of a total: vocabulary, experts and router; the rest is matrices."""
    embedding = (shape.vocab_size or 0) * (shape.hidden_size or 0)
    head = 0 if shape.tied_embeddings or not embedding else embedding
    experts = router = 0
    if shape.num_experts and shape.hidden_size and shape.expert_feed_forward_size:
        each = (2 if _row(shape).gated_mlp is False else 3) * shape.expert_feed_forward_size
        moe_layers = sum(1 for at in range(shape.num_layers or 0) if has_experts(shape, at))
        width = _number(shape, "moe_latent_size") or shape.hidden_size
        experts = moe_layers * shape.num_experts * each * width
        router = moe_layers * shape.num_experts * shape.hidden_size
    vision = _number(shape, "parameters_vision")
    rest = total - embedding - head - experts - router - vision
    if rest < 0:  # Not every layer that was counted has experts.
        experts, rest = experts + rest, 0
    if experts < 0:
        return RoleCounts(mlp=total)
    return RoleCounts(
        embedding=embedding, head=head, experts=experts, router=router, mlp=rest, other=vision
    )


def has_experts(shape: ModelShape, layer: int) -> bool:
    """Whether the feed-forward part of a layer is made of experts."""
    if not shape.num_experts or layer < shape.num_dense_layers:
        return False
    listed = shape.raw.get("moe_layer_freq")
    if isinstance(listed, tuple) and layer < len(listed):
        return bool(listed[layer])
    dense = shape.raw.get("mlp_only_layers")
    if isinstance(dense, tuple) and layer in dense:
        return False
    if _row(shape).rule is LayerRule.MAMBA_PATTERN:
        return _letter(shape, layer) == "E"
    step = _number(shape, "interleave_moe_layer_step") or _number(shape, "decoder_sparse_step")
    return (layer + 1) % (step or 1) == 0


def _letter(shape: ModelShape, layer: int) -> str:
    pattern = str(shape.raw.get("hybrid_override_pattern") or "")
    if layer < len(pattern):
        return pattern[layer]
    listed = shape.raw.get("layers_block_type")
    word = listed[layer] if isinstance(listed, tuple) and layer < len(listed) else ""
    return {"mamba": "M", "moe": "E", "mlp": "-", "attention": "*"}.get(str(word), "?")


def _row(shape: ModelShape) -> Architecture:
    row = architecture_of(shape.architecture, shape.llamacpp_arch)
    return row or Architecture((), (), LayerRule.UNKNOWN, weights_known=False)


def _number(shape: ModelShape, name: str) -> int:
    value = shape.raw.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _counted(shape: ModelShape) -> RoleCounts | None:
    """The count from the structure alone; None where the architecture's structure is not known."""
    row = _row(shape)
    known = (shape.hidden_size, shape.vocab_size, shape.num_layers, shape.tied_embeddings)
    if not row.weights_known or None in known or not shape.layers:
        return None
    hidden, vocabulary = shape.hidden_size or 0, shape.vocab_size or 0
    embedding = hidden * vocabulary
    counts = RoleCounts(
        embedding=embedding, head=0 if shape.tied_embeddings else embedding, small=hidden
    )
    # Layers that are alike in everything the count reads are counted once.
    alike: Counter[tuple[object, ...]] = Counter()
    example: dict[tuple[object, ...], int] = {}
    for at in range(len(shape.layers)):
        key = (shape.layers[at], has_experts(shape, at), _letter(shape, at), indexes(shape, at))
        alike[key] += 1
        example[key] = at
    for kind, count in alike.items():
        fed = _feed_forward(shape, row, example[kind])
        if fed is None:
            return None
        counts = counts + (_mixer_of(shape, row, example[kind]) + fed).times(count)
    return counts


def _mixer_of(shape: ModelShape, row: Architecture, at: int) -> RoleCounts:
    layer = shape.layers[at]
    hidden = shape.hidden_size or 0
    if row.rule is LayerRule.MAMBA_PATTERN:
        norm = RoleCounts(small=hidden)
        if layer.attention is AttentionKind.NONE:
            return norm
        return norm + (_mamba(shape) if layer.attention is AttentionKind.RECURRENT
                       else _grouped(shape, row, at))  # fmt: skip
    norms = RoleCounts(small=row.norms * hidden)
    if layer.attention is AttentionKind.RECURRENT:
        return norms + _linear_attention(shape)
    if row.mixer is Mixer.LATENT:
        return norms + _latent(shape, at)
    return norms + _grouped(shape, row, at)


def _grouped(shape: ModelShape, row: Architecture, at: int) -> RoleCounts:
    layer = shape.layers[at]
    hidden, heads = shape.hidden_size or 0, shape.num_heads or 0
    query = heads * layer.key_dim
    keys, values = layer.kv_heads * layer.key_dim, layer.kv_heads * layer.value_dim
    shares_value = bool(shape.raw.get("attention_k_eq_v")) and layer.attention is AttentionKind.FULL
    output = heads * layer.value_dim * hidden
    small = 0
    if row.qkv_bias and shape.raw.get("attention_bias", True):
        small += query + keys + values
    if row.output_bias:
        small += hidden + heads  # one sink for each head beside the bias
    if row.qk_norm or shape.raw.get("use_qk_norm") is True:
        whole = "MiniMaxM2ForCausalLM" in row.classes
        small += query + keys if whole else layer.key_dim * 2
    return RoleCounts(
        attention=hidden * query * (2 if row.gated_query else 1) + output,
        key_value=hidden * (keys + (0 if shares_value else values)),
        small=small,
    )


def indexes(shape: ModelShape, layer: int) -> bool:
    """Whether a layer of sparse attention has an indexer of its own or shares another's."""
    listed = shape.raw.get("indexer_types")
    return not isinstance(listed, tuple) or layer >= len(listed) or listed[layer] == "full"


def _latent(shape: ModelShape, at: int) -> RoleCounts:
    hidden, heads = shape.hidden_size or 0, shape.num_heads or 0
    nope, rope = _number(shape, "qk_nope_head_dim"), _number(shape, "qk_rope_head_dim")
    rank, value = _number(shape, "kv_lora_rank"), _number(shape, "v_head_dim")
    query_rank = _number(shape, "q_lora_rank")
    query = (query_rank or hidden) * heads * (nope + rope)
    replicated = hidden * (rank + rope) + hidden * query_rank
    small = rank + query_rank
    index, index_heads = _number(shape, "index_head_dim"), _number(shape, "index_n_heads")
    if index and index_heads and indexes(shape, at):
        replicated += query_rank * index_heads * index + hidden * (index + index_heads)
        small += 2 * index
    return RoleCounts(
        attention=query + rank * heads * (nope + value) + heads * value * hidden,
        attention_replicated=replicated,
        small=small,
    )


def _linear_attention(shape: ModelShape) -> RoleCounts:
    hidden = shape.hidden_size or 0
    key_heads, value_heads = (
        _number(shape, "linear_num_key_heads"), _number(shape, "linear_num_value_heads"),
    )  # fmt: skip
    keys = key_heads * _number(shape, "linear_key_head_dim")
    values = value_heads * _number(shape, "linear_value_head_dim")
    taps = _number(shape, "linear_conv_kernel_dim")
    return RoleCounts(
        attention=hidden * (2 * keys + 2 * values) + values * hidden,
        small=hidden * 2 * value_heads
        + (2 * keys + values) * taps
        + 2 * value_heads
        + _number(shape, "linear_value_head_dim"),
    )


def _mamba(shape: ModelShape) -> RoleCounts:
    hidden, heads = shape.hidden_size or 0, _number(shape, "mamba_num_heads")
    inner = _number(shape, "mamba_d_ssm") or heads * _number(shape, "mamba_head_dim")
    channels = inner + 2 * (_number(shape, "n_groups") or 1) * _number(shape, "ssm_state_size")
    return RoleCounts(
        attention=hidden * (inner + channels + heads) + inner * hidden,
        small=channels * _number(shape, "conv_kernel") + channels + 3 * heads + inner,
    )


def _feed_forward(shape: ModelShape, row: Architecture, at: int) -> RoleCounts | None:
    if row.rule is LayerRule.MAMBA_PATTERN and _letter(shape, at) in {"M", "*"}:
        return RoleCounts()
    width = shape.feed_forward_size
    dense = RoleCounts(mlp=(3 if row.gated_mlp else 2) * (shape.hidden_size or 0) * (width or 0))
    if not has_experts(shape, at):
        return dense if width is not None else None
    experts = _experts(shape, row)
    if experts is not None and row.rule is LayerRule.TWO_HEAD_SIZES:
        return experts + dense  # Gemma 4 has a dense part beside the experts
    return experts


def _experts(shape: ModelShape, row: Architecture) -> RoleCounts | None:
    width, hidden, count = (
        shape.expert_feed_forward_size, shape.hidden_size or 0, shape.num_experts,
    )  # fmt: skip
    if width is None:
        return None
    matrices = 3 if row.gated_mlp else 2
    latent = _number(shape, "moe_latent_size")
    shared_width = _number(shape, "shared_expert_intermediate_size")
    gate = 0
    if shared_width and shape.num_shared_experts == 0:
        gate = hidden  # the sigmoid gate of Qwen's one shared expert
    shared = matrices * hidden * (shared_width or shape.num_shared_experts * width)
    if "Llama4ForCausalLM" in row.classes:
        shared = matrices * hidden * width
    biases = 0
    if row.output_bias:  # gpt-oss has biases on router and experts
        biases = count + count * (2 * width + hidden)
    elif _SCORE_CORRECTION.intersection(row.classes):
        biases = count
    return RoleCounts(
        experts=count * matrices * (latent or hidden) * width,
        shared_experts=shared + 2 * hidden * latent,
        router=count * hidden,
        small=biases + gate,
    )


# Classes whose router has a correction term for each expert.
_SCORE_CORRECTION = frozenset(
    {
        "DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM", "KimiK25ForConditionalGeneration",
        "Glm4MoeForCausalLM", "Glm4MoeLiteForCausalLM", "GlmMoeDsaForCausalLM",
        "MiniMaxM2ForCausalLM", "NemotronHForCausalLM",
    }
)  # fmt: skip
