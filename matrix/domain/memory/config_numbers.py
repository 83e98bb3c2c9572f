"""Numbers of a hub config by one name each, checked to be possible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.phrases import Phrase

MOST_LAYERS = 2_000
_MOST_WIDTH = 4_194_304
_MOST_HEADS = 65_536
_MOST_TOKENS = 2_147_483_647
_MOST_PARAMETERS = 10**16

# One name, the keys that configs use for it, and the largest value that is not a mistake.
# Absent from a row is what only one kind of architecture has under one name.
NUMBERS: Mapping[str, tuple[tuple[str, ...], int]] = {
    "num_hidden_layers": (("num_hidden_layers", "n_layer", "n_layers", "num_layers"), MOST_LAYERS),
    "hidden_size": (("hidden_size", "n_embd", "d_model", "n_embed", "dim"), _MOST_WIDTH),
    "num_attention_heads": (("num_attention_heads", "n_head", "n_heads"), _MOST_HEADS),
    "num_key_value_heads": (("num_key_value_heads", "n_head_kv", "num_kv_heads"), _MOST_HEADS),
    "head_dim": (("head_dim", "attention_head_dim"), _MOST_HEADS),
    "intermediate_size": (
        ("intermediate_size", "ffn_dim", "n_inner", "dense_intermediate_size"), _MOST_WIDTH,
    ),
    "vocab_size": (("vocab_size", "padded_vocab_size"), 2**27),
    "max_position_embeddings": (
        ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"), _MOST_TOKENS,
    ),
    "num_experts": (("num_experts", "num_local_experts", "n_routed_experts"), _MOST_HEADS),
    "num_experts_per_tok": (
        ("num_experts_per_tok", "experts_per_token", "num_experts_per_token", "top_k_experts",
         "moe_topk"),
        _MOST_HEADS,
    ),
    "moe_intermediate_size": (("moe_intermediate_size", "expert_dim"), _MOST_WIDTH),
    "n_shared_experts": (("n_shared_experts", "num_shared_experts"), _MOST_HEADS),
    "first_k_dense_replace": (("first_k_dense_replace", "num_dense_layers"), MOST_LAYERS),
    "num_nextn_predict_layers": (
        ("num_nextn_predict_layers", "mtp_num_hidden_layers"), MOST_LAYERS,
    ),
    "parameters_total": (("parameters_total",), _MOST_PARAMETERS),
    "parameters_vision": (("parameters_vision",), _MOST_PARAMETERS),
    "sliding_window": (("sliding_window", "sliding_window_size"), _MOST_TOKENS),
    "sliding_window_pattern": (("sliding_window_pattern", "_sliding_window_pattern"), MOST_LAYERS),
    "attention_chunk_size": (("attention_chunk_size",), _MOST_TOKENS),
    "conv_L_cache": (("conv_L_cache",), 1024),
    "mamba_d_ssm": (("mamba_d_ssm",), _MOST_WIDTH),
    "mamba_num_heads": (("mamba_num_heads", "mamba_n_heads"), _MOST_HEADS),
    "mamba_head_dim": (("mamba_head_dim", "mamba_d_head"), _MOST_HEADS),
    "ssm_state_size": (("ssm_state_size", "mamba_d_state", "state_size"), _MOST_HEADS),
    "conv_kernel": (("conv_kernel", "mamba_d_conv"), 1024),
    "n_groups": (("n_groups", "mamba_n_groups"), _MOST_HEADS),
    "expand": (("expand", "mamba_expand"), 64),
    "shared_expert_intermediate_size": (
        ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
         "share_expert_dim", "shared_intermediate_size"),
        _MOST_WIDTH,
    ),
    **{
        name: ((name,), _MOST_WIDTH)
        for name in (
            "q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim",
            "index_head_dim", "index_n_heads", "linear_num_key_heads", "linear_num_value_heads",
            "linear_key_head_dim", "linear_value_head_dim", "linear_conv_kernel_dim",
            "full_attention_interval", "interleave_moe_layer_step", "intermediate_size_mlp",
            "global_head_dim", "num_global_key_value_heads", "num_kv_shared_layers",
            "swa_num_key_value_heads", "swa_head_dim", "swa_v_head_dim", "moe_latent_size",
            "decoder_sparse_step", "hidden_size_per_layer_input",
        )
    },
}  # fmt: skip

# What may be 0: there are none of it. Everything else that is stated is at least 1.
_MAY_BE_ZERO = frozenset(
    {
        "num_experts", "n_shared_experts", "first_k_dense_replace", "num_nextn_predict_layers",
        "num_kv_shared_layers", "parameters_vision", "q_lora_rank", "sliding_window",
        "hidden_size_per_layer_input", "moe_latent_size", "shared_expert_intermediate_size",
    }
)  # fmt: skip


class MissingNumber(MemoryInputError):
    """A number that a rule needs and the config does not state: unknown, not wrong."""


@dataclass(frozen=True, slots=True)
class ConfigNumbers:
    """The numbers of a config by their names here, and what else the rules read."""

    values: Mapping[str, int]
    config: Mapping[str, object]

    def get(self, name: str) -> int | None:
        """The number, or None where the config does not state it."""
        return self.values.get(name)

    def need(self, name: str) -> int:
        """The number. **Raises**: MissingNumber where the config does not state it."""
        value = self.values.get(name)
        if value is None:
            keys = ", ".join(NUMBERS[name][0])
            raise MissingNumber(
                key=name,
                value=None,
                accepted=Phrase("a whole number from 1 on under one of: {keys}", keys=keys),
            )
        return value

    def flag(self, name: str) -> bool | None:
        """A yes or no of the config; None where it is absent. **Raises**: MemoryInputError."""
        value = self.config.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise MemoryInputError(key=name, value=value, accepted=Phrase("true or false"))

    def words(self, name: str) -> tuple[str, ...] | None:
        """A list of words, one a layer. **Raises**: MemoryInputError for anything else."""
        value = self.config.get(name)
        if value is None:
            return None
        if _is_list(value) and all(isinstance(word, str) for word in value):
            return tuple(map(str, value))
        raise MemoryInputError(
            key=name, value=value, accepted=Phrase("a list of words, one a layer")
        )

    def numbers(self, name: str) -> tuple[int, ...] | None:
        """A list of whole numbers. **Raises**: MemoryInputError for anything else."""
        value = self.config.get(name)
        if value is None:
            return None
        if _is_list(value):
            whole = tuple(number for number in value if isinstance(number, int))
            if len(whole) == len(value):
                return whole
        raise MemoryInputError(key=name, value=value, accepted=Phrase("a list of whole numbers"))


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) <= MOST_LAYERS


def read_numbers(config: Mapping[str, object]) -> ConfigNumbers:
    """Every number of NUMBERS that the config states.

    **Raises**: MemoryInputError for one that is no whole number or beyond what can be.
    """
    values: dict[str, int] = {}
    for name, (keys, most) in NUMBERS.items():
        for key in keys:
            value = config.get(key)
            # A list gives one number a layer; the rules of such architectures read it themselves.
            if value is None or _is_list(value):
                continue
            values[name] = _whole(key, value, least=0 if name in _MAY_BE_ZERO else 1, most=most)
            break
    return ConfigNumbers(values=values, config=config)


def _whole(key: str, value: object, *, least: int, most: int) -> int:
    accepted = f"a whole number from {least} to {most}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MemoryInputError(key=key, value=value, accepted=accepted)
    if not least <= value <= most or int(value) != value:  # NaN fails every comparison
        raise MemoryInputError(key=key, value=value, accepted=accepted)
    return int(value)
