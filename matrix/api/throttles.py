"""Request limits in fixed windows, said in headers of every answer."""

import time
from typing import Any

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


def parse_rate(text: str) -> tuple[int, int]:
    """Requests and seconds of ``600/minute``; units may be shortened to their first letter."""
    number, _, unit = text.partition("/")
    for name, seconds in _SECONDS.items():
        if unit and name.startswith(unit):
            return int(number), seconds
    raise ValueError(f"{text!r} is no rate; accepted: a number/second, minute, hour or day")


class RequestRate(BaseThrottle):
    """Counts requests by account, else by address.

    One counter a window costs two cache operations, where a list of times costs reading the list.
    """

    def __init__(self) -> None:
        self.limit = self.remaining = self.reset_s = 0

    def allow_request(self, request: Request, view: Any) -> bool:
        """Whether one more request fits into the window."""
        user = request.user
        known = bool(user and user.is_authenticated)
        configured: Any = settings.REST_FRAMEWORK
        rates = configured["DEFAULT_THROTTLE_RATES"]
        self.limit, seconds = parse_rate(rates["user" if known else "anon"])
        who = f"user:{user.pk}" if known else f"address:{address_of(request)}"
        now = time.time()
        window = int(now // seconds)
        self.reset_s = max(1, int((window + 1) * seconds - now + 0.999))
        key = f"rate:{who}:{window}"
        cache.add(key, 0, timeout=seconds + 1)
        try:
            count = cache.incr(key)
        except ValueError:
            # The counter went between the two calls, so a new window has begun.
            count = 1
        self.remaining = max(0, self.limit - count)
        request.META["runproof.rate"] = self
        return bool(count <= self.limit)

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


def address_of(request: Request) -> str:
    """The client's address: the last one a trusted proxy saw, else the connection's.

    Without a trusted proxy the forwarded header is the client's own word, and not believed.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    if settings.USE_X_FORWARDED_HOST and forwarded:
        return str(forwarded).rsplit(",", 1)[-1].strip()[:60]
    return str(request.META.get("REMOTE_ADDR", ""))
