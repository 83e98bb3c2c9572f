"""The registry of sources: a literal tuple, nothing is discovered."""

from ingest.contract import Source
from ingest.sources import (
    aws_neuron,
    dlinfer,
    hygon,
    iluvatar,
    llama_cpp,
    llama_cpp_code,
    lmdeploy,
    mindie_llm,
    modelopt,
    moore_threads,
    sglang,
    sglang_code,
    tensorrt_llm,
    tgi,
    tpu_inference,
    vllm,
    vllm_ascend,
    vllm_code,
    vllm_gaudi,
    vllm_gcu,
    vllm_kunlun,
    vllm_metax,
    vllm_mlu,
    xllm,
)
from matrix.domain.aliases import build_name_table
from matrix.domain.errors import UnknownName

SOURCES: tuple[Source, ...] = (
    vllm.SOURCE,
    vllm_code.SOURCE,
    tensorrt_llm.SOURCE,
    tensorrt_llm.TRITON_BACKEND_SOURCE,
    sglang.SOURCE,
    sglang.COOKBOOK_SOURCE,
    sglang_code.SOURCE,
    tgi.SOURCE,
    llama_cpp.SOURCE,
    llama_cpp_code.SOURCE,
    vllm_metax.SOURCE,
    vllm_kunlun.SOURCE,
    vllm_gcu.SOURCE,
    vllm_mlu.SOURCE,
    moore_threads.PLUGIN_SOURCE,
    moore_threads.PORT_SOURCE,
    moore_threads.TORCH_SOURCE,
    xllm.SOURCE,
    hygon.VLLM_SOURCE,
    hygon.SGLANG_SOURCE,
    dlinfer.SOURCE,
    iluvatar.SOURCE,
    mindie_llm.SOURCE,
    vllm_ascend.SOURCE,
    vllm_gaudi.SOURCE,
    lmdeploy.SOURCE,
    tpu_inference.SOURCE,
    aws_neuron.SOURCE,
    aws_neuron.PLUGIN_SOURCE,
    aws_neuron.README_SOURCE,
    modelopt.SOURCE,
)

# The name that stands for every source.
ALL_SOURCES = "all"


def source_names() -> tuple[str, ...]:
    """Names of all sources and of the frameworks they speak about, sorted."""
    return tuple(sorted({s.name for s in SOURCES} | {s.framework for s in SOURCES}))


def sources_named(name: str) -> tuple[Source, ...]:
    """The source of that name, all sources of the framework of that name, or all for "all".

    **Raises**: ``UnknownName`` with the nearest names.
    """
    if name == ALL_SOURCES:
        return SOURCES
    found = tuple(s for s in SOURCES if name in {s.name, s.framework})
    if not found:
        table = build_name_table("source", ((n, (n,)) for n in source_names()))
        raise UnknownName(axis="source", value=name, nearest=table.nearest(name))
    return found
