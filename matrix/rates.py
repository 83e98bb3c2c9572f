"""Limits of requests in fixed windows, counted in the cache by account or by address.

One counter a window costs one cache operation, where a list of times costs reading the list.
"""

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.cache import cache

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


@dataclass(frozen=True, slots=True)
class Window:
    """How a limit stands after one more request. **Units**: ``reset_s`` seconds to its end."""

    limit: int
    remaining: int
    reset_s: int
    is_passed: bool


@lru_cache(maxsize=64)
def parse_rate(text: str) -> tuple[int, int]:
    """Requests and seconds of ``600/minute``; units may be shortened to their first letter."""
    number, _, unit = text.partition("/")
    for name, seconds in _SECONDS.items():
        if unit and name.startswith(unit):
            return int(number), seconds
    raise ValueError(f"{text!r} is no rate; accepted: a number/second, minute, hour or day")


def count_request(kind: str, who: str) -> Window:
    """Counts one request of somebody under the rate of a kind."""
    configured: Any = settings.REST_FRAMEWORK
    limit, seconds = parse_rate(configured["DEFAULT_THROTTLE_RATES"][kind])
    now = time.time()
    window = int(now // seconds)
    reset_s = max(1, int((window + 1) * seconds - now + 0.999))
    counted = _count_up(f"rate:{who}:{window}", timeout_s=seconds + 1)
    return Window(limit, max(0, limit - counted), reset_s, counted <= limit)


def _count_up(key: str, *, timeout_s: int) -> int:
    """The number of requests under a key, this one included."""
    try:
        return int(cache.incr(key))
    except ValueError:
        # No counter yet. Of two first requests at once only one may set it.
        if cache.add(key, 1, timeout=timeout_s):
            return 1
    try:
        return int(cache.incr(key))
    except ValueError:
        # The counter went between the two calls, so a new window has begun.
        return 1


def address_of(request: Any) -> str:
    """The client's address: the last one a trusted proxy saw, else the connection's.

    Without a trusted proxy the forwarded header is the client's own word, and not believed.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    if settings.USE_X_FORWARDED_HOST and forwarded:
        return str(forwarded).rsplit(",", 1)[-1].strip()[:60]
    return str(request.META.get("REMOTE_ADDR", ""))
