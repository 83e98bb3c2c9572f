"""The short way to the verdict of one cell, which programs ask far more often than all else.

A request for JSON about one cell, without cookie and without token, on an installation that is
open to readers, needs neither session, account, message nor form protection. It goes through the
other middlewares of the site and straight to the answer that the endpoint would give. Everything
else, and a request beyond the limit, takes the whole way; both ways give the same answers.
"""

from collections.abc import Callable
from typing import Any

from csp.constants import HEADER, HEADER_REPORT_ONLY
from csp.utils import build_policy
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.module_loading import import_string

from matrix.api.base import say_limits
from matrix.api.errors import problem_details_handler, server_error
from matrix.api.negotiation import best_type
from matrix.api.pagination import PAGE_PARAMETERS
from matrix.api.renderers import PlainJSON
from matrix.api.throttles import RequestRate
from matrix.api.verdicts import Verdicts, answer_cell, known_paths
from matrix.asking.names import OVER
from matrix.domain.errors import RunproofError

GetResponse = Callable[[HttpRequest], Any]

# What the short way leaves out: it went through the first two already, and the others touch no
# answer to a program without a cookie. The content policy is the same for all of them, so it is
# made once instead of for each answer.
LEFT_OUT = frozenset(
    {
        "matrix.site.health.HealthChecks",
        "matrix.site.requests.RequestRecords",
        "matrix.api.shortcut.VerdictShortcut",
        "whitenoise.middleware.WhiteNoiseMiddleware",
        "csp.middleware.CSPMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django_htmx.middleware.HtmxMiddleware",
    }
)
_NEEDS_A_LIST = frozenset({OVER, *PAGE_PARAMETERS})
_OFFERED = tuple(str(renderer.media_type) for renderer in Verdicts.renderer_classes)


class VerdictShortcut:
    """Answers what may take the short way, hands the rest on."""

    def __init__(self, get_response: GetResponse) -> None:
        self._whole_way = get_response
        self._answer: GetResponse = convert_exception_to_response(_answer)
        view = Verdicts()
        view.setup(HttpRequest())
        self._allowed = ", ".join(view.allowed_methods)
        policies = {
            HEADER: build_policy(),
            HEADER_REPORT_ONLY: build_policy(report_only=True),
        }
        self._policies = {name: policy for name, policy in policies.items() if policy}
        short_way: GetResponse = convert_exception_to_response(self._answer_or_hand_on)
        for name in reversed(settings.MIDDLEWARE):
            if name not in LEFT_OUT:
                short_way = convert_exception_to_response(import_string(name)(short_way))
        self._short_way = short_way

    def __call__(self, request: HttpRequest) -> Any:
        """The answer by either way."""
        return (self._short_way if asks_for_one_cell(request) else self._whole_way)(request)

    def _answer_or_hand_on(self, request: HttpRequest) -> Any:
        if not RequestRate().allow_stranger(request):
            return self._whole_way(request)
        response = self._answer(request)
        if response.status_code == 500:
            # An unforeseen error, which Django has logged and answered with a page.
            response = server_error(request)
        response["Allow"] = self._allowed
        say_limits(request, response)
        # The endpoint's answers depend on who is signed in.
        patch_vary_headers(response, ("Cookie",))
        for name, policy in self._policies.items():
            response[name] = policy
        return response


def _answer(request: HttpRequest) -> HttpResponse:
    try:
        return answer_cell(request)
    except RunproofError as error:
        return problem_details_handler(error, {"request": request})


def asks_for_one_cell(request: HttpRequest) -> bool:
    """Whether the request may take the short way."""
    meta = request.META
    if (
        request.method != "GET"
        or not request.path_info.endswith("/verdicts/")
        or meta.get("HTTP_COOKIE")
        or "HTTP_AUTHORIZATION" in meta
        or not settings.RUNPROOF_PUBLIC
        or request.path != known_paths().verdicts
        or best_type(meta.get("HTTP_ACCEPT", ""), _OFFERED) != PlainJSON.media_type
    ):
        return False
    try:
        words = request.GET
        request.get_host()
    except SuspiciousOperation:
        # A query that is too long, or a host that is not ours: the whole way says so.
        return False
    return _NEEDS_A_LIST.isdisjoint(words)
