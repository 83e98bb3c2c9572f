"""One candidate of a dossier as people read it: every figure a sentence, every claim a source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matrix.domain.catalogue import Catalogue
from matrix.domain.dossiers import Burden, CandidateAssessment, DossierAssessment, Finding
from matrix.domain.levels import LegKind, Limit, SupportLevel, UnknownReason
from matrix.domain.pinned import PinnedClaim, PinnedFeature, PinnedLeg, PinnedMaintenance, PinnedRun
from matrix.domain.scorecard import Ranking
from matrix.domain.verdict_values import Rule
from matrix.pages.dossiers.figures import (
    FitView,
    Measured,
    cost_lines,
    effort_lines,
    fit_view,
    slo_lines,
    throughput_lines,
)
from matrix.pages.dossiers.finding_words import finding_sentence, is_serious
from matrix.pages.dossiers.sources import SourceBook
from matrix.pages.dossiers.words import (
    RUN_CLASS_WORDS,
    STANDING_SIGNS,
    metric_value,
    number,
    score_word,
    split_metric,
)
from matrix.pages.links import names_in, node_name
from matrix.pages.rule_words import RULE_NAMES, UNKNOWN_SENTENCES
from matrix.pages.translated import in_words
from matrix.pages.words import LEG_WORDS, LEVEL_SIGNS, LIMIT_WORDS, STATUS_SIGNS, Sign, axis_word

MOST_METRICS = 6


@dataclass(frozen=True, slots=True)
class IssueLine:
    """A risk or gap as a sentence."""

    code: str
    sentence: str
    is_serious: bool
    candidate: str = ""


@dataclass(frozen=True, slots=True)
class LegLine:
    """One leg with the numbers of its sources."""

    word: Promise | str
    subject: str
    level: str
    level_word: str
    rule: Promise | str
    reason: str
    is_conflicting: bool
    sources: Sequence[int]


@dataclass(frozen=True, slots=True)
class FeatureLine:
    """A required feature with the numbers of its sources."""

    name: str
    level: str
    level_word: str
    reason: str
    conditions: Sequence[str]
    notes: Sequence[str]
    sources: Sequence[int]


@dataclass(frozen=True, slots=True)
class RunLine:
    """A measured run near the candidate. ``url`` is a path of this site."""

    label: str
    url: str
    reference: str
    digest: str
    run_class: str
    is_performance: bool
    distance: str
    about: str
    measured_on: date | None
    metrics: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class CandidateView:
    """Everything that pages and exports show of a candidate.

    ``question`` are (word, value) pairs, ``cell_path`` a path of this site. **Dates**:
    ``evidence_from`` and ``evidence_to`` are the days of the deciding statements.
    """

    key: str
    anchor: str
    name: str
    is_chosen: bool
    problem: str
    note: str
    framework: str
    version: str
    subject: str
    question: Sequence[tuple[str, str]]
    cell_path: str
    level: str
    level_word: str
    reason: str
    is_conflicting: bool
    is_stale: bool
    recheck_on: date | None
    evidence_from: date | None
    evidence_to: date | None
    conditions: Sequence[str]
    depends_on: Sequence[str]
    legs: Sequence[LegLine]
    maintenance: PinnedMaintenance
    maintenance_word: str
    maintenance_lines: Sequence[str]
    fit: FitView
    slo: Sequence[Measured]
    throughput: Sequence[str]
    cost: Sequence[str]
    effort: Sequence[tuple[str, str]]
    effort_note: str
    burden: Sequence[str]
    features: Sequence[FeatureLine]
    feature_counts: Sequence[tuple[Sign, int]]
    runs: Sequence[RunLine]
    risks: Sequence[IssueLine]
    gaps: Sequence[IssueLine]
    standing: Sign
    rank: int
    is_competing: bool
    score: str
    low_percent: float


def candidate_view(
    catalogue: Catalogue,
    assessment: DossierAssessment,
    candidate: CandidateAssessment,
    *,
    book: SourceBook,
    names: Mapping[str, str],
) -> CandidateView:
    """The view of one candidate; its claims are entered in the book of sources."""
    verdict = candidate.verdict
    own = [f for f in assessment.findings if f.candidate == candidate.key]
    ranking = next((r for r in assessment.scorecard.ranking if r.candidate == candidate.key), None)
    days = sorted(c.stated_on for c in verdict.claims if c.role == "deciding" and c.stated_on)
    book.enter(verdict.claims)
    return CandidateView(
        key=candidate.key,
        anchor=f"candidate-{candidate.key}",
        name=candidate.name,
        is_chosen=candidate.is_chosen,
        problem=in_words(candidate.problem),
        note=candidate.note,
        framework=candidate.framework_name or candidate.framework,
        version=candidate.version or verdict.version,
        subject=_subject(catalogue, candidate),
        question=[(axis_word(k), node_name(catalogue, k, v)) for k, v in candidate.words],
        cell_path=f"{reverse('cell')}?{verdict.query}" if verdict.query else "",
        level=verdict.level.value,
        level_word=str(LEVEL_SIGNS[verdict.level].word),
        reason=_reason(verdict.unknown_reason, verdict.limit, verdict.level),
        is_conflicting=verdict.conflicting,
        is_stale=verdict.stale,
        recheck_on=verdict.recheck_on,
        evidence_from=days[0] if days else None,
        evidence_to=days[-1] if days else None,
        conditions=verdict.conditions,
        depends_on=[names_in(catalogue, line) for line in verdict.depends_on],
        legs=[_leg_line(leg, verdict.claims, catalogue, book) for leg in verdict.legs],
        maintenance=candidate.maintenance,
        maintenance_word=str(STATUS_SIGNS[candidate.maintenance.status].word),
        maintenance_lines=_maintenance_lines(candidate.maintenance),
        fit=fit_view(candidate.memory, catalogue=catalogue),
        slo=slo_lines(candidate.slo_checks),
        throughput=throughput_lines(candidate.throughput),
        cost=cost_lines(candidate.cost),
        effort=effort_lines(candidate.effort),
        effort_note=candidate.effort.note,
        burden=_burden_lines(assessment.burdens, candidate.framework),
        features=[_feature_line(feature, book) for feature in candidate.features],
        feature_counts=_feature_counts(candidate.features),
        runs=[_run_line(catalogue, run) for run in candidate.runs],
        risks=_issues(own, "risk", names),
        gaps=_issues(own, "gap", names),
        **_standing(ranking),
    )


def issue_line(finding: Finding, *, names: Mapping[str, str], candidate: str = "") -> IssueLine:
    """The line of one finding."""
    return IssueLine(
        code=finding.code,
        sentence=finding_sentence(finding, names=names),
        is_serious=is_serious(finding),
        candidate=candidate,
    )


def _issues(findings: Sequence[Finding], kind: str, names: Mapping[str, str]) -> list[IssueLine]:
    lines = [issue_line(f, names=names) for f in findings if f.kind == kind]
    return sorted(lines, key=lambda line: not line.is_serious)


def _standing(ranking: Ranking | None) -> dict[str, Any]:
    """Where the candidate stands; without a scorecard it is neither first nor last."""
    if ranking is None:
        return {
            "standing": STANDING_SIGNS[next(iter(STANDING_SIGNS))],
            "rank": 0, "is_competing": True, "score": "", "low_percent": 0.0,
        }  # fmt: skip
    return {
        "standing": STANDING_SIGNS[ranking.standing],
        "rank": ranking.rank,
        "is_competing": ranking.is_competing,
        "score": score_word(ranking),
        "low_percent": ranking.low_percent,
    }


def _reason(unknown: str, limit: str, level: SupportLevel) -> str:
    if level is SupportLevel.UNKNOWN and unknown in set(UnknownReason):
        return str(UNKNOWN_SENTENCES[UnknownReason(unknown)])
    if level is SupportLevel.UNSUPPORTED and limit in set(Limit):
        return str(LIMIT_WORDS[Limit(limit)])
    return ""


def _subject(catalogue: Catalogue, candidate: CandidateAssessment) -> str:
    """What is to run, in names: ``Qwen3-32B × AWQ × 2 × NVIDIA T4``."""
    parts = [
        node_name(catalogue, axis, slug)
        for axis, slug in (
            ("model", candidate.model),
            ("quantization", candidate.quantization),
        )
        if slug
    ]
    if candidate.hardware:
        hardware = node_name(catalogue, "hardware", candidate.hardware)
        count = candidate.hardware_count
        parts.append(f"{count} × {hardware}" if count else hardware)
    return " × ".join(parts)


def _leg_line(
    leg: PinnedLeg, claims: Sequence[PinnedClaim], catalogue: Catalogue, book: SourceBook
) -> LegLine:
    known = {claim.uid for claim in claims}
    kind = leg.kind
    return LegLine(
        word=LEG_WORDS[LegKind(kind)] if kind in set(LegKind) else kind,
        subject=_leg_subject(catalogue, leg),
        level=leg.level.value,
        level_word=str(LEVEL_SIGNS[leg.level].word),
        rule=RULE_NAMES[Rule(leg.rule)] if leg.rule in set(Rule) else leg.rule,
        reason=_reason(leg.unknown_reason, "", leg.level),
        is_conflicting=leg.conflicting,
        sources=[book.number(uid) for uid in leg.deciding if uid in known],
    )


def _leg_subject(catalogue: Catalogue, leg: PinnedLeg) -> str:
    """What a leg is about, by name; blank where it is about the framework as a whole."""
    areas = ("hardware", "backend") if leg.kind == LegKind.PLATFORM else (leg.kind,)
    names = (node_name(catalogue, area, leg.subject) for area in areas)
    found = next((name for name in names if name != leg.subject), leg.subject)
    return "" if found == "*" else found


def _maintenance_lines(found: PinnedMaintenance) -> list[str]:
    lines = []
    if found.start_on:
        lines.append(_("since %(day)s") % {"day": found.start_on.isoformat()})
    if found.stated_on:
        lines.append(_("stated on %(day)s") % {"day": found.stated_on.isoformat()})
    if found.last_release_on:
        words = {"version": found.last_release, "day": found.last_release_on.isoformat()}
        lines.append(_("last release %(version)s of %(day)s") % words)
    if found.is_silent and found.silence_days is not None:
        lines.append(
            ngettext("silent for %(n)d day", "silent for %(n)d days", found.silence_days)
            % {"n": found.silence_days}
        )
    return lines


def _burden_lines(burdens: Sequence[Burden], framework: str) -> list[str]:
    burden = next((b for b in burdens if b.framework == framework), None)
    if burden is None:
        return []
    text = ngettext(
        "%(models)d × %(hardware)d = %(n)d combination of model and hardware",
        "%(models)d × %(hardware)d = %(n)d combinations of model and hardware",
        burden.combinations,
    )
    words = {"models": burden.models, "hardware": burden.hardware, "n": burden.combinations}
    lines = [text % words]
    if burden.releases_by_quarter is None or burden.releases_per_quarter is None:
        return [*lines, _("its releases are not known")]
    pace = {
        "rate": number(burden.releases_per_quarter),
        "quarters": ", ".join(str(n) for n in burden.releases_by_quarter),
    }
    lines.append(_("%(rate)s stable releases a quarter (the last: %(quarters)s)") % pace)
    if burden.test_runs_per_quarter is not None:
        tests = {"n": number(burden.test_runs_per_quarter)}
        lines.append(_("%(n)s test runs a quarter if every release is tested") % tests)
    return lines


def _feature_line(feature: PinnedFeature, book: SourceBook) -> FeatureLine:
    book.enter(feature.claims)
    deciding = [claim.uid for claim in feature.claims if claim.role == "deciding"]
    return FeatureLine(
        name=in_words(feature.name) or feature.slug,
        level=feature.level.value,
        level_word=str(LEVEL_SIGNS[feature.level].word),
        reason=_reason(feature.unknown_reason, "", feature.level),
        conditions=feature.conditions,
        notes=feature.notes,
        sources=[book.number(uid) for uid in dict.fromkeys(deciding)],
    )


def _feature_counts(features: Sequence[PinnedFeature]) -> list[tuple[Sign, int]]:
    levels = [feature.level for feature in features]
    return [(LEVEL_SIGNS[level], levels.count(level)) for level in LEVEL_SIGNS if level in levels]


def _run_line(catalogue: Catalogue, run: PinnedRun) -> RunLine:
    metrics = [
        (split_metric(name)[0], metric_value(name, value))
        for name, value in list(run.metrics.items())[:MOST_METRICS]
    ]
    about = [
        f"{node_name(catalogue, 'framework', run.framework)} {run.version}".strip(),
        node_name(catalogue, "model", run.model),
        node_name(catalogue, "quantization", run.quantization),
        " × ".join(
            part
            for part in (
                str(run.hardware_count or ""),
                node_name(catalogue, "hardware", run.hardware),
            )
            if part
        ),
        run.load,
    ]
    word = RUN_CLASS_WORDS.get(run.run_class, run.run_class.replace("-", " "))
    return RunLine(
        label=run.label,
        url=run.url,
        reference=run.reference,
        digest=run.digest,
        run_class=str(word),
        is_performance=run.is_performance,
        distance="; ".join(axis_word(axis) for axis in run.distance),
        about=" · ".join(part for part in about if part),
        measured_on=run.measured_on,
        metrics=metrics,
    )
