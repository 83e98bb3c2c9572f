"""What the server's options accept, and what a release requires; values, no claims."""

from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.code_facts import fact_locator, plain, read_facts
from ingest.sources.collecting import Collector
from ingest.sources.pins import state_pin, state_python
from ingest.sources.sglang_code.methods import FRAMEWORK
from matrix.domain.levels import EvidenceKind


def read_choices(page: Page, vocabulary: Vocabulary) -> Reading:
    """One value a choice: that an option takes a word shows neither where nor how it runs."""
    facts = read_facts(page, framework=FRAMEWORK, keys=("choices",))
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for option in facts.table("choices"):
        at = fact_locator("choices", option)
        for word in facts.words("choices", option):
            collector.value(
                FindingKind.VALUE,
                f"choice/{option}/{word.lower()}",
                StatementStatus.VALUE,
                replace(collector.draft(at, word), names={"option": option}),
                value=word,
            )
    return collector.reading()


def read_pins(page: Page, vocabulary: Vocabulary) -> Reading:
    """One requirement a line of the project files."""
    facts = read_facts(page, framework=FRAMEWORK, keys=("requirements_pins",))
    collector = Collector(page, vocabulary, evidence=EvidenceKind.SOURCE_CODE)
    for name in facts.table("requirements_pins"):
        for position, line in enumerate(facts.words("requirements_pins", name)):
            state_pin(collector, ("requirements_pins", name), line, position)
    if requires := facts.at("requires_python"):
        state_python(collector, ("requires_python",), plain(requires), StatementStatus.RANGE)
    return collector.reading()
