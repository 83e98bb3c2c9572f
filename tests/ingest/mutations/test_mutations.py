"""Every sample page, changed in every way: read right or held back, never lost or inverted."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ingest.contract import Finding, Page, PageRule, Reading, StatementStatus, Vocabulary
from ingest.sources import SOURCES, vllm
from tests.ingest.mutations.applying import changes_of, judge_all, table_of
from tests.ingest.mutations.changes import Effect
from tests.ingest.mutations.corpus import cases_of, record_samples
from tests.ingest.mutations.judging import GOOD, Case, Outcome, judge, make_case
from tests.ingest.mutations.recording import Sample

FRAMEWORKS = ("vllm", "tensorrt-llm", "sglang", "tgi", "llama.cpp")
FEWEST_KINDS = 40


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    return record_samples(tmp_path_factory.mktemp("samples") / "samples.pickle")


def test_every_change_of_every_sample_is_read_right_or_held_back(samples: list[Sample]) -> None:
    counts, wrong = judge_all(cases_of(samples), tables=2)
    print(f"\n{len(samples)} sample pages\n{table_of(counts)}")  # noqa: T201
    assert wrong == []
    assert len(counts) >= FEWEST_KINDS


def test_the_five_frameworks_have_samples_of_nearly_every_rule(samples: list[Sample]) -> None:
    rules = {
        (source.name, rule.name)
        for source in SOURCES
        if source.framework in FRAMEWORKS
        for rule in source.rules
    }
    without = rules - {(sample.source, sample.rule) for sample in samples}
    assert len(without) <= len(rules) // 20, sorted(without)


PAGE = """\
# Quantization

## Supported Hardware

| Implementation | Volta | Turing | Ampere | x86 CPU |
| -------------- | ----- | ------ | ------ | ------- |
| AWQ            | ❌    | ✅     | ✅     | ✅      |
| GPTQ           | ✅    | ✅     | ✅     | ✅      |
| GGUF           | ✅    | ✅     | ✅     | ❌      |
"""
RULE = next(rule for rule in vllm.SOURCE.rules if rule.name == "quantization-hardware")
WORDS = Vocabulary(tables={})


def case_of(rule: PageRule) -> Case:
    path = "docs/features/quantization/README.md"
    page = Page(framework="vllm", version="0.11.0", path=path, text=PAGE)
    return make_case("a page", rule, page, WORDS)


def reader_that(spoil: Callable[[Page, Finding], Finding | None]) -> PageRule:
    """A reader of the table that spoils some of its findings."""

    def parse(page: Page, vocabulary: Vocabulary) -> Reading:
        reading = RULE.parse(page, vocabulary)
        kept = [found for f in reading.findings if (found := spoil(page, f)) is not None]
        return replace(reading, findings=tuple(kept), unknown_words=())

    return replace(RULE, parse=parse)


def outcomes(rule: PageRule) -> dict[str, Outcome]:
    case = case_of(rule)
    return {change.kind: judge(case, change).outcome for change in changes_of(case, tables=1)}


def test_the_genuine_reader_passes_on_the_page_that_the_bad_ones_fail_on() -> None:
    assert set(outcomes(RULE).values()) <= set(GOOD)


def test_a_reader_that_takes_every_unknown_sign_for_a_yes_is_caught() -> None:
    def spoil(_: Page, found: Finding) -> Finding:
        if found.raw == "🦑":
            scope = case_of(RULE).subject.reading.findings[0].scope
            return replace(found, status=StatementStatus.SUPPORTED, scope=scope)
        return found

    assert outcomes(reader_that(spoil))["sign unknown"] is Outcome.INVERTED


def test_a_reader_that_takes_a_blank_for_a_no_is_caught() -> None:
    def spoil(_: Page, found: Finding) -> Finding:
        return found if found.raw else replace(found, status=StatementStatus.UNSUPPORTED)

    assert outcomes(reader_that(spoil))["cell blanked"] is Outcome.INVERTED


def test_a_reader_that_drops_a_row_with_another_is_caught_or_held() -> None:
    def spoil(page: Page, found: Finding) -> Finding | None:
        return found if "GPTQ" in page.text or found.locator.row != "GGUF" else None

    assert outcomes(reader_that(spoil))["row removed"] in {Outcome.ALARMED, Outcome.LOST}


def test_the_judge_tells_a_silent_loss_without_any_alarm() -> None:
    case = case_of(RULE)
    change = next(c for c in changes_of(case, tables=1) if c.effect is Effect.NOTHING)
    lossy = reader_that(lambda _, f: None if f.locator.row == "AWQ" else f)
    blind = replace(
        case, rule=lossy, profile=make_case("", lossy, case.subject.page, WORDS).profile
    )
    verdict = judge(blind, change)
    assert verdict.outcome is Outcome.LOST
    assert "quantization-hardware/awq" in verdict.details
