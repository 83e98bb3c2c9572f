"""What AWS Neuron's words mean: instances, features with their ways, schemes, signs."""

import re
from collections.abc import Mapping

from ingest.contract import StatementStatus
from ingest.reading.document import fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

INSTANCES: Mapping[str, tuple[str, ...]] = {
    "inf1": ("aws-inferentia1",),
    "inf2": ("aws-inferentia2",),
    "trn1": ("aws-trainium1",),
    "trn1n": ("aws-trainium1",),
    "trn2": ("aws-trainium2",),
    "trn3": ("aws-trainium3",),
}
_INSTANCE = re.compile(r"\b(Inf1|Inf2|Trn1n|Trn1|Trn2|Trn3)\b", re.IGNORECASE)

# Recipes: "not supported" is a no; a dense model has no experts to spread.
RECIPE_SIGNS = StatusTable(
    {
        "✅": StatementStatus.SUPPORTED,
        "✅ supported": StatementStatus.SUPPORTED,
        "❌": StatementStatus.UNSUPPORTED,
        "❌ not supported": StatementStatus.UNSUPPORTED,
        "n/a": StatementStatus.NOT_APPLICABLE,
    }
)
# In a column "Validated" the same sign only says that nobody has tried yet.
VALIDATED_SIGNS = StatusTable({"✅": StatementStatus.VALIDATED, "❌": StatementStatus.UNTESTED})
README_SIGNS = StatusTable(
    {"🟢": StatementStatus.SUPPORTED, "🚧": StatementStatus.WORK_IN_PROGRESS}
)

_FEATURES: Mapping[str, str] = {
    "multi-lora": "multi-lora",
    "data parallelism (dp)": "data-parallel",
    "tensor parallelism (tp)": "tensor-parallel",
    "expert parallelism (ep)": "expert-parallel",
    "pipeline parallelism (pp)": "pipeline-parallel",
    "context parallelism (cp)": "context-parallel",
    "vision encoder parallelism": "encoder-dp",
    "prefix caching (apc)": "prefix-caching",
    "speculative decoding (eagle3)": "eagle3",
    "disaggregated inference (1p1d / xpyd)": "disaggregated-prefill",
    "disaggregated encoder (epd) (1e1pd / xeypd)": "epd-disaggregation",
    "on-device sampling (greedy, top-k, top-p)": "on-device-sampling",
    "on-device sampling": "on-device-sampling",
    "torch.compile (xla backend)": "torch-compile",
    "chunked prefill (mixed batching)": "chunked-prefill",
    "single image + text": "multimodal-image",
    "multi-image + text": "multimodal-image",
    "video + text": "multimodal-video",
    "disaggregated inference": "disaggregated-prefill",
    "sequence parallelism": "sequence-parallel",
    "data parallelism": "data-parallel",
    "expert parallelism": "expert-parallel",
    "decode bucketing": "bucketing",
    "`embed`": "embeddings",
    "embed": "embeddings",
    "classify": "classification",
    "score": "reranking",
}
# Rows that hold two features, each with a statement of its own.
_PAIRS: Mapping[str, tuple[str, ...]] = {
    "structured outputs / tool calling": ("structured-output", "tool-calling"),
    "classification / scoring / reranking": ("classification", "reranking"),
}
_EMBEDDINGS = re.compile(r"^embeddings \(")
# Rows that name no feature of the catalogue: what every model takes in, a way to test, a size.
NO_FEATURE = frozenset(
    {
        "text",
        "cpu mode (testing)",
        "matryoshka (variable output dimensions)",
        "token_embed",
        "token_classify",
    }
)
_SCHEMES: Mapping[str, Facet] = {
    "bf16": facet_of(Axis.QUANTIZATION, "BF16", "bf16"),
    "fp8 (static)": facet_of(Axis.QUANTIZATION, "FP8 (static)", "fp8-w8a8-tensor"),
    "fp8 static (per-tensor, modelopt)": facet_of(
        Axis.QUANTIZATION, "FP8 static", "fp8-w8a8-tensor"
    ),
    "kv cache fp8": facet_of(Axis.KV_DTYPE, "KV cache FP8", "kv-fp8"),
    "mxfp4": facet_of(Axis.QUANTIZATION, "MXFP4", "mxfp4"),
    "mxfp8": facet_of(Axis.QUANTIZATION, "MXFP8", "mxfp8"),
    "fp8 / mxfp4": facet_of(Axis.QUANTIZATION, "FP8 / MXFP4", "fp8", "mxfp4"),
}


def instances_in(text: str) -> tuple[str, ...]:
    """The instance generations that a text names, in its order, each once."""
    found = [match.group(1).lower() for match in _INSTANCE.finditer(text)]
    return tuple(dict.fromkeys(slug for name in found for slug in INSTANCES[name]))


def hardware_in(word: str, text: str) -> Facet:
    """A facet of the instances that a text names; unknown where it names none."""
    return Facet(Axis.HARDWARE, word, frozenset(instances_in(text)))


def features_of(collector: Collector, word: str, at: Locator) -> list[Facet]:
    """The features of a row, one statement each; empty for a row that names none."""
    folded = fold_label(word)
    if folded in NO_FEATURE:
        return []
    if folded in _PAIRS:
        return [facet_of(FEATURE, word, slug) for slug in _PAIRS[folded]]
    if _EMBEDDINGS.match(folded):
        return [facet_of(FEATURE, word, "embeddings")]
    if slug := _FEATURES.get(folded):
        # Several rows may mean one feature of the catalogue; each stays a statement of its own.
        return [facet_of(FEATURE, word, slug, key=folded)]
    return [collector.facet(FEATURE, word, at)]


def scheme_of(collector: Collector, word: str, at: Locator) -> Facet:
    """The scheme of "MXFP4 weights (Trn3)" or "BF16"; instances and "weights" fall away."""
    plain = re.sub(r"\((?:Trn\d|Trn\d only)\)", "", word)
    plain = re.sub(r"\bweights\b", "", plain).strip()
    known = _SCHEMES.get(fold_label(plain))
    if known is not None:
        return Facet(known.axis, word, known.slugs)
    return collector.facet(Axis.QUANTIZATION, plain, at)
