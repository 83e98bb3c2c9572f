"""A model's shape from the metadata of a GGUF file."""

from collections.abc import Mapping
from dataclasses import replace

from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.gguf_reader import ListValue
from matrix.domain.memory.llamacpp_cache import layers_of
from matrix.domain.memory.llamacpp_shape import llama_shape_of
from matrix.domain.memory.llamacpp_values import LINEAR_ATTENTION
from matrix.domain.memory.values import AttentionKind, LayerShape, ModelShape
from matrix.domain.phrases import Phrase

MOST_LAYERS = 10_000
MOST_SIZE = 2**31
# llama.cpp's numbers of file types (general.file_type) and the catalogue's slugs of them.
SCHEME_OF_FILE_TYPE: Mapping[int, str] = {
    0: "fp32", 1: "fp16", 2: "gguf-q4-0", 3: "gguf-q4-1", 7: "gguf-q8-0", 8: "gguf-q5-0",
    9: "gguf-q5-1", 10: "gguf-q2-k", 11: "gguf-q3-k-s", 12: "gguf-q3-k-m", 13: "gguf-q3-k-l",
    14: "gguf-q4-k-s", 15: "gguf-q4-k-m", 16: "gguf-q5-k-s", 17: "gguf-q5-k-m", 18: "gguf-q6-k",
    19: "gguf-iq2-xxs", 20: "gguf-iq2-xs", 21: "gguf-q2-k-s", 22: "gguf-iq3-xs",
    23: "gguf-iq3-xxs", 24: "gguf-iq1-s", 25: "gguf-iq4-nl", 26: "gguf-iq3-s", 27: "gguf-iq3-m",
    28: "gguf-iq2-s", 29: "gguf-iq2-m", 30: "gguf-iq4-xs", 31: "gguf-iq1-m", 32: "bf16",
    36: "gguf-tq1-0", 37: "gguf-tq2-0", 38: "gguf-mxfp4-moe", 39: "gguf-nvfp4", 40: "gguf-q1-0",
    41: "gguf-q2-0",
}  # fmt: skip
_ENCODERS = frozenset(
    {"bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "neo-bert",
     "modern-bert", "eurobert", "t5encoder", "clip", "wavtokenizer-dec", "gemma-embedding"}
)  # fmt: skip
# Architectures beside those of the inventory whose layers keep keys and values of every token.
_PLAIN_ARCHS = frozenset(
    {"apertus", "arcee", "baichuan", "bloom", "chatglm", "codeshell", "command-r", "dbrx", "deci",
     "ernie4_5", "exaone", "falcon", "gemma", "glm4", "gpt2", "gptneox", "granite", "granitemoe",
     "hunyuan-dense", "hunyuan-moe", "internlm2", "jais", "minicpm", "mpt", "nemotron", "olmo",
     "olmoe", "orion", "phi2", "phimoe", "plamo", "qwen", "qwen2vl", "qwen3vl", "qwen3vlmoe",
     "refact", "seed_oss", "smollm3", "stablelm", "starcoder", "starcoder2", "xverse"}
)  # fmt: skip
_RAW_NAMES: Mapping[str, str] = {
    "attention.q_lora_rank": "q_lora_rank",
    "attention.kv_lora_rank": "kv_lora_rank",
    "rope.dimension_count": "qk_rope_head_dim",
    "attention.sliding_window": "sliding_window",
    "interleave_moe_layer_step": "interleave_moe_layer_step",
    "full_attention_interval": "full_attention_interval",
    "shortconv.l_cache": "conv_L_cache",
    "expert_shared_feed_forward_length": "shared_expert_intermediate_size",
}


# Numbers that a file may state for each layer.
_ONE_A_LAYER = frozenset({"attention.head_count", "attention.head_count_kv", "feed_forward_length"})


class _Metadata:
    """The numbers of one architecture, each checked when it is read."""

    def __init__(self, metadata: Mapping[str, object], arch: str) -> None:
        self._metadata = metadata
        self._arch = arch

    def number(self, name: str, *, most: int = MOST_SIZE) -> int | None:
        """A whole number; of a list of one a layer, the largest."""
        key = f"{self._arch}.{name}"
        value = self._metadata.get(key)
        if value is None:
            return None
        items = (value.items or ()) if isinstance(value, ListValue) else (value,)
        whole = [i for i in items if isinstance(i, int) and not isinstance(i, bool)]
        if not whole or len(whole) < len(items) or not 0 <= min(whole) <= max(whole) <= most:
            raise MemoryInputError(
                key=key,
                value=value.items if isinstance(value, ListValue) else value,
                accepted=Phrase("a whole number from 0 to {most}", most=most),
            )
        layers = self._metadata.get(f"{self._arch}.block_count")
        is_short = isinstance(layers, int) and len(whole) < layers
        if isinstance(value, ListValue) and name in _ONE_A_LAYER and is_short:
            raise MemoryInputError(
                key=key,
                value=f"{len(whole)} values",
                accepted=Phrase("one for each of {num_layers} layers", num_layers=layers),
            )
        return max(whole)

    def per_layer(self, name: str) -> tuple[int, ...] | None:
        """The numbers of a list of one a layer, ``None`` where it is a single number."""
        value = self._metadata.get(f"{self._arch}.{name}")
        if isinstance(value, ListValue) and value.items is not None:
            return tuple(int(item) for item in value.items)
        return None


def shape_of_header(
    metadata: Mapping[str, object],
    *,
    tensor_names: frozenset[str] | None,
    parameters: int | None,
) -> ModelShape:
    """The shape; what only the tensor table tells is unknown where that is missing.

    **Raises**: MemoryInputError without an architecture or with impossible numbers.
    """
    arch = metadata.get("general.architecture")
    if not isinstance(arch, str) or not arch:
        raise MemoryInputError(
            key="general.architecture",
            value=arch,
            accepted=Phrase("llama.cpp's name of an architecture"),
        )
    numbers = _Metadata(metadata, arch)
    counted = numbers.number("block_count", most=MOST_LAYERS)
    mtp = numbers.number("nextn_predict_layers", most=MOST_LAYERS) or 0
    if counted is not None and mtp >= counted > 0:
        raise MemoryInputError(
            key=f"{arch}.nextn_predict_layers", value=mtp, accepted=Phrase("fewer than block_count")
        )
    shape = _plain_shape(numbers, metadata, arch=arch, layers=None if counted is None else counted)
    raw = _raw(numbers, metadata, arch=arch) | _flags_of(tensor_names)
    tied = None if tensor_names is None else "output.weight" not in tensor_names
    shape = replace(
        shape,
        num_layers=None if counted is None else counted - mtp,
        num_mtp_layers=mtp,
        tied_embeddings=True if arch == "gemma2" else tied,
        parameters_total=parameters,
        raw=raw,
    )
    return replace(shape, layers=_layers(shape, numbers))


def _plain_shape(
    numbers: _Metadata, metadata: Mapping[str, object], *, arch: str, layers: int | None
) -> ModelShape:
    heads = numbers.number("attention.head_count")
    embedding = numbers.number("embedding_length")
    head_dim = numbers.number("attention.key_length")
    if head_dim is None and heads and embedding:
        head_dim = embedding // heads  # llama.cpp's own rule where the key is absent.
    number = metadata.get("general.file_type")
    name = metadata.get("general.name")
    tokens = metadata.get("tokenizer.ggml.tokens")
    vocabulary = numbers.number("vocab_size")
    if isinstance(tokens, ListValue):
        vocabulary = tokens.length
    return ModelShape(
        name=name if isinstance(name, str) else "",
        architecture=arch,
        llamacpp_arch=arch,
        num_layers=layers,
        hidden_size=embedding,
        num_heads=heads,
        num_kv_heads=numbers.number("attention.head_count_kv") or heads,
        head_dim=head_dim,
        feed_forward_size=numbers.number("feed_forward_length"),
        vocab_size=vocabulary,
        max_context_tokens=numbers.number("context_length"),
        num_experts=numbers.number("expert_count") or 0,
        num_experts_per_token=numbers.number("expert_used_count") or 0,
        expert_feed_forward_size=numbers.number("expert_feed_forward_length"),
        num_shared_experts=numbers.number("expert_shared_count") or 0,
        num_dense_layers=numbers.number("leading_dense_block_count") or 0,
        has_cache=arch not in _ENCODERS,
        checkpoint_scheme=SCHEME_OF_FILE_TYPE.get(number, "") if isinstance(number, int) else "",
        source="GGUF header",
    )


def _raw(numbers: _Metadata, metadata: Mapping[str, object], *, arch: str) -> dict[str, object]:
    raw: dict[str, object] = {}
    for own, hub in _RAW_NAMES.items():
        value = numbers.number(own)
        if value is not None:
            raw[hub] = value
    listed = metadata.get(f"{arch}.attention.sliding_window_pattern")
    if isinstance(listed, ListValue) and listed.items is not None:
        raw["gguf_window_layers"] = listed.items
    elif isinstance(listed, int) and not isinstance(listed, bool) and listed > 0:
        count = numbers.number("block_count", most=MOST_LAYERS) or 0
        raw["gguf_window_layers"] = tuple(n % listed < listed - 1 for n in range(count))
    _add_latent(raw, numbers)
    _add_state(raw, numbers, arch=arch)
    return raw


def _add_latent(raw: dict[str, object], numbers: _Metadata) -> None:
    """Head sizes of latent attention; old files state them without ``_mla``."""
    if "kv_lora_rank" not in raw:
        return
    key = numbers.number("attention.key_length_mla") or numbers.number("attention.key_length")
    value = numbers.number("attention.value_length_mla") or numbers.number("attention.value_length")
    rope = raw.get("qk_rope_head_dim")
    if key is None or value is None or not isinstance(rope, int):
        return
    if key <= rope:
        raise MemoryInputError(
            key="attention.key_length",
            value=key,
            accepted=Phrase("more than the rope part, {rope}", rope=rope),
        )
    raw |= {"qk_nope_head_dim": key - rope, "v_head_dim": value}
    raw["mla_split"] = numbers.number("attention.key_length_mla") is not None


def _add_state(raw: dict[str, object], numbers: _Metadata, *, arch: str) -> None:
    conv = numbers.number("ssm.conv_kernel")
    inner, size = numbers.number("ssm.inner_size"), numbers.number("ssm.state_size")
    heads, groups = numbers.number("ssm.time_step_rank"), numbers.number("ssm.group_count")
    if conv is None or inner is None or size is None or not heads or groups is None:
        return
    if arch in LINEAR_ATTENTION:
        raw |= {
            "linear_conv_kernel_dim": conv,
            "linear_num_value_heads": heads,
            "linear_num_key_heads": groups,
            "linear_key_head_dim": size,
            "linear_value_head_dim": inner // heads,
        }
        return
    raw |= {
        "conv_kernel": conv,
        "mamba_d_ssm": inner,
        "ssm_state_size": size,
        "mamba_num_heads": heads,
        "n_groups": groups,
    }


def _flags_of(tensor_names: frozenset[str] | None) -> dict[str, object]:
    """What the names of the tensors settle."""
    if tensor_names is None:
        return {}
    rope = {"rope_freqs.weight", "rope_factors_long.weight"}
    return {
        "rope_factors": bool(rope & tensor_names),
        "has_expert_bias": any(name.endswith("exp_probs_b.bias") for name in tensor_names),
        "attention_bias": any(name.endswith("attn_q.bias") for name in tensor_names),
        "use_qk_norm": any(name.endswith("attn_q_norm.weight") for name in tensor_names),
    }


def _layers(shape: ModelShape, numbers: _Metadata) -> tuple[LayerShape, ...]:
    """What each layer keeps; empty where the architecture's cache is not known here."""
    per_layer = numbers.per_layer("attention.head_count_kv")
    head_dim = shape.head_dim or 0
    if per_layer is not None:
        if len(per_layer) < (shape.num_layers or 0):
            raise MemoryInputError(
                key="attention.head_count_kv",
                value=f"{len(per_layer)} values",
                accepted=Phrase("one for each of {num_layers} layers", num_layers=shape.num_layers),
            )
        shape = replace(
            shape,
            layers=tuple(
                LayerShape(AttentionKind.FULL, count, head_dim, head_dim)
                if count
                else LayerShape(AttentionKind.RECURRENT)
                for count in per_layer
            ),
        )
    # The cache does not depend on whether embeddings are tied: any answer serves to read it.
    settled = replace(shape, tied_embeddings=shape.tied_embeddings or False)
    llama = llama_shape_of(settled)
    if llama is not None:
        return layers_of(llama)
    has_window = "sliding_window" in shape.raw
    return () if has_window else _plain_layers(shape, per_layer)


def _plain_layers(shape: ModelShape, per_layer: tuple[int, ...] | None) -> tuple[LayerShape, ...]:
    """Layers that all keep every token, where that is how the architecture works."""
    if shape.llamacpp_arch not in _PLAIN_ARCHS or not shape.head_dim or not shape.num_layers:
        return ()
    heads = per_layer or (shape.num_kv_heads or 0,) * shape.num_layers
    return tuple(
        LayerShape(AttentionKind.FULL, count, shape.head_dim, shape.head_dim)
        for count in heads[: shape.num_layers]
    )
