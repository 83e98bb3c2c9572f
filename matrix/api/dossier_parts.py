"""What belongs to a draft of a dossier: candidates, criteria, scores, waivers."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from matrix import dossiers
from matrix.api.base import Endpoint
from matrix.api.dossiers import WRITE_PROBLEMS, actor_of, checked_body, edition_of, written
from matrix.api.permissions import MayWriteDossiers
from matrix.api.schemas import dossiers as schemas


class PartEndpoint(Endpoint):
    """Base of what changes a part; removing names its edition in the address."""

    permission_classes = [MayWriteDossiers]
    accepted_with_delete: tuple[str, ...] = ("edition",)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Takes parameters in the address for removals only."""
        self.accepted_with_body = self.accepted_with_delete if request.method == "DELETE" else ()
        super().initial(request, *args, **kwargs)


class DossierCandidates(PartEndpoint):
    """Adds candidates."""

    @extend_schema(
        operation_id="dossier_candidates_add",
        request=schemas.CandidateInput,
        responses={201: schemas.DossierDetail, **WRITE_PROBLEMS},
        examples=schemas.CANDIDATE_EXAMPLES,
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Adds a candidate to a draft."""
        given = checked_body(schemas.CandidateInput, request)
        dossiers.put_candidate(uid, actor=actor_of(request), **given)
        return written(uid, status=201)


class DossierCandidateOne(PartEndpoint):
    """One candidate of a draft."""

    @extend_schema(
        operation_id="dossier_candidates_change",
        request=schemas.CandidatePatch,
        responses={200: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def patch(self, request: Request, uid: str, key: str) -> HttpResponse:
        """Changes the given fields."""
        given = checked_body(schemas.CandidatePatch, request)
        dossiers.put_candidate(uid, actor=actor_of(request), key=key, **given)
        return written(uid)

    @extend_schema(
        operation_id="dossier_candidates_remove",
        parameters=schemas.EDITION_PARAMETERS,
        responses={200: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def delete(self, request: Request, uid: str, key: str) -> HttpResponse:
        """Takes the candidate out with its scores and waivers."""
        edition = edition_of(request)
        dossiers.remove_candidate(uid, edition=edition, actor=actor_of(request), key=key)
        return written(uid)


class DossierCriteria(PartEndpoint):
    """Adds criteria."""

    @extend_schema(
        operation_id="dossier_criteria_add",
        request=schemas.CriterionInput,
        responses={201: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Adds a knock-out or a weighted criterion to a draft."""
        given = checked_body(schemas.CriterionInput, request)
        dossiers.put_criterion(uid, actor=actor_of(request), **given)
        return written(uid, status=201)


class DossierCriterionOne(PartEndpoint):
    """One criterion of a draft."""

    @extend_schema(
        operation_id="dossier_criteria_change",
        request=schemas.CriterionPatch,
        responses={200: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def patch(self, request: Request, uid: str, key: str) -> HttpResponse:
        """Changes the given fields."""
        given = checked_body(schemas.CriterionPatch, request)
        dossiers.put_criterion(uid, actor=actor_of(request), key=key, **given)
        return written(uid)

    @extend_schema(
        operation_id="dossier_criteria_remove",
        parameters=schemas.EDITION_PARAMETERS,
        responses={200: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def delete(self, request: Request, uid: str, key: str) -> HttpResponse:
        """Takes the criterion out with its scores and waivers."""
        edition = edition_of(request)
        dossiers.remove_criterion(uid, edition=edition, actor=actor_of(request), key=key)
        return written(uid)


class DossierScores(PartEndpoint):
    """Takes judgements."""

    @extend_schema(
        operation_id="dossier_scores_put",
        request=schemas.ScoreInput,
        responses={200: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Records how a candidate is judged on a criterion, in place of what was said before."""
        given = checked_body(schemas.ScoreInput, request)
        dossiers.put_score(uid, actor=actor_of(request), **given)
        return written(uid)


class DossierWaivers(PartEndpoint):
    """Grants waivers and takes them back."""

    accepted_with_delete = ("edition", "candidate", "criterion")

    @extend_schema(
        operation_id="dossier_waivers_grant",
        request=schemas.WaiverInput,
        responses={201: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def post(self, request: Request, uid: str) -> HttpResponse:
        """Accepts a knock-out of a candidate until a day, with the plan that ends it."""
        given = checked_body(schemas.WaiverInput, request)
        dossiers.grant_waiver(uid, actor=actor_of(request), **given)
        return written(uid, status=201)

    @extend_schema(
        operation_id="dossier_waivers_remove",
        parameters=schemas.WAIVER_PARAMETERS,
        responses={200: schemas.DossierDetail, **WRITE_PROBLEMS},
    )
    def delete(self, request: Request, uid: str) -> HttpResponse:
        """Takes a waiver back."""
        words = request.query_params
        dossiers.remove_waiver(
            uid,
            edition=edition_of(request),
            actor=actor_of(request),
            candidate=words.get("candidate", ""),
            criterion=words.get("criterion", ""),
        )
        return written(uid)
