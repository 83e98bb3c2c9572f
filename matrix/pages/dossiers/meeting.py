"""The meeting view of a dossier: one value from which the page and all exports are written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.translation import gettext as _

from matrix.domain.catalogue import Catalogue
from matrix.domain.dossiers import Burden, DossierAssessment, FindingKind, Waiver
from matrix.pages.dossiers.candidate import (
    CandidateView,
    IssueLine,
    candidate_view,
    issue_line,
)
from matrix.pages.dossiers.needs import NeedView, need_view
from matrix.pages.dossiers.scoring import ScoreView, score_view
from matrix.pages.dossiers.sources import SourceBook, SourceLine
from matrix.pages.dossiers.words import number
from matrix.pages.links import node_name
from matrix.pages.translated import in_words

# How many columns of candidates there are decides how wide their tables are at least.
_WIDTHS = {1: "of-one", 2: "of-two", 3: "of-three", 4: "of-four", 5: "of-five"}


@dataclass(frozen=True, slots=True)
class WaiverLine:
    """A waiver in names. ``is_overdue`` by the day on which the page is read."""

    candidate: str
    criterion: str
    waiver: Waiver
    is_overdue: bool


@dataclass(frozen=True, slots=True)
class BurdenLine:
    """What one framework in operation adds, in names and numbers."""

    framework: str
    is_chosen: bool
    combinations: int
    releases: str
    rate: str
    test_runs: str


@dataclass(frozen=True, slots=True)
class MeetingView:
    """Everything that a meeting reads, candidates in the order of their ranking.

    **Dates**: ``as_of`` and ``known_at`` are the two clocks of what is shown.
    """

    uid: str
    version: int
    title: str
    summary: str
    is_demonstration: bool
    decision: str
    as_of: date
    known_at: datetime
    ruleset: str
    memory_rules: str
    revision: int
    recheck_on: date | None
    need: NeedView
    candidates: Sequence[CandidateView]
    chosen: Sequence[str]
    score: ScoreView
    general_issues: Sequence[IssueLine]
    risks: int
    gaps: int
    waivers: Sequence[WaiverLine]
    burdens: Sequence[BurdenLine]
    burden_models: int
    burden_hardware: int
    sources: Sequence[SourceLine]
    width: str


def meeting_view(
    assessment: DossierAssessment, *, catalogue: Catalogue, today: date
) -> MeetingView:
    """The view of an assessed dossier. **Queries**: none."""
    book = SourceBook(catalogue)
    criteria = {c.key: c.name for c in assessment.scorecard.criteria}
    hardware = {c.hardware: node_name(catalogue, "hardware", c.hardware)
                for c in assessment.candidates if c.hardware}  # fmt: skip
    words = hardware | criteria
    names = {c.key: c.name for c in assessment.candidates}
    order = _order(assessment)
    views = [
        candidate_view(catalogue, assessment, assessment.candidate(key), book=book, names=words)
        for key in order
    ]
    currency = assessment.need.currency
    burdens = assessment.burdens
    return MeetingView(
        uid=assessment.uid,
        version=assessment.version,
        title=assessment.title,
        summary=assessment.summary,
        is_demonstration=assessment.is_demonstration,
        decision=assessment.decision,
        as_of=assessment.as_of,
        known_at=assessment.known_at,
        ruleset=assessment.ruleset,
        memory_rules=assessment.memory_rules,
        revision=assessment.revision,
        recheck_on=assessment.recheck_on,
        need=need_view(assessment.need, catalogue=catalogue),
        candidates=views,
        chosen=[view.name for view in views if view.is_chosen],
        score=score_view(
            assessment.scorecard,
            order=order,
            candidates=names,
            features=_feature_names(assessment),
            currency=currency,
        ),
        general_issues=[issue_line(f, names=words) for f in assessment.findings if not f.candidate],
        risks=sum(f.kind is FindingKind.RISK for f in assessment.findings),
        gaps=sum(f.kind is FindingKind.GAP for f in assessment.findings),
        waivers=[
            _waiver_line(w, names=names, criteria=criteria, today=today) for w in assessment.waivers
        ],
        burdens=[_burden_line(b) for b in burdens],
        burden_models=burdens[0].models if burdens else 0,
        burden_hardware=burdens[0].hardware if burdens else 0,
        sources=book.lines(),
        width=_WIDTHS.get(len(views), "of-many"),
    )


def _order(assessment: DossierAssessment) -> list[str]:
    """The keys of the candidates, best first; those without a rank after all others."""
    ranked = [rank.candidate for rank in assessment.scorecard.ranking]
    return [*ranked, *(c.key for c in assessment.candidates if c.key not in ranked)]


def _feature_names(assessment: DossierAssessment) -> dict[str, str]:
    """The names of the required features by slug, as they were assessed."""
    return {f.slug: in_words(f.name) for c in assessment.candidates for f in c.features}


def _waiver_line(
    waiver: Waiver, *, names: Mapping[str, str], criteria: Mapping[str, str], today: date
) -> WaiverLine:
    return WaiverLine(
        candidate=names.get(waiver.candidate, waiver.candidate),
        criterion=criteria.get(waiver.criterion, waiver.criterion) or str(_("a gap")),
        waiver=waiver,
        is_overdue=waiver.remove_by < today,
    )


def _burden_line(burden: Burden) -> BurdenLine:
    rate, tests = burden.releases_per_quarter, burden.test_runs_per_quarter
    unknown = str(_("unknown"))
    return BurdenLine(
        framework=burden.name or burden.framework,
        is_chosen=burden.is_chosen,
        combinations=burden.combinations,
        releases=", ".join(str(n) for n in burden.releases_by_quarter or ()) or unknown,
        rate=unknown if rate is None else number(rate),
        test_runs=unknown if tests is None else number(tests),
    )
