"""A model in llama.cpp's own terms, from a shape whose numbers carry the hub's names."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product

from matrix.domain.memory.gguf_tensors import list_tensors, parameters_of
from matrix.domain.memory.llamacpp_values import LINEAR_ATTENTION, LatentDims, LlamaShape, StateDims
from matrix.domain.memory.values import AttentionKind, ModelShape

# llama.cpp's name of an architecture by the class that the hub's config.json states.
ARCH_OF_CLASS: Mapping[str, str] = {
    "LlamaForCausalLM": "llama",
    "MistralForCausalLM": "llama",
    "MixtralForCausalLM": "llama",
    "Qwen2ForCausalLM": "qwen2",
    "Qwen2MoeForCausalLM": "qwen2moe",
    "Qwen3ForCausalLM": "qwen3",
    "Qwen3MoeForCausalLM": "qwen3moe",
    "Qwen3NextForCausalLM": "qwen3next",
    "Qwen3_5ForConditionalGeneration": "qwen35",
    "Qwen3_5MoeForConditionalGeneration": "qwen35moe",
    "MiniMaxM2ForCausalLM": "minimax-m2",
    "Gemma2ForCausalLM": "gemma2",
    "Gemma3ForCausalLM": "gemma3",
    "Gemma3ForConditionalGeneration": "gemma3",
    "Phi3ForCausalLM": "phi3",
    "DeepseekV2ForCausalLM": "deepseek2",
    "DeepseekV3ForCausalLM": "deepseek2",
    "KimiK2ForCausalLM": "deepseek2",
    "KimiK25ForConditionalGeneration": "deepseek2",
    "Glm4MoeLiteForCausalLM": "deepseek2",
    "Glm4MoeForCausalLM": "glm4moe",
    "GptOssForCausalLM": "gpt-oss",
    "Llama4ForCausalLM": "llama4",
    "Llama4ForConditionalGeneration": "llama4",
    "FalconH1ForCausalLM": "falcon-h1",
    "Lfm2ForCausalLM": "lfm2",
    "Mamba2ForCausalLM": "mamba2",
}

COVERED_ARCHS = frozenset(ARCH_OF_CLASS.values())
# Architectures whose inventory was checked by their number of weights, but against no file.
BY_NUMBER_ONLY = frozenset({"qwen2moe", "qwen35", "qwen35moe", "minimax-m2"})
_STATE_ONLY = frozenset({"mamba2"})
_MOE_ONLY = frozenset(
    {"qwen2moe", "qwen3moe", "qwen3next", "qwen35moe", "glm4moe", "gpt-oss", "llama4"}
    | {"deepseek2", "minimax-m2"}
)


@lru_cache(maxsize=512)
def _settled(
    variants: tuple[LlamaShape, ...], parameters: int | None, tensors: int | None
) -> LlamaShape:
    """The variant whose tensors add up to the parameters, the first where none does.

    Of several that do, the one with the number of tensors that the file is known to hold: latent
    attention in one matrix has as many weights as in two.
    """
    if len(variants) == 1:
        return variants[0]
    fitting = [v for v in variants if parameters is None or parameters_of(v) == parameters]
    fitting = fitting or [variants[0]]
    if tensors is None:
        return fitting[0]
    return next((v for v in fitting if len(list_tensors(v)) == tensors), fitting[0])


class _Numbers:
    """The numbers of a shape's ``raw`` by name; unknown is ``None``."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self._raw = raw

    def get(self, *names: str) -> int | None:
        """The first of the names that holds a whole number."""
        for name in names:
            value = self._raw.get(name)
            if isinstance(value, bool):
                continue
            if isinstance(value, int):
                return value
        return None

    def flag(self, name: str) -> bool | None:
        """A yes or no, ``None`` where it is not said."""
        value = self._raw.get(name)
        return value if isinstance(value, bool) else None


def arch_of(shape: ModelShape) -> str:
    """llama.cpp's name of the shape's architecture, empty where it is not covered."""
    named = shape.llamacpp_arch or ARCH_OF_CLASS.get(shape.architecture, "")
    return named if named in COVERED_ARCHS else ""


def llama_shape_of(shape: ModelShape) -> LlamaShape | None:
    """The shape in llama.cpp's terms, ``None`` where a number it needs is unknown.

    Small tensors that a config does not tell (rope factors, biases of the router) are settled by
    the number of parameters where that is known exactly.
    """
    arch = arch_of(shape)
    numbers = _Numbers(shape.raw)
    if not arch or shape.num_layers is None or shape.hidden_size is None:
        return None
    if shape.vocab_size is None or shape.tied_embeddings is None:
        return None
    plain = _without_options(shape, arch, numbers)
    if plain is None:
        return None
    tensors = numbers.get("gguf_tensor_count")
    return _settled(_variants(plain, shape, numbers), shape.parameters_total, tensors)


def _without_options(shape: ModelShape, arch: str, numbers: _Numbers) -> LlamaShape | None:
    latent = _latent(numbers) if arch == "deepseek2" else None
    state = _state(arch, numbers)
    heads = shape.num_heads or 0
    attends = arch not in _STATE_ONLY
    head_dim = shape.head_dim or 0
    if latent is not None:
        head_dim = latent.key_dim
    if attends and not (heads and head_dim):
        return None
    if arch in _MOE_ONLY and not (shape.num_experts and shape.num_experts_per_token):
        return None
    if arch in {"mamba2", "falcon-h1", *LINEAR_ATTENTION} and state is None:
        return None
    if arch == "deepseek2" and latent is None:
        return None
    assert shape.num_layers is not None and shape.hidden_size is not None
    assert shape.vocab_size is not None and shape.tied_embeddings is not None
    recurrent = _recurrent(shape, arch, numbers)
    kv_heads = _kv_heads(shape, arch, recurrent)
    conv_cache = numbers.get("conv_L_cache") or 0
    if kv_heads is None or (arch == "lfm2" and (not conv_cache or not any(recurrent))):
        return None
    width = shape.feed_forward_size or 0
    if attends and not width and not shape.expert_feed_forward_size:
        return None
    if arch in {"gpt-oss", "glm4moe"} and not (shape.expert_feed_forward_size or width):
        return None
    return LlamaShape(
        arch=arch,
        layers=shape.num_layers,
        embedding=shape.hidden_size,
        heads=heads,
        kv_heads=kv_heads,
        key_dim=head_dim,
        value_dim=latent.value_dim if latent is not None else head_dim,
        width=width,
        vocabulary=shape.vocab_size,
        tied=shape.tied_embeddings,
        experts=shape.num_experts,
        experts_used=shape.num_experts_per_token,
        expert_width=_expert_width(shape),
        shared_width=_shared_width(shape, arch, numbers),
        dense_layers=shape.num_dense_layers if arch in {"deepseek2", "glm4moe"} else 0,
        moe_step=(numbers.get("interleave_moe_layer_step") or 1) if arch == "llama4" else 1,
        window_tokens=_window(arch, numbers),
        window_layers=_window_layers(shape),
        latent=latent,
        state=state,
        conv_cache=conv_cache,
        is_recurrent=recurrent,
        first_kv_heads=kv_heads[0] if arch == "lfm2" else shape.num_kv_heads or 0,
    )


def _expert_width(shape: ModelShape) -> int:
    if not shape.num_experts:
        return 0
    return shape.expert_feed_forward_size or shape.feed_forward_size or 0


def _shared_width(shape: ModelShape, arch: str, numbers: _Numbers) -> int:
    """The width of the experts that every token passes, 0 where there are none."""
    expert = _expert_width(shape)
    if arch == "llama4":
        return expert
    if arch in {"qwen2moe", "qwen3next", "qwen35moe"}:
        return numbers.get("shared_expert_intermediate_size") or expert
    if arch in {"deepseek2", "glm4moe"}:
        return expert * shape.num_shared_experts
    return 0


def _window(arch: str, numbers: _Numbers) -> int:
    if arch == "llama4":
        # llama.cpp has one chunk size for all; a stated window of 0 turns chunks off.
        return 0 if numbers.get("sliding_window") == 0 else 8192
    if arch in {"gemma2", "gemma3", "gpt-oss"}:
        default = {"gemma2": 4096, "gemma3": 0, "gpt-oss": 128}[arch]
        return numbers.get("sliding_window") or default
    return 0


def _window_layers(shape: ModelShape) -> tuple[bool, ...]:
    """Which layers have a window, where a GGUF file lists it; empty leaves it to the pattern."""
    listed = shape.raw.get("gguf_window_layers")
    if not isinstance(listed, tuple):
        return ()
    layers = tuple(bool(item) for item in listed)
    return layers if len(layers) >= (shape.num_layers or 0) else ()


def _latent(numbers: _Numbers) -> LatentDims | None:
    kv_rank = numbers.get("kv_lora_rank")
    nope = numbers.get("qk_nope_head_dim")
    rope = numbers.get("qk_rope_head_dim")
    value = numbers.get("v_head_dim")
    if kv_rank is None or nope is None or rope is None or value is None:
        return None
    q_rank = numbers.get("q_lora_rank") or 0
    return LatentDims(q_rank=q_rank, kv_rank=kv_rank, nope_dim=nope, rope_dim=rope, value_dim=value)


def _state(arch: str, numbers: _Numbers) -> StateDims | None:
    if arch in LINEAR_ATTENTION:
        conv = numbers.get("linear_conv_kernel_dim")
        heads = numbers.get("linear_num_value_heads")
        groups = numbers.get("linear_num_key_heads")
        size = numbers.get("linear_key_head_dim")
        each = numbers.get("linear_value_head_dim")
        inner = (heads or 0) * (each or 0)
    elif arch in {"mamba2", "falcon-h1"}:
        conv = numbers.get("conv_kernel", "mamba_d_conv")
        heads = numbers.get("mamba_num_heads", "num_heads", "mamba_n_heads")
        groups = numbers.get("n_groups", "mamba_n_groups")
        size = numbers.get("ssm_state_size", "state_size", "mamba_d_state")
        each = numbers.get("mamba_head_dim", "mamba_d_head", "head_dim")
        inner = numbers.get("mamba_d_ssm") or (heads or 0) * (each or 0)
    else:
        return None
    if not (conv and heads and groups and size and inner):
        return None  # Unknown, or nothing that a layer could be made of.
    return StateDims(
        conv_kernel=conv, inner_size=inner, state_size=size, heads=heads, groups=groups
    )


def _recurrent(shape: ModelShape, arch: str, numbers: _Numbers) -> tuple[bool, ...]:
    count = shape.num_layers or 0
    if arch in {"mamba2", "falcon-h1"}:
        return (True,) * count
    if arch in LINEAR_ATTENTION:
        every = numbers.get("full_attention_interval") or 4
        return tuple((index + 1) % every != 0 for index in range(count))
    if arch == "lfm2":
        own = shape.layers[:count]
        return tuple(layer.attention is AttentionKind.RECURRENT for layer in own)
    return (False,) * count


def _kv_heads(shape: ModelShape, arch: str, recurrent: tuple[bool, ...]) -> tuple[int, ...] | None:
    count = shape.num_layers or 0
    if arch == "mamba2":
        return (0,) * count
    if len(recurrent) != count:
        return None
    if arch == "deepseek2":
        return (shape.num_heads or 0,) * count
    if not shape.num_kv_heads:
        return None
    if len({layer.kv_heads for layer in shape.layers if layer.kv_heads}) > 1:
        return None  # Heads that differ by layer: no architecture here has them.
    both = arch == "falcon-h1"
    return tuple(0 if recurs and not both else shape.num_kv_heads for recurs in recurrent)


def _variants(plain: LlamaShape, shape: ModelShape, numbers: _Numbers) -> tuple[LlamaShape, ...]:
    """Every reading of what the config leaves open, the likeliest first."""
    arch = plain.arch
    rope = _rope_choices(arch, shape, numbers)
    norm = _choices(numbers.flag("use_qk_norm"), (False, True)) if arch == "glm4moe" else (False,)
    bias = _bias_choices(arch, numbers)
    router = _router_choices(arch, shape, numbers)
    layers = _layer_choices(arch, shape)
    state_norm = (False, True) if arch == "falcon-h1" else (True,)
    own_embedding = (True, False) if arch == "glm4moe" else (False,)
    # Files from before May 2025 keep both up-projections of latent attention in one matrix.
    one_matrix = (True, False) if numbers.get("gguf_tensor_count") is not None else (True,)
    split = _choices(numbers.flag("mla_split"), one_matrix if plain.latent else (True,))
    return tuple(
        replace(
            base,
            has_rope_factors=has_rope,
            has_qk_norm=has_norm,
            has_qkv_bias=has_bias,
            has_expert_bias=has_router,
            layers=count,
            mtp_layers=mtp_layers,
            kv_heads=plain.kv_heads[:count],
            is_recurrent=plain.is_recurrent[:count],
            has_state_norm=has_norms,
            has_split_latent=is_split,
            has_mtp_embedding=has_own,
        )
        for base, (count, mtp_layers), has_router, has_rope, has_norm, has_bias in product(
            _expert_choices(plain, numbers), layers, router, rope, norm, bias
        )
        for has_norms, is_split, has_own in product(state_norm, split, own_embedding)
    )


def _expert_choices(plain: LlamaShape, numbers: _Numbers) -> tuple[LlamaShape, ...]:
    """Which layers have experts, where the config may not say it."""
    if plain.arch == "deepseek2":
        counts = dict.fromkeys((plain.dense_layers, 1, 0))
        return tuple(replace(plain, dense_layers=count) for count in counts)
    if plain.arch == "llama4" and numbers.get("interleave_moe_layer_step") is None:
        # The dense layers of the published models are twice as wide as an expert.
        every_second = replace(plain, moe_step=2, width=2 * plain.expert_width)
        return (plain, every_second)
    return (plain,)


def _choices(stated: bool | None, otherwise: tuple[bool, ...]) -> tuple[bool, ...]:
    return otherwise if stated is None else (stated,)


def _rope_choices(arch: str, shape: ModelShape, numbers: _Numbers) -> tuple[bool, ...]:
    """Whether the file carries rope factors: llama 3.1 and later, phi-3 of long contexts."""
    if arch not in {"llama", "phi3", "llama4"}:
        return (False,)
    stated = numbers.flag("rope_factors")
    if stated is not None:
        return (stated,)
    return (False, True)


def _bias_choices(arch: str, numbers: _Numbers) -> tuple[bool, ...]:
    if arch in {"qwen2", "qwen2moe", "gpt-oss"}:
        return (True,)
    if arch == "glm4moe":
        return _choices(numbers.flag("attention_bias"), (True, False))
    if arch == "llama":
        return _choices(numbers.flag("attention_bias"), (False,))
    return (False,)


def _router_choices(arch: str, shape: ModelShape, numbers: _Numbers) -> tuple[bool, ...]:
    if arch in {"glm4moe", "minimax-m2"}:
        return (True,)
    if arch != "deepseek2":
        return (False,)
    stated = numbers.flag("has_expert_bias")
    if stated is not None:
        return (stated,)
    is_old = shape.architecture == "DeepseekV2ForCausalLM"
    return (False, True) if is_old else (True, False)


def _layer_choices(arch: str, shape: ModelShape) -> tuple[tuple[int, int], ...]:
    """Layers and MTP layers in the file: glm4moe keeps them, converters of others left them out.

    Some sources count the MTP layers among the layers, most do not.
    """
    count, mtp = shape.num_layers or 0, shape.num_mtp_layers
    if arch != "glm4moe":
        return ((count, 0),)
    return tuple(dict.fromkeys(((count, mtp), (count - mtp, mtp), (count, 0), (count, 1))))
