"""Verdicts of many cells that differ on one axis."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from matrix.asking import Over, Question
from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis
from matrix.domain.sharing import SharedLegs
from matrix.domain.verdict_values import Verdict
from matrix.index import Knowledge

# Over these trees a list shows one level unless another is asked for: all levels at once would
# say the same thing several times.
_DEFAULT_KIND = {"hardware": "architecture", "model": "architecture"}
_AXES = {axis.value: axis for axis in Axis}


def with_axis(cell: Cell, axis: str, value: str) -> Cell:
    """The cell with one more axis named: a framework, version, feature or node."""
    if axis == "framework":
        return replace(cell, framework=value)
    if axis == "version":
        return replace(cell, version=value)
    if axis == "feature":
        return replace(cell, features=cell.features | {value})
    return replace(cell, nodes={**cell.nodes, _AXES[axis]: value})


def axis_values(catalogue: Catalogue, question: Question, over: Over) -> tuple[str, ...]:
    """The values a list runs over: releases newest first, nodes in the order of their tree.

    **Dates**: only releases published by the question's ``as_of``.
    """
    if over.axis == "version":
        releases = catalogue.histories[question.cell.framework].releases
        known = [r.version for r in releases if r.released_on <= question.as_of]
        return tuple(reversed(known))
    tree = catalogue.trees.features if over.axis == "feature" else None
    if tree is None and over.axis in _AXES:
        tree = catalogue.trees.tree(_AXES[over.axis])
    kind = over.kind or ("" if over.parent else _DEFAULT_KIND.get(over.axis, ""))
    nodes = catalogue.area(over.axis)

    def path(slug: str) -> tuple[str, ...]:
        if tree is not None:
            return tuple(reversed(tree.up(slug)))
        parent = nodes[slug].parent
        return (parent, slug) if parent else (slug,)

    wanted = [
        slug
        for slug, node in nodes.items()
        if (not kind or node.kind == kind) and (not over.parent or over.parent in path(slug)[:-1])
    ]
    return tuple(sorted(wanted, key=path))


def verdicts_over(
    knowledge: Knowledge, question: Question, *, axis: str, values: Sequence[str]
) -> Iterator[tuple[str, Verdict]]:
    """The verdict of the question's cell at each value of an axis."""
    shared = SharedLegs()
    for value in values:
        cell = with_axis(question.cell, axis, value)
        verdict = knowledge.index.verdict_for(
            cell, as_of=question.as_of, known_at=question.known_at, shared=shared
        )
        yield value, verdict
