"""Re-checks of frozen dossiers: what changed since, kept with the day it was found."""

from datetime import date

from django.db import transaction
from django.utils import timezone, translation

from matrix.domain.dossier_changes import AUTOMATIC
from matrix.domain.phrases import Phrase
from matrix.dossiers.drafts import audit_change
from matrix.dossiers.errors import DraftDossier, UnknownDossier
from matrix.dossiers.freezing import default_recheck
from matrix.dossiers.values import free_text, later_day, past_day, read_fields
from matrix.models import Dossier, DossierRecheck
from matrix.queries.dossier_content import plain_value
from matrix.queries.dossiers import changes_since, due_dossiers, waits_for_people


@transaction.atomic
def recheck_dossier(
    uid: str,
    *,
    actor: str,
    on: date | str | None = None,
    next_on: date | str | None = None,
    note: str = "",
) -> DossierRecheck:
    """Asks everything of a frozen dossier again on a day (today) and keeps what differs.

    ``next_on`` is 90 days later where it is not named.
    **Raises**: ``UnknownDossier``, ``DraftDossier``, ``InvalidDossier``.
    """
    dossier = Dossier.objects.named(uid).first()
    if dossier is None:
        raise UnknownDossier(what=Phrase("dossier"), value=uid)
    if dossier.state != "frozen":
        raise DraftDossier(uid=uid, what=Phrase("re-check"))
    now = timezone.now()
    values = read_fields(
        {"on": on, "note": note},
        {"on": lambda v: past_day("on", v), "note": lambda v: free_text("note", v)},
    )
    day = values["on"] or now.date()
    after_day = read_fields(
        {"next_on": next_on}, {"next_on": lambda v: later_day("next_on", v, after=day)}
    )
    with translation.override("en"):
        after, changes = changes_since(dossier, on=day, now=now)
    row = DossierRecheck.objects.create(
        dossier=dossier,
        as_of=day,
        revision=after.revision,
        ruleset=after.ruleset,
        changes=plain_value(changes),
        next_on=after_day["next_on"] or default_recheck(day),
        note=values["note"],
        checked_by=actor,
        at=now,
    )
    said = {"as_of": day.isoformat(), "changes": len(changes), "next_on": str(row.next_on)}
    audit_change(dossier, "recheck-dossier", actor=actor, after=said)
    return row


def recheck_due(*, on: date | None = None, actor: str = AUTOMATIC) -> list[DossierRecheck]:
    """Re-checks every dossier that is due by a day (today), each in a transaction of its own.

    One whose changes already wait for a person is left to that person.
    """
    day = on or timezone.now().date()
    due = [dossier for dossier in due_dossiers(day) if not waits_for_people(dossier)]
    return [recheck_dossier(dossier.uid, actor=actor, on=day) for dossier in due]
