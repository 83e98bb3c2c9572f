"""What decides a leg and the verdict among the claims that speak; one class a rule."""

from dataclasses import replace

import pytest

from matrix.domain.coordinates import Condition, NumberRange
from matrix.domain.levels import (
    ConditionKind,
    Confidence,
    EvidenceKind,
    NumberAxis,
    SupportLevel,
    UnknownReason,
)
from matrix.domain.verdicts import Rule
from tests.builders import cell, claim, index_of, scope, surroundings
from tests.matrix.domain.asking import AWQ_T4, NO, PART, TURING, YES, ask, leg


class TestStrength:
    @pytest.mark.parametrize(
        ("stronger", "weaker"),
        [
            (EvidenceKind.BENCHMARK_RUN, EvidenceKind.SOURCE_CODE),
            (EvidenceKind.CI, EvidenceKind.SOURCE_CODE),
            (EvidenceKind.SOURCE_CODE, EvidenceKind.MAINTAINER),
            (EvidenceKind.MAINTAINER, EvidenceKind.RELEASE_NOTE),
            (EvidenceKind.RELEASE_NOTE, EvidenceKind.DOCUMENTATION),
            (EvidenceKind.DOCUMENTATION, EvidenceKind.USER_REPORT),
        ],
    )
    @pytest.mark.parametrize("strong_says", [YES, NO])
    def test_the_stronger_kind_decides_and_the_conflict_is_shown(
        self, stronger: EvidenceKind, weaker: EvidenceKind, strong_says: str
    ) -> None:
        weak_says = NO if strong_says == YES else YES
        index = index_of(
            claim(strong_says, about=TURING, kind=stronger),
            claim(weak_says, about=TURING, kind=weaker),
        )
        verdict = ask(index, cell(**AWQ_T4))
        assert leg(verdict, "quantization").level == strong_says
        assert verdict.conflicting
        assert verdict.confidence in {Confidence.LOW, Confidence.NONE}

    def test_among_equals_the_no_decides(self) -> None:
        index = index_of(claim(YES, about=TURING, uid="a"), claim(NO, about=TURING, uid="b"))
        verdict = ask(index, cell(**AWQ_T4))
        assert verdict.level is SupportLevel.UNSUPPORTED
        assert verdict.conflicting

    def test_a_stronger_no_is_not_hidden_by_a_more_specific_weaker_yes(self) -> None:
        index = index_of(
            claim(NO, about=TURING, kind=EvidenceKind.SOURCE_CODE),
            claim(YES, about=scope(**AWQ_T4), kind=EvidenceKind.USER_REPORT),
        )
        verdict = ask(index, cell(**AWQ_T4))
        assert verdict.level is SupportLevel.UNSUPPORTED
        assert leg(verdict, "quantization").rule is Rule.VETO


class TestGates:
    def test_a_gate_that_lets_pass_proves_nothing(self) -> None:
        index = index_of(
            claim(YES, about=TURING, kind=EvidenceKind.CAPABILITY_GATE),
            claim(YES, about=scope(hardware="nvidia")),
        )
        verdict = ask(index, cell(**AWQ_T4))
        assert verdict.level is SupportLevel.UNKNOWN
        assert leg(verdict, "quantization").gates

    def test_a_gate_that_refuses_is_a_no(self) -> None:
        index = index_of(claim(NO, about=TURING, kind=EvidenceKind.CAPABILITY_GATE))
        assert ask(index, cell(**AWQ_T4)).level is SupportLevel.UNSUPPORTED

    def test_a_measured_run_overrides_a_refusing_gate_which_stays_visible(self) -> None:
        gate = claim(NO, about=TURING, kind=EvidenceKind.CAPABILITY_GATE)
        index = index_of(gate, claim(YES, about=TURING, kind=EvidenceKind.BENCHMARK_RUN))
        verdict = ask(index, cell(**AWQ_T4))
        assert verdict.level is SupportLevel.SUPPORTED
        assert [c.claim for c in leg(verdict, "quantization").contradicting] == [gate]

    def test_a_passing_gate_against_a_weaker_no_is_a_conflict_not_an_answer(self) -> None:
        index = index_of(
            claim(YES, about=TURING, kind=EvidenceKind.CAPABILITY_GATE),
            claim(NO, about=scope(quantization="awq", hardware="nvidia")),
        )
        verdict = ask(index, cell(**AWQ_T4))
        assert verdict.level is SupportLevel.UNKNOWN
        assert verdict.unknown_reason is UnknownReason.SOURCES_CONFLICT


class TestDepends:
    def test_a_no_for_more_than_one_device_turns_yes_into_conditional(self) -> None:
        index = index_of(
            claim(YES, about=TURING),
            claim(
                NO,
                about=scope(
                    quantization="awq",
                    hardware="nvidia-turing",
                    numbers={NumberAxis.TENSOR_PARALLEL: NumberRange(minimum=2)},
                ),
            ),
        )
        assert ask(index, cell(**AWQ_T4)).level is SupportLevel.CONDITIONAL
        one = cell(numbers={NumberAxis.HARDWARE_COUNT: 1}, **AWQ_T4)
        assert ask(index, one).level is SupportLevel.SUPPORTED

    def test_a_yes_with_a_flag_turns_no_into_conditional(self) -> None:
        flag = Condition(kind=ConditionKind.FLAG, name="--moe-backend", op="=", value="marlin")
        index = index_of(
            claim(NO, about=TURING),
            claim(YES, about=TURING, conditions=[flag], uid="with-flag"),
            claim(YES, about=scope(hardware="nvidia")),
        )
        verdict = ask(index, cell(**AWQ_T4))
        assert verdict.level is SupportLevel.CONDITIONAL
        assert verdict.conditions == (flag,)

    def test_a_met_condition_is_no_condition_and_an_opposite_setting_removes_it(self) -> None:
        flag = Condition(kind=ConditionKind.FLAG, name="--moe-backend", op="=", value="marlin")
        index = index_of(claim(YES, about=TURING, conditions=[flag]))
        met = cell(settings={"--moe-backend": "marlin"}, **AWQ_T4)
        other = cell(settings={"--moe-backend": "cutlass"}, **AWQ_T4)
        assert ask(index, cell(**AWQ_T4)).level is SupportLevel.CONDITIONAL
        assert ask(index, met).level is SupportLevel.SUPPORTED
        assert leg(ask(index, other), "quantization").level is SupportLevel.UNKNOWN

    def test_only_a_no_for_a_part_leaves_the_whole_unknown(self) -> None:
        index = index_of(
            claim(NO, about=scope(quantization="fp8-w8a8", hardware="nvidia-ampere")),
            claim(YES, about=scope(hardware="nvidia")),
        )
        verdict = ask(index, cell(quantization="fp8", hardware="nvidia-a100"))
        assert verdict.level is SupportLevel.UNKNOWN

    def test_a_family_whose_schemes_differ_is_conditional_with_both_named(self) -> None:
        index = index_of(
            claim(NO, about=scope(quantization="fp8-w8a8", hardware="nvidia-ampere")),
            claim(YES, about=scope(quantization="fp8-w8a16", hardware="nvidia-ampere")),
        )
        verdict = ask(index, cell(quantization="fp8", hardware="nvidia-a100"))
        assert verdict.level is SupportLevel.CONDITIONAL
        assert verdict.depends_on == ("quantization: fp8-w8a16",)


class TestFeatures:
    def test_a_joint_statement_about_another_feature_does_not_apply_but_is_listed(self) -> None:
        index = index_of(
            claim(YES, about=scope(features=["lora"])),
            claim(NO, about=scope(features=["lora", "speculative-decoding"])),
        )
        verdict = ask(index, cell(features=["lora"]))
        assert verdict.level is SupportLevel.SUPPORTED
        assert len(verdict.limits) == 1

    def test_a_joint_no_decides_when_both_are_asked(self) -> None:
        index = index_of(
            claim(YES, about=scope(features=["lora"])),
            claim(YES, about=scope(features=["speculative-decoding"])),
            claim(NO, about=scope(features=["lora", "speculative-decoding"])),
        )
        verdict = ask(index, cell(features=["lora", "eagle"]))
        assert verdict.level is SupportLevel.UNSUPPORTED


class TestInheritance:
    def test_a_plugin_inherits_models_from_the_upstream_release_it_names(self) -> None:
        index = index_of(claim(YES, about=scope(model="llamaforcausallm")))
        verdict = ask(index, cell(framework="vllm-ascend", model="llama-3"))
        assert verdict.level is SupportLevel.SUPPORTED
        assert verdict.deciding[0].inherited_from == "vllm"
        assert verdict.confidence is Confidence.LOW

    def test_on_other_hardware_an_inherited_yes_holds_under_reserve_only(self) -> None:
        facts = surroundings().frameworks
        plugin = replace(facts["vllm-ascend"], on_other_hardware=True)
        index = index_of(
            claim(YES, about=scope(model="llamaforcausallm")),
            frameworks={**facts, "vllm-ascend": plugin},
        )
        verdict = ask(index, cell(framework="vllm-ascend", model="llama-3"))
        assert verdict.level is SupportLevel.CONDITIONAL
        assert verdict.deciding[0].inherited_from == "vllm"

    def test_a_direct_claim_of_the_plugin_wins(self) -> None:
        index = index_of(
            claim(YES, about=scope(model="llamaforcausallm")),
            claim(NO, about=scope(model="llamaforcausallm"), framework="vllm-ascend"),
        )
        verdict = ask(index, cell(framework="vllm-ascend", model="llama-3"))
        assert verdict.level is SupportLevel.UNSUPPORTED

    def test_a_plugin_that_lists_models_does_not_inherit_a_yes_for_others_but_a_no(self) -> None:
        upstream = [
            claim(YES, about=scope(model="llamaforcausallm")),
            claim(NO, about=scope(model="meta--llama-3-8b")),
        ]
        lists = claim(YES, about=scope(model="qwen3forcausallm"), framework="vllm-ascend")
        index = index_of(*upstream, lists)
        unlisted = ask(index, cell(framework="vllm-ascend", model="llama-3"))
        assert unlisted.level is SupportLevel.UNKNOWN
        assert unlisted.unknown_reason is UnknownReason.NOT_LISTED
        refused = ask(index, cell(framework="vllm-ascend", model="meta--llama-3-8b"))
        assert refused.level is SupportLevel.UNSUPPORTED

    def test_a_run_of_the_plugin_is_no_list_of_what_it_can_do(self) -> None:
        ran = claim(
            YES, about=scope(model="qwen3forcausallm"), framework="vllm-ascend",
            kind=EvidenceKind.BENCHMARK_RUN,
        )  # fmt: skip
        index = index_of(claim(YES, about=scope(model="llamaforcausallm")), ran)
        verdict = ask(index, cell(framework="vllm-ascend", model="llama-3"))
        assert verdict.level is SupportLevel.SUPPORTED

    def test_a_feature_that_the_plugin_states_is_not_inherited_for_the_rest(self) -> None:
        upstream = claim(YES, about=scope(features=["lora"]))
        other = claim(YES, about=scope(features=["prefix-caching"]), framework="vllm-ascend")
        stated = claim(
            YES,
            about=scope(features=["lora"], model="qwen3forcausallm"),
            framework="vllm-ascend",
        )
        asked = cell(framework="vllm-ascend", model="llama-3", features=["lora"])
        silent = leg(ask(index_of(upstream, other), asked), "feature")
        assert silent.level is SupportLevel.SUPPORTED
        assert leg(ask(index_of(upstream, stated), asked), "feature").level is SupportLevel.UNKNOWN

    def test_hardware_statements_of_the_upstream_do_not_carry_over(self) -> None:
        index = index_of(claim(YES, about=TURING))
        verdict = ask(index, cell(framework="vllm-ascend", **AWQ_T4))
        assert verdict.level is SupportLevel.UNKNOWN


class TestPartial:
    def test_a_partial_leg_makes_the_cell_partial(self) -> None:
        index = index_of(claim(PART, about=TURING), claim(YES, about=scope(hardware="nvidia")))
        assert ask(index, cell(**AWQ_T4)).level is SupportLevel.PARTIAL
