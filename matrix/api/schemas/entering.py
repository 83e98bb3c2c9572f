"""Forms of claims as people write them, and of imports."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, PolymorphicProxySerializer
from rest_framework import serializers

from matrix.api.openapi import Problem
from matrix.api.schemas.claims import CLAIM_EXAMPLES, ClaimInput, SupersedeInput
from matrix.api.schemas.forms import Form, StrictForm, any_object, maybe_text, text


class WrittenClaim(Form):
    """A claim as people write it; docs/data-guidelines.md lists all of its fields."""

    framework = text(help_text="Slug or any known name.")
    statement = text(help_text="What is said, in own words.")
    scope = any_object(required=False, help_text="Axes with any known names.")
    level = text(help_text="`yes`, `no` or `partial`.")
    kind = text(required=False, help_text="Of evidence; here or in the evidence.")
    evidence = serializers.JSONField(help_text="One document or a list of them.")


class WrittenSupersedeInput(StrictForm):
    """The claim as people write it that takes the place of another, and why."""

    reason = text(max_length=2_000)
    claim: Any = serializers.DictField()


class PlannedLine(Form):
    """What an import does with one line."""

    line = serializers.IntegerField()
    uid = text()
    reads = text(help_text="How the line was understood.")
    ends = maybe_text(help_text="The claim that it takes the place of.")


class ImportAnswer(Form):
    """What an import did, or would do."""

    revision = serializers.IntegerField()
    dry_run = serializers.BooleanField()
    lines = serializers.IntegerField()
    new = PlannedLine(many=True)
    superseding = PlannedLine(many=True)
    unchanged = serializers.IntegerField()
    withdrawn = serializers.ListField(
        child=serializers.IntegerField(), help_text="Lines that a person withdrew here earlier."
    )


class LineProblem(Form):
    """One thing that is wrong with one line."""

    line = serializers.IntegerField(help_text="From 1; 0 where the whole body is meant.")
    field = text(allow_blank=True)
    problem = text()


class InvalidImportProblem(Problem):
    """The import has problems; the first 200 are listed and nothing was recorded."""

    count = serializers.IntegerField()
    problems = LineProblem(many=True)


CLAIM_BODY = PolymorphicProxySerializer(
    component_name="ClaimBody",
    serializers=[ClaimInput, WrittenClaim],
    resource_type_field_name=None,
)
SUPERSEDE_BODY = PolymorphicProxySerializer(
    component_name="SupersedeBody",
    serializers=[SupersedeInput, WrittenSupersedeInput],
    resource_type_field_name=None,
)
IMPORT_PARAMETERS = [
    OpenApiParameter("dry_run", str, enum=["1", "0"], description="Find problems, write nothing."),
    OpenApiParameter("source", str, description="Where a line names none."),
]
WRITTEN_EXAMPLES = [
    *CLAIM_EXAMPLES,
    OpenApiExample(
        "As people write it",
        request_only=True,
        value={
            "framework": "vLLM",
            "statement": "AWQ on one Tesla T4",
            "scope": {"quantization": "AWQ", "hardware": "Tesla T4", "count": 1},
            "level": "yes",
            "kind": "user-report",
            "outcome": "starts",
            "evidence": {
                "url": "https://example.org/issues/7",
                "comment": "first",
                "release": "0.11.0",
                "stated_on": "2025-10-12",
            },
        },
    ),
]
