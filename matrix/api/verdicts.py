"""The question: one cell, a list over one axis, or a batch of cells."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.urls import get_script_prefix, get_urlconf, reverse
from drf_spectacular.utils import (
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework.request import Request

from matrix.api import schemas
from matrix.api.base import (
    Endpoint,
    KnowledgeEndpoint,
    answer_unless_known,
    check_parameters,
    question_reader,
)
from matrix.api.errors import MalformedJSON, TooLargeError, problem_of
from matrix.api.kept import KeptAnswers
from matrix.api.pagination import PAGE_PARAMETERS, page_of
from matrix.api.renderers import NDJSON_TYPE, LinesOfJSON, PageForBrowsers, PlainJSON, json_bytes
from matrix.asking import (
    QUESTION_PARAMETERS,
    REPEATABLE,
    MissingParameter,
    Over,
    Question,
    QuestionReader,
    UnknownParameter,
    question_query,
)
from matrix.domain.errors import InvalidValue, RunproofError
from matrix.domain.phrases import Phrase
from matrix.domain.sharing import SharedLegs
from matrix.domain.verdict_values import RULESET_VERSION
from matrix.index import Knowledge, current_knowledge
from matrix.queries import axis_values, summary_plain, verdict_plain, verdicts_over, with_axis

MOST_CELLS = 10_000


@dataclass(frozen=True, slots=True)
class Paths:
    """Where answers and their pages are; looked up once for many cells."""

    verdicts: str
    page: str

    def links(self, question: Question) -> dict[str, str]:
        """The answer with its dates pinned, as data and as a page."""
        query = question_query(question)
        return {"self": f"{self.verdicts}?{query}", "page": f"{self.page}?{query}"}


def known_paths() -> Paths:
    """The paths of this installation, as the present request sees them."""
    return _paths_under(get_script_prefix(), get_urlconf() or settings.ROOT_URLCONF)


@lru_cache(maxsize=8)
def _paths_under(script_prefix: str, urlconf: str) -> Paths:
    return Paths(verdicts=reverse("api-verdicts"), page=reverse("cell"))


def answer_plain(
    knowledge: Knowledge, question: Question, paths: Paths, shared: SharedLegs | None = None
) -> dict[str, Any]:
    """The verdict of a question with links to itself and to its page."""
    verdict = knowledge.index.verdict_for(
        question.cell, as_of=question.as_of, known_at=question.known_at, shared=shared
    )
    plain = verdict_plain(verdict, knowledge.catalogue, known_at=question.known_at)
    plain["links"] = paths.links(question)
    return plain


def short_plain(
    knowledge: Knowledge, question: Question, paths: Paths, shared: SharedLegs | None = None
) -> dict[str, Any]:
    """The verdict of a question without its reasons, with the same links."""
    verdict = knowledge.index.verdict_for(
        question.cell, as_of=question.as_of, known_at=question.known_at, shared=shared
    )
    return {**summary_plain(verdict), "links": paths.links(question)}


# How much a batch says of each cell.
_DETAILS = {"full": answer_plain, "summary": short_plain}


_kept = KeptAnswers()


def answer_cell(request: HttpRequest) -> HttpResponse:
    """What ``Verdicts`` answers as JSON to a question about one cell, without its dispatch.

    The caller has checked the caller's rights and counted the request.
    **Raises**: what reading a question raises.
    """
    words = request.GET
    check_parameters(words, accepted=Verdicts.accepted, repeatable=Verdicts.repeatable)
    knowledge = current_knowledge()
    question = question_reader(knowledge).read(dict(words.lists()))

    def build() -> bytes:
        return json_bytes(answer_plain(knowledge, question, known_paths()))

    return answer_unless_known(
        request,
        lambda tag: _kept.get(knowledge, tag, build),
        depends_on=[knowledge.revision, question_query(question), "", {}],
    )


class Verdicts(KnowledgeEndpoint):
    """The verdict of one cell, or verdicts over one axis that is left open."""

    accepted = (*QUESTION_PARAMETERS, *PAGE_PARAMETERS)
    repeatable = REPEATABLE
    renderer_classes = [PlainJSON, PageForBrowsers]

    @extend_schema(
        operation_id="verdicts_retrieve",
        parameters=schemas.QUESTION_DOCS,
        responses={
            200: PolymorphicProxySerializer(
                component_name="VerdictOrList",
                serializers=[schemas.VerdictAnswer, schemas.VerdictList],
                resource_type_field_name=None,
            ),
            303: OpenApiResponse(description="A browser is sent to the page of the cell."),
            304: OpenApiResponse(description="The client's answer is still good."),
        },
        examples=schemas.VERDICT_EXAMPLES,
    )
    def get(self, request: Request) -> HttpResponse:
        """The verdict of a cell with its reasons; with ``over``, short verdicts page by page.

        A browser, which prefers HTML, is sent to the page of the cell.
        """
        knowledge = current_knowledge()
        reader = question_reader(knowledge)
        paging = {name: v for name, v in request.query_params.lists() if name in PAGE_PARAMETERS}
        words = {n: v for n, v in request.query_params.lists() if n not in PAGE_PARAMETERS}
        question = reader.read(words)
        if paging and question.over is None:
            raise UnknownParameter(name=next(iter(paging)), accepted=QUESTION_PARAMETERS)
        query = question_query(question)
        if request.accepted_renderer.format == "html" and question.over is None:
            redirect = HttpResponseRedirect(f"{known_paths().page}?{query}")
            redirect.status_code = 303
            return redirect
        return self.answer(
            request,
            lambda: self._build(request, knowledge, question),
            depends_on=[knowledge.revision, query, request.get_host() if paging else "", paging],
        )

    def _build(self, request: Request, knowledge: Knowledge, question: Question) -> Any:
        if question.over is None:
            return answer_plain(knowledge, question, known_paths())
        return list_plain(request, knowledge, question, question.over)


def list_plain(
    request: Request, knowledge: Knowledge, question: Question, over: Over
) -> dict[str, Any]:
    """A page of short verdicts over an axis."""
    values = axis_values(knowledge.catalogue, question, over)
    page = page_of(request, values, keys=values)
    paths = known_paths()
    results = []
    for value, verdict in verdicts_over(knowledge, question, axis=over.axis, values=page.items):
        here = Question(
            cell=with_axis(question.cell, over.axis, value),
            as_of=question.as_of,
            known_at=question.known_at,
        )
        results.append({"value": value, **summary_plain(verdict), "links": paths.links(here)})
    return {
        "over": over.axis,
        "kind": over.kind or None,
        "parent": over.parent or None,
        "as_of": question.as_of.isoformat(),
        "known_at": question.known_at.isoformat() if question.known_at else None,
        "revision": knowledge.revision,
        "ruleset": RULESET_VERSION,
        "count": len(values),
        "next": page.next,
        "previous": page.previous,
        "results": results,
    }


# -- batch --------------------------------------------------------------------------------------

_BATCH_MEMBERS = ("cells", "as_of", "known_at", "detail")


class VerdictBatch(Endpoint):
    """Verdicts of up to 10,000 cells in one request."""

    renderer_classes = [LinesOfJSON]

    @extend_schema(
        operation_id="verdicts_batch",
        request=schemas.BatchRequest,
        responses={(200, NDJSON_TYPE): schemas.BatchLine},
        examples=schemas.BATCH_EXAMPLES,
    )
    def post(self, request: Request) -> StreamingHttpResponse:
        """One line a cell, in order: its verdict, or the problem with it.

        A wrong cell does not stop the others; a wrong body is refused as a whole.
        """
        body = _batch_body(request.data)
        knowledge = current_knowledge()
        reader = question_reader(knowledge)
        common = {name: body[name] for name in ("as_of", "known_at") if body.get(name) is not None}
        for name, value in common.items():
            if not isinstance(value, str):
                raise InvalidValue(
                    name=name, value=f"a {type(value).__name__}", accepted=Phrase("a day as text")
                )
            reader.read_day(name, value)
        detail = body.get("detail") or "full"
        if not isinstance(detail, str) or detail not in _DETAILS:
            raise InvalidValue(
                name="detail",
                value=detail if isinstance(detail, str) else f"a {type(detail).__name__}",
                accepted=Phrase("one of {names}", names=", ".join(_DETAILS)),
            )
        answer = partial(_DETAILS[detail], knowledge, paths=known_paths(), shared=SharedLegs())
        lines = _batch_lines(answer, reader, body["cells"], common)
        response = StreamingHttpResponse(lines, content_type=NDJSON_TYPE)
        response["Cache-Control"] = "no-store"
        return response


def _batch_body(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise MalformedJSON(
            Phrase('it is not an object such as {{"cells": [{{"framework": "vllm"}}]}}')
        )
    for name in body:
        if name not in _BATCH_MEMBERS:
            raise UnknownParameter(name=name, accepted=_BATCH_MEMBERS)
    if "cells" not in body:
        raise MissingParameter(name="cells", accepted=Phrase("a list of cells"))
    cells = body["cells"]
    if not isinstance(cells, list):
        raise InvalidValue(
            name="cells", value=type(cells).__name__, accepted=Phrase("a list of cells")
        )
    if len(cells) > MOST_CELLS:
        raise TooLargeError(
            what=Phrase("cells"),
            seen=f"a list of {len(cells)}",
            accepted=Phrase("at most {most_cells} cells", most_cells=MOST_CELLS),
        )
    return body


def _batch_lines(
    answer: Callable[[Question], dict[str, Any]],
    reader: QuestionReader,
    cells: list[Any],
    common: Mapping[str, str],
) -> Iterator[bytes]:
    for index, cell in enumerate(cells):
        line: dict[str, Any] = {"index": index}
        try:
            question = reader.read(cell_to_words(cell, common), accepted=_CELL_MEMBERS)
            line["verdict"] = answer(question)
        except RunproofError as error:
            line["problem"] = problem_of(error)
        yield json_bytes(line) + b"\n"


_CELL_MEMBERS = tuple(
    name for name in QUESTION_PARAMETERS if name not in ("over", "kind", "parent")
)


def cell_to_words(cell: Any, common: Mapping[str, str]) -> dict[str, list[str]]:
    """The parameters that a cell of a batch stands for; ``null`` leaves an axis open.

    ``feature`` takes a text or a list, ``setting`` a list or an object, numbers may be numbers.
    """
    if not isinstance(cell, dict):
        raise InvalidValue(
            name="cell", value=type(cell).__name__, accepted=Phrase("an object of parameters")
        )
    words: dict[str, list[str]] = {name: [value] for name, value in common.items()}
    for name, value in cell.items():
        if name not in _CELL_MEMBERS:
            raise UnknownParameter(name=name, accepted=_CELL_MEMBERS)
        if value is not None:
            words[name] = _texts(name, value)
    return words


def _texts(name: str, value: Any) -> list[str]:
    if isinstance(value, bool) or (isinstance(value, dict) and name != "setting"):
        raise InvalidValue(name=name, value=type(value).__name__, accepted=Phrase("text"))
    if isinstance(value, int):
        # A number of thousands of digits would take long to write out.
        return [str(value)] if abs(value) < 10**12 else ["a huge number"]
    if name == "setting" and isinstance(value, dict):
        if not all(isinstance(v, str) and ":" not in k for k, v in value.items()):
            raise InvalidValue(
                name=name,
                value="an object",
                accepted=Phrase("an object of texts without ':' in a name"),
            )
        return [f"{key}:{text}" for key, text in value.items()]
    if name in REPEATABLE and isinstance(value, list):
        return value
    return [value]
