"""Whether and how one compiled claim speaks about an asked cell.

This is the inner loop of every verdict, so it works on prepared sets and makes no values that the
answer does not need.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from matrix.domain.claims import Claim
from matrix.domain.coordinates import Cell, Condition, NodeSet, Trees, covers_features
from matrix.domain.entries import FOREVER, Entry
from matrix.domain.levels import Axis, Coverage, EvidenceKind
from matrix.domain.verdict_values import AgeKind, Candidate

_NOTHING: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Asked:
    """A cell prepared for look-up at one release and day.

    **Shapes**: ``up`` lists each node with its ancestors, nearest first; ``above`` the same as a
    set; ``below`` its descendants.
    **Dates**: ``day`` and ``known_day`` are ordinals of the valid and the recorded clock.
    """

    cell: Cell
    rank: int
    day: int
    known_day: int | None
    release_day: int
    up: Mapping[Axis, tuple[str, ...]]
    above: Mapping[Axis, frozenset[str]]
    below: Mapping[Axis, frozenset[str]]
    trees: Trees


def prepare(
    cell: Cell, trees: Trees, *, rank: int, day: int, known_day: int | None, release_day: int
) -> Asked:
    """The prepared cell."""
    up = {axis: trees.tree(axis).up(slug) for axis, slug in cell.nodes.items()}
    return Asked(
        cell=cell,
        rank=rank,
        day=day,
        known_day=known_day,
        release_day=release_day,
        up=up,
        above={axis: frozenset(path) for axis, path in up.items()},
        below={axis: trees.tree(axis).down(slug) for axis, slug in cell.nodes.items()},
        trees=trees,
    )


def match(asked: Asked, entry: Entry, *, inherited_from: str = "") -> Candidate | None:
    """The claim as a candidate for the cell, or ``None`` when it does not speak about it."""
    if asked.known_day is None:
        if entry.known_until != FOREVER:
            return None
    elif not entry.known_from <= asked.known_day < entry.known_until:
        return None
    coverage = _coverage(asked, entry)
    if coverage is Coverage.NO:
        return None
    seen = entry.observation_at(asked.rank, asked.day)
    if seen is None:
        return None
    claim = entry.claim
    conditions: tuple[Condition, ...] = ()
    if claim.conditions:
        unmet = unmet_conditions(claim, asked.cell)
        if unmet is None:
            return None
        conditions = unmet
        if conditions:
            coverage = Coverage.DEPENDS
    rank, age, observation = seen
    if age.kind is not AgeKind.OBSERVED:
        days = asked.release_day - observation.stated_on.toordinal()
        age = replace(age, days=max(0, days))
    return Candidate(
        claim=claim,
        coverage=coverage,
        rank=rank,
        specificity=_specificity(asked, entry),
        age=age,
        observation=observation,
        implied=entry.implied,
        inherited_from=inherited_from,
        conditions=conditions,
        depends_on=() if coverage is Coverage.YES else _open_axes(asked, entry),
    )


def _coverage(asked: Asked, entry: Entry) -> Coverage:
    """``coordinates.covers`` on prepared sets."""
    result = Coverage.YES
    if entry.scope.features:
        result = covers_features(entry.scope.features, asked.cell.features, asked.trees.features)
        if result is Coverage.NO:
            return result
    for axis, nodes in entry.nodes:
        part = _node_coverage(asked, axis, nodes)
        if part is Coverage.NO:
            return part
        if part is Coverage.DEPENDS:
            result = part
    for number, span in entry.numbers:
        value = asked.cell.numbers.get(number)
        if value is None:
            result = Coverage.DEPENDS
        elif not span.contains(value):
            return Coverage.NO
    return result


def _node_coverage(asked: Asked, axis: Axis, nodes: NodeSet) -> Coverage:
    above = asked.above.get(axis)
    if above is None:
        return Coverage.DEPENDS
    include, exclude = nodes.include, nodes.exclude
    if exclude and not exclude.isdisjoint(above):
        return Coverage.NO
    if not include or not include.isdisjoint(above):
        if exclude and not exclude.isdisjoint(asked.below[axis]):
            return Coverage.DEPENDS
        return Coverage.YES
    return Coverage.NO if include.isdisjoint(asked.below[axis]) else Coverage.DEPENDS


def _specificity(asked: Asked, entry: Entry) -> int:
    """How specific an entry is for a cell: restricted axes plus the depth of the matched nodes.

    A capability gate names a number, not devices, so its hardware counts as one restricted axis.
    """
    total = len(entry.numbers) + len(entry.claim.conditions) + len(entry.nodes)
    for name in entry.scope.features:
        total += 1 + asked.trees.features.depth(name)
    gate = entry.claim.kind is EvidenceKind.CAPABILITY_GATE
    for axis, nodes in entry.nodes:
        up = asked.up.get(axis)
        if up is None or (gate and axis is Axis.HARDWARE):
            continue
        depth = len(up)
        for slug in up:
            depth -= 1
            if slug in nodes.include:
                total += depth
                break
    return total


def _open_axes(asked: Asked, entry: Entry) -> tuple[str, ...]:
    """The axes that the cell leaves open and the claim restricts, as ``axis: nodes``."""
    found = []
    wanted = entry.scope.features
    if wanted:
        covered = covers_features(wanted, asked.cell.features, asked.trees.features)
        if covered is Coverage.DEPENDS:
            found.append("feature: " + ", ".join(sorted(wanted)))
    for axis, nodes in entry.nodes:
        if _node_coverage(asked, axis, nodes) is Coverage.DEPENDS:
            names = sorted(nodes.include) or ["not " + n for n in sorted(nodes.exclude)]
            found.append(f"{axis.value}: {', '.join(names)}")
    for number, span in entry.numbers:
        if asked.cell.numbers.get(number) is None:
            found.append(f"{number.value}: {_span_text(span.minimum, span.maximum)}")
    return tuple(found)


def unmet_conditions(claim: Claim, cell: Cell) -> tuple[Condition, ...] | None:
    """Conditions the cell leaves open; ``None`` when its settings contradict one."""
    unmet = []
    for condition in claim.conditions:
        given = cell.settings.get(condition.name)
        if given is None:
            unmet.append(condition)
        elif not _holds(condition, given):
            return None
    return tuple(unmet)


def _holds(condition: Condition, given: str) -> bool:
    if condition.op == "=":
        return given == condition.value
    if condition.op == "!=":
        return given != condition.value
    if condition.op == "unset":
        return given in {"", "0", "false"}
    return given not in {"0", "false"}


def _span_text(minimum: float | None, maximum: float | None) -> str:
    low = "" if minimum is None else f"{minimum:g} ≤ "
    high = "" if maximum is None else f" ≤ {maximum:g}"
    return f"{low}n{high}"
