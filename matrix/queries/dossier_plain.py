"""Dossiers as plain data: what people wrote, what was said of it, and when it falls due."""

from datetime import date, datetime
from typing import Any

from matrix.models import Dossier, DossierRecheck, DossierSignOff

Plain = dict[str, Any]


def dossier_summary(dossier: Dossier) -> Plain:
    """A dossier in a list. **Queries**: none where ``replaces`` is selected."""
    return {
        "uid": dossier.uid,
        "series": dossier.series,
        "version": dossier.version,
        "replaces": dossier.replaces.uid if dossier.replaces else None,
        "title": dossier.title,
        "state": dossier.state,
        "is_demonstration": dossier.is_demonstration,
        "as_of": _iso(dossier.as_of),
        "known_at": moment_text(dossier.known_at),
        "ruleset": dossier.ruleset or None,
        "revision": dossier.revision,
        "decision": dossier.decision,
        "recheck_on": _iso(dossier.recheck_on),
        "edition": dossier.edition,
        "content_sha256": dossier.content_sha256 or None,
        "opened_by": dossier.opened_by,
        "opened_at": moment_text(dossier.opened_at),
        "frozen_by": dossier.frozen_by or None,
        "frozen_at": moment_text(dossier.frozen_at),
    }


def dossier_plain(dossier: Dossier) -> Plain:
    """A dossier with all that people wrote. **Queries**: 1 for each kind of part not prefetched."""
    candidates = list(dossier.candidates.all())
    criteria = list(dossier.criteria.all())
    keys = {row.pk: str(row.position) for row in candidates}
    names: dict[int | None, str] = {row.pk: str(row.position) for row in criteria}
    return {
        **dossier_summary(dossier),
        "summary": dossier.summary,
        "need": dossier.need,
        "candidates": [
            {
                "key": keys[row.pk],
                "name": row.name,
                "words": row.words,
                "layout": row.layout,
                "effort": row.effort,
                "note": row.note,
                "is_chosen": row.is_chosen,
            }
            for row in candidates
        ],
        "criteria": [
            {
                "key": names[row.pk],
                "name": row.name,
                "kind": row.kind,
                "check_code": row.check_code,
                "threshold": row.threshold,
                "weight_percent": row.weight_percent,
                "note": row.note,
            }
            for row in criteria
        ],
        "scores": [
            {
                "candidate": keys[row.candidate_id],
                "criterion": names[row.criterion_id],
                "points": row.points,
                "passes": row.passes,
                "note": row.note,
                "by": row.scored_by,
                "at": moment_text(row.scored_at),
            }
            for row in dossier.scores.all()
        ],
        "waivers": [
            {
                "candidate": keys[row.candidate_id],
                "criterion": names.get(row.criterion_id),
                "reason": row.reason,
                "removal_plan": row.removal_plan,
                "remove_by": row.remove_by.isoformat(),
                "granted_by": row.granted_by,
                "granted_at": moment_text(row.granted_at),
            }
            for row in dossier.waivers.all()
        ],
        "sign_offs": [sign_off_plain(row) for row in dossier.sign_offs.all()],
        "comments": [
            {"author": row.author, "at": moment_text(row.at), "text": row.text}
            for row in dossier.comments.all()
        ],
        "rechecks": [recheck_plain(row) for row in dossier.rechecks.all()],
    }


def sign_off_plain(row: DossierSignOff) -> Plain:
    """One person's word, and the account that recorded it: the name is what somebody typed."""
    return {
        "content_sha256": row.content_sha256,
        "person": row.person,
        "role": row.role,
        "stance": row.stance,
        "statement": row.statement,
        "recorded_by": row.recorded_by,
        "at": moment_text(row.at),
    }


def recheck_plain(row: DossierRecheck) -> Plain:
    """One re-check with what it found."""
    return {
        "as_of": row.as_of.isoformat(),
        "at": moment_text(row.at),
        "revision": row.revision,
        "ruleset": row.ruleset,
        "changes": row.changes,
        "next_on": _iso(row.next_on),
        "note": row.note,
        "checked_by": row.checked_by,
    }


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def moment_text(moment: datetime | None) -> str | None:
    """A moment in UTC with ``Z``."""
    return moment.isoformat().replace("+00:00", "Z") if moment else None
