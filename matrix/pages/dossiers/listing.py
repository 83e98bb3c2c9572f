"""The list of dossiers and the queue of what is due."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Prefetch, QuerySet
from django.utils.translation import gettext as _

from matrix.models import Dossier, DossierCandidate
from matrix.queries.dossiers import due_dossiers, due_on, listed_dossiers, overdue_waivers

STATES = ("draft", "frozen")
LONGEST_DECISION = 160
PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class DossierLine:
    """One dossier in the list. ``due`` is the day since which a re-check is due."""

    dossier: Dossier
    chosen: Sequence[str]
    decision: str
    candidates: int
    comments: int
    sign_offs: int
    dissents: int
    next_on: date | None
    due: date | None


@dataclass(frozen=True, slots=True)
class QueueLine:
    """Something that is due: a re-check, or the end of a waiver."""

    uid: str
    title: str
    day: date
    what: str
    plan: str


def listed(*, state: str = "", everything: bool = False) -> QuerySet[Dossier]:
    """The rows of the list, newest first; older versions only when everything is asked for."""
    rows = listed_dossiers().prefetch_related(
        "waivers", "rechecks", "sign_offs", Prefetch("candidates", DossierCandidate.objects.all())
    )
    rows = rows if everything else rows.current()
    rows = rows.filter(state=state) if state in STATES else rows
    return rows.annotate(comment_count=Count("comments")).order_by("-opened_at", "-id")


def dossier_lines(rows: Iterable[Dossier], *, today: date) -> list[DossierLine]:
    """The lines of fetched rows. **Queries**: none where ``listed`` fetched them."""
    return [_line(row, today) for row in rows]


def _line(row: Dossier, today: date) -> DossierLine:
    candidates = list(row.candidates.all())
    signed = [s.stance for s in row.sign_offs.all()]
    next_on = due_on(row) if row.state == "frozen" and not hasattr(row, "replaced_by") else None
    return DossierLine(
        dossier=row,
        chosen=[c.name for c in candidates if c.is_chosen],
        decision=_shortened(row.decision),
        candidates=len(candidates),
        comments=getattr(row, "comment_count", 0),
        sign_offs=len(signed),
        dissents=signed.count("dissent"),
        next_on=next_on,
        due=next_on if next_on is not None and next_on <= today else None,
    )


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_DECISION else f"{line[: LONGEST_DECISION - 1]}…"


def due_queue(today: date) -> list[QueueLine]:
    """What is due by today, the longest overdue first. **Queries**: 5."""
    waivers = [
        QueueLine(row.uid, row.title, day, str(_("a waiver was to end")), plan)
        for row, plan, day in overdue_waivers(today)
    ]
    seen = {(line.uid, line.day) for line in waivers}
    rechecks = [
        QueueLine(row.uid, row.title, day, str(_("a re-check is due")), "")
        for row in due_dossiers(today)
        if (day := due_on(row)) is not None and (row.uid, day) not in seen
    ]
    return sorted([*waivers, *rechecks], key=lambda line: (line.day, line.title, line.uid))
