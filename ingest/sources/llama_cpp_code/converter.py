"""Checkpoint classes that the converter takes; values, because a conversion is no run."""

from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.code_facts import fact_locator, read_facts
from ingest.sources.collecting import Collector
from ingest.sources.llama_cpp.words import FRAMEWORK
from matrix.domain.coordinates import NodeSet, Scope
from matrix.domain.levels import Axis, EvidenceKind

_KEY = "hf_architectures"


def read_converter_facts(page: Page, vocabulary: Vocabulary) -> Reading:
    """One value a checkpoint class and architecture; none where the facts do not hold them."""
    facts = read_facts(page, framework=FRAMEWORK, keys=("architectures",))
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for name in facts.table(_KEY):
        at = fact_locator(_KEY, name)
        slugs = frozenset(vocabulary.find(Axis.MODEL.value, name))
        scope = Scope(nodes={Axis.MODEL: NodeSet(include=slugs)}) if slugs else None
        for architecture in facts.words(_KEY, name):
            draft = replace(
                collector.draft(at, architecture),
                names={"model": name, "architecture": architecture},
                scope=scope,
            )
            collector.value(
                FindingKind.VALUE,
                f"converter/{name.lower()}/{architecture}",
                StatementStatus.SUPPORTED,
                draft,
                value=architecture,
            )
    return collector.reading()
