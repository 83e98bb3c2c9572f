"""The verdict of a cell: ordered, named rules over the claims that cover it.

Rules, not weights: a meeting must be able to read why. ``RULESET_VERSION`` changes whenever a
rule changes; verdicts carry it.

**Source**: design page "knowledge", section Verdict.
"""

from collections.abc import Hashable, Iterable, Sequence
from datetime import date
from typing import TypeVar

from matrix.domain.coordinates import Cell
from matrix.domain.levels import (
    MEASURED_KINDS,
    STRENGTH,
    WEAKEST_FIRST,
    Axis,
    Confidence,
    Coverage,
    EvidenceKind,
    Execution,
    LegKind,
    Limit,
    SupportLevel,
    Tier,
    UnknownReason,
)
from matrix.domain.verdict_values import (
    CARRY_LIMIT_DAYS,
    RECHECK_AFTER_DAYS,
    RULESET_VERSION,
    Age,
    AgeKind,
    Candidate,
    LegResult,
    Rule,
    Verdict,
)

__all__ = [
    "CARRY_LIMIT_DAYS",
    "RECHECK_AFTER_DAYS",
    "RULESET_VERSION",
    "Age",
    "AgeKind",
    "Candidate",
    "LegResult",
    "Rule",
    "Verdict",
    "combine_legs",
    "decide_leg",
]

_Item = TypeVar("_Item", bound=Hashable)


def _best_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Rules 2–4 as one order: direct before implied before inherited, specific before general,
    nearest version, strength; among equals the cautious level first."""
    return sorted(
        candidates,
        key=lambda c: (
            bool(c.inherited_from),
            c.implied,
            -c.specificity,
            -c.rank,
            -c.strength,
            WEAKEST_FIRST.index(c.claim.level),
            c.claim.uid,
        ),
    )


def _newest_of_each_scope(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Among claims about the very same open scope only the best one speaks."""
    kept: dict[object, Candidate] = {}
    for candidate in _best_first(candidates):
        scope = candidate.claim.scope
        key = (
            frozenset(scope.nodes.items()),
            scope.features,
            frozenset(scope.numbers.items()),
            candidate.claim.conditions,
            candidate.implied,
        )
        kept.setdefault(key, candidate)
    return list(kept.values())


def _deciding_rule(ordered: Sequence[Candidate]) -> Rule:
    first = ordered[0]
    if first.implied:
        return Rule.IMPLIED
    if len(ordered) == 1:
        return Rule.ONLY_CLAIM
    second = ordered[1]
    if second.implied or second.inherited_from or first.specificity != second.specificity:
        return Rule.SPECIFIC_OVER_GENERAL
    if first.rank != second.rank:
        return Rule.NEAREST_VERSION
    return Rule.STRENGTH


def _stronger_no(first: Candidate, others: Sequence[Candidate]) -> Candidate | None:
    """A stronger "no" at the same or a later version is never hidden by a weaker "yes".

    A claim of equal strength may be lifted by a more specific one, a stronger one may not.
    """
    for other in others:
        if other.negative and other.strength > first.strength and other.rank >= first.rank:
            return other
    return None


def decide_leg(kind: LegKind, subject: str, candidates: Sequence[Candidate]) -> LegResult:
    """The result of one leg from all candidates that speak about it.

    **Source**: rules 2–6; see docs/verdict-rules.md.
    """
    fresh = [c for c in candidates if not c.is_stale]
    gates = tuple(c for c in fresh if c.is_gate_pass)
    live = [c for c in fresh if not c.is_gate_pass]
    yes = _best_first([c for c in live if c.coverage is Coverage.YES])
    depends = _newest_of_each_scope([c for c in live if c.coverage is Coverage.DEPENDS])
    if not yes and not depends:
        return _no_claim(kind, subject, candidates, gates)
    if not yes:
        return _only_depends(kind, subject, depends, gates)
    return _decided(kind, subject, yes, depends, gates)


def _no_claim(
    kind: LegKind, subject: str, candidates: Sequence[Candidate], gates: tuple[Candidate, ...]
) -> LegResult:
    stale = tuple(c for c in candidates if c.is_stale)
    if stale:
        reason, rule = UnknownReason.STALE, Rule.STALE
    else:
        reason = UnknownReason.SOURCE_SILENT if gates else UnknownReason.NEVER_INVESTIGATED
        rule = Rule.NO_CLAIM
    return LegResult(
        kind=kind,
        subject=subject,
        level=SupportLevel.UNKNOWN,
        rule=rule,
        others=stale,
        gates=gates,
        unknown_reason=reason,
    )


def _only_depends(
    kind: LegKind, subject: str, depends: list[Candidate], gates: tuple[Candidate, ...]
) -> LegResult:
    positives = [c for c in depends if not c.negative]
    negatives = [c for c in depends if c.negative]
    if not positives:
        return LegResult(
            kind=kind,
            subject=subject,
            level=SupportLevel.UNKNOWN,
            rule=Rule.DEPENDS,
            contradicting=tuple(negatives),
            gates=gates,
            unknown_reason=UnknownReason.SOURCE_SILENT,
        )
    partial = all(c.claim.level is SupportLevel.PARTIAL for c in positives)
    return LegResult(
        kind=kind,
        subject=subject,
        level=SupportLevel.PARTIAL if partial else SupportLevel.CONDITIONAL,
        rule=Rule.DEPENDS,
        deciding=tuple(positives),
        contradicting=tuple(negatives),
        gates=gates,
    )


def _decided(
    kind: LegKind,
    subject: str,
    yes: list[Candidate],
    depends: list[Candidate],
    gates: tuple[Candidate, ...],
) -> LegResult:
    first = yes[0]
    rule = _deciding_rule(yes)
    against = [c for c in yes[1:] if c.negative != first.negative]
    conflicting = any(c.rank >= first.rank for c in against if not c.inherited_from)
    if not first.negative and (no := _stronger_no(first, against)):
        against = [c for c in yes if c.negative != no.negative]
        first, rule, conflicting = no, Rule.VETO, True
    level = first.claim.level
    gate = _gate_conflict(first, gates)
    if gate:
        return LegResult(
            kind=kind,
            subject=subject,
            level=SupportLevel.UNKNOWN,
            rule=Rule.CONFLICT,
            deciding=(first,),
            contradicting=(gate,),
            others=tuple(c for c in yes if c is not first),
            gates=gates,
            unknown_reason=UnknownReason.SOURCES_CONFLICT,
            conflicting=True,
        )
    turning = [c for c in depends if c.negative != first.negative]
    deciding: tuple[Candidate, ...] = (first,)
    if level is SupportLevel.SUPPORTED and turning:
        level, rule = SupportLevel.CONDITIONAL, Rule.DEPENDS
    elif level is SupportLevel.UNSUPPORTED and turning:
        level, rule = SupportLevel.CONDITIONAL, Rule.DEPENDS
        deciding = (first, *turning)
    return LegResult(
        kind=kind,
        subject=subject,
        level=level,
        rule=rule,
        deciding=deciding,
        contradicting=tuple(against) + tuple(t for t in turning if t not in deciding),
        others=tuple(c for c in yes if c is not first and c not in against),
        gates=gates,
        conflicting=conflicting,
    )


def _gate_conflict(first: Candidate, gates: Sequence[Candidate]) -> Candidate | None:
    """A gate in the code that lets pass what weaker words refuse, as specifically and as recently.

    The pass proves nothing, so the answer is neither yes nor the page's no: sources conflict.
    """
    if not first.negative:
        return None
    for gate in gates:
        covered = gate.coverage is Coverage.YES
        newer = gate.rank >= first.rank
        specific = gate.specificity >= first.specificity
        if covered and newer and specific and gate.strength > first.strength:
            return gate
    return None


def combine_legs(
    cell: Cell, *, as_of: date, version: str | None, legs: Sequence[LegResult]
) -> Verdict:
    """The verdict from its legs: a veto, else the weakest leg (rules 5 and 7)."""
    level = _weakest(legs)
    leading = [leg for leg in legs if leg.level is level]
    deciding = [candidate for leg in legs for candidate in leg.deciding]
    carried = [c for c in deciding if c.age.kind is AgeKind.CARRIED_FORWARD]
    conflicting = any(leg.conflicting for leg in legs)
    relevant = leading if level is SupportLevel.UNSUPPORTED else list(legs)
    conditions = _unique(c for leg in relevant for item in leg.deciding for c in item.conditions)
    depends_on = _unique(d for leg in relevant for item in leg.deciding for d in item.depends_on)
    return Verdict(
        cell=cell,
        as_of=as_of,
        version=version,
        level=level,
        legs=tuple(legs),
        unknown_reason=_unknown_reason(level, leading),
        limit=_limit(level, leading),
        execution=_execution(deciding),
        tier=_tier(deciding),
        conflicting=conflicting,
        confidence=_confidence(level, deciding, conflicting=conflicting),
        conditions=conditions,
        depends_on=depends_on,
        stale=bool(carried) or any(leg.unknown_reason is UnknownReason.STALE for leg in legs),
        carried_forward=bool(carried),
        recheck_on=_recheck_on(deciding),
        measured=_measured(deciding),
    )


def _measured(deciding: Sequence[Candidate]) -> tuple[Candidate, ...]:
    runs = {c.claim.uid: c for c in deciding if c.claim.kind in MEASURED_KINDS}
    return tuple(runs.values())


def _weakest(legs: Sequence[LegResult]) -> SupportLevel:
    if not legs:
        return SupportLevel.UNKNOWN
    return min((leg.level for leg in legs), key=WEAKEST_FIRST.index)


_TELLING_FIRST = (
    UnknownReason.SOURCES_CONFLICT,
    UnknownReason.STALE,
    UnknownReason.EXTRACTOR_FAILED,
    UnknownReason.SOURCE_SILENT,
    UnknownReason.NOT_LISTED,
    UnknownReason.NEVER_INVESTIGATED,
)


def _unknown_reason(level: SupportLevel, leading: Sequence[LegResult]) -> UnknownReason | None:
    if level is not SupportLevel.UNKNOWN:
        return None
    reasons = [leg.unknown_reason for leg in leading if leg.unknown_reason]
    return min(reasons, key=_TELLING_FIRST.index, default=UnknownReason.NEVER_INVESTIGATED)


def _limit(level: SupportLevel, leading: Sequence[LegResult]) -> Limit | None:
    """Whose limit a "no" is: what the claim says, else what its scope names."""
    if level is not SupportLevel.UNSUPPORTED:
        return None
    for leg in leading:
        for candidate in leg.deciding:
            if candidate.claim.limit:
                return candidate.claim.limit
            nodes = candidate.claim.scope.nodes
            if Axis.ARTEFACT in nodes:
                return Limit.ARTEFACT
            if Axis.HARDWARE in nodes or Axis.BACKEND in nodes:
                return Limit.HARDWARE
            if Axis.MODEL in nodes:
                return Limit.MODEL
    return Limit.FRAMEWORK


def _execution(deciding: Sequence[Candidate]) -> Execution:
    stated = [c.claim.execution for c in deciding if c.claim.execution is not Execution.UNSTATED]
    return stated[0] if stated else Execution.UNSTATED


_TIER_ORDER = (Tier.PLANNED, Tier.EXPERIMENTAL, Tier.DEPRECATED, Tier.UNOFFICIAL, Tier.OFFICIAL)


def _tier(deciding: Sequence[Candidate]) -> Tier:
    tiers = [c.claim.tier for c in deciding]
    return min(tiers, key=_TIER_ORDER.index) if tiers else Tier.OFFICIAL


def _confidence(
    level: SupportLevel, deciding: Sequence[Candidate], *, conflicting: bool
) -> Confidence:
    if level is SupportLevel.UNKNOWN or not deciding:
        return Confidence.NONE
    if conflicting or any(c.inherited_from for c in deciding):
        return Confidence.LOW
    if any(c.age.kind is AgeKind.CARRIED_FORWARD and c.age.days > RECHECK_AFTER_DAYS
           for c in deciding):  # fmt: skip
        return Confidence.LOW
    weak = min(c.strength for c in deciding) < STRENGTH[EvidenceKind.DOCUMENTATION]
    exact = all(c.age.kind is AgeKind.OBSERVED and not c.implied for c in deciding)
    return Confidence.HIGH if exact and not weak else Confidence.MEDIUM


def _recheck_on(deciding: Sequence[Candidate]) -> date | None:
    if not deciding:
        return None
    oldest = min(c.observation.stated_on for c in deciding)
    return date.fromordinal(oldest.toordinal() + RECHECK_AFTER_DAYS)


def _unique(items: Iterable[_Item]) -> tuple[_Item, ...]:
    return tuple(dict.fromkeys(items))
