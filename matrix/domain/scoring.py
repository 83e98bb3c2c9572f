"""Works out a scorecard: who is knocked out, how many points each has, how firm the order is."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from matrix.domain.scorecard import (
    MOST_POINTS,
    CheckResult,
    Criterion,
    CriterionKind,
    Judgement,
    Outcome,
    Ranking,
    Scorecard,
    ScoreEntry,
    Standing,
    WeightMove,
)

Key = tuple[str, str]


def score(
    candidates: Sequence[str],
    criteria: Sequence[Criterion],
    *,
    checks: Mapping[Key, CheckResult],
    judgements: Mapping[Key, Judgement],
    waived: Mapping[Key, str],
) -> Scorecard:
    """The scorecard of candidates (keys in their order) on criteria.

    **Shapes**: the mappings are by (candidate, criterion); ``waived`` holds the day until which a
    waiver lifts a knock-out, and only waivers that still hold.
    """
    entries = tuple(
        _entry(
            candidate,
            criterion,
            check=checks.get((candidate, criterion.key)),
            judgement=judgements.get((candidate, criterion.key)),
            remove_by=waived.get((candidate, criterion.key), ""),
        )
        for criterion in criteria
        for candidate in candidates
    )
    weights = {c.key: c.weight_percent for c in criteria if c.kind is CriterionKind.WEIGHTED}
    ranking = _rank(candidates, criteria, entries, weights)
    return Scorecard(
        criteria=tuple(criteria),
        entries=entries,
        ranking=ranking,
        moves=sensitivity(ranking, entries, weights),
        weight_sum=sum(weights.values()),
    )


def _entry(
    candidate: str,
    criterion: Criterion,
    *,
    check: CheckResult | None,
    judgement: Judgement | None,
    remove_by: str,
) -> ScoreEntry:
    known = check.passes if check is not None else None
    if criterion.kind is CriterionKind.WEIGHTED:
        points = judgement.points if judgement is not None else None
        by_check = points is None and known is not None
        if points is None and known is not None:
            points = MOST_POINTS if known else 0
        outcome = Outcome.OPEN if points is None else Outcome.PASS
        return ScoreEntry(candidate, criterion.key, outcome, points, by_check, check, judgement)
    said = judgement.passes if judgement is not None else None
    outcome = _knock_out(known, said)
    if outcome is not Outcome.PASS and remove_by:
        outcome = Outcome.WAIVED
    return ScoreEntry(
        candidate,
        criterion.key,
        outcome,
        by_check=said is None and known is not None,
        check=check,
        judgement=judgement,
        remove_by=remove_by if outcome is Outcome.WAIVED else "",
    )


def _knock_out(known: bool | None, said: bool | None) -> Outcome:
    """A failure of either counts; people answer what the check cannot, and do not overrule it."""
    if known is False or said is False:
        return Outcome.FAIL
    return Outcome.PASS if known or said else Outcome.OPEN


def _rank(
    candidates: Sequence[str],
    criteria: Sequence[Criterion],
    entries: Sequence[ScoreEntry],
    weights: Mapping[str, int],
) -> tuple[Ranking, ...]:
    found = []
    total = sum(weights.values())
    for candidate in candidates:
        own = [e for e in entries if e.candidate == candidate]
        outs = [e for e in own if e.criterion not in weights]
        scored = [e for e in own if e.criterion in weights]
        low = sum(weights[e.criterion] * (e.points or 0) for e in scored)
        openly = sum(weights[e.criterion] for e in scored if e.points is None) * MOST_POINTS
        open_outs = sum(e.outcome is Outcome.OPEN for e in outs)
        failed = tuple(e.criterion for e in outs if e.outcome is Outcome.FAIL)
        standing = Standing.OUT if failed else Standing.OPEN if open_outs else Standing.IN
        found.append(
            Ranking(
                candidate=candidate,
                rank=0,
                standing=standing,
                low_percent=_percent(low, total),
                high_percent=_percent(low + openly, total),
                open_knock_outs=open_outs,
                open_scores=sum(e.points is None for e in scored),
                failed=failed,
                waived=tuple(e.criterion for e in outs if e.outcome is Outcome.WAIVED),
            )
        )
    order = list(Standing)
    found.sort(key=lambda r: (order.index(r.standing), -r.low_percent, -r.high_percent))
    ranked: list[Ranking] = []
    for position, row in enumerate(found, 1):
        before = ranked[-1] if ranked else None
        equal = before is not None and _merit(before) == _merit(row)
        ranked.append(replace(row, rank=before.rank if equal and before else position))
    return tuple(ranked)


def _merit(row: Ranking) -> tuple[Standing, float, float]:
    return row.standing, row.low_percent, row.high_percent


def _percent(weighted: int, total: int) -> float:
    """Weighted points in percent of the reachable ones, to two places; 0 without weights."""
    return round(100 * weighted / (total * MOST_POINTS), 2) if total else 0.0


# **Units**: percentage points by which one weight is moved.
MOVES = (-10, 10)


def sensitivity(
    ranking: Sequence[Ranking], entries: Sequence[ScoreEntry], weights: Mapping[str, int]
) -> tuple[WeightMove, ...]:
    """What each move of one weight does to the order of those that pass all knock-outs.

    Open scores count as 0, as in the ranking. A weight stays between 0 and all; equal totals are
    no order, so that a move that only parts equals does not count as a change of the leader.
    """
    rivals = [r.candidate for r in ranking if r.standing is Standing.IN]
    total = sum(weights.values())
    if len(rivals) < 2 or len(weights) < 2 or not total:
        return ()
    points = {(e.candidate, e.criterion): e.points or 0 for e in entries}
    usual = {key: Fraction(weight, 1) for key, weight in weights.items()}
    before = _totals(rivals, usual, points)
    moves = []
    for key in weights:
        for step in MOVES:
            moved = _moved(usual, key, Fraction(step * total, 100))
            if moved is None:
                continue
            after = _totals(rivals, moved, points)
            order = tuple(sorted(rivals, key=lambda r: (-after[r], rivals.index(r))))
            moves.append(
                WeightMove(
                    criterion=key,
                    by_points=step,
                    order=order,
                    changes_leader=_leaders(before).isdisjoint(_leaders(after)),
                    changes_order=_is_turned(rivals, before, after),
                )
            )
    return tuple(moves)


def _totals(
    rivals: Sequence[str], weights: Mapping[str, Fraction], points: Mapping[Key, int]
) -> dict[str, Fraction]:
    return {
        r: sum((w * points.get((r, key), 0) for key, w in weights.items()), Fraction())
        for r in rivals
    }


def _moved(weights: Mapping[str, Fraction], key: str, step: Fraction) -> dict[str, Fraction] | None:
    """The weights with one moved and the others scaled to the same sum; ``None`` when it cannot."""
    total = sum(weights.values(), Fraction())
    moved = min(max(weights[key] + step, Fraction()), total)
    rest = total - weights[key]
    if moved == weights[key] or not rest:
        return None
    factor = (total - moved) / rest
    return {name: moved if name == key else w * factor for name, w in weights.items()}


def _leaders(totals: Mapping[str, Fraction]) -> set[str]:
    best = max(totals.values())
    return {name for name, total in totals.items() if total == best}


def _is_turned(
    rivals: Sequence[str], before: Mapping[str, Fraction], after: Mapping[str, Fraction]
) -> bool:
    """Whether a pair stands the other way round."""
    return any(
        (before[one] - before[other]) * (after[one] - after[other]) < 0
        for one, other in itertools.combinations(rivals, 2)
    )
