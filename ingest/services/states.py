"""How each feed stands: whose turn it is, what came of the last poll, when the next is due."""

import os
import socket
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from ingest.domain.feeds.feed import Feed
from ingest.models import FeedState

# The first half of the keys of our advisory locks; the second half is the feed.
_LOCK_FAMILY = 0x52505246
# How long a poll may say that it is running; the lock itself ends with its connection.
_LONGEST_POLL = timedelta(minutes=10)
_FIRST_RETRY = timedelta(minutes=5)
# How long a feed that was handed to a worker is not due.
_HAND_OUT = timedelta(minutes=10)


class FeedBusy(Exception):
    """Another process polls the feed at this moment."""

    code = "feed-busy"

    def __init__(self, name: str, owner: str) -> None:
        self.facts = {"feed": name, "owner": owner}
        super().__init__(f"{name} is polled by {owner or 'another process'}; try again later.")


@dataclass(frozen=True, slots=True)
class FeedError:
    """Why a poll failed, as it is kept with the feed."""

    code: str
    sentence: str
    facts: Mapping[str, Any]
    hopeless: bool
    retry_after_seconds: float | None = None


def state_of(feed: Feed) -> FeedState:
    """The state of a feed, created when it is asked for first."""
    return FeedState.objects.get_or_create(name=feed.name)[0]


@contextmanager
def hold_feed(feed: Feed, *, now: datetime) -> Iterator[FeedState]:
    """Holds the feed for the time of a poll; the database lets go when the process dies.

    An advisory lock of the connection is what counts; owner and time are for people to read.
    **Raises**: ``FeedBusy``.
    """
    state = state_of(feed)
    key = zlib.crc32(feed.name.encode()) & 0x7FFFFFFF
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [_LOCK_FAMILY, key])
        row = cursor.fetchone()
    if not row or not row[0]:
        raise FeedBusy(feed.name, state.locked_by)
    try:
        state.refresh_from_db()
        state.locked_by = f"{socket.gethostname()}:{os.getpid()}"[:120]
        state.locked_until = now + _LONGEST_POLL
        state.last_attempt_at = now
        state.save(update_fields=["locked_by", "locked_until", "last_attempt_at"])
        yield state
    finally:
        FeedState.objects.filter(pk=state.pk).update(locked_by="", locked_until=None)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_LOCK_FAMILY, key])


def hand_out(feeds: Iterable[Feed], *, now: datetime) -> list[Feed]:
    """The feeds that may be handed to workers now: those still due, which are not for a while.

    **Queries**: 3 for each feed.
    """
    handed = []
    for feed in feeds:
        state = state_of(feed)
        rows = FeedState.objects.filter(pk=state.pk, next_due_at=state.next_due_at)
        if rows.update(next_due_at=now + _HAND_OUT):
            handed.append(feed)
    return handed


def keep_cursor(state: FeedState) -> None:
    """Writes the feed's own bookkeeping, so that a poll that is cut off goes on from there."""
    state.save(update_fields=["cursor"])


def note_success(state: FeedState, feed: Feed, *, changed: bool, now: datetime) -> None:
    """The poll came to its end."""
    state.last_success_at = now
    if changed:
        state.last_change_at = now
    state.next_due_at = now + feed.cadence
    state.failures_in_row = 0
    state.error_code = state.error_sentence = ""
    state.error_facts, state.error_at = {}, None
    state.save()


def note_failure(state: FeedState, feed: Feed, error: FeedError, *, now: datetime) -> None:
    """The poll failed: when to try again, and why it failed; the knowledge is as it was.

    **Dates**: a hopeless error waits for the feed's own cadence, any other for a growing part of
    it, and never less than the server asked for.
    """
    state.failures_in_row += 1
    wait = min(_FIRST_RETRY * 2 ** min(state.failures_in_row - 1, 20), feed.cadence)
    if error.hopeless:
        wait = feed.cadence
    if error.retry_after_seconds is not None:
        wait = max(wait, timedelta(seconds=error.retry_after_seconds))
    state.next_due_at = now + wait
    state.error_code, state.error_sentence = error.code, error.sentence
    state.error_facts, state.error_at = dict(error.facts), now
    state.save()
