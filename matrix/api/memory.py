"""How much memory a model takes where: an estimate with its formulas, sources and fit."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from matrix.api.base import KnowledgeEndpoint, question_reader
from matrix.api.errors import MalformedJSON
from matrix.api.renderers import json_bytes
from matrix.api.schemas.memory import (
    MEMORY_DOCS,
    MemoryEstimateAnswer,
    MemoryEstimateRequest,
)
from matrix.api.schemas.memory_examples import MEMORY_EXAMPLES
from matrix.asking import QuestionReader, UnknownParameter
from matrix.domain.errors import InvalidValue
from matrix.domain.memory.estimate import estimate_memory
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge, current_knowledge
from matrix.memory_asking import (
    MEMORY_PARAMETERS,
    MemoryQuestion,
    memory_query,
    read_memory_question,
)
from matrix.memory_files import check_config, read_head_text
from matrix.memory_plain import estimate_plain, warning_plain

_FILES = ("config", "gguf_head")
_MEMBERS = (*MEMORY_PARAMETERS, *_FILES)


class MemoryEstimates(KnowledgeEndpoint):
    """The memory of a model in a scheme under an engine on devices."""

    accepted = MEMORY_PARAMETERS

    @extend_schema(
        operation_id="memory_estimates_retrieve",
        parameters=MEMORY_DOCS,
        responses={
            200: MemoryEstimateAnswer,
            304: OpenApiResponse(description="The client's answer is still good."),
        },
        examples=MEMORY_EXAMPLES,
    )
    def get(self, request: Request) -> HttpResponse:
        """The estimate for a model of the catalogue: four parts, one device, the fit."""
        words = dict(request.query_params.lists())

        def build(knowledge: Knowledge, reader: QuestionReader) -> Mapping[str, Any]:
            return answer_plain(knowledge, read_memory_question(words, reader))

        return self.knowledge_answer(request, build)

    @extend_schema(
        operation_id="memory_estimates_create",
        request=MemoryEstimateRequest,
        responses={200: MemoryEstimateAnswer},
        examples=MEMORY_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponse:
        """The estimate for a model of the catalogue, a ``config.json`` or a GGUF file's head.

        Nothing of the body is kept.
        """
        words, config, head = body_words(request.data)
        knowledge = current_knowledge()
        question = read_memory_question(
            words, question_reader(knowledge), config=config, gguf_head=head
        )
        response = HttpResponse(
            json_bytes(answer_plain(knowledge, question)), content_type="application/json"
        )
        response["Cache-Control"] = "no-store"
        return response


def answer_plain(knowledge: Knowledge, question: MemoryQuestion) -> dict[str, Any]:
    """The estimate of a question with what was taken for what, its day and its links."""
    estimate = estimate_memory(question.request)
    plain = estimate_plain(estimate)
    plain |= {
        "framework": question.framework or None,
        "version": question.version or None,
        "hardware": question.hardware or None,
        "hardware_count": question.count,
        "notes": [warning_plain(code, facts) for code, facts in question.notes],
        "as_of": question.as_of.isoformat(),
        "revision": knowledge.revision,
        "links": _links(question),
    }
    return plain


def _links(question: MemoryQuestion) -> dict[str, str | None]:
    """The same question again, as data and as a page; a pasted file has no address."""
    if not question.model:
        return {"self": None, "page": None}
    query = memory_query(question)
    return {
        "self": f"{reverse('api-memory-estimates')}?{query}",
        "page": f"{reverse('memory')}?{query}",
    }


def body_words(
    body: Any,
) -> tuple[dict[str, list[str]], Mapping[str, object] | None, bytes | None]:
    """The words of a body, and the model file in it, if any.

    **Raises**: MalformedJSON, UnknownParameter, InvalidValue, MemoryInputError.
    """
    if not isinstance(body, dict):
        raise MalformedJSON(Phrase('it is not an object such as {{"model": "Qwen/Qwen3-32B"}}'))
    words: dict[str, list[str]] = {}
    for name, value in body.items():
        if name not in _MEMBERS:
            raise UnknownParameter(name=name, accepted=_MEMBERS)
        if name not in _FILES and value is not None:
            words[name] = [_text(name, value)]
    config, head = body.get("config"), body.get("gguf_head")
    if head is not None and not isinstance(head, str):
        raise InvalidValue(
            name="gguf_head", value=type(head).__name__, accepted=Phrase("base64 text")
        )
    return (
        words,
        None if config is None else check_config(config),
        None if head is None else read_head_text(head),
    )


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        # A number of thousands of digits would take long to write out.
        return str(value) if abs(value) < 10**12 else "a huge number"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return value
    raise InvalidValue(name=name, value=type(value).__name__, accepted=Phrase("a text or a number"))
