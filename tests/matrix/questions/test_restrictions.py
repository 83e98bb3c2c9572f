"""What a question asks beyond its cells, and which statements cover it."""

from dataclasses import replace

import pytest

from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.coordinates import Condition, NumberRange, Scope
from matrix.domain.levels import (
    ConditionKind,
    EvidenceKind,
    Execution,
    NumberAxis,
    Outcome,
    SupportLevel,
)
from matrix.questions.wording import software_versions
from tests.matrix.questions.worlds import ask, state

T4 = {"device": "Tesla T4", "arch": "sm_75", "backend": "CUDA", "count": 1}
LLAMA = {"model": "meta-llama/Llama-3.1-8B-Instruct", "quantization": "AWQ"}
LLAMA_SLUG = "meta-llama--llama-3.1-8b-instruct"


def _receipt(
    catalogue: Catalogue,
    *,
    level: str = "supported",
    outcome: Outcome = Outcome.STARTS,
    up_to_tokens: int | None = None,
) -> Claim:
    said = state(
        level,
        catalogue=catalogue,
        kind=EvidenceKind.USER_REPORT,
        hardware="nvidia-t4",
        quantization="awq",
        model=LLAMA_SLUG,
    )
    numbers = {NumberAxis.HARDWARE_COUNT: NumberRange(minimum=1, maximum=1)}
    if up_to_tokens is not None:
        numbers[NumberAxis.CONTEXT_TOKENS] = NumberRange(maximum=up_to_tokens)
    return replace(said, outcome=outcome, scope=Scope(nodes=said.scope.nodes, numbers=numbers))


@pytest.mark.parametrize(
    "question",
    [
        "Does it fit in the memory of a T4?",
        "Why does it fail on a T4?",
        "Does it run on a T4 although others do not?",
        "Does it run on a T4 with defaults?",
        "Should it run on a T4?",
    ],
)
def test_a_receipt_of_the_very_combination_covers_the_way_it_is_asked(
    catalogue: Catalogue, question: str
) -> None:
    answer = ask(catalogue, [_receipt(catalogue)], question=question, **LLAMA, **T4)
    assert (answer.level, answer.reasons) == (SupportLevel.SUPPORTED, ())


def test_a_start_says_nothing_of_correct_results(catalogue: Catalogue) -> None:
    fields = {"question": "Is the output correct?", **LLAMA, **T4}
    started = _receipt(catalogue)
    checked = _receipt(catalogue, outcome=Outcome.CORRECT)
    assert ask(catalogue, [started], **fields).level is SupportLevel.UNKNOWN
    assert ask(catalogue, [checked], **fields).level is SupportLevel.SUPPORTED


def test_a_context_beyond_the_receipt_stays_unknown(catalogue: Catalogue) -> None:
    receipt = _receipt(catalogue, up_to_tokens=8192)
    asked = {"kind": "memory fit", "question": "Does it fit?", **LLAMA, **T4}
    within = ask(catalogue, [receipt], feature="context 8192", **asked)
    beyond = ask(catalogue, [receipt], feature="context 32768", **asked)
    assert within.level is SupportLevel.SUPPORTED
    assert beyond.level is SupportLevel.UNKNOWN


def test_more_cards_than_the_receipt_has_stay_unknown(catalogue: Catalogue) -> None:
    asked = {"kind": "memory fit", "question": "Does it fit?", **LLAMA, **T4, "count": 2}
    assert ask(catalogue, [_receipt(catalogue)], **asked).level is SupportLevel.UNKNOWN


def test_words_that_nobody_understood_stay_open_whatever_is_stated(catalogue: Catalogue) -> None:
    answer = ask(catalogue, [_receipt(catalogue)], feature="frobnication", **LLAMA, **T4)
    assert answer.level is SupportLevel.UNKNOWN


def test_a_toolkit_that_meets_the_condition_of_a_claim_is_covered(catalogue: Catalogue) -> None:
    needs = Condition(kind=ConditionKind.TOOLKIT, name="cuda", op=">=", value="12.8")
    claims = [
        state("supported", catalogue=catalogue, hardware="nvidia-turing"),
        replace(
            state("supported", catalogue=catalogue, hardware="nvidia-turing", quantization="awq"),
            conditions=(needs,),
        ),
    ]
    asked = {"quantization": "AWQ", **T4}
    newer = ask(catalogue, claims, **{**asked, "backend": "CUDA 12.9"})
    older = ask(catalogue, claims, **{**asked, "backend": "CUDA 12.4"})
    assert newer.level is SupportLevel.SUPPORTED
    assert older.level is SupportLevel.UNKNOWN


def test_one_more_alternative_in_the_sentence_is_asked_as_well(catalogue: Catalogue) -> None:
    claims = [
        state(level, catalogue=catalogue, hardware=slug, quantization="awq")
        for slug, level in (("nvidia-t4", "supported"), ("nvidia-v100", "unsupported"))
    ] + [state("supported", catalogue=catalogue, hardware="nvidia-t4")]
    asked = {"quantization": "AWQ", **T4}
    both = ask(catalogue, claims, question="Which cards run it, is V100 among them?", **asked)
    assert both.level is SupportLevel.CONDITIONAL
    assert len(both.verdicts) == 2


@pytest.mark.parametrize(
    ("scheme", "execution", "level"),
    [
        ("fp8", Execution.WEIGHT_ONLY, SupportLevel.CONDITIONAL),
        ("fp8", Execution.NATIVE, SupportLevel.SUPPORTED),
        ("awq", Execution.WEIGHT_ONLY, SupportLevel.SUPPORTED),
    ],
)
def test_a_format_for_computing_that_is_only_stored_is_a_yes_with_a_limit(
    catalogue: Catalogue, scheme: str, execution: Execution, level: SupportLevel
) -> None:
    claims = [
        state("supported", catalogue=catalogue, hardware="nvidia-turing"),
        state(
            "supported",
            catalogue=catalogue,
            hardware="nvidia-turing",
            quantization=scheme,
            execution=execution,
        ),
    ]
    assert ask(catalogue, claims, quantization=scheme.upper(), **T4).level is level


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("torch nightly cu128", {"cuda": "12.8"}),
        ("PyTorch 2.9.1 and CUDA 13.0", {"torch": "2.9.1", "cuda": "13.0"}),
        ("CUDA > 12.4", {"cuda": "12.4"}),
        ("vLLM 0.12.0", {}),
    ],
)
def test_versions_of_other_software_are_read_from_the_sentence(
    text: str, found: dict[str, str]
) -> None:
    assert software_versions(text, framework="vLLM") == found


def test_what_runs_only_by_a_fallback_is_a_yes_with_a_limit(catalogue: Catalogue) -> None:
    claims = [
        state("supported", catalogue=catalogue, hardware="nvidia-t4"),
        state(
            "supported",
            catalogue=catalogue,
            hardware="nvidia-t4",
            features=["flash-attention-1"],
            kind=EvidenceKind.SOURCE_CODE,
        ),
    ]
    named = ask(catalogue, claims, feature="Flash Attention v1", **T4)
    fallen = ask(catalogue, claims, feature="Flash Attention v1 fallback", **T4)
    assert (named.level, fallen.level) == (SupportLevel.SUPPORTED, SupportLevel.CONDITIONAL)


def test_the_one_model_that_only_the_sentence_names_is_asked_for(catalogue: Catalogue) -> None:
    answer = ask(
        catalogue,
        [_receipt(catalogue, level="unsupported", outcome=Outcome.FAILS)],
        question="Does Llama-3.1-8B-Instruct run there?",
        quantization="AWQ",
        **T4,
    )
    assert answer.level is SupportLevel.UNSUPPORTED
