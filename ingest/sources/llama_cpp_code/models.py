"""Model architectures that a release loads, by llama.cpp's own names."""

from dataclasses import replace

from ingest.contract import Page, Reading, StatementStatus, UnknownWord, Vocabulary
from ingest.sources.code_facts import fact_locator, read_facts
from ingest.sources.collecting import Collector, Facet
from ingest.sources.llama_cpp.words import FRAMEWORK
from matrix.domain.levels import Axis, EvidenceKind

ARCH_AXIS = "llamacpp_arch"


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """One statement an architecture; the list is complete, what it omits is "not listed"."""
    facts = read_facts(page, framework=FRAMEWORK, keys=("architectures",))
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    at = fact_locator("architectures")
    for name in facts.words("architectures"):
        slugs = frozenset(vocabulary.find(ARCH_AXIS, name))
        if not slugs:
            collector.unknown.append(UnknownWord(axis=ARCH_AXIS, word=name, locator=at))
        # The key is the code's own name: what it stands for in the catalogue may still grow.
        facet = Facet(axis=Axis.MODEL, word=name, slugs=slugs, key=name)
        draft = replace(collector.draft(at, name), value=name)
        collector.state("architecture", [facet], StatementStatus.SUPPORTED, draft)
    return collector.reading("models")
