"""Every error of the interface as problem details (RFC 9457)."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.defaults import server_error as error_page
from rest_framework import exceptions, status
from rest_framework.views import set_rollback

from matrix.api.renderers import PROBLEM_TYPE, json_bytes
from matrix.asking import problem_kind
from matrix.domain.errors import RunproofError, nearest_hint
from matrix.domain.phrases import Phrase
from matrix.pages.translated import in_words

logger = logging.getLogger(__name__)

LONGEST_ECHO = 300
_SERVER_FAILED = Phrase("The server failed; the error was logged.")
# How long a database that was started again takes to answer.
_DATABASE_BACK_S = 5


class ConflictError(RunproofError):
    """A write that the present state of the record does not allow."""

    def __init__(self, message: str) -> None:
        super().__init__(message=message, code="conflict")


class TooLargeError(RunproofError):
    """A body, or a list in it, that is larger than is accepted."""

    def __init__(self, *, what: str, seen: str, accepted: str) -> None:
        super().__init__(
            message=Phrase(
                "{what} is {seen}; accepted: {accepted}.", what=what, seen=seen, accepted=accepted
            ),
            code="too-large",
            facts={"parameter": what, "value": seen, "accepted": accepted},
        )


class NoSuchThing(RunproofError):
    """An address that leads to no row."""

    def __init__(self, *, what: str, value: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(
            message=Phrase(
                "{value!r} is no known {what}.{hint}",
                value=value[:100],
                what=what,
                hint=nearest_hint(nearest),
            ),
            code="not-found",
            facts={"value": value[:LONGEST_ECHO], "nearest": list(nearest)},
        )


class MalformedJSON(RunproofError):
    """A body that is no JSON object of the wanted form."""

    def __init__(self, detail: str) -> None:
        super().__init__(
            message=Phrase("The body is no valid JSON: {detail}.", detail=detail),
            code="malformed-json",
        )


def problem_members(
    code: str, detail: str, *, facts: Mapping[str, object] | None = None, instance: str = ""
) -> dict[str, Any]:
    """The members of a problem document; facts never hide a standard member."""
    kind = problem_kind(code)
    members: dict[str, Any] = {
        "type": f"/about/errors/#{kind.code}",
        "title": str(kind.title),
        "status": kind.status,
        "detail": in_words(detail),
        "code": kind.code,
    }
    if instance:
        members["instance"] = instance
    for name, value in (facts or {}).items():
        members.setdefault(name, value[:LONGEST_ECHO] if isinstance(value, str) else value)
    return members


def problem_of(error: RunproofError, *, instance: str = "") -> dict[str, Any]:
    """The members of a domain error; the parameter is named as the caller wrote it."""
    facts = dict(error.facts)
    if "parameter" not in facts:
        named = {"unknown-version": "version", "not-released-yet": "version"}
        parameter = named.get(error.code) or facts.get("axis")
        if parameter:
            facts["parameter"] = parameter
    return problem_members(error.code, str(error), facts=facts, instance=instance)


def problem_response(members: dict[str, Any]) -> HttpResponse:
    """The answer that carries a problem document."""
    response = HttpResponse(
        json_bytes(members), content_type=PROBLEM_TYPE, status=members["status"]
    )
    response["Cache-Control"] = "no-store"
    return response


def problem_details_handler(exc: Exception, context: dict[str, Any]) -> HttpResponse:
    """Turns anything a view raised into problem details; what nobody foresaw is logged."""
    request = context.get("request")
    instance = request.get_full_path()[:LONGEST_ECHO] if request is not None else ""
    set_rollback()
    if isinstance(exc, RunproofError):
        return problem_response(problem_of(exc, instance=instance))
    code, detail, facts, headers = _facts_of(exc, context)
    if code in ("server-error", "database-unavailable"):
        logger.error("unforeseen error at %s", instance, exc_info=exc)
    response = problem_response(problem_members(code, detail, facts=facts, instance=instance))
    for name, value in headers.items():
        response[name] = value
    return response


_Facts = tuple[str, str, dict[str, object], dict[str, str]]


def _facts_of(exc: Exception, context: Mapping[str, Any]) -> _Facts:
    """Code, sentence, facts and headers of an error of the framework."""
    request = context.get("request")
    if isinstance(exc, Http404):
        return "not-found", _not_found_sentence(request), {}, {}
    if isinstance(exc, PermissionDenied):
        return "permission-denied", Phrase("This account may not do that."), {}, {}
    if isinstance(exc, SuspiciousOperation):
        what = type(exc).__name__
        return "bad-request", Phrase("The request cannot be read: {what}.", what=what), {}, {}
    if isinstance(exc, exceptions.APIException):
        return _facts_of_api_error(exc, context)
    if isinstance(exc, (OperationalError, InterfaceError)):
        # A broken connection was never committed.
        detail = Phrase(
            "The database does not answer; nothing of the request was kept. Accepted: the same"
            " again in {seconds} s.",
            seconds=_DATABASE_BACK_S,
        )
        headers = {"Retry-After": str(_DATABASE_BACK_S)}
        return "database-unavailable", detail, {"retry_after_s": _DATABASE_BACK_S}, headers
    return "server-error", _SERVER_FAILED, {}, {}


def _not_found_sentence(request: Any) -> str:
    path = getattr(request, "path", "")
    return Phrase(
        "{path!r} leads to nothing; accepted: the addresses listed at /api/v1/.", path=path[:100]
    )


def _facts_of_api_error(exc: exceptions.APIException, context: Mapping[str, Any]) -> _Facts:
    request = context.get("request")
    view = context.get("view")
    if isinstance(exc, exceptions.MethodNotAllowed):
        allowed = ", ".join(getattr(view, "allowed_methods", ()))
        method = request.method if request else ""
        detail = Phrase(
            "{method} is not allowed here; accepted: {allowed}.", method=method, allowed=allowed
        )
        return "method-not-allowed", detail, {"value": getattr(request, "method", "")}, {}
    if isinstance(exc, exceptions.NotAcceptable):
        offered = ", ".join(str(r.media_type) for r in getattr(view, "renderer_classes", ()))
        header = str(getattr(request, "META", {}).get("HTTP_ACCEPT", ""))[:100]
        detail = Phrase(
            "The Accept header is {header!r}; accepted: {offered}.", header=header, offered=offered
        )
        return "not-acceptable", detail, {"parameter": "Accept", "value": header}, {}
    if isinstance(exc, exceptions.UnsupportedMediaType):
        taken = ", ".join(str(p.media_type) for p in getattr(view, "parser_classes", ()))
        header = str(getattr(request, "content_type", ""))[:100]
        detail = Phrase(
            "The body's media type is {header!r}; accepted: {taken}.", header=header, taken=taken
        )
        return "unsupported-media-type", detail, {"parameter": "Content-Type", "value": header}, {}
    if isinstance(exc, exceptions.Throttled):
        wait = max(1, int(getattr(exc, "wait", None) or 1))
        detail = Phrase(
            "The limit of requests is reached; accepted: the next one in {wait} s.", wait=wait
        )
        return "too-many-requests", detail, {"retry_after_s": wait}, {"Retry-After": str(wait)}
    if isinstance(exc, exceptions.ParseError):
        detail = Phrase("The body is no valid JSON: {detail}.", detail=exc.detail)
        return "malformed-json", detail, {}, {}
    return _facts_of_refusal(exc)


def _facts_of_refusal(exc: exceptions.APIException) -> _Facts:
    challenge = getattr(exc, "auth_header", None)
    headers = {"WWW-Authenticate": challenge} if challenge else {}
    if isinstance(exc, exceptions.NotAuthenticated):
        detail = Phrase(
            "No credentials were sent; accepted: a token as 'Authorization: Bearer rp_…'."
        )
        return "not-authenticated", detail, {}, headers
    if isinstance(exc, exceptions.AuthenticationFailed):
        return "invalid-token", str(exc.detail), {}, headers
    if isinstance(exc, exceptions.PermissionDenied):
        return "permission-denied", str(exc.detail), {}, {}
    if exc.status_code == status.HTTP_404_NOT_FOUND:
        return "not-found", str(exc.detail), {}, {}
    if exc.status_code >= status.HTTP_500_INTERNAL_SERVER_ERROR:
        return "server-error", _SERVER_FAILED, {}, {}
    return "bad-request", str(exc.detail)[:LONGEST_ECHO], {}, {}


@csrf_exempt
def unknown_path(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    """The answer for an address below ``/api/`` that no route takes."""
    members = problem_members(
        "not-found",
        _not_found_sentence(request),
        facts={"value": request.path},
        instance=request.get_full_path()[:LONGEST_ECHO],
    )
    return problem_response(members)


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer for an error below ``/api/`` outside any view, for use in ``handler500``."""
    members = problem_members(
        "server-error",
        _SERVER_FAILED,
        instance=request.get_full_path()[:LONGEST_ECHO],
    )
    return problem_response(members)


def answer_server_error(request: HttpRequest) -> HttpResponse:
    """``handler500`` of the whole site: a problem below ``/api/``, the error page elsewhere."""
    if request.path.startswith("/api/"):
        return server_error(request)
    return error_page(request)
