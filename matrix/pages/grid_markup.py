"""The table of the matrix as markup, written in one loop: a template tag per cell is too slow."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from matrix.asking import cell_words
from matrix.domain.levels import SupportLevel
from matrix.grids import Absent, GridCell, GridNode
from matrix.pages.explorer import Explorer, absent_sentence, grouped_rows
from matrix.pages.explorer_state import ExplorerState
from matrix.pages.links import dated, label_of, with_query
from matrix.pages.words import LEVEL_SIGNS, axis_word

# With more columns than this the heads stand upright, so that the cells stay narrow.
_UPRIGHT_FROM = 9


def grid_markup(explorer: Explorer) -> SafeString:
    """The whole table; every name in it is escaped here."""
    upright = " upright" if len(explorer.columns.nodes) >= _UPRIGHT_FROM else ""
    parts = [f'<table class="grid{upright}" id="grid">']
    parts.append(f'<caption class="visually-hidden">{escape(explorer.caption)}</caption>')
    parts += _head(explorer)
    parts += _body(explorer)
    parts.append("</table>")
    return mark_safe("".join(parts))


def _head(explorer: Explorer) -> Iterable[str]:
    state = explorer.state
    nodes = explorer.columns.nodes
    groups = [(k, list(g)) for k, g in groupby(nodes, key=lambda node: node.group_name)]
    has_groups = any(name for name, _members in groups)
    corner = f"{escape(axis_word(state.rows))} ↓ · {escape(axis_word(state.columns))} →"
    span = ' rowspan="2"' if has_groups else ""
    first = "groups" if has_groups else "names"
    yield f'<thead><tr class="{first}"><th class="corner"{span} scope="col">{corner}</th>'
    if has_groups:
        for name, members in groups:
            yield f'<th class="group" scope="colgroup" colspan="{len(members)}">{escape(name)}</th>'
        yield '</tr><tr class="names">'
    for node in nodes:
        yield f'<th scope="col"><span>{escape(label_of(node))}</span></th>'
    yield "</tr></thead>"


def _body(explorer: Explorer) -> Iterable[str]:
    state = explorer.state
    width = len(explorer.columns.nodes) + 1
    writer = _CellWriter(state, explorer.columns.nodes)
    for group, name, members in grouped_rows(explorer):
        folded = group in state.folded
        yield (
            f'<tbody class="folded" data-group="{escape(group)}">'
            if folded
            else (f'<tbody data-group="{escape(group)}">')
        )
        if name:
            url = escape(_fold_url(state, group))
            count = len(members)
            yield (
                f'<tr class="fold"><th colspan="{width}" scope="rowgroup">'
                f'<a class="fold-link" href="{url}" aria-expanded="{str(not folded).lower()}">'
                f"{escape(name)} <small>{count}</small></a></th></tr>"
            )
        for node, cells in members:
            yield f'<tr><th scope="row">{escape(label_of(node))}</th>'
            yield writer.row(node, cells)
            yield "</tr>"
        yield "</tbody>"


def _fold_url(state: ExplorerState, group: str) -> str:
    return with_query(reverse("matrix"), replace(state, folded=state.folded ^ {group}).pairs())


class _CellWriter:
    """Writes the cells of a row; what all cells share is prepared once."""

    def __init__(self, state: ExplorerState, columns: Sequence[GridNode]) -> None:
        question = state.question
        as_of = question.as_of if state.pinned_as_of else None
        pairs = dated(cell_words(question.cell), as_of=as_of, known_at=question.known_at)
        base = urlencode(list(pairs))
        self._start = escape(f"{reverse('cell')}?{base}{'&' if base else ''}")
        self._row_axis = state.rows
        self._columns = [
            (escape("&" + urlencode({state.columns: node.slug})), escape(label_of(node)))
            for node in columns
        ]
        self._signs = {
            level: (
                f'<td class="level-{level.value}"><a href="',
                f"{sign.icon}</i> {escape(str(sign.short))}",
                escape(str(sign.word)),
            )
            for level, sign in LEVEL_SIGNS.items()
        }
        self._conflict = f' <abbr title="{escape(_("sources conflict"))}">!</abbr>'
        self._stale = f' <abbr title="{escape(_("carried forward"))}">~</abbr>'
        self._absent = {why: self._absent_cell(why) for why in Absent}

    def _absent_cell(self, why: Absent) -> str:
        sentence = escape(absent_sentence(why))
        return (
            f'<td class="none" title="{sentence}"><span aria-hidden="true">–</span>'
            f'<span class="visually-hidden">{sentence}</span></td>'
        )

    def row(self, node: GridNode, cells: Sequence[GridCell]) -> str:
        """The cells of one row."""
        href = self._start + escape(urlencode({self._row_axis: node.slug}))
        name = escape(label_of(node))
        parts = []
        for (query, column), cell in zip(self._columns, cells, strict=True):
            if cell.level is None:
                parts.append(self._absent[cell.absent or Absent.NO_RELEASE])
                continue
            opening, sign, word = self._signs[cell.level]
            marks = ""
            if cell.conflicting:
                marks += self._conflict
            if cell.stale and cell.level is not SupportLevel.UNKNOWN:
                marks += self._stale
            parts.append(
                f'{opening}{href}{query}" title="{name} × {column}: {word}">'
                f'<i aria-hidden="true">{sign}{marks}</a></td>'
            )
        return "".join(parts)
