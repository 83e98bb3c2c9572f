"""Runs: listed, looked at, sent, published and taken back."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import CharField, Value
from django.db.models.functions import Cast, Coalesce, Concat, LPad
from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from benchmarks_app.api import schemas
from benchmarks_app.api.bodies import FileBytes, FormOrFile, FormParts
from benchmarks_app.api.permissions import MayUpload
from benchmarks_app.api.problems import UploadProblem, problem_of_result
from benchmarks_app.api.receiving import RAW_PARAMETERS, REPEATABLE, receive
from benchmarks_app.api.uploads import upload_answer
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import UploadState
from benchmarks_app.filters import RunFilters
from benchmarks_app.models import Run
from benchmarks_app.queries.run_rows import (
    listed_runs,
    run_detail_plain,
    run_plain,
    run_whole,
    runs_stamp,
)
from benchmarks_app.queries.uploads import run_seen_by
from benchmarks_app.services.handing import hand_over
from benchmarks_app.services.receiving import Received
from matrix.api.base import Endpoint
from matrix.api.errors import NoSuchThing
from matrix.api.renderers import json_bytes
from matrix.api.schemas import table_schema
from matrix.api.tables import TableEndpoint, checked_day, checked_name, one_of
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge

# The day of measuring with the number of the row, so that every position in the list is its own.
_MEASURED = "measured_order"
ORDERINGS = {
    "-created": ("-id",),
    "created": ("id",),
    "-measured": (f"-{_MEASURED}",),
    "measured": (_MEASURED,),
}


class RunList(TableEndpoint):
    """Public runs, standing ones unless asked otherwise; a sender adds the files of new ones."""

    permission_classes = [MayUpload]
    parser_classes = [FormParts, FileBytes]
    content_negotiation_class = FormOrFile
    filterset_class = RunFilters
    accepted = ("ordering",)
    accepted_with_body = RAW_PARAMETERS
    repeatable = REPEATABLE
    checks = {
        "framework": checked_name("framework"),
        "model": checked_name("model"),
        "hardware": checked_name("hardware"),
        "quantization": checked_name("quantization"),
        "backend": checked_name("backend"),
        "measured_from": checked_day("measured_from"),
        "measured_to": checked_day("measured_to"),
    }

    @property
    def page_ordering(self) -> tuple[str, ...]:  # type: ignore[override]
        """The order that was asked for. **Raises**: ``InvalidValue``."""
        wanted = self.request.query_params.get("ordering") or "-created"
        return ORDERINGS[one_of("ordering", tuple(ORDERINGS), wanted)]

    def get_queryset(self) -> Any:
        """Public runs with what a list shows."""
        rows = listed_runs()
        if self.page_ordering[0].lstrip("-") != _MEASURED:
            return rows
        day = Coalesce(Cast("measured_on", CharField()), Value("0000-00-00"))
        number = LPad(Cast("id", CharField()), 19, Value("0"))
        return rows.annotate(**{_MEASURED: Concat(day, Value(" "), number)})

    @table_schema("benchmark_runs_list", schemas.BenchmarkRun, *schemas.LIST_PARAMETERS)
    def get(self, request: Request) -> HttpResponse:
        """A page of runs. **Queries**: revision, page, values, 4 for the entity tag."""

        def build(knowledge: Knowledge, rows: Sequence[Run]) -> list[Any]:
            return [run_plain(row) for row in rows]

        return self.table_answer(request, build)

    def answer(
        self,
        request: Request,
        build: Callable[[], Any],
        *,
        depends_on: Sequence[object],
        content_type: str = "application/json",
    ) -> HttpResponse:
        """The answer, which depends on the runs as well as on the knowledge."""
        return super().answer(
            request, build, depends_on=[*depends_on, *runs_stamp()], content_type=content_type
        )

    @extend_schema(
        operation_id="benchmark_runs_create",
        request=schemas.UPLOAD_BODY,
        parameters=schemas.UPLOAD_PARAMETERS,
        responses={200: schemas.UploadedAnswer, 202: schemas.UploadedAnswer,
                   422: schemas.UnreadableResultProblem},
        examples=schemas.UPLOAD_EXAMPLES,
    )  # fmt: skip
    def post(self, request: Request) -> HttpResponse:
        """Takes result files in; the same bytes again are the same upload."""
        try:
            received = receive(request)
        except ResultError as error:
            raise problem_of_result(error) from error
        hand_over(received.upload)
        received.upload.refresh_from_db()
        return _received_answer(received)


def _received_answer(received: Received) -> HttpResponse:
    upload = received.upload
    plain = {**upload_answer(upload), "is_new": received.is_new}
    if upload.state == UploadState.REJECTED.value:
        facts = {
            **upload.error_facts,
            "reason_code": upload.error_code,
            "upload": plain["links"]["status"],
        }
        raise UploadProblem(upload.error_sentence, code="unreadable-result", facts=facts)
    response = HttpResponse(
        json_bytes(plain),
        content_type="application/json",
        status=202 if received.is_new else 200,
    )
    response["Location"] = plain["links"]["status"]
    response["Cache-Control"] = "no-store"
    return response


class RunOne(Endpoint):
    """One run."""

    @extend_schema(operation_id="benchmark_runs_retrieve", responses=schemas.BenchmarkRunDetail)
    def get(self, request: Request, uid: str) -> HttpResponse:
        """The run; a draft only for those who sent it and for curators. **Queries**: 5 to 8."""
        run = find_run(request, uid)
        plain = run_answer(run)
        return self.answer(request, lambda: plain, depends_on=[repr(plain)])


class RunMeasurements(Endpoint):
    """The values of one run."""

    @extend_schema(operation_id="benchmark_runs_measurements", responses=schemas.MeasurementList)
    def get(self, request: Request, uid: str) -> HttpResponse:
        """All statistics, reported and recomputed."""
        plain = run_detail_plain(find_run(request, uid))
        found = {"uid": plain["uid"], "measurements": plain["measurements"]}
        return self.answer(request, lambda: found, depends_on=[repr(found)])


def find_run(request: Request, uid: str) -> Run:
    """The run with all that is shown of it. **Raises**: ``NoSuchThing``."""
    seen = run_seen_by(request.user, uid)
    run = run_whole(uid) if seen is not None else None
    if run is None:
        raise NoSuchThing(what=Phrase("run"), value=uid)
    return run


def run_answer(run: Run) -> dict[str, Any]:
    """The run as plain data with its addresses."""
    plain = run_detail_plain(run)
    samples = reverse("api-benchmark-run-samples", args=[run.uid])
    plain["links"] = {
        "self": reverse("api-benchmark-run", args=[run.uid]),
        "page": reverse("benchmark-run", args=[run.uid]),
        "measurements": reverse("api-benchmark-run-measurements", args=[run.uid]),
        "samples": samples if plain["samples"] else None,
        "claim": reverse("api-claim", args=[run.claim_uid]) if run.claim_uid else None,
    }
    return plain
