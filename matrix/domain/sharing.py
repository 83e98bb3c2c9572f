"""Legs shared between the cells of one grid, list or batch.

A column of a grid asks the same platform leg in every row. A leg depends on its subject, the
release, the dates, the settings, and on the cell's other nodes only as far as statements about
this leg name them, their ancestors or their descendants; cells that agree in that share the leg.
"""

import itertools
from collections.abc import Hashable, Iterable, Mapping

from matrix.domain.entries import Reach
from matrix.domain.levels import Axis, LegKind
from matrix.domain.matching import Asked
from matrix.domain.postings import Store
from matrix.domain.trees import Place
from matrix.domain.verdict_values import LegResult

# The nodes that statements about one leg of a framework name, by axis.
Named = Mapping[Axis, frozenset[str]]


def named_nodes(stores: Iterable[Store], frameworks: Iterable[str], kind: LegKind) -> Named:
    """The nodes that statements of these frameworks about a leg name: no others change it."""
    found: dict[Axis, set[str]] = {}
    seen: set[Reach] = set()
    for store, framework, by_model in itertools.product(stores, frameworks, (False, True)):
        for bucket in store.get((framework, kind, by_model), {}).values():
            for entry in itertools.chain.from_iterable(bucket.values()):
                if entry.reach in seen:
                    continue
                seen.add(entry.reach)
                for axis, include, exclude in entry.reach.nodes:
                    found.setdefault(axis, set()).update(include, exclude)
    return {axis: frozenset(slugs) for axis, slugs in found.items()}


# A leg with its candidates takes about a kilobyte; a long batch must not keep all of them.
MOST_LEGS = 4_096


class SharedLegs:
    """Legs decided so far; one for each request, never kept longer than its index."""

    def __init__(self) -> None:
        self.legs: dict[Hashable, LegResult] = {}
        self._views: dict[tuple[str, LegKind, Axis, str], Hashable] = {}

    def keep(self, key: Hashable, leg: LegResult) -> LegResult:
        """The leg, kept for the next cell that asks it."""
        if len(self.legs) >= MOST_LEGS:
            self.legs.clear()
        self.legs[key] = leg
        return leg

    def key_of(self, asked: Asked, kind: LegKind, subject: str, named: Named) -> Hashable:
        """Everything that the leg depends on."""
        cell = asked.cell
        framework = cell.framework
        views: list[Hashable] = []
        for axis, place in asked.places.items():
            if axis is Axis.HARDWARE or axis in named:
                key = (framework, kind, axis, place.slug)
                view = self._views.get(key)
                if view is None:
                    view = self._views[key] = _view(axis, place, named.get(axis, frozenset()))
                views.append(view)
        return (
            framework,
            kind,
            subject,
            asked.rank,
            asked.day,
            asked.known_day,
            cell.features if kind is LegKind.FEATURE else None,
            frozenset(cell.numbers.items()) if cell.numbers else None,
            frozenset(cell.settings.items()) if cell.settings else None,
            frozenset(views),
        )


def _view(axis: Axis, place: Place, named: frozenset[str]) -> Hashable:
    """What statements that name these nodes can tell of a place; its root tells who enumerates."""
    above = place.above & named
    below = place.below & named
    return axis, above, below, place.own & named, place.up[-1] if axis is Axis.HARDWARE else None
