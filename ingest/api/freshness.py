"""How fresh feeds and claims are, over REST."""

from datetime import date
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from ingest.domain.feeds import FeedKind
from ingest.pages.freshness import (
    PARAMETERS,
    DueRow,
    FreshnessPage,
    SourceRow,
    build_freshness_page,
    read_freshness_question,
)
from ingest.queries_freshness import FeedHealth, FeedLine, Origin
from matrix.api.base import Endpoint, sorted_query
from matrix.api.schemas.forms import (
    Form,
    any_object,
    maybe_moment,
    maybe_text,
    text,
    texts,
    word_of,
)
from matrix.domain.levels import CLAIM_LEVELS, EvidenceKind
from matrix.index import current_knowledge


class FeedAnswer(Form):
    """How one feed stands."""

    name = text()
    kind = word_of(FeedKind)
    framework = maybe_text()
    sources = texts()
    host = maybe_text()
    health = word_of(FeedHealth)
    cadence_s = serializers.IntegerField(help_text="How often it is asked.")
    last_attempt_at = maybe_moment()
    last_success_at = maybe_moment()
    last_change_at = maybe_moment()
    next_due_at = maybe_moment(help_text="Null: never polled, so due.")
    paused_until = maybe_moment(help_text="After a failure: it is not asked before.")
    failures_in_row = serializers.IntegerField()
    error_code = maybe_text()
    error_sentence = maybe_text()
    error_facts = any_object()
    error_at = maybe_moment()
    open_items_count = serializers.IntegerField(help_text="What waits in the review queue.")


class SourceAnswer(Form):
    """How the claims of one source about one framework stand."""

    source = text()
    framework = text()
    origin = word_of(Origin)
    feeds = texts()
    polled_at = maybe_moment()
    shipped_on = serializers.DateField(allow_null=True)
    claims_count = serializers.IntegerField()
    shipped_count = serializers.IntegerField()
    oldest_on = serializers.DateField(allow_null=True)
    newest_on = serializers.DateField(allow_null=True)
    may_fall_due_count = serializers.IntegerField()
    due_count = serializers.IntegerField()
    due_share = serializers.FloatField(allow_null=True, help_text="Null where none can fall due.")


class DueAnswer(Form):
    """One claim whose day for a re-check has passed."""

    claim = text()
    framework = text()
    source = text()
    statement = text()
    level = word_of(CLAIM_LEVELS)
    evidence_kind = word_of(EvidenceKind)
    release = text(help_text="The release at which it was seen last.")
    seen_on = serializers.DateField()
    recheck_on = serializers.DateField()
    cell_url = text()


class FreshnessAnswer(Form):
    """Feeds, sources and the claims that are due."""

    at = serializers.DateTimeField()
    recheck_after_days = serializers.IntegerField()
    feeds = FeedAnswer(many=True)
    sources = SourceAnswer(many=True)
    due_count = serializers.IntegerField()
    due = DueAnswer(many=True, help_text="Longest overdue first, 50 of a page.")
    next = maybe_text()
    previous = maybe_text()


def _words(name: str, text_: str, words: Any = None) -> OpenApiParameter:
    return OpenApiParameter(name, description=text_, enum=words)


_PARAMETERS = [
    _words("framework", "Slug or known name."),
    _words("health", "Only feeds that stand like this.", [h.value for h in FeedHealth]),
    _words("kind", "Only feeds of this kind.", [k.value for k in FeedKind]),
    _words("origin", "Only sources whose claims came like this.", [o.value for o in Origin]),
    _words("source", "Only this source."),
    OpenApiParameter("page", OpenApiTypes.INT, description="Page of the claims that are due."),
]


class Freshness(Endpoint):
    """How fresh feeds and claims are."""

    accepted = PARAMETERS

    @extend_schema(
        operation_id="freshness_retrieve", parameters=_PARAMETERS, responses=FreshnessAnswer
    )
    def get(self, request: Request) -> HttpResponse:
        """Feeds, sources, and claims whose day for a re-check has passed."""
        now = timezone.now().replace(microsecond=0)
        catalogue = current_knowledge().catalogue
        question = read_freshness_question(
            request.query_params.dict(), catalogue=catalogue, today=now.date()
        )

        def build() -> dict[str, Any]:
            page = build_freshness_page(question, catalogue=catalogue, now=now)
            return freshness_plain(page, address=reverse("api-freshness"))

        # Feeds move from minute to minute without any write, so a second is what an answer lasts.
        return self.answer(request, build, depends_on=[now, sorted_query(request)])


def freshness_plain(page: FreshnessPage, *, address: str) -> dict[str, Any]:
    """The whole answer."""
    return {
        "at": _iso(page.now),
        "recheck_after_days": page.recheck_days,
        "feeds": [feed_plain(row.line) for row in page.feeds],
        "sources": [_source_plain(row) for row in page.sources],
        "due_count": page.due_total,
        "due": [_due_plain(row) for row in page.due],
        "next": _page_address(page.next_url, address),
        "previous": _page_address(page.previous_url, address),
    }


def _iso(moment: date | None) -> str | None:
    """A day or a time as text; UTC is written as Z."""
    return moment.isoformat().replace("+00:00", "Z") if moment else None


def _page_address(url: str, address: str) -> str | None:
    query = url.partition("?")[2].partition("#")[0]
    if not url:
        return None
    return f"{address}?{query}" if query else address


def feed_plain(line: FeedLine) -> dict[str, Any]:
    """One feed."""
    found = line.standing
    return {
        "name": found.name,
        "kind": found.kind,
        "framework": found.framework or None,
        "sources": list(found.sources),
        "host": found.host or None,
        "health": line.health.value,
        "cadence_s": int(found.cadence.total_seconds()),
        "last_attempt_at": _iso(found.last_attempt_at),
        "last_success_at": _iso(found.last_success_at),
        "last_change_at": _iso(found.last_change_at),
        "next_due_at": _iso(found.next_due_at),
        "paused_until": _iso(line.paused_until),
        "failures_in_row": found.failures_in_row,
        "error_code": found.error_code or None,
        "error_sentence": found.error_sentence or None,
        "error_facts": found.error_facts,
        "error_at": _iso(found.error_at),
        "open_items_count": found.open_items,
    }


def _source_plain(row: SourceRow) -> dict[str, Any]:
    line = row.line
    return {
        "source": line.source,
        "framework": line.framework,
        "origin": line.origin.value,
        "feeds": list(line.feeds),
        "polled_at": _iso(line.polled_at),
        "shipped_on": _iso(line.shipped_on),
        "claims_count": line.claims,
        "shipped_count": line.shipped,
        "oldest_on": _iso(line.oldest),
        "newest_on": _iso(line.newest),
        "may_fall_due_count": line.may_fall_due,
        "due_count": line.due,
        "due_share": None if line.due_share is None else round(line.due_share, 4),
    }


def _due_plain(row: DueRow) -> dict[str, Any]:
    claim = row.claim
    return {
        "claim": claim.uid,
        "framework": claim.framework,
        "source": claim.source,
        "statement": claim.statement,
        "level": claim.level,
        "evidence_kind": claim.kind,
        "release": claim.release,
        "seen_on": _iso(claim.seen_on),
        "recheck_on": _iso(claim.recheck_on),
        "cell_url": row.cell_url,
    }
