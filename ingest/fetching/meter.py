"""Sockets that know how long and how much: no server can hold a fetch or fill the memory.

A time-out of the usual kind starts again with every byte, so a server that trickles holds a caller
for ever, and header lines, chunk sizes and trailers count towards no body cap. Both are measured
here, below everything that reads HTTP.
"""

import socket
import ssl
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ingest.fetching.errors import FailureCode, FetchFailed


class Meter:
    """What one exchange may still take.

    **Units**: ``total_seconds`` from its making on, ``idle_seconds`` for each wait,
    ``most_bytes`` for everything that arrives, the overhead of HTTP included.
    """

    def __init__(
        self,
        *,
        url: str,
        total_seconds: float,
        idle_seconds: float,
        most_bytes: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.url = url
        self.total_seconds = total_seconds
        self.idle_seconds = idle_seconds
        self.most_bytes = most_bytes
        self.seen_bytes = 0
        self._clock = clock
        self._ends_at = clock() + total_seconds

    def next_wait_seconds(self, most: float | None = None) -> float:
        """Returns how long the next wait may be.

        **Raises** FetchFailed: too-slow, when nothing is left.
        """
        left = self._ends_at - self._clock()
        if left <= 0:
            raise self.explain_timeout()
        return min(left, self.idle_seconds if most is None else most)

    def count(self, size: int) -> int:
        """Adds bytes that arrived, and returns their number.

        **Raises** FetchFailed: too-large, when they are more than all of this may be.
        """
        self.seen_bytes += size
        if self.seen_bytes > self.most_bytes:
            raise FetchFailed(
                FailureCode.TOO_LARGE,
                url=self.url,
                seen_bytes=self.seen_bytes,
                accepted_bytes=self.most_bytes,
            )
        return size

    def explain_timeout(self) -> FetchFailed:
        """Returns the failure of a wait that ended without a byte."""
        # The last wait is cut to what is left, and may wake a little before it.
        if self._ends_at - self._clock() <= 0.01:
            return FetchFailed(
                FailureCode.TOO_SLOW, url=self.url, seen_seconds=round(self.total_seconds, 3)
            )
        return FetchFailed(
            FailureCode.TIMED_OUT, url=self.url, seen_seconds=round(self.idle_seconds, 3)
        )


class MeteredSocket(socket.socket):
    """A TCP socket whose reads are measured."""

    meter: Meter | None = None

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        """Reads as usual, within the meter."""
        return _read_within(self.meter, self, partial(super().recv_into, *args, **kwargs))


class MeteredTlsSocket(ssl.SSLSocket):
    """The same for TLS; the handshake before it has one limit for all of its steps."""

    meter: Meter | None = None

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        """Reads as usual, within the meter."""
        return _read_within(self.meter, self, partial(super().recv_into, *args, **kwargs))


def _read_within(meter: Meter | None, opened: socket.socket, read: Callable[[], int]) -> int:
    if meter is None:
        return read()
    opened.settimeout(meter.next_wait_seconds())
    try:
        size = read()
    except TimeoutError:
        raise meter.explain_timeout() from None
    return meter.count(size)
