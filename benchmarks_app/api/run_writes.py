"""Publishing runs and taking them back over REST."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from benchmarks_app.api import schemas
from benchmarks_app.api.permissions import MayChangeRuns
from benchmarks_app.api.runs import find_run, run_answer
from benchmarks_app.domain.levels import RunState
from benchmarks_app.models import Run
from benchmarks_app.pages.attaching_words import why_not_sentence
from benchmarks_app.queries.uploads import may_change
from benchmarks_app.services.publishing import publish_run, withdraw_run
from matrix.api.base import Endpoint
from matrix.api.body_problems import invalid_member
from matrix.api.errors import ConflictError, MalformedJSON
from matrix.api.renderers import json_bytes
from matrix.api.schemas import ConflictProblem
from matrix.domain.phrases import Phrase
from matrix.pages.translated import in_words


class RunPublish(Endpoint):
    """Makes a draft public for good."""

    permission_classes = [MayChangeRuns]

    @extend_schema(
        operation_id="benchmark_runs_publish",
        request=None,
        responses={200: schemas.PublishedAnswer, 409: ConflictProblem},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Publishes the run; says which cell it speaks for, or why for none."""
        run = _own_run(request, uid)
        if run.state != RunState.DRAFT.value:
            raise ConflictError(
                Phrase("The run {uid} is {state}; accepted: a draft.", uid=uid, state=run.state)
            )
        published = publish_run(run, actor=request.user.get_username())
        reasons = [
            {"code": reason.code, "sentence": str(why_not_sentence(reason))}
            for reason in published.why_not
        ]
        return _written(request, uid, {"not_attached": reasons})


class RunWithdraw(Endpoint):
    """Takes a published run back, and with it what it says about its cell."""

    permission_classes = [MayChangeRuns]

    @extend_schema(
        operation_id="benchmark_runs_withdraw",
        request=schemas.RunWithdrawInput,
        responses={200: schemas.BenchmarkRunDetail, 409: ConflictProblem},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Marks the run as withdrawn; it stays readable with its reason."""
        body: Any = request.data
        if not isinstance(body, dict):
            raise MalformedJSON(Phrase("it is not an object"))
        form = schemas.RunWithdrawInput(data=body)
        if not form.is_valid():
            raise invalid_member(form.errors, body, accepted=Phrase("an object with reason"))
        run = _own_run(request, uid)
        if run.state != RunState.PUBLISHED.value:
            raise ConflictError(
                Phrase(
                    "The run {uid} is {state}; accepted: a published run.", uid=uid, state=run.state
                )
            )
        withdraw_run(run, actor=request.user.get_username(), reason=form.validated_data["reason"])
        return _written(request, uid, {})


def _own_run(request: Request, uid: str) -> Run:
    """The run, if the account may change it. **Raises**: ``NoSuchThing``, ``PermissionDenied``."""
    run = find_run(request, uid)
    if not may_change(request.user, run):
        raise PermissionDenied(
            in_words(
                Phrase("The run was sent by another account; accepted: its sender or a curator.")
            )
        )
    return run


def _written(request: Request, uid: str, more: dict[str, Any]) -> HttpResponse:
    plain = {**run_answer(find_run(request, uid)), **more}
    response = HttpResponse(json_bytes(plain), content_type="application/json")
    response["Cache-Control"] = "no-store"
    return response
