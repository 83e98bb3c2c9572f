"""Which service features are shown, in which groups, and words of their facts."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

SERVICE_FRAMEWORKS = ("vllm", "sglang", "tensorrt-llm", "tgi", "llama.cpp")


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """A group of service features in the order in which they are shown."""

    code: str
    title: Promise
    features: tuple[str, ...]


FEATURE_GROUPS: tuple[FeatureGroup, ...] = (
    FeatureGroup(
        "interfaces",
        _("Interfaces"),
        (
            "openai-api", "openai-chat", "openai-completions", "openai-responses",
            "openai-embeddings", "anthropic-messages", "streaming",
        ),
    ),
    FeatureGroup(
        "scheduling",
        _("Scheduling and cache"),
        (
            "continuous-batching", "chunked-prefill", "paged-kv", "prefix-caching", "kv-offload",
            "kv-cache-dtype", "speculative-decoding",
        ),
    ),
    FeatureGroup(
        "parallelism",
        _("Several devices"),
        (
            "tensor-parallel", "pipeline-parallel", "expert-parallel", "data-parallel",
            "context-parallel", "sequence-parallel", "disaggregated-prefill", "multi-node",
        ),
    ),
    FeatureGroup(
        "output",
        _("Output"),
        (
            "structured-output", "json-schema-output", "grammar-output", "regex-output",
            "tool-calling", "reasoning-parser", "logprobs",
        ),
    ),
    FeatureGroup(
        "models",
        _("Adapters and kinds of models"),
        ("lora", "multi-lora", "lora-dynamic", "multimodal-image", "embeddings", "reranking"),
    ),
    FeatureGroup(
        "observability",
        _("Observability"),
        ("health-endpoints", "health-metrics", "tracing", "request-logging"),
    ),
    FeatureGroup(
        "tenancy",
        _("Tenancy and isolation"),
        (
            "api-keys", "request-priority", "admission-limit", "rate-limits", "cache-salting",
            "tls",
        ),
    ),
    FeatureGroup(
        "upgrades",
        _("Upgrades and pauses"),
        ("graceful-drain", "rolling-upgrade", "weight-reload", "sleep-mode"),
    ),
)  # fmt: skip

# The paths by which TensorRT-LLM takes a model, in the order in which they came to be the default.
MODEL_PATHS = ("engine-pytorch", "engine-autodeploy", "engine-tensorrt")
# What their facts say in words, so that each has a translation; others are shown as they are.
PATH_WORDS = (
    gettext_noop("trtllm-serve on a Hugging Face checkpoint"),
    gettext_noop("trtllm-serve on a built engine"),
    gettext_noop("trtllm-serve --backend _autodeploy on a Hugging Face checkpoint"),
    gettext_noop("GPU architecture"),
    gettext_noop("maximum batch size"),
    gettext_noop("maximum input length"),
    gettext_noop("maximum output length"),
    gettext_noop("maximum beam width"),
)

# What computes attention, from the general to the particular.
ATTENTION_KERNELS = (
    "flash-attention", "flash-attention-1", "flash-attention-2", "flash-attention-3",
    "flash-attention-4", "paged-kv", "flashinfer", "trtllm-mha", "xqa", "triton-attention",
    "xformers", "torch-sdpa", "flex-attention", "cudnn-attention", "flashmla", "cutlass-mla",
    "flash-attn-mla", "flashinfer-mla", "trtllm-mla", "tokenspeed-mla", "cutedsl-mla", "triton-mla",
    "rocm-aiter", "rocm-aiter-fa", "rocm-aiter-unified", "rocm-aiter-mla", "rocm-attention",
    "wave-attention", "llamacpp-rocwmma", "ascend-attention", "xpu-attention", "cpu-attention",
    "ragged-paged-attention", "hpc-ops-attention",
)  # fmt: skip

NATURE_WORDS: Mapping[str, Promise] = {
    "algorithm": _("algorithm"),
    "kernel-library": _("library of kernels"),
    "kernel-set": _("kernels of a framework or library"),
    "memory-layout": _("memory layout"),
    "operator": _("operator of PyTorch"),
}

# A sentence for a node whose name is often taken for something else.
NATURE_NOTES: Mapping[str, Promise] = {
    "paged-kv": _(
        "PagedAttention names a layout of the cache in blocks, and vLLM's first kernel that read"
        " it. It is no rival of FlashAttention: FlashAttention and FlashInfer read paged caches"
        " too."
    ),
    "flash-attention": _(
        "FlashAttention names an algorithm that keeps the scores out of the device's memory. Its"
        " numbered versions are libraries of kernels, each made for other GPUs."
    ),
    "flashinfer": _(
        "FlashInfer is a library with several kernels behind one interface, kernels of TensorRT-LLM"
        " among them. Which one runs depends on the GPU."
    ),
    "trtllm-mha": _(
        "Made for TensorRT-LLM and shipped in FlashInfer as well, so other frameworks use them."
    ),
}


def nature_word(nature: object) -> str:
    """What a node is, in the reader's language; blank where its nature is not recorded."""
    word = NATURE_WORDS.get(str(nature))
    return str(word) if word is not None else ""
