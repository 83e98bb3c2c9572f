"""vLLM Ascend: models, features, pairings, branches, products and installation since 0.7.3."""

from ingest.contract import PageRule, Source
from ingest.sources.vllm_ascend import features, guide, hardware, models, policy

__all__ = ["SOURCE"]

_DOCS = r"docs/source/"
_MATRIX = _DOCS + r"user_guide/support_matrix/"

SOURCE = Source(
    name="vllm-ascend-docs",
    framework="vllm-ascend",
    title="vLLM Ascend documentation",
    rules=(
        PageRule("models", (_MATRIX + r"supported_models\.md",), models.read_models),
        PageRule("features", (_MATRIX + r"supported_features\.md",), features.read_features),
        PageRule("feature-pairs", (_MATRIX + r"feature_matrix\.md",), features.read_pairs),
        PageRule(
            "policy",
            (_DOCS + r"(?:community|developer_guide)/versioning_policy\.md",),
            policy.read_policy,
        ),
        PageRule("branches", (r"README\.md",), policy.read_branches),
        PageRule("prerequisites", (r"README\.md",), hardware.read_prerequisites),
        PageRule("installation", (_DOCS + r"installation\.md",), hardware.read_installation),
        PageRule("faq", (_DOCS + r"faqs\.md",), hardware.read_faq),
        PageRule(
            "quantization-tools",
            (_DOCS + r"user_guide/feature_guide/quantization\.md",),
            guide.read_guide,
        ),
        PageRule("releases", (_DOCS + r"user_guide/release_notes\.md",), guide.read_notes),
    ),
)
