"""Dossiers: listed, looked at, assessed, due; and what changed since one was frozen."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime

from django.db.models import Count, Max, Sum
from django.utils import timezone

from matrix.domain.dossier_changes import (
    AUTOMATIC,
    ClaimNow,
    DossierChange,
    RunNow,
    changes_between_assessments,
    pinned_claims,
)
from matrix.domain.dossiers import DossierAssessment
from matrix.index import current_knowledge
from matrix.measuring import measured_by_references
from matrix.models import Claim, Dossier, DossierRecheck
from matrix.models.dossiers import DossierQuerySet
from matrix.queries.dossier_assessing import assess
from matrix.queries.dossier_content import assessment_of
from matrix.queries.dossier_pins import Instant
from matrix.queries.dossier_specs import spec_of_content, spec_of_rows

_PARTS = ("candidates", "criteria", "scores", "waivers")


def listed_dossiers() -> DossierQuerySet:
    """All dossiers, newest first, with the version that each replaces. **Queries**: 1."""
    return Dossier.objects.select_related("replaces", "replaced_by").defer("content")


def dossier_of(uid: str) -> Dossier | None:
    """The dossier of an identifier with its parts. **Queries**: 1 and 1 for each kind of part."""
    rows = Dossier.objects.select_related("replaces", "replaced_by").prefetch_related(*_PARTS)
    return rows.named(uid).first()


def versions_of(series: str) -> DossierQuerySet:
    """The versions of a dossier, newest first. **Queries**: 1."""
    return listed_dossiers().filter(series=series).order_by("-version")


def assess_dossier(dossier: Dossier) -> DossierAssessment:
    """What a page or export shows: of a frozen one its content, of a draft as it stands now."""
    if dossier.state == "frozen":
        return assessment_of(dossier.content)
    return assess_draft(dossier, now=timezone.now())


def assess_draft(dossier: Dossier, *, now: datetime) -> DossierAssessment:
    """A draft at its dates; at today and now where it has none.

    **Dates**: knowledge is counted by whole days of the recorded clock.
    """
    known_at = dossier.known_at
    at = Instant(as_of=dossier.as_of or now.date(), known_on=known_at.date() if known_at else None)
    return assess(spec_of_rows(dossier), current_knowledge(), at=at, known_at=known_at, now=now)


# -- re-checks ------------------------------------------------------------------------------------


def due_dossiers(on: date) -> list[Dossier]:
    """Frozen newest versions that fall due by a day, the longest overdue first.

    Due are the re-check that was set last, and the removal of a waiver, which makes its dossier
    due until a re-check on or after that day says so. **Queries**: 3.
    """
    rows = listed_dossiers().frozen().current().prefetch_related("waivers", "rechecks")
    return sorted(
        (row for row in rows if (day := due_on(row)) is not None and day <= on),
        key=lambda row: (due_on(row) or on, row.uid),
    )


def due_on(dossier: Dossier) -> date | None:
    """The day on which a frozen dossier falls due next; ``None`` for never.

    One that changed by an automatic re-check is due since then, until a person re-checks it.
    **Queries**: 2, none where ``waivers`` and ``rechecks`` are prefetched.
    """
    rechecks = list(dossier.rechecks.all())
    last = _last_of(rechecks)
    if last is not None and _waits(last):
        return last.as_of
    planned = last.next_on if last is not None else dossier.recheck_on
    seen = max((r.as_of for r in rechecks), default=None)
    waivers = [w.remove_by for w in dossier.waivers.all() if seen is None or w.remove_by > seen]
    return min((day for day in (planned, *waivers) if day is not None), default=None)


def waits_for_people(dossier: Dossier) -> bool:
    """Whether the last re-check was automatic and found changes.

    **Queries**: 1, none where ``rechecks`` are prefetched.
    """
    last = _last_of(dossier.rechecks.all())
    return last is not None and _waits(last)


def _waits(last: DossierRecheck) -> bool:
    return last.checked_by == AUTOMATIC and bool(last.changes)


def _last_of(rechecks: Iterable[DossierRecheck]) -> DossierRecheck | None:
    return max(rechecks, key=lambda r: (r.at, r.pk), default=None)


def overdue_waivers(on: date) -> list[tuple[Dossier, str, date]]:
    """Waivers of frozen newest versions whose day has passed: dossier, plan and day.

    **Queries**: 2.
    """
    rows = listed_dossiers().frozen().current().prefetch_related("waivers")
    return sorted(
        (
            (row, waiver.removal_plan, waiver.remove_by)
            for row in rows
            for waiver in row.waivers.all()
            if waiver.remove_by < on
        ),
        key=lambda found: (found[2], found[0].uid),
    )


def changes_since(
    dossier: Dossier, *, on: date | None = None, now: datetime | None = None
) -> tuple[DossierAssessment, tuple[DossierChange, ...]]:
    """The same questions asked on a day, and what differs from the frozen content.

    **Dates**: all that is recorded now counts; ``on`` is today where it is not given.
    **Raises**: ``InvalidValue`` for content of an unknown form.
    """
    clock = now or timezone.now()
    before = assessment_of(dossier.content)
    at = Instant(as_of=on or clock.date(), known_on=None)
    after = assess(spec_of_content(before), current_knowledge(), at=at, known_at=None, now=clock)
    references = [run.reference for c in before.candidates for run in c.runs]
    runs = {
        run.reference: RunNow(digest=run.digest, state=run.state)
        for run in measured_by_references(list(dict.fromkeys(references)))
    }
    claims = claims_now(list(pinned_claims(before)))
    return after, changes_between_assessments(before, after, claims=claims, runs=runs)


def claims_now(uids: Sequence[str]) -> dict[str, ClaimNow]:
    """How claims stand now; unknown ones are left out. **Queries**: 1."""
    rows = Claim.objects.filter(uid__in=uids).select_related("superseded_by")
    found = {}
    for row in rows:
        ended = row.withdrawn_at or row.superseded_at
        state = "standing"
        if ended is not None:
            state = "withdrawn" if row.withdrawn_at else "superseded"
        found[row.uid] = ClaimNow(
            state=state,
            reason=row.reason,
            by=row.superseded_by.uid if row.superseded_by else "",
            on=ended.date() if ended else None,
        )
    return found


def latest_recheck(dossier: Dossier) -> DossierRecheck | None:
    """The last re-check. **Queries**: 1."""
    return dossier.rechecks.order_by("-at", "-id").first()


def dossiers_stamp() -> tuple[object, ...]:
    """What a list of dossiers depends on, for entity tags. **Queries**: 1."""
    found = Dossier.objects.aggregate(
        count=Count("id"), last=Max("id"), editions=Sum("edition"), frozen=Max("frozen_at")
    )
    return tuple(found.values())
