"""Assesses a dossier: every candidate at one instant, the scorecard, the risks and gaps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from matrix.asking import Question, QuestionReader
from matrix.domain.dossier_checks import CheckQuestion, hold_to_objectives, run_check
from matrix.domain.dossier_findings import find_risks_and_gaps
from matrix.domain.dossiers import Burden, CandidateAssessment, DossierAssessment
from matrix.domain.errors import RunproofError
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.scorecard import CheckResult, Scorecard
from matrix.domain.scoring import score
from matrix.domain.sharing import SharedLegs
from matrix.domain.verdict_values import RULESET_VERSION
from matrix.index import Knowledge
from matrix.queries.dossier_measures import pin_cost, pin_memory, pin_runs
from matrix.queries.dossier_pins import (
    Instant,
    count_burden,
    name_of,
    pin_feature,
    pin_maintenance,
    pin_verdict,
)
from matrix.queries.dossier_specs import CandidateSpec, DossierSpec
from matrix.queries.words import words_of_axis

# Measured runs and prices carry no rule set of ours; the estimate's rules are named by this.
MEMORY_RULES_VERSION = "1"


@dataclass(frozen=True, slots=True)
class _Asking:
    """What all candidates of one assessment have in common."""

    knowledge: Knowledge
    spec: DossierSpec
    at: Instant
    known_at: datetime | None
    reader: QuestionReader
    shared: SharedLegs


def assess(
    spec: DossierSpec,
    knowledge: Knowledge,
    *,
    at: Instant,
    known_at: datetime | None,
    now: datetime,
) -> DossierAssessment:
    """The dossier as it stands at an instant; ``now`` is the clock that nothing may lie beyond.

    **Queries**: those of measured runs and prices, for each candidate.
    """
    reader = QuestionReader(
        knowledge.catalogue, today=now.date(), words_of_axis=partial(words_of_axis, knowledge)
    )
    asking = _Asking(knowledge, spec, at, known_at, reader, SharedLegs())
    candidates = tuple(_assess(asking, candidate) for candidate in spec.candidates)
    scorecard = _scorecard(asking, candidates)
    return DossierAssessment(
        uid=spec.uid,
        series=spec.series,
        version=spec.version,
        replaces=spec.replaces,
        title=spec.title,
        summary=spec.summary,
        is_demonstration=spec.is_demonstration,
        need=spec.need,
        as_of=at.as_of,
        known_at=known_at or now,
        ruleset=RULESET_VERSION,
        revision=knowledge.revision,
        decision=spec.decision,
        recheck_on=spec.recheck_on,
        candidates=candidates,
        scorecard=scorecard,
        findings=find_risks_and_gaps(candidates, scorecard, waivers=spec.waivers, as_of=at.as_of),
        waivers=spec.waivers,
        burdens=_burdens(asking, candidates),
        memory_rules=MEMORY_RULES_VERSION,
    )


def _assess(asking: _Asking, spec: CandidateSpec) -> CandidateAssessment:
    bare = CandidateAssessment(
        key=spec.key,
        name=spec.name,
        words=spec.words,
        effort=spec.effort,
        layout=spec.layout,
        note=spec.note,
        is_chosen=spec.is_chosen,
    )
    try:
        question = asking.reader.read(_words(asking, spec))
        return _answered(asking, bare, question)
    except RunproofError as error:
        return replace(bare, problem=str(error))


def _words(asking: _Asking, spec: CandidateSpec) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {"as_of": [asking.at.as_of.isoformat()]}
    for name, value in spec.words:
        words.setdefault(name, []).append(value)
    return words


def _answered(
    asking: _Asking, bare: CandidateAssessment, question: Question
) -> CandidateAssessment:
    cell, need, at = question.cell, asking.spec.need, asking.at
    catalogue = asking.knowledge.catalogue
    verdict = asking.knowledge.index.verdict_for(
        cell, as_of=at.as_of, known_at=at.known_on, shared=asking.shared
    )
    version = verdict.version or ""
    throughput, cost = pin_cost(cell, version, need, on=at.as_of, known_at=asking.known_at)
    count = cell.numbers.get(NumberAxis.HARDWARE_COUNT)
    slugs = {axis: cell.nodes.get(axis, "") for axis in (Axis.MODEL, Axis.HARDWARE)}
    scheme = verdict.cell.nodes.get(Axis.QUANTIZATION, "")
    whole = replace(
        bare,
        framework=cell.framework,
        framework_name=name_of(catalogue, "framework", cell.framework),
        version=version,
        model=slugs[Axis.MODEL],
        model_name=name_of(catalogue, "model", slugs[Axis.MODEL]),
        quantization=scheme,
        quantization_name=name_of(catalogue, "quantization", scheme),
        hardware=slugs[Axis.HARDWARE],
        hardware_name=name_of(catalogue, "hardware", slugs[Axis.HARDWARE]),
        hardware_count=int(count) if count else None,
        verdict=pin_verdict(verdict, known_on=at.known_on),
        maintenance=pin_maintenance(catalogue, cell.framework, version, as_of=at.as_of),
        memory=pin_memory(verdict.cell, bare.layout, need, asking.reader),
        throughput=throughput,
        cost=cost,
        runs=pin_runs(cell, version, as_of=at.as_of, known_at=asking.known_at),
        features=tuple(
            pin_feature(asking.knowledge, cell, slug, at=at, shared=asking.shared)
            for slug in _features(asking)
        ),
    )
    return replace(whole, slo_checks=hold_to_objectives(whole, need.slo))


def _features(asking: _Asking) -> list[str]:
    """The required features, and those that an automatic check asks about."""
    asked = list(asking.spec.need.required_features)
    for criterion in asking.spec.criteria:
        if criterion.check == "feature":
            asked.append(str(criterion.threshold.get("feature", "")))
    known = asking.knowledge.catalogue.area("feature")
    return list(dict.fromkeys(slug for slug in asked if slug in known))


def _scorecard(asking: _Asking, candidates: Sequence[CandidateAssessment]) -> Scorecard:
    spec = asking.spec
    checks: dict[tuple[str, str], CheckResult] = {}
    for criterion in spec.criteria:
        for candidate in candidates:
            if criterion.check:
                question = CheckQuestion(
                    candidate, criterion.threshold, spec.need.currency, asking.at.as_of
                )
                checks[candidate.key, criterion.key] = run_check(criterion.check, question)
    return score(
        [candidate.key for candidate in candidates],
        spec.criteria,
        checks=checks,
        judgements=spec.judgements,
        waived={
            (waiver.candidate, waiver.criterion): waiver.remove_by.isoformat()
            for waiver in spec.waivers
            if waiver.remove_by >= asking.at.as_of
        },
    )


def _burdens(asking: _Asking, candidates: Sequence[CandidateAssessment]) -> tuple[Burden, ...]:
    """One for each framework, in the order of the candidates."""
    need = asking.spec.need
    models = set(need.models) | {c.model for c in candidates if c.model}
    hardware = {h.hardware for h in need.hardware} | {c.hardware for c in candidates if c.hardware}
    frameworks = dict.fromkeys(c.framework for c in candidates if c.framework)
    return tuple(
        count_burden(
            asking.knowledge.catalogue,
            slug,
            as_of=asking.at.as_of,
            models=max(1, len(models)),
            hardware=max(1, len(hardware)),
            rebuilds_per_release=max(
                (
                    c.effort.image_rebuilds_per_release
                    for c in candidates
                    if c.framework == slug and c.effort.image_rebuilds_per_release is not None
                ),
                default=None,
            ),
            is_chosen=any(c.is_chosen for c in candidates if c.framework == slug),
        )
        for slug in frameworks
    )
