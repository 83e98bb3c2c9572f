"""Request limits of the interface, said in headers of every answer."""

from typing import Any

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from matrix.rates import address_of, count_request


class RequestRate(BaseThrottle):
    """Counts requests by account, else by address."""

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
        window = count_request(kind, who)
        self.limit, self.remaining = window.limit, window.remaining
        self.reset_s = window.reset_s
        meta["runproof.rate"] = self
        return window.is_passed

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
