"""How people write: versions in model names, cache types as features, builds between releases."""

from dataclasses import replace
from datetime import date

import pytest

from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.levels import EvidenceKind, SupportLevel
from matrix.questions.features import split_cache_type
from matrix.questions.models import read_models
from tests.matrix.questions.worlds import ask, state

T4 = {"device": "Tesla T4", "arch": "sm_75", "backend": "CUDA", "count": 1}


@pytest.mark.parametrize("name", ["DeepSeek-V3_9", "OLMo-9-7B", "internlm-9", "ERNIE-9.0"])
def test_a_version_number_is_never_dropped_from_a_model_name(
    catalogue: Catalogue, name: str
) -> None:
    asked = read_models(name, catalogue)
    assert asked.nodes == ()
    assert asked.restrictions


def test_sizes_dates_and_tunings_are_dropped(catalogue: Catalogue) -> None:
    family = read_models("Qwen3", catalogue).nodes
    assert family
    assert read_models("Qwen3-77B-Instruct-2611", catalogue).nodes == family


@pytest.mark.parametrize(
    ("text", "cache_type", "rest"),
    [
        ("FP8 KV cache", "FP8", ""),
        ("--kv-cache-dtype fp8_e5m2", "fp8_e5m2", ""),
        ("kv-cache fp8 with prefix caching", "fp8", "with prefix caching"),
        ("q8_0 KV cache, flash attention", "q8_0", "flash attention"),
        ("FP8 weights", "", "FP8 weights"),
        ("KV cache offload", "", "KV cache offload"),
    ],
)
def test_a_cache_type_in_the_feature_words_is_told_apart(
    text: str, cache_type: str, rest: str
) -> None:
    assert split_cache_type(text) == (cache_type, rest)


def _awq(catalogue: Catalogue, level: str, release: str, stated: date) -> Claim:
    said = state(
        level,
        catalogue=catalogue,
        release=release,
        hardware="nvidia-turing",
        quantization="awq",
        kind=EvidenceKind.MAINTAINER,
    )
    return replace(said, observations=(replace(said.observations[0], stated_on=stated),))


def test_a_build_between_two_releases_has_what_both_say_or_what_was_said_by_the_day(
    catalogue: Catalogue,
) -> None:
    """0.11.0 came out on 2025-10-02 and 0.11.1 on 2025-11-18."""
    day = date(2025, 11, 1)
    asked = {"framework_version": "main", "as_of": day, "quantization": "AWQ", **T4}
    platform = state("supported", catalogue=catalogue, release="0.11.0", hardware="nvidia-turing")
    before = _awq(catalogue, "unsupported", "0.11.0", date(2025, 10, 2))
    said = _awq(catalogue, "supported", "0.11.1", date(2025, 10, 20))
    late = _awq(catalogue, "supported", "0.11.1", date(2025, 11, 17))
    assert ask(catalogue, [platform, said], **asked).level is SupportLevel.SUPPORTED
    assert ask(catalogue, [platform, late], **asked).level is SupportLevel.UNKNOWN
    assert ask(catalogue, [platform, before, late], **asked).level is SupportLevel.UNKNOWN
    assert ask(catalogue, [platform, before], **asked).level is SupportLevel.UNSUPPORTED


def test_generations_that_are_refused_are_no_part_of_a_question_about_a_model(
    catalogue: Catalogue,
) -> None:
    claims = [
        state("supported", catalogue=catalogue, hardware="nvidia"),
        state("unsupported", catalogue=catalogue, hardware="nvidia-pascal"),
        state("supported", catalogue=catalogue, model="qwen3", hardware="nvidia"),
    ]
    asked = {"device": "any NVIDIA", "backend": "CUDA"}
    model = ask(catalogue, claims, model="Qwen3", **asked)
    alone = ask(catalogue, claims, **asked)
    assert model.level is SupportLevel.SUPPORTED
    assert alone.level is SupportLevel.CONDITIONAL
