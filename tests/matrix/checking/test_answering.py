"""Every framework side by side, and what would have to be otherwise."""

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from matrix.checking import CheckAnswer
from matrix.checking.answering import measure
from matrix.domain.check_outcomes import Change, ChangeKind, Outcome
from matrix.domain.levels import SupportLevel
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.values import FitLevel

Check = Callable[..., CheckAnswer]


def changes_of(answer: CheckAnswer, kind: ChangeKind) -> list[Change]:
    (one,) = answer.answers
    return [change for change in one.changes if change.kind is kind]


def test_verdict_and_memory_stand_side_by_side(check: Check) -> None:
    answer = check(
        model="meta/Llama-3-8B", quantization="awq-w4a16", hardware="nvidia-t4", as_of="2026-01-10"
    )
    (vllm,) = answer.answers
    assert vllm.framework == "vllm"
    assert vllm.verdict.level is SupportLevel.SUPPORTED
    assert vllm.estimate is not None
    assert vllm.estimate.fit.level in (FitLevel.FITS, FitLevel.TIGHT)
    assert vllm.estimate.request.engine == "vllm"
    assert answer.silent == ("vllm-ascend",)


def test_a_yes_that_lacks_room_never_runs_and_says_what_would_fit(check: Check) -> None:
    answer = check(
        model="meta/Llama-3-8B",
        quantization="awq-w4a16",
        hardware="nvidia-t4",
        context_tokens="8192",
        concurrency="64",
    )
    (vllm,) = answer.answers
    assert vllm.verdict.level is SupportLevel.SUPPORTED
    assert vllm.outcome is Outcome.NO_ROOM_BY_ESTIMATE
    (devices,) = changes_of(answer, ChangeKind.DEVICES)
    assert int(devices.values[0]) >= 2
    (sequences,) = changes_of(answer, ChangeKind.SEQUENCES)
    assert 1 <= int(sequences.values[0]) < 64


def test_a_refusal_says_on_which_hardware_and_in_which_scheme_it_is_none(check: Check) -> None:
    answer = check(model="meta/Llama-3-8B", quantization="fp8", hardware="nvidia-t4")
    (vllm,) = answer.answers
    assert vllm.outcome is Outcome.UNSUPPORTED
    hardware, in_part = changes_of(answer, ChangeKind.HARDWARE)
    assert (hardware.values, hardware.level) == (("nvidia-ampere",), SupportLevel.CONDITIONAL)
    assert (in_part.values, in_part.level) == (("nvidia-volta",), SupportLevel.PARTIAL)
    assert hardware.claims == ("ampere", "fp8-on-ampere")
    assert hardware.cell is not None
    schemes = [change.values[1] for change in changes_of(answer, ChangeKind.QUANTIZATION)]
    assert "awq-w4a16" in schemes


def test_a_feature_that_stands_in_the_way_is_named(check: Check) -> None:
    answer = check(
        model="meta/Llama-3-8B", quantization="awq-w4a16", hardware="nvidia-t4", feature=["lora"]
    )
    (without,) = changes_of(answer, ChangeKind.FEATURES)
    assert without.values == ("lora",)
    assert without.level is SupportLevel.SUPPORTED


def test_the_next_release_with_a_better_answer_is_named(check: Check) -> None:
    answer = check(hardware="nvidia-v100", quantization="fp8", framework="vllm", version="0.6.0")
    (vllm,) = answer.answers
    assert vllm.verdict.level is SupportLevel.UNSUPPORTED
    (later,) = changes_of(answer, ChangeKind.RELEASE)
    assert (later.values, later.level, later.earlier) == (("0.8.0",), SupportLevel.PARTIAL, False)


def test_the_newest_earlier_release_with_a_better_answer_is_named(check: Check) -> None:
    answer = check(hardware="nvidia-turing", quantization="gguf", framework="vllm")
    (earlier,) = changes_of(answer, ChangeKind.RELEASE)
    assert (earlier.values, earlier.earlier) == (("0.10.0",), True)
    assert "gguf-on-turing" in earlier.claims


def test_a_framework_that_is_named_answers_even_when_nothing_is_known(check: Check) -> None:
    answer = check(hardware="nvidia-t4", framework="vllm-ascend")
    (ascend,) = answer.answers
    assert ascend.outcome is Outcome.UNKNOWN
    assert not ascend.is_relevant
    assert ascend.changes == ()


def test_what_nobody_spoke_of_is_silent_and_not_refused(check: Check) -> None:
    answer = check(hardware="google-tpu")
    assert answer.answers == ()
    assert set(answer.silent) == {"vllm", "vllm-ascend"}


def test_a_context_beyond_the_model_is_refused(check: Check) -> None:
    with pytest.raises(MemoryInputError, match="8192"):
        check(model="meta/Llama-3-8B", quantization="awq", hardware="nvidia-t4",
              context_tokens="9000")  # fmt: skip


def test_runs_are_those_known_and_measured_at_the_dates_of_the_question(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, object]] = []
    monkeypatch.setattr(
        "matrix.checking.answering.measured_runs", lambda _cell, **more: asked.append(more) or ()
    )
    answer = check(model="llama-3", hardware="nvidia-t4", known_at="2026-01-05", as_of="2026-01-08")
    measure(answer.answers[0], answer.question)
    assert asked[0]["as_of"] == date(2026, 1, 8)
    assert asked[0]["known_at"] == datetime(2026, 1, 5, 23, 59, 59, 999999, tzinfo=UTC)


def test_a_model_without_numbers_has_a_verdict_and_no_estimate(check: Check) -> None:
    answer = check(model="llama-3", quantization="awq", hardware="nvidia-t4")
    (vllm,) = answer.answers
    assert vllm.estimate is None
    assert vllm.no_estimate is not None
    assert vllm.no_estimate.code == "no-model-size"
    assert vllm.outcome is Outcome.ROOM_UNKNOWN
