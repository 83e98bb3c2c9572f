"""Types and bytes of whole files, against sizes that llama-quantize and loads gave."""

import pytest

from matrix.domain.memory.ggml_types import GGML_TYPES, TYPES_BY_NUMBER
from matrix.domain.memory.gguf_mix import (
    BASE_TYPES,
    FILE_TYPES,
    bytes_by_type,
    lowest_bits,
    typed_tensors,
)
from tests.matrix.domain.memory.llama_shapes import llama_shape


def total(name, file_type):
    return sum(one.bytes_ for one in typed_tensors(llama_shape(name), file_type))


def type_of(name, file_type, tensor):
    typed = typed_tensors(llama_shape(name), file_type)
    return next(one.type_name for one in typed if one.tensor.name == tensor)


@pytest.mark.parametrize(
    ("name", "bits"),
    [("Q4_0", 4.5), ("Q4_K", 4.5), ("Q6_K", 6.5625), ("IQ1_S", 1.5625), ("MXFP4", 4.25),
     ("TQ1_0", 1.6875), ("Q1_0", 1.125), ("Q2_0", 2.25), ("NVFP4", 4.5), ("BF16", 16)],
)  # fmt: skip
def test_blocks_take_the_bits_that_their_layout_says(name, bits):
    assert GGML_TYPES[name].bits_per_element == bits


def test_numbers_and_names_of_types_are_one_to_one():
    assert len(TYPES_BY_NUMBER) == len(GGML_TYPES) == 35


def test_every_file_type_has_a_base_type_that_exists():
    assert len(BASE_TYPES) >= 33
    assert set(BASE_TYPES.values()) <= set(GGML_TYPES)


@pytest.mark.parametrize(
    ("name", "file_type", "expected"),
    [
        ("llama-8b", "BF16", 16061054976),
        ("llama-8b", "Q4_K_M", 4912898048),
        ("gpt-oss-20b", "MXFP4_MOE", 1907481600 + 36731136 + 10152345600),
    ],
)
def test_a_file_has_the_bytes_that_the_tool_wrote(name, file_type, expected):
    assert total(name, file_type) == expected


def test_the_two_halves_of_a_mix_add_up_by_type():
    found = bytes_by_type(typed_tensors(llama_shape("llama-8b"), "BF16"))
    assert found == {"BF16": 16059990016, "F32": 1064960}


def test_more_bits_go_to_the_first_and_last_eighth_and_to_each_third_layer():
    kinds = [type_of("llama-8b", "Q4_K_M", f"blk.{n}.ffn_down.weight") for n in range(32)]
    assert kinds[:4] == ["Q6_K"] * 4
    assert kinds[4:8] == ["Q4_K", "Q4_K", "Q6_K", "Q4_K"]
    assert kinds[28:] == ["Q6_K"] * 4


def test_rows_that_are_no_whole_blocks_fall_back_to_smaller_blocks():
    # 2880 is no multiple of 256.
    assert type_of("gpt-oss-20b", "Q4_K_M", "blk.5.attn_q.weight") == "Q5_0"
    assert type_of("gpt-oss-20b", "Q2_K", "blk.5.ffn_gate_exps.weight") == "Q4_0"
    assert type_of("gpt-oss-20b", "IQ1_S", "blk.5.ffn_gate_exps.weight") == "IQ4_NL"
    assert type_of("gpt-oss-20b", "Q4_K_M", "output.weight") == "Q8_0"


def test_norms_routers_and_convolutions_stay_wide():
    assert type_of("mixtral-8x7b", "Q4_K_M", "blk.0.ffn_gate_inp.weight") == "F32"
    assert type_of("mamba2", "Q4_K_M", "blk.0.ssm_conv1d.weight") == "F32"
    assert type_of("mamba2", "Q4_K_M", "blk.0.ssm_a") == "F32"
    assert type_of("llama-8b", "Q2_K", "blk.0.attn_norm.weight") == "F32"


def test_models_of_eight_experts_keep_their_values_in_eight_bits():
    assert type_of("mixtral-8x7b", "Q4_K_M", "blk.9.attn_v.weight") == "Q8_0"
    assert type_of("mixtral-8x7b", "Q4_K_M", "blk.9.attn_k.weight") == "Q8_0"
    assert type_of("mixtral-8x7b", "Q4_K_M", "blk.9.attn_output.weight") == "Q5_K"


def test_a_tied_embedding_takes_the_type_of_an_output():
    assert type_of("gemma-3-4b", "Q4_K_M", "token_embd.weight") == "Q6_K"
    assert type_of("llama-8b", "Q4_K_M", "token_embd.weight") == "Q4_K"


def test_experts_of_a_checkpoint_that_is_quantised_already_can_be_kept():
    shape = llama_shape("gpt-oss-20b")
    kept = typed_tensors(shape, "F16", "MXFP4")
    kinds = {one.type_name for one in kept if "_exps.weight" in one.tensor.name}
    assert kinds == {"MXFP4"}
    assert sum(one.bytes_ for one in kept) < total("gpt-oss-20b", "F16") / 2


@pytest.mark.parametrize("file_type", list(BASE_TYPES))
def test_the_lower_bound_is_never_above_a_file(file_type):
    for name in ("llama-8b", "deepseek-v3", "mixtral-8x7b"):
        typed = typed_tensors(llama_shape(name), file_type)
        elements = sum(one.tensor.elements for one in typed)
        assert elements * lowest_bits(file_type) / 8 <= sum(one.bytes_ for one in typed)


def test_the_lower_bound_is_that_of_the_smallest_tensor():
    shape = llama_shape("llama-8b")
    for file_type in FILE_TYPES:
        types = {one.type_name for one in typed_tensors(shape, file_type)}
        least = min(GGML_TYPES[name].bits_per_element for name in types)
        assert lowest_bits(file_type) <= least
