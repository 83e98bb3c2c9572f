"""TensorRT-LLM: documentation since 2023, release notes, and the Triton backend's README."""

from ingest.contract import PageRule, Source
from ingest.sources.tensorrt_llm.benchmarks import read_performance
from ingest.sources.tensorrt_llm.combinations import read_combinations
from ingest.sources.tensorrt_llm.installation import (
    read_blackwell_torch,
    read_installation,
    read_policy,
    read_removal,
)
from ingest.sources.tensorrt_llm.models import read_supported_models
from ingest.sources.tensorrt_llm.pins import read_badges
from ingest.sources.tensorrt_llm.quantization import read_precision_page, read_quantization_page
from ingest.sources.tensorrt_llm.releases import read_release_notes
from ingest.sources.tensorrt_llm.support_matrix import (
    read_hardware_page,
    read_readme,
    read_support_matrix,
)
from ingest.sources.tensorrt_llm.triton_backend import read_triton_backend

__all__ = ["SOURCE", "TRITON_BACKEND_SOURCE"]

_DOCS = r"docs/source/(?:1\.\d+/)?"

SOURCE = Source(
    name="tensorrt-llm-docs",
    framework="tensorrt-llm",
    title="TensorRT-LLM documentation",
    folder="tensorrt-llm",
    rules=(
        PageRule("quantization", (_DOCS + r"features/quantization\.md",), read_quantization_page),
        PageRule(
            "precision", (_DOCS + r"(?:legacy/)?(?:reference/)?precision\.md",), read_precision_page
        ),
        PageRule(
            "support-matrix",
            (_DOCS + r"(?:legacy/)?reference/support-matrix\.md",),
            read_support_matrix,
        ),
        PageRule("hardware", (_DOCS + r"supported-hardware\.md",), read_hardware_page),
        PageRule("readme-matrix", (r"README\.md",), read_readme),
        PageRule("readme-policy", (r"README\.md",), read_policy),
        PageRule("readme-pins", (r"README\.md",), read_badges),
        PageRule("models", (_DOCS + r"models/supported-models\.md",), read_supported_models),
        PageRule(
            "combinations",
            (_DOCS + r"features/feature-combination-matrix\.md",),
            read_combinations,
        ),
        PageRule("releases", (_DOCS + r"release-notes\.md",), read_release_notes),
        PageRule(
            "installation",
            (_DOCS + r"installation(?:/[\w-]+)?\.md",),
            read_installation,
        ),
        PageRule("blackwell-torch", (_DOCS + r"installation/linux\.md",), read_blackwell_torch),
        PageRule(
            "backend-removal", (_DOCS + r"legacy/tensorrt-backend-removal\.md",), read_removal
        ),
        PageRule(
            "performance",
            (_DOCS + r"(?:(?:performance|developer-guide)/perf-overview|performance)\.md",),
            read_performance,
        ),
    ),
)

TRITON_BACKEND_SOURCE = Source(
    name="tensorrtllm-backend-docs",
    framework="tensorrtllm-backend",
    title="Triton backend of TensorRT-LLM",
    folder="tensorrtllm_backend",
    rules=(PageRule("readme", (r"README\.md",), read_triton_backend),),
)
