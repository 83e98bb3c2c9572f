"""The shipped feature tree and back ends, and what all catalogue files have in common."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.aliases import NameTable, normalise_name
from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.errors import AmbiguousName

CATALOG = Path(__file__).parents[3] / "matrix" / "catalog"
OWN_FILES = {
    "hardware.toml": ("hardware",),
    "quantizations.toml": ("quantization", "container"),
    "features.toml": ("feature",),
    "backends.toml": ("backend",),
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(CATALOG)


@pytest.fixture(scope="module")
def features(catalogue: Catalogue) -> Mapping[str, Node]:
    return catalogue.area("feature")


@pytest.fixture(scope="module")
def names(catalogue: Catalogue) -> NameTable:
    return catalogue.vocabulary.table("feature")


@pytest.mark.parametrize(
    ("word", "slug"),
    [
        ("APC", "prefix-caching"),
        ("KV Cache Reuse", "prefix-caching"),
        ("prmpt adptr", "prompt-adapter"),
        ("SD", "speculative-decoding"),
        ("CUDA graph", "cuda-graphs"),
        ("enc-dec", "encoder-decoder"),
        ("logP", "logprobs"),
        ("prmpt logP", "prompt-logprobs"),
        ("async output", "async-output"),
        ("multi-step", "multi-step"),
        ("mm", "multimodal"),
        ("best-of", "best-of"),
        ("beam-search", "beam-search"),
        ("guided dec", "structured-output"),
        ("prompt-embeds", "prompt-embeds"),
        ("EAGLE3", "eagle3"),
        ("NEXTN", "mtp"),
        ("Disaggregated Serving", "disaggregated-prefill"),
        ("DCP", "decode-context-parallel"),
        ("FLASHINFER_MLA_SPARSE", "flashinfer-mla-sparse"),
        ("FA3 (FlashAttention 3)", "flash-attention-3"),
        ("-fa", "flash-attention"),
        ("AITER (ROCm)", "rocm-aiter"),
        ("tensor parallel", "tensor-parallel"),
        ("EPLB", "eplb"),
    ],
)
def test_a_spelling_of_a_page_resolves_to_its_feature(
    word: str, slug: str, names: NameTable
) -> None:
    assert names.resolve(word) == slug


def test_cp_is_not_resolved_because_pages_use_it_for_two_features(names: NameTable) -> None:
    assert names.find("CP") == ()
    with pytest.raises(AmbiguousName) as caught:
        names.resolve("CP")
    assert caught.value.facts["nearest"] == ["chunked-prefill", "context-parallel"]


def test_kinds_of_speculation_lie_below_it(catalogue: Catalogue) -> None:
    below = catalogue.trees.features.down("speculative-decoding")
    assert {"eagle", "eagle3", "ngram", "medusa", "draft-model", "mtp"} <= below


def test_every_feature_has_a_summary_of_at_most_twelve_words(
    features: Mapping[str, Node],
) -> None:
    for slug, node in features.items():
        summary = node.facts.get("summary")
        assert isinstance(summary, str), slug
        assert 2 <= len(summary.split()) <= 12, slug
        assert summary.endswith("."), slug


def test_every_root_is_a_group_and_every_other_node_a_group_or_a_feature(
    features: Mapping[str, Node],
) -> None:
    for slug, node in features.items():
        assert node.kind in {"group", "feature"}, slug
        if node.parent is None:
            assert node.kind == "group", slug


@pytest.mark.parametrize(
    ("word", "slug"),
    [
        ("HIP", "rocm"),
        ("hipBLAS", "rocm"),
        ("WebGPU [In Progress]", "webgpu"),
        ("IBM zDNN", "zdnn"),
        ("Hexagon", "hexagon"),
        ("XPU", "xpu"),
        ("NPU", "cann"),
        ("MTL", "metal"),
        ("BLAS", "blas"),
    ],
)
def test_a_spelling_of_a_page_resolves_to_its_backend(
    word: str, slug: str, catalogue: Catalogue
) -> None:
    assert catalogue.vocabulary.table("backend").resolve(word) == slug


def test_backends_name_hardware_roots_that_exist(catalogue: Catalogue) -> None:
    roots = {n.slug for n in catalogue.area("hardware").values() if n.parent is None}
    for slug, node in catalogue.area("backend").items():
        for key in ("hardware_roots", "default_for"):
            named = node.facts.get(key, [])
            assert isinstance(named, list), slug
            assert set(named) <= roots, (slug, key)


@pytest.mark.parametrize("area", ["feature", "backend"])
def test_no_spelling_belongs_to_two_nodes_even_without_separators(
    area: str, catalogue: Catalogue
) -> None:
    owners: dict[str, str] = {}
    for slug, node in catalogue.area(area).items():
        for word in (slug, node.name, *node.aliases, *node.moved):
            key = normalise_name(word).replace("-", "")
            assert owners.setdefault(key, slug) == slug, word


@pytest.mark.parametrize(("file", "areas"), OWN_FILES.items())
def test_a_catalogue_file_cites_listed_sources_and_stays_in_order(
    file: str, areas: tuple[str, ...]
) -> None:
    data = tomllib.loads((CATALOG / file).read_text(encoding="utf-8"))
    listed = {source["key"]: source for source in data["source"]}
    assert list(listed) == sorted(listed)
    assert all(source["url"].startswith(("https://", "http://")) for source in listed.values())
    assert all(source.get("read_on") for source in listed.values())
    cited = set()
    for area in areas:
        done: set[str] = set()
        for node in data[area]:
            assert re.fullmatch(r"[a-z0-9][a-z0-9._-]*", node["slug"]), node["slug"]
            assert node.get("parent") is None or node["parent"] in done, node["slug"]
            done.add(node["slug"])
            assert node["source"], node["slug"]
            cited |= set(node["source"])
    assert cited == set(listed)


@pytest.mark.parametrize(("file", "areas"), OWN_FILES.items())
def test_a_split_word_says_whether_it_means_all_its_nodes_or_one(
    file: str, areas: tuple[str, ...]
) -> None:
    data = tomllib.loads((CATALOG / file).read_text(encoding="utf-8"))
    slugs = {node["slug"] for node in data[areas[0]]}
    own = {
        normalise_name(word)
        for node in data[areas[0]]
        for word in (node["slug"], node["name"], *node.get("aliases", ()))
    }
    for split in data.get("split", ()):
        assert split["means"] in {"all", "one"}, split["name"]
        assert len(split["nodes"]) == len(set(split["nodes"])) >= 1, split["name"]
        assert set(split["nodes"]) <= slugs, split["name"]
        assert normalise_name(split["name"]) not in own, split["name"]
