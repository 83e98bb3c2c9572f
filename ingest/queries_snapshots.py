"""Reads about kept bytes: what is kept, when it was taken, and which claims rest on it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from ingest.models import PageRecord, Retrieval, Snapshot
from matrix.models import Claim

_SHA256 = re.compile(r"[0-9a-f]{64}")
MOST_CITING_CLAIMS = 50
MOST_RETRIEVALS = 20


def find_snapshot(sha256: str, *, with_body: bool = True) -> Snapshot | None:
    """The kept bytes of that name. **Queries**: 1, none for what is no SHA-256."""
    if not _SHA256.fullmatch(sha256):
        return None
    rows = Snapshot.objects.all() if with_body else Snapshot.objects.defer("body")
    return rows.filter(pk=sha256).first()


def kept_addresses(names: Iterable[str]) -> Mapping[str, str]:
    """The addresses of the pages that show kept bytes, by SHA-256; what is not kept has none.

    **Queries**: 1, none where no name is one.
    """
    wanted = {name for name in names if _SHA256.fullmatch(name)}
    if not wanted:
        return {}
    kept = Snapshot.objects.filter(pk__in=wanted).values_list("pk", flat=True)
    return {name: reverse("snapshot", args=[name]) for name in kept}


def path_of(sha256: str) -> str:
    """The path under which the bytes are known, empty where none is. **Queries**: 1 or 2."""
    for table in (PageRecord, Retrieval):
        rows: Any = table.objects.filter(snapshot_id=sha256).exclude(path="")
        path = rows.values_list("path", flat=True).first()
        if path:
            return str(path)
    return ""


@dataclass(frozen=True, slots=True)
class CitingClaim:
    """A claim with an observation in the bytes. **Shapes**: ``locator`` is plain data."""

    uid: str
    framework: str
    statement: str
    level: str
    kind: str
    standing: bool
    release: str
    locator: Mapping[str, Any]


def citing_claims(sha256: str, *, most: int = MOST_CITING_CLAIMS) -> Sequence[CitingClaim]:
    """Observations that stand in the bytes, those of standing claims first. **Queries**: 1."""
    rows = (
        Claim.objects.filter(observations__document__sha256=sha256)
        .order_by("superseded_at", "withdrawn_at", "statement", "uid")
        .values_list(
            "uid",
            "framework__slug",
            "statement",
            "level",
            "kind",
            "superseded_at",
            "withdrawn_at",
            "observations__release",
            "observations__locator",
        )
    )
    found = [
        CitingClaim(
            uid=uid,
            framework=framework,
            statement=statement,
            level=level,
            kind=kind,
            standing=superseded is None and withdrawn is None,
            release=release,
            locator=locator,
        )
        for uid, framework, statement, level, kind, superseded, withdrawn, release, locator in rows[
            :most
        ]
    ]
    return sorted(found, key=lambda claim: not claim.standing)


def count_citing_claims(sha256: str) -> int:
    """How many claims have an observation in the bytes. **Queries**: 1."""
    rows = Claim.objects.filter(observations__document__sha256=sha256)
    return rows.values("pk").distinct().count()


def retrievals_of(sha256: str, *, most: int = MOST_RETRIEVALS) -> Sequence[Retrieval]:
    """The newest times that the bytes were taken. **Queries**: 1."""
    return list(Retrieval.objects.filter(snapshot_id=sha256)[:most])
