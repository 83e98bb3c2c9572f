"""Verifies a dossier: its content against its hash, its sign-offs, and the claims that it pins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matrix.domain.canonical import content_sha256
from matrix.domain.dossier_changes import pinned_claims
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.domain.pinned import PinnedClaim
from matrix.dossiers.errors import DraftDossier
from matrix.models import Claim, Dossier
from matrix.queries.dossier_content import assessment_of
from matrix.queries.dossier_plain import moment_text, recheck_plain, sign_off_plain

EXPORT_FORM = "runproof-dossier-export-1"


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found. ``problems`` are sentences, none when it holds; ``notes`` say what is newer.

    **Shapes**: ``claims`` counts the pinned claims that were compared with those on record.
    """

    uid: str
    sha256: str
    claims: int
    sign_offs: int
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


def dossier_export(dossier: Dossier) -> dict[str, Any]:
    """A frozen dossier as the file that can be verified: content, hash and what was said of it.

    **Raises**: ``DraftDossier``. **Queries**: 3, those that are not prefetched.
    """
    if dossier.state != "frozen":
        raise DraftDossier(uid=dossier.uid, what=Phrase("export of its content"))
    return {
        "form": EXPORT_FORM,
        "content": dossier.content,
        "content_sha256": dossier.content_sha256,
        "frozen_by": dossier.frozen_by,
        "frozen_at": moment_text(dossier.frozen_at),
        "sign_offs": [sign_off_plain(row) for row in dossier.sign_offs.all()],
        "comments": [
            {"author": row.author, "at": moment_text(row.at), "text": row.text}
            for row in dossier.comments.all()
        ],
        "rechecks": [recheck_plain(row) for row in dossier.rechecks.all()],
    }


def verify_dossier(dossier: Dossier) -> Verification:
    """The stored dossier against itself and the claims on record. **Queries**: 4."""
    return _verified(dossier_export(dossier), must_know_claims=True)


def verify_export(plain: object) -> Verification:
    """An exported dossier against itself, and against the dossier and the claims on record here.

    The hash covers the content alone. What people said of it is held against the record where
    the dossier is on record, else a note says that nothing vouches for it. A claim that is not on
    record here is no problem. **Queries**: 6. **Raises**: ``InvalidValue`` for what is no export.
    """
    found = _verified(plain, must_know_claims=False)
    assert isinstance(plain, Mapping)
    problems, notes = _said_against_record(plain, found)
    return replace(found, problems=(*found.problems, *problems), notes=(*found.notes, *notes))


def _verified(plain: object, *, must_know_claims: bool) -> Verification:
    given = plain if isinstance(plain, Mapping) else {}
    if given.get("form") != EXPORT_FORM or not isinstance(given.get("content"), dict):
        raise InvalidValue(
            name="file",
            value=str(given.get("form"))[:60],
            accepted=Phrase("an export ({export_form})", export_form=EXPORT_FORM),
        )
    problems: list[str] = []
    named = str(given.get("content_sha256", ""))
    try:
        found = content_sha256(given["content"])
    except ValueError as error:
        raise InvalidValue(name="content", value=str(error)[:100], accepted="JSON") from error
    if found != named:
        problems.append(f"The content has the hash {found}, not {named[:64]!r} as it says.")
    sign_offs = _rows(given, "sign_offs")
    problems += [
        f"The sign-off of {str(row.get('person'))[:80]!r} names another hash."
        for row in sign_offs
        if row.get("content_sha256") != found
    ]
    content = assessment_of(given["content"])
    pinned = pinned_claims(content)
    differing, newer = _held_against_record(pinned, must_know=must_know_claims)
    return Verification(
        uid=content.uid,
        sha256=found,
        claims=len(pinned),
        sign_offs=len(sign_offs),
        problems=(*problems, *differing),
        notes=tuple(newer),
    )


_LISTS = ("sign_offs", "comments", "rechecks")


def _rows(given: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """What was said, as a list of objects. **Raises**: ``InvalidValue`` for anything else."""
    rows = given.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidValue(name=name, value=str(rows)[:60], accepted=Phrase("a list of objects"))
    return rows


def _said_against_record(
    given: Mapping[str, Any], found: Verification
) -> tuple[list[str], list[str]]:
    """Sentences on what the file says of people and the record does not, and on what is newer."""
    dossier = Dossier.objects.named(found.uid).frozen().first()
    if dossier is None:
        note = (
            "The dossier is not on record here, and the hash covers its content only: "
            "who froze it, sign-offs, comments and re-checks stand as the file says."
        )
        return [], [note]
    record = dossier_export(dossier)
    problems = [
        f"The file says another {name} than the dossier on record."
        for name in ("content_sha256", "frozen_by", "frozen_at")
        if given.get(name) != record[name]
    ]
    notes = []
    for name in _LISTS:
        # A file that was exported earlier holds what had been said by then.
        said, recorded = (
            sorted(rows, key=_moment_of) for rows in (_rows(given, name), record[name])
        )
        if said != recorded[: len(said)]:
            problems.append(f"The file holds other {name} than the dossier on record.")
        elif len(said) < len(recorded):
            notes.append(f"{len(recorded) - len(said)} more {name} are on record.")
    return problems, notes


def _moment_of(row: Mapping[str, Any]) -> str:
    return str(row.get("at"))


_SAID = ("level", "kind", "tier", "source", "statement", "note")


def _held_against_record(
    pinned: Mapping[str, PinnedClaim], *, must_know: bool
) -> tuple[list[str], list[str]]:
    """Sentences on claims that say something else now, and on those that have ended."""
    rows = {row.uid: row for row in Claim.objects.filter(uid__in=list(pinned))}
    problems: list[str] = []
    notes: list[str] = []
    for uid, claim in sorted(pinned.items()):
        row = rows.get(uid)
        if row is None:
            (problems if must_know else notes).append(f"The claim {uid} is not on record here.")
            continue
        wrong = _differing(claim, row)
        if wrong:
            problems.append(f"The claim {uid} says something else on record: {', '.join(wrong)}.")
        if row.withdrawn_at or row.superseded_at:
            what = "withdrawn" if row.withdrawn_at else "superseded"
            notes.append(f"The claim {uid} was {what} since.")
    return problems, notes


def _differing(claim: PinnedClaim, row: Claim) -> Sequence[str]:
    pairs = {name: (str(getattr(claim, name)), str(getattr(row, name))) for name in _SAID}
    return [name for name, (pinned, on_record) in pairs.items() if pinned != on_record]
