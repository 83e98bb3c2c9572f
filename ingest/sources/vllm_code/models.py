"""Registered, former and plug-in model architectures, and the ROCm notes of early releases."""

from collections.abc import Mapping
from dataclasses import replace

from packaging.version import InvalidVersion, Version

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.code_facts import CodeFacts, fact_locator, plain, read_facts, text_table
from ingest.sources.collecting import Collector, facet_of
from ingest.sources.vllm_code.naming import FRAMEWORK
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, EvidenceKind, Limit

_KEYS = ("model_architectures", "previously_supported_models", "oot_supported_models")

# Groups that hold wrapper classes, not models, and groups of models that only run through them.
_WRAPPER_GROUPS = frozenset({"transformers_backend_models", "fallback_model"})
_THROUGH_TRANSFORMERS = frozenset({"transformers_supported_models"})
_WRAPPER_PREFIX = "Transformers"

# The code's reasons in our own words, found by a part of them (or of the constant's name).
_ROCM_REASONS: Mapping[str, str] = {
    "SWA": "sliding-window attention is not available in the ROCm flash attention",
    "Sliding window": "sliding-window attention is not available in the ROCm flash attention",
    "32-bit": "the ROCm flash attention does not fully support 32-bit precision for this model",
    "shared memory": "the Triton flash attention may not compile; it can be switched off",
}
_TRITON_SWITCH = Condition(
    kind=ConditionKind.ENV, name="VLLM_USE_TRITON_FLASH_ATTN", op="=", value="0"
)


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The registry of a release; it is complete, so what it leaves out is "not listed"."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    stated: set[str] = set()
    for group in facts.table("model_architectures"):
        for name in facts.words("model_architectures", group):
            _state_registered(collector, group, name, again=name in stated)
            stated.add(name)
    for name, last in text_table(facts, "previously_supported_models").items():
        _state_removed(collector, name, last)
    for name, link in text_table(facts, "oot_supported_models").items():
        _state_plugin(collector, name, link)
    _read_rocm(collector, facts)
    return collector.reading("models")


def _state_registered(collector: Collector, group: str, name: str, *, again: bool) -> None:
    """One registered architecture; a second group of the same release adds no second claim."""
    at = fact_locator("model_architectures", group)
    draft = replace(collector.draft(at, name), value=name, names={"group": group})
    if group in _WRAPPER_GROUPS or name.startswith(_WRAPPER_PREFIX):
        collector.value(
            FindingKind.VALUE, f"wrapper-class/{name.lower()}", StatementStatus.SUPPORTED, draft
        )
        return
    if again:
        collector.value(
            FindingKind.VALUE,
            f"registry-group/{group}/{name.lower()}",
            StatementStatus.SUPPORTED,
            draft,
        )
        return
    status, note = StatementStatus.SUPPORTED, ""
    if group in _THROUGH_TRANSFORMERS:
        status = StatementStatus.VIA_TRANSFORMERS
        note = "runs through the Transformers modelling backend"
    collector.state(
        "registry",
        [collector.facet(Axis.MODEL, name, at)],
        status,
        replace(draft, note=note),
    )


def _state_removed(collector: Collector, name: str, last: str) -> None:
    """An architecture that the release refuses, naming the last version that had it."""
    at = fact_locator("previously_supported_models", name)
    draft = replace(
        collector.draft(at, last),
        value=last,
        since=_next_minor(last),
        open_ended=True,
        limit=Limit.FRAMEWORK,
        note=f"last supported in {last}",
    )
    collector.state(
        "former-model", [collector.facet(Axis.MODEL, name, at)], StatementStatus.REMOVED, draft
    )


def _next_minor(last: str) -> str:
    """The minor release after a version; models are dropped on the way to one, not in a patch."""
    try:
        version = Version(last)
    except InvalidVersion:
        return ""
    return f"{version.major}.{version.minor + 1}.0"


def _state_plugin(collector: Collector, name: str, link: str) -> None:
    at = fact_locator("oot_supported_models", name)
    plugin = link.rstrip("/").rsplit("/", 1)[-1]
    draft = replace(
        collector.draft(at, link[:80]),
        value=link,
        links=(link,),
        conditions=(Condition(kind=ConditionKind.PLUGIN, name=plugin, link=link),),
        note=f"needs the plug-in {plugin}",
    )
    collector.state(
        "plugin-model",
        [collector.facet(Axis.MODEL, name, at)],
        StatementStatus.VIA_PLUGIN,
        draft,
    )


def _read_rocm(collector: Collector, facts: CodeFacts) -> None:
    """What the registry says about single architectures on ROCm."""
    for name in facts.words("rocm_model_notes", "unsupported"):
        at = fact_locator("rocm_model_notes", "unsupported")
        draft = replace(collector.draft(at, name), value=name, limit=Limit.FRAMEWORK)
        collector.state(
            "rocm-model",
            [collector.facet(Axis.MODEL, name, at), facet_of(Axis.HARDWARE, "ROCm", "amd")],
            StatementStatus.UNSUPPORTED,
            draft,
        )
    for name, reason in facts.table("rocm_model_notes", "partially").items():
        at = fact_locator("rocm_model_notes", "partially", name)
        text = plain(reason)
        known = [note for part, note in _ROCM_REASONS.items() if part in text]
        draft = replace(
            collector.draft(at, text[:80]),
            value=text,
            footnotes=(text,),
            note=known[0] if known else "only partly supported on ROCm by the model registry",
            conditions=(_TRITON_SWITCH,) if _TRITON_SWITCH.name in text else (),
        )
        collector.state(
            "rocm-model",
            [collector.facet(Axis.MODEL, name, at), facet_of(Axis.HARDWARE, "ROCm", "amd")],
            StatementStatus.PARTIAL,
            draft,
        )
