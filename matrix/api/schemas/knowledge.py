"""Forms of answers about the knowledge as a whole."""

from rest_framework import serializers

from matrix.api.schemas.forms import (
    Form,
    Word,
    any_object,
    maybe_text,
    text,
    texts,
    word_of,
)
from matrix.domain.levels import CLAIM_LEVELS, EvidenceKind
from matrix.queries.changes import ChangeKind


class StartAnswer(Form):
    """Paths of the endpoints by name."""

    endpoints = serializers.DictField(child=serializers.CharField())


class RevisionAnswer(Form):
    """The state of the knowledge."""

    revision = serializers.IntegerField(help_text="Raised by every write.")
    ruleset = text()
    claims_count = serializers.IntegerField()
    today = serializers.DateField()


class ChangeItem(Form):
    """One change of one claim."""

    change = word_of(ChangeKind)
    on = serializers.DateField()
    framework = text()
    release = text(help_text="Release at which the statement began or was first missed.")
    source = text()
    statement = text()
    level = word_of(CLAIM_LEVELS)
    evidence_kind = word_of(EvidenceKind)
    level_before = word_of(CLAIM_LEVELS, allow_null=True)
    claim = text(help_text="Identifier of the claim.")
    claim_before = maybe_text()
    note = text(allow_blank=True)
    reason = maybe_text()


class DumpLine(Form):
    """One line of a dump; its other members depend on its type, see dump/schema/."""

    type = Word(
        choices=["header", "source", "node", "word", "release", "maintenance-period", "document",
                 "claim", "end"]
    )  # fmt: skip


class JSONSchemaAnswer(Form):
    """A JSON Schema; its dialect's own members are not repeated here."""

    title = text()
    required = texts()
    oneOf = serializers.ListField(child=any_object())  # noqa: N815 - the schema language's name.
