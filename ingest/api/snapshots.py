"""Kept bytes over REST: what they are, when they were taken, and which claims rest on them."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from ingest.api import schemas
from ingest.pages.snapshot import plain_snapshot
from ingest.queries_snapshots import count_citing_claims, find_snapshot, retrievals_of
from matrix.api.base import Endpoint
from matrix.api.errors import NoSuchThing
from matrix.domain.phrases import Phrase
from matrix.index import current_knowledge


class SnapshotOne(Endpoint):
    """What is known about kept bytes."""

    @extend_schema(operation_id="snapshots_retrieve", responses=schemas.SnapshotAnswer)
    def get(self, request: Request, sha256: str) -> HttpResponse:
        """The bytes' metadata; the bytes themselves are saved from ``links.raw``."""
        snapshot = find_snapshot(sha256, with_body=False)
        if snapshot is None:
            raise NoSuchThing(what=Phrase("snapshot"), value=sha256)
        newest = [row.pk for row in retrievals_of(sha256, most=1)]
        stamp = [sha256, newest, count_citing_claims(sha256), current_knowledge().revision]
        return self.answer(request, lambda: plain_snapshot(snapshot), depends_on=stamp)
