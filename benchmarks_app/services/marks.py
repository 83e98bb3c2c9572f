"""Marks in histories: people say that what is measured changed, and why."""

from django.db import transaction
from django.utils import timezone

from benchmarks_app.models import ChangeMark, Run
from benchmarks_app.services.masking import mask, storable_text
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.services import write_audit

LONGEST_REASON = 2_000
SERIES_LENGTH = 32


@transaction.atomic
def set_mark(*, series: str, run_uid: str, reason: str, actor: str) -> ChangeMark:
    """The mark from a run on; one that stands already is returned unchanged.

    **Raises**: ``InvalidValue`` for an unknown run, a key that is none, or a missing reason.
    """
    text = " ".join(mask(storable_text(reason)).split())
    if not text or len(text) > LONGEST_REASON:
        raise InvalidValue(
            name="reason",
            value=text[:60],
            accepted=Phrase(
                "a reason of up to {longest_reason} letters", longest_reason=LONGEST_REASON
            ),
        )
    if len(series) != SERIES_LENGTH or not series.isalnum():
        raise InvalidValue(name="series", value=series[:60], accepted=Phrase("the key of a series"))
    if not (run_uid.isalnum() and Run.objects.public().filter(uid=run_uid).exists()):
        raise InvalidValue(name="run", value=run_uid[:40], accepted=Phrase("a run of the series"))
    standing = ChangeMark.objects.filter(series=series, run_uid=run_uid, removed_at__isnull=True)
    if found := standing.first():
        return found
    mark = ChangeMark.objects.create(
        series=series, run_uid=run_uid, reason=text, made_by=actor, made_at=timezone.now()
    )
    write_audit(
        actor=actor,
        action="benchmarks.set-mark",
        subject=f"benchmarks:mark:{mark.pk}",
        after={"series": series, "run": run_uid, "reason": text},
    )
    return mark


@transaction.atomic
def remove_mark(pk: int, *, actor: str) -> ChangeMark | None:
    """The mark, taken out; ``None`` where no such mark stands. Its row stays."""
    mark = ChangeMark.objects.select_for_update().filter(pk=pk, removed_at__isnull=True).first()
    if mark is None:
        return None
    mark.removed_by, mark.removed_at = actor, timezone.now()
    mark.save(update_fields=["removed_by", "removed_at"])
    write_audit(
        actor=actor,
        action="benchmarks.remove-mark",
        subject=f"benchmarks:mark:{mark.pk}",
        before={"series": mark.series, "run": mark.run_uid, "reason": mark.reason},
    )
    return mark
