"""The shipped quantization tree and checkpoint containers."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.aliases import NameTable, normalise_name
from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.errors import AmbiguousName
from matrix.domain.levels import Axis

CATALOG = Path(__file__).parents[3] / "matrix" / "catalog"
NUMERIC_FACTS = {
    "weight_bits",
    "activation_bits",
    "kv_bits",
    "group_size",  # Weights per scale.
    "block_size",  # Weights per block of a GGUF type.
    "bits_per_weight",
    "bits_per_value",
    "file_bits_per_weight",
}
GRANULARITIES = {"tensor", "channel", "row", "block", "group"}
DTYPE_BITS = {
    "fp32": 32,
    "fp16": 16,
    "bf16": 16,
    "fp8_e4m3": 8,
    "mxfp8": 8,
    "int8": 8,
    "mxfp6": 6,
    "int4": 4,
    "mxfp4": 4,
    "nvfp4": 4,
    "nf4": 4,
    "fp4": 4,
    "int3": 3,
    "int2": 2,
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(CATALOG)


@pytest.fixture(scope="module")
def schemes(catalogue: Catalogue) -> Mapping[str, Node]:
    return catalogue.area("quantization")


@pytest.fixture(scope="module")
def names(catalogue: Catalogue) -> NameTable:
    return catalogue.vocabulary.table("quantization")


@pytest.mark.parametrize(
    ("word", "slug"),
    [
        ("AWQ", "awq"),
        ("W4A16 AWQ", "awq-w4a16"),
        ("FP8 (W8A8)", "fp8-w8a8"),
        ("llm-compressor FP8 (W8A8)", "fp8-w8a8"),
        ("FP8(block scaling)", "fp8-w8a8-block"),
        ("FP8(per tensor)", "fp8-w8a8-tensor"),
        ("fbgemm_fp8", "fbgemm-fp8"),
        ("INT8 (W8A8)", "int8-w8a8"),
        ("w8a8_int8", "int8-w8a8"),
        ("gptq_marlin", "gptq-marlin"),
        ("BitBLAS (GPTQ)", "gptq-bitblas"),
        ("GPTQ 3-bit", "gptq-w3a16"),
        ("Q4_K_M", "gguf-q4-k-m"),
        ("IQ4_XS", "gguf-iq4-xs"),
        ("MXFP4_MOE", "gguf-mxfp4-moe"),
        ("bitsandbytes 4-bit", "bnb-4bit"),
        ("bitsandbytes-nf4", "bnb-nf4"),
        ("FP8 KV Cache", "kv-fp8"),
        ("fp8_e5m2", "kv-fp8-e5m2"),
        ("INT8 KV", "kv-int8"),
        ("modelopt_fp4", "modelopt-fp4"),
        ("F16", "fp16"),
        ("bfloat16", "bf16"),
    ],
)
def test_a_spelling_of_a_page_resolves_to_its_scheme(
    word: str, slug: str, names: NameTable
) -> None:
    assert names.resolve(word) == slug


@pytest.mark.parametrize("word", ["W8A8", "W4A8", "W4A4", "W4A16", "W8A16", "FP4", "FP8 E4M3"])
def test_a_bit_pattern_alone_is_not_a_scheme(word: str, names: NameTable) -> None:
    assert names.find(word) == ()
    with pytest.raises(AmbiguousName):
        names.resolve(word)


def test_a_marlin_row_says_nothing_about_schemes_that_other_kernels_run(
    names: NameTable,
) -> None:
    covered = set(names.find("Marlin (GPTQ/AWQ/FP8)"))
    assert covered == {"gptq-marlin", "awq-marlin", "fp8-w8a16"}
    assert covered.isdisjoint({"gptq", "awq", "gptq-w4a16", "awq-w4a16", "fp8-w8a8"})


def test_weight_only_fp8_is_not_below_the_native_scheme(catalogue: Catalogue) -> None:
    tree = catalogue.trees.by_axis[Axis.QUANTIZATION]
    assert "fp8-w8a16" not in tree.down("fp8-w8a8")
    assert {"fp8-w8a8-tensor", "fp8-w8a8-row", "fp8-w8a8-block"} <= tree.down("fp8-w8a8")
    assert "kv-fp8" not in tree.down("fp8")


def test_a_slug_that_names_bits_states_the_same_bits(schemes: Mapping[str, Node]) -> None:
    for bits in (2, 3, 4, 8):
        for activation in (4, 8, 16):
            for slug, node in schemes.items():
                if f"w{bits}a{activation}" not in slug.split("-"):
                    continue
                assert node.facts["weight_bits"] == bits, slug
                assert node.facts["activation_bits"] == activation, slug


def test_dtypes_and_bits_agree(schemes: Mapping[str, Node]) -> None:
    for slug, node in schemes.items():
        for part in ("weight", "activation"):
            dtype = node.facts.get(f"{part}_dtype")
            bits = node.facts.get(f"{part}_bits")
            if dtype is not None:
                assert str(dtype) in DTYPE_BITS, slug
                assert bits in (None, DTYPE_BITS[str(dtype)]), slug


def test_facts_use_known_units_and_words(schemes: Mapping[str, Node]) -> None:
    for slug, node in schemes.items():
        for key, value in node.facts.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert key in NUMERIC_FACTS, (slug, key)
                assert value > 0, (slug, key)
        assert node.facts.get("scale_granularity", "tensor") in GRANULARITIES, slug


def test_containers_kernels_and_schemes_named_by_facts_exist(catalogue: Catalogue) -> None:
    areas = {"containers": "container", "kernels": "feature", "schemes": "quantization"}
    for slug, node in catalogue.area("quantization").items():
        for key, area in areas.items():
            named = node.facts.get(key, [])
            assert isinstance(named, list), (slug, key)
            assert set(named) <= set(catalogue.area(area)), (slug, key)


def test_block_layouts_of_gguf_types_are_exact(schemes: Mapping[str, Node]) -> None:
    # Bytes of a block over weights of a block, as the format defines them.
    exact = {
        "gguf-q4-0": 18 * 8 / 32,
        "gguf-q8-0": 34 * 8 / 32,
        "gguf-q4-k": 144 * 8 / 256,
        "gguf-q6-k": 210 * 8 / 256,
        "gguf-iq2-xxs": 66 * 8 / 256,
        "gguf-mxfp4": 17 * 8 / 32,
    }
    assert {slug: schemes[slug].facts["bits_per_weight"] for slug in exact} == exact


def test_a_mix_of_types_states_no_exact_bits(schemes: Mapping[str, Node]) -> None:
    for slug in ("gguf-q4-k-m", "gguf-q5-k-s", "gguf-q3-k-l", "gguf-iq3-m"):
        assert "bits_per_weight" not in schemes[slug].facts
        assert schemes[slug].facts["file_model_measured"] == "Llama-3.1-8B"


def test_in_flight_and_pre_quantised_bitsandbytes_are_different_containers(
    catalogue: Catalogue,
) -> None:
    table = catalogue.vocabulary.table("container")
    assert table.resolve("in-flight") == "in-flight"
    assert table.resolve("pre-quantised") == "bitsandbytes"
    assert table.resolve("AutoAWQ") == "awq"
    assert table.resolve("compressed-tensors") == "compressed-tensors"


@pytest.mark.parametrize("area", ["quantization", "container"])
def test_no_spelling_belongs_to_two_nodes_even_without_separators(
    area: str, catalogue: Catalogue
) -> None:
    owners: dict[str, str] = {}
    for slug, node in catalogue.area(area).items():
        for word in (slug, node.name, *node.aliases, *node.moved):
            key = normalise_name(word).replace("-", "")
            assert owners.setdefault(key, slug) == slug, word
