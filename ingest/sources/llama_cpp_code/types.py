"""Tensor types, file types and removed types of a release."""

from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.code_facts import CodeFacts, Json, fact_locator, read_facts
from ingest.sources.collecting import Collector
from ingest.sources.llama_cpp.words import FRAMEWORK, INTERNAL_TYPES, type_facet
from matrix.domain.levels import EvidenceKind, Limit

_KEYS = ("ggml_types", "llama_ftypes", "quantize_options", "ggml_types_removed_comment")
_COPY = "COPY"


def read_types(page: Page, vocabulary: Vocabulary) -> Reading:
    """The types that the code knows, without hardware; the lists are complete."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for name in facts.words("ggml_types"):
        _state_type(collector, name)
    for name in facts.words("llama_ftypes"):
        at = fact_locator("llama_ftypes")
        draft = replace(collector.draft(at, name), value=name)
        collector.state(
            "file-type", [type_facet(collector, name, at)], StatementStatus.SUPPORTED, draft
        )
    for option in facts.items("quantize_options"):
        _state_option(collector, option)
    _read_removed(collector, facts)
    return collector.reading("gguf-types")


def _state_type(collector: Collector, name: str) -> None:
    at = fact_locator("ggml_types")
    draft = replace(collector.draft(at, name), value=name)
    if name in INTERNAL_TYPES:
        collector.value(
            FindingKind.VALUE,
            f"internal-type/{name.lower()}",
            StatementStatus.SUPPORTED,
            replace(draft, names={"type": name}),
        )
        return
    collector.state(
        "tensor-type", [type_facet(collector, name, at)], StatementStatus.SUPPORTED, draft
    )


def _state_option(collector: Collector, option: Json) -> None:
    """A target of the quantization tool; its size and quality remarks are kept as a value."""
    if not isinstance(option, dict):
        return
    name, note = str(option.get("name", "")), str(option.get("note", ""))
    at = fact_locator("quantize_options")
    draft = replace(
        collector.draft(at, name), names={"quantization": name}, footnotes=(note,) if note else ()
    )
    status = StatementStatus.NOT_APPLICABLE if name == _COPY else StatementStatus.SUPPORTED
    collector.value(FindingKind.VALUE, f"quantize-option/{name.lower()}", status, draft, value=name)


def _read_removed(collector: Collector, facts: CodeFacts) -> None:
    """Types that the code keeps a number for but no longer reads."""
    at = fact_locator("ggml_types_removed_comment")
    for entry in facts.items("ggml_types_removed_comment"):
        if not (isinstance(entry, list) and entry and isinstance(entry[0], str)):
            continue
        draft = replace(
            collector.draft(at, entry[0]),
            value=entry[0],
            open_ended=True,
            limit=Limit.FRAMEWORK,
            note="support for files of this type was removed",
        )
        collector.state(
            "removed-type",
            [type_facet(collector, entry[0], at)],
            StatementStatus.REMOVED,
            draft,
        )
