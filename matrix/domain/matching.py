"""Whether and how one compiled claim speaks about an asked cell.

This is the inner loop of every verdict, so it works on prepared sets and makes no values that the
answer does not need.
"""

from dataclasses import dataclass

from matrix.domain.claims import Claim
from matrix.domain.coordinates import Cell, Condition, condition_holds, covers_features
from matrix.domain.entries import OBSERVED, Entry
from matrix.domain.levels import STRENGTH, Axis, Coverage, EvidenceKind, SupportLevel
from matrix.domain.surroundings import Surroundings
from matrix.domain.trees import Place, Tree
from matrix.domain.verdict_values import CARRY_LIMIT_DAYS, AgeKind, Candidate


@dataclass(slots=True, eq=False)
class Asked:
    """A cell prepared for look-up at one release and day; not changed once made.

    **Shapes**: ``places`` are the places of the cell's nodes in their trees; ``features`` is the
    tree of features, ``features_above`` the asked features with their ancestors.
    **Dates**: ``day`` and ``known_day`` are ordinals of the valid and the recorded clock.
    """

    cell: Cell
    rank: int
    day: int
    known_day: int | None
    release_day: int
    places: dict[Axis, Place]
    features: Tree
    features_above: frozenset[str]


def prepare(
    cell: Cell, around: Surroundings, *, rank: int, day: int, known_day: int | None
) -> Asked:
    """The prepared cell."""
    trees = around.trees
    return Asked(
        cell=cell,
        rank=rank,
        day=day,
        known_day=known_day,
        release_day=around.histories[cell.framework].release_days[rank],
        places={axis: trees.tree(axis).place(slug) for axis, slug in cell.nodes.items()},
        features=trees.features,
        features_above=frozenset(
            [above for name in cell.features for above in trees.features.up(name)]
        ),
    )


def match(asked: Asked, entry: Entry, *, inherited_from: str = "") -> Candidate | None:
    """The claim as a candidate for the cell, or ``None`` when it does not speak about it."""
    if not entry.is_known(asked.known_day):
        return None
    coverage = _coverage(asked, entry)
    if coverage is Coverage.NO:
        return None
    seen = entry.observation_at(asked.rank, asked.day, release_day=asked.release_day)
    if seen is None:
        return None
    claim = entry.claim
    negative = claim.level is SupportLevel.UNSUPPORTED
    if not negative and not _says_yes_of(asked, entry):
        return None
    conditions: tuple[Condition, ...] = ()
    if claim.conditions:
        unmet = unmet_conditions(claim, asked.cell)
        if unmet is None:
            return None
        conditions = unmet
        if conditions:
            coverage = Coverage.DEPENDS
    rank, age, observation = seen
    return Candidate(
        claim=claim,
        coverage=coverage,
        rank=rank,
        specificity=_specificity(asked, entry),
        age=age,
        observation=observation,
        strength=STRENGTH[claim.kind],
        negative=negative,
        is_gate_pass=not negative and claim.kind is EvidenceKind.CAPABILITY_GATE,
        is_stale=(
            age is not OBSERVED
            and age.kind is AgeKind.CARRIED_FORWARD
            and age.days > CARRY_LIMIT_DAYS
        ),
        said_of=(
            None
            if coverage is Coverage.YES
            else (entry.reach.said_of(), claim.conditions, entry.implied)
        ),
        implied=entry.implied,
        inherited_from=inherited_from,
        conditions=conditions,
        depends_on=() if coverage is Coverage.YES else _open_axes(asked, entry),
        places=asked.places,
    )


def _says_yes_of(asked: Asked, entry: Entry) -> bool:
    """Whether a yes speaks of the cell's own nodes: one for a scheme is none for each kernel."""
    for axis, include, _ in entry.reach.nodes:
        place = asked.places.get(axis)
        if place is None or not include or len(place.own) == len(place.above):
            continue
        if include.isdisjoint(place.own) and include.isdisjoint(place.below):
            return False
    return True


def _coverage(asked: Asked, entry: Entry) -> Coverage:
    """``coordinates.covers`` on prepared sets."""
    result = Coverage.YES
    reach = entry.reach
    if not reach.features <= asked.features_above:
        result = covers_features(reach.features, asked.cell.features, asked.features)
        if result is Coverage.NO:
            return result
    places = asked.places
    for axis, include, exclude in reach.nodes:
        place = places.get(axis)
        if place is None:
            result = Coverage.DEPENDS
            continue
        part = _node_coverage(place, include, exclude)
        if part is Coverage.NO:
            return part
        if part is Coverage.DEPENDS:
            result = part
    for number, span in reach.numbers:
        value = asked.cell.numbers.get(number)
        if value is None:
            result = Coverage.DEPENDS
        elif not span.contains(value):
            return Coverage.NO
    return result


def _node_coverage(place: Place, include: frozenset[str], exclude: frozenset[str]) -> Coverage:
    if exclude and not exclude.isdisjoint(place.above):
        return Coverage.NO
    if not include or not include.isdisjoint(place.above):
        if exclude and not exclude.isdisjoint(place.below):
            return Coverage.DEPENDS
        return Coverage.YES
    return Coverage.NO if include.isdisjoint(place.below) else Coverage.DEPENDS


def _specificity(asked: Asked, entry: Entry) -> int:
    """How specific an entry is for a cell: restricted axes plus the depth of the matched nodes.

    A capability gate names a number, not devices, so its hardware counts as one restricted axis.
    """
    claim = entry.claim
    total = entry.reach.weight + len(claim.conditions)
    gate = claim.kind is EvidenceKind.CAPABILITY_GATE
    for axis, include, _ in entry.reach.nodes:
        place = asked.places.get(axis)
        if place is None or (gate and axis is Axis.HARDWARE):
            continue
        depth = len(place.up)
        for slug in place.up:
            depth -= 1
            if slug in include:
                total += depth
                break
    return total


def _open_axes(asked: Asked, entry: Entry) -> tuple[str, ...]:
    """The axes that the cell leaves open and the claim restricts, as ``axis: nodes``."""
    found = []
    reach = entry.reach
    wanted = reach.features
    if wanted:
        covered = covers_features(wanted, asked.cell.features, asked.features)
        if covered is Coverage.DEPENDS:
            found.append("feature: " + ", ".join(sorted(wanted)))
    for axis, include, exclude in reach.nodes:
        place = asked.places.get(axis)
        if place is None or _node_coverage(place, include, exclude) is Coverage.DEPENDS:
            names = sorted(include) or ["not " + n for n in sorted(exclude)]
            found.append(f"{axis.value}: {', '.join(names)}")
    for number, span in reach.numbers:
        if asked.cell.numbers.get(number) is None:
            found.append(f"{number.value}: {_span_text(span.minimum, span.maximum)}")
    return tuple(found)


def unmet_conditions(claim: Claim, cell: Cell) -> tuple[Condition, ...] | None:
    """Conditions the cell leaves open; ``None`` when its settings contradict one."""
    unmet = []
    for condition in claim.conditions:
        given = cell.settings.get(condition.name)
        holds = None if given is None else condition_holds(condition, given)
        if holds is None:
            unmet.append(condition)
        elif not holds:
            return None
    return tuple(unmet)


def _span_text(minimum: float | None, maximum: float | None) -> str:
    low = "" if minimum is None else f"{minimum:g} ≤ "
    high = "" if maximum is None else f" ≤ {maximum:g}"
    return f"{low}n{high}"
