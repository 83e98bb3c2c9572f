"""The verdict of a cell: ordered, named rules over the claims that cover it.

Rules, not weights: a meeting must be able to read why. ``RULESET_VERSION`` changes whenever a
rule changes; verdicts carry it.

**Source**: design page "knowledge", section Verdict.
"""

from collections.abc import Hashable, Sequence

from matrix.domain.levels import (
    WEAKEST_FIRST,
    ConditionKind,
    Coverage,
    Execution,
    LegKind,
    SupportLevel,
    UnknownReason,
)
from matrix.domain.verdict_values import (
    CARRY_LIMIT_DAYS,
    RECHECK_AFTER_DAYS,
    RULESET_VERSION,
    SWITCHES,
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
    "decide_leg",
    "takes_back",
    "weakest_level",
]

_TURNED_ON = frozenset({"=", "set"})
_WEAKNESS = {level: position for position, level in enumerate(WEAKEST_FIRST)}


def _best_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Rules 2–4 as one order: direct before implied before inherited, specific before general,
    nearest version, strength; among equals the cautious level first."""
    if len(candidates) < 2:
        return list(candidates)
    return sorted(
        candidates,
        key=lambda c: (
            c.inherited_from != "",
            c.implied,
            -c.specificity,
            -c.rank,
            -c.strength,
            _WEAKNESS[c.claim.level],
            c.claim.execution is Execution.UNSTATED,
            c.claim.statement,
            c.claim.uid,
        ),
    )


def _newest_of_each_scope(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Among claims about the very same open scope only the best one speaks."""
    if len(candidates) < 2:
        return list(candidates)
    kept: dict[Hashable, Candidate] = {}
    for candidate in _best_first(candidates):
        kept.setdefault(candidate.said_of, candidate)
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


def _within(positive: Candidate, negative: Candidate) -> bool:
    """Whether the yes speaks of everything the no speaks of, at least as deeply in each tree.

    "LoRA on Hopper: yes" is not within "LoRA with speculative decoding: no": it answers another
    question, so it can neither lift nor contradict it.
    """
    yes, no = positive.claim.scope, negative.claim.scope
    if len(yes.features) < len(no.features) or not no.numbers.keys() <= yes.numbers.keys():
        return False
    return all(positive.depth_on(axis) >= negative.depth_on(axis) for axis in no.nodes)


def _is_past(candidate: Candidate, dated: Sequence[Candidate]) -> bool:
    """Whether a no was said of a release before the one since when a yes about it holds.

    Such a yes speaks of a change, so what was refused before is taken back, however narrowly it was
    said; a yes about fewer features is no answer to a joint no.
    """
    features = candidate.claim.scope.features
    return candidate.negative and any(
        yes.since > candidate.rank and len(yes.claim.scope.features) >= len(features)
        for yes in dated
    )


def _lifts(positive: Candidate, negative: Candidate) -> bool:
    """Whether a yes takes back a no: within its scope, as recent, as strong, and better in one."""
    if positive.rank < negative.rank or positive.strength < negative.strength:
        return False
    better = (
        positive.specificity > negative.specificity
        or positive.rank > negative.rank
        or positive.strength > negative.strength
    )
    return better and _within(positive, negative)


def takes_back(positive: Candidate, negative: Candidate) -> bool:
    """Whether a yes about the whole leg takes back a no, by its age or by saying since when."""
    if positive.negative or positive.coverage is not Coverage.YES or positive.is_gate_pass:
        return False
    return _lifts(positive, negative) or _is_past(negative, [positive])


def _standing_no(candidates: Sequence[Candidate]) -> Candidate | None:
    """The best no that no yes takes back."""
    positives = [c for c in candidates if not c.negative]
    for negative in candidates:
        if negative.negative and not any(_lifts(p, negative) for p in positives):
            return negative
    return None


def decide_leg(kind: LegKind, subject: str, candidates: Sequence[Candidate]) -> LegResult:
    """The result of one leg from all candidates that speak about it.

    **Source**: rules 2–6; see docs/verdict-rules.md.
    """
    gates: list[Candidate] = []
    covering: list[Candidate] = []
    open_ones: list[Candidate] = []
    for candidate in candidates:
        if candidate.is_stale:
            continue
        if candidate.is_gate_pass:
            gates.append(candidate)
        elif candidate.coverage is Coverage.YES:
            covering.append(candidate)
        else:
            open_ones.append(candidate)
    dated = [c for c in covering if not c.negative and c.since >= 0]
    if dated:
        covering = [c for c in covering if not _is_past(c, dated)]
        open_ones = [c for c in open_ones if not _is_past(c, dated)]
    yes = _best_first(covering)
    depends = _newest_of_each_scope(open_ones)
    passes = tuple(gates)
    if not yes and not depends:
        return _no_claim(kind, subject, candidates, passes)
    if not yes:
        return _only_depends(kind, subject, depends, passes)
    return _decided(kind, subject, yes, depends, passes)


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
    if not first.negative and against and (no := _standing_no(yes)):
        against = [c for c in yes if not c.negative]
        first, rule = no, Rule.VETO
    conflicting = any(_contradicts(c, first) for c in against)
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
    turning = [c for c in depends if _turns(c, first)]
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


def _contradicts(candidate: Candidate, first: Candidate) -> bool:
    """Whether a claim of the other sign is a conflict, not a more general, other or older word."""
    if candidate.rank < first.rank or candidate.inherited_from:
        return False
    return _within(first, candidate) if candidate.negative else _within(candidate, first)


def _turns(candidate: Candidate, first: Candidate) -> bool:
    """Whether an open statement of the other sign makes the leg conditional.

    A "no" for a part always qualifies a yes. A "yes" qualifies a no only when it speaks at least as
    specifically about the cell: "NVIDIA cards, some generations" does not reopen a refused Volta.
    """
    if candidate.negative == first.negative:
        return False
    if candidate.negative:
        return not _is_chosen(candidate) and not _is_older_reserve(candidate, first)
    if candidate.depends_on or candidate.rank < first.rank:
        # A yes for a part ("on a T4") leaves a no about the whole as it is; so does an older one.
        return False
    if not candidate.claim.scope.features >= first.claim.scope.features:
        return False
    if any(c.kind is ConditionKind.OTHER for c in candidate.conditions):
        # "Some generations" is no setting that a reader could choose.
        return False
    if not candidate.claim.scope.nodes.keys() >= first.claim.scope.nodes.keys():
        # "With this flag" about less than what is refused leaves the refusal as it is.
        return False
    nodes = candidate.specificity - len(candidate.claim.conditions)
    return nodes >= first.specificity - len(first.claim.conditions)


def _is_chosen(negative: Candidate) -> bool:
    """Whether the no speaks only of those who turn something on that the cell does not ask for.

    "Not with bfloat16" leaves the yes as it is; "not unless the flag is set" does not.
    """
    return bool(negative.conditions) and all(
        c.kind in SWITCHES and c.op in _TURNED_ON for c in negative.conditions
    )


def _is_older_reserve(negative: Candidate, first: Candidate) -> bool:
    """Whether a no under a condition is older than a yes that knows no condition."""
    older = negative.rank < first.rank
    return older and bool(negative.conditions) and not first.conditions


def _gate_conflict(first: Candidate, gates: Sequence[Candidate]) -> Candidate | None:
    """A gate in the code that lets pass what weaker words refuse, as specifically and as recently.

    The pass proves nothing, so the answer is neither yes nor the page's no: sources conflict.
    """
    if not first.negative:
        return None
    refused = first.claim.scope
    for gate in gates:
        passed = gate.claim.scope
        if not (
            passed.nodes.keys() >= refused.nodes.keys() and passed.features >= refused.features
        ):
            # The gate knows nothing of the model or the feature that is refused.
            continue
        covered = gate.coverage is Coverage.YES
        newer = gate.rank >= first.rank
        specific = gate.specificity >= first.specificity
        if covered and newer and specific and gate.strength > first.strength:
            return gate
    return None


def weakest_level(legs: Sequence[LegResult]) -> SupportLevel:
    """The level of a cell with these legs: a veto, else the weakest leg (rules 5 and 7)."""
    if not legs:
        return SupportLevel.UNKNOWN
    return min([leg.level for leg in legs], key=_WEAKNESS.__getitem__)
