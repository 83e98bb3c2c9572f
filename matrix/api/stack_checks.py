"""Checks a lock file or an image for a model and a hardware."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from matrix.api.base import Endpoint, question_reader
from matrix.api.errors import MalformedJSON
from matrix.api.renderers import json_bytes
from matrix.api.schemas.checks import STACK_EXAMPLES, StackCheckReply, StackCheckRequest
from matrix.asking import UnknownParameter
from matrix.checking.plain import verdict_plain_in_short
from matrix.checking.stacks import StackAnswer, check_stack
from matrix.domain.check_stack import StackFinding
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.domain.verdict_values import RULESET_VERSION
from matrix.index import Knowledge, current_knowledge
from matrix.pages.check_stack import ANSWER_SENTENCES, finding_sentence
from matrix.pages.links import cell_url

_TEXTS = ("requirements", "image", "model", "quantization", "hardware", "as_of")
_MEMBERS = (*_TEXTS, "count", "feature")


class StackChecks(Endpoint):
    """Which parts of a stack are known to work, or to break."""

    @extend_schema(
        operation_id="stack_checks_create",
        request=StackCheckRequest,
        responses={200: StackCheckReply},
        examples=STACK_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponse:
        """The weakest finding is the answer: works, conditional, unknown or breaks.

        Nothing of the body is kept.
        """
        texts = _body(request.data)
        knowledge = current_knowledge()
        words = {
            name: values
            for name, values in texts.items()
            if name not in ("requirements", "image") and values
        }
        answer = check_stack(
            knowledge,
            question_reader(knowledge),
            requirements=texts["requirements"][0] if "requirements" in texts else "",
            image=texts["image"][0] if "image" in texts else "",
            words=words,
        )
        response = HttpResponse(
            json_bytes(_plain(knowledge, answer)), content_type="application/json"
        )
        response["Cache-Control"] = "no-store"
        return response


def _body(body: Any) -> dict[str, list[str]]:
    if not isinstance(body, dict):
        raise MalformedJSON(
            Phrase('it is not an object such as {{"requirements": "vllm==0.11.0"}}')
        )
    found: dict[str, list[str]] = {}
    for name, value in body.items():
        if name not in _MEMBERS:
            raise UnknownParameter(name=name, accepted=_MEMBERS)
        if value is None:
            continue
        if name == "feature" and isinstance(value, list):
            found[name] = [_text(name, item) for item in value]
        elif name == "count" and isinstance(value, int) and not isinstance(value, bool):
            found[name] = [str(value)[:20]]
        else:
            found[name] = [_text(name, value)]
    return found


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidValue(name=name, value=f"a {type(value).__name__}", accepted=Phrase("text"))
    return value


def _plain(knowledge: Knowledge, answer: StackAnswer) -> dict[str, Any]:
    return {
        "answer": answer.answer.value,
        "sentence": str(ANSWER_SENTENCES[answer.answer]),
        "frameworks": [
            {
                "framework": one.slug,
                "version": one.version,
                "found_as": one.found_as,
                "verdict": verdict_plain_in_short(one.answer.verdict) if one.answer else None,
                "page": cell_url(one.answer.verdict.cell, as_of=answer.as_of)
                if one.answer
                else None,
            }
            for one in answer.frameworks
        ],
        "findings": [_finding_plain(knowledge, finding) for finding in answer.findings],
        "packages_read_count": len(answer.stack.packages),
        "left_out": [
            {"line": one.line, "text": one.text, "code": one.code} for one in answer.stack.left_out
        ],
        "as_of": answer.as_of.isoformat(),
        "revision": answer.revision,
        "ruleset": RULESET_VERSION,
    }


def _finding_plain(knowledge: Knowledge, finding: StackFinding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "answer": finding.answer.value,
        "subject": finding.subject.value,
        "name": finding.name,
        "seen": finding.seen,
        "wanted": finding.wanted,
        "line": finding.line,
        "sentence": finding_sentence(knowledge.catalogue, finding),
        "evidence": [
            {"claim": one.claim or None, "url": one.url or None, "text": one.text}
            for one in finding.evidence
        ],
    }
