"""Risks and gaps of a dossier, found from what its candidates were assessed to be."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from matrix.domain.dossiers import CandidateAssessment, Finding, FindingKind, Waiver
from matrix.domain.levels import MaintenanceStatus, SupportLevel
from matrix.domain.memory.values import FitLevel
from matrix.domain.scorecard import CriterionKind, Outcome, Scorecard

# **Units**: days without a release from which on it is a risk to rely on the next one.
OLD_RELEASE_DAYS = 120
_NEEDED_AXES = ("model", "quantization", "hardware")
# Why there is no cost, where the price is what lacks: that gap is named on its own.
_PRICE_REASONS = ("no-price", "several-currencies", "no-hardware")
_Found = Iterator[tuple[str, Mapping[str, Any]]]


def find_risks_and_gaps(
    candidates: Sequence[CandidateAssessment],
    scorecard: Scorecard,
    *,
    waivers: Sequence[Waiver],
    as_of: date,
) -> tuple[Finding, ...]:
    """All findings, candidate by candidate, risks before gaps. **Dates**: at ``as_of``."""
    found: list[Finding] = []
    for candidate in candidates:
        risks = [*_risks_of(candidate, as_of), *_overdue(candidate.key, waivers, as_of)]
        gaps = [*_gaps_of(candidate), *_open_points(candidate.key, scorecard)]
        found += [Finding(FindingKind.RISK, code, candidate.key, facts) for code, facts in risks]
        found += [Finding(FindingKind.GAP, code, candidate.key, facts) for code, facts in gaps]
    return tuple(found)


def _risks_of(candidate: CandidateAssessment, as_of: date) -> _Found:
    if candidate.problem:
        return
    yield from _maintenance_risks(candidate, as_of)
    yield from _verdict_risks(candidate, as_of)
    yield from _memory_risks(candidate)
    yield from _measured_risks(candidate)
    for feature in candidate.features:
        if feature.level is SupportLevel.UNSUPPORTED:
            yield "feature-refused", {"feature": feature.slug, "name": feature.name}


def _maintenance_risks(candidate: CandidateAssessment, as_of: date) -> _Found:
    known = candidate.maintenance
    ended = (MaintenanceStatus.ACTIVE, MaintenanceStatus.UNKNOWN)
    if known.status not in ended:
        yield (
            "not-maintained",
            {
                "status": known.status.value,
                "start_on": _day(known.start_on),
                "stated_on": _day(known.stated_on),
                "url": known.url,
                "note": known.note,
            },
        )
    if known.is_silent and known.silence_days is not None:
        yield "long-silence", {"days": known.silence_days}
    elif known.last_release_on is not None:
        days = (as_of - known.last_release_on).days
        if days >= OLD_RELEASE_DAYS:
            facts = {"days": days, "version": known.last_release, "limit_days": OLD_RELEASE_DAYS}
            yield "no-recent-release", facts
    if known.last_release and candidate.version and known.releases_after:
        yield (
            "newer-release",
            {
                "version": candidate.version,
                "newest": known.last_release,
                "releases_after": known.releases_after,
            },
        )


def _verdict_risks(candidate: CandidateAssessment, as_of: date) -> _Found:
    verdict = candidate.verdict
    if verdict.level is SupportLevel.UNSUPPORTED:
        yield "refused", {"limit": verdict.limit}
    if verdict.conditions and verdict.level is not SupportLevel.UNSUPPORTED:
        yield "conditional", {"conditions": list(verdict.conditions)}
    if verdict.level is SupportLevel.PARTIAL:
        notes = [c.note for c in verdict.claims if c.level is SupportLevel.PARTIAL and c.note]
        yield "partial", {"notes": notes}
    if verdict.conflicting:
        subjects = [leg.subject for leg in verdict.legs if leg.conflicting]
        uids = [c.uid for c in verdict.claims if c.role == "contradicting"]
        yield "conflicting-sources", {"subjects": subjects, "claims": uids}
    if verdict.stale:
        days = [c.stated_on for c in verdict.claims if c.role == "deciding" and c.stated_on]
        yield "stale-evidence", {"stated_on": _day(min(days, default=None))}
    if verdict.recheck_on is not None and verdict.recheck_on <= as_of:
        yield "recheck-due", {"recheck_on": verdict.recheck_on.isoformat()}
    if verdict.claims and verdict.tier not in ("", "official"):
        yield "unofficial-tier", {"tier": verdict.tier}


def _memory_risks(candidate: CandidateAssessment) -> _Found:
    fit = candidate.memory.fit
    if fit is None:
        return
    facts = {
        "level": fit.level.value,
        "needed_low_bytes": fit.needed_low_bytes,
        "needed_high_bytes": fit.needed_high_bytes,
        "usable_bytes": fit.usable_bytes,
    }
    if fit.level in (FitLevel.DOES_NOT_FIT, FitLevel.EXCEEDS):
        yield "does-not-fit", facts
    elif fit.level is FitLevel.TIGHT:
        yield "tight-fit", facts


def _measured_risks(candidate: CandidateAssessment) -> _Found:
    for check in candidate.slo_checks:
        if check.passes is False:
            yield (
                "slo-missed",
                {
                    "metric": check.metric,
                    "value": check.value,
                    "limit": check.limit,
                    "run": check.run,
                },
            )
    exact = [run for run in candidate.runs if run.is_exact]
    if exact and not any(run.is_performance for run in exact):
        yield "published-numbers-only", {"runs": [run.reference for run in exact]}


def _overdue(key: str, waivers: Sequence[Waiver], as_of: date) -> _Found:
    for waiver in waivers:
        if waiver.candidate == key and waiver.remove_by < as_of:
            facts = {"criterion": waiver.criterion, "remove_by": waiver.remove_by.isoformat()}
            yield "waiver-overdue", facts


def _gaps_of(candidate: CandidateAssessment) -> _Found:
    if candidate.problem:
        yield "unanswerable", {"problem": candidate.problem}
        return
    for axis in _NEEDED_AXES:
        if not getattr(candidate, axis):
            yield "nothing-asked", {"axis": axis}
    yield from _verdict_gaps(candidate)
    if candidate.maintenance.status is MaintenanceStatus.UNKNOWN:
        yield "unknown-maintenance", {}
    if candidate.memory.fit is None or candidate.memory.fit.level is FitLevel.UNKNOWN:
        yield "memory-unknown", {"why": candidate.memory.why_unknown}
    yield from _measured_gaps(candidate)
    for feature in candidate.features:
        if feature.level is SupportLevel.UNKNOWN:
            yield (
                "feature-unstated",
                {
                    "feature": feature.slug,
                    "name": feature.name,
                    "unknown_reason": feature.unknown_reason,
                },
            )


def _verdict_gaps(candidate: CandidateAssessment) -> _Found:
    verdict = candidate.verdict
    if verdict.level is SupportLevel.UNKNOWN:
        yield "unknown-verdict", {"unknown_reason": verdict.unknown_reason}
    for leg in verdict.legs:
        if leg.level is SupportLevel.UNKNOWN:
            yield (
                "unknown-leg",
                {"leg": leg.kind, "subject": leg.subject, "unknown_reason": leg.unknown_reason},
            )


def _measured_gaps(candidate: CandidateAssessment) -> _Found:
    if not candidate.runs:
        yield "no-run", {"hardware": candidate.hardware}
    elif not any(run.is_exact for run in candidate.runs):
        yield "no-exact-run", {"runs": len(candidate.runs), "hardware": candidate.hardware}
    if candidate.throughput.why_unknown:
        yield "no-slo-run", {"why": candidate.throughput.why_unknown}
    why = candidate.cost.why_unknown
    if not candidate.cost.price_uid:
        yield "no-price", {"hardware": candidate.hardware}
    if why and why not in _PRICE_REASONS:
        yield "no-cost", {"why": why}


def _open_points(key: str, scorecard: Scorecard) -> _Found:
    kinds = {criterion.key: criterion.kind for criterion in scorecard.criteria}
    for entry in scorecard.entries:
        if entry.candidate == key and entry.outcome is Outcome.OPEN:
            knock_out = kinds[entry.criterion] is CriterionKind.KNOCK_OUT
            yield "open-knock-out" if knock_out else "open-score", {"criterion": entry.criterion}


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
