"""vLLM Kunlun: models with formats and features, quantization matrix, devices, README."""

from ingest.contract import PageRule, Source
from ingest.sources.vllm_kunlun.models import (
    read_checkpoints,
    read_features,
    read_models,
    read_quantization,
)
from ingest.sources.vllm_kunlun.project import read_devices, read_installation, read_readme

__all__ = ["SOURCE"]

_DOCS = r"docs/source/"
_MATRIX = _DOCS + r"user_guide/support_matrix/"

SOURCE = Source(
    name="vllm-kunlun-docs",
    framework="vllm-kunlun",
    title="vLLM Kunlun documentation",
    rules=(
        PageRule("models", (_MATRIX + r"supported_models\.md",), read_models),
        PageRule("features", (_MATRIX + r"supported_features\.md",), read_features),
        PageRule("checkpoints", (_MATRIX + r"model_list\.md",), read_checkpoints),
        PageRule(
            "quantization",
            (_DOCS + r"user_guide/feature_guide/quantization\.md",),
            read_quantization,
        ),
        PageRule("devices", (_DOCS + r"faqs\.md",), read_devices),
        PageRule("installation", (_DOCS + r"installation\.md",), read_installation),
        PageRule("readme", (r"README\.md",), read_readme),
    ),
)
