"""The matrix as a grid: which nodes stand on an axis, in which groups, and what each cell says."""

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from threading import Lock

from matrix.asking import Question, question_words
from matrix.domain.catalogue import AREA_OF_AXIS, Catalogue, Node
from matrix.domain.coordinates import Cell
from matrix.domain.errors import NotReleasedYet, UnknownVersion
from matrix.domain.levels import Axis, SupportLevel
from matrix.domain.sharing import Glance, SharedLegs
from matrix.domain.trees import EMPTY_TREE, Tree
from matrix.domain.versions import STABLE_LINE
from matrix.index import Knowledge
from matrix.mentions import EMPTY, Mentions, mentions_of
from matrix.queries import with_axis

GRID_AXES = (
    "framework",
    "version",
    "model",
    "quantization",
    "hardware",
    "backend",
    "feature",
    "kv_dtype",
)
# Levels of a tree that name a market rather than a thing: a statement about all of NVIDIA does not
# make every NVIDIA board worth a column.
_WIDE_KINDS = frozenset({"vendor", "group"})
DEFAULT_KINDS: Mapping[str, str] = {"hardware": "family", "model": "family"}


@dataclass(frozen=True, slots=True)
class GridNode:
    """One row or column: a slug or version with its name and the group it is shown under."""

    slug: str
    name: str
    group: str = ""
    group_name: str = ""
    depth: int = 0


class Absent(StrEnum):
    """Why a pair is not asked at all."""

    NO_RELEASE = "no-release"
    NOT_RELEASED = "not-released"
    OTHER_BACKEND = "other-backend"
    OWN_SCHEME = "own-scheme"


@dataclass(frozen=True, slots=True)
class GridCell:
    """What one cell says; ``absent`` tells why a pair is not asked."""

    level: SupportLevel | None
    conflicting: bool = False
    stale: bool = False
    absent: Absent | None = None


def area_of(axis: str) -> str:
    """The catalogue area whose nodes stand on a grid axis."""
    return "quantization" if axis == "kv_dtype" else axis


def tree_of(catalogue: Catalogue, axis: str) -> Tree:
    """The tree of a grid axis; versions and frameworks are flat."""
    if axis == "feature":
        return catalogue.trees.features
    found = next((a for a in AREA_OF_AXIS if a.value == axis), None)
    return catalogue.trees.tree(found) if found else EMPTY_TREE


def kinds_of(catalogue: Catalogue, axis: str) -> tuple[str, ...]:
    """The levels of an axis's tree, widest first."""
    if axis in {"framework", "version"}:
        return ()
    tree = tree_of(catalogue, axis)
    depths: dict[str, list[int]] = {}
    for slug, node in catalogue.area(area_of(axis)).items():
        depths.setdefault(node.kind, []).append(tree.depth(slug))
    return tuple(sorted(depths, key=lambda kind: (sum(depths[kind]) / len(depths[kind]), kind)))


def default_kind(catalogue: Catalogue, axis: str) -> str:
    """The level that an axis shows by itself; blank (any) where the catalogue has no such level."""
    kind = DEFAULT_KINDS.get(axis, "")
    return kind if kind in kinds_of(catalogue, axis) else ""


def axis_nodes(
    knowledge: Knowledge, question: Question, *, axis: str, kind: str = "", everything: bool = False
) -> list[GridNode]:
    """The nodes of one axis in catalogue order, each under its group.

    Without ``everything`` only those that some claim of the asked framework names, at the node,
    below it, or not far above it.
    """
    if axis == "framework":
        return _framework_nodes(knowledge, everything=everything)
    if axis == "version":
        return _version_nodes(knowledge, question, everything=everything)
    known = _nodes_of(knowledge)
    key = (question.cell.framework, axis, kind, everything)
    found = known.get(key)
    if found is None:
        if len(known) >= _MOST_AXES:
            known.clear()
        found = known[key] = _tree_nodes(knowledge, *key)
    return list(found)


# The knowledge itself is kept beside what was found in it, so that its identity stays its own.
_Nodes = dict[tuple[str, str, str, bool], list[GridNode]]
_held: tuple[Knowledge, _Nodes] | None = None
_MOST_AXES = 500


def _nodes_of(knowledge: Knowledge) -> _Nodes:
    """The nodes of axes found so far in this knowledge."""
    global _held
    held = _held
    if held is None or held[0] is not knowledge:
        held = _held = (knowledge, {})
    return held[1]


def _tree_nodes(
    knowledge: Knowledge, framework: str, axis: str, kind: str, everything: bool
) -> list[GridNode]:
    catalogue = knowledge.catalogue
    counts = _counts(knowledge, framework, axis)
    tree = tree_of(catalogue, axis)
    area = catalogue.area(area_of(axis))
    chosen = [
        node
        for slug, node in area.items()
        if (not kind or node.kind == kind)
        and (everything or _is_named(slug, counts, tree, area, deep=bool(kind)))
    ]
    weight: Counter[str] = Counter()
    for slug, count in counts.items():
        weight[tree.up(slug)[-1]] += count
    order = _capability_order(area, tree) if axis == "hardware" else {}
    chosen.sort(key=lambda n: _order_key(n, tree, weight, order))
    return _grouped(chosen, tree, area)


def _counts(knowledge: Knowledge, framework: str, axis: str) -> Counter[str]:
    found = mentions_of(knowledge)
    if framework:
        return found.get(framework, EMPTY).nodes.get(axis, Counter())
    total: Counter[str] = Counter()
    for mentions in found.values():
        total.update(mentions.nodes.get(axis, {}))
    return total


def _is_named(
    slug: str, counts: Mapping[str, int], tree: Tree, area: Mapping[str, Node], *, deep: bool
) -> bool:
    if slug in counts:
        return True
    if not deep:
        return False
    if any(below in counts for below in tree.down(slug)):
        return True
    return any(
        above in counts and above in area and area[above].kind not in _WIDE_KINDS
        for above in tree.up(slug)[1:]
    )


_OrderKey = tuple[int, tuple[tuple[float, str], ...]]


def _order_key(
    node: Node, tree: Tree, weight: Mapping[str, int], order: Mapping[str, float]
) -> _OrderKey:
    path = tree.up(node.slug)[::-1]
    return -weight.get(path[0], 0), tuple((order.get(slug, 0.0), slug) for slug in path)


def _capability_order(area: Mapping[str, Node], tree: Tree) -> dict[str, float]:
    """Generations in their own order: the smallest compute capability at or below each node."""
    order: dict[str, float] = {}
    for slug, node in area.items():
        text = str(node.facts.get("compute_capability", ""))
        if text.replace(".", "", 1).isdigit():
            for above in tree.up(slug):
                order[above] = min(order.get(above, float("inf")), float(text))
    return order


def _grouped(nodes: Sequence[Node], tree: Tree, area: Mapping[str, Node]) -> list[GridNode]:
    roots = [tree.up(node.slug)[-1] for node in nodes]
    # Groups that hold one node each would only double the rows.
    helpful = len(set(roots)) * 2 <= len(nodes) or len(set(roots)) <= 12
    found = []
    for node, root in zip(nodes, roots, strict=True):
        name = area[root].name if root in area else root
        found.append(
            GridNode(
                slug=node.slug,
                name=node.name,
                group=root if helpful else "",
                group_name=name if helpful else "",
                depth=min(tree.depth(node.slug), 3),
            )
        )
    return found


def _framework_nodes(knowledge: Knowledge, *, everything: bool) -> list[GridNode]:
    mentions = mentions_of(knowledge)
    area = knowledge.catalogue.area("framework")
    slugs = [slug for slug in area if everything or slug in mentions]
    slugs.sort(key=lambda slug: (-mentions.get(slug, EMPTY).claims, slug))
    return [GridNode(slug=slug, name=area[slug].name) for slug in slugs]


def _version_nodes(knowledge: Knowledge, question: Question, *, everything: bool) -> list[GridNode]:
    """Releases by the asked day, newest first, under the year of their publication."""
    framework = question.cell.framework
    history = knowledge.catalogue.histories[framework]
    mentions: Mentions = mentions_of(knowledge).get(framework, EMPTY)
    observed = mentions.releases
    stable = [r for r in history.releases if r.line == STABLE_LINE]
    # A framework that releases every day is shown at the releases that were looked at.
    listed = {r.version for r in stable} if len(stable) <= 150 else observed
    return [
        GridNode(release.version, release.version, year, year)
        for release in reversed(history.releases)
        if release.released_on <= question.as_of and (everything or release.version in listed)
        for year in (str(release.released_on.year),)
    ]


# -- cells ----------------------------------------------------------------------------------------


def grid_cells(
    knowledge: Knowledge,
    question: Question,
    *,
    rows: tuple[str, Sequence[str]],
    columns: tuple[str, Sequence[str]],
) -> list[list[GridCell]]:
    """What every cell says, by row and column; cells that were asked lately are not asked again.

    **Shapes**: ``rows`` and ``columns`` are an axis and its values.
    """
    swapped = rows[0] > columns[0]
    first, second = (columns[0], rows[0]) if swapped else (rows[0], columns[0])
    key = (knowledge.revision, tuple(question_words(question)), first, second)
    known = _kept.cells_of(key)
    shared = SharedLegs()
    found = []
    for row in rows[1]:
        base: Cell | None = None
        line = []
        for column in columns[1]:
            pair = (column, row) if swapped else (row, column)
            cell = known.get(pair)
            if cell is None:
                base = base or _with_axis(question.cell, rows[0], row)
                asked = _with_axis(base, columns[0], column)
                cell = _cell(knowledge, asked, question, shared)
                known[pair] = cell
            line.append(cell)
        found.append(line)
    return found


_NODE_AXES = {axis.value: axis for axis in Axis}


def _with_axis(cell: Cell, axis: str, value: str) -> Cell:
    """``with_axis``, written out for nodes: a grid makes thousands of cells."""
    node_axis = _NODE_AXES.get(axis)
    if node_axis is None:
        return with_axis(cell, axis, value)
    nodes = {**cell.nodes, node_axis: value}
    return Cell(cell.framework, cell.version, nodes, cell.features, cell.numbers, cell.settings)


def _cell(knowledge: Knowledge, cell: Cell, question: Question, shared: SharedLegs) -> GridCell:
    absent = impossible(knowledge.catalogue, cell)
    if absent is not None:
        return GridCell(level=None, absent=absent)
    try:
        glance = knowledge.index.glance_at(
            cell, as_of=question.as_of, known_at=question.known_at, shared=shared
        )
    except NotReleasedYet:
        return GridCell(level=None, absent=Absent.NOT_RELEASED)
    except UnknownVersion:
        return GridCell(level=None, absent=Absent.NO_RELEASE)
    return _shown(glance)


@cache
def _shown(glance: Glance) -> GridCell:
    return GridCell(level=glance.level, conflicting=glance.conflicting, stale=glance.stale)


def impossible(catalogue: Catalogue, cell: Cell) -> Absent | None:
    """Why the parts of a cell cannot meet; ``None`` when nothing known forbids it."""
    backend = cell.nodes.get(Axis.BACKEND)
    hardware = cell.nodes.get(Axis.HARDWARE)
    if backend and hardware:
        node = catalogue.area("backend").get(backend)
        roots = node.facts.get("hardware_roots") if node else None
        path = catalogue.trees.tree(Axis.HARDWARE).up(hardware)
        if isinstance(roots, list) and roots and not set(roots) & set(path):
            return Absent.OTHER_BACKEND
    own = catalogue.surroundings.model_quantization.get(cell.nodes.get(Axis.MODEL, ""))
    asked = cell.nodes.get(Axis.QUANTIZATION)
    if own and asked:
        tree = catalogue.trees.tree(Axis.QUANTIZATION)
        if asked not in tree.up(own) and own not in tree.up(asked):
            return Absent.OWN_SCHEME
    return None


_Cells = dict[tuple[str, str], GridCell]


class _Kept:
    """The cells of the last questions, by knowledge revision, pinned words and the two axes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = Lock()
        self._cells: OrderedDict[object, _Cells] = OrderedDict()

    def cells_of(self, key: object) -> _Cells:
        """The cells known of one question, to be read and added to."""
        with self._lock:
            found = self._cells.setdefault(key, {})
            self._cells.move_to_end(key)
            while len(self._cells) > self._limit:
                self._cells.popitem(last=False)
            return found


_kept = _Kept(64)


def coverage_on(knowledge: Knowledge, framework: str, *, as_of: date) -> tuple[int, int]:
    """Answered and asked cells of the framework's standard grid: quantization × hardware."""
    question = Question(cell=Cell(framework=framework), as_of=as_of)
    rows = [n.slug for n in axis_nodes(knowledge, question, axis="quantization")]
    kind = default_kind(knowledge.catalogue, "hardware")
    columns = [n.slug for n in axis_nodes(knowledge, question, axis="hardware", kind=kind)]
    cells = grid_cells(
        knowledge, question, rows=("quantization", rows), columns=("hardware", columns)
    )
    asked = [cell for line in cells for cell in line if cell.absent is None]
    answered = sum(cell.level is not SupportLevel.UNKNOWN for cell in asked)
    return answered, len(asked)
