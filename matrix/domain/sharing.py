"""Legs shared between the cells of one grid, list or batch.

A column of a grid asks the same platform leg in every row. A leg depends on its subject, the
release, the dates, the settings, and on the cell's other nodes only as far as statements about
this leg name them, their ancestors or their descendants; cells that agree in that share the leg.
"""

from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet

from matrix.domain.levels import Axis, LegKind
from matrix.domain.matching import Asked
from matrix.domain.trees import Place
from matrix.domain.verdict_values import LegResult

# The nodes that statements about a leg of a framework name, by axis.
Named = Mapping[tuple[str, LegKind], Mapping[Axis, AbstractSet[str]]]


class SharedLegs:
    """Legs decided so far; one for each request, never kept longer than its index."""

    def __init__(self) -> None:
        self.legs: dict[Hashable, LegResult] = {}
        self._views: dict[tuple[str, LegKind, Axis, str], Hashable] = {}

    def key_of(
        self, asked: Asked, kind: LegKind, subject: str, named: Mapping[Axis, AbstractSet[str]]
    ) -> Hashable:
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


def _view(axis: Axis, place: Place, named: AbstractSet[str]) -> Hashable:
    """What statements that name these nodes can tell of a place; its root tells who enumerates."""
    above = frozenset(place.above & named)
    below = frozenset(place.below & named)
    return axis, above, below, place.up[-1] if axis is Axis.HARDWARE else None
