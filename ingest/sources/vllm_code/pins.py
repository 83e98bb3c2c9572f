"""Requirement pins of a release: torch, transformers, Python and what else is fixed."""

from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.code_facts import fact_locator, plain, read_facts
from ingest.sources.collecting import Collector
from ingest.sources.pins import state_pin, state_python
from ingest.sources.vllm_code.naming import FRAMEWORK
from matrix.domain.levels import EvidenceKind

_KEYS = ("requirements_pins", "build_torch", "requires_python")


def read_pins(page: Page, vocabulary: Vocabulary) -> Reading:
    """One requirement a line: pinned, a range, or required without a version."""
    facts = read_facts(page, framework=FRAMEWORK, keys=_KEYS)
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for name in facts.table("requirements_pins"):
        for position, line in enumerate(facts.words("requirements_pins", name)):
            state_pin(collector, ("requirements_pins", name), line, position)
    for position, line in enumerate(facts.words("build_torch")):
        state_pin(collector, ("build_torch",), line, position)
    if requires := facts.at("requires_python"):
        state_python(collector, ("requires_python",), plain(requires), StatementStatus.RANGE)
    for version in facts.words("classifiers_python"):
        state_python(collector, ("classifiers_python",), version, StatementStatus.SUPPORTED)
    if commit := facts.at("git_commit"):
        draft = replace(collector.draft(fact_locator("git_commit"), plain(commit)))
        collector.value(
            FindingKind.RELEASE,
            "git-commit",
            StatementStatus.VALUE,
            draft,
            value=plain(commit),
        )
    return collector.reading()
