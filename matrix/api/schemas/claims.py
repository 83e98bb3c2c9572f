"""Forms of claims: as they are answered, and as curators write them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample
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
    texts,
    word_of,
)
from matrix.domain.levels import (
    CLAIM_LEVELS,
    ConditionKind,
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    Outcome,
    Tier,
)

CONDITION_OPS = ["=", "!=", ">=", "<=", "<", ">", "set", "unset"]


class Condition(Form):
    """A condition as data and in words."""

    kind = word_of(ConditionKind)
    name = text()
    op = Word(choices=CONDITION_OPS)
    value = text(allow_blank=True)
    workaround = text(allow_blank=True)
    link = text(allow_blank=True)
    text = serializers.CharField()


class ValidityAnswer(Form):
    """The releases over which a statement was seen."""

    first = text()
    first_kind = word_of(EndpointKind)
    after = maybe_text()
    last = text()
    gone = maybe_text(help_text="First later release whose source no longer says it.")
    gone_on = maybe_day()
    open_ended = serializers.BooleanField()


class Claim(Form):
    """A claim without its observations."""

    uid = text()
    framework = text()
    source = text()
    statement = text()
    scope = any_object(help_text="Axes with include and exclude, features, ranges of numbers.")
    level = word_of(CLAIM_LEVELS)
    kind = word_of(EvidenceKind)
    tier = word_of(Tier)
    execution = word_of(Execution)
    outcome = word_of(Outcome)
    limit = word_of(Limit, allow_null=True)
    note = text(allow_blank=True)
    conditions = Condition(many=True)
    validity = ValidityAnswer()
    reference = maybe_text()
    parser = maybe_text()
    shipped = serializers.BooleanField()
    standing = serializers.BooleanField()
    recorded_at = maybe_moment()
    superseded_at = maybe_moment()
    superseded_by = maybe_text()
    withdrawn_at = maybe_moment()
    reason = maybe_text()


class DocumentAnswer(Form):
    """One version of one page, file or thread."""

    key = text()
    url = maybe_text()
    title = maybe_text()
    version = maybe_text()
    commit = maybe_text()
    path = maybe_text()
    sha256 = maybe_text()
    stated_on = maybe_day()
    retrieved_at = maybe_moment()


class ObservationAnswer(Form):
    """One document that says the statement."""

    release = text()
    stated_on = serializers.DateField()
    raw = text(allow_blank=True, help_text="The sign or word as it is written there.")
    locator = any_object()
    locator_text = text(allow_blank=True)
    recorded_at = maybe_moment()
    document = DocumentAnswer()


class ClaimDetail(Claim):
    """A claim with every observation."""

    revision = serializers.IntegerField()
    supersedes = texts()
    observations = ObservationAnswer(many=True)


class ConflictProblem(Problem):
    """The record does not allow the write as it stands."""


class InvalidClaimProblem(Problem):
    """The claim breaks data rules; all of them are listed."""

    problems = serializers.ListField(child=serializers.CharField())


# -- written by curators --------------------------------------------------------------------------


def _optional(longest: int) -> Any:
    return serializers.CharField(required=False, allow_blank=True, default="", max_length=longest)


class ConditionInput(StrictForm):
    """A condition."""

    kind = word_of(ConditionKind)
    name = text(max_length=120)
    op = Word(choices=CONDITION_OPS, default="set")
    value = _optional(200)
    workaround = _optional(400)
    link = serializers.URLField(required=False, allow_blank=True, default="", max_length=600)


class LocatorInput(StrictForm):
    """Where in the document the statement stands."""

    heading = texts(required=False, max_length=12)
    tabs = texts(required=False, max_length=12)
    path = texts(required=False, max_length=12)
    row = serializers.CharField(required=False, allow_blank=True, max_length=300)
    column = serializers.CharField(required=False, allow_blank=True, max_length=300)
    line = serializers.IntegerField(required=False, min_value=1, max_value=10_000_000)
    line_end = serializers.IntegerField(required=False, min_value=1, max_value=10_000_000)
    table = serializers.IntegerField(required=False, min_value=0, max_value=100_000)


class DocumentInput(StrictForm):
    """The document that says it."""

    url = serializers.URLField(max_length=800)
    version = _optional(80)
    commit = serializers.RegexField(r"^[0-9a-f]{7,64}$", required=False, default="")
    path = _optional(400)
    title = _optional(300)
    sha256 = serializers.RegexField(r"^[0-9a-f]{64}$", required=False, default="")
    stated_on = serializers.DateField(required=False)
    retrieved_at = serializers.DateTimeField(required=False)


class ObservationInput(StrictForm):
    """One document that says the statement, at one release."""

    release = text(max_length=80)
    stated_on = serializers.DateField()
    raw = _optional(200)
    locator = LocatorInput()
    document = DocumentInput()


class ClaimInput(StrictForm):
    """A claim with its evidence."""

    framework = text(max_length=160)
    source = text(max_length=80, default="curation")
    statement = text(max_length=400)
    scope = serializers.JSONField(help_text="Such as {'hardware': {'include': ['nvidia-t4']}}.")
    level = word_of(CLAIM_LEVELS)
    kind = word_of(EvidenceKind)
    execution = word_of(Execution, default=Execution.UNSTATED.value)
    tier = word_of(Tier, default=Tier.OFFICIAL.value)
    outcome = word_of(Outcome, default=Outcome.UNSTATED.value)
    limit = word_of(Limit, required=False, allow_null=True)
    note = _optional(2_000)
    conditions = many(ConditionInput, required=False, default=list, max_length=50)
    first = serializers.CharField(required=False, max_length=80)
    first_kind = word_of(EndpointKind, default=EndpointKind.EXACT.value)
    after = serializers.CharField(required=False, max_length=80)
    last = serializers.CharField(required=False, max_length=80)
    gone = serializers.CharField(required=False, max_length=80)
    gone_on = serializers.DateField(required=False)
    open_ended = serializers.BooleanField(default=False)
    reference = _optional(200)
    observations = many(ObservationInput, allow_empty=False, max_length=200)


class SupersedeInput(StrictForm):
    """The claim that takes the place of another, and why."""

    reason = text(max_length=2_000)
    claim = ClaimInput()


class WithdrawInput(StrictForm):
    """Why a claim is taken back."""

    reason = text(max_length=2_000)


CLAIM_EXAMPLES = [
    OpenApiExample(
        "AWQ on Turing",
        request_only=True,
        value={
            "framework": "vllm",
            "source": "curation",
            "statement": "AWQ on Turing",
            "scope": {
                "quantization": {"include": ["awq"]},
                "hardware": {"include": ["nvidia-turing"]},
            },
            "level": "supported",
            "kind": "documentation",
            "observations": [
                {
                    "release": "0.11.0",
                    "stated_on": "2025-10-02",
                    "raw": "✅︎",
                    "locator": {"row": "AWQ", "column": "Turing", "line": 32},
                    "document": {
                        "url": "https://docs.vllm.ai/en/v0.11.0/features/quantization/",
                        "version": "0.11.0",
                    },
                }
            ],
        },
    )
]
