"""The automatic checks of a scorecard: one function for each code; what is not known is unknown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from matrix.domain.dossiers import CandidateAssessment
from matrix.domain.errors import InvalidValue
from matrix.domain.levels import MaintenanceStatus, SupportLevel
from matrix.domain.measured import Slo
from matrix.domain.memory.values import FitLevel
from matrix.domain.need import read_count, read_number, read_text
from matrix.domain.phrases import Phrase
from matrix.domain.pinned import SloCheck
from matrix.domain.scorecard import CHECKS, CheckResult

# Best first; a level that is not listed here answers nothing.
_LEVELS = (SupportLevel.SUPPORTED, SupportLevel.CONDITIONAL, SupportLevel.PARTIAL)
_FITS = (FitLevel.FITS, FitLevel.TIGHT)
LATENCY_METRICS = ("ttft", "tpot", "e2el")


@dataclass(frozen=True, slots=True)
class CheckQuestion:
    """A candidate held against one check. **Dates**: ``as_of`` of the dossier."""

    candidate: CandidateAssessment
    threshold: Mapping[str, Any]
    currency: str
    as_of: date


def run_check(code: str, question: CheckQuestion) -> CheckResult:
    """What the check of a code says; unknown for an unknown code."""
    check = _CHECKS.get(code)
    if question.candidate.problem or check is None:
        return CheckResult(None, {"why": "no-question"})
    return check(question)


def read_threshold(code: str, plain: object, *, name: str = "threshold") -> dict[str, Any]:
    """The checked parameters of an automatic check. **Raises**: ``InvalidValue``."""
    if code not in CHECKS:
        accepted = "empty, or one of " + ", ".join(sorted(CHECKS))
        raise InvalidValue(name="check", value=code[:60], accepted=accepted)
    if not isinstance(plain, Mapping):
        raise InvalidValue(name=name, value=str(plain)[:60], accepted=Phrase("an object"))
    known = CHECKS[code]
    for key in plain:
        if key not in known:
            listed = ", ".join(known) or "no members"
            raise InvalidValue(name=f"{name}.{str(key)[:60]}", value="given", accepted=listed)
    given = {key: value for key, value in plain.items() if value is not None and value != ""}
    return {
        key: _THRESHOLD_READERS.get((code, key), _number)(f"{name}.{key}", value)
        for key, value in given.items()
    } | _needed(code, given, name)


def _needed(code: str, given: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The defaults of what was left out. **Raises**: ``InvalidValue`` for what must be given."""
    for key in _MUST.get(code, ()):
        if key not in given:
            raise InvalidValue(
                name=f"{name}.{key}", value="", accepted=Phrase("given for {code}", code=code)
            )
    if code == "metric" and ("at_most" in given) == ("at_least" in given):
        raise InvalidValue(name=name, value="", accepted=Phrase("either at_most or at_least"))
    defaults = {key: value for key, value in _DEFAULTS.get(code, {}).items() if key not in given}
    return dict(defaults)


def _number(name: str, value: object) -> float:
    return read_number(name, value, largest=1e12)


def _level(name: str, value: object) -> str:
    return _one_of(name, value, [level.value for level in _LEVELS])


def _fit(name: str, value: object) -> str:
    return _one_of(name, value, [level.value for level in _FITS])


def _one_of(name: str, value: object, words: Sequence[str]) -> str:
    if value not in words:
        raise InvalidValue(
            name=name,
            value=str(value)[:60],
            accepted=Phrase("one of {names}", names=", ".join(words)),
        )
    return str(value)


def _statuses(name: str, value: object) -> list[str]:
    words = [status.value for status in MaintenanceStatus if status.value != "unknown"]
    if not isinstance(value, (list, tuple)) or not value:
        raise InvalidValue(
            name=name,
            value=str(value)[:60],
            accepted=Phrase("a list of {names}", names=", ".join(words)),
        )
    return [_one_of(f"{name}.{at}", item, words) for at, item in enumerate(value)]


def _days(name: str, value: object) -> int:
    return read_count(name, value, largest=36_500)


def _word(name: str, value: object) -> str:
    return read_text(name, value, longest=200)


_THRESHOLD_READERS: Mapping[tuple[str, str], Callable[[str, object], Any]] = {
    ("verdict", "at_least"): _level,
    ("memory-fit", "at_least"): _fit,
    ("maintenance", "accept"): _statuses,
    ("metric", "metric"): _word,
    ("feature", "feature"): _word,
    ("feature", "at_least"): _level,
    ("release-age", "at_most_days"): _days,
    ("evidence-age", "at_most_days"): _days,
}
_MUST: Mapping[str, tuple[str, ...]] = {
    "metric": ("metric",),
    "feature": ("feature",),
    "cost": ("at_most",),
    "release-age": ("at_most_days",),
    "evidence-age": ("at_most_days",),
}
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "verdict": {"at_least": "conditional"},
    "memory-fit": {"at_least": "fits"},
    "maintenance": {"accept": ["active"]},
    "feature": {"at_least": "conditional"},
}


# -- the checks ---------------------------------------------------------------------------------


def level_passes(level: SupportLevel, at_least: str) -> bool | None:
    """Whether a level is at least another; ``None`` for unknown, which is neither."""
    if level is SupportLevel.UNKNOWN:
        return None
    if level is SupportLevel.UNSUPPORTED:
        return False
    return _LEVELS.index(level) <= _LEVELS.index(SupportLevel(at_least))


def _verdict(question: CheckQuestion) -> CheckResult:
    verdict = question.candidate.verdict
    wanted = question.threshold.get("at_least", "conditional")
    facts = {"level": verdict.level.value, "at_least": wanted}
    if verdict.unknown_reason:
        facts["why"] = verdict.unknown_reason
    return CheckResult(level_passes(verdict.level, wanted), facts)


def _memory_fit(question: CheckQuestion) -> CheckResult:
    memory = question.candidate.memory
    wanted = FitLevel(question.threshold.get("at_least", "fits"))
    if memory.fit is None or memory.fit.level is FitLevel.UNKNOWN:
        return CheckResult(None, {"why": memory.why_unknown or "memory-unknown"})
    level = memory.fit.level
    passes = level in _FITS and _FITS.index(level) <= _FITS.index(wanted)
    return CheckResult(passes, {"level": level.value, "at_least": wanted.value})


def _maintenance(question: CheckQuestion) -> CheckResult:
    status = question.candidate.maintenance.status
    accepted = list(question.threshold.get("accept", ["active"]))
    facts = {"status": status.value, "accept": accepted}
    if status is MaintenanceStatus.UNKNOWN:
        return CheckResult(None, facts)
    return CheckResult(status.value in accepted, facts)


# What a run may lack to answer for the need's load; each leaves the objectives open.
_OPEN_MARKS = ("other-concurrency", "length-unknown", "some-runs-missed")


def _slo(question: CheckQuestion) -> CheckResult:
    """Met or missed only by runs of this very combination under the load that the need names.

    A need without objectives is met by nothing.
    """
    if not question.candidate.slo_checks:
        return CheckResult(None, {"why": "no-slo"})
    reached = question.candidate.throughput
    open_marks = [mark for mark in _OPEN_MARKS if mark in reached.marks]
    if reached.why_unknown == "slo-not-met" and not open_marks:
        return CheckResult(False, {"why": reached.why_unknown})
    if reached.why_unknown or open_marks:
        return CheckResult(None, {"why": open_marks[0] if open_marks else reached.why_unknown})
    return CheckResult(True, {"output_tok_s": reached.output_tok_s, "runs": list(reached.runs)})


def _metric(question: CheckQuestion) -> CheckResult:
    """Of the best run of this very combination that states the metric."""
    threshold = question.threshold
    name = str(threshold.get("metric", ""))
    values = [
        (run.metrics[name], run.reference)
        for run in question.candidate.runs
        if run.is_exact and run.is_performance and name in run.metrics
    ]
    if not values:
        return CheckResult(None, {"metric": name, "why": "not-measured"})
    at_most, at_least = threshold.get("at_most"), threshold.get("at_least")
    value, reference = min(values) if at_most is not None else max(values)
    passes = value <= at_most if at_most is not None else value >= (at_least or 0)
    limit = at_most if at_most is not None else at_least
    return CheckResult(passes, {"metric": name, "value": value, "limit": limit, "run": reference})


def _feature(question: CheckQuestion) -> CheckResult:
    slug = str(question.threshold.get("feature", ""))
    wanted = question.threshold.get("at_least", "conditional")
    for feature in question.candidate.features:
        if feature.slug == slug:
            facts = {"feature": slug, "level": feature.level.value, "at_least": wanted}
            return CheckResult(level_passes(feature.level, wanted), facts)
    return CheckResult(None, {"feature": slug, "why": "not-asked"})


def _cost(question: CheckQuestion) -> CheckResult:
    cost = question.candidate.cost
    if cost.why_unknown or not cost.output:
        return CheckResult(None, {"why": cost.why_unknown or "no-cost"})
    if cost.currency != question.currency:
        # A limit without its currency compares with no amount.
        return CheckResult(None, {"why": "no-currency"})
    if cost.price_is_demonstration:
        return CheckResult(None, {"why": "demonstration-price"})
    at_most = Decimal(str(question.threshold.get("at_most", 0)))
    facts = {"output": cost.output, "at_most": str(at_most), "currency": cost.currency}
    return CheckResult(Decimal(cost.output) <= at_most, facts)


def _release_age(question: CheckQuestion) -> CheckResult:
    last = question.candidate.maintenance.last_release_on
    limit = int(question.threshold.get("at_most_days", 0))
    if last is None:
        return CheckResult(None, {"why": "no-release"})
    days = (question.as_of - last).days
    return CheckResult(days <= limit, {"days": days, "at_most_days": limit})


def _evidence_age(question: CheckQuestion) -> CheckResult:
    claims = question.candidate.verdict.claims
    stated = [claim.stated_on for claim in claims if claim.role == "deciding"]
    days = [(question.as_of - day).days for day in stated if day is not None]
    limit = int(question.threshold.get("at_most_days", 0))
    if not days or (None in stated and max(days) <= limit):
        # The oldest may be the one without a date.
        return CheckResult(None, {"why": "no-evidence" if not stated else "unknown"})
    return CheckResult(max(days) <= limit, {"days": max(days), "at_most_days": limit})


_CHECKS: Mapping[str, Callable[[CheckQuestion], CheckResult]] = {
    "verdict": _verdict,
    "memory-fit": _memory_fit,
    "maintenance": _maintenance,
    "slo": _slo,
    "metric": _metric,
    "feature": _feature,
    "cost": _cost,
    "release-age": _release_age,
    "evidence-age": _evidence_age,
}


# Why no throughput is known, where the runs had another load than the need.
_OTHER_LOADS = ("other-load", "no-serving")


def hold_to_objectives(candidate: CandidateAssessment, slo: Slo) -> tuple[SloCheck, ...]:
    """Each objective held against the run of this combination that comes nearest to all of them.

    A latency objective is held against the percentile of its share (``ttft_p95_ms``); a run that
    does not state that percentile leaves it unknown, and so does one of another load. Where a
    throughput at the objectives is known, only the runs that it rests on are looked at.
    """
    limits = [
        (f"{name}_p{round(slo.share * 100)}_ms", limit)
        for name in LATENCY_METRICS
        if (limit := getattr(slo, f"{name}_ms")) is not None
    ]
    if slo.error_rate is not None:
        limits.append(("error_rate", slo.error_rate))
    reached = candidate.throughput
    is_of_load = (
        reached.why_unknown not in _OTHER_LOADS and "other-concurrency" not in reached.marks
    )
    runs = [
        run
        for run in candidate.runs
        if run.is_exact
        and run.is_performance
        and is_of_load
        and (not reached.runs or run.reference in reached.runs)
    ]
    held = [
        tuple(
            SloCheck(metric, limit, value, None if value is None else value <= limit, run.reference)
            for metric, limit in limits
            for value in [run.metrics.get(metric)]
        )
        for run in runs
    ]
    if not held:
        return tuple(SloCheck(metric, limit) for metric, limit in limits)
    return max(held, key=lambda checks: sum(bool(check.passes) for check in checks))
