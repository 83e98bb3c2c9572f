"""Request limits in fixed windows, said in headers of every answer."""

import time
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


@lru_cache(maxsize=64)
def parse_rate(text: str) -> tuple[int, int]:
    """Requests and seconds of ``600/minute``; units may be shortened to their first letter."""
    number, _, unit = text.partition("/")
    for name, seconds in _SECONDS.items():
        if unit and name.startswith(unit):
            return int(number), seconds
    raise ValueError(f"{text!r} is no rate; accepted: a number/second, minute, hour or day")


class RequestRate(BaseThrottle):
    """Counts requests by account, else by address.

    One counter a window costs one cache operation, where a list of times costs reading the list.
    """

    def __init__(self) -> None:
        self.limit = self.remaining = self.reset_s = 0

    def allow_request(self, request: Request, view: Any) -> bool:
        """Whether one more request fits into the window."""
        user = request.user
        if user and user.is_authenticated:
            return self.count(request.META, "user", f"user:{user.pk}")
        return self.allow_stranger(request)

    def allow_stranger(self, request: Request | HttpRequest) -> bool:
        """Whether one more request without an account fits into the window of its address."""
        return self.count(request.META, "anon", f"address:{address_of(request)}")

    def count(self, meta: dict[str, Any], kind: str, who: str) -> bool:
        """Counts one request under the rate of a kind; leaves itself in ``meta``."""
        configured: Any = settings.REST_FRAMEWORK
        rates = configured["DEFAULT_THROTTLE_RATES"]
        self.limit, seconds = parse_rate(rates[kind])
        now = time.time()
        window = int(now // seconds)
        self.reset_s = max(1, int((window + 1) * seconds - now + 0.999))
        key = f"rate:{who}:{window}"
        counted = _count_up(key, timeout_s=seconds + 1)
        self.remaining = max(0, self.limit - counted)
        meta["runproof.rate"] = self
        return counted <= self.limit

    def wait(self) -> float:
        """Seconds until the window ends."""
        return float(self.reset_s)

    def headers(self) -> dict[str, str]:
        """What the answer says about the limit."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset_s),
        }


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


def address_of(request: Request | HttpRequest) -> str:
    """The client's address: the last one a trusted proxy saw, else the connection's.

    Without a trusted proxy the forwarded header is the client's own word, and not believed.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    if settings.USE_X_FORWARDED_HOST and forwarded:
        return str(forwarded).rsplit(",", 1)[-1].strip()[:60]
    return str(request.META.get("REMOTE_ADDR", ""))
