"""What ships about service features: all rows in the tree, claims with places, enough known."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.catalogue import Catalogue, Node
from matrix.pages.feature_words import (
    ATTENTION_KERNELS,
    FEATURE_GROUPS,
    MODEL_PATHS,
    NATURE_NOTES,
    NATURE_WORDS,
    SERVICE_FRAMEWORKS,
)

CATALOG = Path(__file__).parents[3] / "matrix" / "catalog"
CURATED = CATALOG / "curated"
SHOWN = [slug for group in FEATURE_GROUPS for slug in group.features]
Line = Mapping[str, Any]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(CATALOG)


@pytest.fixture(scope="module")
def features(catalogue: Catalogue) -> Mapping[str, Node]:
    return catalogue.area("feature")


def lines_of(pattern: str) -> list[Line]:
    found = [
        json.loads(line)
        for path in sorted(CURATED.glob(pattern))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert found, pattern
    return found


def places_of(line: Line) -> list[Line]:
    evidence = line["evidence"]
    return evidence if isinstance(evidence, list) else [evidence]


def test_every_row_is_in_the_tree_with_a_sentence(features: Mapping[str, Node]) -> None:
    assert len(set(SHOWN)) == len(SHOWN) >= 45
    for slug in (*SHOWN, *MODEL_PATHS, *ATTENTION_KERNELS):
        assert str(features[slug].facts["summary"]).endswith("."), slug


@pytest.mark.parametrize(
    ("feature", "other"),
    [
        ("openai-responses", "openai-api"),
        ("openai-embeddings", "openai-api"),
        ("grammar-output", "structured-output"),
        ("lora-dynamic", "lora"),
        ("tracing", "health-metrics"),
    ],
)
def test_a_yes_for_one_row_is_none_for_another(
    feature: str, other: str, catalogue: Catalogue
) -> None:
    assert other not in catalogue.trees.features.up(feature)
    assert feature not in catalogue.trees.features.up(other)


@pytest.mark.parametrize("framework", SERVICE_FRAMEWORKS)
def test_each_framework_states_at_least_twenty_five_rows(framework: str) -> None:
    lines = lines_of(f"service-features-{framework.replace('.', '-')}.jsonl")
    stated = {line["scope"]["features"][0] for line in lines}
    assert len(stated & set(SHOWN)) >= 25


def test_every_place_says_where_in_the_page(features: Mapping[str, Node]) -> None:
    for line in lines_of("service-features-*.jsonl"):
        assert set(line["scope"]["features"]) <= set(features)
        for place in places_of(line):
            assert place["url"].startswith("https://")
            assert place.get("line") or place.get("heading"), line["statement"]


def test_nothing_says_no_without_saying_whose_limit_it_is() -> None:
    for pattern in ("service-features-*", "trtllm-model-paths", "attention-kernels-*"):
        for line in lines_of(f"{pattern}.jsonl"):
            assert line["level"] != "no" or (line["limit"] and line["note"]), line["statement"]


def test_rate_limits_and_rolling_upgrades_are_claimed_of_no_framework() -> None:
    stated = {slug for line in lines_of("service-features-*.jsonl")
              for slug in line["scope"]["features"]}  # fmt: skip
    assert not stated & {"rate-limits", "rolling-upgrade"}


def test_the_engines_of_tensorrt_llm_end_and_the_default_changes() -> None:
    lines = lines_of("trtllm-model-paths.jsonl")
    ended = [line for line in lines if line["level"] == "no"]
    assert [line["scope"]["features"] for line in ended] == [["engine-tensorrt"]]
    assert (ended[0]["after"], ended[0]["first"]) == ("1.3.0rc15", "1.3.0rc26")
    default = [line["first"] for line in lines if "default back end" in line["statement"]]
    assert default == ["1.0.0"]


def test_what_a_built_engine_costs_is_recorded_and_the_other_paths_cost_nothing(
    features: Mapping[str, Node],
) -> None:
    assert features["engine-tensorrt"].facts["conversion_steps"]
    assert "GPU architecture" in features["engine-tensorrt"].facts["rebuild_on"]  # type: ignore[operator]
    for slug in ("engine-pytorch", "engine-autodeploy"):
        assert features[slug].facts["conversion_steps"] == []


def test_a_layout_is_no_kernel_and_every_nature_has_words(features: Mapping[str, Node]) -> None:
    natures = {slug: features[slug].facts.get("nature") for slug in ATTENTION_KERNELS}
    assert natures["paged-kv"] == "memory-layout"
    assert natures["flash-attention"] == "algorithm"
    assert natures["flashinfer"] == natures["flash-attention-3"] == "kernel-library"
    assert set(natures.values()) <= set(NATURE_WORDS)
    assert set(NATURE_NOTES) <= set(ATTENTION_KERNELS)


def test_no_kernel_is_said_to_run_and_not_to_run_on_the_same_hardware() -> None:
    runs: dict[str, set[str]] = {}
    refused: dict[str, set[str]] = {}
    for line in lines_of("attention-kernels-vllm.jsonl"):
        hardware = line["scope"].get("hardware") or []
        names = {hardware} if isinstance(hardware, str) else set(hardware)
        side = refused if line["level"] == "no" else runs
        side.setdefault(line["scope"]["features"][0], set()).update(names)
    assert len(runs) >= 10
    for slug, names in runs.items():
        assert names.isdisjoint(refused.get(slug, set())), slug
