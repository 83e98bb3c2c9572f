"""vLLM MetaX: tested models, the version table of quick start, branches, requirements."""

from ingest.contract import PageRule, Source
from ingest.sources.vllm_metax.models import read_models
from ingest.sources.vllm_metax.releases import read_branches, read_requirements, read_versions

__all__ = ["SOURCE"]

_START = r"docs/getting_started/"

SOURCE = Source(
    name="vllm-metax-docs",
    framework="vllm-metax",
    title="vLLM MetaX documentation",
    rules=(
        PageRule("models", (r"docs/models/supported_models\.md",), read_models),
        PageRule("versions", (_START + r"quickstart\.md",), read_versions),
        PageRule("branches", (r"README\.md",), read_branches),
        PageRule(
            "requirements",
            (_START + r"installation/maca\.md", _START + r"installation/(?:pip|uv)\.inc\.md"),
            read_requirements,
        ),
    ),
)
