"""What TensorRT-LLM's words mean: hardware rows, precisions, features, models."""

import re
from collections.abc import Sequence

from ingest.contract import StatementStatus
from ingest.reading.document import fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

# "." is the page's sign for a combination that it does not list; it is never a no.
PRECISION_SIGNS = StatusTable(
    {
        "y": StatementStatus.SUPPORTED,
        ".": StatementStatus.NOT_STATED,
        "n": StatementStatus.UNSUPPORTED,
    }
)
FEATURE_WORDS = StatusTable(
    {
        "yes": StatementStatus.SUPPORTED,
        "no": StatementStatus.UNSUPPORTED,
        "untested": StatementStatus.UNTESTED,
        "n/a": StatementStatus.NOT_APPLICABLE,
        "known issues": StatementStatus.KNOWN_ISSUES,
        "---": StatementStatus.NOT_APPLICABLE,
    }
)

# A column may speak about weights, or about the cache ("FP8 KV Cache").
PRECISIONS: dict[str, tuple[Axis, str]] = {
    "fp32": (Axis.QUANTIZATION, "fp32"),
    "fp16": (Axis.QUANTIZATION, "fp16"),
    "bf16": (Axis.QUANTIZATION, "bf16"),
    "fp8": (Axis.QUANTIZATION, "fp8"),
    "fp4": (Axis.QUANTIZATION, "nvfp4"),
    "nvfp4": (Axis.QUANTIZATION, "nvfp4"),
    "mxfp4": (Axis.QUANTIZATION, "mxfp4"),
    "int8": (Axis.QUANTIZATION, "int8"),
    "int4": (Axis.QUANTIZATION, "int4"),
    "fp8(per tensor)": (Axis.QUANTIZATION, "fp8-w8a8-tensor"),
    "fp8(block scaling)": (Axis.QUANTIZATION, "fp8-w8a8-block"),
    "fp8(rowwise)": (Axis.QUANTIZATION, "fp8-w8a8-row"),
    "fp8 blockwise": (Axis.QUANTIZATION, "fp8-w8a8-block"),
    "fp8 kv cache": (Axis.KV_DTYPE, "kv-fp8"),
    "w8a8 sq": (Axis.QUANTIZATION, "smoothquant"),
    "w8a16": (Axis.QUANTIZATION, "int8-w8a16"),
    "w4a16": (Axis.QUANTIZATION, "int4-w4a16"),
    "w4a8 awq": (Axis.QUANTIZATION, "awq-w4a8"),
    "w4a16 awq": (Axis.QUANTIZATION, "awq-w4a16"),
    "w4a8 gptq": (Axis.QUANTIZATION, "gptq-w4a8"),
    "w4a16 gptq": (Axis.QUANTIZATION, "gptq-w4a16"),
}
WEIGHT_ONLY_SLUGS = frozenset({"int8-w8a16", "int4-w4a16", "awq-w4a16", "gptq-w4a16"})

FEATURES: dict[str, str] = {
    "overlap scheduler": "overlap-scheduler",
    "cuda graph": "cuda-graphs",
    "tensor parallelism": "tensor-parallel",
    "pipeline parallelism": "pipeline-parallel",
    "expert parallelism": "expert-parallel",
    "helix parallelism": "helix-parallel",
    "attention data parallelism": "attention-dp",
    "disaggregated serving": "disaggregated-prefill",
    "epd disaggregated serving": "epd-disaggregation",
    "chunked prefill": "chunked-prefill",
    "mtp": "mtp",
    "eagle-3 — linear": "eagle3-linear",
    "eagle-3 — dynamic": "eagle3-dynamic",
    "eagle-3(one model engine)": "eagle3",
    "eagle-3(two model engine)": "eagle3-two-model",
    "dflash": "dflash",
    "speculative decoding — linear": "eagle3-linear",
    "speculative decoding — dynamic trees": "eagle3-dynamic",
    "speculative decoding — legacy path (ngram, user-provided)": "ngram",
    "torch sampler": "torch-sampler",
    "tllm c++ sampler": "cpp-sampler",
    "kv cache reuse": "prefix-caching",
    "sliding window attention": "sliding-window",
    "logits post processor": "logits-processors",
    "guided decoding": "structured-output",
    "lora": "lora",
    "teacache": "teacache",
    "cfg parallelism": "cfg-parallel",
    "ulysses parallelism": "ulysses-parallel",
    "parallel vae": "parallel-vae",
    "torch.compile": "torch-compile",
    "trtllm-serve": "openai-api",
    "attention2d": "attention-2d",
    "ring attention": "ring-attention",
}
MODALITIES = {
    "i": "multimodal-image",
    "v": "multimodal-video",
    "a": "multimodal-audio",
}

# Words that name a family's first generation here, because later ones have rows of their own.
MODELS: dict[str, tuple[str, ...]] = {
    "llama": ("llama-1",),
    "mistral": ("mistral-7b",),
    "qwen": ("qwen-1",),
    "gemma": ("gemma-1",),
    "phi": ("phi-1.5", "phi-2"),
    "internlm": ("internlm-1",),
    "exaone": ("exaoneforcausallm",),
    "nemotron": ("nemotronforcausallm",),
}

ARCHITECTURES = {
    "volta": "nvidia-volta",
    "turing": "nvidia-turing",
    "ampere": "nvidia-ampere",
    "ada": "nvidia-ada",
    "ada lovelace": "nvidia-ada",
    "ada-lovelace": "nvidia-ada",
    "hopper": "nvidia-hopper",
    "blackwell": "nvidia-blackwell",
}
# Compute capabilities that the pages name as "SMnn"; a floor "SM >= 89" refuses those below it.
SM_NUMBERS = (50, 52, 60, 61, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121)
_SM_LIST = re.compile(r"sm\s*(\d{2,3}(?:\s*/\s*\d{2,3})*)", re.IGNORECASE)
_ARCHITECTURE = re.compile(
    r"^(volta|turing|ampere|ada[ -]lovelace|ada|hopper|blackwell)\b", re.IGNORECASE
)
_NOISE = re.compile(r"^NVIDIA\s+|\s+(?:GPUs?|Architecture)$", re.IGNORECASE)


def read_sm_numbers(text: str) -> tuple[int, ...]:
    """The compute capabilities that a text names: "SM80, SM86", "sm100/103", "SM90/SM100"."""
    numbers: list[int] = []
    for found in _SM_LIST.finditer(text):
        numbers.extend(int(number) for number in re.findall(r"\d+", found.group(1)))
    return tuple(dict.fromkeys(numbers))


def sm_slugs(numbers: Sequence[int]) -> frozenset[str]:
    """The hardware nodes of compute capabilities."""
    return frozenset(f"nvidia-sm-{number}" for number in numbers)


def architecture_row(word: str, at: Locator, collector: Collector) -> Facet:
    """The hardware of a row such as "Ampere (SM80, SM86)", "Blackwell(sm100/103)" or "Hopper"."""
    numbers = read_sm_numbers(word)
    if numbers:
        return facet_of(Axis.HARDWARE, word, *sm_slugs(numbers))
    slug = ARCHITECTURES.get(fold_label(word))
    if slug:
        return facet_of(Axis.HARDWARE, word, slug)
    return collector.facet(Axis.HARDWARE, word, at)


def device(word: str, at: Locator, collector: Collector) -> Facet:
    """The hardware of a product name such as "NVIDIA Hopper H100 GPU" or an architecture's."""
    short = word
    while (shorter := _NOISE.sub("", short).strip()) != short:
        short = shorter
    if slug := ARCHITECTURES.get(fold_label(short)):
        return facet_of(Axis.HARDWARE, word, slug)
    rest = _ARCHITECTURE.sub("", short).strip()
    for name in (short, rest):
        found = collector.vocabulary.find(Axis.HARDWARE, name) if name else ()
        if found:
            return Facet(axis=Axis.HARDWARE, word=word, slugs=frozenset(found))
    return collector.facet(Axis.HARDWARE, word, at)


def precision(word: str, at: Locator, collector: Collector) -> Facet:
    """What a precision column or word states: a weight scheme or a cache type."""
    axis, slug = PRECISIONS.get(fold_label(word), (Axis.QUANTIZATION, ""))
    if slug:
        return facet_of(axis, word, slug)
    return collector.facet(axis, word, at)


def feature(word: str, at: Locator, collector: Collector) -> Facet:
    """The feature of a matrix column or row."""
    slug = FEATURES.get(fold_label(word))
    if slug:
        return facet_of(FEATURE, word, slug)
    return collector.facet(FEATURE, word, at)


def models(word: str, at: Locator, collector: Collector) -> list[Facet]:
    """The models that a word names; "GLM/ChatGLM/GLM-4" are three, an unknown word is one."""
    names = [part.strip() for part in re.split(r"/|, ", word) if part.strip()]
    whole = collector.vocabulary.find(Axis.MODEL, word)
    known = [
        n for n in names if collector.vocabulary.find(Axis.MODEL, n) or fold_label(n) in MODELS
    ]
    if whole or len(names) < 2 or not known or " w/ " in word:
        names = [word]
    return [
        part
        for name in names
        for part in collector.split(collector.facet(Axis.MODEL, name, at, table=MODELS))
    ]
