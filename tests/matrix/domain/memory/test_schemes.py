"""Bits of schemes, and what a checkpoint's own quantization_config says."""

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.memory.checkpoint_scheme import kept_parts_of, scheme_of_config
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.kv_values import KV_VALUES
from matrix.domain.memory.schemes import SCHEMES, bits_with_group, scheme_bits
from matrix.domain.memory.usable import USABLE


def test_every_scheme_with_known_bits_is_a_slug_of_the_catalogue() -> None:
    known = set(read_catalogue().area("quantization"))
    assert set(SCHEMES) <= known
    assert {slug for slug in KV_VALUES if slug} <= known


def test_every_scheme_lies_within_its_range() -> None:
    for found in SCHEMES.values():
        assert 0 < found.low <= found.bits <= found.high <= 32


def test_no_scheme_is_narrower_than_the_bits_the_catalogue_states() -> None:
    nodes = read_catalogue().area("quantization")
    for slug, found in SCHEMES.items():
        stated = nodes[slug].facts.get("weight_bits")
        if isinstance(stated, int) and "sparse" not in found.note and "sparsity" not in (
            nodes[slug].facts
        ):  # fmt: skip
            assert found.low >= stated, slug


def test_every_device_with_usable_memory_is_a_slug_of_the_catalogue() -> None:
    assert set(USABLE) <= set(read_catalogue().area("hardware"))


def test_awq_has_scales_and_zeros_for_each_group_of_128() -> None:
    found = scheme_bits("awq-w4a16")
    assert found is not None
    assert found.bits == 4 + 16 / 128 + 4 / 128
    assert bits_with_group(found, scheme="awq-w4a16", group=32).bits == 4 + 20 / 32


@pytest.mark.parametrize("word", ["Q4", "4-bit", "w4", "8bit", "FP4"])
def test_a_width_alone_is_refused_with_the_schemes_it_may_mean(word: str) -> None:
    with pytest.raises(MemoryInputError) as refused:
        scheme_bits(word)
    assert refused.value.code == "ambiguous-scheme"
    assert refused.value.facts["nearest"]


def test_a_scheme_without_a_known_layout_has_no_bits() -> None:
    assert scheme_bits("exl2") is None


@pytest.mark.parametrize(
    ("stated", "slug"),
    [
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "awq-w4a16"),
        ({"quant_method": "gptq", "bits": 8}, "gptq-w8a16"),
        ({"quant_method": "gptq"}, "gptq"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8-w8a8-block"),
        ({"quant_method": "fp8"}, "fp8-w8a8"),
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bnb-nf4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4-w4a4"),
        ({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"}, "modelopt-mixed"),
        ({"quant_method": "something-new"}, ""),
    ],
)
def test_the_scheme_of_a_checkpoint_is_named(stated: dict[str, object], slug: str) -> None:
    assert scheme_of_config({"quantization_config": stated}) == slug


@pytest.mark.parametrize(
    ("weights", "has_inputs", "slug"),
    [
        ({"num_bits": 4, "type": "int", "group_size": 128}, False, "int4-w4a16"),
        ({"num_bits": 8, "type": "int"}, True, "int8-w8a8"),
        ({"num_bits": 8, "type": "float", "strategy": "channel"}, True, "fp8-w8a8-row"),
        ({"num_bits": 4, "type": "float", "group_size": 16}, True, "nvfp4-w4a4"),
        ({"num_bits": 4, "type": "float", "group_size": 32}, False, "mxfp4-w4a16"),
    ],
)
def test_groups_of_compressed_tensors_are_schemes(
    weights: dict[str, object], has_inputs: bool, slug: str
) -> None:
    group = {"weights": weights, "input_activations": {} if has_inputs else None}
    config = {"quantization_config": {"config_groups": {"group_0": group}}}
    assert scheme_of_config(config) == slug


def test_a_part_is_left_alone_when_its_names_reach_the_layers() -> None:
    named = {"ignore": [f"model.layers.{at}.self_attn*" for at in range(8)] + ["lm_head"]}
    assert kept_parts_of({"quantization_config": named}, layers=8) == ("attention",)
    few = {"ignore": ["model.layers.0.self_attn*", "lm_head"]}
    assert kept_parts_of({"quantization_config": few}, layers=8) == ()


def test_norms_and_routers_that_stay_wide_say_nothing_of_their_part() -> None:
    names = [f"model.layers.{at}.post_attention_layernorm" for at in range(8)]
    names += [f"model.layers.{at}.mlp.gate" for at in range(8)]
    stated = {"modules_to_not_convert": names}
    assert kept_parts_of({"quantization_config": stated}, layers=8) == ()


def test_a_checkpoint_without_a_list_says_nothing_of_its_parts() -> None:
    assert kept_parts_of({"quantization_config": {"quant_method": "fp8"}}, layers=8) is None
