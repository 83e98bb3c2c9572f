"""Reads about the review queue: its parts, its neighbours, its history and its unknown words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Func, IntegerField, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from ingest.domain.review import ItemKind, ItemState
from ingest.models import PageRecord, ReviewItem
from matrix.models import AuditEntry

# Newest first: identifiers rise with the time of opening, and their index keeps pages flat.
QUEUE_ORDER = ("-pk",)
MOST_EARLIER = 12


def review_subject(pk: int) -> str:
    """The subject of an item's decisions in the audit log."""
    return f"review:{pk}"


FACETS = ("state", "kind", "framework", "source")


def facet_counts(
    rows: QuerySet[ReviewItem], chosen: Mapping[str, str]
) -> Mapping[str, Mapping[str, int]]:
    """How many items have each value of a facet under the values chosen for the other facets.

    **Shapes**: ``rows`` are narrowed by everything but facets. **Queries**: 1, whose answer has a
    row for each combination that occurs, however many items there are.
    """
    found: dict[str, dict[str, int]] = {facet: {} for facet in FACETS}
    groups = rows.order_by().values_list(*FACETS).annotate(items=Count("pk"))
    for *values, items in groups:
        group = dict(zip(FACETS, values, strict=True))
        misses = [facet for facet, word in chosen.items() if group[facet] != word]
        for facet in FACETS:
            if all(other == facet for other in misses):
                counts = found[facet]
                counts[group[facet]] = counts.get(group[facet], 0) + items
    return {
        facet: dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
        for facet, counts in found.items()
    }


@dataclass(frozen=True, slots=True)
class QueuePage:
    """Items of one page of the queue, and the identifiers from which its neighbours go on."""

    items: Sequence[ReviewItem]
    older: int | None
    newer: int | None


def queue_page(
    rows: QuerySet[ReviewItem], *, size: int, before: int | None = None, after: int | None = None
) -> QueuePage:
    """A page of the queue: its newest items, or those on either side of an identifier.

    **Queries**: 1 or 2, each along the index of identifiers.
    """
    if after is not None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
        more, items = len(found) > size, found[:size][::-1]
        older = items[-1].pk if items else None
        return QueuePage(items=items, older=older, newer=items[0].pk if more else None)
    part = rows if before is None else rows.filter(pk__lt=before)
    found = list(part.order_by(*QUEUE_ORDER)[: size + 1])
    items = found[:size]
    newer = None
    if before is not None and items and rows.filter(pk__gt=items[0].pk).exists():
        newer = items[0].pk
    return QueuePage(items=items, older=items[-1].pk if len(found) > size else None, newer=newer)


def next_open(rows: QuerySet[ReviewItem], pk: int) -> int | None:
    """The open item that follows one in the queue, or its first one. **Queries**: 1 or 2."""
    waiting = rows.filter(state=ItemState.OPEN).exclude(pk=pk)
    keys = waiting.order_by(*QUEUE_ORDER).values_list("pk", flat=True)
    return keys.filter(pk__lt=pk).first() or keys.first()


def queue_stamp() -> tuple[object, ...]:
    """Something that differs whenever the queue does. **Queries**: 1."""
    found = ReviewItem.objects.aggregate(
        newest=Max("pk"), decided=Max("decided_at"), waiting=Count("pk", Q(state=ItemState.OPEN))
    )
    return found["newest"], found["decided"], found["waiting"]


def earlier_decisions(item: ReviewItem) -> Sequence[ReviewItem]:
    """Other items about the same statement or word that were decided. **Queries**: 1."""
    rows = ReviewItem.objects.filter(
        kind=item.kind, source=item.source, rule=item.rule, framework=item.framework
    ).exclude(Q(pk=item.pk) | Q(state=ItemState.OPEN))
    if item.statement:
        rows = rows.filter(statement=item.statement)
    else:
        rows = rows.filter(path=item.path, code=item.code)
    return list(rows.order_by("-decided_at", "-pk")[:MOST_EARLIER])


def audit_trail(pk: int) -> Sequence[AuditEntry]:
    """What was decided about an item, newest first. **Queries**: 1."""
    return list(AuditEntry.objects.filter(subject=review_subject(pk)))


def page_of_item(item: ReviewItem) -> PageRecord | None:
    """The page that an item is about as it stands now. **Queries**: 1."""
    return PageRecord.objects.filter(
        framework=item.framework, version=item.version, path=item.path
    ).first()


@dataclass(frozen=True, slots=True)
class WordGroup:
    """One unknown word of one axis with all its open items.

    **Shapes**: ``item`` is one of them; ``places`` counts those on record, at most 20 a source.
    """

    axis: str
    word: str
    item: int
    sources: Sequence[str]
    places: int
    opened_at: datetime


def word_rows(states: Sequence[str] = (ItemState.OPEN,)) -> QuerySet[ReviewItem]:
    """Items about unknown words in one of the states."""
    return ReviewItem.objects.filter(kind=ItemKind.UNKNOWN_WORD, state__in=list(states))


def word_groups(
    rows: QuerySet[ReviewItem], *, start: int, size: int
) -> tuple[Sequence[WordGroup], bool]:
    """Words with most places first, and whether more follow. **Queries**: 2."""
    places = Func(F("new__places"), function="jsonb_array_length", output_field=IntegerField())
    found = list(
        rows.order_by()
        .values("code", "statement")
        .annotate(item=Min("pk"), opened=Min("opened_at"), places=Coalesce(Sum(places), 0))
        .order_by("-places", "code", "statement")[start : start + size + 1]
    )
    shown = found[:size]
    named: dict[tuple[str, str], list[str]] = {}
    words = {row["statement"] for row in shown}
    for axis, word, source in (
        rows.filter(statement__in=words)
        .order_by("source")
        .values_list("code", "statement", "source")
    ):
        named.setdefault((axis, word), []).append(source)
    groups = [
        WordGroup(
            axis=row["code"],
            word=row["statement"],
            item=row["item"],
            sources=named.get((row["code"], row["statement"]), ()),
            places=row["places"],
            opened_at=row["opened"],
        )
        for row in shown
    ]
    return groups, len(found) > size


def items_of_word(axis: str, word: str) -> Sequence[ReviewItem]:
    """The open items about a word, one for each source. **Queries**: 1."""
    return list(word_rows().filter(code=axis, statement=word).order_by("source"))


def item_plain(item: ReviewItem) -> Mapping[str, Any]:
    """An item without its two sides, as plain data."""

    def moment(value: datetime | None) -> str | None:
        return value.isoformat().replace("+00:00", "Z") if value else None

    return {
        "id": item.pk,
        "kind": item.kind,
        "state": item.state,
        "feed": item.feed or None,
        "source": item.source or None,
        "rule": item.rule or None,
        "framework": item.framework or None,
        "version": item.version or None,
        "release": item.release or None,
        "path": item.path or None,
        "url": item.url or None,
        "statement": item.statement or None,
        "code": item.code or None,
        "sentence": item.sentence or None,
        "snapshot_sha256": item.snapshot_sha256 or None,
        "opened_at": moment(item.opened_at),
        "decided_at": moment(item.decided_at),
        "decided_by": item.decided_by or None,
        "reason": item.reason or None,
        "claim_uid": item.claim_uid or None,
    }
