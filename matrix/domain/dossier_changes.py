"""What changed since a dossier was frozen: its content held against the same questions today."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from matrix.domain.dossiers import CandidateAssessment, DossierAssessment
from matrix.domain.pinned import PinnedFeature

# Who re-checks by itself. What it finds waits for a person.
AUTOMATIC = "recheck"
CHANGE_KINDS = (
    "problem",  # the question can no longer be asked, or can again
    "verdict",  # level
    "version",  # of a candidate without a fixed version: the newest is another
    "conditions",
    "claim-superseded",  # uid, by, reason
    "claim-withdrawn",  # uid, reason
    "claim-missing",  # uid: must not happen
    "new-evidence",  # claims that decide now and did not
    "feature",  # level of a required feature
    "maintenance",  # status
    "new-release",
    "memory",  # whether it fits, or the needed bytes
    "memory-rules",
    "new-run",
    "run-changed",  # another content, or withdrawn
    "run-gone",
    "throughput",
    "price",
    "cost",
    "ruleset",
    "check",  # a knock-out is answered otherwise
    "waiver-overdue",
)


@dataclass(frozen=True, slots=True)
class DossierChange:
    """One change. ``candidate`` is blank for one of the whole dossier; the values are plain."""

    kind: str
    candidate: str = ""
    before: Any = None
    after: Any = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClaimNow:
    """How a pinned claim stands now: ``standing``, ``superseded`` or ``withdrawn``."""

    state: str
    reason: str = ""
    by: str = ""
    on: date | None = None


@dataclass(frozen=True, slots=True)
class RunNow:
    """How a pinned run stands now."""

    digest: str
    state: str


def changes_between_assessments(
    before: DossierAssessment,
    after: DossierAssessment,
    *,
    claims: Mapping[str, ClaimNow],
    runs: Mapping[str, RunNow],
) -> tuple[DossierChange, ...]:
    """All changes in the order of candidates.

    **Shapes**: ``claims`` and ``runs`` say of each pinned uid and reference how it stands now; one
    that is not in them is gone.
    """
    found = list(_of_the_whole(before, after))
    here = {candidate.key: candidate for candidate in after.candidates}
    for old in before.candidates:
        new = here.get(old.key)
        if new is not None:
            found += _of_candidate(old, new)
        found += _of_claims(old, claims)
        found += _of_runs(old, runs)
        found += _of_checks(old.key, before, after)
    found += _overdue(before, after.as_of)
    return tuple(found)


def _of_the_whole(before: DossierAssessment, after: DossierAssessment) -> Iterator[DossierChange]:
    if before.ruleset != after.ruleset:
        yield DossierChange("ruleset", before=before.ruleset, after=after.ruleset)
    if before.memory_rules != after.memory_rules:
        yield DossierChange("memory-rules", before=before.memory_rules, after=after.memory_rules)


def _of_candidate(old: CandidateAssessment, new: CandidateAssessment) -> Iterator[DossierChange]:
    key = old.key
    pairs: tuple[tuple[str, Any, Any], ...] = (
        ("problem", old.problem, new.problem),
        ("version", old.version, new.version),
        ("verdict", old.verdict.level.value, new.verdict.level.value),
        ("conditions", list(old.verdict.conditions), list(new.verdict.conditions)),
        ("maintenance", old.maintenance.status.value, new.maintenance.status.value),
        ("new-release", old.maintenance.last_release, new.maintenance.last_release),
        ("memory", _fit_of(old), _fit_of(new)),
        ("throughput", old.throughput.output_tok_s, new.throughput.output_tok_s),
        ("price", old.cost.price_uid, new.cost.price_uid),
        ("cost", old.cost.output, new.cost.output),
    )
    for kind, one, other in pairs:
        if one != other:
            yield DossierChange(kind, key, one, other)
    yield from _of_features(old, new)
    known = {claim.uid for claim in _claims_of(old)}
    fresh = [c for c in _claims_of(new) if c.uid not in known and c.role == "deciding"]
    if fresh:
        yield DossierChange("new-evidence", key, facts={"claims": [claim.uid for claim in fresh]})
    had = {run.reference for run in old.runs}
    for run in new.runs:
        if run.reference not in had:
            facts = {"run": run.reference, "label": run.label, "is_exact": run.is_exact}
            yield DossierChange("new-run", key, facts=facts)


def _fit_of(candidate: CandidateAssessment) -> dict[str, Any] | None:
    fit = candidate.memory.fit
    if fit is None:
        return None
    return {
        "level": fit.level.value,
        "needed_low_bytes": fit.needed_low_bytes,
        "needed_high_bytes": fit.needed_high_bytes,
    }


def _of_features(old: CandidateAssessment, new: CandidateAssessment) -> Iterator[DossierChange]:
    here: dict[str, PinnedFeature] = {feature.slug: feature for feature in new.features}
    for feature in old.features:
        now = here.get(feature.slug)
        if now is not None and now.level is not feature.level:
            yield DossierChange(
                "feature",
                old.key,
                feature.level.value,
                now.level.value,
                {"feature": feature.slug, "name": feature.name},
            )


def _claims_of(candidate: CandidateAssessment) -> list[Any]:
    own = list(candidate.verdict.claims)
    return own + [claim for feature in candidate.features for claim in feature.claims]


def pinned_claims(assessment: DossierAssessment) -> dict[str, Any]:
    """All pinned claims by uid."""
    return {c.uid: c for candidate in assessment.candidates for c in _claims_of(candidate)}


def _of_claims(old: CandidateAssessment, claims: Mapping[str, ClaimNow]) -> Iterator[DossierChange]:
    for uid in dict.fromkeys(claim.uid for claim in _claims_of(old)):
        now = claims.get(uid)
        if now is None:
            yield DossierChange("claim-missing", old.key, facts={"claim": uid})
        elif now.state != "standing":
            facts = {
                "claim": uid,
                "reason": now.reason,
                "by": now.by,
                "on": now.on.isoformat() if now.on else None,
            }
            yield DossierChange(f"claim-{now.state}", old.key, facts=facts)


def _of_runs(old: CandidateAssessment, runs: Mapping[str, RunNow]) -> Iterator[DossierChange]:
    for run in old.runs:
        now = runs.get(run.reference)
        facts = {"run": run.reference, "label": run.label}
        if now is None:
            yield DossierChange("run-gone", old.key, facts=facts)
        elif now.digest != run.digest:
            yield DossierChange("run-changed", old.key, run.digest, now.digest, facts)
        elif now.state != run.state:
            yield DossierChange("run-changed", old.key, run.state, now.state, facts)


def _of_checks(
    key: str, before: DossierAssessment, after: DossierAssessment
) -> Iterator[DossierChange]:
    """Automatic answers only: what people judged does not change by itself."""
    now = {(e.candidate, e.criterion): e for e in after.scorecard.entries}
    names = {criterion.key: criterion.name for criterion in before.scorecard.criteria}
    for entry in before.scorecard.entries:
        other = now.get((entry.candidate, entry.criterion))
        if entry.candidate != key or entry.check is None or other is None or other.check is None:
            continue
        if entry.check.passes != other.check.passes:
            facts = {"criterion": entry.criterion, "name": names.get(entry.criterion, "")}
            yield DossierChange("check", key, entry.check.passes, other.check.passes, facts)


def _overdue(before: DossierAssessment, on: date) -> Iterator[DossierChange]:
    for waiver in before.waivers:
        if waiver.remove_by < on:
            facts = {
                "criterion": waiver.criterion,
                "remove_by": waiver.remove_by.isoformat(),
                "removal_plan": waiver.removal_plan,
            }
            yield DossierChange("waiver-overdue", waiver.candidate, facts=facts)
