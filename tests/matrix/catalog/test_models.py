"""The shipped model catalogue: architecture classes, families, checkpoints and their names."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.aliases import NameTable, normalise_name
from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.errors import AmbiguousName

MODELS = Path(__file__).parents[3] / "matrix" / "catalog" / "models"
FILES = sorted(MODELS.glob("*.toml"))
CARRIERS_READ = {"0.2.90", "0.3.2", "0.3.9", "0.3.16", "0.3.21", "0.3.36"}
TASKS = {
    "text-generation",
    "embedding",
    "rerank",
    "classification",
    "reward",
    "multimodal",
    "transcription",
    "speculative-draft",
}
KIND_OF_PARENT = {"architecture": (None,), "family": (None, "architecture")}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(MODELS.parent)


@pytest.fixture(scope="module")
def models(catalogue: Catalogue) -> Mapping[str, Node]:
    return catalogue.area("model")


@pytest.fixture(scope="module")
def names(catalogue: Catalogue) -> NameTable:
    return catalogue.vocabulary.table("model")


@pytest.fixture(scope="module")
def umbrellas() -> Mapping[str, list[str]]:
    data = _toml(MODELS / "families.toml")
    lines = [entry for entry in data["split"] if entry["means"] == "one"]
    return {entry["name"]: entry["nodes"] for entry in lines}


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _of_kind(models: Mapping[str, Node], kind: str) -> list[Node]:
    return [node for node in models.values() if node.kind == kind]


@pytest.mark.parametrize(
    ("word", "slug"),
    [
        ("LLaMAForCausalLM", "llamaforcausallm"),
        ("OLMoForCausalLM", "olmoforcausallm"),
        ("Ernie4_5_ForCausalLM", "ernie4_5forcausallm"),
        ("Llama 3.1", "llama-3.1"),
        ("Llama3.1", "llama-3.1"),
        ("LLaMA-v2", "llama-2"),
        ("Qwen3MoE", "qwen3-moe"),
        ("Qwen3_Moe", "qwen3-moe"),
        ("Mllama", "llama-3.2-vision"),
        ("Mixtral", "mixtralforcausallm"),
        ("Bitnet b1.58 models", "bitnet-b1.58"),
        ("GPT-OSS", "gpt-oss"),
        ("gpt2", "gpt-2"),
        ("DeepSeek-R1", "deepseek-r1"),
        ("deepseek-ai/DeepSeek-R1", "deepseek-ai--deepseek-r1"),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "meta-llama--llama-3.1-8b-instruct"),
        ("meta-llama/Llama-3.1-8B-Instruct", "meta-llama--llama-3.1-8b-instruct"),
        ("Llama-3.1-8B-Instruct", "meta-llama--llama-3.1-8b-instruct"),
        ("THUDM/chatglm2-6b", "zai-org--chatglm2-6b"),
        ("CohereForAI/c4ai-command-r-v01", "coherelabs--c4ai-command-r-v01"),
        ("openai/gpt-oss-120b", "openai--gpt-oss-120b"),
        ("Qwen/Qwen3-0.6B", "qwen--qwen3-0.6b"),
        ("deepseek-v4-flash-0731", "deepseek-ai--deepseek-v4-flash-0731"),
        ("gpt2-xl", "openai-community--gpt2-xl"),
    ],
)
def test_a_name_as_pages_write_it_finds_its_node(names: NameTable, word: str, slug: str) -> None:
    assert names.resolve(word) == slug


@pytest.mark.parametrize(
    ("word", "slugs"),
    [
        ("DeepSeek V3/R1", {"deepseek-v3", "deepseek-r1"}),
        ("Llama2/3/3.1/3.2", {"llama-2", "llama-3", "llama-3.1", "llama-3.2-text"}),
        ("Gemma 3", {"gemma-3-text", "gemma-3-multimodal"}),
        (
            "meta-llama/Llama-4-*",
            {
                "meta-llama--llama-4-scout-17b-16e-instruct",
                "meta-llama--llama-4-maverick-17b-128e-instruct",
            },
        ),
        ("Llama3-8B", {"meta-llama--meta-llama-3-8b", "meta-llama--meta-llama-3-8b-instruct"}),
    ],
)
def test_a_word_for_several_models_names_exactly_these(
    names: NameTable, word: str, slugs: set[str]
) -> None:
    assert set(names.find(word)) == slugs


@pytest.mark.parametrize("word", ["Llama", "Qwen", "Mistral", "DeepSeek", "Gemma", "Phi"])
def test_the_name_of_a_product_line_never_widens_a_statement(
    names: NameTable, umbrellas: Mapping[str, list[str]], word: str
) -> None:
    assert names.find(word) == ()
    with pytest.raises(AmbiguousName):
        names.resolve(word)
    assert len(umbrellas[word]) > 1


def test_umbrella_words_point_at_known_nodes_and_take_no_name_away(
    models: Mapping[str, Node], names: NameTable, umbrellas: Mapping[str, list[str]]
) -> None:
    unknown = {slug for nodes in umbrellas.values() for slug in nodes} - set(models)
    assert unknown == set()
    assert [word for word in umbrellas if names.find(word)] == []


def test_every_node_hangs_where_its_kind_belongs(models: Mapping[str, Node]) -> None:
    wrong = []
    for node in models.values():
        parent = models[node.parent].kind if node.parent else None
        if parent not in KIND_OF_PARENT.get(node.kind, ("family",)):
            wrong.append(node.slug)
    assert wrong == []


def test_slugs_follow_from_names(models: Mapping[str, Node]) -> None:
    for node in models.values():
        assert re.fullmatch(r"[a-z0-9._-]+", node.slug), node.slug
        if node.kind == "checkpoint":
            assert node.slug == node.name.lower().replace("/", "--")
        if node.kind == "architecture" and not node.slug.startswith("gguf-arch-"):
            assert node.slug == node.name.lower()


def test_no_spelling_belongs_to_two_nodes_even_without_separators(
    models: Mapping[str, Node],
) -> None:
    owners: dict[str, str] = {}
    clashes = []
    for node in models.values():
        for word in {node.name, *node.aliases, *node.moved}:
            owner = owners.setdefault(normalise_name(word).replace("-", ""), node.slug)
            # A family may be spelled like the class that loads it ("MiniCPM-V", "MiniCPMV").
            if owner not in (node.slug, node.parent):
                clashes.append((word, owner, node.slug))
    assert clashes == []


def test_an_alias_repeats_neither_the_name_nor_another_alias(models: Mapping[str, Node]) -> None:
    for node in models.values():
        words = [normalise_name(word) for word in (node.name, *node.aliases, *node.moved)]
        assert len(words) == len(set(words)), node.slug


def test_a_quantized_derivative_names_another_checkpoint_and_a_known_scheme(
    catalogue: Catalogue, models: Mapping[str, Node]
) -> None:
    schemes = catalogue.area("quantization")
    for node in models.values():
        base = node.facts.get("base")
        if base is not None:
            assert models[str(base)].kind == "checkpoint", node.slug
            assert base != node.slug
        if "quantization" in node.facts:
            assert node.facts["quantization"] in schemes, node.slug


def test_known_derivatives_point_at_their_base(models: Mapping[str, Node]) -> None:
    node = models["redhatai--meta-llama-3.1-8b-instruct-quantized.w8a8"]
    assert node.facts["base"] == "meta-llama--llama-3.1-8b-instruct"
    assert node.facts["quantization"] == "int8-w8a8"
    assert node.parent == "llama-3.1"


# Layers of a kind that a model file itself says it has none of.
STATED_ZEROS = ("num_mtp_layers", "num_kv_shared_layers")


def test_facts_are_stated_or_absent_and_never_zero(models: Mapping[str, Node]) -> None:
    for node in models.values():
        for key, value in node.facts.items():
            assert value not in ("", [], "unknown"), (node.slug, key)
            number = isinstance(value, int) and not isinstance(value, bool)
            if number and key not in STATED_ZEROS:
                assert value > 0, (node.slug, key)
        assert node.facts.get("task", "embedding") in TASKS
        assert node.facts.get("moe") is not False or "num_experts" not in node.facts, node.slug


def test_a_draft_model_carries_no_size_of_its_target(models: Mapping[str, Node]) -> None:
    drafts = [
        node
        for node in _of_kind(models, "checkpoint")
        if re.search(r"eagle|dflash|dspark|assistant", str(node.parent))
    ]
    assert len(drafts) > 20
    assert [node.slug for node in drafts if "parameters_stated" in node.facts] == []


def test_measured_shapes_agree_with_the_size_in_the_name(models: Mapping[str, Node]) -> None:
    compared = 0
    for node in models.values():
        stated = str(node.facts.get("parameters_stated", ""))
        total = node.facts.get("parameters_total")
        match = re.fullmatch(r"(\d+(?:\.\d+)?)B", stated)
        if match and isinstance(total, int) and "llama-4-" not in node.slug:
            compared += 1
            assert total / 1e9 == pytest.approx(float(match[1]), rel=0.35), node.slug
    assert compared > 40


def test_a_gguf_name_loads_only_the_classes_it_always_loaded(catalogue: Catalogue) -> None:
    table = catalogue.vocabulary.table("llamacpp_arch")
    assert set(table.find("llama")) == {
        "llamaforcausallm",
        "mistralforcausallm",
        "mixtralforcausallm",
    }
    assert table.find("deepseek2") == ("deepseekv2forcausallm",)
    later = catalogue.area("model")["deepseekv3forcausallm"].facts
    assert later["llamacpp_arch_later"] == ["deepseek2"]
    assert later["llamacpp_converter_since"] == "0.3.9"


def test_converter_releases_are_those_that_were_read(models: Mapping[str, Node]) -> None:
    stated = {node.facts.get("llamacpp_converter_since") for node in models.values()} - {None}
    assert stated <= CARRIERS_READ
    for node in models.values():
        if "llamacpp_arch_later" in node.facts:
            assert "llamacpp_converter_since" in node.facts, node.slug


def test_every_node_cites_a_source_of_its_own_file() -> None:
    for path in FILES:
        data = _toml(path)
        listed = [entry["key"] for entry in data["source"]]
        used = {key for node in data["model"] for key in node["source"]}
        assert len(listed) == len(set(listed)), path.name
        assert used == set(listed), path.name
        assert all(node["source"] for node in data["model"]), path.name


def test_a_source_key_means_the_same_in_every_file() -> None:
    seen: dict[str, dict[str, Any]] = {}
    for path in FILES:
        for entry in _toml(path)["source"]:
            assert seen.setdefault(entry["key"], entry) == entry


def test_files_are_sorted_and_small_enough_to_review() -> None:
    for path in FILES:
        order = [(node.get("parent", "~"), node["slug"]) for node in _toml(path)["model"]]
        assert order == sorted(order), path.name
        assert path.stat().st_size < 400_000, path.name
    assert len(FILES) >= 3


def test_the_catalogue_is_as_wide_as_the_pages_it_was_read_from(
    models: Mapping[str, Node],
) -> None:
    assert len(_of_kind(models, "architecture")) > 500
    assert len(_of_kind(models, "family")) > 600
    assert len(_of_kind(models, "checkpoint")) > 1_200
