"""The Gaudi plug-in of vLLM: pairings, validated models, features, quantization, releases."""

from ingest.contract import PageRule, Source
from ingest.sources.vllm_gaudi import compatibility, features, setup, validated

__all__ = ["SOURCE"]

_START = r"docs/getting_started/"
_QUANTIZATION = r"docs/configuration/quantization/"

SOURCE = Source(
    name="vllm-gaudi-docs",
    framework="vllm-gaudi",
    title="vLLM plug-in for Intel Gaudi, documentation",
    rules=(
        PageRule(
            "compatibility", (_START + r"compatibility_matrix\.md",), compatibility.read_matrix
        ),
        PageRule("models", (_START + r"validated_models\.md",), validated.read_validated),
        PageRule("features", (r"docs/features/supported_features\.md",), features.read_features),
        PageRule("faq", (r"docs/general/faq\.md",), features.read_faq),
        PageRule(
            "requirements",
            (_START + r"installation\.md", r"docs/general/faq\.md"),
            setup.read_requirements,
        ),
        PageRule("inc", (_QUANTIZATION + r"inc\.md",), setup.read_inc),
        PageRule("libraries", (_QUANTIZATION + r"(?:auto_awq|gptqmodel)\.md",), setup.read_library),
        PageRule(
            "releases",
            (r"docs/release_notes\.md", r"docs/release_notes_v[\d.]+\.md"),
            setup.read_notes,
        ),
        PageRule("news", (r"README\.md",), setup.read_news),
    ),
)
