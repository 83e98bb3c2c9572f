"""Claims with their evidence as plain data."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django.db.models import Prefetch

from matrix.domain import codec
from matrix.models import Claim, Observation
from matrix.queries.answers import condition_plain

Plain = dict[str, Any]


def listed_claims() -> Any:
    """Claims with what a list shows of them. **Queries**: 1."""
    return Claim.objects.select_related("framework", "superseded_by")


def claim_with_evidence(uid: str) -> Claim | None:
    """One claim with its observations and documents. **Queries**: 3."""
    seen = Observation.objects.select_related("document").order_by("stated_on", "pk")
    rows = listed_claims().prefetch_related(Prefetch("observations", queryset=seen), "supersedes")
    found: Claim | None = rows.filter(uid=uid).first()
    return found


def claim_plain(row: Claim) -> Plain:
    """What was said, over which releases, and how it stands; without its observations."""
    return {
        "uid": row.uid,
        "framework": row.framework.slug,
        "source": row.source,
        "statement": row.statement,
        "scope": row.scope,
        "level": row.level,
        "kind": row.kind,
        "tier": row.tier,
        "execution": row.execution,
        "outcome": row.outcome,
        "limit": row.limit or None,
        "note": row.note,
        "conditions": [condition_plain(c) for c in codec.conditions_from_plain(row.conditions)],
        "validity": {
            "first": row.first,
            "first_kind": row.first_kind,
            "after": row.after or None,
            "last": row.last,
            "gone": row.gone or None,
            "gone_on": _day(row.gone_on),
            "open_ended": row.open_ended,
        },
        "reference": row.reference or None,
        "parser": row.parser or None,
        "shipped": row.shipped,
        "standing": row.superseded_at is None and row.withdrawn_at is None,
        "recorded_at": _moment(row.recorded_at),
        "superseded_at": _moment(row.superseded_at),
        "superseded_by": row.superseded_by.uid if row.superseded_by else None,
        "withdrawn_at": _moment(row.withdrawn_at),
        "reason": row.reason or None,
    }


def claim_detail_plain(row: Claim) -> Plain:
    """The claim with every observation and its place in the record."""
    return {
        **claim_plain(row),
        "supersedes": sorted(old.uid for old in row.supersedes.all()),
        "observations": observations_plain(row.observations.all()),
    }


def observations_plain(rows: Iterable[Observation]) -> list[Plain]:
    """Observations with document and locator, in the given order."""
    return [_observation_plain(row) for row in rows]


def _observation_plain(row: Observation) -> Plain:
    document = row.document
    locator = codec.locator_from_plain(row.locator)
    return {
        "release": row.release,
        "stated_on": row.stated_on.isoformat(),
        "raw": row.raw,
        "locator": row.locator,
        "locator_text": codec.locator_text(locator),
        "recorded_at": _moment(row.recorded_at),
        "document": {
            "key": document.key,
            "url": document.url or None,
            "title": document.title or None,
            "version": document.version or None,
            "commit": document.commit or None,
            "path": document.path or None,
            "sha256": document.sha256 or None,
            "stated_on": _day(document.stated_on),
            "retrieved_at": _moment(document.retrieved_at),
        },
    }


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None


def claim_sources() -> list[str]:
    """The names of all sources that claims come from. **Queries**: 1."""
    return list(Claim.objects.order_by("source").values_list("source", flat=True).distinct())
