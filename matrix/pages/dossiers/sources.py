"""The claims of a dossier as numbered sources, so that paper needs no links to follow."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import EvidenceKind, Tier
from matrix.domain.pinned import PinnedClaim
from matrix.domain.verdict_values import AgeKind
from matrix.pages.dossiers.words import ROLE_WORDS
from matrix.pages.links import node_name
from matrix.pages.rule_words import AGE_SENTENCES
from matrix.pages.words import EVIDENCE_SIGNS, LEVEL_SIGNS, TIER_WORDS


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One numbered source. ``path`` is the page of the claim, ``url`` that of its document.

    **Dates**: ``stated_on`` is the day that the document speaks for.
    """

    number: int
    uid: str
    anchor: str
    path: str
    framework: str
    level: str
    level_word: str
    role: str
    kind: str
    kind_word: str
    marks: Sequence[Promise | str]
    statement: str
    note: str
    release: str
    stated_on: date | None
    url: str
    document_version: str
    locator: str
    age: str


class SourceBook:
    """Numbers each claim when it is first met."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._claims: dict[str, PinnedClaim] = {}
        self._numbers: dict[str, int] = {}

    def enter(self, claims: Iterable[PinnedClaim]) -> None:
        """Enters claims in their order; a claim that is known keeps its number."""
        for claim in claims:
            if claim.uid not in self._claims:
                self._claims[claim.uid] = claim
                self._numbers[claim.uid] = len(self._numbers) + 1

    def number(self, uid: str) -> int:
        """The number of an entered claim. **Raises**: ``KeyError``."""
        return self._numbers[uid]

    def lines(self) -> list[SourceLine]:
        """All sources, by number."""
        return [self._line(claim) for claim in self._claims.values()]

    def _line(self, claim: PinnedClaim) -> SourceLine:
        number = self._numbers[claim.uid]
        return SourceLine(
            number=number,
            uid=claim.uid,
            anchor=f"source-{number}",
            path=reverse("claim", args=[claim.uid]),
            framework=node_name(self._catalogue, "framework", claim.framework),
            level=claim.level.value,
            level_word=str(LEVEL_SIGNS[claim.level].word),
            role=str(ROLE_WORDS.get(claim.role, claim.role)),
            kind=claim.kind if claim.kind in set(EvidenceKind) else "",
            kind_word=_kind_word(claim.kind),
            marks=self._marks(claim),
            statement=claim.statement,
            note=claim.note,
            release=claim.release,
            stated_on=claim.stated_on,
            url=claim.url,
            document_version=claim.document_version,
            locator=claim.locator,
            age=_age(claim),
        )

    def _marks(self, claim: PinnedClaim) -> list[Promise | str]:
        marks: list[Promise | str] = []
        if claim.tier and claim.tier != Tier.OFFICIAL:
            marks.append(TIER_WORDS[Tier(claim.tier)] if claim.tier in set(Tier) else claim.tier)
        if claim.inherited_from:
            name = node_name(self._catalogue, "framework", claim.inherited_from)
            marks.append(_("inherited from %(name)s") % {"name": name})
        return marks


def _kind_word(kind: str) -> str:
    return str(EVIDENCE_SIGNS[EvidenceKind(kind)][1]) if kind in set(EvidenceKind) else kind


def _age(claim: PinnedClaim) -> str:
    known = claim.age_kind in set(AgeKind)
    return str(AGE_SENTENCES[AgeKind(claim.age_kind)]) if known else ""
