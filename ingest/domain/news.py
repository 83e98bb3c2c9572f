"""The words of news that is sent out: kinds of events, states of a delivery, limits."""

from enum import StrEnum


class EventKind(StrEnum):
    """What a receiver may be told of.

    ``ping`` is sent on request only, to try an address.
    """

    STATEMENTS_CHANGED = "statements-changed"
    RELEASE_PUBLISHED = "release-published"
    MAINTENANCE_CHANGED = "maintenance-changed"
    FEED_FAILING = "feed-failing"
    PING = "ping"


SUBSCRIBABLE = tuple(kind for kind in EventKind if kind is not EventKind.PING)


class DeliveryState(StrEnum):
    """Where a message stands; ``dead`` ones are not tried again by themselves."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    DEAD = "dead"


# Waits double from half a minute up to six hours: the last try comes about a day after the first.
MOST_ATTEMPTS = 12
FIRST_WAIT_SECONDS = 30.0
LONGEST_WAIT_SECONDS = 21_600.0
# A feed that fails this often in a row is news.
FAILURES_TO_TELL = 3
# A message names at most so many statements; its counts and link tell of all of them.
MOST_ITEMS = 50
