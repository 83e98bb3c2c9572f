"""Writes of maintenance periods that are not shipped: recorded and ended, never deleted."""

from datetime import date, datetime

from django.db import transaction

from matrix.domain.catalogue import MaintenancePeriod
from matrix.domain.errors import InvalidValue
from matrix.domain.levels import MaintenanceStatus
from matrix.domain.phrases import Phrase
from matrix.models import Framework
from matrix.models import MaintenancePeriod as PeriodRow
from matrix.services import raise_revision, write_audit


@transaction.atomic
def record_period(
    period: MaintenancePeriod,
    *,
    actor: str,
    now: datetime,
    snapshot_sha256: str = "",
    reason: str = "",
) -> PeriodRow:
    """Records a period with its evidence; the very same one is recorded once.

    **Raises**: ``InvalidValue`` without evidence, for a start in the future, or for a framework
    that the catalogue does not know.
    """  # fmt: skip
    if not period.url and not period.commit:
        raise InvalidValue(name="evidence", value="", accepted=Phrase("an address or a commit"))
    if period.start > now.date():
        raise InvalidValue(
            name="start",
            value=period.start.isoformat(),
            accepted=Phrase("a day up to {date}", date=now.date()),
        )
    owner = Framework.objects.filter(slug=period.framework).first()
    if owner is None:
        raise InvalidValue(
            name="framework",
            value=period.framework,
            accepted=Phrase("a framework of the catalogue"),
        )
    said = {
        "component": period.component,
        "status": period.status.value,
        "start_on": period.start,
        "start_kind": period.start_kind,
        "evidence_kind": period.evidence_kind.value,
        "strength": period.strength,
        "url": period.url,
    }
    row, created = PeriodRow.objects.get_or_create(
        framework=owner,
        shipped=False,
        **said,
        defaults={
            "end_on": period.end,
            "note": period.note,
            "commit": period.commit,
            "locator": period.locator,
            "stated_on": period.stated_on,
            "recorded_at": now,
            "snapshot_sha256": snapshot_sha256,
        },
    )
    if created:
        write_audit(
            actor=actor,
            action="record-period",
            subject=f"framework:{period.framework}",
            after={**said, "start_on": period.start.isoformat(), "reason": reason},
        )
        raise_revision()
    return row


@transaction.atomic
def end_periods(
    framework: str, status: MaintenanceStatus, *, strength: str, on: date, actor: str, reason: str
) -> int:
    """Ends the open periods of a status that were recorded here with a strength; how many.

    **Dates**: the period ends at or before ``on``, the day on which it was seen to be over.
    """
    rows = PeriodRow.objects.select_for_update().filter(
        framework__slug=framework, component="", status=status.value, strength=strength,
        end_on__isnull=True, shipped=False, start_on__lte=on,
    )  # fmt: skip
    ended = rows.update(end_on=on)
    if ended:
        write_audit(
            actor=actor,
            action="end-period",
            subject=f"framework:{framework}",
            before={"status": status.value, "strength": strength},
            after={"end_on": on.isoformat(), "reason": reason},
        )
        raise_revision()
    return ended
