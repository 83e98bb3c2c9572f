"""The context of a claim's page: what was said, over which releases, and every place of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from matrix.convert import ClaimReader, document_value
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.levels import EndpointKind
from matrix.models import Claim as ClaimRow
from matrix.pages.evidence import (
    ConditionLine,
    Place,
    claim_marks,
    condition_line,
    place_of,
    scope_lines,
)
from matrix.pages.links import node_name


@dataclass(frozen=True, slots=True)
class ObservationView:
    """One document saying it. **Dates**: ``stated_on`` valid clock, ``recorded_at`` recorded."""

    release: str
    stated_on: date
    recorded_at: datetime
    raw: str
    place: Place
    sha256: str
    retrieved_at: datetime | None


@dataclass(frozen=True, slots=True)
class ClaimPage:
    """Everything on a claim's page."""

    uid: str
    claim: Claim
    framework_name: str
    scope: Sequence[str]
    marks: Sequence[str | Promise]
    validity: str
    conditions: Sequence[ConditionLine]
    observations: Sequence[ObservationView]
    standing: bool
    reason: str
    superseded_by: str
    supersedes: Sequence[str]
    shipped: bool


def build_claim_page(row: ClaimRow, catalogue: Catalogue) -> ClaimPage:
    """The page of a claim row fetched with its evidence."""
    rows = list(row.observations.all())
    documents = {seen.document_id: document_value(seen.document) for seen in rows}
    reader = ClaimReader({row.framework_id: row.framework.slug}, documents)
    claim = reader.claim(row, [reader.observation(seen) for seen in rows])
    views = [
        ObservationView(
            release=value.release,
            stated_on=value.stated_on,
            recorded_at=seen.recorded_at,
            raw=value.raw,
            place=place_of(value.document, value.locator, reference=claim.reference),
            sha256=value.document.sha256,
            retrieved_at=value.document.retrieved_at,
        )
        for seen, value in zip(rows, claim.observations, strict=True)
    ]
    return ClaimPage(
        uid=row.uid,
        claim=claim,
        framework_name=node_name(catalogue, "framework", claim.framework),
        scope=scope_lines(catalogue, claim.scope),
        marks=claim_marks(claim),
        validity=validity_sentence(claim),
        conditions=[condition_line(c) for c in claim.conditions],
        observations=views[::-1],
        standing=row.superseded_at is None and row.withdrawn_at is None,
        reason=row.reason,
        superseded_by=row.superseded_by.uid if row.superseded_by else "",
        supersedes=sorted(old.uid for old in row.supersedes.all()),
        shipped=row.shipped,
    )


def validity_sentence(claim: Claim) -> str:
    """Over which releases it was stated; the kinds of the endpoints are told, not hidden."""
    validity = claim.validity
    words = {"first": validity.first, "last": validity.last, "after": validity.after}
    if validity.first_kind is EndpointKind.AT_OR_BEFORE:
        start = _("at %(first)s or before") % words
    elif validity.first_kind is EndpointKind.BETWEEN:
        start = _("after %(after)s, by %(first)s") % words
    else:
        start = _("at %(first)s") % words
    if validity.gone:
        end = _("last seen at %(last)s, no longer at %(gone)s (%(day)s)") % {
            **words,
            "gone": validity.gone,
            "day": validity.gone_on.isoformat() if validity.gone_on else "–",
        }
    else:
        end = _("last seen at %(last)s") % words
    text = _("Begins %(start)s; %(end)s.") % {"start": start, "end": end}
    if validity.open_ended:
        text += " " + _("The source says it of all later releases.")
    return text
