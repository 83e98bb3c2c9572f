"""The forms of answers and bodies about the review queue and kept bytes."""

from typing import Any

from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers

from ingest.domain.review import ItemKind, ItemState
from matrix.api.schemas.forms import (
    Form,
    StrictForm,
    Word,
    any_object,
    maybe_moment,
    maybe_text,
    text,
    word_of,
)

DECISIONS = ("accept", "reject", "map", "ignore", "node-needed", "reopen")


class ReviewItem(Form):
    """A review item without its two sides."""

    id = serializers.IntegerField()
    kind = word_of(ItemKind)
    state = word_of(ItemState)
    feed = maybe_text()
    source = maybe_text()
    rule = maybe_text()
    framework = maybe_text()
    version = maybe_text(help_text="The label of the page's version.")
    release = maybe_text()
    path = maybe_text()
    url = maybe_text()
    statement = maybe_text(help_text="Of an unknown word: the word.")
    code = maybe_text(help_text="Of an alarm; the axis of a word; `proposed-claim` of a proposal.")
    sentence = maybe_text()
    snapshot_sha256 = maybe_text()
    opened_at = serializers.DateTimeField()
    decided_at = maybe_moment()
    decided_by = maybe_text()
    reason = maybe_text()
    claim_uid = maybe_text(help_text="The claim that was recorded instead.")


class AuditLine(Form):
    """One decision."""

    at = serializers.DateTimeField()
    actor = text()
    action = text()
    before = any_object()
    after = any_object()


class ReviewItemDetail(ReviewItem):
    """A review item with both sides and its history."""

    old = any_object(help_text="What is on record, under `statements`.")
    new = any_object(help_text="What the page says now, or the facts of an alarm.")
    locator = any_object()
    history = AuditLine(many=True)


class DecisionInput(StrictForm):
    """A decision on one item."""

    decision = Word(choices=list(DECISIONS))
    reason = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=2_000,
        help_text="Needed for all but `accept` and `map`.",
    )  # fmt: skip
    slug = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=160,
        help_text="With `map`: the node that the word names.",
    )  # fmt: skip


class ClaimCounts(Form):
    """How many claims a decision wrote."""

    new = serializers.IntegerField()
    confirmed = serializers.IntegerField()
    changed = serializers.IntegerField()
    gone = serializers.IntegerField()


class DecisionAnswer(Form):
    """What a decision did."""

    revision = serializers.IntegerField()
    decided = serializers.IntegerField()
    opened = serializers.IntegerField(help_text="New items that it opened.")
    claims = ClaimCounts()
    item = ReviewItemDetail()


class RetrievalAnswer(Form):
    """One time that the bytes were taken."""

    url = maybe_text()
    final_url = maybe_text()
    status = serializers.IntegerField(allow_null=True)
    feed = maybe_text()
    framework = maybe_text()
    version = maybe_text()
    path = maybe_text()
    retrieved_at = serializers.DateTimeField()


class CitingClaimAnswer(Form):
    """A claim that rests on the bytes."""

    uid = text()
    release = text()
    locator = any_object()


class SnapshotLinks(Form):
    """Where the bytes are shown and saved."""

    page = text()
    raw = text()


class SnapshotAnswer(Form):
    """What is known about kept bytes; the bytes themselves are at `links.raw`."""

    sha256 = text()
    size_bytes = serializers.IntegerField()
    git_blob = text(help_text="The name that git gives to the same bytes.")
    media_type = maybe_text()
    charset = maybe_text()
    first_seen_at = serializers.DateTimeField()
    retrievals = RetrievalAnswer(many=True, help_text="The newest 20.")
    claims_count = serializers.IntegerField()
    claims = CitingClaimAnswer(many=True, help_text="The first 50, standing ones first.")
    links = SnapshotLinks()


DECISION_EXAMPLES: list[Any] = [
    OpenApiExample(
        "A refusal",
        request_only=True,
        value={"decision": "reject", "reason": "the page has a slip in this row"},
    ),
    OpenApiExample(
        "A word that names a node", request_only=True, value={"decision": "map", "slug": "fp8"}
    ),
]
