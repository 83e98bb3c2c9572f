"""vLLM GCU: models × formats, features, quantization methods, installation."""

from ingest.contract import PageRule, Source
from ingest.sources.vllm_gcu.models import read_features, read_models
from ingest.sources.vllm_gcu.project import (
    read_devices,
    read_installation,
    read_quantization,
    read_readme,
)

__all__ = ["SOURCE"]

_DOCS = r"docs/source/"
_MATRIX = _DOCS + r"user_guide/support_matrix/"

SOURCE = Source(
    name="vllm-gcu-docs",
    framework="vllm-gcu",
    title="vLLM GCU documentation",
    rules=(
        PageRule("models", (_MATRIX + r"supported_models\.md",), read_models),
        PageRule("features", (_MATRIX + r"supported_features\.md",), read_features),
        PageRule(
            "quantization",
            (_DOCS + r"user_guide/feature_guide/quantization\.md",),
            read_quantization,
        ),
        PageRule("devices", (_DOCS + r"faqs\.md",), read_devices),
        PageRule("installation", (_DOCS + r"installation\.md",), read_installation),
        PageRule("readme", (r"ReadMe(?:-EN)?\.md",), read_readme),
    ),
)
