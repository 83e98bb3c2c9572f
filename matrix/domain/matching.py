"""Whether and how one compiled claim speaks about an asked cell.

This is the inner loop of every verdict, so it works on prepared sets and makes no values that the
answer does not need.
"""

from dataclasses import dataclass

from matrix.domain.claims import Claim
from matrix.domain.coordinates import NO_NODES, Cell, Condition, condition_holds
from matrix.domain.entries import FOREVER, OBSERVED, Entry, Reach
from matrix.domain.levels import (
    STRENGTH,
    Axis,
    Coverage,
    EndpointKind,
    EvidenceKind,
    SupportLevel,
)
from matrix.domain.surroundings import Surroundings
from matrix.domain.trees import EMPTY_TREE, Place, Tree
from matrix.domain.verdict_values import (
    CARRY_LIMIT_DAYS,
    NOT_DATED,
    SWITCHES,
    AgeKind,
    Candidate,
)

# A source that names the release since when something holds, exactly or between two.
_DATED = frozenset({EndpointKind.EXACT, EndpointKind.BETWEEN})


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
    trees = around.trees.by_axis
    features = around.trees.features
    return Asked(
        cell,
        rank,
        day,
        known_day,
        around.histories[cell.framework].release_days[rank],
        {axis: trees.get(axis, EMPTY_TREE).place(slug) for axis, slug in cell.nodes.items()},
        features,
        frozenset([above for name in cell.features for above in features.up(name)])
        if cell.features
        else NO_NODES,
    )


def match(asked: Asked, entry: Entry, *, inherited_from: str = "") -> Candidate | None:
    """The claim as a candidate for the cell, or ``None`` when it does not speak about it."""
    known_day = asked.known_day
    if entry.known_until != FOREVER if known_day is None else not entry.is_known(known_day):
        return None
    claim, reach = entry.claim, entry.reach
    kind = claim.kind
    gate = kind is EvidenceKind.CAPABILITY_GATE
    negative = claim.level is SupportLevel.UNSUPPORTED
    fit = _fit(asked, reach, negative=negative, gate=gate)
    if fit is None or (entry.implied and _is_of_a_whole_vendor(asked, reach)):
        return None
    seen = entry.observation_at(asked.rank, asked.day, release_day=asked.release_day)
    if seen is None:
        return None
    opened, specificity = fit
    conditions: tuple[Condition, ...] = ()
    if claim.conditions:
        unmet = unmet_conditions(claim, asked.cell)
        if unmet is None:
            return None
        if entry.implied:
            # A switch belongs to the combination; that its parts work does not hang on it.
            unmet = tuple([c for c in unmet if c.kind not in SWITCHES])
        conditions = unmet
        specificity += len(claim.conditions)
    depends = opened or conditions
    rank, age, observation = seen
    # Given in the order of the fields: by name, this takes half as long again.
    return Candidate(
        claim,
        Coverage.DEPENDS if depends else Coverage.YES,
        rank,
        specificity,
        age,
        observation,
        STRENGTH[kind],
        negative,
        gate and not negative,
        age is not OBSERVED and age.kind is AgeKind.CARRIED_FORWARD and age.days > CARRY_LIMIT_DAYS,
        (reach.said_of(), claim.conditions, entry.implied) if depends else None,
        entry.implied,
        inherited_from,
        conditions,
        reach.open_texts(opened) if opened else (),
        asked.places,
        entry.first_rank if claim.validity.first_kind in _DATED else NOT_DATED,
    )


def _fit(asked: Asked, reach: Reach, *, negative: bool, gate: bool) -> tuple[int, int] | None:
    """Which restricted axes the cell leaves open, and how specific the claim is for the cell.

    ``None`` when the claim does not cover the cell, or is a yes that says nothing of the cell's own
    nodes: one for a scheme is none for each kernel. Specificity counts the restricted axes and the
    depth of the matched nodes; a capability gate names a number, not devices, so its hardware
    counts as one restricted axis.

    **Shapes**: the open axes are bits, see ``Reach.open_texts``; none is set for ``Coverage.YES``.
    """
    opened = 0
    if reach.features and not reach.features <= asked.features_above:
        if not _asked_in_part(asked, reach.features):
            return None
        opened = 1
    specificity = reach.weight
    bit = 1
    places = asked.places
    for axis, include, exclude in reach.nodes:
        bit <<= 1
        place = places.get(axis)
        if place is None:
            # An axis named without nodes means every node of it: nothing is left open.
            if include or exclude:
                opened |= bit
            continue
        node = _fit_node(place, include, exclude, negative=negative)
        if node is None:
            return None
        depth, partly = node
        if partly:
            opened |= bit
        if not gate or axis is not Axis.HARDWARE:
            specificity += depth
    if not reach.numbers:
        return opened, specificity
    numbers = _open_numbers(asked, reach, bit)
    return None if numbers is None else (opened | numbers, specificity)


def _is_of_a_whole_vendor(asked: Asked, reach: Reach) -> bool:
    """Whether the scope covers the asked hardware only as a part of a whole vendor's.

    "EXAONE 4 on NVIDIA" implies that there is NVIDIA hardware on which the framework runs, and not
    that it runs on each generation of it.
    """
    place = asked.places.get(Axis.HARDWARE)
    if place is None or len(place.up) < 2:
        return False
    named = next((include for axis, include, _ in reach.nodes if axis is Axis.HARDWARE), NO_NODES)
    return place.up[-1] in named and named.isdisjoint(place.up[:-1])


def _fit_node(
    place: Place, include: frozenset[str], exclude: frozenset[str], *, negative: bool
) -> tuple[int, bool] | None:
    """The depth of the node that covers the place, and whether only a part of it is covered."""
    if exclude and not exclude.isdisjoint(place.above):
        return None
    partly = bool(exclude) and not exclude.isdisjoint(place.below)
    if not include:
        return 0, partly
    depth = len(place.up)
    for slug in place.up:
        depth -= 1
        if slug in include:
            if negative or slug in place.own or not include.isdisjoint(place.below):
                return depth, partly
            return None
    return None if include.isdisjoint(place.below) else (0, True)


def _asked_in_part(asked: Asked, wanted: frozenset[str]) -> bool:
    """Whether the cell asks each of the features, or an ancestor that leaves it open.

    A feature that the cell does not ask for is not used, so a statement about it does not apply.
    """
    own, above, features = asked.cell.features, asked.features_above, asked.features
    return not any(name not in above and own.isdisjoint(features.up(name)) for name in wanted)


def _open_numbers(asked: Asked, reach: Reach, bit: int) -> int | None:
    """The bits after this one of the numbers that the cell leaves open; ``None`` if one differs."""
    opened = 0
    for number, span in reach.numbers:
        bit <<= 1
        value = asked.cell.numbers.get(number)
        if value is None:
            opened |= bit
        elif not span.contains(value):
            return None
    return opened


def unmet_conditions(claim: Claim, cell: Cell) -> tuple[Condition, ...] | None:
    """Conditions the cell leaves open; ``None`` when its settings contradict one.

    A flag may be given with or without its dashes.
    """
    unmet = []
    settings = cell.settings
    for condition in claim.conditions:
        name = condition.name
        given = settings.get(name, settings.get(name.lstrip("-"))) if settings else None
        holds = None if given is None else condition_holds(condition, given)
        if holds is None:
            unmet.append(condition)
        elif not holds:
            return None
    return tuple(unmet)
