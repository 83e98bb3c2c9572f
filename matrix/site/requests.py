"""What is noted of every request: an identifier, a line in the log, a count and a time."""

import logging
import os
import re
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from matrix.site.logs import request_id
from matrix.site.metrics import note_request

logger = logging.getLogger("runproof.requests")

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
# The address that has a short way past the URL configuration.
_SHORTCUT_START, _SHORTCUT_ROUTE = "/api/v1/verdicts", "api-verdicts"
STATIC_ROUTE, UNRESOLVED_ROUTE = "static", "unresolved"


class RequestRecords:
    """Gives each request an identifier and notes how it ended.

    An identifier that a proxy sends is taken over when it is short and plain, so that one search
    finds the lines of both.
    """

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        """The answer with its identifier."""
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        name = given if given and _GIVEN.fullmatch(given) else os.urandom(16).hex()
        token = request_id.set(name)
        begun = time.perf_counter()
        try:
            response = self._get_response(request)
            seconds = time.perf_counter() - begun
            route = route_of(request)
            status = int(response.status_code)
            note_request(method=request.method or "", route=route, status=status, seconds=seconds)
            if logger.isEnabledFor(logging.INFO):
                _log(request, route=route, status=status, seconds=seconds)
            response[HEADER] = name
            return response
        finally:
            request_id.reset(token)


def route_of(request: HttpRequest) -> str:
    """The name of the route that answered; one of few words where none did."""
    match = request.resolver_match
    if match is not None:
        return match.view_name or UNRESOLVED_ROUTE
    if request.path_info.startswith(_SHORTCUT_START):
        return _SHORTCUT_ROUTE
    return STATIC_ROUTE if request.path_info.startswith(settings.STATIC_URL) else UNRESOLVED_ROUTE


def user_of(request: HttpRequest) -> str:
    """The account that the request was found to come from; nobody is looked up for the log."""
    user = getattr(request, "_cached_user", None)
    if user is None:
        held = request.__dict__.get("user")
        user = None if isinstance(held, SimpleLazyObject) else held
    if user is None or not user.is_authenticated:
        return ""
    return str(user.get_username())


def _log(request: HttpRequest, *, route: str, status: int, seconds: float) -> None:
    """One line; an address is told without its query, which may hold what nobody should read."""
    facts = {
        "method": request.method,
        "path": request.path[:300],
        "route": route,
        "status": status,
        "duration_ms": round(seconds * 1000.0, 3),
        "user": user_of(request) or None,
    }
    logger.info(
        "%s %s %d %.1f ms",
        facts["method"],
        ascii(facts["path"])[1:-1],
        status,
        facts["duration_ms"],
        extra=facts,
    )
