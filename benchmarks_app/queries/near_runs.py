"""Runs on a cell of the matrix and near it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from benchmarks_app.models import Run
from benchmarks_app.queries.run_list import HEAVY
from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis

MOST_LOOKED_AT = 60
AXES = (Axis.MODEL, Axis.QUANTIZATION, Axis.HARDWARE)
# Without one of these a cell names a framework alone, and its runs are a list, not a cell's.
_NARROWING = (Axis.MODEL, Axis.HARDWARE)


@dataclass(frozen=True, slots=True)
class NearRun:
    """A run and how it stands to the cell: ``same_version``, and the axes on which its node is
    neither the cell's nor below it (``wider``)."""

    run: Run
    same_version: bool
    wider: tuple[Axis, ...]

    @property
    def is_exact(self) -> bool:
        """Whether it was measured on the cell itself."""
        return self.same_version and not self.wider


def runs_near(
    cell: Cell, catalogue: Catalogue, *, version: str, most: int, known_at: datetime | None = None
) -> list[NearRun]:
    """Standing runs on the cell, then runs of other versions, then of nodes above it.

    Only runs of the cell's framework; a run whose node is unknown on an asked axis is not near.
    With ``known_at`` those runs that stood at that moment.
    **Queries**: 1 or 2, none for a cell without model and hardware.
    """
    if not any(axis in cell.nodes for axis in _NARROWING):
        return []
    rows = Run.objects.standing(known_at).filter(framework=cell.framework).defer(*HEAVY)
    exact = Q(framework_version=version)
    for axis in AXES:
        if axis in cell.nodes:
            slug = cell.nodes[axis]
            tree = catalogue.trees.tree(axis)
            inside = {slug, *tree.down(slug)}
            rows = rows.filter(**{f"{axis.value}__in": sorted(inside.union(tree.up(slug)))})
            exact &= Q(**{f"{axis.value}__in": sorted(inside)})
    # Two short reads of an index: sorting by exactness would read every run. The second one reads
    # through the runs of the cell itself, so that it is only done where those are few.
    newest = ("-published_at", "-id")
    found = list(rows.filter(exact).order_by(*newest)[:most])
    if len(found) < most:
        found += rows.exclude(exact).order_by(*newest)[:MOST_LOOKED_AT]
    near = [_near(run, cell, catalogue, version) for run in found]
    near.sort(key=lambda one: (len(one.wider), not one.same_version))
    return near[:most]


def _near(run: Run, cell: Cell, catalogue: Catalogue, version: str) -> NearRun:
    wider = tuple(
        axis for axis in AXES if axis in cell.nodes and not _is_inside(run, axis, cell, catalogue)
    )
    # A run of unknown version is on no cell, whatever else is unknown.
    return NearRun(run, bool(version) and run.framework_version == version, wider)


def _is_inside(run: Run, axis: Axis, cell: Cell, catalogue: Catalogue) -> bool:
    slug = str(getattr(run, axis.value))
    return cell.nodes[axis] in catalogue.trees.tree(axis).up(slug)


def uids_of(near: Sequence[NearRun]) -> list[str]:
    """The identifiers of the runs."""
    return [one.run.uid for one in near]
