"""Polls one feed from its lock to its next due date; every step can be cut off and repeated."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ingest.domain.feeds.feed import Feed, FeedKind
from ingest.domain.feeds.policy import AcceptPolicy
from ingest.fetching.errors import FetchFailed
from ingest.reading import UndecodablePage
from ingest.services.listing import UnusableListing, releases_between
from ingest.services.poll_context import Fetcher, Poll, Progress
from ingest.services.poll_interface import poll_interface
from ingest.services.poll_live import poll_live
from ingest.services.poll_tags import poll_tags, take_releases
from ingest.services.settling import Settlement
from ingest.services.states import (
    FeedError,
    hold_feed,
    note_failure,
    note_success,
    state_of,
)
from ingest.services.taking import history_of
from matrix.domain.errors import InvalidClaim

_POLLS: Mapping[FeedKind, Callable[[Poll], None]] = {
    FeedKind.DOCUMENTATION_AT_TAG: poll_tags,
    FeedKind.DOCUMENTATION_LIVE: poll_live,
    FeedKind.CODE_HOST: poll_interface,
    FeedKind.CONTAINER_REGISTRY: poll_interface,
    FeedKind.MODEL_HUB: poll_interface,
}


class FeedFailed(Exception):
    """A poll that ended early; the reason stands with the feed, the knowledge is untouched."""

    code = "feed-failed"

    def __init__(self, feed: Feed, error: FeedError) -> None:
        self.feed = feed.name
        self.error = error
        super().__init__(f"{feed.name}: {error.sentence}")


@dataclass(frozen=True, slots=True)
class PollResult:
    """What a poll did. ``opened`` counts new review items."""

    feed: str
    changed: bool
    fetched: int
    opened: int
    settlement: Settlement


def _silent(_: str) -> None:
    """Takes a line of progress and shows it to nobody."""


def poll_feed(
    feed: Feed, *, fetcher: Fetcher, now: datetime, progress: Progress = _silent
) -> PollResult:
    """Fetches what is new of a feed and takes it in.

    **Raises**: ``FeedBusy``; ``FeedFailed`` after the reason was noted with the feed.
    """
    work = _POLLS[feed.kind]
    return _run(feed, work, fetcher=fetcher, now=now, progress=progress, policy=feed.policy)


def backfill_feed(
    feed: Feed,
    *,
    fetcher: Fetcher,
    now: datetime,
    since: str,
    until: str = "",
    policy: AcceptPolicy | None = None,
    progress: Progress = _silent,
) -> PollResult:
    """Takes every release of a span that was not taken yet, oldest first.

    **Raises**: ``FeedBusy``, ``FeedFailed``; ``UnknownVersion`` for an unknown end of the span.
    """

    def work(poll: Poll) -> None:
        history = history_of(poll.catalogue, feed.framework)
        releases = releases_between(feed, history, since=since, until=until)
        take_releases(poll, releases, again=False)

    return _run(
        feed, work, fetcher=fetcher, now=now, progress=progress, policy=policy or feed.policy
    )


def _run(
    feed: Feed,
    work: Callable[[Poll], None],
    *,
    fetcher: Fetcher,
    now: datetime,
    progress: Progress,
    policy: AcceptPolicy,
) -> PollResult:
    with hold_feed(feed, now=now) as state:
        poll = Poll(
            feed=feed, state=state, fetcher=fetcher, now=now, policy=policy, progress=progress
        )
        try:
            work(poll)
        except (FetchFailed, UnusableListing, UndecodablePage, InvalidClaim) as error:
            _fail(poll, [error])
        if poll.failures:
            _fail(poll, poll.failures)
        note_success(state, feed, changed=poll.changed, now=now)
    return PollResult(
        feed=feed.name,
        changed=poll.changed,
        fetched=poll.fetched,
        opened=poll.opened,
        settlement=poll.settlement,
    )


def note_crash(feed: Feed, error: Exception, *, now: datetime) -> None:
    """Notes with the feed that reading it failed in a way that no reader states: a fault of ours.

    For the edges, which let the error go on; the feed is asked again after a growing wait.
    """
    said = f"The poll ended in {type(error).__name__}: {error or 'no message'}; please report it."
    _note(feed, "poll-crashed", said, {"error": type(error).__name__}, now=now)


def note_time_limit(feed: Feed, *, limit_seconds: int, now: datetime) -> None:
    """Notes with the feed that its poll was ended for taking too long; the next one goes on."""
    said = f"The poll did not end within {limit_seconds} s; what came is kept, the next goes on."
    _note(feed, "time-limit", said, {"limit_seconds": limit_seconds}, now=now)


def _note(
    feed: Feed, code: str, sentence: str, facts: Mapping[str, str | int], *, now: datetime
) -> None:
    error = FeedError(code=code, sentence=sentence, facts=facts, hopeless=False)
    note_failure(state_of(feed), feed, error, now=now)


def _fail(poll: Poll, errors: Sequence[Exception]) -> None:
    """Notes the first error with the feed. **Raises**: ``FeedFailed``."""
    first = errors[0]
    error = FeedError(
        code=str(getattr(first, "code", "undecodable-page")),
        sentence=str(first),
        facts=dict(getattr(first, "facts", {})),
        hopeless=bool(getattr(first, "hopeless", True)),
        retry_after_seconds=getattr(first, "retry_after_seconds", None),
    )
    note_failure(poll.state, poll.feed, error, now=poll.now)
    raise FeedFailed(poll.feed, error) from first
