"""Dossiers: listed, opened, changed, frozen, signed, discussed, re-checked and exported."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from matrix import dossiers
from matrix.api.base import Endpoint
from matrix.api.body_problems import value_at
from matrix.api.claim_input import flat_problems
from matrix.api.errors import MalformedJSON, NoSuchThing
from matrix.api.permissions import MayFreezeDossiers, MayWriteDossiers
from matrix.api.renderers import json_bytes
from matrix.api.schemas import dossiers as schemas
from matrix.api.schemas import table_schema
from matrix.api.schemas.claims import ConflictProblem
from matrix.api.tables import TableEndpoint
from matrix.domain.phrases import Phrase
from matrix.dossiers.errors import Problem
from matrix.filters import DossierFilters
from matrix.index import Knowledge
from matrix.models import Dossier
from matrix.queries.dossier_content import assessment_plain
from matrix.queries.dossier_plain import dossier_plain, dossier_summary
from matrix.queries.dossiers import (
    assess_dossier,
    dossier_of,
    dossiers_stamp,
    due_on,
    listed_dossiers,
)

WRITE_PROBLEMS = {409: ConflictProblem, 422: schemas.InvalidDossierProblem}


class DossierList(TableEndpoint):
    """Dossiers, newest first; whoever may write them opens a new draft."""

    permission_classes = [MayWriteDossiers]
    filterset_class = DossierFilters
    page_ordering = ("-opened_at", "-id")

    def get_queryset(self) -> Any:
        """All dossiers."""
        return listed_dossiers()

    @table_schema("dossiers_list", schemas.DossierSummary)
    def get(self, request: Request) -> HttpResponse:
        """A page of dossiers."""

        def build(knowledge: Knowledge, rows: Sequence[Dossier]) -> list[Any]:
            return [dossier_summary(row) for row in rows]

        return self.table_answer(request, build)

    def answer(
        self,
        request: Request,
        build: Callable[[], Any],
        *,
        depends_on: Sequence[object],
        content_type: str = "application/json",
    ) -> HttpResponse:
        """The answer, which depends on the dossiers as well."""
        return super().answer(
            request, build, depends_on=[*depends_on, *dossiers_stamp()], content_type=content_type
        )

    @extend_schema(
        operation_id="dossiers_open",
        request=schemas.DossierInput,
        responses={201: schemas.DossierDetail, 422: schemas.InvalidDossierProblem},
        examples=schemas.DOSSIER_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponse:
        """Opens a draft."""
        given = checked_body(schemas.DossierInput, request)
        made = dossiers.open_dossier(actor=actor_of(request), **given)
        return written(made.uid, status=201)


class DossierOne(Endpoint):
    """One dossier; a draft may be changed and discarded."""

    permission_classes = [MayWriteDossiers]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Discarding names its edition in the address."""
        self.accepted_with_body = ("edition",) if request.method == "DELETE" else ()
        super().initial(request, *args, **kwargs)

    @extend_schema(operation_id="dossiers_retrieve", responses=schemas.DossierDetail)
    def get(self, request: Request, uid: str) -> HttpResponse:
        """The dossier with what people wrote and its assessment."""
        dossier = find_dossier(uid)
        plain = dossier_answer(dossier)
        frozen = dossier.state == "frozen"
        # What a draft is assessed to be depends on runs and prices as well, so it is made first.
        plain["assessment"] = (
            dossier.content if frozen else assessment_plain(assess_dossier(dossier))
        )
        return self.answer(request, lambda: plain, depends_on=[repr(plain)])

    @extend_schema(
        operation_id="dossiers_change",
        request=schemas.DossierPatch,
        responses={200: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def patch(self, request: Request, uid: str) -> HttpResponse:
        """Changes the given fields of a draft."""
        given = checked_body(schemas.DossierPatch, request)
        dossiers.change_dossier(uid, actor=actor_of(request), **given)
        return written(uid)

    @extend_schema(
        operation_id="dossiers_discard",
        parameters=schemas.EDITION_PARAMETERS,
        responses={204: None, **WRITE_PROBLEMS},
    )
    def delete(self, request: Request, uid: str) -> HttpResponse:
        """Discards a draft."""
        edition = edition_of(request)
        dossiers.delete_draft(uid, edition=edition, actor=actor_of(request))
        return HttpResponse(status=204)


class DossierFreeze(Endpoint):
    """Fixes a draft."""

    permission_classes = [MayFreezeDossiers]

    @extend_schema(
        operation_id="dossiers_freeze",
        request=schemas.Edition,
        responses={200: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Freezes the draft with everything it rests on."""
        given = checked_body(schemas.Edition, request)
        dossiers.freeze_dossier(uid, actor=actor_of(request), edition=given["edition"])
        return written(uid)


class DossierVersions(Endpoint):
    """Opens the next version of a frozen dossier."""

    permission_classes = [MayFreezeDossiers]

    @extend_schema(
        operation_id="dossiers_renew",
        request=schemas.NothingInput,
        responses={201: schemas.DossierDetail, 409: ConflictProblem},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """A draft that begins where the frozen dossier stands."""
        checked_body(schemas.NothingInput, request)
        fresh = dossiers.new_version(uid, actor=actor_of(request))
        return written(fresh.uid, status=201)


class DossierSignOffs(Endpoint):
    """Takes people's words on a frozen dossier."""

    permission_classes = [MayWriteDossiers]

    @extend_schema(
        operation_id="dossiers_sign_off",
        request=schemas.SignOffInput,
        responses={201: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Records one sign-off; a dissent says why."""
        given = checked_body(schemas.SignOffInput, request)
        dossiers.sign_off(uid, actor=actor_of(request), **given)
        return written(uid, status=201)


class DossierComments(Endpoint):
    """Takes contributions to the discussion."""

    permission_classes = [MayWriteDossiers]

    @extend_schema(
        operation_id="dossiers_comment",
        request=schemas.CommentInput,
        responses={201: schemas.DossierDetail, 422: schemas.InvalidDossierProblem},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Records one comment."""
        given = checked_body(schemas.CommentInput, request)
        dossiers.comment(uid, actor=actor_of(request), text=given["text"])
        return written(uid, status=201)


class DossierRechecks(Endpoint):
    """Asks everything of a frozen dossier again."""

    permission_classes = [MayFreezeDossiers]

    @extend_schema(
        operation_id="dossiers_recheck",
        request=schemas.RecheckInput,
        responses={201: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Records what changed since the dossier was frozen."""
        given = checked_body(schemas.RecheckInput, request)
        dossiers.recheck_dossier(uid, actor=actor_of(request), **given)
        return written(uid, status=201)


class DossierExport(Endpoint):
    """A frozen dossier as a file that can be verified."""

    @extend_schema(
        operation_id="dossiers_export",
        responses={200: schemas.DossierExport, 409: ConflictProblem},
    )
    def get(self, request: Request, uid: str) -> HttpResponse:
        """Content, hash, sign-offs, discussion and re-checks."""
        plain = dossiers.dossier_export(find_dossier(uid))
        return self.answer(request, lambda: plain, depends_on=[repr(plain)])


# -- shared with the parts ------------------------------------------------------------------------


def actor_of(request: Request) -> str:
    """The name that a write is recorded under."""
    return str(request.user.get_username())


def checked_body(form_class: Any, request: Request) -> dict[str, Any]:
    """The members of a body. **Raises**: ``InvalidDossier`` with every problem of form."""
    body: Any = request.data
    if not isinstance(body, Mapping):
        raise MalformedJSON(Phrase("it is not an object"))
    form = form_class(data=body)
    if not form.is_valid():
        lines = flat_problems(form.errors)
        raise dossiers.InvalidDossier([_problem(line, body) for line in lines])
    return dict(form.validated_data)


def _problem(line: str, body: Mapping[str, Any]) -> Problem:
    field, _, what = line.partition(": ")
    value = value_at(body, field)
    shown = Phrase("{field} is {value!r}: {what}.", field=field, value=value, what=what)
    return {"field": field, "value": value, "accepted": what, "message": str(shown)}


def edition_of(request: Request) -> int:
    """The edition in the address. **Raises**: ``InvalidDossier``."""
    text = request.query_params.get("edition", "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        accepted = "the edition that the change was made from"
        message = f"edition is {text[:60]!r}; accepted: {accepted}."
        raise dossiers.InvalidDossier(
            [{"field": "edition", "value": text[:60], "accepted": accepted, "message": message}]
        )
    return int(text)


def find_dossier(uid: str) -> Dossier:
    """The dossier with its parts. **Raises**: ``NoSuchThing``."""
    dossier = dossier_of(uid)
    if dossier is None:
        raise NoSuchThing(what=Phrase("dossier"), value=uid)
    return dossier


def dossier_answer(dossier: Dossier) -> dict[str, Any]:
    """The dossier as it is answered, not assessed."""
    due = due_on(dossier) if dossier.state == "frozen" else None
    export = reverse("api-dossier-export", args=[dossier.uid])
    return {
        **dossier_plain(dossier),
        "due_on": due.isoformat() if isinstance(due, date) else None,
        "assessment": None,
        "links": {
            "self": reverse("api-dossier", args=[dossier.uid]),
            "export": export if dossier.state == "frozen" else None,
            "replaces": reverse("api-dossier", args=[dossier.replaces.uid])
            if dossier.replaces
            else None,
        },
    }


def written(uid: str, *, status: int = 200) -> HttpResponse:
    """The answer to a write: the dossier as it stands after it."""
    dossier = find_dossier(uid)
    response = HttpResponse(
        json_bytes(dossier_answer(dossier)), content_type="application/json", status=status
    )
    response["Cache-Control"] = "no-store"
    if status == 201:
        response["Location"] = reverse("api-dossier", args=[dossier.uid])
    return response
