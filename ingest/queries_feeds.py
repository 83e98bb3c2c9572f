"""Reads about feeds: which there are, which are due, how each stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count

from ingest.domain.feeds import Feed, FeedKind, registry
from ingest.domain.review import ItemState
from ingest.models import FeedState, ReviewItem
from matrix.domain.aliases import build_name_table
from matrix.domain.errors import UnknownName


@dataclass(frozen=True, slots=True)
class FeedStanding:
    """How one feed of the registry stands.

    **Dates**: a feed without ``next_due_at`` was never polled and is due.
    """

    name: str
    kind: str
    framework: str
    sources: tuple[str, ...]
    host: str
    cadence: timedelta
    last_attempt_at: datetime | None
    last_success_at: datetime | None
    last_change_at: datetime | None
    next_due_at: datetime | None
    is_due: bool
    is_overdue: bool
    error_code: str
    error_sentence: str
    error_facts: dict[str, Any]
    error_at: datetime | None
    failures_in_row: int
    polled_by: str
    open_items: int


def feed_standings(now: datetime) -> list[FeedStanding]:
    """All feeds in the order of the registry; overdue is what missed a whole cadence.

    **Queries**: 2.
    """
    states = {state.name: state for state in FeedState.objects.all()}
    waiting = dict(
        ReviewItem.objects.filter(state=ItemState.OPEN)
        .exclude(feed="")
        .values_list("feed")
        .annotate(items=Count("pk"))
    )
    return [
        _standing(feed, states.get(feed.name) or FeedState(name=feed.name),
                  waiting.get(feed.name, 0), now)
        for feed in registry.FEEDS
    ]  # fmt: skip


def _standing(feed: Feed, state: FeedState, items: int, now: datetime) -> FeedStanding:
    due = state.next_due_at
    return FeedStanding(
        name=feed.name,
        kind=feed.kind.value,
        framework=feed.framework,
        sources=feed.sources,
        host=feed.host,
        cadence=feed.cadence,
        last_attempt_at=state.last_attempt_at,
        last_success_at=state.last_success_at,
        last_change_at=state.last_change_at,
        next_due_at=due,
        is_due=due is None or due <= now,
        is_overdue=due is not None and due + feed.cadence <= now,
        error_code=state.error_code,
        error_sentence=state.error_sentence,
        error_facts=state.error_facts,
        error_at=state.error_at,
        failures_in_row=state.failures_in_row,
        polled_by=state.locked_by,
        open_items=items,
    )


def due_feeds(now: datetime) -> list[Feed]:
    """The feeds whose time has come, those that waited longest first. **Queries**: 1."""
    due = dict(FeedState.objects.values_list("name", "next_due_at"))
    waiting = [
        (moment is not None, moment or now, feed)
        for feed in registry.FEEDS
        if (moment := due.get(feed.name)) is None or moment <= now
    ]
    return [feed for _, _, feed in sorted(waiting, key=lambda item: item[:2])]


def feed_named(name: str) -> Feed:
    """The feed of that name.

    **Raises**: ``UnknownName`` with the nearest names.
    """
    feed = registry.find_feed(name)
    if feed is None:
        names = [known.name for known in registry.FEEDS]
        raise UnknownName(axis="feed", value=name, nearest=_nearest("feed", name, names))
    return feed


def tag_feeds_of(source: str) -> Sequence[Feed]:
    """The feeds of documentation at tags that a source or a framework's sources read.

    **Raises**: ``UnknownName`` with the nearest names.
    """
    at_tags = [f for f in registry.FEEDS if f.kind is FeedKind.DOCUMENTATION_AT_TAG]
    found = [feed for feed in at_tags if source in {feed.framework, *feed.sources}]
    if not found:
        names = sorted({name for feed in at_tags for name in (feed.framework, *feed.sources)})
        raise UnknownName(axis="source", value=source, nearest=_nearest("source", source, names))
    return found


def _nearest(axis: str, name: str, known: Sequence[str]) -> tuple[str, ...]:
    return build_name_table(axis, ((word, (word,)) for word in known)).nearest(name)
