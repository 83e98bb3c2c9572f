"""What SGLang's words mean: quantization methods, platform columns, attention backends."""

import re

from ingest.contract import StatementStatus
from ingest.reading.document import fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.coordinates import NodeSet
from matrix.domain.levels import Axis

PLATFORM_WORDS = StatusTable(
    {
        "yes": StatementStatus.SUPPORTED,
        "no": StatementStatus.UNSUPPORTED,
        "wip": StatementStatus.WORK_IN_PROGRESS,
        "partial": StatementStatus.PARTIAL,
        "experimental": StatementStatus.EXPERIMENTAL,
    }
)
SYMBOLS = StatusTable(
    {
        "✅": StatementStatus.SUPPORTED,
        "❌": StatementStatus.UNSUPPORTED,
        "n/a": StatementStatus.NOT_APPLICABLE,
        "-": StatementStatus.NOT_STATED,
        "🚧": StatementStatus.WORK_IN_PROGRESS,
    }
)
# Ascend pages: words and letters, coloured in some versions; the colour repeats the word.
ASCEND_SIGNS = StatusTable(
    {
        "√": StatementStatus.SUPPORTED,
        "✅": StatementStatus.SUPPORTED,
        "x": StatementStatus.UNSUPPORTED,
        "❌": StatementStatus.UNSUPPORTED,
        "tbd": StatementStatus.UNKNOWN,
        "wip": StatementStatus.WORK_IN_PROGRESS,
    }
)
COMBINATION_SIGNS = StatusTable(
    {
        "🟢": StatementStatus.SUPPORTED,
        "🟠": StatementStatus.PARTIAL,
        "❌": StatementStatus.UNSUPPORTED,
        "❔": StatementStatus.UNKNOWN,
    }
)

METHODS: dict[str, tuple[str, ...]] = {
    "fp8": ("fp8",),
    "mxfp4": ("mxfp4",),
    "mxfp8": ("mxfp8",),
    "mxfp8 (diffusion)": ("mxfp8",),
    "mxfp_w4a8": ("mxfp4-w4a8",),
    "blockwise_int8": ("int8-w8a8-block",),
    "w8a8_int8": ("int8-w8a8",),
    "w8a8_fp8": ("fp8-w8a8-row",),
    "awq": ("awq",),
    "gptq": ("gptq",),
    "compressed-tensors": ("compressed-tensors",),
    "quark": ("quark",),
    "auto-round": ("auto-round",),
    "auto-round-int8": ("auto-round-int8",),
    "quark_int4fp8_moe": ("quark-int4fp8-moe",),
    "awq_marlin": ("awq-marlin",),
    "gptq_marlin": ("gptq-marlin",),
    "gguf": ("gguf",),
    "modelopt / modelopt_fp8": ("modelopt-fp8",),
    # The ModelOpt FP4 method is how NVFP4 checkpoints run, so both names mean it.
    "modelopt_fp4": ("modelopt-fp4", "nvfp4"),
    "nvfp4_online": ("nvfp4-per-token",),
    "petit_nvfp4": ("petit-nvfp4",),
    "bitsandbytes": ("bitsandbytes",),
    "torchao (int4wo, etc.)": ("torchao",),
    "modelslim": ("modelslim",),
    "bf16": ("bf16",),
}
# A vendor-wide "Yes" is not a yes for every card the vendor ever built. These floors are the
# methods' own minimum compute capabilities; below them the table's yes is not taken.
FLOORS: dict[str, int] = {
    "fp8": 80,
    "mxfp4": 90,
    "blockwise_int8": 80,
    "w8a8_fp8": 89,
    "awq_marlin": 80,
    "gptq_marlin": 80,
}
LOWEST = 75
# Methods whose kernels for NVIDIA stop at Hopper; a vendor-wide "Yes" leaves newer cards open.
CEILINGS: dict[str, frozenset[str]] = {"w8a8_int8": frozenset({"nvidia-blackwell"})}
# The Marlin loaders are rows of their own with a floor of their own.
OTHER_LOADERS: dict[str, frozenset[str]] = {
    "awq": frozenset({"awq-marlin"}),
    "gptq": frozenset({"gptq-marlin"}),
}
BELOW: dict[int, frozenset[str]] = {
    75: frozenset({"nvidia-kepler", "nvidia-maxwell", "nvidia-pascal", "nvidia-volta"}),
}
BELOW[80] = BELOW[75] | {"nvidia-turing"}
BELOW[89] = BELOW[80] | {"nvidia-ampere"}
BELOW[90] = BELOW[89] | {"nvidia-ada"}
BELOW[100] = BELOW[90] | {"nvidia-hopper"}
FROM: dict[int, tuple[str, ...]] = {
    75: ("nvidia-turing", "nvidia-ampere", "nvidia-ada", "nvidia-hopper", "nvidia-blackwell"),
    80: ("nvidia-ampere", "nvidia-ada", "nvidia-hopper", "nvidia-blackwell"),
    89: ("nvidia-ada", "nvidia-hopper", "nvidia-blackwell"),
    90: ("nvidia-hopper", "nvidia-blackwell"),
    100: ("nvidia-blackwell",),
}
_FLOOR = re.compile(r"SM\s*(\d{2,3})\s*\+", re.IGNORECASE)
_SPAN = re.compile(r"SM\s*(\d{2,3})\s*-\s*SM\s*(\d{2,3})", re.IGNORECASE)
_SM = re.compile(r"SM\s*(\d{2,3}(?:\s*/\s*(?:SM)?\d{2,3})*)", re.IGNORECASE)

BACKENDS: dict[str, str] = {
    "flashinfer": "flashinfer",
    "fa3": "flash-attention-3",
    "fa3 (flashattention 3)": "flash-attention-3",
    "fa4": "flash-attention-4",
    "fa4 (flashattention 4)": "flash-attention-4",
    "triton": "triton-attention",
    "torch native": "torch-sdpa",
    "torch native (sdpa)": "torch-sdpa",
    "flexattention (pytorch)": "flex-attention",
    "trtllm mha": "trtllm-mha",
    "dual chunk flashattention": "dual-chunk-attention",
    "hpc-ops": "hpc-ops-attention",
    "aiter (rocm)": "rocm-aiter",
    "wave": "wave-attention",
    "wave (rocm)": "wave-attention",
    "ascend": "ascend-attention",
    "ascend (npu)": "ascend-attention",
    "intel xpu": "xpu-attention",
    "intel amx (cpu)": "cpu-attention",
    "flashinfer mla": "flashinfer-mla",
    "flashmla": "flashmla",
    "cutlass mla": "cutlass-mla",
    "trtllm mla": "trtllm-mla",
    "trtllm mla (blackwell)": "trtllm-mla",
    "cutedsl mla (blackwell)": "cutedsl-mla",
    "tokenspeed mla (blackwell)": "tokenspeed-mla",
    "ascend mla (npu)": "ascend-mla",
    "flashattention (fa)": "flash-attention",
    "native": "torch-sdpa",
}


def _nvidia_from(floor: int) -> NodeSet:
    return NodeSet(include=frozenset({"nvidia"}), exclude=BELOW[floor])


# What an attention backend is built for. A yes of FlashInfer says nothing of an AMD card, and a no
# of Wave nothing of an NVIDIA card; backends that run anywhere are not restricted.
BACKEND_HARDWARE: dict[str, NodeSet] = {
    # FlashInfer starts on Turing, but what a table says of it was not said of Turing.
    "flashinfer": _nvidia_from(80),
    "flashinfer-mla": _nvidia_from(80),
    "dual-chunk-attention": _nvidia_from(80),
    "flash-attention-3": _nvidia_from(80),
    "flash-attention-4": _nvidia_from(90),
    "flashmla": _nvidia_from(90),
    "trtllm-mha": _nvidia_from(100),
    "trtllm-mla": _nvidia_from(100),
    "cutlass-mla": _nvidia_from(100),
    "cutedsl-mla": _nvidia_from(100),
    "tokenspeed-mla": _nvidia_from(100),
    "rocm-aiter": NodeSet(include=frozenset({"amd-cdna3", "amd-cdna4"})),
    "wave-attention": NodeSet(include=frozenset({"amd-cdna3", "amd-cdna4"})),
    "ascend-attention": NodeSet(include=frozenset({"ascend-a2", "ascend-a3"})),
    "ascend-mla": NodeSet(include=frozenset({"ascend-a2", "ascend-a3"})),
    "xpu-attention": NodeSet(include=frozenset({"intel-arc-b-series", "intel-arc-pro-b-series"})),
    "cpu-attention": NodeSet(include=frozenset({"cpu-x86-amx"})),
}
ATTENTION_COLUMNS: dict[str, tuple[Axis | str, str]] = {
    "page size > 1": (FEATURE, "paged-kv"),
    "page size > 1 (native)": (FEATURE, "paged-kv"),
    "paged attention": (FEATURE, "paged-kv"),
    "fp8 kv cache": (Axis.KV_DTYPE, "kv-fp8"),
    "fp4 kv cache": (Axis.KV_DTYPE, "kv-fp4"),
    "spec decoding": (FEATURE, "speculative-decoding"),
    "spec topk=1": (FEATURE, "spec-topk-1"),
    "spec topk>1": (FEATURE, "spec-topk-n"),
    "mla": (FEATURE, "mla"),
    "sliding window": (FEATURE, "sliding-window"),
    "multimodal": (FEATURE, "multimodal"),
    "chunked prefix cache": (FEATURE, "chunked-prefix-cache"),
}


# Bare names of the list of 2024 and of the TPU page, where the first generation is meant.
MODELS: dict[str, tuple[str, ...]] = {
    "llama": ("llama-1",),
    "mistral": ("mistral-7b",),
    "gemma": ("gemma-1",),
    "qwen": ("qwen-1",),
    "qwen 2 moe": ("qwen2-moe",),
    "deepseek": ("deepseek-llm",),
    "deepseek 2": ("deepseek-v2",),
    "grok": ("grok-1",),
    "llama 3.2": ("llama-3.2-text",),
}


def method(word: str, at: Locator, collector: Collector) -> Facet:
    """The quantization scheme of a method name."""
    own = METHODS.get(fold_label(word))
    if own:
        # The first slug names the statement; a method that means two keeps one key.
        return facet_of(Axis.QUANTIZATION, word, *own, key=own[0])
    return collector.facet(Axis.QUANTIZATION, word, at)


def attention_backend(word: str, at: Locator, collector: Collector) -> Facet:
    """The attention backend of a row."""
    slug = BACKENDS.get(fold_label(word))
    if slug:
        return facet_of(Axis.ATTENTION_BACKEND, word, slug)
    return collector.facet(Axis.ATTENTION_BACKEND, word, at)


def nvidia_of(text: str) -> frozenset[str]:
    """NVIDIA nodes that a text names by compute capability: "SM90+", "SM80-SM90", "SM100/120"."""
    slugs: set[str] = set()
    rest = text
    for match in _SPAN.finditer(text):
        low, high = int(match.group(1)), int(match.group(2))
        slugs |= set(FROM.get(low, ())) - set(FROM.get(high + 10, FROM[100]))
        rest = rest.replace(match.group(), "")
    for match in _FLOOR.finditer(rest):
        slugs |= set(FROM.get(int(match.group(1)), ()))
        rest = rest.replace(match.group(), "")
    for match in _SM.finditer(rest):
        slugs |= {f"nvidia-sm-{number}" for number in re.findall(r"\d{2,3}", match.group(1))}
    return frozenset(slugs)


def floor_of(text: str) -> int | None:
    """The compute capability below which a text lets nothing pass ("Hopper/SM90+" is 90)."""
    match = _FLOOR.search(text)
    return int(match.group(1)) if match and int(match.group(1)) in BELOW else None
