"""Capability floors and ranges become members of a list, never an open end."""

import pytest

from ingest.contract import Finding, FindingKind, StatementStatus
from ingest.sources.scopes import scope_of
from ingest.sources.vllm.gather import leave_out_never_listed
from ingest.sources.vllm.words import (
    architectures_in_range,
    families_below,
    nodes_in_capabilities,
)
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis


@pytest.mark.parametrize(
    ("vendor", "old"),
    [("nvidia", "nvidia-kepler"), ("amd", "amd-gcn4"), ("intel", "intel-gen9")],
)
def test_a_yes_for_a_vendor_leaves_out_what_was_never_listed_and_a_no_keeps_it(
    vendor: str, old: str
) -> None:
    def excluded(status: StatementStatus, hardware: str) -> frozenset[str]:
        finding = Finding(
            kind=FindingKind.COMPATIBILITY,
            statement="feature-hardware",
            status=status,
            raw="✅",
            locator=Locator(),
            scope=scope_of({Axis.HARDWARE: hardware}),
        )
        scope = leave_out_never_listed(finding).scope
        return scope.nodes[Axis.HARDWARE].exclude if scope else frozenset()

    assert old in excluded(StatementStatus.SUPPORTED, vendor)
    assert old in excluded(StatementStatus.PARTIAL, vendor)
    assert not excluded(StatementStatus.UNSUPPORTED, vendor)
    assert not excluded(StatementStatus.SUPPORTED, "nvidia-hopper")


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
