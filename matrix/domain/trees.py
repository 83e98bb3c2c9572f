"""Catalogue trees: ancestors, descendants and depth of a node."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

# Stands for every node of an axis where statements are looked up by node.
ANY_NODE = "*"


class BrokenTree(ValueError):
    """A parent that does not exist or a cycle."""


@dataclass(slots=True, eq=False)
class Place:
    """Where a node stands in its tree, prepared for look-up; made once per node, never changed.

    **Shapes**: ``up`` is the node and its ancestors, nearest first, ``above`` the same as a set;
    ``below`` its descendants; ``line`` names everything whose statements can speak about the node:
    ``*``, ``up`` and then ``below`` in alphabetical order, ``reach`` the same as a set; ``own`` is
    ``above`` up to the first aside, the nodes whose "yes" is a yes about this node.
    """

    slug: str
    up: tuple[str, ...]
    above: frozenset[str]
    below: frozenset[str]
    line: tuple[str, ...]
    reach: frozenset[str]
    own: frozenset[str]


def _place(
    slug: str, up: tuple[str, ...], below: frozenset[str], asides: frozenset[str] = frozenset()
) -> Place:
    ends = next((n for n, name in enumerate(up, 1) if name in asides), len(up))
    line = (ANY_NODE, *up, *sorted(below.difference(up)))
    return Place(slug, up, frozenset(up), below, line, frozenset(line), frozenset(up[:ends]))


@dataclass(frozen=True)
class Tree:
    """An immutable forest of slugs.

    **Shapes**: ``parents`` maps each slug to its parent slug or ``None``. ``asides`` are nodes that
    are a way of doing their parent rather than a part of it (a kernel of a scheme, an alternative
    library of a back end): a "no" for the parent holds for them, a "yes" does not say that they
    work too, and a statement about them leaves the parent untouched.
    **Raises**: ``BrokenTree`` when a parent is missing or a node is its own ancestor.
    """

    parents: Mapping[str, str | None]
    asides: frozenset[str] = frozenset()
    _up: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    _down: dict[str, frozenset[str]] = field(init=False, repr=False, compare=False)
    _children: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    _places: dict[str, Place] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        up = {slug: _path_to_root(slug, self.parents) for slug in self.parents}
        down: dict[str, set[str]] = {slug: set() for slug in self.parents}
        children: dict[str, list[str]] = {slug: [] for slug in self.parents}
        for slug, path in up.items():
            for child, ancestor in itertools.pairwise(path):
                if child in self.asides:
                    break
                down[ancestor].add(slug)
            if len(path) > 1:
                children[path[1]].append(slug)
        below = {slug: frozenset(nodes) for slug, nodes in down.items()}
        places = {slug: _place(slug, path, below[slug], self.asides) for slug, path in up.items()}
        object.__setattr__(self, "_up", up)
        object.__setattr__(self, "_down", below)
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "_children", {k: tuple(sorted(v)) for k, v in children.items()})

    def __contains__(self, slug: object) -> bool:
        return slug in self._up

    def up(self, slug: str) -> tuple[str, ...]:
        """The node and its ancestors, nearest first; an unlisted slug stands alone."""
        return self._up.get(slug, (slug,))

    def down(self, slug: str) -> frozenset[str]:
        """All descendants, the node itself and asides not among them."""
        return self._down.get(slug, frozenset())

    def place(self, slug: str) -> Place:
        """The node's place; an unlisted slug stands alone."""
        return self._places.get(slug) or _place(slug, (slug,), frozenset())

    def children(self, slug: str) -> tuple[str, ...]:
        """Direct children, sorted."""
        return self._children.get(slug, ())

    def depth(self, slug: str) -> int:
        """Number of ancestors: 0 for a root."""
        return len(self.up(slug)) - 1


def _path_to_root(slug: str, parents: Mapping[str, str | None]) -> tuple[str, ...]:
    path = [slug]
    seen = {slug}
    while (parent := parents.get(path[-1])) is not None:
        if parent not in parents:
            raise BrokenTree(f"{path[-1]!r} names the parent {parent!r}, which does not exist")
        if parent in seen:
            raise BrokenTree(f"{slug!r} is its own ancestor through {parent!r}")
        seen.add(parent)
        path.append(parent)
    return tuple(path)


EMPTY_TREE = Tree({})


def smallest_cover(tree: Tree, wanted: Iterable[str]) -> frozenset[str]:
    """The fewest nodes whose leaves are exactly the wanted leaves.

    A parent replaces its children only when every leaf below it is wanted, so a cover never says
    more than the leaves do.
    """
    leaves = {leaf for slug in wanted for leaf in _leaves(tree, slug)}
    cover: set[str] = set()
    for leaf in leaves:
        best = leaf
        for ancestor in tree.up(leaf)[1:]:
            if _leaves(tree, ancestor) <= leaves:
                best = ancestor
        cover.add(best)
    return frozenset(cover)


def _leaves(tree: Tree, slug: str) -> frozenset[str]:
    below = tree.down(slug)
    if not below:
        return frozenset({slug})
    return frozenset(node for node in below if not tree.down(node))
