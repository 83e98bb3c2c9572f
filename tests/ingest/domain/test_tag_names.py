"""Tags of code hosts and images, named as the catalogue names versions."""

from datetime import date

import pytest

from ingest.domain.tag_names import name_image_tag, name_tag
from matrix.catalog_files import read_catalogue

KNOWN = {"3.3.7": "3.3.7", "0.5.9": "0.5.9", "0.11.0rc1": "0.11.0rc1", "b10331": "b10331"}


def test_every_tag_of_the_catalogue_names_its_version_and_line() -> None:
    """Rows of commits name no published tag, so their line is their own."""
    wrong = []
    asked = 0
    for slug, releases in read_catalogue().releases.items():
        for release in releases:
            if not release.tag or release.line == "commit":
                continue
            asked += 1
            named = name_tag(slug, release.tag, published=release.released_on)
            if named is None or (named.version, named.line) != (release.version, release.line):
                wrong.append(f"{slug} {release.tag}: {named}, not {release.version} {release.line}")
    assert wrong == []
    assert asked > 2_500


@pytest.mark.parametrize(
    ("framework", "tag"),
    [
        ("vllm", "ciflow/trunk/12"),
        ("vllm", "latest"),
        ("vllm", "v0.11.0+cu129"),
        ("sglang-kt", "v0.5.1"),
        ("llm-scaler-vllm", "omni-0.1.0-b2"),
        ("llm-scaler-vllm", "0.1.0"),
        ("vllm", ""),
    ],
)
def test_a_tag_that_names_no_version_of_the_framework_is_none(framework: str, tag: str) -> None:
    assert name_tag(framework, tag) is None


def test_a_build_is_a_release_until_semantic_versions_came_and_nightly_after() -> None:
    before = name_tag("llama.cpp", "b10331", published=date(2026, 8, 8))
    after = name_tag("llama.cpp", "b10931", published=date(2026, 9, 8))
    assert before is not None and before.line == "stable"
    assert after is not None and after.line == "nightly"


@pytest.mark.parametrize(
    ("tag", "version", "variant"),
    [
        ("3.3.7", "3.3.7", ""),
        ("3.3.7-rocm", "3.3.7", "rocm"),
        ("3.3.7-intel-xpu", "3.3.7", "intel-xpu"),
        ("v0.5.9-cu129", "0.5.9", "cu129"),
        ("v0.5.9-cann9.0.0-a3", "0.5.9", "cann9.0.0-a3"),
        ("v0.11.0rc1", "0.11.0rc1", ""),
    ],
)
def test_an_image_tag_is_a_known_version_and_a_variant(
    tag: str, version: str, variant: str
) -> None:
    found = name_image_tag("tgi", tag, KNOWN)
    assert found is not None
    assert (found.version, found.variant) == (version, variant)


@pytest.mark.parametrize(
    "tag", ["latest", "3.3", "sha-11d7af7", "latest-rocm", "3.3.70", "nightly"]
)
def test_a_moving_or_unknown_image_tag_names_no_release(tag: str) -> None:
    assert name_image_tag("tgi", tag, KNOWN) is None


def test_an_image_of_a_numbered_build_has_its_variant_in_front() -> None:
    found = name_image_tag("llama.cpp", "server-cuda-b10331", KNOWN)
    assert found is not None
    assert (found.version, found.variant) == ("b10331", "server-cuda")
