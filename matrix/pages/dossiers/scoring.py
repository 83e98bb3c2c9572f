"""The scorecard as people read it: knock-outs, weighted points, and how firm the order is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matrix.domain.scorecard import (
    MOST_POINTS,
    CheckResult,
    Criterion,
    Outcome,
    Ranking,
    Scorecard,
    ScoreEntry,
    Standing,
    WeightMove,
)
from matrix.pages.dossiers.check_words import check_answer
from matrix.pages.dossiers.words import OUTCOME_SIGNS, STANDING_SIGNS, check_sentence, score_word
from matrix.pages.words import Sign

BAR_WIDTH = 100


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """How one candidate stands on one criterion. ``answer`` is what the automatic check saw."""

    candidate: str
    sign: Sign
    points: int | None
    answer: str
    reason: str
    judged_by: str
    is_by_check: bool
    remove_by: str


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One criterion with its cells in the order of the columns."""

    key: str
    name: str
    asks: str
    note: str
    weight_percent: int
    cells: Sequence[ScoreCell]


@dataclass(frozen=True, slots=True)
class RankCell:
    """Where one candidate stands in sum. ``percent`` is the width of its bar."""

    candidate: str
    rank: int
    standing: Sign
    standing_code: str
    is_competing: bool
    score: str
    percent: float
    failed: Sequence[str]
    waived: Sequence[str]


@dataclass(frozen=True, slots=True)
class ScoreView:
    """The scorecard; ``sensitivity`` are sentences."""

    knock_outs: Sequence[ScoreRow]
    weighted: Sequence[ScoreRow]
    ranks: Sequence[RankCell]
    weight_sum: int
    sensitivity: Sequence[str]
    most_points: int = MOST_POINTS


def score_view(
    card: Scorecard,
    *,
    order: Sequence[str],
    candidates: Mapping[str, str],
    features: Mapping[str, str],
    currency: str,
) -> ScoreView:
    """The view; ``order`` are the keys of the columns, ``candidates`` and ``features`` names."""
    entries = {(e.candidate, e.criterion): e for e in card.entries}
    names = {criterion.key: criterion.name for criterion in card.criteria}
    ranking = {rank.candidate: rank for rank in card.ranking}

    def rows(criteria: Sequence[Criterion]) -> list[ScoreRow]:
        return [
            ScoreRow(
                key=c.key,
                name=c.name,
                asks=check_sentence(c.check, c.threshold, features=features, currency=currency),
                note=c.note,
                weight_percent=c.weight_percent,
                cells=[_cell(entries.get((key, c.key)), key, c) for key in order],
            )
            for c in criteria
        ]

    return ScoreView(
        knock_outs=rows(card.knock_outs),
        weighted=rows(card.weighted),
        ranks=[_rank_cell(ranking[key], names) for key in order if key in ranking],
        weight_sum=card.weight_sum,
        sensitivity=sensitivity_sentences(card, candidates=candidates),
    )


def _cell(entry: ScoreEntry | None, candidate: str, criterion: Criterion) -> ScoreCell:
    if entry is None:
        entry = ScoreEntry(candidate, criterion.key, Outcome.OPEN)
    judged = entry.judgement
    return ScoreCell(
        candidate=candidate,
        sign=OUTCOME_SIGNS[entry.outcome],
        points=entry.points,
        answer=_answer(criterion, entry.check),
        reason=judged.note if judged else "",
        judged_by=judged.by if judged else "",
        is_by_check=entry.by_check,
        remove_by=entry.remove_by,
    )


def _answer(criterion: Criterion, check: CheckResult | None) -> str:
    return check_answer(criterion.check, check) if criterion.check and check else ""


def _rank_cell(rank: Ranking, names: Mapping[str, str]) -> RankCell:
    return RankCell(
        candidate=rank.candidate,
        rank=rank.rank,
        standing=STANDING_SIGNS[rank.standing],
        standing_code=rank.standing.value,
        is_competing=rank.is_competing,
        score=score_word(rank),
        percent=rank.low_percent,
        failed=[names.get(key, key) for key in rank.failed],
        waived=[names.get(key, key) for key in rank.waived],
    )


def sensitivity_sentences(card: Scorecard, *, candidates: Mapping[str, str]) -> list[str]:
    """What moving one weight does to the order, in sentences."""
    if not card.moves:
        return [
            _(
                "How firm the order is cannot be told: it takes two candidates that pass every "
                "knock-out, and two weights."
            )
        ]
    said = _firmness(card, candidates)
    rivals = [rank for rank in card.ranking if rank.standing is Standing.IN]
    if any(rank.open_scores for rank in rivals):
        said.append(_("Scores that are open count as 0 points in this."))
    return said


def _firmness(card: Scorecard, candidates: Mapping[str, str]) -> list[str]:
    step = max(abs(move.by_points) for move in card.moves)
    words = {"step": step}
    if card.is_order_firm:
        return [_("The order stays the same when any one weight moves by %(step)d points.") % words]
    if card.is_leader_firm:
        first = _("The first stays first when any one weight moves by %(step)d points.") % words
    else:
        first = _("The first place depends on the weights.")
    names = {criterion.key: criterion.name for criterion in card.criteria}
    turned = [move for move in card.moves if move.changes_order]
    return [first, *(_move_sentence(move, names, candidates) for move in turned)]


def _move_sentence(
    move: WeightMove, names: Mapping[str, str], candidates: Mapping[str, str]
) -> str:
    words: dict[str, Any] = {
        "criterion": names.get(move.criterion, move.criterion),
        "order": ", ".join(candidates.get(key, key) for key in move.order),
    }
    size = abs(move.by_points)
    if move.by_points > 0:
        text = ngettext(
            "With “%(criterion)s” %(n)d point heavier the order is: %(order)s.",
            "With “%(criterion)s” %(n)d points heavier the order is: %(order)s.",
            size,
        )
    else:
        text = ngettext(
            "With “%(criterion)s” %(n)d point lighter the order is: %(order)s.",
            "With “%(criterion)s” %(n)d points lighter the order is: %(order)s.",
            size,
        )
    return text % {**words, "n": size}
