"""Whose turn it is at a host: the protocol, and the keeper of turns inside one process."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol


class HostGate(Protocol):
    """Keeps requests to one host apart and holds them back after a Retry-After.

    An implementation must be safe for all threads and processes that share it. It needs one value
    a host: the moment from which the next request is allowed. **In a table**: lock the host's
    row, compare, write, commit; the lock is held for that only, never while a page is fetched.
    """

    def wait_turn(self, host: str, *, interval_seconds: float) -> float:
        """Takes the turn and returns 0, or takes nothing and returns the seconds until the next.

        Taking a turn moves the host's next moment to now + ``interval_seconds``. A caller that got
        more than 0 sleeps about so long and asks again, because a Retry-After may have come
        meanwhile, or gives up where that is too long for it. Order among those who wait is open.
        """
        ...

    def note_retry_after(self, host: str, until: datetime) -> None:
        """Holds the host back until the moment (aware UTC); an earlier one changes nothing."""
        ...


def read_clock() -> datetime:
    """Returns now, aware UTC."""
    return datetime.now(UTC)


class ProcessGate:
    """A HostGate for the threads of one process."""

    def __init__(self, *, clock: Callable[[], datetime] = read_clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._next_allowed: dict[str, datetime] = {}

    def wait_turn(self, host: str, *, interval_seconds: float) -> float:
        """See HostGate."""
        with self._lock:
            now = self._clock()
            allowed = self._next_allowed.get(host, now)
            if allowed > now:
                return (allowed - now).total_seconds()
            self._next_allowed[host] = now + timedelta(seconds=interval_seconds)
            return 0.0

    def note_retry_after(self, host: str, until: datetime) -> None:
        """See HostGate."""
        with self._lock:
            self._next_allowed[host] = max(until, self._next_allowed.get(host, until))
