"""Verdicts, maintenance and features as a dossier pins them: what was said, and by whom."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from matrix.asking import Question, question_query
from matrix.domain import codec
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.coordinates import Cell
from matrix.domain.dossiers import Burden
from matrix.domain.engineering_cost import pace_of
from matrix.domain.levels import LegKind, SupportLevel
from matrix.domain.pinned import (
    PinnedClaim,
    PinnedFeature,
    PinnedLeg,
    PinnedMaintenance,
    PinnedVerdict,
)
from matrix.domain.sharing import SharedLegs
from matrix.domain.verdict_values import Candidate, LegResult, Verdict
from matrix.domain.verdicts import weakest_level
from matrix.index import Knowledge
from matrix.queries.answers import condition_text
from matrix.queries.maintenance import maintenance_story

_STABLE_LINES = frozenset({"stable", "post"})


@dataclass(frozen=True, slots=True)
class Instant:
    """When a dossier is assessed: the asked day and the day up to which records count."""

    as_of: date
    known_on: date | None


def pin_verdict(verdict: Verdict, *, known_on: date | None) -> PinnedVerdict:
    """The verdict with its claims."""
    question = Question(cell=verdict.cell, as_of=verdict.as_of, known_at=known_on)
    return PinnedVerdict(
        level=verdict.level,
        version=verdict.version or "",
        unknown_reason=verdict.unknown_reason.value if verdict.unknown_reason else "",
        limit=verdict.limit.value if verdict.limit else "",
        execution=verdict.execution.value,
        tier=verdict.tier.value if verdict.deciding else "",
        confidence=verdict.confidence.value,
        conflicting=verdict.conflicting,
        stale=verdict.stale,
        recheck_on=verdict.recheck_on,
        conditions=tuple(condition_text(c) for c in verdict.conditions),
        depends_on=tuple(verdict.depends_on),
        legs=tuple(_leg(leg) for leg in verdict.legs),
        claims=(*_claims(verdict.legs), *(_limit(claim) for claim in verdict.limits)),
        query=question_query(question),
    )


def _leg(leg: LegResult) -> PinnedLeg:
    return PinnedLeg(
        kind=leg.kind.value,
        subject=leg.subject,
        level=leg.level,
        rule=leg.rule.value,
        unknown_reason=leg.unknown_reason.value if leg.unknown_reason else "",
        conflicting=leg.conflicting,
        deciding=tuple(c.claim.uid for c in leg.deciding),
    )


def _claims(legs: Sequence[LegResult]) -> Iterator[PinnedClaim]:
    for leg in legs:
        name = f"{leg.kind.value} {leg.subject}"
        for role, found in (("deciding", leg.deciding), ("contradicting", leg.contradicting)):
            yield from (_claim(candidate, role, name) for candidate in found)


def _claim(candidate: Candidate, role: str, leg: str) -> PinnedClaim:
    claim, seen = candidate.claim, candidate.observation
    return replace(
        _said(claim, role, leg),
        release=seen.release,
        stated_on=seen.stated_on,
        url=seen.document.url,
        document_version=seen.document.version or seen.document.commit,
        locator=codec.locator_text(seen.locator),
        age_kind=candidate.age.kind.value,
        age_days=candidate.age.days,
        inherited_from=candidate.inherited_from,
    )


def _limit(claim: Claim) -> PinnedClaim:
    return _said(claim, "limit", " + ".join(sorted(claim.scope.features)))


def _said(claim: Claim, role: str, leg: str) -> PinnedClaim:
    return PinnedClaim(
        uid=claim.uid,
        role=role,
        leg=leg,
        framework=claim.framework,
        level=claim.level,
        kind=claim.kind.value,
        tier=claim.tier.value,
        source=claim.source,
        statement=claim.statement,
        note=claim.note,
    )


def pin_feature(
    knowledge: Knowledge, cell: Cell, slug: str, *, at: Instant, shared: SharedLegs
) -> PinnedFeature:
    """What is said of one feature on a cell: its own legs only."""
    asked = replace(cell, features=cell.features | {slug})
    verdict = knowledge.index.verdict_for(
        asked, as_of=at.as_of, known_at=at.known_on, shared=shared
    )
    legs = [leg for leg in verdict.legs if leg.kind is LegKind.FEATURE and leg.subject == slug]
    deciding = [candidate for leg in legs for candidate in leg.deciding]
    reasons = [leg.unknown_reason.value for leg in legs if leg.unknown_reason]
    conditions = dict.fromkeys(condition_text(c) for d in deciding for c in d.conditions)
    return PinnedFeature(
        slug=slug,
        name=name_of(knowledge.catalogue, "feature", slug),
        level=weakest_level(legs) if legs else SupportLevel.UNKNOWN,
        unknown_reason=reasons[0] if reasons else "",
        conditions=tuple(conditions),
        notes=tuple(dict.fromkeys(c.claim.note for c in deciding if c.claim.note)),
        claims=tuple(_claims(legs)),
    )


def pin_maintenance(
    catalogue: Catalogue, framework: str, version: str, *, as_of: date
) -> PinnedMaintenance:
    """The maintenance status on a day, and the newest stable release by then."""
    story = maintenance_story(catalogue, framework, as_of=as_of)
    period, silence = story.period, story.silence
    history = catalogue.histories[framework]
    ranked = [
        (rank, release)
        for rank, release in enumerate(history.releases)
        if release.line in _STABLE_LINES and release.released_on <= as_of and not release.yanked
    ]
    last = ranked[-1][1] if ranked else None
    asked = history.find(version) if version else None
    rank = history.rank(asked.version) if asked else None
    return PinnedMaintenance(
        status=story.status,
        start_on=period.start if period else None,
        stated_on=period.stated_on if period else None,
        note=period.note if period else "",
        url=period.url if period else "",
        last_release=last.version if last else "",
        last_release_on=last.released_on if last else None,
        releases_after=sum(r > rank for r, _ in ranked) if rank is not None else 0,
        silence_days=silence.days if silence else None,
        is_silent=silence.is_long if silence else False,
    )


def count_burden(
    catalogue: Catalogue,
    framework: str,
    *,
    as_of: date,
    models: int,
    hardware: int,
    rebuilds_per_release: int | None,
    is_chosen: bool,
) -> Burden:
    """What one framework adds in tests: every stable release on every model and hardware."""
    pace = pace_of(framework, catalogue.releases.get(framework, ()), as_of=as_of)
    rate = pace.per_quarter
    return Burden(
        framework=framework,
        name=name_of(catalogue, "framework", framework),
        models=models,
        hardware=hardware,
        combinations=models * hardware,
        releases_by_quarter=pace.by_quarter,
        releases_per_quarter=rate,
        test_runs_per_quarter=None if rate is None else rate * models * hardware,
        image_rebuilds_per_quarter=None
        if rate is None or rebuilds_per_release is None
        else rate * rebuilds_per_release,
        is_chosen=is_chosen,
    )


def name_of(catalogue: Catalogue, area: str, slug: str) -> str:
    """The name of a node; its slug where it has none, blank for none."""
    node = catalogue.area(area).get(slug)
    return node.name if node else slug
