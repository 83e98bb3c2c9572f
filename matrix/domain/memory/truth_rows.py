"""The rows of measured memory: a model's shape from the names that the rows use for it."""

from collections.abc import Mapping
from dataclasses import replace

from matrix.domain.memory.config import shape_from_config
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.gguf_shape import MOST_LAYERS, MOST_SIZE
from matrix.domain.memory.llamacpp_cache import layers_of
from matrix.domain.memory.llamacpp_shape import llama_shape_of
from matrix.domain.memory.llamacpp_values import LINEAR_ATTENTION
from matrix.domain.memory.values import AttentionKind, LayerShape, ModelShape
from matrix.domain.phrases import Phrase

# The row's name of a number, and ours; those of ``raw`` carry the hub's names.
_RAW_NAMES: Mapping[str, str] = {
    "q_lora": "q_lora_rank",
    "kv_lora": "kv_lora_rank",
    "qk_nope": "qk_nope_head_dim",
    "qk_rope": "qk_rope_head_dim",
    "v_head": "v_head_dim",
    "swa": "sliding_window",
    "moe_step": "interleave_moe_layer_step",
    "full_attn_interval": "full_attention_interval",
    "l_cache": "conv_L_cache",
    "n_ff_shexp": "shared_expert_intermediate_size",
    "rope_freqs": "rope_factors",
    "probs_b": "has_expert_bias",
    "qnorm": "use_qk_norm",
    "mla": "mla_split",
}


_LAYER_NUMBERS = frozenset({"n_layer", "nextn", "n_dense"})
# Numbers of a row of models whose names are not those of a config.json.
_CONFIG_NAMES: Mapping[str, str] = {
    "text_model_type": "model_type",
    "checkpoint_quant": "quantization_config",
    "swa_window": "sliding_window",
}


def shape_in_row(row: Mapping[str, object]) -> ModelShape | None:
    """The shape that a row states of its own model, ``None`` where it states none.

    **Raises**: MemoryInputError where a number is missing or impossible.
    """
    name = str(row.get("hf_id") or row.get("model") or "")
    hparams = row.get("hparams")
    if isinstance(hparams, Mapping):
        count, tensors = row.get("n_params"), row.get("n_tensors")
        return shape_from_hparams(
            hparams,
            name=name,
            tied=row.get("tied") is True,
            parameters=count if isinstance(count, int) else None,
            tensors=tensors if isinstance(tensors, int) else None,
        )
    if "num_hidden_layers" not in row:
        return None
    config = dict(row)
    for own, hub in _CONFIG_NAMES.items():
        if own in row:
            config.setdefault(hub, row[own])
    config["model_type"] = row.get("text_model_type", row.get("model_type"))
    if "architecture" in row:
        config["architectures"] = [row["architecture"]]
    shape = shape_from_config(config, name=name)
    total = row.get("params_total")
    return replace(shape, parameters_total=total) if isinstance(total, int) else shape


def shape_from_hparams(
    hparams: Mapping[str, object],
    *,
    name: str,
    tied: bool,
    parameters: int | None,
    tensors: int | None = None,
) -> ModelShape:
    """The shape of a row's model; ``tensors`` is how many the file holds.

    **Raises**: MemoryInputError where a number is missing.
    """
    heads = hparams.get("n_head_kv")
    per_layer = heads if isinstance(heads, list) else None
    head_count = _number(hparams, "n_head", missing=0)
    embedding = _number(hparams, "n_embd")
    layers = _number(hparams, "n_layer")
    mtp = _number(hparams, "nextn", missing=0)
    head_dim = _number(hparams, "head_dim", missing=embedding // head_count if head_count else 0)
    shape = ModelShape(
        name=name,
        architecture="",
        llamacpp_arch=str(hparams.get("arch", "")),
        num_layers=layers,
        hidden_size=embedding,
        num_heads=head_count or None,
        num_kv_heads=max(per_layer) if per_layer else _number(hparams, "n_head_kv", missing=0),
        head_dim=head_dim or None,
        feed_forward_size=_number(hparams, "n_ff", missing=0) or None,
        vocab_size=_number(hparams, "vocab"),
        tied_embeddings=tied,
        max_context_tokens=_number(hparams, "ctx", missing=0) or None,
        num_experts=_number(hparams, "n_expert", missing=0),
        num_experts_per_token=_number(hparams, "n_expert_used", missing=0),
        expert_feed_forward_size=_number(hparams, "n_ff_exp", missing=0) or None,
        num_shared_experts=_number(hparams, "n_shared", missing=0),
        num_dense_layers=_number(hparams, "n_dense", missing=0),
        num_mtp_layers=mtp,
        parameters_total=parameters,
        layers=_layers(per_layer, head_dim) if per_layer else (),
        source="the row's hparams",
        raw=_raw(hparams) | ({} if tensors is None else {"gguf_tensor_count": tensors}),
    )
    llama = llama_shape_of(shape)
    return shape if llama is None else replace(shape, layers=layers_of(llama))


def _number(values: Mapping[str, object], name: str, *, missing: int | None = None) -> int:
    value = values.get(name)
    if value is None and missing is not None:
        return missing
    most = MOST_LAYERS if name in _LAYER_NUMBERS else MOST_SIZE
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise MemoryInputError(
            key=name, value=value, accepted=Phrase("a whole number of the hparams")
        )
    return value


def _layers(kv_heads: list[object], head_dim: int) -> tuple[LayerShape, ...]:
    """Layers without key heads are the recurrent ones of a mixed model."""
    return tuple(
        LayerShape(AttentionKind.FULL, kv_heads=count, key_dim=head_dim, value_dim=head_dim)
        if isinstance(count, int) and count
        else LayerShape(AttentionKind.RECURRENT)
        for count in kv_heads
    )


def _raw(hparams: Mapping[str, object]) -> dict[str, object]:
    raw = {ours: hparams[name] for name, ours in _RAW_NAMES.items() if name in hparams}
    state = hparams.get("ssm")
    if not isinstance(state, Mapping):
        return raw
    heads, inner = _number(state, "time_step_rank"), _number(state, "inner_size")
    conv, groups = _number(state, "conv_kernel"), _number(state, "group_count")
    size = _number(state, "state_size")
    if hparams.get("arch") in LINEAR_ATTENTION:
        return raw | {
            "linear_conv_kernel_dim": conv,
            "linear_num_value_heads": heads,
            "linear_num_key_heads": groups,
            "linear_key_head_dim": size,
            "linear_value_head_dim": inner // max(heads, 1),
        }
    return raw | {
        "conv_kernel": conv,
        "mamba_num_heads": heads,
        "n_groups": groups,
        "ssm_state_size": size,
        "mamba_d_ssm": inner,
    }
