"""Short constructors of scopes and findings, shared by all source modules."""

from collections.abc import Iterable, Mapping

from ingest.reading.document import Cell, Table
from matrix.domain.claims import Locator
from matrix.domain.coordinates import NodeSet, NumberRange, Scope
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.trees import Tree, smallest_cover

Words = str | Iterable[str]


def _slugs(words: Words) -> frozenset[str]:
    return frozenset({words}) if isinstance(words, str) else frozenset(words)


def scope_of(
    nodes: Mapping[Axis, Words] | None = None,
    *,
    features: Words = (),
    exclude: Mapping[Axis, Words] | None = None,
    numbers: Mapping[NumberAxis, NumberRange] | None = None,
) -> Scope:
    """A scope from slugs: ``scope_of({Axis.HARDWARE: "nvidia-turing"}, features="lora")``."""
    nodes = nodes or {}
    exclude = exclude or {}
    axes = {
        axis: NodeSet(include=_slugs(nodes.get(axis, ())), exclude=_slugs(exclude.get(axis, ())))
        for axis in (*nodes, *(a for a in exclude if a not in nodes))
    }
    return Scope(nodes=axes, features=_slugs(features), numbers=numbers or {})


def cell_locator(table: Table, cell: Cell, *, row: str, column: str) -> Locator:
    """Where a table cell stands; row and column are the page's labels as shown."""
    return Locator(
        heading=table.heading,
        row=row,
        column=column,
        line=cell.line,
        table=table.index,
        tabs=table.tabs,
    )


def statement_key(area: str, *parts: Words) -> str:
    """A stable statement key: area and slugs joined by ``/``, sets joined by ``+``."""
    joined = ["+".join(sorted(_slugs(part))) for part in parts]
    return "/".join([area, *joined])


def nodes_with_capability(
    tree: Tree, capabilities: Mapping[str, float], *, below: float
) -> frozenset[str]:
    """The smallest set of NVIDIA nodes whose compute capability lies below a floor.

    **Shapes**: ``capabilities`` maps architecture slugs to compute capability (sm-75 to 7.5).
    """
    low = {slug for slug, value in capabilities.items() if value < below}
    return smallest_cover(tree, low)
