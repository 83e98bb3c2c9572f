"""The rules about what one statement says of the whole, of time, and under reserve."""

from dataclasses import replace

import pytest

from matrix.domain.claims import Validity
from matrix.domain.coordinates import Condition
from matrix.domain.levels import (
    ConditionKind,
    EndpointKind,
    EvidenceKind,
    Outcome,
    SupportLevel,
)
from tests.builders import cell, claim, index_of, scope
from tests.matrix.domain.asking import AWQ_T4, NO, TURING, YES, ask, leg


class TestWholeCell:
    def test_a_run_that_names_the_whole_cell_fills_every_leg(self) -> None:
        run = claim(
            YES,
            about=scope(model="llama-3", quantization="awq", hardware="nvidia-t4"),
            kind=EvidenceKind.BENCHMARK_RUN,
            outcome=Outcome.STARTS,
        )
        verdict = ask(index_of(run), cell(model="llama-3", **AWQ_T4))
        assert verdict.level is SupportLevel.SUPPORTED
        assert [c.claim.uid for c in verdict.measured] == [run.uid]

    @pytest.mark.parametrize(
        ("kind", "level"),
        [
            (EvidenceKind.MAINTAINER, SupportLevel.SUPPORTED),
            (EvidenceKind.RELEASE_NOTE, SupportLevel.SUPPORTED),
            (EvidenceKind.USER_REPORT, SupportLevel.SUPPORTED),
            (EvidenceKind.DOCUMENTATION, SupportLevel.UNKNOWN),
            (EvidenceKind.CAPABILITY_GATE, SupportLevel.UNKNOWN),
        ],
    )
    def test_whoever_answers_for_the_combination_speaks_of_all_of_it_but_a_table_does_not(
        self, kind: EvidenceKind, level: SupportLevel
    ) -> None:
        said = claim(
            YES,
            about=scope(features=["lora"], quantization="awq", hardware="nvidia-t4"),
            kind=kind,
        )
        assert ask(index_of(said), cell(features=["lora"], **AWQ_T4)).level is level

    def test_its_conditions_and_its_level_become_those_of_the_legs_it_fills(self) -> None:
        about = scope(features=["lora"], quantization="awq", hardware="nvidia-t4")
        flag = Condition(kind=ConditionKind.FLAG, name="--dtype", op="=", value="half")
        asked = cell(features=["lora"], **AWQ_T4)
        kind = EvidenceKind.MAINTAINER
        with_flag = claim(YES, about=about, kind=kind, conditions=[flag])
        in_part = claim("partial", about=about, kind=kind, note="only one adapter")
        assert ask(index_of(with_flag), asked).level is SupportLevel.CONDITIONAL
        assert ask(index_of(in_part), asked).level is SupportLevel.PARTIAL

    def test_a_yes_that_leaves_out_an_asked_node_fills_nothing(self) -> None:
        said = claim(
            YES,
            about=scope(quantization="awq", hardware="nvidia-t4"),
            kind=EvidenceKind.MAINTAINER,
        )
        verdict = ask(index_of(said), cell(model="llama-3", **AWQ_T4))
        assert verdict.level is SupportLevel.UNKNOWN

    def test_an_axis_named_without_nodes_speaks_of_all_of_them_and_is_not_left_open(self) -> None:
        said = claim(
            YES,
            about=scope(quantization="awq", hardware="nvidia-t4", model=[]),
            kind=EvidenceKind.MAINTAINER,
        )
        index = index_of(said)
        assert ask(index, cell(model="llama-3", **AWQ_T4)).level is SupportLevel.SUPPORTED
        assert ask(index, cell(**AWQ_T4)).level is SupportLevel.SUPPORTED

    def test_an_older_and_wider_yes_in_part_gives_way_and_a_newer_one_does_not(self) -> None:
        said = claim(
            YES,
            about=scope(quantization="awq", hardware="nvidia-t4"),
            kind=EvidenceKind.MAINTAINER,
            seen=["0.6.0"],
        )
        turing = scope(hardware="nvidia-turing")
        older = claim("partial", about=turing, note="some cards", seen=["0.3.0"])
        newer = claim("partial", about=turing, note="some cards", seen=["0.7.0"])
        asked = cell(version="0.7.0", **AWQ_T4)
        assert ask(index_of(said, older), asked).level is SupportLevel.SUPPORTED
        assert ask(index_of(said, newer), asked).level is SupportLevel.PARTIAL

    def test_noes_for_parts_do_not_narrow_a_statement_about_the_whole(self) -> None:
        said = claim(
            YES,
            about=scope(features=["lora"], quantization="awq", hardware="nvidia"),
            kind=EvidenceKind.MAINTAINER,
        )
        parts = [
            claim(NO, about=scope(hardware="nvidia-volta")),
            claim(YES, about=scope(hardware="nvidia-turing")),
        ]
        asked = cell(features=["lora"], quantization="awq", hardware="nvidia")
        assert ask(index_of(said, *parts), asked).level is SupportLevel.SUPPORTED
        not_there = claim(NO, about=scope(features=["lora"], hardware="nvidia-volta"))
        assert ask(index_of(said, *parts, not_there), asked).level is SupportLevel.SUPPORTED

    def test_a_switch_of_a_combination_is_no_condition_of_its_parts_but_a_toolkit_is(self) -> None:
        about = scope(quantization="awq", hardware="nvidia-t4")
        flag = Condition(kind=ConditionKind.FLAG, name="--dtype", op="=", value="half")
        toolkit = Condition(kind=ConditionKind.TOOLKIT, name="cuda", op=">=", value="12.8")
        asked = cell(hardware="nvidia-t4")
        assert ask(index_of(claim(YES, about=about, conditions=[flag])), asked).level is (
            SupportLevel.SUPPORTED
        )
        assert ask(index_of(claim(YES, about=about, conditions=[toolkit])), asked).level is (
            SupportLevel.CONDITIONAL
        )

    def test_a_no_of_another_leg_stands_beside_it(self) -> None:
        said = claim(
            YES,
            about=scope(features=["lora"], quantization="awq", hardware="nvidia-t4"),
            kind=EvidenceKind.USER_REPORT,
        )
        refused = claim(NO, about=scope(hardware="nvidia-t4"))
        verdict = ask(index_of(said, refused), cell(features=["lora"], **AWQ_T4))
        assert verdict.level is SupportLevel.UNSUPPORTED


class TestReserves:
    def test_a_no_for_those_who_turn_something_on_leaves_a_yes_as_it_is(self) -> None:
        asked = cell(**AWQ_T4)
        chosen = Condition(kind=ConditionKind.DTYPE, name="dtype", op="=", value="bfloat16")
        needed = Condition(kind=ConditionKind.FLAG, name="--enforce-eager", op="unset")
        yes = claim(YES, about=TURING)
        assert leg(ask(index_of(yes, claim(NO, about=TURING, conditions=[chosen])), asked),
                   "quantization").level is SupportLevel.SUPPORTED  # fmt: skip
        assert leg(ask(index_of(yes, claim(NO, about=TURING, conditions=[needed])), asked),
                   "quantization").level is SupportLevel.CONDITIONAL  # fmt: skip

    def test_the_no_is_heard_when_it_is_turned_on(self) -> None:
        chosen = Condition(kind=ConditionKind.DTYPE, name="dtype", op="=", value="bfloat16")
        index = index_of(claim(YES, about=TURING), claim(NO, about=TURING, conditions=[chosen]))
        verdict = ask(index, cell(settings={"dtype": "bfloat16"}, **AWQ_T4))
        assert leg(verdict, "quantization").level is SupportLevel.UNSUPPORTED

    def test_an_older_reserve_does_not_narrow_a_newer_yes_without_conditions(self) -> None:
        unless = Condition(kind=ConditionKind.BUILD_OPTION, name="ARCHS", op="unset")
        older = claim(NO, about=TURING, conditions=[unless], seen=["0.3.0"])
        newer = claim(YES, about=TURING, seen=["0.6.0"])
        verdict = ask(index_of(older, newer), cell(version="0.6.0", **AWQ_T4))
        assert leg(verdict, "quantization").level is SupportLevel.SUPPORTED


class TestLists:
    def test_what_somebody_says_of_one_model_does_not_make_the_leg_a_list_of_models(self) -> None:
        general = claim(YES, about=TURING)
        about = scope(model="qwen3forcausallm", quantization="awq", hardware="nvidia-turing")
        asked = cell(model="llama-3", **AWQ_T4)
        by_one = index_of(general, claim(YES, about=about, kind=EvidenceKind.USER_REPORT))
        by_list = index_of(general, claim(YES, about=about))
        assert leg(ask(by_one, asked), "quantization").level is SupportLevel.SUPPORTED
        assert leg(ask(by_list, asked), "quantization").level is SupportLevel.UNKNOWN


class TestSince:
    def test_a_yes_that_names_its_first_release_takes_back_narrower_refusals_before_it(
        self,
    ) -> None:
        refused = claim(
            NO,
            about=scope(quantization="awq", hardware="nvidia-t4"),
            kind=EvidenceKind.MAINTAINER,
            seen=["0.5.0"],
        )
        since = claim(
            YES,
            about=scope(quantization="awq", hardware="nvidia-turing"),
            kind=EvidenceKind.RELEASE_NOTE,
            seen=["0.6.0"],
            validity=Validity(first="0.6.0", last="0.6.0", first_kind=EndpointKind.EXACT),
        )
        undated = replace(
            since, validity=replace(since.validity, first_kind=EndpointKind.AT_OR_BEFORE)
        )
        asked = cell(version="0.6.0", **AWQ_T4)
        assert leg(ask(index_of(refused, since), asked), "quantization").level is (
            SupportLevel.SUPPORTED
        )
        assert leg(ask(index_of(refused, undated), asked), "quantization").level is (
            SupportLevel.UNSUPPORTED
        )

    def test_a_refusal_seen_after_that_release_stands(self) -> None:
        since = claim(
            YES,
            about=scope(quantization="awq", hardware="nvidia-turing"),
            seen=["0.4.0", "0.6.0"],
            validity=Validity(first="0.4.0", last="0.6.0", first_kind=EndpointKind.EXACT),
        )
        refused = claim(NO, about=scope(quantization="awq", hardware="nvidia-t4"), seen=["0.5.0"])
        verdict = ask(index_of(since, refused), cell(version="0.6.0", **AWQ_T4))
        assert leg(verdict, "quantization").level is SupportLevel.UNSUPPORTED

    def test_a_yes_with_a_flag_about_less_than_what_is_refused_does_not_reopen_it(self) -> None:
        flag = Condition(kind=ConditionKind.FLAG, name="--quantize", op="=", value="awq")
        general = claim(YES, about=TURING, conditions=[flag])
        refused = claim(
            NO,
            about=scope(quantization="awq", hardware="nvidia-turing", container="awq"),
        )
        asked = cell(container="awq", **AWQ_T4)
        verdict = ask(index_of(general, refused), asked)
        assert leg(verdict, "quantization").level is SupportLevel.UNSUPPORTED


class TestPlaces:
    def test_a_yes_that_names_no_machine_says_nothing_of_a_backend(self) -> None:
        said = claim(YES, about=scope(quantization="gguf-q4-k"), kind=EvidenceKind.SOURCE_CODE)
        verdict = ask(index_of(said), cell(quantization="gguf-q4-k", backend="vulkan"))
        assert verdict.level is SupportLevel.UNKNOWN

    def test_a_named_backend_that_the_hardware_does_not_imply_must_be_named(self) -> None:
        said = claim(
            YES,
            about=scope(features=["lora"], quantization="awq", hardware="nvidia-t4"),
            kind=EvidenceKind.USER_REPORT,
        )
        usual = cell(features=["lora"], backend="cuda", **AWQ_T4)
        other = cell(features=["lora"], backend="vulkan", **AWQ_T4)
        assert ask(index_of(said), usual).level is SupportLevel.SUPPORTED
        assert ask(index_of(said), other).level is SupportLevel.UNKNOWN

    def test_a_yes_for_a_part_leaves_a_no_about_the_whole_as_it_is(self) -> None:
        flag = Condition(kind=ConditionKind.FLAG, name="--force", op="set")
        refused = claim(NO, about=scope(quantization="awq", hardware="nvidia-turing"))
        part = claim(YES, about=scope(quantization="awq", hardware="nvidia-t4"), conditions=[flag])
        verdict = ask(index_of(refused, part), cell(quantization="awq", hardware="nvidia-turing"))
        assert leg(verdict, "quantization").level is SupportLevel.UNSUPPORTED

    def test_a_no_that_a_general_yes_takes_back_does_not_answer_for_a_model(self) -> None:
        turing = scope(quantization="awq", hardware="nvidia-turing")
        older = claim(NO, about=turing, kind=EvidenceKind.DOCUMENTATION, seen=["0.3.0"])
        newer = claim(YES, about=turing, kind=EvidenceKind.DOCUMENTATION, seen=["0.6.0"])
        listed = claim(
            YES,
            about=scope(quantization="awq", hardware="nvidia-turing", model="qwen3forcausallm"),
        )
        verdict = ask(
            index_of(older, newer, listed), cell(version="0.6.0", model="llama-3", **AWQ_T4)
        )
        assert leg(verdict, "quantization").level is SupportLevel.UNKNOWN
