"""Claims as people write them: one in a body, or a whole file of lines."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request

from matrix.api import schemas
from matrix.api.base import Endpoint, today
from matrix.api.parsers import CSVBytes, NDJSONBytes
from matrix.api.permissions import MayWriteClaims
from matrix.api.renderers import json_bytes
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.errors import InvalidClaim, InvalidValue
from matrix.domain.phrases import Phrase
from matrix.entering.claims import DEFAULT_SOURCE, ClaimReader
from matrix.entering.importing import PERSON_PARSER, ImportSummary, Planned, import_lines
from matrix.entering.problems import BrokenEntry
from matrix.entering.wording import claim_sentence
from matrix.index import current_revision

# A body with evidence is written by a person; one with observations names everything by slug.
WRITTEN_SIGN = "evidence"


def is_written(payload: Any) -> bool:
    """Whether a body is a claim as people write it."""
    return isinstance(payload, Mapping) and WRITTEN_SIGN in payload


def read_written(payload: Mapping[str, Any], catalogue: Catalogue, *, actor: str) -> Claim:
    """The claim of a body that a person wrote. **Raises**: ``InvalidClaim`` with every problem."""
    reader = ClaimReader(catalogue, today=today())
    try:
        return reader.read(payload, parser=f"{PERSON_PARSER}:{actor}"[:120])
    except BrokenEntry as error:
        raise InvalidClaim(problems=[str(problem) for problem in error.problems[:50]]) from error


class ClaimImports(Endpoint):
    """Records many claims at once, all of them or none."""

    permission_classes = [MayWriteClaims]
    parser_classes = [NDJSONBytes, CSVBytes]

    accepted_with_body = ("dry_run", "source")

    @extend_schema(
        operation_id="claim_imports_create",
        request={
            NDJSONBytes.media_type: OpenApiTypes.STR,
            CSVBytes.media_type: OpenApiTypes.STR,
        },
        parameters=schemas.IMPORT_PARAMETERS,
        responses={200: schemas.ImportAnswer, 201: schemas.ImportAnswer,
                   422: schemas.InvalidImportProblem},
    )  # fmt: skip
    def post(self, request: Request) -> HttpResponse:
        """Records the lines of the body; with ``dry_run=1`` says only what it would do."""
        dry_run = _read_flag("dry_run", request.query_params.get("dry_run", ""))
        body: Any = request.data
        # Of an empty body the framework asks no parser, and an empty table is no import either.
        form, data = body or (_form_of(request), b"")
        summary = import_lines(
            data,
            form=form,
            actor=request.user.get_username(),
            source=_read_source(request.query_params.get("source", "")),
            dry_run=dry_run,
            name="The body",
        )
        return _answer(summary, dry_run=dry_run)


def _form_of(request: Request) -> str:
    """The form that the media type of a body names. **Raises**: ``UnsupportedMediaType``."""
    named = (request.content_type or "").partition(";")[0].strip().lower()
    for parser in (NDJSONBytes, CSVBytes):
        if parser.media_type == named:
            return parser.form
    raise UnsupportedMediaType(request.content_type or "")


def _read_flag(name: str, text: str) -> bool:
    if text not in ("", "0", "1", "true", "false"):
        raise InvalidValue(name=name, value=text, accepted=Phrase("1 or 0"))
    return text in ("1", "true")


def _read_source(text: str) -> str:
    if len(text) > 80 or not text.isprintable():
        raise InvalidValue(name="source", value=text[:80], accepted=Phrase("up to 80 characters"))
    return text.strip() or DEFAULT_SOURCE


def _answer(summary: ImportSummary, *, dry_run: bool) -> HttpResponse:
    plain = {
        "revision": current_revision(),
        "dry_run": dry_run,
        "lines": summary.lines,
        "new": _planned(summary.new),
        "superseding": _planned(summary.superseding),
        "unchanged": summary.unchanged,
        "withdrawn": summary.withdrawn,
    }
    recorded = bool(summary.planned()) and not dry_run
    response = HttpResponse(
        json_bytes(plain), content_type="application/json", status=201 if recorded else 200
    )
    response["Cache-Control"] = "no-store"
    return response


def _planned(planned: Sequence[Planned]) -> list[dict[str, Any]]:
    return [
        {
            "line": item.line,
            "uid": item.claim.uid,
            "reads": claim_sentence(item.claim),
            "ends": item.ends.uid if item.ends else None,
        }
        for item in planned
    ]
