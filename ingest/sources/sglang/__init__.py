"""SGLang: documentation since 0.3.6 in its three places, and the cookbook's data files."""

from ingest.contract import PageRule, Source
from ingest.sources.sglang import ascend, cookbook, platform_notes, platforms
from ingest.sources.sglang.attention import read_attention
from ingest.sources.sglang.install import read_install, read_readme
from ingest.sources.sglang.models import read_classifiers, read_model_bullets, read_models
from ingest.sources.sglang.quantization import read_quantization
from ingest.sources.sglang.trees import keep_apart
from ingest.sources.sglang.usage import read_deepseek, read_kv_cache

__all__ = ["COOKBOOK_SOURCE", "SOURCE"]

# Sphinx pages until 0.5.15 (docs/), Mintlify pages since 0.5.11 (docs_new/, later docs/docs/).
_ROOT = r"(?:docs|docs_new/docs|docs/docs)/"
_MODELS = (
    r"supported[-_]models/(?:text_generation/|retrieval_ranking/|specialized/)?"
    r"(?:generative|embedding|reward|rerank|vision_language|multimodal_language|diffusion_language)"
    r"_models\.mdx?"
)

_RULES = (
    PageRule(
        "quantization",
        (_ROOT + r"(?:backend|advanced_features)/quantization\.mdx?",),
        read_quantization,
    ),
    PageRule(
        "attention",
        (_ROOT + r"(?:backend|advanced_features)/attention_backend\.mdx?",),
        read_attention,
    ),
    PageRule("models", (_ROOT + _MODELS,), read_models),
    PageRule("models-2024", (r"docs/references/supported_models\.md",), read_model_bullets),
    PageRule(
        "classifiers",
        (_ROOT + r"supported[-_]models/(?:retrieval_ranking/)?classify_models\.mdx?",),
        read_classifiers,
    ),
    PageRule(
        "install", (_ROOT + r"(?:start|get_started|get-started)/install\.mdx?",), read_install
    ),
    PageRule("readme", (r"README\.md",), read_readme),
    PageRule("deepseek", (r"docs/basic_usage/deepseek_v3\.md",), read_deepseek),
    PageRule(
        "kv-cache",
        (_ROOT + r"advanced_features/quantized_kv_cache\.mdx?",),
        read_kv_cache,
    ),
    *platforms.RULES,
    *platform_notes.RULES,
    *ascend.RULES,
    *cookbook.RULES,
)

SOURCE = Source(
    name="sglang-docs",
    framework="sglang",
    title="SGLang documentation",
    rules=tuple(keep_apart(rule) for rule in _RULES),
)

COOKBOOK_SOURCE = Source(
    name="sgl-cookbook-readme",
    framework="sgl-cookbook",
    title="Former SGLang cookbook repository",
    rules=(PageRule("moved", (r"README\.md",), cookbook.read_moved),),
)
