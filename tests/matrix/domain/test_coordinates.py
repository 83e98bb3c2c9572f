"""Three-valued coverage of a cell by a scope, and conditions against settings."""

import pytest

from matrix.domain.coordinates import (
    CONDITION_OPS,
    Condition,
    NodeSet,
    NumberRange,
    condition_holds,
    covers,
    covers_features,
    covers_node,
)
from matrix.domain.levels import Axis, ConditionKind, Coverage, NumberAxis
from matrix.domain.matching import unmet_conditions
from tests.builders import FEATURE, HARDWARE, TREES, cell, claim, scope

NO, DEPENDS, YES = Coverage.NO, Coverage.DEPENDS, Coverage.YES


@pytest.mark.parametrize(
    ("include", "exclude", "asked", "coverage"),
    [
        # A scope without exclusions: itself and what is below is covered.
        ({"nvidia-turing"}, set(), "nvidia-turing", YES),
        ({"nvidia-turing"}, set(), "nvidia-t4", YES),
        ({"nvidia"}, set(), "nvidia-t4", YES),
        # What lies beside is not covered, what lies above depends.
        ({"nvidia-turing"}, set(), "nvidia-a100", NO),
        ({"nvidia-turing"}, set(), "amd-mi300x", NO),
        ({"nvidia-turing"}, set(), "nvidia", DEPENDS),
        ({"nvidia-turing", "nvidia-ampere"}, set(), "nvidia", DEPENDS),
        # An open axis depends on what the reader has in mind.
        ({"nvidia-turing"}, set(), None, DEPENDS),
        (set(), {"nvidia-volta"}, None, DEPENDS),
        # Exclusions remove what is below them, and leave a doubt about what is above them.
        ({"nvidia"}, {"nvidia-volta"}, "nvidia-v100", NO),
        ({"nvidia"}, {"nvidia-volta"}, "nvidia-volta", NO),
        ({"nvidia"}, {"nvidia-volta"}, "nvidia-t4", YES),
        ({"nvidia"}, {"nvidia-volta"}, "nvidia", DEPENDS),
        ({"nvidia"}, {"nvidia-v100"}, "nvidia-volta", DEPENDS),
        # Only exclusions: every other node of the axis.
        (set(), {"nvidia"}, "nvidia-t4", NO),
        (set(), {"nvidia"}, "amd-mi300x", YES),
        (set(), {"nvidia-volta"}, "nvidia", DEPENDS),
        # A node that the catalogue does not hold stands alone.
        ({"nvidia"}, set(), "nvidia-h900", NO),
        ({"nvidia-h900"}, set(), "nvidia-h900", YES),
    ],
)
def test_a_node_set_covers(
    include: set[str], exclude: set[str], asked: str | None, coverage: Coverage
) -> None:
    nodes = NodeSet(include=frozenset(include), exclude=frozenset(exclude))
    assert covers_node(nodes, asked, HARDWARE) is coverage


@pytest.mark.parametrize(
    ("wanted", "asked", "coverage"),
    [
        ((), (), YES),
        ((), ("lora",), YES),
        (("lora",), ("lora",), YES),
        (("lora",), (), NO),
        (("lora", "prefix-caching"), ("lora",), NO),
        (("lora", "prefix-caching"), ("lora", "prefix-caching", "eagle"), YES),
        # A statement about the group covers its kinds; one about a kind depends for the group.
        (("speculative-decoding",), ("eagle",), YES),
        (("eagle",), ("speculative-decoding",), DEPENDS),
        (("eagle", "lora"), ("speculative-decoding",), NO),
    ],
)
def test_a_joint_statement_about_features_covers(
    wanted: tuple[str, ...], asked: tuple[str, ...], coverage: Coverage
) -> None:
    assert covers_features(frozenset(wanted), frozenset(asked), FEATURE) is coverage


def test_the_weakest_axis_decides_and_a_no_on_any_axis_is_a_no() -> None:
    about = scope(hardware="nvidia-turing", quantization="awq")
    assert covers(about, cell(hardware="nvidia-t4", quantization="awq"), TREES) is YES
    assert covers(about, cell(hardware="nvidia-t4"), TREES) is DEPENDS
    assert covers(about, cell(hardware="nvidia-a100"), TREES) is NO
    assert covers(about, cell(hardware="nvidia", quantization="fp8"), TREES) is NO


@pytest.mark.parametrize(
    ("value", "coverage"), [(None, DEPENDS), (1, NO), (2, YES), (4, YES), (5, NO)]
)
def test_a_number_axis_is_a_range_with_both_ends(value: int | None, coverage: Coverage) -> None:
    axis = NumberAxis.TENSOR_PARALLEL
    about = scope(hardware="nvidia", numbers={axis: NumberRange(minimum=2, maximum=4)})
    numbers = {} if value is None else {axis: float(value)}
    assert covers(about, cell(hardware="nvidia-t4", numbers=numbers), TREES) is coverage


def test_an_empty_scope_covers_everything() -> None:
    assert covers(scope(), cell(hardware="nvidia-t4"), TREES) is YES


def test_an_axis_without_a_tree_is_compared_word_by_word() -> None:
    about = scope(exclude={Axis.LAYER: ["moe"]})
    assert covers(about, cell(layer="moe"), TREES) is NO
    assert covers(about, cell(layer="dense"), TREES) is YES


@pytest.mark.parametrize(
    ("op", "value", "given", "holds"),
    [
        ("=", "marlin", "marlin", True),
        ("=", "marlin", "cutlass", False),
        ("!=", "marlin", "cutlass", True),
        ("!=", "marlin", "marlin", False),
        ("set", "", "1", True),
        ("set", "", "anything", True),
        ("set", "", "0", False),
        ("set", "", "False", False),
        ("set", "", "off", False),
        ("unset", "", "0", True),
        ("unset", "", "1", False),
        # A name without a value may mean either.
        ("set", "", "", None),
        ("unset", "", "", None),
        (">=", "12.4", "12.4", True),
        (">=", "12.4", "12.10", True),
        (">=", "12.4", "12.1", False),
        ("<=", "12.4", "12.10", False),
        ("<", "2.0", "1.9.9", True),
        ("<", "2.0", "2.0", False),
        (">", "2.0", "2.0.1", True),
        # What does not compare is neither met nor contradicted.
        (">=", "12.4", "newest", None),
        ("<", "a driver", "550", None),
    ],
)
def test_a_setting_meets_a_condition(op: str, value: str, given: str, holds: bool | None) -> None:
    condition = Condition(kind=ConditionKind.TOOLKIT, name="cuda", op=op, value=value)
    assert condition_holds(condition, given) is holds


def test_every_operator_is_one_that_can_be_judged() -> None:
    for op in CONDITION_OPS:
        condition = Condition(kind=ConditionKind.OTHER, name="x", op=op, value="1")
        assert condition_holds(condition, "1") is not None


def test_a_condition_that_cannot_be_judged_stays_open() -> None:
    condition = Condition(kind=ConditionKind.TOOLKIT, name="cuda", op=">=", value="12.4")
    held = claim("supported", about=scope(hardware="nvidia"), conditions=[condition])
    assert unmet_conditions(held, cell(settings={"cuda": "12.6"})) == ()
    assert unmet_conditions(held, cell(settings={"cuda": "new"})) == (condition,)
    assert unmet_conditions(held, cell()) == (condition,)
    assert unmet_conditions(held, cell(settings={"cuda": "11.8"})) is None
