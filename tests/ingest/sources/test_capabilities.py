"""NVIDIA architectures by compute capability, held against the shipped catalogue."""

import pytest

from ingest.sources.capabilities import CAPABILITIES, NVIDIA_TREE, nvidia_below, nvidia_node
from matrix.catalog_files import read_catalogue


@pytest.mark.parametrize(
    ("floor", "below"),
    [
        (3.5, set()),
        (5.2, {"nvidia-kepler", "nvidia-sm-50"}),
        (7.0, {"nvidia-kepler", "nvidia-maxwell", "nvidia-pascal"}),
        (7.5, {"nvidia-kepler", "nvidia-maxwell", "nvidia-pascal", "nvidia-volta"}),
    ],
)
def test_a_floor_names_the_fewest_nodes_below_it(floor: float, below: set[str]) -> None:
    assert nvidia_below(floor) == below


def test_a_renumbered_device_is_found_by_both_numbers() -> None:
    assert nvidia_node(10.1) == nvidia_node(11.0) == "nvidia-sm-110"
    assert nvidia_node(6.9) is None


def test_the_table_is_the_catalogues() -> None:
    hardware = read_catalogue().area("hardware")
    listed = {
        slug: float(str(node.facts["compute_capability"]))
        for slug, node in hardware.items()
        if node.kind == "architecture" and slug.startswith("nvidia-sm-")
    }
    assert listed == dict(CAPABILITIES)
    for slug in CAPABILITIES:
        assert hardware[slug].parent == NVIDIA_TREE.up(slug)[1]
