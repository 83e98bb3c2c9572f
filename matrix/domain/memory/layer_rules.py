"""The layers of a model as far as its cache depends on them, from the numbers of its config."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from matrix.domain.memory.architectures import LayerRule
from matrix.domain.memory.config_numbers import ConfigNumbers, MissingNumber
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.values import AttentionKind, LayerShape
from matrix.domain.phrases import Phrase

_NOTHING = LayerShape(attention=AttentionKind.NONE)
# Words of ``layer_types`` in hub configs.
_KIND_OF_WORD: Mapping[str, AttentionKind] = MappingProxyType(
    {
        "full_attention": AttentionKind.FULL,
        "attention": AttentionKind.FULL,
        "global_attention": AttentionKind.FULL,
        "sliding_attention": AttentionKind.SLIDING,
        "local_attention": AttentionKind.SLIDING,
        "chunked_attention": AttentionKind.CHUNKED,
        "linear_attention": AttentionKind.RECURRENT,
        "mamba": AttentionKind.RECURRENT,
        "conv": AttentionKind.RECURRENT,
        "moe": AttentionKind.NONE,
        "mlp": AttentionKind.NONE,
    }
)
_KIND_OF_LETTER: Mapping[str, AttentionKind] = MappingProxyType(
    {
        "M": AttentionKind.RECURRENT,
        "*": AttentionKind.FULL,
        "-": AttentionKind.NONE,
        "E": AttentionKind.NONE,
    }
)


def layers_of(
    rule: LayerRule, numbers: ConfigNumbers, *, head_dim: int | None
) -> tuple[LayerShape, ...]:
    """One shape a layer; empty where the rule or a size it needs is not known.

    **Raises**: MemoryInputError where the config contradicts itself.
    """
    make = _MAKERS.get(rule)
    if make is None or numbers.get("num_hidden_layers") is None:
        return ()
    if rule in _NEEDS_HEAD_DIM and head_dim is None:
        return ()
    try:
        return make(numbers, head_dim or 0)
    except MissingNumber:
        return ()


def _kv_heads(numbers: ConfigNumbers) -> int:
    # All models that leave it out have one KV head per head, as their config classes state.
    return numbers.get("num_key_value_heads") or numbers.need("num_attention_heads")


def _attention(
    numbers: ConfigNumbers, head_dim: int, *, kind: AttentionKind = AttentionKind.FULL
) -> LayerShape:
    window = None
    if kind is AttentionKind.SLIDING:
        window = numbers.need("sliding_window")
    elif kind is AttentionKind.CHUNKED:
        window = numbers.need("attention_chunk_size")
    return LayerShape(
        attention=kind,
        kv_heads=_kv_heads(numbers),
        key_dim=head_dim,
        value_dim=head_dim,
        window_tokens=window,
    )


def _full(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    return (_attention(numbers, head_dim),) * numbers.need("num_hidden_layers")


def _window_on_all(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    listed = _listed(numbers, head_dim)
    if listed is not None:
        return listed
    kind = AttentionKind.SLIDING if numbers.get("sliding_window") else AttentionKind.FULL
    return (_attention(numbers, head_dim, kind=kind),) * numbers.need("num_hidden_layers")


def _window_if_used(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    if numbers.flag("use_sliding_window"):
        # Such models slide from ``max_window_layers`` on; engines differ in whether they follow.
        return _listed(numbers, head_dim) or _window_on_all(numbers, head_dim)
    return _full(numbers, head_dim)


def _listed(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...] | None:
    """The layers by ``layer_types``; None where the config has no such list."""
    kinds = kinds_listed(numbers)
    if kinds is None:
        return None
    return tuple(_attention(numbers, head_dim, kind=kind) for kind in kinds)


def kinds_listed(numbers: ConfigNumbers, key: str = "layer_types") -> list[AttentionKind] | None:
    """The attention kinds that a list of words gives, one a layer; None without such a list."""
    words = numbers.words(key)
    if words is None:
        return None
    if len(words) != numbers.need("num_hidden_layers"):
        raise MemoryInputError(
            key=key,
            value=f"{len(words)} words",
            accepted=Phrase(
                "one word for each of the {count} layers", count=numbers.need("num_hidden_layers")
            ),
        )
    unknown = next((word for word in words if word not in _KIND_OF_WORD), None)
    if unknown is not None:
        raise MemoryInputError(
            key=key,
            value=unknown,
            accepted=Phrase("one of: {names}", names=", ".join(sorted(_KIND_OF_WORD))),
        )
    return [_KIND_OF_WORD[word] for word in words]


def _even_sliding(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    return _listed(numbers, head_dim) or _patterned(
        numbers, head_dim, full=lambda at: at % 2 == 1, kind=AttentionKind.SLIDING
    )


def _last_of_six_full(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    every = numbers.get("sliding_window_pattern") or 6
    return _listed(numbers, head_dim) or _patterned(
        numbers, head_dim, full=lambda at: (at + 1) % every == 0, kind=AttentionKind.SLIDING
    )


def _last_of_four_full(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    return _listed(numbers, head_dim) or _patterned(
        numbers, head_dim, full=lambda at: (at + 1) % 4 == 0, kind=AttentionKind.CHUNKED
    )


def _patterned(
    numbers: ConfigNumbers, head_dim: int, *, full: Callable[[int], bool], kind: AttentionKind
) -> tuple[LayerShape, ...]:
    return tuple(
        _attention(numbers, head_dim, kind=AttentionKind.FULL if full(at) else kind)
        for at in range(numbers.need("num_hidden_layers"))
    )


def _by_layer_types(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    return _listed(numbers, head_dim) or ()


def _full_every_interval(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    interval = numbers.get("full_attention_interval") or 4
    kinds = kinds_listed(numbers) or [
        AttentionKind.FULL if (at + 1) % interval == 0 else AttentionKind.RECURRENT
        for at in range(numbers.need("num_hidden_layers"))
    ]
    linear = _linear_attention(numbers)
    return tuple(
        linear if kind is AttentionKind.RECURRENT else _attention(numbers, head_dim)
        for kind in kinds
    )


def _linear_attention(numbers: ConfigNumbers) -> LayerShape:
    keys = numbers.need("linear_num_key_heads") * numbers.need("linear_key_head_dim")
    values = numbers.need("linear_num_value_heads") * numbers.need("linear_value_head_dim")
    convolution = (numbers.need("linear_conv_kernel_dim") - 1) * (2 * keys + values)
    state = values * numbers.need("linear_key_head_dim")
    return LayerShape(
        attention=AttentionKind.RECURRENT,
        state_elements=convolution + state,
        conv_elements=convolution,
    )


def _two_head_sizes(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    total = numbers.need("num_hidden_layers")
    kinds = kinds_listed(numbers) or [
        AttentionKind.FULL if (at + 1) % 6 == 0 else AttentionKind.SLIDING for at in range(total)
    ]
    wide = numbers.get("global_head_dim") or head_dim
    full = LayerShape(
        attention=AttentionKind.FULL,
        kv_heads=numbers.get("num_global_key_value_heads") or _kv_heads(numbers),
        key_dim=wide,
        value_dim=wide,
    )
    sliding = _attention(numbers, head_dim, kind=AttentionKind.SLIDING)
    own = total - (numbers.get("num_kv_shared_layers") or 0)
    return tuple(
        _NOTHING if at >= own else full if kind is AttentionKind.FULL else sliding
        for at, kind in enumerate(kinds)
    )


def _mixed_window(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    pattern = numbers.numbers("hybrid_layer_pattern")
    if pattern is None or len(pattern) != numbers.need("num_hidden_layers"):
        return ()
    full = LayerShape(
        attention=AttentionKind.FULL,
        kv_heads=_kv_heads(numbers),
        key_dim=head_dim,
        value_dim=numbers.get("v_head_dim") or head_dim,
    )
    key_dim = numbers.get("swa_head_dim") or head_dim
    sliding = LayerShape(
        attention=AttentionKind.SLIDING,
        kv_heads=numbers.get("swa_num_key_value_heads") or _kv_heads(numbers),
        key_dim=key_dim,
        value_dim=numbers.get("swa_v_head_dim") or key_dim,
        window_tokens=numbers.need("sliding_window"),
    )
    return tuple(sliding if slides else full for slides in pattern)


def _latent_layer(numbers: ConfigNumbers) -> LayerShape:
    width = numbers.need("kv_lora_rank") + numbers.need("qk_rope_head_dim")
    return LayerShape(attention=AttentionKind.LATENT, kv_heads=1, key_dim=width)


def _latent(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    return (_latent_layer(numbers),) * numbers.need("num_hidden_layers")


def _latent_and_linear(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    """Kimi's delta attention: the config names the layers of both kinds, counted from 1."""
    linear = numbers.config.get("linear_attn_config")
    if not isinstance(linear, Mapping):
        return ()
    inner = ConfigNumbers(values={}, config=linear)
    full = inner.numbers("full_attn_layers")
    heads, width = linear.get("num_heads"), linear.get("head_dim")
    taps = linear.get("short_conv_kernel_size")
    known = isinstance(heads, int) and isinstance(width, int) and isinstance(taps, int)
    if full is None or not known:
        return ()
    assert isinstance(heads, int) and isinstance(width, int) and isinstance(taps, int)
    convolution = (taps - 1) * 3 * heads * width
    state = LayerShape(
        attention=AttentionKind.RECURRENT,
        state_elements=convolution + heads * width * width,
        conv_elements=convolution,
    )
    latent = _latent_layer(numbers)
    return tuple(
        latent if at + 1 in full else state for at in range(numbers.need("num_hidden_layers"))
    )


def _mamba_state(numbers: ConfigNumbers) -> LayerShape:
    inner = numbers.get("mamba_d_ssm") or (
        numbers.need("mamba_num_heads") * numbers.need("mamba_head_dim")
    )
    state_size = numbers.need("ssm_state_size")
    groups = numbers.get("n_groups") or 1
    convolution = (numbers.need("conv_kernel") - 1) * (inner + 2 * groups * state_size)
    return LayerShape(
        attention=AttentionKind.RECURRENT,
        state_elements=convolution + inner * state_size,
        conv_elements=convolution,
    )


def _mamba_pattern(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    kinds = kinds_listed(numbers, "layers_block_type")
    pattern = numbers.config.get("hybrid_override_pattern")
    if kinds is None and isinstance(pattern, str):
        letters = [letter for letter in pattern if letter in _KIND_OF_LETTER]
        if len(letters) != numbers.need("num_hidden_layers"):
            raise MemoryInputError(
                key="hybrid_override_pattern",
                value=pattern,
                accepted=Phrase(
                    "{count} letters of M, E, - and *", count=numbers.need("num_hidden_layers")
                ),
            )
        kinds = [_KIND_OF_LETTER[letter] for letter in letters]
    if kinds is None:
        return ()
    shapes = {
        AttentionKind.RECURRENT: _mamba_state(numbers),
        AttentionKind.FULL: _attention(numbers, head_dim),
        AttentionKind.NONE: _NOTHING,
    }
    return tuple(shapes[kind] for kind in kinds)


def _mamba_only(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    return (_mamba_state(numbers),) * numbers.need("num_hidden_layers")


def _mamba_and_attention(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    """Each layer has a cache of tokens and a state of fixed size beside it."""
    state = _mamba_state(numbers)
    both = LayerShape(
        attention=AttentionKind.FULL,
        kv_heads=_kv_heads(numbers),
        key_dim=head_dim,
        value_dim=head_dim,
        state_elements=state.state_elements,
        conv_elements=state.conv_elements,
    )
    return (both,) * numbers.need("num_hidden_layers")


def _conv_and_attention(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    kinds = kinds_listed(numbers)
    if kinds is None:
        chosen = numbers.numbers("full_attn_idxs")
        if chosen is None:
            return ()
        kinds = [
            AttentionKind.FULL if at in chosen else AttentionKind.RECURRENT
            for at in range(numbers.need("num_hidden_layers"))
        ]
    elements = numbers.need("hidden_size") * (numbers.need("conv_L_cache") - 1)
    convolution = LayerShape(
        attention=AttentionKind.RECURRENT, state_elements=elements, conv_elements=elements
    )
    return tuple(
        convolution if kind is AttentionKind.RECURRENT else _attention(numbers, head_dim)
        for kind in kinds
    )


def _block_configs(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    blocks = numbers.config.get("block_configs")
    if not isinstance(blocks, list) or len(blocks) != numbers.need("num_hidden_layers"):
        return ()
    shapes = []
    for block in blocks:
        attention = block.get("attention") if isinstance(block, Mapping) else None
        if not isinstance(attention, Mapping):
            return ()
        group = attention.get("n_heads_in_group")
        if attention.get("no_op") or attention.get("replace_with_linear"):
            shapes.append(_NOTHING)
        elif isinstance(group, int) and group > 0:
            heads = numbers.need("num_attention_heads") // group
            shapes.append(
                LayerShape(
                    attention=AttentionKind.FULL,
                    kv_heads=heads,
                    key_dim=head_dim,
                    value_dim=head_dim,
                )
            )
        else:
            return ()
    return tuple(shapes)


def _encoder(numbers: ConfigNumbers, head_dim: int) -> tuple[LayerShape, ...]:
    return (_NOTHING,) * numbers.need("num_hidden_layers")


_MAKERS: Mapping[LayerRule, Callable[[ConfigNumbers, int], tuple[LayerShape, ...]]] = (
    MappingProxyType(
        {
            LayerRule.FULL: _full,
            LayerRule.WINDOW_ON_ALL: _window_on_all,
            LayerRule.WINDOW_IF_USED: _window_if_used,
            LayerRule.EVEN_SLIDING: _even_sliding,
            LayerRule.LAST_OF_SIX_FULL: _last_of_six_full,
            LayerRule.LAST_OF_FOUR_FULL: _last_of_four_full,
            LayerRule.BY_LAYER_TYPES: _by_layer_types,
            LayerRule.FULL_EVERY_INTERVAL: _full_every_interval,
            LayerRule.TWO_HEAD_SIZES: _two_head_sizes,
            LayerRule.MIXED_WINDOW: _mixed_window,
            LayerRule.LATENT: _latent,
            LayerRule.LATENT_AND_LINEAR: _latent_and_linear,
            LayerRule.MAMBA_PATTERN: _mamba_pattern,
            LayerRule.MAMBA_ONLY: _mamba_only,
            LayerRule.MAMBA_AND_ATTENTION: _mamba_and_attention,
            LayerRule.CONV_AND_ATTENTION: _conv_and_attention,
            LayerRule.BLOCK_CONFIGS: _block_configs,
            LayerRule.ENCODER: _encoder,
        }
    )
)
_NEEDS_HEAD_DIM = frozenset(_MAKERS) - {
    LayerRule.LATENT,
    LayerRule.LATENT_AND_LINEAR,
    LayerRule.MAMBA_ONLY,
    LayerRule.ENCODER,
}
