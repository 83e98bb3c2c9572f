"""Can I run it? Every framework's answer as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from matrix.api.base import KnowledgeEndpoint, answer_unless_known, question_reader
from matrix.api.errors import MalformedJSON
from matrix.api.renderers import PageForBrowsers, PlainJSON, json_bytes
from matrix.api.schemas.checks import CHECK_DOCS, CHECK_EXAMPLES, CheckReply, CheckRequest
from matrix.asking import QuestionReader, UnknownParameter, cell_words
from matrix.checking import (
    CHECK_PARAMETERS,
    CHECK_REPEATABLE,
    CheckQuestion,
    FrameworkAnswer,
    answer_check,
    check_pairs,
    measure,
    read_check,
)
from matrix.checking.plain import answer_plain, check_plain
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge, current_knowledge
from matrix.memory_files import check_config
from matrix.pages.check import answer_sentence
from matrix.pages.links import cell_url, dated, with_query

_BODY_MEMBERS = (*CHECK_PARAMETERS, "config")


class Checks(KnowledgeEndpoint):
    """Whether a model runs on a hardware, for all frameworks side by side."""

    accepted = CHECK_PARAMETERS
    repeatable = CHECK_REPEATABLE
    renderer_classes = [PlainJSON, PageForBrowsers]

    @extend_schema(
        operation_id="checks_retrieve",
        parameters=CHECK_DOCS,
        responses={
            200: CheckReply,
            303: OpenApiResponse(description="A browser is sent to the page of the check."),
            304: OpenApiResponse(description="The client's answer is still good."),
        },
        examples=CHECK_EXAMPLES,
    )
    def get(self, request: Request) -> HttpResponse:
        """Every framework's verdict, memory fit, nearest runs, and what would have to change.

        A browser, which prefers HTML, is sent to the page of the check.
        """
        knowledge = current_knowledge()
        reader = question_reader(knowledge)
        question = read_check(reader, dict(request.query_params.lists()))
        if request.accepted_renderer.format == "html":
            redirect = HttpResponseRedirect(with_query(reverse("check"), check_pairs(question)))
            redirect.status_code = 303
            return redirect
        return _reply(request, knowledge, reader, question)

    @extend_schema(
        operation_id="checks_config",
        request=CheckRequest,
        responses={200: CheckReply},
    )
    def post(self, request: Request) -> HttpResponse:
        """The same for a model that its ``config.json`` describes; nothing of it is kept."""
        knowledge = current_knowledge()
        reader = question_reader(knowledge)
        words, config = _body_words(request.data)
        question = read_check(reader, words, config=config)
        response = _reply(request, knowledge, reader, question)
        response["Cache-Control"] = "no-store"
        return response


def _reply(
    request: Request | HttpRequest,
    knowledge: Knowledge,
    reader: QuestionReader,
    question: CheckQuestion,
) -> HttpResponse:
    """The answer; it depends on runs that come and go, so its tag is made of what it says."""
    answer = answer_check(knowledge, reader, question)
    results = [_result(knowledge, question, one) for one in answer.answers]
    plain = check_plain(answer, results)
    pairs = check_pairs(question)
    plain["links"] = {
        "self": with_query(reverse("api-checks"), pairs),
        "page": with_query(reverse("check"), pairs),
    }
    body = json_bytes(plain)
    return answer_unless_known(request, lambda _tag: body, depends_on=[body.decode()])


def _result(
    knowledge: Knowledge, question: CheckQuestion, answer: FrameworkAnswer
) -> dict[str, Any]:
    cell = question.of(answer.framework).cell
    verdicts = dated(cell_words(cell), as_of=question.as_of, known_at=question.known_at)
    return answer_plain(
        answer,
        measure(answer, question),
        sentence=answer_sentence(knowledge, question, answer),
        links={
            "verdict": with_query(reverse("api-verdicts"), verdicts),
            "page": cell_url(cell, as_of=question.as_of, known_at=question.known_at),
        },
    )


def _body_words(body: Any) -> tuple[dict[str, list[str]], Mapping[str, object] | None]:
    """The parameters of a body and the config in it; ``null`` asks nothing."""
    if not isinstance(body, dict):
        raise MalformedJSON(Phrase('it is not an object such as {{"model": "Qwen/Qwen3-32B"}}'))
    words: dict[str, list[str]] = {}
    config = None
    for name, value in body.items():
        if name not in _BODY_MEMBERS:
            raise UnknownParameter(name=name, accepted=_BODY_MEMBERS)
        if value is None:
            continue
        if name == "config":
            config = check_config(value)
        else:
            words[name] = _texts(name, value)
    return words, config


def _texts(name: str, value: Any) -> list[str]:
    values: Sequence[Any] = [value]
    if name in CHECK_REPEATABLE and isinstance(value, list):
        values = value
    found = []
    for item in values:
        number = isinstance(item, int | float) and not isinstance(item, bool)
        if not isinstance(item, str) and not number:
            raise InvalidValue(name=name, value=f"a {type(item).__name__}", accepted=Phrase("text"))
        # A whole number may be too large for a float; a long one is refused by its length.
        found.append(f"{item:.12g}" if isinstance(item, float) else str(item)[:20])
    return found
