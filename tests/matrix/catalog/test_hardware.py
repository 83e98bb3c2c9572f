"""The shipped hardware tree: places, capabilities and figures that rules rely on."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.aliases import NameTable, normalise_name
from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.errors import AmbiguousName
from matrix.domain.levels import Axis

CATALOG = Path(__file__).parents[3] / "matrix" / "catalog"

# Every numeric fact names its unit; a new one is added here with it.
NUMERIC_FACTS = {"memory_bytes", "memory_bandwidth_bytes_per_s", "tdp_w"}
KINDS = ("vendor", "family", "architecture", "device")
NUMBER_FORMATS = {"fp16", "bf16", "fp8", "fp4", "int8", "int4"}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(CATALOG)


@pytest.fixture(scope="module")
def hardware(catalogue: Catalogue) -> Mapping[str, Node]:
    return catalogue.area("hardware")


@pytest.fixture(scope="module")
def names(catalogue: Catalogue) -> NameTable:
    return catalogue.vocabulary.table("hardware")


def lineage(nodes: Mapping[str, Node], slug: str) -> list[Node]:
    """The node and its ancestors, nearest first."""
    found = [nodes[slug]]
    while (parent := found[-1].parent) is not None:
        found.append(nodes[parent])
    return found


@pytest.mark.parametrize(
    ("word", "architecture"),
    [
        ("RTX A6000", "nvidia-sm-86"),
        ("RTX 6000 Ada", "nvidia-sm-89"),
        ("Quadro RTX 6000", "nvidia-sm-75"),
        ("RTX PRO 6000 Blackwell", "nvidia-sm-120"),
        ("Tesla T4", "nvidia-sm-75"),
        ("T4", "nvidia-sm-75"),
        ("A100", "nvidia-sm-80"),
        ("A100-SXM4-80GB", "nvidia-sm-80"),
        ("A10G", "nvidia-sm-86"),
        ("Jetson AGX Orin", "nvidia-sm-87"),
        ("L40S", "nvidia-sm-89"),
        ("H20-3e", "nvidia-sm-90"),
        ("GH200", "nvidia-sm-90"),
        ("B200", "nvidia-sm-100"),
        ("GB300", "nvidia-sm-103"),
        ("Jetson Thor", "nvidia-sm-110"),
        ("RTX 5090D", "nvidia-sm-120"),
        ("DGX Spark", "nvidia-sm-121"),
        ("GTX 960M", "nvidia-sm-50"),
        ("Tesla P40", "nvidia-sm-61"),
        ("MI210", "amd-gfx90a"),
        ("MI300X", "amd-gfx942"),
        ("MI355X", "amd-gfx950"),
        ("RX 7900 XTX", "amd-gfx1100"),
        ("RX 7800 XT", "amd-gfx1101"),
        ("Strix Halo", "amd-gfx1151"),
        ("RX 9070 XT", "amd-gfx1201"),
        ("Arc A770", "intel-xe-hpg"),
        ("Arc Pro B60", "intel-xe2"),
        ("910B4", "ascend-a2"),
        ("Atlas 300I Duo", "ascend-310p"),
        ("Atlas 800I A3", "ascend-a3"),
    ],
)
def test_a_device_name_lies_below_its_architecture(
    word: str, architecture: str, names: NameTable, hardware: Mapping[str, Node]
) -> None:
    assert architecture in [node.slug for node in lineage(hardware, names.resolve(word))]


@pytest.mark.parametrize(
    ("word", "slug"),
    [
        ("SM75", "nvidia-sm-75"),
        ("sm_75", "nvidia-sm-75"),
        ("compute capability 7.5", "nvidia-sm-75"),
        ("SM 12.0", "nvidia-sm-120"),
        ("sm_101", "nvidia-sm-110"),
        ("sm_90a", "nvidia-sm-90"),
        ("Turing", "nvidia-turing"),
        ("Ada Lovelace", "nvidia-ada"),
        ("AMD GPU", "amd"),
        ("Intel GPU", "intel"),
        ("MI300", "amd-mi300"),
        ("RTX 50 series", "nvidia-geforce-rtx-50"),
        ("x86 CPU", "cpu-x86"),
        ("AArch64", "cpu-arm"),
        ("S390X", "cpu-s390x"),
        ("HPU", "intel-gaudi"),
        ("Trn2", "aws-trainium2"),
        ("TPU v6e", "google-tpu-v6e"),
        ("Kunlun P800", "kunlun-p800"),
        ("Maca C500", "metax-c500"),
        ("MTT S80", "moore-threads-mtt-s80"),
    ],
)
def test_a_spelling_of_a_page_resolves_to_its_node(word: str, slug: str, names: NameTable) -> None:
    assert names.resolve(word) == slug


def test_every_nvidia_architecture_states_a_capability_that_fits_its_slug(
    hardware: Mapping[str, Node],
) -> None:
    stated = {
        slug: str(node.facts.get("compute_capability"))
        for slug, node in hardware.items()
        if node.kind == "architecture" and slug.startswith("nvidia-")
    }
    expected = {}
    for slug in stated:
        digits = slug.removeprefix("nvidia-sm-")
        expected[slug] = f"{digits[:-1]}.{digits[-1]}"
    assert stated == expected
    assert len(stated) >= 20


def test_every_nvidia_device_inherits_exactly_one_capability(hardware: Mapping[str, Node]) -> None:
    for slug, node in hardware.items():
        path = lineage(hardware, slug)
        if path[-1].slug == "nvidia" and node.kind == "device":
            found = [n.slug for n in path if "compute_capability" in n.facts]
            assert len(found) == 1, slug


def test_every_amd_device_inherits_exactly_one_gfx_target(hardware: Mapping[str, Node]) -> None:
    for slug, node in hardware.items():
        path = lineage(hardware, slug)
        if path[-1].slug != "amd":
            continue
        targets = [n.facts["gfx_target"] for n in path if "gfx_target" in n.facts]
        if node.kind == "device":
            assert len(targets) == 1, slug
        if node.kind == "architecture":
            assert f"amd-{targets[0]}" == slug


def test_fp8_flavours_differ_between_the_generations_of_amd(hardware: Mapping[str, Node]) -> None:
    assert hardware["amd-gfx942"].facts["fp8_format"] == "fnuz"
    assert hardware["amd-gfx950"].facts["fp8_format"] == "ocp"


def test_fp8_is_native_from_ada_on_and_not_before(hardware: Mapping[str, Node]) -> None:
    def takes(slug: str) -> list[object]:
        formats = hardware[slug].facts["native_formats"]
        assert isinstance(formats, list)
        assert set(formats) <= NUMBER_FORMATS
        return list(formats)

    assert "fp8" in takes("nvidia-sm-89")
    assert "fp8" in takes("nvidia-sm-90")
    assert "fp8" not in takes("nvidia-sm-86")
    assert "fp8" not in takes("nvidia-sm-80")
    assert "bf16" not in takes("nvidia-sm-75")


def test_a_gpu_statement_never_covers_another_vendors_or_an_npus_node(
    catalogue: Catalogue,
) -> None:
    tree = catalogue.trees.by_axis[Axis.HARDWARE]
    below = {root: tree.down(root) for root in ("intel", "amd")}
    assert "intel-arc-a770" in below["intel"]
    assert "amd-mi300x" in below["amd"]
    assert not any(slug.startswith(("intel-npu", "intel-gaudi", "cpu-")) for slug in below["intel"])
    assert not any(slug.startswith("cpu-") for slug in below["amd"])


def test_kinds_only_narrow_from_the_root_down(hardware: Mapping[str, Node]) -> None:
    for slug, node in hardware.items():
        assert node.kind in KINDS, slug
        if node.parent is None:
            assert node.kind == "vendor", slug
        else:
            assert KINDS.index(hardware[node.parent].kind) <= KINDS.index(node.kind), slug


def test_every_number_names_its_unit_and_is_positive(hardware: Mapping[str, Node]) -> None:
    for slug, node in hardware.items():
        for key, value in node.facts.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert key in NUMERIC_FACTS, (slug, key)
                assert value > 0, (slug, key)


def test_memory_bytes_agree_with_the_vendors_words(hardware: Mapping[str, Node]) -> None:
    units = {"GB": 10**9, "GiB": 2**30}
    checked = 0
    for slug, node in hardware.items():
        assert ("memory_bytes" in node.facts) == ("memory_stated" in node.facts), slug
        if "memory_bytes" not in node.facts:
            continue
        match = re.fullmatch(r"(\d+) (GB|GiB)", str(node.facts["memory_stated"]))
        assert match, slug
        assert node.facts["memory_bytes"] == int(match[1]) * units[match[2]], slug
        checked += 1
    assert checked >= 80


def test_a_memory_size_in_a_name_is_the_size_stated(hardware: Mapping[str, Node]) -> None:
    for slug, node in hardware.items():
        named = re.search(r"\b(\d+)GB\b", node.name)
        if named and "memory_stated" in node.facts:
            assert str(node.facts["memory_stated"]).startswith(f"{named[1]} "), slug


@pytest.mark.parametrize("word", ["NPU", "XPU", "RTX 6000", "Lunar Lake"])
def test_a_word_of_several_meanings_is_not_resolved(word: str, names: NameTable) -> None:
    assert names.find(word) == ()
    with pytest.raises(AmbiguousName) as caught:
        names.resolve(word)
    assert len(caught.value.facts["nearest"]) > 1  # type: ignore[arg-type]


def test_no_spelling_belongs_to_two_nodes_even_without_separators(
    hardware: Mapping[str, Node],
) -> None:
    owners: dict[str, str] = {}
    for slug, node in hardware.items():
        for word in (slug, node.name, *node.aliases, *node.moved):
            key = normalise_name(word).replace("-", "")
            assert owners.setdefault(key, slug) == slug, word
