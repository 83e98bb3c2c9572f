"""The context of the matrix explorer: one page of a grid with its legend and its links."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from django.urls import reverse
from django.utils.translation import gettext as _

from matrix.domain.levels import SupportLevel
from matrix.grids import Absent, GridCell, GridNode, axis_nodes, grid_cells
from matrix.index import Knowledge
from matrix.pages.explorer_state import (
    ANY_LEVEL,
    COLUMNS_PER_PAGE,
    ROWS_PER_PAGE,
    ExplorerState,
)
from matrix.pages.links import cell_subject, label_of, node_name, with_query
from matrix.pages.words import LEVEL_SIGNS, Sign

ABSENT_ORDER = tuple(Absent)


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part of an axis a page shows; ``first`` and ``last`` count from 1."""

    nodes: Sequence[GridNode]
    first: int
    last: int
    total: int
    previous_url: str = ""
    next_url: str = ""

    @property
    def is_part(self) -> bool:
        """Whether there is more than this page shows."""
        return self.total > len(self.nodes)


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One level and how often the page shows it."""

    sign: Sign
    count: int


@dataclass(frozen=True, slots=True)
class Explorer:
    """Everything that the explorer page and its exports show.

    **Shapes**: ``cells[row][column]`` is parallel to ``rows.nodes`` and ``columns.nodes``.
    """

    state: ExplorerState
    version: str
    rows: Slice
    columns: Slice
    cells: Sequence[Sequence[GridCell]]
    legend: Sequence[LegendEntry]
    absent: Sequence[tuple[str, int]]
    caption: str
    urls: dict[str, str]


def build_explorer(knowledge: Knowledge, state: ExplorerState) -> Explorer:
    """One page of the grid that the state asks for."""
    rows = _slice(knowledge, state, axis=state.rows, level=state.rows_level, is_rows=True)
    columns = _slice(knowledge, state, axis=state.columns, level=state.columns_level, is_rows=False)
    cells = grid_cells(
        knowledge,
        state.question,
        rows=(state.rows, [node.slug for node in rows.nodes]),
        columns=(state.columns, [node.slug for node in columns.nodes]),
    )
    counts = Counter(cell.level for line in cells for cell in line if cell.level is not None)
    absent = Counter(cell.absent for line in cells for cell in line if cell.absent is not None)
    version = _version(knowledge, state)
    return Explorer(
        state=state,
        version=version,
        rows=rows,
        columns=columns,
        cells=cells,
        legend=[LegendEntry(LEVEL_SIGNS[level], counts[level]) for level in SupportLevel],
        absent=[(absent_sentence(why), absent[why]) for why in ABSENT_ORDER if absent[why]],
        caption=_caption(knowledge, state, version),
        urls=_urls(state),
    )


def absent_sentence(why: Absent) -> str:
    """Why a pair is not asked, as a sentence."""
    return {
        Absent.NO_RELEASE: _("not asked: the framework has no such release"),
        Absent.NOT_RELEASED: _("not asked: the release came after the asked day"),
        Absent.OTHER_BACKEND: _("not asked: the backend does not drive this hardware"),
        Absent.OWN_SCHEME: _("not asked: the checkpoint comes in another quantization"),
    }[why]


def _slice(
    knowledge: Knowledge, state: ExplorerState, *, axis: str, level: str, is_rows: bool
) -> Slice:
    kind = "" if level == ANY_LEVEL else level
    nodes = axis_nodes(knowledge, state.question, axis=axis, kind=kind, everything=state.everything)
    if is_rows and state.filter:
        wanted = state.filter.casefold()
        nodes = [
            node
            for node in nodes
            if wanted in f"{node.name} {label_of(node)}".casefold()
            or wanted in node.slug
            or wanted in node.group_name.casefold()
        ]
    size = ROWS_PER_PAGE if is_rows else COLUMNS_PER_PAGE
    asked = state.page if is_rows else state.columns_page
    pages = max(1, -(-len(nodes) // size))
    page = min(asked, pages)
    start = (page - 1) * size
    shown = nodes[start : start + size]

    def url(number: int) -> str:
        moved = replace(state, page=number) if is_rows else replace(state, columns_page=number)
        return with_query(reverse("matrix"), moved.pairs())

    return Slice(
        nodes=shown,
        first=start + 1 if shown else 0,
        last=start + len(shown),
        total=len(nodes),
        previous_url=url(page - 1) if page > 1 else "",
        next_url=url(page + 1) if page < pages else "",
    )


def _version(knowledge: Knowledge, state: ExplorerState) -> str:
    """The version that the grid speaks about; blank where it has many."""
    cell = state.question.cell
    if not cell.framework or "version" in {state.rows, state.columns}:
        return ""
    history = knowledge.catalogue.histories[cell.framework]
    rank = history.asked_rank(cell.version, as_of=state.question.as_of)
    return "" if rank is None else history.releases[rank].version


def _caption(knowledge: Knowledge, state: ExplorerState, version: str) -> str:
    cell = state.question.cell
    parts = []
    if cell.framework:
        name = node_name(knowledge.catalogue, "framework", cell.framework)
        parts.append(f"{name} {version}".strip())
    if subject := cell_subject(knowledge.catalogue, cell):
        parts.append(subject)
    parts.append(_("as of %(day)s") % {"day": state.question.as_of.isoformat()})
    return ", ".join(parts)


def _urls(state: ExplorerState) -> dict[str, str]:
    swapped = replace(
        state,
        rows=state.columns,
        columns=state.rows,
        rows_level=state.columns_level,
        columns_level=state.rows_level,
        folded=frozenset(),
        page=1,
        columns_page=1,
    )
    pinned = replace(state, pinned_as_of=True)
    return {
        "swap": with_query(reverse("matrix"), swapped.pairs()),
        "csv": with_query(reverse("matrix-csv"), pinned.pairs()),
        "json": with_query(reverse("matrix-json"), pinned.pairs()),
        "permalink": with_query(reverse("matrix"), pinned.pairs()),
        "all": with_query(
            reverse("matrix"),
            replace(state, everything=not state.everything, page=1, columns_page=1).pairs(),
        ),
    }


def grouped_rows(
    explorer: Explorer,
) -> list[tuple[str, str, list[tuple[GridNode, Sequence[GridCell]]]]]:
    """The rows under their groups: (group slug, group name, [(node, cells)])."""
    pairs = list(zip(explorer.rows.nodes, explorer.cells, strict=True))
    return [
        (group, members[0][0].group_name, members)
        for group, found in groupby(pairs, key=lambda pair: pair[0].group)
        for members in [list(found)]
    ]
