"""What a dossier asks, apart from what is answered: of a draft's rows or of frozen content."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from matrix.domain.dossiers import DossierAssessment, Effort, Waiver
from matrix.domain.need import Need, read_need
from matrix.domain.scorecard import Criterion, CriterionKind, Judgement
from matrix.models import Dossier


@dataclass(frozen=True, slots=True)
class CandidateSpec:
    """A candidate's question and what people stated of it."""

    key: str
    name: str
    words: tuple[tuple[str, str], ...]
    layout: Mapping[str, Any] = field(default_factory=dict)
    effort: Effort = field(default_factory=Effort)
    note: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class DossierSpec:
    """Everything of a dossier that people wrote."""

    uid: str
    series: str
    version: int
    replaces: str
    title: str
    summary: str
    is_demonstration: bool
    need: Need
    decision: str
    recheck_on: date | None
    candidates: tuple[CandidateSpec, ...]
    criteria: tuple[Criterion, ...]
    judgements: Mapping[tuple[str, str], Judgement]
    waivers: tuple[Waiver, ...]


def spec_of_rows(dossier: Dossier) -> DossierSpec:
    """What the rows of a draft ask. **Queries**: 4, and 1 for the version it replaces."""
    candidates = list(dossier.candidates.all())
    criteria = list(dossier.criteria.all())
    keys = {row.pk: str(row.position) for row in candidates}
    names = {row.pk: str(row.position) for row in criteria}
    return DossierSpec(
        uid=dossier.uid,
        series=dossier.series,
        version=dossier.version,
        replaces=dossier.replaces.uid if dossier.replaces else "",
        title=dossier.title,
        summary=dossier.summary,
        is_demonstration=dossier.is_demonstration,
        need=read_need(dossier.need),
        decision=dossier.decision,
        recheck_on=dossier.recheck_on,
        candidates=tuple(
            CandidateSpec(
                key=keys[row.pk],
                name=row.name,
                words=tuple((name, value) for name, value in row.words),
                layout=row.layout,
                effort=Effort(**row.effort),
                note=row.note,
                is_chosen=row.is_chosen,
            )
            for row in candidates
        ),
        criteria=tuple(
            Criterion(
                key=names[row.pk],
                name=row.name,
                kind=CriterionKind(row.kind),
                check=row.check_code,
                threshold=row.threshold,
                weight_percent=row.weight_percent,
                note=row.note,
            )
            for row in criteria
        ),
        judgements={
            (keys[row.candidate_id], names[row.criterion_id]): Judgement(
                points=row.points, passes=row.passes, note=row.note, by=row.scored_by
            )
            for row in dossier.scores.all()
        },
        waivers=tuple(
            Waiver(
                candidate=keys[row.candidate_id],
                criterion=names.get(row.criterion_id or 0, ""),
                reason=row.reason,
                removal_plan=row.removal_plan,
                remove_by=row.remove_by,
                granted_by=row.granted_by,
                granted_at=row.granted_at,
            )
            for row in dossier.waivers.all()
        ),
    )


def spec_of_content(content: DossierAssessment) -> DossierSpec:
    """What frozen content asked."""
    return DossierSpec(
        uid=content.uid,
        series=content.series,
        version=content.version,
        replaces=content.replaces,
        title=content.title,
        summary=content.summary,
        is_demonstration=content.is_demonstration,
        need=content.need,
        decision=content.decision,
        recheck_on=content.recheck_on,
        candidates=tuple(
            CandidateSpec(
                key=candidate.key,
                name=candidate.name,
                words=candidate.words,
                layout=candidate.layout,
                effort=candidate.effort,
                note=candidate.note,
                is_chosen=candidate.is_chosen,
            )
            for candidate in content.candidates
        ),
        criteria=content.scorecard.criteria,
        judgements={
            (entry.candidate, entry.criterion): entry.judgement
            for entry in content.scorecard.entries
            if entry.judgement is not None
        },
        waivers=content.waivers,
    )
