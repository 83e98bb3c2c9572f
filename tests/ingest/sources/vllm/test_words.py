"""Capability floors and ranges become members of a list, never an open end."""

import pytest

from ingest.sources.vllm.words import (
    architectures_in_range,
    families_below,
    nodes_in_capabilities,
)


def test_families_below_a_floor_leave_out_the_family_that_meets_it() -> None:
    assert families_below(7.5) == (
        "nvidia-kepler",
        "nvidia-maxwell",
        "nvidia-pascal",
        "nvidia-volta",
    )
    assert families_below(8.9)[-1] == "nvidia-ampere"


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("9.x", {"nvidia-hopper"}),
        ("7.x-9.x", {"nvidia-volta", "nvidia-turing", "nvidia-ampere", "nvidia-ada",
                     "nvidia-hopper"}),
        ("9.x-10.x", {"nvidia-hopper", "nvidia-sm-100", "nvidia-sm-103"}),
        ("10.x, 12.x", {"nvidia-sm-100", "nvidia-sm-103", "nvidia-sm-120", "nvidia-sm-121"}),
        ("9.0", {"nvidia-hopper"}),
        ("≥10.0", {"nvidia-blackwell"}),
    ],
)  # fmt: skip
def test_a_range_names_its_architectures(text: str, nodes: set[str]) -> None:
    architectures = architectures_in_range(text)
    assert architectures is not None
    assert nodes_in_capabilities(architectures) == nodes


@pytest.mark.parametrize("text", ["Any", "N/A", "", "8", "new"])
def test_words_are_no_range(text: str) -> None:
    assert architectures_in_range(text) is None
