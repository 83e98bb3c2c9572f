"""Legs shared between the cells of one grid, list or batch.

A column of a grid asks the same platform leg in every row. A leg depends on its subject, the
release, the dates, the settings, and on the cell's other nodes only as far as statements about
this leg name them, their ancestors or their descendants; cells that agree in that share the leg.
"""

import itertools
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from matrix.domain.entries import Reach
from matrix.domain.levels import Axis, LegKind, SupportLevel
from matrix.domain.matching import Asked
from matrix.domain.postings import Store
from matrix.domain.trees import Place, Tree
from matrix.domain.verdict_values import LegResult


@dataclass(frozen=True, slots=True)
class Named:
    """What statements about one leg of a framework name: nothing else in a cell changes the leg.

    **Shapes**: ``nodes`` by axis; ``partners`` are the features that statements name together with
    a feature.
    """

    nodes: Mapping[Axis, frozenset[str]]
    partners: Mapping[str, frozenset[str]]


def named_nodes(stores: Iterable[Store], frameworks: Iterable[str], kind: LegKind) -> Named:
    """What statements of these frameworks about a leg name."""
    nodes: dict[Axis, set[str]] = {}
    partners: dict[str, set[str]] = {}
    seen: set[Reach] = set()
    for store, framework, by_model in itertools.product(stores, frameworks, (False, True)):
        for bucket in store.get((framework, kind, by_model), {}).values():
            for entry in itertools.chain.from_iterable(bucket.values()):
                if entry.reach in seen:
                    continue
                seen.add(entry.reach)
                for axis, include, exclude in entry.reach.nodes:
                    nodes.setdefault(axis, set()).update(include, exclude)
                for feature in entry.reach.features:
                    partners.setdefault(feature, set()).update(entry.reach.features)
    return Named(
        nodes={axis: frozenset(slugs) for axis, slugs in nodes.items()},
        partners={feature: frozenset(others) for feature, others in partners.items()},
    )


# A leg with its candidates takes about a kilobyte; a long batch must not keep all of them.
MOST_LEGS = 4_096


class Glance(NamedTuple):
    """What a grid shows of a verdict."""

    level: SupportLevel
    conflicting: bool
    stale: bool


class _Views:
    """The places of cells as statements about one leg see them, each worked out once.

    **Shapes**: ``tables`` hold per axis the views by slug; ``partners`` per subject the features
    whose presence statements about it can tell, and those with their ancestors.
    """

    def __init__(self, named: Named) -> None:
        self.named = named
        axes = dict.fromkeys((Axis.HARDWARE, *named.nodes))
        self.tables: list[tuple[Axis, dict[str, int]]] = [(axis, {}) for axis in axes]
        self._numbers: dict[Hashable, int] = {}
        self.partners: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def of_places(self, places: Mapping[Axis, Place]) -> list[Hashable]:
        """The views of a cell's places, ``None`` for an axis that it leaves open."""
        found: list[Hashable] = []
        for axis, table in self.tables:
            place = places.get(axis)
            if place is None:
                found.append(None)
                continue
            view = table.get(place.slug)
            if view is None:
                named = self.named.nodes.get(axis, frozenset())
                made = _view(axis, place, named)
                # Equal views are numbered alike: a number is hashed faster than the sets it names.
                view = table[place.slug] = self._numbers.setdefault(made, len(self._numbers))
            found.append(view)
        return found

    def of_features(self, asked: Asked, subject: str) -> Hashable:
        """What statements about a feature can tell of the other features of a cell."""
        known = self.partners.get(subject)
        if known is None:
            known = self.partners[subject] = _partners(subject, self.named, asked.features)
        partners, above = known
        return partners & asked.features_above, above & asked.cell.features


class SharedLegs:
    """Legs decided so far; one for each request, never kept longer than its index."""

    def __init__(self) -> None:
        self.legs: dict[Hashable, LegResult] = {}
        self.glances: dict[tuple[LegResult, ...], Glance] = {}
        self.ranks: dict[tuple[str, str | None, date], int | None] = {}
        self._views: dict[tuple[str, LegKind], _Views] = {}

    def keep(self, key: Hashable, leg: LegResult) -> LegResult:
        """The leg, kept for the next cell that asks it."""
        if len(self.legs) >= MOST_LEGS:
            self.legs.clear()
            self.glances.clear()
        self.legs[key] = leg
        return leg

    def key_of(self, asked: Asked, kind: LegKind, subject: str, named: Named) -> Hashable:
        """Everything that the leg depends on."""
        cell = asked.cell
        views = self._views.get((cell.framework, kind))
        if views is None:
            views = self._views[cell.framework, kind] = _Views(named)
        return (
            cell.framework,
            kind,
            subject,
            asked.rank,
            asked.day,
            asked.known_day,
            views.of_features(asked, subject) if kind is LegKind.FEATURE else None,
            frozenset(cell.numbers.items()) if cell.numbers else None,
            frozenset(cell.settings.items()) if cell.settings else None,
            *views.of_places(asked.places),
        )


def _view(axis: Axis, place: Place, named: frozenset[str]) -> Hashable:
    """What statements that name these nodes can tell of a place; its root tells who enumerates."""
    above = place.above & named
    below = place.below & named
    return axis, above, below, place.own & named, place.up[-1] if axis is Axis.HARDWARE else None


def _partners(subject: str, named: Named, tree: Tree) -> tuple[frozenset[str], frozenset[str]]:
    """Features that statements about a feature, its parts or its wholes name, and their wholes."""
    found = {
        partner
        for name in tree.place(subject).reach & named.partners.keys()
        for partner in named.partners[name]
    }
    return frozenset(found), frozenset([above for name in found for above in tree.up(name)])
