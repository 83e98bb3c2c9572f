"""Catalogue trees: ancestors, descendants, asides and the smallest cover."""

import pytest

from matrix.domain.trees import EMPTY_TREE, BrokenTree, Tree, smallest_cover

TREE = Tree(
    {
        "nvidia": None,
        "turing": "nvidia",
        "t4": "turing",
        "rtx-2080": "turing",
        "ampere": "nvidia",
        "a100": "ampere",
        "amd": None,
    }
)
# A kernel is a way of running its scheme, not a part of it.
SCHEMES = Tree(
    {"awq": None, "awq-w4a16": "awq", "awq-marlin": "awq", "awq-marlin-24": "awq-marlin"},
    asides=frozenset({"awq-marlin"}),
)


def test_a_node_knows_its_ancestors_nearest_first() -> None:
    assert TREE.up("t4") == ("t4", "turing", "nvidia")
    assert TREE.depth("t4") == 2
    assert TREE.depth("amd") == 0


def test_a_node_knows_its_descendants_but_is_none_of_them() -> None:
    assert TREE.down("nvidia") == {"turing", "t4", "rtx-2080", "ampere", "a100"}
    assert TREE.down("t4") == frozenset()
    assert TREE.children("nvidia") == ("ampere", "turing")


def test_a_slug_outside_the_tree_stands_alone() -> None:
    assert "t5" not in TREE
    assert TREE.up("t5") == ("t5",)
    assert TREE.down("t5") == frozenset()
    assert EMPTY_TREE.up("t4") == ("t4",)


def test_an_aside_hears_its_parent_and_does_not_speak_for_it() -> None:
    assert SCHEMES.up("awq-marlin") == ("awq-marlin", "awq")
    assert SCHEMES.down("awq") == {"awq-w4a16"}


def test_what_lies_below_an_aside_does_not_speak_for_what_is_above_it() -> None:
    assert SCHEMES.down("awq-marlin") == {"awq-marlin-24"}
    assert "awq-marlin-24" not in SCHEMES.down("awq")


def test_a_missing_parent_is_an_error_that_names_both() -> None:
    with pytest.raises(BrokenTree, match=r"'t4' names the parent 'turing'"):
        Tree({"t4": "turing"})


def test_a_node_that_is_its_own_ancestor_is_an_error() -> None:
    with pytest.raises(BrokenTree, match="its own ancestor"):
        Tree({"a": "b", "b": "a"})


@pytest.mark.parametrize(
    ("wanted", "cover"),
    [
        ({"t4"}, {"t4"}),
        ({"t4", "rtx-2080"}, {"turing"}),
        ({"turing"}, {"turing"}),
        ({"t4", "a100"}, {"t4", "ampere"}),
        ({"turing", "a100"}, {"nvidia"}),
        ({"nvidia", "amd"}, {"nvidia", "amd"}),
        (set(), set()),
    ],
)
def test_a_cover_is_the_fewest_nodes_that_say_no_more(wanted: set[str], cover: set[str]) -> None:
    assert smallest_cover(TREE, wanted) == cover


def test_a_cover_never_reaches_a_leaf_that_was_not_wanted() -> None:
    for wanted in ({"t4"}, {"t4", "a100"}, {"rtx-2080", "amd"}):
        leaves = {
            leaf
            for node in smallest_cover(TREE, wanted)
            for leaf in (TREE.down(node) or {node})
            if not TREE.down(leaf)
        }
        assert leaves == wanted
