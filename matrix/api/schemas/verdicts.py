"""Forms of verdicts and of the batch."""

from drf_spectacular.utils import OpenApiExample, extend_schema_field
from rest_framework import serializers

from matrix.api.openapi import Problem
from matrix.api.schemas.catalogue import Maintenance
from matrix.api.schemas.claims import Condition
from matrix.api.schemas.forms import (
    Form,
    Word,
    any_object,
    maybe_day,
    maybe_text,
    text,
    texts,
    word_of,
)
from matrix.asking import CELL_PARAMETERS, OVER_AXES
from matrix.domain.levels import (
    CLAIM_LEVELS,
    Confidence,
    Coverage,
    EvidenceKind,
    Execution,
    LegKind,
    Limit,
    SupportLevel,
    Tier,
    UnknownReason,
)
from matrix.domain.verdict_values import AgeKind, Rule


class Age(Form):
    """How old a statement is at the asked release."""

    kind = word_of(AgeKind)
    releases = serializers.IntegerField(help_text="Releases since the observation.")
    days = serializers.IntegerField(help_text="Days from the observation to the asked release.")


class CandidateClaim(Form):
    """A claim as it speaks about a leg."""

    uid = text()
    framework = text()
    level = word_of(CLAIM_LEVELS)
    kind = word_of(EvidenceKind)
    tier = word_of(Tier)
    execution = word_of(Execution)
    source = text()
    statement = text()
    note = text(allow_blank=True)
    coverage = Word(choices=[c.name.lower() for c in Coverage])
    implied = serializers.BooleanField(help_text="A yes about more than this leg.")
    inherited_from = maybe_text()
    release = text(help_text="Release of the observation that is used.")
    stated_on = serializers.DateField()
    raw = text(allow_blank=True)
    url = maybe_text()
    document_version = maybe_text()
    document_commit = maybe_text()
    reference = maybe_text()
    locator = any_object()
    locator_text = text(allow_blank=True)
    age = Age()
    conditions = Condition(many=True)
    depends_on = texts()


class Leg(Form):
    """What must be stated before the cell is supported, and who states it."""

    kind = word_of(LegKind)
    subject = text()
    level = word_of(SupportLevel)
    rule = word_of(Rule)
    rule_text = text()
    unknown_reason = word_of(UnknownReason, allow_null=True)
    conflicting = serializers.BooleanField()
    deciding = CandidateClaim(many=True)
    contradicting = CandidateClaim(many=True)
    others = CandidateClaim(many=True)
    others_left_out_count = serializers.IntegerField()
    gates = CandidateClaim(many=True)


class LimitingClaim(Form):
    """A joint statement about a feature that the cell does not ask for."""

    uid = text()
    level = word_of(CLAIM_LEVELS)
    features = texts()
    statement = text()
    note = text(allow_blank=True)


class Assumption(Form):
    """What followed from the words of the cell."""

    axis = text()
    value = text()


class AnswerLinks(Form):
    """The same answer with its date pinned, as data and as a page."""

    self = text()
    page = text()


class VerdictHead(Form):
    """The answer itself."""

    level = word_of(SupportLevel)
    unknown_reason = word_of(UnknownReason, allow_null=True)
    limit = word_of(Limit, allow_null=True, help_text="Whose limit a no is.")
    execution = word_of(Execution)
    tier = word_of(Tier)
    conflicting = serializers.BooleanField()
    confidence = word_of(Confidence)
    stale = serializers.BooleanField()
    carried_forward = serializers.BooleanField()
    recheck_on = maybe_day()
    version = maybe_text(help_text="The release that was asked, resolved.")
    as_of = serializers.DateField()


class VerdictAnswer(VerdictHead):
    """The verdict of a cell with everything that explains it."""

    known_at = maybe_day()
    cell = any_object(help_text="Canonical slugs under the names of the parameters.")
    assumed = Assumption(many=True)
    legs = Leg(many=True)
    conditions = Condition(many=True)
    depends_on = texts()
    limits = LimitingClaim(many=True)
    measured = texts(help_text="Identifiers of deciding claims that rest on measurements.")
    notes = texts()
    maintenance = Maintenance()
    ruleset = text()
    revision = serializers.IntegerField()
    links = AnswerLinks()


class VerdictItem(VerdictHead):
    """A short verdict at one value of the axis."""

    value = text()
    conditions_count = serializers.IntegerField()
    deciding_claims = texts()
    links = AnswerLinks()


class VerdictList(Form):
    """A page of short verdicts over one axis."""

    over = Word(choices=list(OVER_AXES))
    kind = maybe_text()
    parent = maybe_text()
    as_of = serializers.DateField()
    known_at = maybe_day()
    revision = serializers.IntegerField()
    ruleset = text()
    count = serializers.IntegerField()
    next = maybe_text()
    previous = maybe_text()
    results = VerdictItem(many=True)


@extend_schema_field(
    {
        "type": "object",
        "description": "The parameters of GET verdicts/; feature and setting also take lists, "
        "setting an object, numbers may be numbers, null leaves an axis open.",
        "properties": {name: {} for name in (*CELL_PARAMETERS, "as_of", "known_at")},
        "required": ["framework"],
        "additionalProperties": False,
    }
)
class CellField(serializers.JSONField):
    """A cell of a batch."""


class BatchRequest(Form):
    """Cells to judge, and the dates for those that name none of their own."""

    cells = serializers.ListField(child=CellField(), max_length=10_000)
    as_of = serializers.DateField(required=False)
    known_at = serializers.DateField(required=False)
    detail = Word(
        choices=["full", "summary"], default="full", help_text="`summary` leaves out the reasons."
    )


class BatchLine(Form):
    """One line of the answer: the verdict of the cell at this index, or the problem with it."""

    index = serializers.IntegerField()
    verdict = VerdictAnswer(
        required=False, help_text="With detail=summary only the members of a short verdict."
    )
    problem = Problem(required=False)


BATCH_EXAMPLES = [
    OpenApiExample(
        "two cells",
        request_only=True,
        value={
            "as_of": "2026-11-01",
            "cells": [
                {"framework": "vllm", "version": "0.11.0", "quantization": "awq",
                 "hardware": "turing"},
                {"framework": "sglang", "model": "meta-llama/Llama-3.1-8B-Instruct",
                 "hardware": "H100", "count": 2, "feature": ["lora"]},
            ],
        },
    )
]  # fmt: skip
VERDICT_EXAMPLES = [
    OpenApiExample(
        "not known",
        summary="A cell that no claim speaks about",
        response_only=True,
        status_codes=["200"],
        value={
            "level": "unknown", "unknown_reason": "never-investigated", "limit": None,
            "execution": "unstated", "tier": "official", "conflicting": False,
            "confidence": "none", "stale": False, "carried_forward": False, "recheck_on": None,
            "version": "0.11.0", "as_of": "2025-11-01", "known_at": None,
            "cell": {"framework": "vllm", "version": "0.11.0", "hardware": "nvidia-turing",
                     "backend": "cuda", "features": [], "settings": {}},
            "assumed": [{"axis": "backend", "value": "cuda"}],
            "legs": [{"kind": "platform", "subject": "nvidia-turing", "level": "unknown",
                      "rule": "no-claim",
                      "rule_text": "No statement speaks about this part at this release and date.",
                      "unknown_reason": "never-investigated", "conflicting": False,
                      "deciding": [], "contradicting": [], "others": [],
                      "others_left_out_count": 0, "gates": []}],
            "conditions": [], "depends_on": [], "limits": [], "measured": [], "notes": [],
            "maintenance": {"status": "unknown", "as_of": "2025-11-01", "stated_later": False,
                            "period": None},
            "ruleset": "2026-11-30.1", "revision": 1,
            "links": {
                "self": "/api/v1/verdicts/?framework=vllm&version=0.11.0&hardware=nvidia-turing"
                        "&as_of=2025-11-01",
                "page": "/cells/?framework=vllm&version=0.11.0&hardware=nvidia-turing"
                        "&as_of=2025-11-01",
            },
        },
    )
]  # fmt: skip
