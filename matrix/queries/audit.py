"""The audit log, read in pages by position, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import QuerySet

from matrix.models import AuditEntry

PAGE_ENTRIES = 50


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What of the log is wanted; empty asks nothing.

    **Dates**: both days count wholly, in UTC, by the time of writing.
    """

    actor: str = ""
    action: str = ""
    subject: str = ""
    first_day: date | None = None
    last_day: date | None = None


def audit_entries(wanted: AuditFilter) -> QuerySet[AuditEntry]:
    """The entries that pass the filter, newest first."""
    rows = AuditEntry.objects.order_by("-id")
    if wanted.actor:
        rows = rows.filter(actor=wanted.actor)
    if wanted.action:
        rows = rows.filter(action=wanted.action)
    if wanted.subject:
        rows = rows.filter(subject__startswith=wanted.subject)
    if wanted.first_day:
        rows = rows.filter(at__gte=datetime.combine(wanted.first_day, time(), UTC))
    if wanted.last_day:
        after = datetime.combine(wanted.last_day, time(), UTC) + timedelta(days=1)
        rows = rows.filter(at__lt=after)
    return rows


def audit_page(
    wanted: AuditFilter, *, before: int | None = None
) -> tuple[Sequence[AuditEntry], int | None]:
    """One page of entries older than ``before``, and where the next one begins. **Queries**: 1."""
    rows = audit_entries(wanted)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: PAGE_ENTRIES + 1])
    more = len(found) > PAGE_ENTRIES
    shown = found[:PAGE_ENTRIES]
    return shown, shown[-1].pk if more else None


def audit_actions() -> list[str]:
    """Every kind of action that the log holds. **Queries**: 1."""
    return sorted(AuditEntry.objects.order_by().values_list("action", flat=True).distinct())
