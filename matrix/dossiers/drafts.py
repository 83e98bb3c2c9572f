"""Drafts of dossiers: opened, changed from the newest edition only, discarded."""

import secrets
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from matrix.domain.phrases import Phrase
from matrix.dossiers.errors import FrozenDossier, StaleEdition, UnknownDossier
from matrix.dossiers.values import (
    LONGEST_TITLE,
    Reader,
    checked_need,
    free_text,
    later_day,
    needed_line,
    past_day,
    past_moment,
    read_fields,
)
from matrix.models import Dossier
from matrix.services import write_audit

_READERS: Mapping[str, Reader] = {
    "title": lambda v: needed_line("title", v, longest=LONGEST_TITLE),
    "summary": partial(free_text, "summary"),
    "need": checked_need,
    "as_of": partial(past_day, "as_of"),
    "known_at": partial(past_moment, "known_at"),
    "decision": partial(free_text, "decision"),
    "recheck_on": partial(later_day, "recheck_on"),
}
CHANGEABLE = tuple(_READERS)


def new_uid() -> str:
    """An identifier that says nothing."""
    return secrets.token_hex(10)


@transaction.atomic
def open_dossier(
    *,
    title: str,
    actor: str,
    summary: str = "",
    need: Mapping[str, Any] | None = None,
    as_of: date | str | None = None,
    recheck_on: date | str | None = None,
    uid: str = "",
    is_demonstration: bool = False,
) -> Dossier:
    """A new draft. **Raises**: ``InvalidDossier`` with every problem."""
    values = read_fields(
        {"title": title, "summary": summary, "need": need or {}, "as_of": as_of,
         "recheck_on": recheck_on},
        _READERS,
    )  # fmt: skip
    uid = uid or new_uid()
    dossier = Dossier.objects.create(
        uid=uid,
        series=uid,
        is_demonstration=is_demonstration,
        opened_by=actor,
        opened_at=timezone.now(),
        **values,
    )
    audit_change(dossier, "open-dossier", actor=actor, after={"title": dossier.title})
    return dossier


@transaction.atomic
def change_dossier(uid: str, *, edition: int, actor: str, **fields: Any) -> Dossier:
    """Changes fields of a draft, those that are given; see ``CHANGEABLE``.

    **Raises**: ``UnknownDossier``, ``FrozenDossier``, ``StaleEdition``, ``InvalidDossier``.
    """
    dossier = draft_to_change(uid, edition=edition)
    values = read_fields(fields, _READERS)
    before = {name: getattr(dossier, name) for name in values}
    for name, value in values.items():
        setattr(dossier, name, value)
    changed = [name for name in values if before[name] != values[name]]
    if changed:
        dossier.save(update_fields=changed)
        audit_change(
            dossier,
            "change-dossier",
            actor=actor,
            before={name: _plain(before[name]) for name in changed},
            after={name: _plain(values[name]) for name in changed},
        )
    return raise_edition(dossier)


@transaction.atomic
def delete_draft(uid: str, *, edition: int, actor: str) -> None:
    """Discards a draft with all that belongs to it; a frozen dossier stays.

    **Raises**: ``UnknownDossier``, ``FrozenDossier``, ``StaleEdition``.
    """
    dossier = draft_to_change(uid, edition=edition)
    audit_change(dossier, "delete-dossier", actor=actor, before={"title": dossier.title})
    dossier.delete()


def draft_to_change(uid: str, *, edition: int) -> Dossier:
    """The draft, locked until the end of the caller's transaction.

    **Raises**: ``UnknownDossier``, ``FrozenDossier``, ``StaleEdition``. **Queries**: 1.
    """
    dossier = Dossier.objects.select_for_update().named(uid).first()
    if dossier is None:
        raise UnknownDossier(what=Phrase("dossier"), value=uid)
    if dossier.state != "draft":
        raise FrozenDossier(uid=uid)
    if dossier.edition != edition:
        raise StaleEdition(uid=uid, edition=edition, current=dossier.edition)
    return dossier


def raise_edition(dossier: Dossier) -> Dossier:
    """The draft at its next edition, inside the caller's transaction."""
    dossier.edition += 1
    dossier.save(update_fields=["edition"])
    return dossier


def audit_change(
    dossier: Dossier, action: str, *, actor: str, before: object = None, after: object = None
) -> None:
    """One line of the audit log about a dossier."""
    subject = f"dossier:{dossier.uid}"
    write_audit(actor=actor, action=action, subject=subject, before=before, after=after)


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
