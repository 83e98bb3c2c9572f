"""The facts of a config.json, under the keys of the catalogue."""

from collections.abc import Mapping
from typing import Any

from ingest.sources.json_answers import object_of

Fact = str | int | float | bool | list[str]

# Fact of the catalogue and the fields that hold it, the first one present counts.
_NUMBERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("num_layers", ("num_hidden_layers", "n_layer", "num_layers")),
    ("hidden_size", ("hidden_size", "n_embd", "d_model")),
    ("num_attention_heads", ("num_attention_heads", "n_head")),
    ("num_kv_heads", ("num_key_value_heads",)),
    ("head_dim", ("head_dim",)),
    ("intermediate_size", ("intermediate_size", "n_inner")),
    ("vocab_size", ("vocab_size",)),
    ("max_context_tokens", ("max_position_embeddings", "n_positions")),
    ("sliding_window_tokens", ("sliding_window",)),
    ("num_experts", ("num_experts", "n_routed_experts", "num_local_experts")),
    ("num_experts_per_token", ("num_experts_per_tok", "num_experts_per_token", "moe_top_k")),
    ("num_shared_experts", ("n_shared_experts", "num_shared_experts")),
    ("moe_intermediate_size", ("moe_intermediate_size",)),
    ("num_mtp_layers", ("num_nextn_predict_layers",)),
    ("kv_lora_rank", ("kv_lora_rank",)),
    ("q_lora_rank", ("q_lora_rank",)),
    ("qk_nope_head_dim", ("qk_nope_head_dim",)),
    ("qk_rope_head_dim", ("qk_rope_head_dim",)),
    ("v_head_dim", ("v_head_dim",)),
)
# What a quantization_config says, each under a key of its own.
_QUANTIZATION_TEXTS = ("quant_method", "quant_algo", "fmt", "checkpoint_format", "kv_cache_scheme")
_QUANTIZATION_NUMBERS = ("bits", "group_size")


def read_config(value: Any, *, url: str) -> dict[str, Fact]:
    """The facts of a configuration; what it does not say is left out, never nought.

    A multimodal model keeps those of its language part under ``text_config``. Without a head size
    it is the hidden size by the number of heads, where that divides.
    **Raises**: ``UnexpectedPage``.
    """
    whole = object_of(value, url=url, what="a model configuration")
    inner = whole.get("text_config")
    text: Mapping[str, Any] = {**whole, **inner} if isinstance(inner, dict) else whole
    facts: dict[str, Fact] = {}
    for fact, names in _NUMBERS:
        found = next((text[n] for n in names if _is_count(text.get(n))), None)
        if found is not None:
            facts[fact] = found
    _add_derived(facts, text)
    classes = whole.get("architectures")
    if isinstance(classes, list) and classes and all(isinstance(name, str) for name in classes):
        facts["architectures"] = list(classes)
    if isinstance(tied := text.get("tie_word_embeddings"), bool):
        facts["tied_embeddings"] = tied
    quantization = whole.get("quantization_config") or text.get("quantization_config")
    if isinstance(quantization, dict):
        facts.update(_quantization_facts(quantization))
    return facts


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _add_derived(facts: dict[str, Fact], text: Mapping[str, Any]) -> None:
    """What follows from the numbers: expert routing, latent attention, the size of a head."""
    hidden, heads = facts.get("hidden_size"), facts.get("num_attention_heads")
    latent = "kv_lora_rank" in facts
    if latent:
        facts["mla"] = True
        # A latent cache has no heads of its own; the field repeats those of the queries.
        facts.pop("num_kv_heads", None)
        facts.pop("head_dim", None)
    elif (
        "head_dim" not in facts
        and isinstance(hidden, int)
        and isinstance(heads, int)
        and hidden % heads == 0
    ):
        facts["head_dim"] = hidden // heads
    experts = facts.get("num_experts")
    if isinstance(experts, int):
        facts["moe"] = experts > 1
    if text.get("use_sliding_window") is False:
        facts.pop("sliding_window_tokens", None)


def _quantization_facts(stated: Mapping[str, Any]) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    for name in _QUANTIZATION_TEXTS:
        if isinstance(stated.get(name), str) and stated[name]:
            found[f"quantization_{name}"] = stated[name]
    for name in _QUANTIZATION_NUMBERS:
        if _is_count(stated.get(name)):
            found[f"quantization_{name}"] = stated[name]
    block = stated.get("weight_block_size")
    if isinstance(block, list) and block and all(_is_count(side) for side in block):
        found["quantization_weight_block"] = "x".join(str(side) for side in block)
    return found
