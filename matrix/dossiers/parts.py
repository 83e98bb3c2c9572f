"""What belongs to a draft: candidates, criteria, scores and waivers, each named by its key.

A key is the position as text. It may come to mean another row once its own was removed; the
edition that every change names guards against that.
"""

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from matrix.domain.phrases import Phrase
from matrix.domain.scorecard import CriterionKind
from matrix.dossiers.drafts import audit_change, draft_to_change, raise_edition
from matrix.dossiers.errors import UnknownDossier, invalid
from matrix.dossiers.values import (
    LONGEST_NAME,
    LONGEST_TEXT,
    Reader,
    checked_criterion,
    checked_effort,
    checked_layout,
    checked_passes,
    checked_points,
    checked_words,
    free_text,
    later_day,
    needed_line,
    needed_text,
    read_fields,
    yes_or_no,
)
from matrix.models import (
    Dossier,
    DossierCandidate,
    DossierCriterion,
    DossierScore,
    DossierWaiver,
)

MOST_CANDIDATES = 20
_KEY = re.compile(r"[0-9]{1,4}", re.ASCII)
MOST_CRITERIA = 40


_CANDIDATE_READERS: Mapping[str, Reader] = {
    "name": lambda v: needed_line("name", v, longest=LONGEST_NAME),
    "words": checked_words,
    "layout": lambda v: checked_layout(v or {}),
    "effort": lambda v: checked_effort(v or {}),
    "note": partial(free_text, "note"),
    "is_chosen": lambda v: yes_or_no("is_chosen", v),
}
CANDIDATE_FIELDS = tuple(_CANDIDATE_READERS)
CRITERION_FIELDS = ("name", "kind", "check_code", "threshold", "weight_percent", "note")
_NEW_CANDIDATE: Mapping[str, Any] = {"name": "", "words": []}
_NEW_CRITERION: Mapping[str, Any] = {
    "name": "", "kind": "", "check_code": "", "threshold": {}, "weight_percent": 0, "note": "",
}  # fmt: skip


@transaction.atomic
def put_candidate(
    uid: str, *, edition: int, actor: str, key: str | None = None, **fields: Any
) -> Dossier:
    """Adds a candidate, or changes the given fields of that of a key.

    ``fields`` are those of ``CANDIDATE_FIELDS``; a new one needs ``name`` and ``words``.
    **Raises**: ``UnknownDossier``, ``FrozenDossier``, ``StaleEdition``, ``InvalidDossier``.
    """
    dossier = draft_to_change(uid, edition=edition)
    row = _find(dossier, DossierCandidate, key, what=Phrase("candidate")) if key else None
    given = fields if row is not None else {**_NEW_CANDIDATE, **fields}
    values = read_fields(given, _CANDIDATE_READERS)
    row = _put(
        dossier, row or DossierCandidate(), values, what=Phrase("candidate"), most=MOST_CANDIDATES
    )
    after = {"key": str(row.position), **values}
    audit_change(dossier, "put-candidate", actor=actor, after=after)
    return raise_edition(dossier)


@transaction.atomic
def remove_candidate(uid: str, *, edition: int, actor: str, key: str) -> Dossier:
    """Takes a candidate out with its scores and waivers. **Raises**: as ``put_candidate``."""
    dossier = draft_to_change(uid, edition=edition)
    row = _find(dossier, DossierCandidate, key, what=Phrase("candidate"))
    audit_change(dossier, "remove-candidate", actor=actor, before={"key": key, "name": row.name})
    row.delete()
    return raise_edition(dossier)


@transaction.atomic
def put_criterion(
    uid: str, *, edition: int, actor: str, key: str | None = None, **fields: Any
) -> Dossier:
    """Adds a criterion, or changes the given fields of that of a key.

    ``fields`` are those of ``CRITERION_FIELDS``; a new one needs ``name`` and ``kind``.
    **Raises**: ``UnknownDossier``, ``FrozenDossier``, ``StaleEdition``, ``InvalidDossier``.
    """
    dossier = draft_to_change(uid, edition=edition)
    row = _find(dossier, DossierCriterion, key, what=Phrase("criterion")) if key else None
    before = {name: getattr(row, name) for name in CRITERION_FIELDS} if row else _NEW_CRITERION
    values = checked_criterion({**before, **fields})
    row = _put(
        dossier, row or DossierCriterion(), values, what=Phrase("criterion"), most=MOST_CRITERIA
    )
    # What was said of the other kind of criterion means nothing for this one.
    other = {"points": None} if values["kind"] == CriterionKind.KNOCK_OUT else {"passes": None}
    row.scores.update(**other)
    after = {"key": str(row.position), **values}
    audit_change(dossier, "put-criterion", actor=actor, after=after)
    return raise_edition(dossier)


@transaction.atomic
def remove_criterion(uid: str, *, edition: int, actor: str, key: str) -> Dossier:
    """Takes a criterion out with its scores and waivers. **Raises**: as ``put_criterion``."""
    dossier = draft_to_change(uid, edition=edition)
    row = _find(dossier, DossierCriterion, key, what=Phrase("criterion"))
    audit_change(dossier, "remove-criterion", actor=actor, before={"key": key, "name": row.name})
    row.delete()
    return raise_edition(dossier)


@transaction.atomic
def put_score(
    uid: str,
    *,
    edition: int,
    actor: str,
    candidate: str,
    criterion: str,
    points: int | None = None,
    passes: bool | None = None,
    note: str = "",
) -> Dossier:
    """How people judge a candidate on a criterion; a judgement without all three is taken back.

    A weighted criterion takes points, a knock-out takes ``passes``; each needs a reason.
    **Raises**: ``UnknownDossier``, ``FrozenDossier``, ``StaleEdition``, ``InvalidDossier``.
    """
    dossier = draft_to_change(uid, edition=edition)
    who = _find(dossier, DossierCandidate, candidate, what=Phrase("candidate"))
    what = _find(dossier, DossierCriterion, criterion, what=Phrase("criterion"))
    values = read_fields(
        {"points": points, "passes": passes, "note": note},
        {"points": checked_points, "passes": checked_passes, "note": partial(free_text, "note")},
    )
    _check_judgement(what, values)
    old = DossierScore.objects.filter(candidate=who, criterion=what)
    if all(values[name] in (None, "") for name in values):
        old.delete()
    else:
        said = {**values, "dossier": dossier, "scored_by": actor, "scored_at": timezone.now()}
        DossierScore.objects.update_or_create(candidate=who, criterion=what, defaults=said)
    after = {"candidate": candidate, "criterion": criterion, **values}
    audit_change(dossier, "put-score", actor=actor, after=after)
    return raise_edition(dossier)


def _check_judgement(criterion: DossierCriterion, values: Mapping[str, Any]) -> None:
    weighted = criterion.kind == CriterionKind.WEIGHTED
    name, other = ("points", "passes") if weighted else ("passes", "points")
    if values[other] is not None:
        raise invalid(
            other,
            values[other],
            Phrase("{name}, because the criterion is {kind}", name=name, kind=criterion.kind),
        )
    if values[name] is not None and not values["note"]:
        raise invalid("note", "", Phrase("the reason of the judgement"))


@transaction.atomic
def grant_waiver(
    uid: str,
    *,
    edition: int,
    actor: str,
    candidate: str,
    reason: str,
    removal_plan: str,
    remove_by: date | str | None,
    criterion: str = "",
) -> Dossier:
    """Accepts a knock-out (or, without a criterion, a gap) of a candidate until a day.

    **Raises**: ``UnknownDossier``, ``FrozenDossier``, ``StaleEdition``, ``InvalidDossier``.
    """
    dossier = draft_to_change(uid, edition=edition)
    who = _find(dossier, DossierCandidate, candidate, what=Phrase("candidate"))
    what = (
        _find(dossier, DossierCriterion, criterion, what=Phrase("criterion")) if criterion else None
    )
    if what is not None and what.kind != CriterionKind.KNOCK_OUT:
        raise invalid("criterion", what.name, Phrase("a knock-out, because points need no waiver"))
    day = dossier.as_of or timezone.now().date()
    values = read_fields(
        {"reason": reason, "removal_plan": removal_plan, "remove_by": remove_by},
        {
            "reason": lambda v: needed_text("reason", v, longest=LONGEST_TEXT),
            "removal_plan": lambda v: needed_text("removal_plan", v, longest=LONGEST_TEXT),
            "remove_by": lambda v: later_day("remove_by", v, after=day),
        },
    )
    if values["remove_by"] is None:
        raise invalid("remove_by", "", Phrase("a day after {day}", day=day))
    dossier.waivers.filter(candidate=who, criterion=what).delete()
    DossierWaiver.objects.create(
        dossier=dossier, candidate=who, criterion=what, granted_by=actor,
        granted_at=timezone.now(), **values,
    )  # fmt: skip
    after = {"candidate": candidate, "criterion": criterion, "reason": values["reason"],
             "remove_by": values["remove_by"].isoformat()}  # fmt: skip
    audit_change(dossier, "grant-waiver", actor=actor, after=after)
    return raise_edition(dossier)


@transaction.atomic
def remove_waiver(
    uid: str, *, edition: int, actor: str, candidate: str, criterion: str = ""
) -> Dossier:
    """Takes a waiver back. **Raises**: as ``grant_waiver``."""
    dossier = draft_to_change(uid, edition=edition)
    who = _find(dossier, DossierCandidate, candidate, what=Phrase("candidate"))
    what = (
        _find(dossier, DossierCriterion, criterion, what=Phrase("criterion")) if criterion else None
    )
    removed, _ = dossier.waivers.filter(candidate=who, criterion=what).delete()
    if not removed:
        raise UnknownDossier(what=Phrase("waiver"), value=f"{candidate} {criterion}".strip())
    before = {"candidate": candidate, "criterion": criterion}
    audit_change(dossier, "remove-waiver", actor=actor, before=before)
    return raise_edition(dossier)


# -- rows -----------------------------------------------------------------------------------------


def _put(dossier: Dossier, row: Any, values: Mapping[str, Any], *, what: str, most: int) -> Any:
    """The row with the values; a new one stands behind all others."""
    rows = type(row).objects.filter(dossier=dossier)
    if "name" in values and rows.filter(name=values["name"]).exclude(pk=row.pk).exists():
        raise invalid(
            "name",
            values["name"],
            Phrase("a name that no other {what} of the dossier has", what=what),
        )
    if row.pk is None:
        if rows.count() >= most:
            raise invalid(
                what, Phrase("{count} of them", count=most + 1), Phrase("at most {most}", most=most)
            )
        row.dossier = dossier
        row.position = _next_position(dossier, type(row))
    for name, value in values.items():
        setattr(row, name, value)
    row.save()
    return row


def _next_position(dossier: Dossier, model: Any) -> int:
    last = model.objects.filter(dossier=dossier).aggregate(last=Max("position"))["last"]
    return (last or 0) + 1


def _find(dossier: Dossier, model: Any, key: str, *, what: str) -> Any:
    """The row of a key. **Raises**: ``UnknownDossier``."""
    rows = model.objects.filter(dossier=dossier)
    row = rows.filter(position=int(key)).first() if _KEY.fullmatch(key) else None
    if row is None:
        raise UnknownDossier(what=Phrase("{what} of the dossier", what=what), value=key)
    return row
