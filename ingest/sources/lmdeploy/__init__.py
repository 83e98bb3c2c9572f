"""LMDeploy: model lists of two engines, quantization guides and platforms since 0.6.4."""

from ingest.contract import PageRule, Source
from ingest.sources.lmdeploy import models, platforms, quantization

__all__ = ["SOURCE"]

_DOCS = r"docs/en/"

SOURCE = Source(
    name="lmdeploy-docs",
    framework="lmdeploy",
    title="LMDeploy documentation",
    rules=(
        PageRule("models", (_DOCS + r"supported_models/supported_models\.md",), models.read_models),
        PageRule(
            "reward-models",
            (_DOCS + r"supported_models/reward_models\.md",),
            models.read_reward_models,
        ),
        PageRule("w4a16", (_DOCS + r"quantization/w4a16\.md",), quantization.read_w4a16),
        PageRule("w8a8", (_DOCS + r"quantization/w8a8\.md",), quantization.read_w8a8),
        PageRule("kv-quant", (_DOCS + r"quantization/kv_quant\.md",), quantization.read_kv_quant),
        PageRule(
            "llm-compressor",
            (_DOCS + r"quantization/llm_compressor\.md",),
            quantization.read_llm_compressor,
        ),
        PageRule(
            "installation", (_DOCS + r"get_started/installation\.md",), platforms.read_installation
        ),
        PageRule(
            "platform-guide",
            (_DOCS + r"get_started/(?:ascend|camb|maca)/get_started\.md",),
            platforms.read_guide,
        ),
        PageRule("readme", (r"README\.md",), platforms.read_readme),
        PageRule("requirements", (r"requirements/runtime\w*\.txt",), platforms.read_requirements),
    ),
)
