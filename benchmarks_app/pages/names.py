"""Names in runs that no node carries: the nearest nodes, and what was decided."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise

from benchmarks_app.domain.showing import shown_text
from benchmarks_app.models import UnknownName
from benchmarks_app.pages.upload_words import AXIS_FACT_WORDS
from matrix.domain.catalogue import Catalogue
from matrix.index import Knowledge
from matrix.pages.links import node_name

NEAREST = 5
# Comparing a name with all others takes tens of milliseconds, so the answers are remembered.
MOST_REMEMBERED = 2_000
_NEAREST: dict[tuple[int, str, str], Sequence[tuple[str, str]]] = {}


@dataclass(frozen=True, slots=True)
class NameRow:
    """One waiting name. **Shapes**: ``nearest`` are slug and name of nodes, closest first."""

    pk: int
    axis: str
    axis_name: Promise | str
    name: str
    first_seen_at: datetime
    nearest: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class DecidedRow:
    """One decided name; ``node`` is blank where it means no node."""

    pk: int
    axis: str
    axis_name: Promise | str
    name: str
    slug: str
    node: str
    decided_by: str
    decided_at: datetime | None


def name_rows(rows: Iterable[UnknownName], knowledge: Knowledge) -> list[NameRow]:
    """Waiting names with what they may mean."""
    return [
        NameRow(
            pk=row.pk,
            axis=row.axis,
            axis_name=AXIS_FACT_WORDS.get(row.axis, row.axis),
            name=shown_text(row.name),
            first_seen_at=row.first_seen_at,
            nearest=nearest_nodes(knowledge, row.axis, row.name),
        )
        for row in rows
    ]


def decided_rows(rows: Iterable[UnknownName], catalogue: Catalogue) -> list[DecidedRow]:
    """Decided names with what they mean."""
    return [
        DecidedRow(
            pk=row.pk,
            axis=row.axis,
            axis_name=AXIS_FACT_WORDS.get(row.axis, row.axis),
            name=shown_text(row.name),
            slug=row.slug,
            node=node_name(catalogue, row.axis, row.slug) if row.slug else "",
            decided_by=row.decided_by,
            decided_at=row.decided_at,
        )
        for row in rows
    ]


def nearest_nodes(knowledge: Knowledge, axis: str, name: str) -> Sequence[tuple[str, str]]:
    """Slug and name of the nodes with the nearest names, closest first."""
    key = (knowledge.revision, axis, name)
    if key not in _NEAREST:
        if len(_NEAREST) >= MOST_REMEMBERED:
            _NEAREST.clear()
        table = knowledge.catalogue.vocabulary.table(axis)
        slugs = {shown: slug for slug, shown in table.display.items()}
        _NEAREST[key] = [
            (slugs.get(shown, shown), shown) for shown in table.nearest(name, limit=NEAREST)
        ]
    return _NEAREST[key]
