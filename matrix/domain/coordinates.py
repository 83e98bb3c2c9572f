"""Scopes, cells and their three-valued coverage."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from packaging.version import InvalidVersion, Version

from matrix.domain.levels import Axis, ConditionKind, Coverage, NumberAxis
from matrix.domain.trees import EMPTY_TREE, Tree

NO_NODES: frozenset[str] = frozenset()
CONDITION_OPS = ("=", "!=", ">=", "<=", "<", ">", "set", "unset")
# How people write that a switch is off.
_OFF = frozenset({"0", "false", "off", "no", "none"})


@dataclass(frozen=True, slots=True)
class NodeSet:
    """Nodes of one axis: all descendants of ``include`` but those of ``exclude``.

    An empty ``include`` means every node of the axis (only ``exclude`` restricts).
    """

    include: frozenset[str] = NO_NODES
    exclude: frozenset[str] = NO_NODES


@dataclass(frozen=True, slots=True)
class NumberRange:
    """An inclusive range; ``None`` leaves a side open."""

    minimum: float | None = None
    maximum: float | None = None

    def contains(self, value: float) -> bool:
        """Whether the value lies in the range."""
        below = self.minimum is not None and value < self.minimum
        above = self.maximum is not None and value > self.maximum
        return not below and not above


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition as data: a flag, variable, build option, driver … and the value it needs.

    ``op`` is one of ``CONDITION_OPS``.
    """

    kind: ConditionKind
    name: str
    op: str = "set"
    value: str = ""
    workaround: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """The set of cells a statement speaks about; an absent axis was not restricted.

    ``features`` is a conjunction: a claim about two features speaks about their joint use.
    Nodes of the other axes are a disjunction.
    """

    nodes: Mapping[Axis, NodeSet] = field(default_factory=dict)
    features: frozenset[str] = NO_NODES
    numbers: Mapping[NumberAxis, NumberRange] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cell:
    """One question: a framework release and the nodes it is asked about.

    ``version`` is ``None`` for the newest stable release on the asked date.
    ``settings`` maps names of flags, variables and build options to values.
    """

    framework: str
    version: str | None = None
    nodes: Mapping[Axis, str] = field(default_factory=dict)
    features: frozenset[str] = NO_NODES
    numbers: Mapping[NumberAxis, float] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Trees:
    """The trees of all axes; ``features`` has its own."""

    by_axis: Mapping[Axis, Tree]
    features: Tree = EMPTY_TREE

    def tree(self, axis: Axis) -> Tree:
        """The tree of an axis; an axis without catalogue is flat."""
        return self.by_axis.get(axis, EMPTY_TREE)


def condition_holds(condition: Condition, given: str) -> bool | None:
    """Whether a given setting meets a condition; ``None`` where that cannot be told.

    Sizes are compared as versions ("12.10" is above "12.9"); what is no version compares with
    nothing, so the condition stays open instead of being taken as met.
    """
    text = given.strip()
    op = condition.op
    if op in {"=", "!="}:
        return (text == condition.value.strip()) is (op == "=")
    if op in {"set", "unset"}:
        if not text:
            # A name without a value is a switch that is on for some, and an empty value for others.
            return None
        return (text.lower() not in _OFF) is (op == "set")
    try:
        left, right = Version(text), Version(condition.value)
    except InvalidVersion:
        return None
    below, above = left < right, left > right
    return {">=": not below, "<=": not above, "<": below, ">": above}[op]


def covers_node(nodes: NodeSet, slug: str | None, tree: Tree) -> Coverage:
    """Whether a node set covers a cell's node (``None`` = the cell leaves the axis open)."""
    if slug is None:
        return Coverage.DEPENDS
    up = tree.up(slug)
    if not nodes.exclude.isdisjoint(up):
        return Coverage.NO
    down = tree.down(slug)
    if not nodes.include or not nodes.include.isdisjoint(up):
        partly_out = bool(nodes.exclude) and not nodes.exclude.isdisjoint(down)
        return Coverage.DEPENDS if partly_out else Coverage.YES
    return Coverage.NO if nodes.include.isdisjoint(down) else Coverage.DEPENDS


def covers_features(wanted: frozenset[str], asked: frozenset[str], tree: Tree) -> Coverage:
    """Whether a statement about the joint use of ``wanted`` speaks about the ``asked`` features.

    A feature that the cell does not ask for is not used, so a statement about it does not apply.
    """
    result = Coverage.YES
    for feature in wanted:
        if any(feature in tree.up(name) for name in asked):
            continue
        below = tree.down(feature)
        above = tree.up(feature)
        if any(name in above for name in asked) and feature not in below:
            result = Coverage.DEPENDS
            continue
        return Coverage.NO
    return result


def covers(scope: Scope, cell: Cell, trees: Trees) -> Coverage:
    """Three-valued: YES, NO, or DEPENDS where the cell leaves open an axis the scope restricts."""
    result = covers_features(scope.features, cell.features, trees.features)
    if result is Coverage.NO:
        return result
    for axis, nodes in scope.nodes.items():
        part = covers_node(nodes, cell.nodes.get(axis), trees.tree(axis))
        if part is Coverage.NO:
            return part
        result = min(result, part)
    for number, span in scope.numbers.items():
        value = cell.numbers.get(number)
        if value is None:
            result = min(result, Coverage.DEPENDS)
        elif not span.contains(value):
            return Coverage.NO
    return result
