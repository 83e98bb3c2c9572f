"""Dossiers: how they are shown, written, frozen, signed and re-checked."""

from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers

from matrix.api.openapi import Problem
from matrix.api.schemas.forms import (
    Form,
    StrictForm,
    Word,
    any_object,
    many,
    maybe_day,
    maybe_moment,
    maybe_text,
    text,
)
from matrix.domain.scorecard import CHECKS, CriterionKind

_KEY = "Key inside the dossier."
_EDITION = "The edition that the change was made from."
_NEED = "Workload, objectives, hardware on hand, required features, limits; see docs/dossiers.md."


class DossierSummary(Form):
    """A dossier in a list."""

    uid = text()
    series = text(help_text="Identifier that all versions share.")
    version = serializers.IntegerField()
    replaces = maybe_text()
    title = text()
    state = Word(choices=["draft", "frozen"])
    is_demonstration = serializers.BooleanField()
    as_of = maybe_day()
    known_at = maybe_moment()
    ruleset = maybe_text()
    revision = serializers.IntegerField(allow_null=True)
    decision = text(allow_blank=True)
    recheck_on = maybe_day()
    edition = serializers.IntegerField(help_text="Raised by every change of a draft.")
    content_sha256 = maybe_text()
    opened_by = text()
    opened_at = serializers.DateTimeField()
    frozen_by = maybe_text()
    frozen_at = maybe_moment()


class DossierCandidate(Form):
    """One combination that could be chosen."""

    key = text(help_text=_KEY)
    name = text()
    words = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="The question as [parameter, value] pairs of verdicts/.",
    )
    layout = any_object()
    effort = any_object(help_text="Stated engineering cost.")
    note = text(allow_blank=True)
    is_chosen = serializers.BooleanField()


class DossierCriterion(Form):
    """A knock-out, or a weighted criterion."""

    key = text(help_text=_KEY)
    name = text()
    kind = Word(choices=[kind.value for kind in CriterionKind])
    check_code = text(allow_blank=True)
    threshold = any_object()
    weight_percent = serializers.IntegerField()
    note = text(allow_blank=True)


class DossierScore(Form):
    """A judgement."""

    candidate = text(help_text=_KEY)
    criterion = text(help_text=_KEY)
    points = serializers.IntegerField(allow_null=True)
    passes = serializers.BooleanField(allow_null=True)
    note = text(allow_blank=True)
    by = text()
    at = serializers.DateTimeField()


class DossierWaiver(Form):
    """A knock-out that is accepted until a day."""

    candidate = text(help_text=_KEY)
    criterion = maybe_text(help_text=_KEY)
    reason = text()
    removal_plan = text()
    remove_by = serializers.DateField()
    granted_by = text()
    granted_at = serializers.DateTimeField()


class DossierSignOff(Form):
    """One person's word on a frozen content."""

    content_sha256 = text()
    person = text()
    role = text(allow_blank=True)
    stance = Word(choices=["agree", "dissent", "abstain"])
    statement = text(allow_blank=True)
    recorded_by = text(help_text="The account that recorded it; `person` is what it typed.")
    at = serializers.DateTimeField()


class DossierComment(Form):
    """One contribution to the discussion."""

    author = text()
    at = serializers.DateTimeField()
    text = serializers.CharField()


class DossierRecheck(Form):
    """What had changed on a day."""

    as_of = serializers.DateField()
    at = serializers.DateTimeField()
    revision = serializers.IntegerField()
    ruleset = text()
    changes = serializers.ListField(child=any_object())
    next_on = maybe_day()
    note = text(allow_blank=True)
    checked_by = text()


class DossierDetail(DossierSummary):
    """A dossier with all that people wrote, and as it is assessed."""

    summary = text(allow_blank=True)
    need = any_object(help_text=_NEED)
    candidates = many(DossierCandidate)
    criteria = many(DossierCriterion)
    scores = many(DossierScore)
    waivers = many(DossierWaiver)
    sign_offs = many(DossierSignOff)
    comments = many(DossierComment)
    rechecks = many(DossierRecheck)
    due_on = maybe_day(help_text="When it falls due next.")
    assessment = serializers.DictField(
        allow_null=True,
        help_text="Of a draft as it stands now, of a frozen one its content; null after a write.",
    )
    links = serializers.DictField(child=serializers.CharField(allow_null=True))


class DossierExport(Form):
    """A frozen dossier as `manage.py verify_dossier` takes it."""

    form = text()
    content = any_object()
    content_sha256 = text()
    frozen_by = text()
    frozen_at = serializers.DateTimeField()
    sign_offs = many(DossierSignOff)
    comments = many(DossierComment)
    rechecks = many(DossierRecheck)


# -- bodies ---------------------------------------------------------------------------------------


class Edition(StrictForm):
    """The edition of the draft that a change was made from."""

    edition = serializers.IntegerField(min_value=0, help_text=_EDITION)


class DossierInput(StrictForm):
    """A new draft."""

    title = text(max_length=200)
    summary = text(required=False, allow_blank=True)
    need = any_object(required=False, help_text=_NEED)
    as_of = maybe_day(required=False)
    recheck_on = maybe_day(required=False)


class DossierPatch(Edition):
    """Fields of a draft to change."""

    title = text(required=False, max_length=200)
    summary = text(required=False, allow_blank=True)
    need = any_object(required=False, help_text=_NEED)
    as_of = maybe_day(required=False)
    known_at = maybe_moment(required=False)
    decision = text(required=False, allow_blank=True)
    recheck_on = maybe_day(required=False)


class CandidatePatch(Edition):
    """Fields of a candidate to change."""

    name = text(required=False, max_length=120)
    words = serializers.JSONField(
        required=False, help_text="[parameter, value] pairs, or an object of them."
    )
    layout = any_object(required=False)
    effort = any_object(required=False)
    note = text(required=False, allow_blank=True)
    is_chosen = serializers.BooleanField(required=False)


class CandidateInput(CandidatePatch):
    """A candidate to add."""

    name = text(max_length=120)
    words = serializers.JSONField(help_text="[parameter, value] pairs, or an object of them.")


class CriterionPatch(Edition):
    """Fields of a criterion to change."""

    name = text(required=False, max_length=200)
    kind = Word(choices=[kind.value for kind in CriterionKind], required=False)
    check_code = Word(choices=["", *CHECKS], required=False, allow_blank=True)
    threshold = any_object(required=False, help_text="Parameters of the automatic check.")
    weight_percent = serializers.IntegerField(required=False, min_value=0, max_value=100)
    note = text(required=False, allow_blank=True)


class CriterionInput(CriterionPatch):
    """A criterion to add."""

    name = text(max_length=200)
    kind = Word(choices=[kind.value for kind in CriterionKind])


class ScoreInput(Edition):
    """A judgement; without points, passes and note it is taken back."""

    candidate = text(help_text=_KEY)
    criterion = text(help_text=_KEY)
    points = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=4)
    passes = serializers.BooleanField(required=False, allow_null=True)
    note = text(required=False, allow_blank=True)


class WaiverInput(Edition):
    """A waiver to grant."""

    candidate = text(help_text=_KEY)
    criterion = text(required=False, allow_blank=True, help_text=_KEY)
    reason = text()
    removal_plan = text()
    remove_by = serializers.DateField()


class SignOffInput(StrictForm):
    """One person's word."""

    content_sha256 = text(max_length=64)
    person = text(max_length=150)
    role = text(required=False, allow_blank=True, max_length=150)
    stance = Word(choices=["agree", "dissent", "abstain"])
    statement = text(required=False, allow_blank=True)


class CommentInput(StrictForm):
    """A contribution to the discussion."""

    text = serializers.CharField()


class RecheckInput(StrictForm):
    """When to look, and when to look again."""

    on = maybe_day(required=False)
    next_on = maybe_day(required=False)
    note = text(required=False, allow_blank=True)


class NothingInput(StrictForm):
    """An empty object."""


class FieldProblem(Form):
    """What is wrong with one field."""

    field = text()
    value = text(allow_blank=True)
    accepted = text(allow_blank=True)
    message = text()


class InvalidDossierProblem(Problem):
    """Everything that is wrong with a dossier."""

    problems = many(FieldProblem)


EDITION_PARAMETERS = [
    OpenApiParameter(
        "edition", int, location=OpenApiParameter.QUERY, required=True, description=_EDITION
    )
]
WAIVER_PARAMETERS = [
    *EDITION_PARAMETERS,
    OpenApiParameter("candidate", location=OpenApiParameter.QUERY, required=True, description=_KEY),
    OpenApiParameter("criterion", location=OpenApiParameter.QUERY, description=_KEY),
]
DOSSIER_EXAMPLES = [
    OpenApiExample(
        "A support bot",
        request_only=True,
        value={
            "title": "Engine of the support bot",
            "need": {
                "workload": {
                    "input_tokens_p50": 1200,
                    "output_tokens_p50": 250,
                    "request_rate_req_s": 300,
                    "peak_factor": 2,
                },
                "objectives": {"ttft_ms": 800, "tpot_ms": 60, "share": 0.95},
                "models": ["Qwen/Qwen3-32B"],
                "hardware": [{"hardware": "nvidia-h100", "count": 8}],
                "required_features": ["structured-output"],
                "currency": "EUR",
            },
        },
    )
]
CANDIDATE_EXAMPLES = [
    OpenApiExample(
        "One release on eight devices",
        request_only=True,
        value={
            "edition": 3,
            "name": "vLLM, FP8",
            "words": {
                "framework": "vllm",
                "version": "0.33.0",
                "model": "Qwen/Qwen3-32B",
                "quantization": "fp8",
                "hardware": "nvidia-h100",
                "count": 8,
            },
            "layout": {"tensor_parallel": 2, "data_parallel": 4},
            "effort": {"conversion_steps": 0, "note": "The checkpoint is served as published."},
        },
    )
]
