"""What LMDeploy's words mean: models by name and size, columns, GPU series, engines."""

import re
from collections.abc import Mapping

from ingest.contract import StatementStatus
from ingest.reading.document import fold_label
from ingest.sources.collecting import Facet, facet_of
from ingest.sources.statuses import StatusTable
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind

TURBOMIND = "turbomind"
PYTORCH = "pytorch"

# The page explains "-" as not verified; a blank cell is explained nowhere.
SIGNS = StatusTable(
    {
        "yes": StatementStatus.SUPPORTED,
        "no": StatementStatus.UNSUPPORTED,
        "-": StatementStatus.UNTESTED,
    }
)

# Bare names of the lists; the sizes beside them leave no other generation.
MODELS: Mapping[str, tuple[str, ...]] = {
    "llama": ("llama-1",),
    "llama3.2": ("llama-3.2-text",),
    "internlm": ("internlm-1",),
    "mistral": ("mistral-7b",),
    "qwen": ("qwen-1",),
    "gemma": ("gemma-1",),
    "internvl": ("internvl-1.5",),
    "mllama": ("llama-3.2-vision",),
}
# A name whose sizes reach up to a mixture of experts covers that family as well.
_WITH_MOE: Mapping[str, tuple[str, str]] = {
    "qwen3": ("235b", "qwen3-moe"),
    "qwen3.5": ("397b", "qwen3.5-moe"),
    "qwen3-vl": ("235b", "qwen3-vl-moe"),
}
# Rows of one name and different sizes speak about the checkpoints of that size.
_BY_SIZE: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("baichuan2", "7b"): (
        "baichuan-inc--baichuan2-7b-base",
        "baichuan-inc--baichuan2-7b-chat",
    ),
    ("baichuan2", "13b"): (
        "baichuan-inc--baichuan2-13b-base",
        "baichuan-inc--baichuan2-13b-chat",
    ),
}
# The original LLaVA checkpoints; those converted for Transformers are other models to LMDeploy.
ORIGINAL_LLAVA = (
    "liuhaotian--llava-v1.5-13b",
    "liuhaotian--llava-v1.5-7b",
    "liuhaotian--llava-v1.6-vicuna-7b",
)


def models_of(name: str, size: str) -> tuple[str, ...]:
    """The slugs that a name means beside its sizes, as far as the lists need their own table."""
    word, sizes = fold_label(name), fold_label(size)
    if (word, sizes) in _BY_SIZE:
        return _BY_SIZE[word, sizes]
    if word in _WITH_MOE and _WITH_MOE[word][0] in sizes:
        return word, _WITH_MOE[word][1]
    return MODELS.get(word, ())


_FLOATS = facet_of(Axis.QUANTIZATION, "FP16/BF16", "bf16", "fp16")
_W4A16 = facet_of(Axis.QUANTIZATION, "W4A16", "awq-w4a16")
_W8A8 = facet_of(Axis.QUANTIZATION, "W8A8", "int8-w8a8")
COLUMNS: Mapping[str, Facet] = {
    "fp16/bf16": _FLOATS,
    "bf/fp16": _FLOATS,
    "fp16": facet_of(Axis.QUANTIZATION, "FP16", "fp16"),
    "kv int8": facet_of(Axis.KV_DTYPE, "KV INT8", "kv-int8"),
    "kv int4": facet_of(Axis.KV_DTYPE, "KV INT4", "kv-int4"),
    "w4a16": _W4A16,
    "w8a8": _W8A8,
}
# TurboMind runs AWQ and GPTQ weights alike; gpt-oss is published in MXFP4 only.
TURBOMIND_W4A16 = facet_of(Axis.QUANTIZATION, "W4A16", "awq-w4a16", "gptq-w4a16")
MXFP4_W4A16 = facet_of(Axis.QUANTIZATION, "W4A16", "mxfp4-w4a16")
MXFP4_MODELS = frozenset({"gpt-oss"})

# What the documentation of a release calls the CUDA platform: the generations that its
# installation and KV cache pages list. Newer ones are named on single pages only.
CUDA_GENERATIONS = (
    "nvidia-volta",
    "nvidia-turing",
    "nvidia-ampere",
    "nvidia-ada",
    "nvidia-hopper",
)
CUDA = facet_of(Axis.HARDWARE, "CUDA", *CUDA_GENERATIONS, key="cuda")
# The guide to 4-bit weights lists the generations up to Ada only.
CUDA_INT4 = facet_of(Axis.HARDWARE, "CUDA", *CUDA_GENERATIONS[:-1], key="cuda")
# Until 0.8 the third table names the platform only; the Ascend guide names the one machine.
ASCEND_ONLY = facet_of(Axis.HARDWARE, "Huawei Ascend Platform", "ascend-atlas-800t-a2")

_GENERATIONS: Mapping[str, str] = {
    "70": "nvidia-sm-70",
    "72": "nvidia-sm-72",
    "75": "nvidia-sm-75",
    "80": "nvidia-sm-80",
    "86": "nvidia-sm-86",
    "87": "nvidia-sm-87",
    "89": "nvidia-sm-89",
    "90": "nvidia-sm-90",
}


def architectures_of(text: str) -> tuple[str, ...]:
    """The NVIDIA architectures of "Ampere(sm80,sm86)"; empty when a number is unknown."""
    numbers = re.findall(r"sm[\s_-]?(\d+)", text.lower())
    found = tuple(_GENERATIONS[number] for number in numbers if number in _GENERATIONS)
    return found if len(found) == len(numbers) else ()


def engine_chosen(engine: str) -> Condition:
    """The condition that the engine was chosen ("--backend pytorch")."""
    return Condition(ConditionKind.FLAG, "backend", "=", engine)


EAGER = Condition(ConditionKind.FLAG, "eager-mode", "set")
GRAPH = Condition(ConditionKind.FLAG, "eager-mode", "unset")
