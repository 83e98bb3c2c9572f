"""A model's shape from a hub ``config.json`` or from the catalogue's facts.

The catalogue names its facts with their unit (FACT_NAMES); both ways end in the hub's own names,
which ``ModelShape.raw`` keeps.
"""

from collections.abc import Mapping
from types import MappingProxyType

from matrix.domain.memory.architectures import Architecture, LayerRule, architecture_of
from matrix.domain.memory.checkpoint_scheme import (
    group_size_of_config,
    kept_parts_of,
    scheme_of_config,
)
from matrix.domain.memory.config_numbers import MOST_LAYERS, ConfigNumbers, read_numbers
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.layer_rules import layers_of
from matrix.domain.memory.values import ModelShape
from matrix.domain.phrases import Phrase

# Facts of a catalogue checkpoint, and the hub's name of the same number.
FACT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "num_layers": "num_hidden_layers",
        "hidden_size": "hidden_size",
        "intermediate_size": "intermediate_size",
        "moe_intermediate_size": "moe_intermediate_size",
        "shared_expert_intermediate_size": "shared_expert_intermediate_size",
        "num_attention_heads": "num_attention_heads",
        "num_kv_heads": "num_key_value_heads",
        "head_dim": "head_dim",
        "vocab_size": "vocab_size",
        "tied_embeddings": "tie_word_embeddings",
        "max_context_tokens": "max_position_embeddings",
        "num_experts": "num_experts",
        "num_experts_per_token": "num_experts_per_tok",
        "num_shared_experts": "n_shared_experts",
        "num_dense_layers": "first_k_dense_replace",
        "num_mtp_layers": "num_nextn_predict_layers",
        "num_layers_per_moe_layer": "interleave_moe_layer_step",
        "dense_intermediate_size": "intermediate_size_mlp",
        "parameters_total": "parameters_total",
        "parameters_vision": "parameters_vision",
        "sliding_window_tokens": "sliding_window",
        "q_lora_rank": "q_lora_rank",
        "kv_lora_rank": "kv_lora_rank",
        "qk_nope_head_dim": "qk_nope_head_dim",
        "qk_rope_head_dim": "qk_rope_head_dim",
        "v_head_dim": "v_head_dim",
        "index_head_dim": "index_head_dim",
        "num_index_heads": "index_n_heads",
        "num_linear_key_heads": "linear_num_key_heads",
        "num_linear_value_heads": "linear_num_value_heads",
        "linear_key_head_dim": "linear_key_head_dim",
        "linear_value_head_dim": "linear_value_head_dim",
        "linear_conv_kernel_dim": "linear_conv_kernel_dim",
        "num_linear_conv_taps": "linear_conv_kernel_dim",
        "num_layers_per_full_attention_layer": "full_attention_interval",
        "num_layers_per_full_attention": "full_attention_interval",
        "num_mamba_heads": "mamba_num_heads",
        "mamba_head_dim": "mamba_head_dim",
        "ssm_state_size": "ssm_state_size",
        "conv_kernel_size": "conv_kernel",
        "num_conv_taps": "conv_kernel",
        "num_ssm_groups": "n_groups",
        "num_mamba_groups": "n_groups",
        "hybrid_override_pattern": "hybrid_override_pattern",
        "hybrid_pattern": "hybrid_override_pattern",
        "layer_pattern": "layer_types",
        "global_head_dim": "global_head_dim",
        "num_global_kv_heads": "num_global_key_value_heads",
        "num_kv_shared_layers": "num_kv_shared_layers",
        "moe_latent_size": "moe_latent_size",
    }
)
_COUNTS_BY_KIND = (
    ("num_full_attention_layers", "full_attention"),
    ("num_sliding_attention_layers", "sliding_attention"),
    ("num_linear_attention_layers", "linear_attention"),
)
# Where a multimodal config keeps the language model.
_TEXT_KEYS = ("text_config", "llm_config", "language_config", "language_model_config")
_FROM_OUTSIDE = (
    "tie_word_embeddings", "quantization_config", "max_position_embeddings", "vision_config",
)  # fmt: skip


def shape_from_config(config: Mapping[str, object], *, name: str = "") -> ModelShape:
    """The shape that a hub ``config.json`` states; ``layers`` is empty where its cache is unknown.

    **Raises**: MemoryInputError for numbers that no model can have.
    """
    if not isinstance(config, Mapping):
        raise MemoryInputError(
            key="config",
            value=type(config).__name__,
            accepted=Phrase("the object of a config.json"),
            code="unreadable-file",
        )
    text = _text_part(config)
    words = [*_classes(config), *_classes(text)]
    row = architecture_of(
        _word(text, "model_type"), *_classes(text), _word(config, "model_type"), *_classes(config)
    )
    return _shape(
        text, row=row, name=name, architecture=_class_of(row, words) or _word(text, "model_type"),
        source="config.json",
    )  # fmt: skip


def _class_of(row: Architecture | None, words: list[str]) -> str:
    """The class name that the config states and the row knows, the row's first, or any stated."""
    if row is None:
        return words[0] if words else ""
    return next((word for word in words if architecture_of(word) is row), row.classes[0])


def shape_from_facts(
    facts: Mapping[str, object], *, slug: str, architecture: str, source: str
) -> ModelShape:
    """The shape that a catalogue checkpoint states; ``architecture`` is a slug or class name.

    **Raises**: MemoryInputError for numbers that no model can have.
    """
    config: dict[str, object] = {
        hub: facts[fact] for fact, hub in FACT_NAMES.items() if facts.get(fact) is not None
    }
    window = facts.get("sliding_window_tokens")
    if window is not None:  # Llama 4 names its window apart
        config["attention_chunk_size"] = window
    row = architecture_of(architecture)
    config |= _index_layers(facts) | _checkpoint_facts(facts)
    config |= _layers_from_counts(facts, row.rule if row else LayerRule.UNKNOWN)
    return _shape(
        config, row=row, name=slug, architecture=row.classes[0] if row else architecture,
        source=source, scheme=str(facts.get("quantization") or ""),
    )  # fmt: skip


def _checkpoint_facts(facts: Mapping[str, object]) -> dict[str, object]:
    """What the catalogue says of the checkpoint's scheme: its group size and the parts it keeps."""
    size, kept = facts.get("quantization_group_size"), facts.get("parts_kept")
    stated: dict[str, object] = {}
    if size is not None:
        stated["group_size"] = size
    if isinstance(kept, list | tuple):
        stated["parts_kept"] = list(kept)
    return {"quantization_config": stated} if stated else {}


def _index_layers(facts: Mapping[str, object]) -> dict[str, object]:
    """The layers with an indexer of their own, where the catalogue counts them."""
    own, layers = facts.get("num_index_layers"), facts.get("num_layers")
    if not isinstance(own, int) or not isinstance(layers, int) or not 0 <= own <= layers <= 10_000:
        return {}
    return {"indexer_types": ["full"] * own + ["shared"] * (layers - own)}


def _layers_from_counts(facts: Mapping[str, object], rule: LayerRule) -> dict[str, object]:
    """The list that a rule reads of a config, with the counts that the catalogue states.

    Where each kind of layer stands does not matter to a sum, so full layers are spread evenly.
    """
    counts = {word: _count(facts, fact) for fact, word in _COUNTS_BY_KIND}
    layers, full = _count(facts, "num_layers"), counts["full_attention"]
    if not layers or full > layers:
        return {}
    if rule is LayerRule.BY_LAYER_TYPES and "layer_pattern" not in facts:
        words = [word for word, count in counts.items() for _ in range(count)]
        return {"layer_types": words} if words else {}
    if rule is LayerRule.LATENT_AND_LINEAR and full:
        linear = {
            "full_attn_layers": [(at + 1) * layers // full for at in range(full)],
            "num_heads": facts.get("num_linear_value_heads"),
            "head_dim": facts.get("linear_value_head_dim"),
            "short_conv_kernel_size": facts.get("linear_conv_kernel_dim"),
        }
        return {"linear_attn_config": linear}
    heads, kv_heads = _count(facts, "num_attention_heads"), _count(facts, "num_kv_heads")
    if rule is LayerRule.BLOCK_CONFIGS and full and heads and kv_heads:
        has = {"attention": {"n_heads_in_group": heads // kv_heads}}
        return {"block_configs": [has] * full + [{"attention": {"no_op": True}}] * (layers - full)}
    return {}


def _count(facts: Mapping[str, object], name: str) -> int:
    value = facts.get(name)
    known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_LAYERS
    return value if known and isinstance(value, int) else 0


def _text_part(config: Mapping[str, object]) -> Mapping[str, object]:
    """The language model's part of a config, with what only the outer object states."""
    thinker = config.get("thinker_config")  # Omni models put one level more around it.
    outer = thinker if isinstance(thinker, Mapping) else config
    for key in _TEXT_KEYS:
        inner = outer.get(key)
        if isinstance(inner, Mapping):
            outside = {k: outer[k] for k in _FROM_OUTSIDE if k in outer and inner.get(k) is None}
            return {**inner, **outside}
    return outer


def _word(config: Mapping[str, object], key: str) -> str:
    value = config.get(key)
    return value if isinstance(value, str) else ""


def _classes(config: Mapping[str, object]) -> list[str]:
    value = config.get("architectures")
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _shape(
    config: Mapping[str, object],
    *,
    row: Architecture | None,
    name: str,
    architecture: str,
    source: str,
    scheme: str = "",
) -> ModelShape:
    numbers = read_numbers(_with_layer_count(config))
    _check_together(numbers)
    head_dim, head_from = _head_dim(numbers, row)
    rule = row.rule if row else LayerRule.UNKNOWN
    tied = numbers.flag("tie_word_embeddings")
    if tied is None and row is not None:
        tied = row.tied_by_default
    layers = layers_of(rule, numbers, head_dim=head_dim)
    return ModelShape(
        name=name,
        architecture=architecture,
        llamacpp_arch=row.llamacpp_arch if row else "",
        num_layers=numbers.get("num_hidden_layers"),
        hidden_size=numbers.get("hidden_size"),
        num_heads=numbers.get("num_attention_heads"),
        num_kv_heads=numbers.get("num_key_value_heads") or numbers.get("num_attention_heads"),
        head_dim=head_dim,
        feed_forward_size=_dense_width(numbers, rule),
        vocab_size=numbers.get("vocab_size"),
        tied_embeddings=tied,
        max_context_tokens=numbers.get("max_position_embeddings"),
        num_experts=numbers.get("num_experts") or 0,
        num_experts_per_token=numbers.get("num_experts_per_tok") or 0,
        expert_feed_forward_size=_expert_width(numbers),
        num_shared_experts=numbers.get("n_shared_experts") or 0,
        num_dense_layers=numbers.get("first_k_dense_replace") or 0,
        num_mtp_layers=numbers.get("num_nextn_predict_layers") or 0,
        parameters_total=numbers.get("parameters_total"),
        layers=layers,
        has_cache=rule is not LayerRule.ENCODER,
        checkpoint_scheme=scheme or scheme_of_config(config),
        source=source,
        raw=MappingProxyType(_raw(numbers, row=row, head_from=head_from)),
    )


def _with_layer_count(config: Mapping[str, object]) -> Mapping[str, object]:
    """The config with its number of layers, which some state by a list of block types only."""
    words = config.get("layers_block_type")
    if isinstance(words, list) and words and config.get("num_hidden_layers") is None:
        return {**config, "num_hidden_layers": len(words)}
    return config


def _head_dim(numbers: ConfigNumbers, row: Architecture | None) -> tuple[int | None, str]:
    """The head size and where it is from; None where the architecture's code would not divide."""
    stated = numbers.get("head_dim")
    if stated is not None:
        return stated, "stated"
    hidden, heads = numbers.get("hidden_size"), numbers.get("num_attention_heads")
    if row is None or not row.head_over_heads or hidden is None or heads is None:
        return None, ""
    if hidden % heads:
        raise MemoryInputError(
            key="num_attention_heads",
            value=heads,
            accepted=Phrase(
                "a number that divides hidden_size {hidden}, or a head_dim beside it", hidden=hidden
            ),
        )
    return hidden // heads, "hidden-size-over-heads"


def _dense_width(numbers: ConfigNumbers, rule: LayerRule) -> int | None:
    if rule is LayerRule.LAST_OF_FOUR_FULL:  # Llama 4 names the width of its dense layers apart
        return numbers.get("intermediate_size_mlp") or numbers.get("intermediate_size")
    return numbers.get("intermediate_size")


def _expert_width(numbers: ConfigNumbers) -> int | None:
    if not numbers.get("num_experts"):
        return None
    return numbers.get("moe_intermediate_size") or numbers.get("intermediate_size")


_FLAGS_KEPT = ("attention_bias", "use_qk_norm", "attention_k_eq_v", "enable_moe_block")
_LISTS_KEPT = ("moe_layer_freq", "mlp_only_layers", "indexer_types", "layers_block_type")


def _raw(numbers: ConfigNumbers, *, row: Architecture | None, head_from: str) -> dict[str, object]:
    """The numbers by the hub's names, with the lists and flags that rules read."""
    config = numbers.config
    raw: dict[str, object] = dict(numbers.values)
    if head_from:
        raw["head_dim_from"] = head_from
    raw |= {key: bool(numbers.flag(key)) for key in _FLAGS_KEPT if config.get(key) is not None}
    if row is not None and row.qkv_bias:
        raw.setdefault("attention_bias", True)
    words = numbers.words("layer_types")
    if words is not None:
        raw["layer_types"] = words
    pattern = config.get("hybrid_override_pattern")
    if isinstance(pattern, str):
        raw["hybrid_override_pattern"] = pattern
    raw |= {key: tuple(found) for key in _LISTS_KEPT if isinstance(found := config.get(key), list)}
    return raw | _raw_of_checkpoint(numbers)


def _raw_of_checkpoint(numbers: ConfigNumbers) -> dict[str, object]:
    """What the config says of its checkpoint: group size, parts left alone, parts for images."""
    config = numbers.config
    raw: dict[str, object] = {}
    group = group_size_of_config(config)
    if group is not None:
        raw["group_size"] = group
    kept = kept_parts_of(config, layers=numbers.get("num_hidden_layers") or 1)
    if kept is not None:
        raw["parts_kept"] = kept
    if isinstance(config.get("vision_config"), Mapping):
        raw["has_vision"] = True
    for key in ("rope_scaling", "rope_parameters"):
        if key in config:
            scaling = config[key]
            kind = scaling.get("rope_type", scaling.get("type")) if isinstance(
                scaling, Mapping
            ) else None  # fmt: skip
            raw["rope_factors"] = kind in {"llama3", "longrope", "su"}
    return raw | _raw_of_sparse(config)


def _raw_of_sparse(config: Mapping[str, object]) -> dict[str, object]:
    """MiniMax's sparse attention in the names of the others: its index keys and their layers."""
    sparse = config.get("sparse_attention_config")
    if not isinstance(sparse, Mapping):
        return {}
    width, layers = sparse.get("sparse_index_dim"), sparse.get("sparse_attention_freq")
    if not isinstance(width, int) or isinstance(width, bool) or not 0 < width <= 65_536:
        return {}
    own = layers if isinstance(layers, list) else []
    return {
        "index_head_dim": width,
        "indexer_types": tuple("full" if on else "none" for on in own),
    }


def _check_together(numbers: ConfigNumbers) -> None:
    """Refuse numbers that are each possible but not together.

    **Raises**: MemoryInputError.
    """
    heads, kv_heads = numbers.get("num_attention_heads"), numbers.get("num_key_value_heads")
    if heads and kv_heads and (kv_heads > heads or heads % kv_heads):
        raise MemoryInputError(
            key="num_key_value_heads", value=kv_heads,
            accepted=Phrase("a divisor of num_attention_heads {heads}", heads=heads),
        )  # fmt: skip
    experts, used = numbers.get("num_experts"), numbers.get("num_experts_per_tok")
    if experts and used and used > experts:
        raise MemoryInputError(
            key="num_experts_per_tok",
            value=used,
            accepted=Phrase("at most num_experts {experts}", experts=experts),
        )
    layers, dense = numbers.get("num_hidden_layers"), numbers.get("first_k_dense_replace")
    if layers and dense and dense > layers:
        raise MemoryInputError(
            key="first_k_dense_replace",
            value=dense,
            accepted=Phrase("at most {layers} layers", layers=layers),
        )
