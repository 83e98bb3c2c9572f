"""What stands around a dossier's content: sign-offs, comments, re-checks, versions, its due day."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import ngettext

from matrix.domain.dossiers import DossierAssessment
from matrix.index import Knowledge
from matrix.models import Dossier, DossierComment, DossierRecheck, DossierSignOff
from matrix.pages.dossiers.change_words import ChangeLine, change_lines
from matrix.pages.dossiers.meeting import MeetingView, meeting_view
from matrix.pages.dossiers.words import STANCE_SIGNS, STATE_SIGNS
from matrix.pages.words import Sign
from matrix.queries.dossiers import assess_dossier, due_on, versions_of


@dataclass(frozen=True, slots=True)
class SignOffRow:
    """A sign-off; ``names_content`` is off where it was given to another hash."""

    signed: DossierSignOff
    sign: Sign
    names_content: bool


@dataclass(frozen=True, slots=True)
class RecheckRow:
    """A re-check with its changes as sentences."""

    as_of: date
    at: datetime
    checked_by: str
    ruleset: str
    revision: int
    next_on: date | None
    note: str
    lines: Sequence[ChangeLine]


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of the same dossier."""

    uid: str
    version: int
    state_word: Promise
    frozen_at: datetime | None


@dataclass(frozen=True, slots=True)
class WholeDossier:
    """A dossier as page and exports show it: its content, and what was said of it.

    ``due`` is the day since which a re-check is due; ``newer`` the uid of the next version.
    """

    dossier: Dossier
    page: MeetingView
    sign_offs: Sequence[SignOffRow]
    stances: Sequence[tuple[Sign, str]]
    comments: Sequence[DossierComment]
    rechecks: Sequence[RecheckRow]
    versions: Sequence[VersionRow]
    due: date | None
    newer: str

    @property
    def path(self) -> str:
        """The page of the dossier, a path of this site."""
        return reverse("dossier", args=[self.dossier.uid])

    def context(self, **more: Any) -> dict[str, Any]:
        """What the templates of page and export take."""
        names = (
            "dossier", "page", "sign_offs", "stances", "comments", "rechecks", "versions", "due",
            "newer",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | more


def whole_dossier(
    dossier: Dossier,
    knowledge: Knowledge,
    *,
    today: date,
    assessment: DossierAssessment | None = None,
) -> WholeDossier:
    """The dossier with everything around it.

    **Queries**: 4 and those of the assessment, whatever was said.
    """
    assessment = assessment or assess_dossier(dossier)
    names = {c.key: c.name for c in assessment.candidates}
    signed = [_sign_off_row(row, dossier) for row in dossier.sign_offs.all()]
    rechecks = list(dossier.rechecks.all())
    due = due_on(dossier) if dossier.state == "frozen" else None
    versions = [_version_row(row) for row in versions_of(dossier.series)]
    newer = [row.uid for row in versions if row.version > dossier.version]
    return WholeDossier(
        dossier=dossier,
        page=meeting_view(assessment, catalogue=knowledge.catalogue, today=today),
        sign_offs=signed,
        stances=_stances(signed),
        comments=list(dossier.comments.all()),
        rechecks=[_recheck_row(row, names) for row in rechecks],
        versions=versions,
        # A version that was replaced is not checked again.
        due=due if due is not None and due <= today and not newer else None,
        newer=newer[0] if newer else "",
    )


def _sign_off_row(row: DossierSignOff, dossier: Dossier) -> SignOffRow:
    return SignOffRow(
        signed=row,
        sign=STANCE_SIGNS[row.stance],
        names_content=row.content_sha256 == dossier.content_sha256,
    )


def _stances(rows: Sequence[SignOffRow]) -> list[tuple[Sign, str]]:
    """How many take which side, in words."""
    counts = Counter(row.sign.value for row in rows)
    agree, dissent, abstain = (counts[code] for code in ("agree", "dissent", "abstain"))
    words = {
        "agree": ngettext("%(n)d agrees", "%(n)d agree", agree),
        "dissent": ngettext("%(n)d dissents", "%(n)d dissent", dissent),
        "abstain": ngettext("%(n)d abstains", "%(n)d abstain", abstain),
    }
    return [
        (sign, words[code] % {"n": counts[code]})
        for code, sign in STANCE_SIGNS.items()
        if counts[code]
    ]


def _recheck_row(row: DossierRecheck, names: Mapping[str, str]) -> RecheckRow:
    return RecheckRow(
        as_of=row.as_of,
        at=row.at,
        checked_by=row.checked_by,
        ruleset=row.ruleset,
        revision=row.revision,
        next_on=row.next_on,
        note=row.note,
        lines=change_lines(row.changes, names=names),
    )


def _version_row(row: Dossier) -> VersionRow:
    return VersionRow(
        uid=row.uid,
        version=row.version,
        state_word=STATE_SIGNS[row.state].word,
        frozen_at=row.frozen_at,
    )
