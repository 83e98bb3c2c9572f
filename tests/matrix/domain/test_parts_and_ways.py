"""A way of doing something is no part of it; what an answer takes from which leg."""

from matrix.domain.coordinates import Condition
from matrix.domain.levels import ConditionKind, Confidence, Execution, SupportLevel
from tests.builders import cell, claim, index_of, scope
from tests.matrix.domain.asking import NO, TURING, YES, ask

MARLIN_T4 = {"quantization": "awq-marlin", "hardware": "nvidia-t4"}


class TestWaysOfDoingIt:
    def test_a_yes_for_a_scheme_is_none_for_its_kernels(self) -> None:
        verdict = ask(index_of(claim(YES, about=TURING)), cell(**MARLIN_T4))
        assert verdict.level is SupportLevel.UNKNOWN

    def test_a_no_for_a_scheme_is_one_for_its_kernels(self) -> None:
        verdict = ask(index_of(claim(NO, about=TURING)), cell(**MARLIN_T4))
        assert verdict.level is SupportLevel.UNSUPPORTED

    def test_a_no_for_a_kernel_leaves_the_scheme_untouched(self) -> None:
        index = index_of(
            claim(YES, about=TURING),
            claim(NO, about=scope(quantization="awq-marlin", hardware="nvidia-turing")),
        )
        verdict = ask(index, cell(quantization="awq", hardware="nvidia-t4"))
        assert verdict.level is SupportLevel.SUPPORTED

    def test_a_yes_for_the_kernel_itself_counts(self) -> None:
        about = scope(quantization="awq-marlin", hardware="nvidia-turing")
        assert ask(index_of(claim(YES, about=about)), cell(**MARLIN_T4)).level == YES


class TestExecution:
    def test_it_comes_from_the_leg_of_the_scheme_alone(self) -> None:
        index = index_of(
            claim(
                YES,
                about=scope(quantization="fp8-w8a16", hardware="nvidia-turing"),
                execution=Execution.WEIGHT_ONLY,
            ),
            claim(YES, about=TURING),
        )
        verdict = ask(index, cell(quantization="awq", hardware="nvidia-t4"))
        assert verdict.execution is Execution.UNSTATED

    def test_of_two_equal_claims_the_one_that_states_it_decides(self) -> None:
        silent = claim(YES, about=TURING, uid="a")
        telling = claim(YES, about=TURING, uid="b", execution=Execution.NATIVE)
        asked = cell(quantization="awq", hardware="nvidia-t4")
        assert ask(index_of(silent, telling), asked).execution is Execution.NATIVE


class TestTurning:
    def test_a_caveat_that_nobody_can_set_does_not_reopen_a_no(self) -> None:
        some = Condition(kind=ConditionKind.OTHER, name="hardware-generation", op="=", value="some")
        index = index_of(
            claim(NO, about=scope(hardware="nvidia-turing")),
            claim(YES, about=scope(hardware="nvidia-turing"), conditions=[some]),
        )
        assert ask(index, cell(hardware="nvidia-t4")).level is SupportLevel.UNSUPPORTED

    def test_a_yes_about_another_question_takes_no_joint_no_back(self) -> None:
        index = index_of(
            claim(YES, about=scope(features=["lora"], hardware="nvidia-t4")),
            claim(YES, about=scope(features=["speculative-decoding"], hardware="nvidia-t4")),
            claim(NO, about=scope(features=["lora", "speculative-decoding"])),
            claim(YES, about=scope(hardware="nvidia")),
        )
        asked = cell(hardware="nvidia-t4", features=["lora", "speculative-decoding"])
        verdict = ask(index, asked)
        assert verdict.level is SupportLevel.UNSUPPORTED
        assert not verdict.conflicting


class TestConfidence:
    def test_what_is_only_implied_is_low(self) -> None:
        index = index_of(claim(YES, about=TURING))
        verdict = ask(index, cell(quantization="awq", hardware="nvidia-t4"))
        assert verdict.confidence is Confidence.LOW

    def test_a_model_list_that_names_no_hardware_is_at_most_medium(self) -> None:
        index = index_of(
            claim(YES, about=scope(model="llama-3")),
            claim(YES, about=scope(hardware="nvidia-turing")),
        )
        with_hardware = ask(index, cell(model="llama-3", hardware="nvidia-t4"))
        without = ask(index, cell(model="llama-3"))
        assert with_hardware.confidence is Confidence.MEDIUM
        assert without.confidence is Confidence.HIGH
