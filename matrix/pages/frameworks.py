"""The context of a framework's page: maintenance, releases, support by area, sources."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.urls import reverse
from django.utils.translation import gettext as _

from matrix.asking import Question
from matrix.domain.catalogue import MaintenancePeriod, Node
from matrix.domain.coordinates import Cell
from matrix.domain.levels import SupportLevel
from matrix.domain.versions import Release
from matrix.grids import axis_nodes, default_kind, grid_cells
from matrix.index import Knowledge
from matrix.mentions import SourceSeen
from matrix.pages.links import node_name, with_query
from matrix.pages.overview import FrameworkRow, framework_row
from matrix.pages.words import LEVEL_SIGNS, Sign, axis_word, strength_word
from matrix.queries import Silence, maintenance_story
from matrix.queries.published import side_counts

RELEASES_PER_PAGE = 40
# Which pairs of axes stand for an area of support, and the level of the second one's tree.
AREAS = (("quantization", "hardware"), ("feature", "hardware"), ("model", "version"))
_LARGEST_AREA = 50


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """One release with its upstream pairing, and how many images and pins of it are known."""

    release: Release
    upstream: str
    observed: bool
    matrix_url: str
    url: str
    images: int
    pins: int


@dataclass(frozen=True, slots=True)
class AreaRow:
    """How often each level stands in one area of the matrix."""

    title: str
    counts: Sequence[tuple[Sign, int]]
    url: str
    total: int


@dataclass(frozen=True, slots=True)
class PeriodRow:
    """One maintenance period; ``url`` is blank where the evidence is no web page.

    ``stated_later`` marks evidence that was published after the page's day.
    """

    period: MaintenancePeriod
    url: str
    reference: str
    strength: str
    stated_later: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """One node whose level differs between two releases, with the hardware on which it does.

    **Shapes**: ``columns`` are (name, address of the cell at the later release).
    """

    row: str
    before: Sign
    after: Sign
    columns: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class FrameworkPage:
    """Everything on a framework's page."""

    row: FrameworkRow
    node: Node
    facts: Sequence[tuple[str, str]]
    children: Sequence[tuple[str, str]]
    periods: Sequence[PeriodRow]
    component_periods: Sequence[PeriodRow]
    releases: Sequence[ReleaseRow]
    release_total: int
    page: int
    pages: int
    sources: Sequence[SourceSeen]
    versions: Sequence[str]
    as_of: date
    parent_name: str
    current: PeriodRow | None
    others: Sequence[PeriodRow]
    silence: Silence | None


def build_framework_page(
    knowledge: Knowledge, slug: str, *, as_of: date, page: int = 1
) -> FrameworkPage:
    """The page of one framework on a day."""
    catalogue = knowledge.catalogue
    node = catalogue.area("framework")[slug]
    row = framework_row(knowledge, slug, as_of=as_of)
    known = [r for r in catalogue.histories[slug].releases if r.released_on <= as_of]
    known.sort(key=lambda r: (r.released_at, r.version), reverse=True)
    pages = max(1, -(-len(known) // RELEASES_PER_PAGE))
    page = min(page, pages)
    start = (page - 1) * RELEASES_PER_PAGE
    periods = [_period_row(p, as_of=as_of) for p in catalogue.periods if p.framework == slug]
    story = maintenance_story(catalogue, slug, as_of=as_of)
    shown = known[start : start + RELEASES_PER_PAGE]
    side = side_counts(slug, [release.version for release in shown])
    return FrameworkPage(
        row=row,
        node=node,
        facts=_facts(node),
        children=[
            (child.slug, child.name)
            for child in catalogue.area("framework").values()
            if child.parent == slug
        ],
        periods=[p for p in periods if not p.period.component],
        component_periods=[p for p in periods if p.period.component],
        releases=[_release_row(knowledge, row, r, side=side) for r in shown],
        release_total=len(known),
        page=page,
        pages=pages,
        sources=sorted(row.mentions.sources.values(), key=lambda s: s.newest, reverse=True),
        versions=[r.version for r in known][:400],
        as_of=as_of,
        parent_name=node_name(catalogue, "framework", row.parent) if row.parent else "",
        current=_period_row(story.period, as_of=as_of) if story.period else None,
        others=[_period_row(p, as_of=as_of) for p in story.others],
        silence=story.silence,
    )


def _facts(node: Node) -> list[tuple[str, str]]:
    shown = {
        "repository": _("Repository"),
        "docs": _("Documentation"),
        "licence": _("Licence"),
        "version_scheme": _("Version scheme"),
        "relation": _("Relation to its parent"),
    }
    return [(word, str(node.facts[key])) for key, word in shown.items() if node.facts.get(key)]


def _period_row(period: MaintenancePeriod, *, as_of: date) -> PeriodRow:
    web = period.url.startswith(("https://", "http://"))
    return PeriodRow(
        period=period,
        url=period.url if web else "",
        reference=period.url or period.commit,
        strength=strength_word(period.strength),
        stated_later=bool(period.stated_on and period.stated_on > as_of),
    )


def _release_row(
    knowledge: Knowledge,
    row: FrameworkRow,
    release: Release,
    *,
    side: Mapping[str, tuple[int, int]],
) -> ReleaseRow:
    images, pins = side.get(release.version, (0, 0))
    upstream = knowledge.catalogue.upstreams.get(row.slug, {}).get(release.version, "")
    parent = node_name(knowledge.catalogue, "framework", row.parent) if row.parent else ""
    return ReleaseRow(
        release=release,
        upstream=f"{parent} {upstream}".strip() if upstream else "",
        observed=release.version in row.mentions.releases,
        matrix_url=with_query(
            reverse("matrix"), [("framework", row.slug), ("version", release.version)]
        ),
        url=reverse("release", args=[row.slug, release.version]),
        images=images,
        pins=pins,
    )


def support_areas(knowledge: Knowledge, slug: str, *, as_of: date) -> list[AreaRow]:
    """Counts of levels by area; fetched after the page, because every cell is asked."""
    question = Question(cell=Cell(framework=slug), as_of=as_of)
    found = []
    for rows, columns in AREAS:
        levels = _area_levels(knowledge, question, rows, columns)
        counts = Counter(levels.values())
        if not counts:
            continue
        found.append(
            AreaRow(
                title=f"{axis_word(rows)} × {axis_word(columns)}",
                counts=[(LEVEL_SIGNS[level], counts[level]) for level in SupportLevel],
                url=with_query(
                    reverse("matrix"), [("framework", slug), ("rows", rows), ("columns", columns)]
                ),
                total=sum(counts.values()),
            )
        )
    return found


def _area_levels(
    knowledge: Knowledge, question: Question, rows: str, columns: str
) -> dict[tuple[str, str], SupportLevel]:
    """The levels of an area's first page of cells; of versions only the asked one."""
    catalogue = knowledge.catalogue
    row_nodes = axis_nodes(knowledge, question, axis=rows, kind=default_kind(catalogue, rows))
    column_nodes = axis_nodes(
        knowledge, question, axis=columns, kind=default_kind(catalogue, columns)
    )
    row_slugs = [n.slug for n in row_nodes][:_LARGEST_AREA]
    column_slugs = [n.slug for n in column_nodes][: 1 if columns == "version" else _LARGEST_AREA]
    cells = grid_cells(knowledge, question, rows=(rows, row_slugs), columns=(columns, column_slugs))
    return {
        (row, column): cell.level
        for row, line in zip(row_slugs, cells, strict=True)
        for column, cell in zip(column_slugs, line, strict=True)
        if cell.level is not None
    }


def release_differences(
    knowledge: Knowledge, slug: str, *, before: str, after: str, as_of: date
) -> list[Difference]:
    """What two releases answer differently in the areas quantization and feature × hardware.

    **Raises**: ``UnknownVersion``, ``NotReleasedYet``.
    """
    history = knowledge.catalogue.histories[slug]
    for version in (before, after):
        history.asked_rank(version, as_of=as_of)
    base = Question(cell=Cell(framework=slug), as_of=as_of)
    questions = [replace(base, cell=replace(base.cell, version=v)) for v in (before, after)]
    found: dict[tuple[str, SupportLevel, SupportLevel], list[tuple[str, str]]] = {}
    for rows, columns in AREAS[:2]:
        old, new = (_area_levels(knowledge, q, rows, columns) for q in questions)
        for (row, column), level in new.items():
            was = old.get((row, column))
            if was is None or was is level:
                continue
            pins = [("framework", slug), ("version", after), (rows, row), (columns, column)]
            where = node_name(knowledge.catalogue, columns, column)
            key = (node_name(knowledge.catalogue, rows, row), was, level)
            found.setdefault(key, []).append((where, with_query(reverse("cell"), pins)))
    return [
        Difference(row=row, before=LEVEL_SIGNS[was], after=LEVEL_SIGNS[now], columns=where)
        for (row, was, now), where in found.items()
    ]
