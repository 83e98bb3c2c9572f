"""What all endpoints share: who may call, which parameters they take, how they answer."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.utils.translation import get_language
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.views import APIView

from matrix.api.authentication import BearerToken
from matrix.api.negotiation import AcceptHeader
from matrix.api.openapi import ProblemSchema
from matrix.api.pagination import PAGE_PARAMETERS
from matrix.api.parsers import StrictJSON
from matrix.api.permissions import MayRead
from matrix.api.renderers import PlainJSON, json_bytes
from matrix.api.throttles import RequestRate
from matrix.asking import QuestionReader, RepeatedParameter, UnknownParameter
from matrix.domain.levels import Axis
from matrix.domain.verdict_values import RULESET_VERSION
from matrix.index import Knowledge, current_knowledge
from matrix.queries import words_of_axis

# Raised whenever the form of any answer changes, so that no client keeps an answer of an old form.
ANSWER_FORM = "1"


def today() -> date:
    """The last day that can be asked for. **Dates**: UTC."""
    return timezone.now().date()


def question_reader(knowledge: Knowledge) -> QuestionReader:
    """Reads questions against the current knowledge."""

    def words(axis: Axis) -> frozenset[str]:
        return words_of_axis(knowledge, axis)

    return QuestionReader(knowledge.catalogue, today=today(), words_of_axis=words)


def entity_tag(parts: Iterable[object]) -> str:
    """A strong entity tag of everything that an answer depends on."""
    text = "\x1f".join([ANSWER_FORM, RULESET_VERSION, get_language() or "", *map(str, parts)])
    return f'"{hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]}"'


def is_known(request: Request | HttpRequest, tag: str) -> bool:
    """Whether the client holds the answer already."""
    header = request.META.get("HTTP_IF_NONE_MATCH")
    if not header:
        return False
    tags = [known.removeprefix("W/") for known in parse_etags(header)]
    return tag in tags or tags == ["*"]


class Endpoint(APIView):
    """Base of all endpoints.

    ``accepted`` lists the query parameters; any other one, or a second value of one that takes
    one value, is refused before anything is read.
    """

    authentication_classes = [BearerToken, SessionAuthentication]
    permission_classes = [MayRead]
    throttle_classes = [RequestRate]
    renderer_classes = [PlainJSON]
    parser_classes = [StrictJSON]
    content_negotiation_class = AcceptHeader
    schema = ProblemSchema()

    accepted: tuple[str, ...] = ()
    # Those that a request with a body may carry in its address.
    accepted_with_body: tuple[str, ...] = ()
    repeatable: frozenset[str] = frozenset()

    def accepted_parameters(self) -> Sequence[str]:
        """The query parameters of this endpoint."""
        return self.accepted

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Checks the caller, then the names of the parameters."""
        super().initial(request, *args, **kwargs)
        if not hasattr(self, (request.method or "").lower()):
            # The method itself is wrong, which is answered next and matters more.
            return
        reads = request.method in ("GET", "HEAD")
        accepted = self.accepted_parameters() if reads else self.accepted_with_body
        check_parameters(request.query_params, accepted=accepted, repeatable=self.repeatable)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Adds what every answer says: request limits, and what it varies with."""
        response = super().finalize_response(request, response, *args, **kwargs)
        return say_limits(request, response)

    def answer(
        self,
        request: Request,
        build: Callable[[], Any],
        *,
        depends_on: Sequence[object],
        content_type: str = "application/json",
    ) -> HttpResponse:
        """The built answer, or 304 when the client holds what depends on the same things."""
        return answer_unless_known(
            request,
            lambda tag: json_bytes(build()),
            depends_on=depends_on,
            content_type=content_type,
        )


def check_parameters(
    given: QueryDict, *, accepted: Sequence[str], repeatable: frozenset[str]
) -> None:
    """Returns when the names are fine.

    **Raises**: ``UnknownParameter``; ``RepeatedParameter`` for a second value of one.
    """
    for name, values in given.lists():
        if name not in accepted:
            raise UnknownParameter(name=name, accepted=accepted)
        if len(values) > 1 and name not in repeatable:
            raise RepeatedParameter(name=name, values=values)


def say_limits(request: Request | HttpRequest, response: Any) -> Any:
    """The response with the request limits and with what every answer varies with."""
    rate = request.META.get("runproof.rate")
    if rate is not None:
        for name, value in rate.headers().items():
            response[name] = value
    patch_vary_headers(response, ("Accept", "Authorization"))
    return response


def answer_unless_known(
    request: Request | HttpRequest,
    build: Callable[[str], bytes],
    *,
    depends_on: Sequence[object],
    content_type: str = "application/json",
) -> HttpResponse:
    """The answer built for an entity tag, or 304 when the client holds that answer."""
    tag = entity_tag([request.path, *depends_on])
    if is_known(request, tag):
        response = HttpResponse(status=304)
    else:
        response = HttpResponse(build(tag), content_type=content_type)
    return mark_cacheable(response, tag)


def mark_cacheable(response: Any, tag: str) -> Any:
    """The response with its entity tag; kept by clients, but asked for again each time."""
    response["ETag"] = tag
    response["Cache-Control"] = "no-cache"
    return response


def sorted_query(request: Request) -> str:
    """The query in one order, as part of an entity tag."""
    return repr(sorted((name, tuple(v)) for name, v in request.query_params.lists()))


class KnowledgeEndpoint(Endpoint):
    """Base of endpoints that answer from the knowledge in memory."""

    paged = False

    def accepted_parameters(self) -> Sequence[str]:
        """Its own parameters, and those of paging."""
        return (*self.accepted, *(PAGE_PARAMETERS if self.paged else ()))

    def knowledge_answer(
        self, request: Request, build: Callable[[Knowledge, QuestionReader], Mapping[str, Any]]
    ) -> HttpResponse:
        """An answer that depends on the revision, the day and the query. **Queries**: 1."""
        knowledge = current_knowledge()
        reader = question_reader(knowledge)
        return self.answer(
            request,
            lambda: build(knowledge, reader),
            depends_on=[knowledge.revision, reader.today, sorted_query(request),
                        request.get_host()],
        )  # fmt: skip
