"""Which claims speak about a leg, and for which release and day; one class a rule."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from matrix.domain.coordinates import Condition, NumberRange
from matrix.domain.errors import NotReleasedYet, UnknownVersion
from matrix.domain.levels import (
    Axis,
    ConditionKind,
    Confidence,
    EvidenceKind,
    Limit,
    NumberAxis,
    SupportLevel,
    UnknownReason,
)
from matrix.domain.verdicts import AgeKind, Rule
from matrix.domain.versions import ReleaseHistory
from tests.builders import cell, claim, history_of, index_of, released_on, scope
from tests.matrix.domain.asking import AWQ_T4, NO, TURING, YES, ask, leg


class TestLegs:
    def test_a_yes_about_a_joint_fills_its_own_leg_and_the_platform(self) -> None:
        verdict = ask(index_of(claim(YES, about=TURING)), cell(**AWQ_T4))
        assert verdict.level is SupportLevel.SUPPORTED
        assert leg(verdict, "platform").rule is Rule.IMPLIED

    def test_a_no_about_a_joint_says_nothing_of_its_parts(self) -> None:
        index = index_of(claim(NO, about=TURING))
        verdict = ask(index, cell(hardware="nvidia-t4"))
        assert verdict.level is SupportLevel.UNKNOWN

    def test_a_cell_without_any_claim_is_unknown_and_never_a_no(self) -> None:
        verdict = ask(index_of(), cell(**AWQ_T4))
        assert verdict.level is SupportLevel.UNKNOWN
        assert verdict.unknown_reason is UnknownReason.NEVER_INVESTIGATED
        assert verdict.confidence is Confidence.NONE

    def test_a_missing_leg_makes_the_cell_unknown_even_when_the_others_say_yes(self) -> None:
        index = index_of(
            claim(YES, about=TURING), claim(YES, about=scope(model="qwen3forcausallm"))
        )
        verdict = ask(index, cell(model="meta--llama-3-8b", **AWQ_T4))
        assert verdict.level is SupportLevel.UNKNOWN
        assert leg(verdict, "model").level is SupportLevel.UNKNOWN
        assert leg(verdict, "quantization").level is SupportLevel.SUPPORTED

    def test_an_architecture_covers_its_checkpoints(self) -> None:
        index = index_of(claim(YES, about=scope(model="llamaforcausallm")))
        assert ask(index, cell(model="meta--llama-3-8b")).level is SupportLevel.SUPPORTED

    def test_a_checkpoint_does_not_speak_for_its_architecture(self) -> None:
        index = index_of(claim(YES, about=scope(model="meta--llama-3-8b")))
        verdict = ask(index, cell(model="llamaforcausallm"))
        assert verdict.level is SupportLevel.CONDITIONAL
        assert verdict.depends_on == ("model: meta--llama-3-8b",)

    def test_an_unquantized_cell_needs_no_quantization_claim(self) -> None:
        index = index_of(claim(YES, about=scope(hardware="nvidia-turing")))
        verdict = ask(index, cell(hardware="nvidia-t4", quantization="none"))
        assert verdict.level is SupportLevel.SUPPORTED

    def test_a_named_type_goes_without_only_where_the_hardware_computes_with_it(self) -> None:
        index = index_of(
            claim(YES, about=scope(hardware="nvidia")),
            native_formats={
                "nvidia-turing": frozenset({"fp16"}),
                "nvidia-ampere": frozenset({"fp16", "bf16"}),
            },
        )
        turing = ask(index, cell(hardware="nvidia-t4", quantization="bf16"))
        ampere = ask(index, cell(hardware="nvidia-a100", quantization="bf16"))
        untold = ask(index, cell(hardware="nvidia-v100", quantization="bf16"))
        assert turing.level is SupportLevel.UNKNOWN
        assert ampere.level is SupportLevel.SUPPORTED
        assert untold.level is SupportLevel.UNKNOWN

    def test_a_run_on_a_part_leaves_a_type_that_needs_no_statement_as_it_is(self) -> None:
        one = {NumberAxis.HARDWARE_COUNT: NumberRange(1, 1)}
        ran = claim(
            YES,
            about=scope(hardware="nvidia-a100", quantization="bf16", numbers=one),
            kind=EvidenceKind.BENCHMARK_RUN,
        )
        formats = {"nvidia-ampere": frozenset({"bf16"})}
        index = index_of(claim(YES, about=scope(hardware="nvidia")), ran, native_formats=formats)
        verdict = ask(index, cell(hardware="nvidia-a100", quantization="bf16"))
        assert verdict.level is SupportLevel.SUPPORTED
        assert verdict.depends_on == ()
        said = leg(verdict, "quantization")
        assert said.rule is Rule.UNQUANTIZED
        assert [c.claim.uid for c in said.others] == [ran.uid]
        page = replace(ran, uid="page", kind=EvidenceKind.DOCUMENTATION)
        index = index_of(claim(YES, about=scope(hardware="nvidia")), page, native_formats=formats)
        verdict = ask(index, cell(hardware="nvidia-a100", quantization="bf16"))
        assert verdict.level is SupportLevel.CONDITIONAL

    def test_an_unquantized_cell_hears_a_no_about_its_dtype(self) -> None:
        index = index_of(
            claim(YES, about=scope(hardware="nvidia-turing")),
            claim(NO, about=scope(quantization="bf16", hardware="nvidia-turing")),
        )
        verdict = ask(index, cell(hardware="nvidia-t4", quantization="bf16"))
        assert verdict.level is SupportLevel.UNSUPPORTED


class TestImplied:
    """A yes about a joint implies its parts; each implied yes lives as long as its own claim."""

    AWQ, FP8 = (scope(quantization=q, hardware="nvidia-turing") for q in ("awq", "fp8"))

    def test_a_withdrawn_claim_does_not_hide_what_a_standing_one_implies(self) -> None:
        ended = claim(YES, about=self.AWQ, withdrawn_at=datetime(2025, 9, 1, tzinfo=UTC))
        index = index_of(ended, claim(YES, about=self.FP8))
        assert ask(index, cell(hardware="nvidia-t4")).level is SupportLevel.SUPPORTED

    def test_a_claim_that_is_gone_does_not_hide_what_a_standing_one_implies(self) -> None:
        index = index_of(claim(YES, about=self.AWQ, gone="0.7.0"), claim(YES, about=self.FP8))
        assert ask(index, cell("0.8.0", hardware="nvidia-t4")).level is SupportLevel.SUPPORTED

    def test_a_claim_under_a_condition_does_not_bind_what_another_implies(self) -> None:
        flag = Condition(kind=ConditionKind.FLAG, name="--flag", op="=", value="a")
        bound = claim(YES, about=self.AWQ, conditions=[flag], uid="bound")
        index = index_of(bound, claim(YES, about=self.FP8, uid="free"))
        assert ask(index, cell(hardware="nvidia-t4")).level is SupportLevel.SUPPORTED

    def test_a_claim_stated_later_does_not_hide_what_an_earlier_one_implies(self) -> None:
        early = claim(YES, about=self.FP8, seen=["0.3.0"])
        late = claim(YES, about=self.AWQ, seen=["0.3.0"])
        day = released_on("0.5.0")
        late = replace(late, observations=(replace(late.observations[0], stated_on=day),))
        for order in ((early, late), (late, early)):
            verdict = ask(
                index_of(*order), cell("0.3.0", hardware="nvidia-t4"), released_on("0.4.0")
            )
            assert verdict.level is SupportLevel.SUPPORTED

    def test_what_is_said_of_a_whole_vendor_implies_nothing_of_its_devices(self) -> None:
        index = index_of(claim(YES, about=scope(model="llamaforcausallm", hardware="nvidia")))
        device = ask(index, cell(model="llama-3", hardware="nvidia-v100"))
        assert device.level is SupportLevel.UNKNOWN
        assert leg(device, "platform").level is SupportLevel.UNKNOWN
        assert leg(device, "model").level is SupportLevel.SUPPORTED
        vendor = ask(index, cell(model="llama-3", hardware="nvidia"))
        assert leg(vendor, "platform").level is SupportLevel.SUPPORTED

    def test_a_yes_for_a_vendor_takes_back_no_refusal_of_a_generation(self) -> None:
        index = index_of(
            claim(YES, about=scope(model="llamaforcausallm", hardware="nvidia"), seen=["0.8.0"]),
            claim(NO, about=scope(hardware="nvidia-volta"), seen=["0.6.0"]),
        )
        verdict = ask(index, cell("0.8.0", model="llama-3", hardware="nvidia-v100"))
        assert verdict.level is SupportLevel.UNSUPPORTED


class TestSpeaksForTheHardware:
    def test_a_general_yes_about_a_scheme_is_not_enough_for_a_device(self) -> None:
        index = index_of(
            claim(YES, about=scope(quantization="awq")),
            claim(YES, about=scope(hardware="nvidia-turing")),
        )
        verdict = ask(index, cell(**AWQ_T4))
        assert verdict.level is SupportLevel.UNKNOWN
        assert verdict.unknown_reason is UnknownReason.SOURCE_SILENT
        assert len(leg(verdict, "quantization").others) == 1

    def test_a_general_no_about_a_scheme_is_always_heard(self) -> None:
        index = index_of(
            claim(NO, about=scope(quantization="awq")),
            claim(YES, about=scope(hardware="nvidia-turing")),
        )
        assert ask(index, cell(**AWQ_T4)).level is SupportLevel.UNSUPPORTED

    def test_a_general_model_list_does_not_speak_for_hardware_with_a_list_of_its_own(self) -> None:
        index = index_of(
            claim(YES, about=scope(model="llamaforcausallm")),
            claim(YES, about=scope(hardware="google-tpu")),
            claim(YES, about=scope(model="qwen3forcausallm", hardware="google-tpu")),
            claim(YES, about=scope(hardware="nvidia")),
        )
        tpu = ask(index, cell(model="llama-3", hardware="google-tpu"))
        nvidia = ask(index, cell(model="llama-3", hardware="nvidia-t4"))
        assert tpu.level is SupportLevel.UNKNOWN
        assert nvidia.level is SupportLevel.SUPPORTED

    def test_a_feature_stated_per_model_needs_a_claim_about_the_model(self) -> None:
        index = index_of(
            claim(YES, about=scope(features=["lora"], hardware="nvidia-turing")),
            claim(YES, about=scope(features=["lora"], model="qwen3forcausallm")),
            claim(YES, about=scope(model="llamaforcausallm")),
        )
        verdict = ask(index, cell(model="llama-3", hardware="nvidia-t4", features=["lora"]))
        assert leg(verdict, "feature").level is SupportLevel.UNKNOWN


class TestSpecificOverGeneral:
    def test_a_device_lifts_the_no_of_its_architecture(self) -> None:
        index = index_of(
            claim(NO, about=TURING),
            claim(YES, about=scope(quantization="awq", hardware="nvidia-t4")),
        )
        assert ask(index, cell(**AWQ_T4)).level is SupportLevel.SUPPORTED

    def test_a_device_imposes_a_no_on_the_yes_of_its_architecture(self) -> None:
        index = index_of(
            claim(YES, about=TURING),
            claim(NO, about=scope(quantization="awq", hardware="nvidia-t4")),
        )
        verdict = ask(index, cell(**AWQ_T4))
        assert verdict.level is SupportLevel.UNSUPPORTED
        assert verdict.limit is Limit.HARDWARE

    def test_a_capability_gate_counts_its_hardware_as_one_axis(self) -> None:
        gate = claim(
            YES,
            about=scope(quantization="awq", hardware="nvidia-t4"),
            kind=EvidenceKind.CAPABILITY_GATE,
        )
        index = index_of(gate, claim(NO, about=TURING))
        assert ask(index, cell(**AWQ_T4)).level is SupportLevel.UNSUPPORTED


class TestNearestVersion:
    def test_the_release_seen_last_before_the_asked_one_decides(self) -> None:
        index = index_of(
            claim(NO, about=TURING, seen=["0.3.0", "0.4.0"], gone="0.5.0"),
            claim(YES, about=TURING, seen=["0.5.0", "0.6.0"]),
        )
        assert ask(index, cell("0.4.0", **AWQ_T4)).level is SupportLevel.UNSUPPORTED
        assert ask(index, cell("0.6.0", **AWQ_T4)).level is SupportLevel.SUPPORTED

    def test_before_the_first_observation_nothing_is_known(self) -> None:
        index = index_of(claim(YES, about=TURING, seen=["0.6.0"]))
        assert ask(index, cell("0.5.0", **AWQ_T4)).level is SupportLevel.UNKNOWN

    def test_between_two_observations_the_statement_holds_and_says_so(self) -> None:
        index = index_of(claim(YES, about=TURING, seen=["0.4.0", "0.6.0"]))
        verdict = ask(index, cell("0.5.0", **AWQ_T4))
        assert verdict.level is SupportLevel.SUPPORTED
        assert verdict.deciding[0].age.kind is AgeKind.BETWEEN_OBSERVATIONS

    def test_past_the_last_observation_it_is_carried_forward_and_marked(self) -> None:
        index = index_of(claim(YES, about=TURING, seen=["0.6.0"]))
        verdict = ask(index, cell("0.8.0", **AWQ_T4))
        age = verdict.deciding[0].age
        assert (age.kind, age.releases, age.days) == (AgeKind.CARRIED_FORWARD, 2, 60)
        assert verdict.carried_forward
        assert verdict.stale

    def test_nothing_is_inherited_past_a_release_that_no_longer_says_it(self) -> None:
        index = index_of(claim(YES, about=TURING, seen=["0.6.0"], gone="0.8.0"))
        assert ask(index, cell("0.7.0", **AWQ_T4)).level is SupportLevel.SUPPORTED
        assert ask(index, cell("0.8.0", **AWQ_T4)).level is SupportLevel.UNKNOWN

    def test_a_statement_carried_for_more_than_a_year_is_stale_and_answers_nothing(self) -> None:
        near = history_of(versions=["0.1.0", "0.12.0"])
        late = replace(near.releases[1], released_at=datetime(2026, 6, 1, tzinfo=UTC))
        index = index_of(
            claim(YES, about=TURING, seen=["0.1.0"]),
            histories={"vllm": ReleaseHistory("vllm", (near.releases[0], late))},
        )
        verdict = ask(index, cell("0.12.0", **AWQ_T4), date(2026, 7, 1))
        assert verdict.level is SupportLevel.UNKNOWN
        assert verdict.unknown_reason is UnknownReason.STALE

    def test_a_version_outside_the_known_releases_is_an_error_with_the_nearest_ones(self) -> None:
        with pytest.raises(UnknownVersion) as caught:
            ask(index_of(), cell("0.6.9", **AWQ_T4))
        assert "0.6.0" in str(caught.value)


class TestAsOf:
    def test_evidence_stated_later_is_not_seen(self) -> None:
        index = index_of(claim(YES, about=TURING, seen=["0.3.0", "0.6.0"]))
        verdict = ask(index, cell("0.3.0", **AWQ_T4), released_on("0.4.0"))
        assert verdict.level is SupportLevel.SUPPORTED
        before = ask(index, cell("0.2.0", **AWQ_T4), released_on("0.4.0"))
        assert before.level is SupportLevel.UNKNOWN

    def test_latest_is_the_newest_stable_release_on_that_day(self) -> None:
        index = index_of(claim(YES, about=TURING, seen=["0.3.0"]))
        assert ask(index, cell(None, **AWQ_T4), released_on("0.4.0")).version == "0.4.0"

    def test_a_release_of_the_future_is_refused_with_its_date(self) -> None:
        with pytest.raises(NotReleasedYet) as caught:
            ask(index_of(), cell("0.9.0", **AWQ_T4), released_on("0.4.0"))
        assert released_on("0.9.0").isoformat() in str(caught.value)

    def test_an_end_observed_later_does_not_end_it_earlier(self) -> None:
        index = index_of(claim(YES, about=TURING, seen=["0.3.0"], gone="0.5.0"))
        assert ask(index, cell("0.4.0", **AWQ_T4), released_on("0.4.0")).level == YES


class TestKnownAt:
    def test_only_what_was_recorded_by_then_answers(self) -> None:
        recorded = claim(YES, about=TURING, recorded_at=datetime(2025, 9, 1, tzinfo=UTC))
        index = index_of(recorded)
        asked = cell(**AWQ_T4)
        assert ask(index, asked, known_at=date(2025, 8, 31)).level is SupportLevel.UNKNOWN
        assert ask(index, asked, known_at=date(2025, 9, 1)).level is SupportLevel.SUPPORTED

    def test_a_withdrawn_claim_still_answers_for_the_time_before(self) -> None:
        withdrawn = claim(YES, about=TURING, withdrawn_at=datetime(2025, 10, 1, tzinfo=UTC))
        index = index_of(withdrawn)
        asked = cell(**AWQ_T4)
        assert ask(index, asked).level is SupportLevel.UNKNOWN
        assert ask(index, asked, known_at=date(2025, 9, 30)).level is SupportLevel.SUPPORTED


def test_the_assumed_backend_is_told() -> None:
    index = index_of(claim(YES, about=scope(hardware="nvidia-turing", backend="cuda")))
    verdict = ask(index, cell(hardware="nvidia-t4"))
    assert verdict.level is SupportLevel.SUPPORTED
    assert (Axis.BACKEND.value, "cuda") in verdict.assumed


class TestPairsOfFeatures:
    def test_two_separate_yeses_do_not_say_that_features_work_together(self) -> None:
        index = index_of(
            claim(YES, about=scope(features=["lora"])),
            claim(YES, about=scope(features=["prefix-caching"])),
            claim(YES, about=scope(features=["lora", "tensor-parallel"])),
            claim(NO, about=scope(features=["prefix-caching", "speculative-decoding"])),
        )
        verdict = ask(index, cell(features=["lora", "prefix-caching"]))
        assert verdict.level is SupportLevel.UNKNOWN
        assert verdict.legs[-1].subject == "lora + prefix-caching"

    def test_a_joint_yes_answers_the_pair(self) -> None:
        index = index_of(
            claim(YES, about=scope(features=["lora"])),
            claim(YES, about=scope(features=["speculative-decoding"])),
            claim(YES, about=scope(features=["lora", "speculative-decoding"])),
        )
        assert ask(index, cell(features=["lora", "eagle"])).level is SupportLevel.SUPPORTED

    def test_features_that_no_source_pairs_need_no_joint_statement(self) -> None:
        index = index_of(
            claim(YES, about=scope(features=["lora"])),
            claim(YES, about=scope(features=["prefix-caching"])),
        )
        verdict = ask(index, cell(features=["lora", "prefix-caching"]))
        assert verdict.level is SupportLevel.SUPPORTED
