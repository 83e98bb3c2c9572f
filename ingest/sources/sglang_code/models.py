"""SGLang's registered architectures: the entry classes of its modules of models."""

from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.code_facts import fact_locator, read_facts
from ingest.sources.collecting import Collector
from ingest.sources.sglang_code.methods import FRAMEWORK
from matrix.domain.levels import Axis, EvidenceKind

# Classes that load what no class of its own exists for; they name no model.
_WRAPPERS = ("Transformers", "TorchNative")


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """One statement an entry class; the list is complete, what it omits is "not listed"."""
    facts = read_facts(page, framework=FRAMEWORK, keys=("model_architectures",))
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    stated: set[str] = set()
    for module in facts.table("model_architectures"):
        at = fact_locator("model_architectures", module)
        for name in facts.words("model_architectures", module):
            if name in stated:
                continue
            stated.add(name)
            draft = replace(collector.draft(at, name), value=name, names={"module": module})
            if name.startswith(_WRAPPERS):
                collector.value(
                    FindingKind.VALUE,
                    f"wrapper-class/{name.lower()}",
                    StatementStatus.SUPPORTED,
                    draft,
                )
                continue
            facet = collector.facet(Axis.MODEL, name, at)
            collector.state("registry", [facet], StatementStatus.SUPPORTED, draft)
    return collector.reading("models")
