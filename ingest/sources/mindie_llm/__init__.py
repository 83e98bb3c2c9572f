"""MindIE LLM: models by card count, features, pairings, installation (pages in Chinese)."""

from ingest.contract import PageRule, Source
from ingest.sources.mindie_llm import features, models, versions

__all__ = ["SOURCE"]

_GUIDE = r"docs/zh/user_guide/"

SOURCE = Source(
    name="mindie-llm-docs",
    framework="mindie-llm",
    title="MindIE LLM documentation",
    rules=(
        PageRule("models", (_GUIDE + r"model_support_list\.md",), models.read_models),
        PageRule("features", (_GUIDE + r"feature/README\.md",), features.read_features),
        PageRule("pairings", (r"README\.md",), versions.read_readme),
        PageRule(
            "packages",
            (_GUIDE + r"install/source/preparing_software_and_dependencies\.md",),
            versions.read_packages,
        ),
        PageRule("releases", (r"docs/zh/release_notes\.md",), versions.read_notes),
        PageRule(
            "installation",
            (
                _GUIDE + r"installation_guide\.md",
                _GUIDE + r"install/installation_introduction\.md",
            ),
            versions.read_installation,
        ),
    ),
)
