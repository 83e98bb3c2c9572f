"""Claims: read by anyone who may read, recorded, superseded and withdrawn by curators."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from matrix.api import schemas
from matrix.api.base import Endpoint, KnowledgeEndpoint, question_reader
from matrix.api.claim_imports import is_written, read_written
from matrix.api.claim_input import flat_problems, read_claim
from matrix.api.errors import ConflictError, MalformedJSON, NoSuchThing
from matrix.api.permissions import MayWriteClaims
from matrix.api.renderers import json_bytes
from matrix.api.tables import TableEndpoint, checked_day, checked_name, one_of
from matrix.asking import QuestionReader
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim as ClaimValue
from matrix.domain.errors import InvalidClaim, InvalidValue
from matrix.domain.phrases import Phrase
from matrix.filters import ClaimFilters
from matrix.index import Knowledge, current_knowledge
from matrix.models import Claim
from matrix.queries.claims import (
    claim_detail_plain,
    claim_plain,
    claim_sources,
    claim_with_evidence,
    listed_claims,
)
from matrix.services import record_claim, supersede_claim, withdraw_claim


def _check_source(reader: QuestionReader, catalogue: Catalogue, value: str) -> str:
    return one_of("source", claim_sources(), value)


class ClaimList(TableEndpoint):
    """Claims without their observations; a curator records a new one."""

    permission_classes = [MayWriteClaims]
    filterset_class = ClaimFilters
    page_ordering = ("uid",)
    checks = {
        "framework": checked_name("framework"),
        "model": checked_name("model"),
        "quantization": checked_name("quantization"),
        "hardware": checked_name("hardware"),
        "backend": checked_name("backend"),
        "feature": checked_name("feature"),
        "source": _check_source,
        "as_of": checked_day("as_of"),
        "known_at": checked_day("known_at"),
    }

    def get_queryset(self) -> Any:
        """All claims, ended ones included."""
        return listed_claims()

    @schemas.table_schema("claims_list", schemas.Claim)
    def get(self, request: Request) -> HttpResponse:
        """A page of claims."""

        def build(knowledge: Knowledge, rows: Sequence[Claim]) -> list[Any]:
            return [claim_plain(row) for row in rows]

        return self.table_answer(request, build)

    @extend_schema(
        operation_id="claims_record",
        request=schemas.CLAIM_BODY,
        responses={201: schemas.ClaimDetail, 409: schemas.ConflictProblem,
                   422: schemas.InvalidClaimProblem},
        examples=schemas.WRITTEN_EXAMPLES,
    )  # fmt: skip
    def post(self, request: Request) -> HttpResponse:
        """Records a claim with its evidence."""
        actor = request.user.get_username()
        claim = _read_claim(request.data, actor=actor)
        try:
            row = record_claim(claim, actor=actor)
        except InvalidValue as error:
            raise _conflict(error) from error
        return _written(row.uid, status=201)


class ClaimOne(KnowledgeEndpoint):
    """One claim with every observation."""

    @extend_schema(operation_id="claims_retrieve", responses=schemas.ClaimDetail)
    def get(self, request: Request, uid: str) -> HttpResponse:
        """The claim, its evidence and its place in the record."""

        def build(knowledge: Knowledge, reader: QuestionReader) -> dict[str, Any]:
            row = find_claim(uid)
            return {"revision": knowledge.revision, **claim_detail_plain(row)}

        return self.knowledge_answer(request, build)


def _read_claim(payload: Any, *, actor: str) -> ClaimValue:
    """The claim of a body in either form. **Raises**: ``InvalidClaim`` with every problem."""
    knowledge = current_knowledge()
    if is_written(payload):
        return read_written(payload, knowledge.catalogue, actor=actor)
    return read_claim(payload, question_reader(knowledge), actor=actor)


def find_claim(uid: str) -> Claim:
    """The claim with its evidence. **Raises**: ``NoSuchThing``."""
    row = claim_with_evidence(uid) if uid.isprintable() and len(uid) <= 64 else None
    if row is None:
        raise NoSuchThing(what=Phrase("claim"), value=uid)
    return row


def _conflict(error: InvalidValue) -> Exception:
    """Services report the state of the record as a value of ``claim``; that is a conflict."""
    return ConflictError(str(error)) if error.facts.get("parameter") == "claim" else error


def _written(uid: str, *, status: int) -> HttpResponse:
    plain = {"revision": current_knowledge().revision, **claim_detail_plain(find_claim(uid))}
    response = HttpResponse(json_bytes(plain), content_type="application/json", status=status)
    response["Cache-Control"] = "no-store"
    if status == 201:
        response["Location"] = reverse("api-claim", args=[uid])
    return response


def _checked(form: Any) -> dict[str, Any]:
    if not isinstance(form.initial_data, dict):
        raise MalformedJSON(Phrase("it is not an object"))
    if not form.is_valid():
        raise InvalidClaim(problems=list(flat_problems(form.errors))[:50])
    return dict(form.validated_data)


class ClaimSupersede(Endpoint):
    """Ends a claim by a new one."""

    permission_classes = [MayWriteClaims]

    @extend_schema(
        operation_id="claims_supersede",
        request=schemas.SUPERSEDE_BODY,
        responses={201: schemas.ClaimDetail, 409: schemas.ConflictProblem,
                   422: schemas.InvalidClaimProblem},
    )  # fmt: skip
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Records the new claim and marks the old one as superseded by it."""
        body: Any = request.data
        written = isinstance(body, dict) and is_written(body.get("claim"))
        form = schemas.WrittenSupersedeInput if written else schemas.SupersedeInput
        given = _checked(form(data=body))
        find_claim(uid)
        actor = request.user.get_username()
        claim = _read_claim(body["claim"], actor=actor)
        try:
            row = supersede_claim(uid, claim, actor=actor, reason=given["reason"])
        except InvalidValue as error:
            raise _conflict(error) from error
        return _written(row.uid, status=201)


class ClaimWithdraw(Endpoint):
    """Takes a claim back."""

    permission_classes = [MayWriteClaims]

    @extend_schema(
        operation_id="claims_withdraw",
        request=schemas.WithdrawInput,
        responses={200: schemas.ClaimDetail, 409: schemas.ConflictProblem,
                   422: schemas.InvalidClaimProblem},
    )  # fmt: skip
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Marks the claim as withdrawn; it stays readable."""
        given = _checked(schemas.WithdrawInput(data=request.data))
        find_claim(uid)
        try:
            withdraw_claim(uid, actor=request.user.get_username(), reason=given["reason"])
        except InvalidValue as error:
            raise _conflict(error) from error
        return _written(uid, status=200)
