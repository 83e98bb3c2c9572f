"""Runs on a cell of the matrix and near it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Q

from benchmarks_app.domain.sameness import as_float
from benchmarks_app.models import Run
from benchmarks_app.queries.run_list import HEAVY
from benchmarks_app.queries.runs import facts_of
from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis, NumberAxis

MOST_LOOKED_AT = 60
AXES = (Axis.MODEL, Axis.QUANTIZATION, Axis.HARDWARE)
# Without one of these a cell names a framework alone, and its runs are a list, not a cell's.
_NARROWING = (Axis.MODEL, Axis.HARDWARE)
_LAYOUT = {
    NumberAxis.TENSOR_PARALLEL: "parallelism.tp",
    NumberAxis.PIPELINE_PARALLEL: "parallelism.pp",
    NumberAxis.EXPERT_PARALLEL: "parallelism.ep",
    NumberAxis.DATA_PARALLEL: "parallelism.dp",
}


@dataclass(frozen=True, slots=True)
class NearRun:
    """A run and how it stands to the cell: ``same_version``, the axes on which its node is neither
    the cell's nor below it (``wider``), and the numbers of which it states others (``others``)."""

    run: Run
    same_version: bool
    wider: tuple[Axis, ...]
    others: tuple[NumberAxis, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether it was measured on the cell itself."""
        return self.same_version and not self.wider and not self.others


def runs_near(
    cell: Cell,
    catalogue: Catalogue,
    *,
    version: str,
    most: int,
    known_at: datetime | None = None,
    as_of: date | None = None,
) -> list[NearRun]:
    """Standing runs on the cell, then runs of other versions, then of nodes above it.

    Only runs of the cell's framework; a run whose node is unknown on an asked axis is not near.
    With ``known_at`` those runs that stood at that moment, with ``as_of`` those measured by then.
    **Queries**: 1 or 2, none for a cell without model and hardware.
    """
    if not any(axis in cell.nodes for axis in _NARROWING):
        return []
    standing = Run.objects.standing(known_at).measured_by(as_of)
    rows = standing.filter(framework=cell.framework).defer(*HEAVY)
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
    near.sort(key=lambda one: (len(one.wider), not one.same_version, len(one.others)))
    return near[:most]


def _near(run: Run, cell: Cell, catalogue: Catalogue, version: str) -> NearRun:
    wider = tuple(
        axis for axis in AXES if axis in cell.nodes and not _is_inside(run, axis, cell, catalogue)
    )
    # A run of unknown version is on no cell, whatever else is unknown.
    is_same = bool(version) and run.framework_version == version
    return NearRun(run, is_same, wider, other_numbers(run, cell))


def other_numbers(run: Run, cell: Cell) -> tuple[NumberAxis, ...]:
    """What the run states of its devices in another number than the cell; unknown is none."""
    if not cell.numbers:
        return ()
    found, facts = [], facts_of(run)
    for axis, asked in cell.numbers.items():
        seen: object = None
        if axis is NumberAxis.HARDWARE_COUNT:
            seen = run.hardware_count or None
        elif axis in _LAYOUT:
            fact = facts.get(_LAYOUT[axis])
            seen = fact.value if fact is not None else None
        if isinstance(seen, (int, float)) and as_float(seen) != float(asked):
            found.append(axis)
    return tuple(found)


def _is_inside(run: Run, axis: Axis, cell: Cell, catalogue: Catalogue) -> bool:
    slug = str(getattr(run, axis.value))
    return cell.nodes[axis] in catalogue.trees.tree(axis).up(slug)


def uids_of(near: Sequence[NearRun]) -> list[str]:
    """The identifiers of the runs."""
    return [one.run.uid for one in near]
