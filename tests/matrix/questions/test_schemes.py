"""Quantization, model and feature words of questions."""

import pytest

from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import NumberAxis
from matrix.questions.features import read_features
from matrix.questions.models import read_models
from matrix.questions.schemes import read_schemes


@pytest.mark.parametrize(
    ("text", "schemes", "kv_dtypes", "container"),
    [
        ("AWQ 4-bit", ("awq-w4a16",), (), None),
        ("none (FP16/BF16)", ("none",), (), None),
        ("none (BF16)", ("bf16",), (), None),
        ("any", (), (), None),
        ("AWQ/GPTQ/any", ("awq", "gptq"), (), None),
        ("BF16, AWQ, GGUF", ("bf16", "awq", "gguf"), (), None),
        ("kv-cache fp8", (), ("kv-fp8",), None),
        ("Q4_K_M, K-cache q8_0", ("gguf-q4-k-m",), ("kv-q8-0",), None),
        ("KV cache q8_0/q4_0/bf16", (), ("kv-q8-0", "kv-q4-0", "kv-bf16"), None),
        ("bitsandbytes (in-flight)", ("bitsandbytes",), (), "in-flight"),
        ("bitsandbytes NF4 pre-quantised", ("bnb-nf4",), (), "bitsandbytes"),
        ("AWQ stored as compressed-tensors", ("awq",), (), "compressed-tensors"),
        ("W8A8 INT8 (Quark)", ("int8-w8a8",), (), "quark"),
        ("MXFP4 W4A16/W4A8", ("mxfp4-w4a16", "mxfp4-w4a8"), (), None),
        ("MXFP4 (Marlin W4A16)", ("mxfp4-w4a16",), (), None),
        ("FP8 block (128x128)", ("fp8-w8a8-block",), (), None),
    ],
)
def test_schemes_cache_types_and_formats_are_told_apart(
    catalogue: Catalogue,
    text: str,
    schemes: tuple[str, ...],
    kv_dtypes: tuple[str, ...],
    container: str | None,
) -> None:
    asked = read_schemes(text, catalogue)
    assert (asked.schemes, asked.kv_dtypes, asked.container) == (schemes, kv_dtypes, container)
    assert asked.restrictions == ()


def test_an_ambiguous_scheme_is_asked_in_all_its_meanings_and_says_so(
    catalogue: Catalogue,
) -> None:
    asked = read_schemes("W8A8", catalogue)
    assert {"int8-w8a8", "fp8-w8a8"} <= set(asked.schemes)
    assert "may mean" in asked.notes[0]


def test_a_hint_settles_an_ambiguous_scheme(catalogue: Catalogue) -> None:
    assert read_schemes("W8A8", catalogue, hints=("int8",)).schemes == ("int8-w8a8",)


def test_an_unknown_scheme_is_a_restriction_never_a_guess(catalogue: Catalogue) -> None:
    asked = read_schemes("Frobnicated Q17", catalogue)
    assert asked.schemes == ()
    assert asked.restrictions


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("Qwen/Qwen3-32B", "qwen--qwen3-32b"),
        ("someone/Qwen3-32B-AWQ-4bit", "qwen--qwen3-32b-awq"),
        ("google/gemma-3-4b-it", "google--gemma-3-4b-it"),
    ],
)
def test_a_checkpoint_is_found_or_stands_for_the_one_it_was_made_from(
    catalogue: Catalogue, text: str, node: str
) -> None:
    assert read_models(text, catalogue).nodes == (node,)


def test_a_name_is_never_shortened_past_a_word_that_changes_the_architecture(
    catalogue: Catalogue,
) -> None:
    asked = read_models("someone/Qwen3-32B-FrobnicatedVision", catalogue)
    assert asked.nodes == ()
    assert asked.restrictions


def test_words_for_formats_beside_a_model_do_not_hide_it(catalogue: Catalogue) -> None:
    plain = read_models("Qwen3-32B", catalogue)
    assert plain.nodes
    assert read_models("Qwen3-32B GPTQ/AWQ", catalogue).nodes == plain.nodes


def test_the_name_of_a_product_line_is_no_model(catalogue: Catalogue) -> None:
    asked = read_models("Qwen", catalogue)
    assert asked.nodes == ()
    assert "which may be any of" in asked.restrictions[0]


@pytest.mark.parametrize("text", ["any", "", None, "dense models"])
def test_words_for_any_model_leave_it_open(catalogue: Catalogue, text: str | None) -> None:
    asked = read_models(text, catalogue)
    assert asked.nodes == () and asked.restrictions == ()


def test_a_kind_of_model_is_a_feature(catalogue: Catalogue) -> None:
    assert read_models("MoE GGUF", catalogue).features == ("moe",)


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("pipeline parallel", ("pipeline-parallel",)),
        ("guided decoding + speculative decoding", ("structured-output", "speculative-decoding")),
        ("speculative decoding (EAGLE3) + pipeline parallel", ("eagle3", "pipeline-parallel")),
        ("LoRA on MoE", ("lora-moe",)),
        ("torch pin; xformers", ("driver", "xformers")),
    ],
)
def test_features_are_found_in_free_words(
    catalogue: Catalogue, text: str, features: tuple[str, ...]
) -> None:
    asked = read_features(text, catalogue)
    assert asked.features == features
    assert asked.restrictions == ()


def test_the_engine_generation_counts_even_inside_another_name(catalogue: Catalogue) -> None:
    asked = read_features("structured output on V1", catalogue)
    assert set(asked.features) == {"engine-v1", "structured-output"}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("context 131072", 131072),
        ("context 65k", 66560),
        ("default max-model-len 16384", 16384),
        ("max_seq_len=524288", 524288),
    ],
)
def test_a_context_length_is_a_number(catalogue: Catalogue, text: str, tokens: int) -> None:
    assert read_features(text, catalogue).numbers == {NumberAxis.CONTEXT_TOKENS: tokens}


def test_a_flag_is_a_setting(catalogue: Catalogue) -> None:
    assert read_features("--moe-backend-x turbo", catalogue).settings == {"moe-backend-x": "turbo"}


def test_unknown_feature_words_are_restrictions(catalogue: Catalogue) -> None:
    asked = read_features("frobnication without LoRA", catalogue)
    assert asked.features == ("lora",)
    assert "feature word 'frobnication'" in asked.restrictions
    assert "feature word 'without'" in asked.restrictions
