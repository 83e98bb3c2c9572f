"""What vLLM Kunlun's words mean. Its pages have no legend: blank and "-" state nothing."""

from collections.abc import Iterable, Mapping

from ingest.contract import StatementStatus
from ingest.sources.collecting import FEATURE, Facet, facet_of
from ingest.sources.plugin_pages import Columns
from ingest.sources.statuses import StatusTable
from matrix.domain.levels import Axis

_S = StatementStatus
# The only cards that the project names as supported, in README and FAQ.
HARDWARE = facet_of(Axis.HARDWARE, "Kunlun3 P800", "kunlun-p800")

SIGNS = StatusTable(
    {
        "✅": _S.SUPPORTED,
        "🔜comming soon": _S.PLANNED,
        "🔜 coming soon": _S.PLANNED,
        # Beside "coming soon" in the note column.
        "⚠": _S.PLANNED,
        "-": _S.NOT_STATED,
        "wip": _S.WORK_IN_PROGRESS,
    }
)
FEATURE_SIGNS = StatusTable(
    {"🟢 functional": _S.SUPPORTED, "⚠ need test": _S.UNTESTED, "🟡 planned": _S.PLANNED}
)
COLUMNS: Columns = {
    "support": (),
    "w8a8": (facet_of(Axis.QUANTIZATION, "W8A8", "int8-w8a8"),),
    "int8(w8a8)": (facet_of(Axis.QUANTIZATION, "INT8(W8A8)", "int8-w8a8"),),
    "awq(w4a16)": (facet_of(Axis.QUANTIZATION, "AWQ(W4A16)", "awq-w4a16"),),
    "gptq(wna16)": (facet_of(Axis.QUANTIZATION, "GPTQ(WNA16)", "gptq-w4a16", "gptq-w8a16"),),
    "quantization": (facet_of(FEATURE, "Quantization", "quantization"),),
    "lora": (facet_of(FEATURE, "LoRA", "lora"),),
    "tensor parallel": (facet_of(FEATURE, "Tensor Parallel", "tensor-parallel"),),
    "expert parallel": (facet_of(FEATURE, "Expert Parallel", "expert-parallel"),),
    "data parallel": (facet_of(FEATURE, "Data Parallel", "data-parallel"),),
    "kunlun graph": (facet_of(FEATURE, "Kunlun Graph", "device-graphs"),),
    "piecewise kunlun graph": (
        facet_of(FEATURE, "Piecewise Kunlun Graph", "device-graphs-piecewise"),
    ),
    "note": None,
}
FEATURES: Mapping[str, Iterable[str]] = {
    "experts parallel": ("expert-parallel",),
    "graph mode": ("device-graphs",),
}
MODELS: Mapping[str, Iterable[str]] = {
    "qwen2/2.5": ("qwen2", "qwen2.5"),
    "qwen3-moe/coder": ("qwen3-moe", "qwen3-coder"),
    "llama2/3/3.1": ("llama-2", "llama-3", "llama-3.1"),
    "glm-4.5/air": ("glm-4.5", "glm-4.5-air"),
    "gpt oss": ("gpt-oss",),
    "deepseek-v3/3.2": ("deepseek-v3", "deepseek-v3.2"),
    "internvl2.5/3/3.5": ("internvl2.5", "internvl3", "internvl3.5"),
}

_MOE = facet_of(FEATURE, "MoE", "moe")
_WNA16 = facet_of(Axis.QUANTIZATION, "GPTQ (w4a16/w8a16)", "gptq-w4a16", "gptq-w8a16")
_PACKED = facet_of(Axis.CONTAINER, "Compressed-Tensors", "compressed-tensors")
# The three header rows of the quantization matrix, joined.
SCHEMES: Mapping[str, tuple[Facet, ...]] = {
    "compressed-tensors (w8a8-int8) / dynamic / dense/moe": (
        facet_of(Axis.QUANTIZATION, "w8a8-Int8 dynamic", "int8-w8a8-dynamic"),
        _PACKED,
    ),
    "compressed-tensors (w8a8-int8) / static / dense/moe": (
        facet_of(Axis.QUANTIZATION, "w8a8-Int8 static", "int8-w8a8-static"),
        _PACKED,
    ),
    "weight only (w4a16/w8a16) / awq (w4a16) / dense/moe": (
        facet_of(Axis.QUANTIZATION, "AWQ (w4a16)", "awq-w4a16"),
    ),
    "weight only (w4a16/w8a16) / gptq (w4a16/w8a16) / dense": (_WNA16,),
    "weight only (w4a16/w8a16) / gptq (w4a16/w8a16) / moe": (_WNA16, _MOE),
    "weight only (w4a16/w8a16) / compressed-tensors (w4a16) / dense/moe": (
        facet_of(Axis.QUANTIZATION, "Compressed-Tensors (w4a16)", "int4-w4a16"),
        _PACKED,
    ),
}
