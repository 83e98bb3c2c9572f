"""How each architecture lays out its layers: what a hub config leaves to the model's own code.

A row says which rule makes the layers' cache, what is done where ``head_dim`` is absent, which
architecture of llama.cpp the model becomes, and the few differences in its weights.
**Source**: the modelling code of transformers 4.57–5.24 and the conversion classes of llama.cpp
at 0c1e57098, read for each row; parameter counts were checked against public checkpoints.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class LayerRule(StrEnum):
    """How the layers' attention kinds follow from a config."""

    FULL = "full"
    WINDOW_ON_ALL = "window-on-all"  # sliding everywhere where a window is set
    WINDOW_IF_USED = "window-if-used"  # the window counts with ``use_sliding_window`` only
    EVEN_SLIDING = "even-sliding"  # layers 0, 2, 4 … slide
    LAST_OF_SIX_FULL = "last-of-six-full"  # by ``sliding_window_pattern``, 6 where it is absent
    LAST_OF_FOUR_FULL = "last-of-four-full"  # chunked attention but for each fourth layer
    FULL_EVERY_INTERVAL = "full-every-interval"  # linear attention but for each n-th layer
    BY_LAYER_TYPES = "by-layer-types"  # the config must list them
    TWO_HEAD_SIZES = "two-head-sizes"  # full layers have head counts and sizes of their own
    MIXED_WINDOW = "mixed-window"  # ``hybrid_layer_pattern`` with ``swa_`` sizes
    LATENT = "latent"
    LATENT_AND_LINEAR = "latent-and-linear"
    MAMBA_PATTERN = "mamba-pattern"
    MAMBA_AND_ATTENTION = "mamba-and-attention"  # both in every layer
    MAMBA_ONLY = "mamba-only"
    CONV_AND_ATTENTION = "conv-and-attention"
    BLOCK_CONFIGS = "block-configs"  # each layer states its own
    ENCODER = "encoder"
    UNKNOWN = "unknown"


class Mixer(StrEnum):
    """What the attention weights of a layer consist of."""

    GROUPED = "grouped"
    LATENT = "latent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Architecture:
    """One row; ``weights_known`` is off where the sum of parameters cannot be told from a config.

    ``head_over_heads``: the model's code takes hidden size / heads where ``head_dim`` is absent.
    ``tied_by_default``: what an absent ``tie_word_embeddings`` means in the model's config class.
    ``norms`` are norm vectors of hidden size in one layer.
    """

    model_types: tuple[str, ...]
    classes: tuple[str, ...]
    rule: LayerRule
    llamacpp_arch: str = ""
    head_over_heads: bool = False
    tied_by_default: bool = False
    mixer: Mixer = Mixer.GROUPED
    weights_known: bool = True
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: bool = False
    gated_query: bool = False
    gated_mlp: bool = True
    norms: int = 2
    experts_only_schemes: tuple[str, ...] = ()


_R = LayerRule
ARCHITECTURES: tuple[Architecture, ...] = (
    Architecture(
        ("llama", "yi", "aquila"), ("LlamaForCausalLM", "AquilaForCausalLM"), _R.FULL, "llama",
        head_over_heads=True,
    ),
    Architecture(
        ("mistral", "ministral"), ("MistralForCausalLM", "Mistral3ForConditionalGeneration"),
        _R.WINDOW_ON_ALL, "llama", head_over_heads=True,
    ),
    Architecture(
        ("mixtral",), ("MixtralForCausalLM",), _R.WINDOW_ON_ALL, "llama", head_over_heads=True,
    ),
    Architecture(
        ("qwen2", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "dots_ocr"),
        ("Qwen2ForCausalLM", "Qwen2VLForConditionalGeneration", "DotsOCRForCausalLM",
         "Qwen2_5_VLForConditionalGeneration"),
        _R.WINDOW_IF_USED, "qwen2", head_over_heads=True, qkv_bias=True,
    ),
    Architecture(
        ("qwen2_moe",), ("Qwen2MoeForCausalLM",), _R.WINDOW_IF_USED, "qwen2moe",
        head_over_heads=True, qkv_bias=True,
    ),
    Architecture(
        ("qwen3", "qwen3_vl", "qwen3_vl_text"),
        ("Qwen3ForCausalLM", "Qwen3Model", "Qwen3ForSequenceClassification",
         "Qwen3VLForConditionalGeneration"),
        _R.WINDOW_IF_USED, "qwen3", qk_norm=True,
    ),
    Architecture(
        ("qwen3_moe", "qwen3_vl_moe", "qwen3_vl_moe_text"),
        ("Qwen3MoeForCausalLM", "Qwen3VLMoeForConditionalGeneration"),
        _R.WINDOW_IF_USED, "qwen3moe", qk_norm=True,
    ),
    Architecture(
        ("qwen3_next",), ("Qwen3NextForCausalLM",), _R.FULL_EVERY_INTERVAL, "qwen3next",
        qk_norm=True, gated_query=True,
    ),
    Architecture(
        ("qwen3_5", "qwen3_5_text"), ("Qwen3_5ForConditionalGeneration", "Qwen3_5ForCausalLM"),
        _R.FULL_EVERY_INTERVAL, "qwen35", qk_norm=True, gated_query=True,
    ),
    Architecture(
        ("qwen3_5_moe", "qwen3_5_moe_text"),
        ("Qwen3_5MoeForConditionalGeneration", "Qwen3_5MoeForCausalLM"),
        _R.FULL_EVERY_INTERVAL, "qwen35moe", qk_norm=True, gated_query=True,
    ),
    Architecture(("gemma",), ("GemmaForCausalLM",), _R.FULL, "gemma", tied_by_default=True),
    Architecture(
        ("gemma2",), ("Gemma2ForCausalLM",), _R.EVEN_SLIDING, "gemma2",
        tied_by_default=True, norms=4,
    ),
    Architecture(
        ("gemma3", "gemma3_text"), ("Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"),
        _R.LAST_OF_SIX_FULL, "gemma3", tied_by_default=True, norms=4, qk_norm=True,
    ),
    Architecture(
        ("gemma4", "gemma4_text"), ("Gemma4ForConditionalGeneration", "Gemma4ForCausalLM"),
        _R.TWO_HEAD_SIZES, "gemma4", tied_by_default=True, norms=4, qk_norm=True,
    ),
    Architecture(
        ("phi3", "phi4mm"), ("Phi3ForCausalLM", "Phi4MMForCausalLM"), _R.WINDOW_ON_ALL, "phi3",
        head_over_heads=True,
    ),
    Architecture(
        ("gpt_oss",), ("GptOssForCausalLM",), _R.EVEN_SLIDING, "gpt-oss",
        qkv_bias=True, output_bias=True, experts_only_schemes=("mxfp4", "int4"),
    ),
    Architecture(
        ("deepseek_v2",), ("DeepseekV2ForCausalLM",), _R.LATENT, "deepseek2", mixer=Mixer.LATENT,
    ),
    Architecture(
        ("deepseek_v3",), ("DeepseekV3ForCausalLM",), _R.LATENT, "deepseek2",
        mixer=Mixer.LATENT,
    ),
    Architecture(
        ("kimi_k2", "kimi_k25"), ("KimiK25ForConditionalGeneration", "KimiK2ForCausalLM"),
        _R.LATENT, "deepseek2", mixer=Mixer.LATENT, experts_only_schemes=("int4",),
    ),
    Architecture(
        ("deepseek_v32",), ("DeepseekV32ForCausalLM",), _R.LATENT, "deepseek32",
        mixer=Mixer.LATENT,
    ),
    Architecture(
        ("deepseek_v4", "deepseek_ref"), ("DeepseekV4ForCausalLM",), _R.UNKNOWN, "deepseek4",
        mixer=Mixer.UNKNOWN, weights_known=False,
    ),
    Architecture(
        ("glm4_moe",), ("Glm4MoeForCausalLM",), _R.FULL, "glm4moe", qkv_bias=True,
    ),
    Architecture(
        ("glm4_moe_lite",), ("Glm4MoeLiteForCausalLM",), _R.LATENT, "deepseek2",
        mixer=Mixer.LATENT,
    ),
    Architecture(
        ("glm_moe_dsa",), ("GlmMoeDsaForCausalLM",), _R.LATENT, "glm-dsa", mixer=Mixer.LATENT,
    ),
    Architecture(
        ("kimi_linear", "kimi_k3"), ("KimiLinearForCausalLM", "KimiK3ForConditionalGeneration"),
        _R.LATENT_AND_LINEAR, "kimi-linear", mixer=Mixer.UNKNOWN, weights_known=False,
        experts_only_schemes=("mxfp4",),
    ),
    Architecture(
        ("minimax_m2",), ("MiniMaxM2ForCausalLM",), _R.FULL, "minimax-m2", qk_norm=True,
        weights_known=True,
    ),
    Architecture(
        ("minimax_m3", "minimax_m3_vl"),
        ("MiniMaxM3ForCausalLM", "MiniMaxM3SparseForCausalLM",
         "MiniMaxM3SparseForConditionalGeneration"),
        _R.FULL, qk_norm=True, weights_known=False,
    ),
    Architecture(
        ("nemotron_h",), ("NemotronHForCausalLM",), _R.MAMBA_PATTERN, "nemotron_h",
        gated_mlp=False,
    ),
    Architecture(
        ("llama4", "llama4_text"), ("Llama4ForConditionalGeneration", "Llama4ForCausalLM"),
        _R.LAST_OF_FOUR_FULL, "llama4",
    ),
    Architecture(
        ("nemotron-nas", "deci"), ("DeciLMForCausalLM",), _R.BLOCK_CONFIGS, "deci",
        head_over_heads=True, weights_known=False,
    ),
    Architecture(
        ("lfm2",), ("Lfm2ForCausalLM",), _R.CONV_AND_ATTENTION, "lfm2", head_over_heads=True,
        tied_by_default=True, qk_norm=True, weights_known=False,
    ),
    Architecture(
        ("falcon_h1",), ("FalconH1ForCausalLM",), _R.MAMBA_AND_ATTENTION, "falcon-h1",
        head_over_heads=True, weights_known=False,
    ),
    Architecture(
        ("mamba2",), ("Mamba2ForCausalLM",), _R.MAMBA_ONLY, "mamba2", weights_known=False,
    ),
    Architecture(
        ("mimo",), ("MiMoForCausalLM",), _R.WINDOW_IF_USED, "qwen2", qkv_bias=True,
        head_over_heads=True,
    ),
    Architecture(
        ("mimo_v2_flash",), ("MiMoV2FlashForCausalLM",), _R.MIXED_WINDOW, "mimo2",
        weights_known=False,
    ),
    Architecture(
        ("step3p5", "step3p7"), ("Step3p5ForCausalLM", "Step3p7FlashForCausalLM",
                                 "Step3p7ForConditionalGeneration"),
        _R.BY_LAYER_TYPES, "step35", qk_norm=True, weights_known=False,
    ),
    Architecture(
        ("olmo2",), ("Olmo2ForCausalLM",), _R.FULL, "olmo2", head_over_heads=True,
        weights_known=False,
    ),
    Architecture(
        ("olmo3",), ("Olmo3ForCausalLM",), _R.BY_LAYER_TYPES, "olmo2", head_over_heads=True,
        weights_known=False,
    ),
    Architecture(
        ("granite",), ("GraniteForCausalLM",), _R.FULL, "granite", head_over_heads=True,
    ),
    Architecture(
        ("cohere",), ("CohereForCausalLM",), _R.FULL, "command-r", head_over_heads=True,
        tied_by_default=True, weights_known=False,
    ),
    Architecture(
        ("internlm2", "internlm3"), ("InternLM2ForCausalLM", "InternLM3ForCausalLM"), _R.FULL,
        "internlm2", head_over_heads=True,
    ),
    Architecture(
        ("opt", "gpt2", "gpt_neox", "gptj", "bloom", "starcoder2", "stablelm", "phi",
         "gpt_bigcode", "exaone", "nemotron", "glm4", "glm"),
        ("OPTForCausalLM", "GPT2LMHeadModel", "GPTNeoXForCausalLM", "GPTJForCausalLM",
         "BloomForCausalLM", "Starcoder2ForCausalLM", "StableLmForCausalLM", "PhiForCausalLM",
         "ExaoneForCausalLM", "NemotronForCausalLM", "Glm4ForCausalLM", "GlmForCausalLM"),
        _R.FULL, head_over_heads=True, weights_known=False,
    ),
    Architecture(
        ("bert", "roberta", "xlm-roberta", "nomic_bert", "modernbert", "distilbert", "albert",
         "deberta-v2", "electra", "mpnet", "new", "gte"),
        ("BertModel", "BertForSequenceClassification", "BertForTokenClassification",
         "BertForMaskedLM", "RobertaModel", "RobertaForSequenceClassification",
         "RobertaForTokenClassification", "RobertaForMaskedLM", "XLMRobertaModel",
         "XLMRobertaForSequenceClassification", "XLMRobertaForTokenClassification",
         "NomicBertModel", "ModernBertModel", "ModernBertForSequenceClassification"),
        _R.ENCODER, "bert", head_over_heads=True, weights_known=False,
    ),
)  # fmt: skip


def _by_word() -> Mapping[str, Architecture]:
    found: dict[str, Architecture] = {}
    for row in ARCHITECTURES:
        for word in (*row.model_types, *row.classes):
            found.setdefault(word.lower(), row)
    return MappingProxyType(found)


_BY_WORD = _by_word()


def architecture_of(*words: str) -> Architecture | None:
    """The row of the first word that is a model type or a class name; case does not matter."""
    for word in words:
        row = _BY_WORD.get(word.strip().lower())
        if row is not None:
            return row
    return None
