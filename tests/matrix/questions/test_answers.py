"""Answers: what claims give, and what a question asks beyond them."""

from datetime import date

import pytest

from matrix.asking import Question as CellQuestion
from matrix.asking import QuestionReader, question_words
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.levels import Axis, Execution, SupportLevel, Tier
from matrix.questions.answers import combine_levels
from tests.matrix.questions.worlds import ask, state

T4 = {"device": "Tesla T4", "arch": "sm_75", "backend": "CUDA", "count": 1}
SUPPORTED = SupportLevel.SUPPORTED
CONDITIONAL = SupportLevel.CONDITIONAL
PARTIAL = SupportLevel.PARTIAL
UNSUPPORTED = SupportLevel.UNSUPPORTED
UNKNOWN = SupportLevel.UNKNOWN


def _on_turing(catalogue: Catalogue, level: str = "supported") -> list[Claim]:
    return [
        state("supported", catalogue=catalogue, hardware="nvidia-turing"),
        state(level, catalogue=catalogue, hardware="nvidia-turing", quantization="awq"),
    ]


def test_stated_support_is_answered_as_supported(catalogue: Catalogue) -> None:
    answer = ask(catalogue, _on_turing(catalogue), quantization="AWQ", **T4)
    assert answer.level is SUPPORTED
    assert answer.reasons == ()


def test_a_stated_no_is_answered_as_unsupported(catalogue: Catalogue) -> None:
    claims = _on_turing(catalogue, "unsupported")
    assert ask(catalogue, claims, quantization="AWQ", **T4).level is UNSUPPORTED


def test_nothing_stated_is_unknown_never_no(catalogue: Catalogue) -> None:
    assert ask(catalogue, [], quantization="AWQ", **T4).level is UNKNOWN


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "Does a 7B AWQ model fit in the memory of a T4?"},
        {"question": "Does the release wheel run AWQ on T4?"},
        {"question": "Does AWQ run on T4 with driver 450?"},
        {"question": "Does AWQ run on T4 with default settings?"},
        {"question": "Does AWQ give correct output on T4?"},
        {"question": "Does AWQ run on T4 natively?"},
        {"question": "Does AWQ run on T4 and on RTX 4090?"},
        {"question": "Does AWQ run on T4 with LoRA?"},
        {"question": "Does AWQ of Qwen3-32B run on T4?"},
        {"question": "Does AWQ run on T4 with PyTorch 2.9?"},
        {"kind": "memory fit"},
        {"kind": "driver/CUDA pin"},
        {"feature": "frobnication"},
        {"feature": "LoRA"},
        {"feature": "--frobnicate on"},
        {"feature": "context 131072"},
        {"model": "someone/Frobnicated-7X"},
        {"model": "Qwen/Qwen3-32B"},
        {"quantization": "AWQ, frobnicated"},
        {"quantization": "AWQ stored as compressed-tensors"},
        {"backend": "CUDA 12.8"},
        {"framework": "vLLM (some fork)"},
        {"framework_version": "0.11.0 custom"},
    ],
)
def test_what_nobody_stated_makes_support_unknown(
    catalogue: Catalogue, fields: dict[str, object]
) -> None:
    asked = {"quantization": "AWQ", **T4, **fields}
    answer = ask(catalogue, _on_turing(catalogue), **asked)
    assert answer.level is UNKNOWN
    assert answer.reasons or answer.unguarded is UNKNOWN


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "Does AWQ run on T4 with default settings?"},
        {"feature": "frobnication"},
        {"model": "someone/Frobnicated-7X"},
        {"backend": "CUDA 12.8"},
        {"kind": "memory fit"},
    ],
)
def test_a_no_about_less_than_everything_asked_stays_a_no(
    catalogue: Catalogue, fields: dict[str, object]
) -> None:
    asked = {"quantization": "AWQ", **T4, **fields}
    assert ask(catalogue, _on_turing(catalogue, "unsupported"), **asked).level is UNSUPPORTED


def test_two_features_need_a_statement_about_both(catalogue: Catalogue) -> None:
    fields = {
        "device": "any NVIDIA",
        "backend": "CUDA",
        "feature": "LoRA + speculative decoding",
    }
    alone = [
        state("supported", catalogue=catalogue, hardware="nvidia"),
        state("supported", catalogue=catalogue, features=["lora"]),
        state("supported", catalogue=catalogue, features=["speculative-decoding"]),
    ]
    both = state("supported", catalogue=catalogue, features=["lora", "speculative-decoding"])
    assert ask(catalogue, alone, **fields).level is UNKNOWN
    assert "lora together with speculative-decoding" in ask(catalogue, alone, **fields).reasons[0]
    assert ask(catalogue, [*alone, both], **fields).level is SUPPORTED


def test_a_quantized_model_needs_a_statement_about_both(catalogue: Catalogue) -> None:
    fields = {"device": "any NVIDIA", "model": "Qwen/Qwen3-32B", "quantization": "GGUF"}
    alone = [
        state("supported", catalogue=catalogue, hardware="nvidia"),
        state("supported", catalogue=catalogue, model="qwen3"),
        state("supported", catalogue=catalogue, hardware="nvidia", quantization="gguf"),
    ]
    answer = ask(catalogue, alone, **fields)
    assert answer.unguarded is SUPPORTED
    assert answer.level is UNKNOWN
    assert answer.reasons == ("not stated: gguf for qwen--qwen3-32b",)


def test_a_plan_is_no_support(catalogue: Catalogue) -> None:
    planned = [state("supported", catalogue=catalogue, hardware="nvidia-turing", tier=Tier.PLANNED)]
    assert ask(catalogue, planned, **T4).level is UNKNOWN


def test_a_no_from_before_the_named_change_does_not_answer(catalogue: Catalogue) -> None:
    claims = _on_turing(catalogue, "unsupported")
    fields = {"quantization": "AWQ", "as_of": date(2025, 12, 20), **T4}
    later = ask(catalogue, claims, framework_version="0.12.0 (after PR #1)", **fields)
    plain = ask(catalogue, claims, framework_version="0.12.0", **fields)
    assert (later.level, plain.level) == (UNKNOWN, UNSUPPORTED)


@pytest.mark.parametrize(
    ("levels", "combined"),
    [
        ([SUPPORTED, SUPPORTED], SUPPORTED),
        ([SUPPORTED, PARTIAL], PARTIAL),
        ([SUPPORTED, UNSUPPORTED], CONDITIONAL),
        ([UNSUPPORTED, UNSUPPORTED], UNSUPPORTED),
        ([SUPPORTED, UNKNOWN], UNKNOWN),
        ([UNSUPPORTED, UNKNOWN], UNKNOWN),
        ([], UNKNOWN),
    ],
)
def test_alternatives_are_combined_cautiously(
    levels: list[SupportLevel], combined: SupportLevel
) -> None:
    assert combine_levels(levels)[0] is combined


def test_devices_that_differ_give_a_conditional_answer(catalogue: Catalogue) -> None:
    claims = [
        *_on_turing(catalogue),
        state("supported", catalogue=catalogue, hardware="nvidia-volta"),
        state("unsupported", catalogue=catalogue, hardware="nvidia-volta", quantization="awq"),
    ]
    answer = ask(catalogue, claims, device="T4 / V100", backend="CUDA", quantization="AWQ")
    assert [verdict.level for verdict in answer.verdicts] == [SUPPORTED, UNSUPPORTED]
    assert answer.level is CONDITIONAL


def test_a_moe_question_to_llama_cpp_asks_the_expert_layer(catalogue: Catalogue) -> None:
    answer = ask(catalogue, [], framework="llama.cpp", framework_version="", model="MoE GGUF")
    cell = answer.asked.cells[0]
    assert cell.nodes[Axis.LAYER] == "moe"
    assert cell.features == frozenset()


def test_the_framework_nobody_knows_is_unknown_and_says_so(catalogue: Catalogue) -> None:
    answer = ask(catalogue, [], framework="Frobnicator")
    assert answer.level is UNKNOWN
    assert "the question names framework 'Frobnicator', which is not covered" in answer.reasons


def test_a_question_reads_to_the_cell_that_its_request_asks(catalogue: Catalogue) -> None:
    fields = {"quantization": "AWQ", "feature": "LoRA, --moe-backend-x turbo", **T4}
    answer = ask(catalogue, _on_turing(catalogue), **fields)
    cell = answer.asked.cells[0]
    words: dict[str, list[str]] = {}
    for name, value in question_words(CellQuestion(cell=cell, as_of=answer.asked.as_of)):
        words.setdefault(name, []).append(value)
    reader = QuestionReader(
        catalogue, today=date(2026, 11, 30), words_of_axis=lambda _: frozenset()
    )
    assert reader.read(words).cell == cell


def test_a_family_does_not_state_its_unusual_variant(catalogue: Catalogue) -> None:
    claims = [
        state("supported", catalogue=catalogue, hardware="nvidia-turing"),
        state("supported", catalogue=catalogue, hardware="nvidia-turing", quantization="gptq"),
    ]
    assert ask(catalogue, claims, quantization="GPTQ 4-bit", **T4).level is SUPPORTED
    answer = ask(catalogue, claims, quantization="GPTQ 3-bit", **T4)
    assert answer.reasons == ("not stated: the variant gptq-w3a16",)


def test_an_activation_type_is_asked_as_a_setting(catalogue: Catalogue) -> None:
    fields = {"quantization": "AWQ", "feature": "bfloat16 activations", **T4}
    answer = ask(catalogue, _on_turing(catalogue), **fields)
    assert answer.asked.cells[0].settings == {"dtype": "bfloat16"}
    assert answer.level is UNKNOWN


@pytest.mark.parametrize(
    ("sentence", "level"),
    [
        ("Is AWQ computed on the GPU?", UNSUPPORTED),
        ("Is AWQ off-loaded to a T4?", UNSUPPORTED),
        ("Does AWQ run?", PARTIAL),
    ],
)
def test_a_fallback_to_the_cpu_is_a_no_where_the_device_is_asked(
    catalogue: Catalogue, sentence: str, level: SupportLevel
) -> None:
    claims = [
        state("supported", catalogue=catalogue, hardware="nvidia-turing"),
        state(
            "partial",
            catalogue=catalogue,
            execution=Execution.CPU_FALLBACK,
            hardware="nvidia-turing",
            quantization="awq",
        ),
    ]
    assert ask(catalogue, claims, quantization="AWQ", question=sentence, **T4).level is level


def test_a_vendor_wide_yes_does_not_speak_for_one_device(catalogue: Catalogue) -> None:
    claims = [state("supported", catalogue=catalogue, hardware="nvidia")]
    assert ask(catalogue, claims, device="any NVIDIA", backend="CUDA").level is SUPPORTED
    answer = ask(catalogue, claims, **T4)
    assert answer.reasons == (
        "not stated: the platform nvidia-t4 for less than a whole vendor or family",
    )


@pytest.mark.parametrize("backend", ["Vulkan", "ROCm"])
def test_a_backend_that_framework_or_hardware_lack_is_no_support(
    catalogue: Catalogue, backend: str
) -> None:
    claims = [state("supported", catalogue=catalogue, hardware="nvidia-turing")]
    answer = ask(catalogue, claims, device="Tesla T4", backend=backend)
    assert answer.unguarded is SUPPORTED
    assert answer.level is UNKNOWN


@pytest.mark.parametrize(
    ("device", "family", "level"),
    [
        ("RTX 5090", "nvidia-blackwell", UNKNOWN),
        ("RTX 5090", "nvidia-sm-120", SUPPORTED),
        ("B200", "nvidia-blackwell", SUPPORTED),
        ("Jetson Orin", "nvidia-ampere", UNKNOWN),
        ("RTX 3090", "nvidia-ampere", SUPPORTED),
    ],
)
def test_a_family_does_not_stand_for_those_that_only_share_its_name(
    catalogue: Catalogue, device: str, family: str, level: SupportLevel
) -> None:
    claims = [state("supported", catalogue=catalogue, hardware=family)]
    assert ask(catalogue, claims, device=device, backend="CUDA").level is level
