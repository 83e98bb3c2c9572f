"""How fresh everything is: feeds by their health, sources by where their claims came from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from ingest.domain.feeds import registry
from ingest.queries_feeds import FeedStanding
from matrix.queries.freshness import SourceStanding


class FeedHealth(StrEnum):
    """How a feed stands, worst first."""

    FAILING = "failing"
    OVERDUE = "overdue"
    NEVER_POLLED = "never-polled"
    ON_TIME = "on-time"


class Origin(StrEnum):
    """Where the claims of a source came from; only the first kind is kept true by this place."""

    POLLED_HERE = "polled-here"
    RECORDED_HERE = "recorded-here"
    SHIPPED = "shipped"


@dataclass(frozen=True, slots=True)
class FeedLine:
    """One feed with its health. **Dates**: it is not asked before ``paused_until``."""

    standing: FeedStanding
    health: FeedHealth
    paused_until: datetime | None


@dataclass(slots=True)
class SourceLine:
    """The claims of one source about one framework, all its rules together.

    **Dates**: ``shipped_on`` is the day of the newest shipped claim, ``polled_at`` the last
    successful poll of any of its feeds.
    """

    source: str
    framework: str
    origin: Origin = Origin.SHIPPED
    claims: int = 0
    may_fall_due: int = 0
    due: int = 0
    shipped: int = 0
    oldest: date | None = None
    newest: date | None = None
    shipped_on: date | None = None
    recorded_at: datetime | None = None
    polled_at: datetime | None = None
    feeds: Sequence[str] = ()
    rules: list[SourceStanding] = field(default_factory=list)

    @property
    def due_share(self) -> float | None:
        """The part of the claims that can fall due whose last observation is too old."""
        return self.due / self.may_fall_due if self.may_fall_due else None


def health_of(standing: FeedStanding) -> FeedHealth:
    """How a feed stands."""
    if standing.error_code:
        return FeedHealth.FAILING
    if standing.last_success_at is None:
        return FeedHealth.NEVER_POLLED
    return FeedHealth.OVERDUE if standing.is_overdue else FeedHealth.ON_TIME


def feed_lines(standings: Iterable[FeedStanding], *, now: datetime) -> list[FeedLine]:
    """The feeds, the worst health first; in the order of the registry within it."""
    lines = []
    for standing in standings:
        due = standing.next_due_at
        waits = bool(standing.error_code) and due is not None and due > now
        lines.append(FeedLine(standing, health_of(standing), due if waits else None))
    order = list(FeedHealth)
    return sorted(lines, key=lambda line: order.index(line.health))


def source_lines(
    found: Iterable[SourceStanding], standings: Iterable[FeedStanding]
) -> list[SourceLine]:
    """The sources by framework and name, each with the newest poll of the feeds it is read from."""
    polled = {s.name: s.last_success_at for s in standings}
    feeds: dict[str, list[str]] = {}
    for feed in registry.FEEDS:
        for source in feed.sources:
            feeds.setdefault(source, []).append(feed.name)
    lines: dict[tuple[str, str], SourceLine] = {}
    for rule in found:
        name = rule.source.partition(":")[0]
        line = lines.setdefault((rule.framework, name), SourceLine(name, rule.framework))
        _add(line, rule)
    for line in lines.values():
        line.feeds = tuple(feeds.get(line.source, ()))
        moments = [at for feed in line.feeds if (at := polled.get(feed)) is not None]
        line.polled_at = max(moments, default=None)
        if line.polled_at is not None:
            line.origin = Origin.POLLED_HERE
        elif line.shipped < line.claims:
            line.origin = Origin.RECORDED_HERE
    return [lines[key] for key in sorted(lines)]


def _add(line: SourceLine, rule: SourceStanding) -> None:
    line.rules.append(rule)
    line.claims += rule.claims
    line.may_fall_due += rule.may_fall_due
    line.due += rule.due
    line.shipped += rule.shipped
    line.oldest = min(filter(None, (line.oldest, rule.oldest)), default=None)
    line.newest = max(filter(None, (line.newest, rule.newest)), default=None)
    line.recorded_at = max(filter(None, (line.recorded_at, rule.recorded_at)), default=None)
    shipped_on = rule.shipped_at.date() if rule.shipped_at else None
    line.shipped_on = max(filter(None, (line.shipped_on, shipped_on)), default=None)
