"""The scorecard of a dossier: knock-outs first, then weighted points; an unknown never passes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

MOST_POINTS = 4


class CriterionKind(StrEnum):
    """What a criterion does."""

    KNOCK_OUT = "knock-out"
    WEIGHTED = "weighted"


class Outcome(StrEnum):
    """How a candidate stands on a criterion; ``OPEN`` is neither passed nor failed."""

    PASS = "pass"
    FAIL = "fail"
    OPEN = "open"
    WAIVED = "waived"


class Standing(StrEnum):
    """In which group a candidate is ranked: each group stands before the next."""

    IN = "in"  # every knock-out is passed or waived
    OPEN = "open"  # a knock-out is not answered
    OUT = "out"  # a knock-out fails


# **Shapes**: the codes of automatic checks with the names of their parameters.
CHECKS: Mapping[str, tuple[str, ...]] = {
    "verdict": ("at_least",),  # supported, conditional or partial
    "memory-fit": ("at_least",),  # fits or tight
    "maintenance": ("accept",),  # list of statuses
    "slo": (),  # the need's objectives are met by a run of this combination
    "metric": ("metric", "at_most", "at_least"),  # of a run of this combination
    "feature": ("feature", "at_least"),
    "cost": ("at_most",),  # per million output tokens in the need's currency
    "release-age": ("at_most_days",),  # of the framework's newest release
    "evidence-age": ("at_most_days",),  # of the oldest deciding claim
}


@dataclass(frozen=True, slots=True)
class Criterion:
    """A knock-out or a weighted criterion. ``key`` is its position as text."""

    key: str
    name: str
    kind: CriterionKind
    check: str = ""
    threshold: Mapping[str, Any] = field(default_factory=dict)
    weight_percent: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What an automatic check says. ``passes`` ``None``: unknown; ``facts`` say from what."""

    passes: bool | None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgement:
    """How people judged a candidate on a criterion."""

    points: int | None = None
    passes: bool | None = None
    note: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class ScoreEntry:
    """One cell of the scorecard.

    ``outcome`` of a weighted criterion is ``OPEN`` until it has points. ``points`` are those that
    count; ``by_check`` says that they came from the automatic check.
    """

    candidate: str
    criterion: str
    outcome: Outcome
    points: int | None = None
    by_check: bool = False
    check: CheckResult | None = None
    judgement: Judgement | None = None
    remove_by: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Where a candidate stands. **Units**: percent of the reachable points.

    ``low_percent`` counts open scores as 0 points, ``high_percent`` as all of them.
    ``is_competing`` is off for a candidate that is knocked out: its score is shown only.
    """

    candidate: str
    rank: int
    standing: Standing
    low_percent: float
    high_percent: float
    open_knock_outs: int = 0
    open_scores: int = 0
    failed: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()

    @property
    def is_competing(self) -> bool:
        """Whether its score counts."""
        return self.standing is not Standing.OUT


@dataclass(frozen=True, slots=True)
class WeightMove:
    """What happens when one weight moves and the others give way in proportion.

    **Shapes**: ``order`` are the keys of competing candidates, best first.
    """

    criterion: str
    by_points: int
    order: tuple[str, ...]
    changes_leader: bool
    changes_order: bool


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Criteria, every cell, the ranking (best first), and how firm the order is.

    ``weight_sum`` is 100 in a scorecard that can be frozen with weighted criteria.
    """

    criteria: tuple[Criterion, ...] = ()
    entries: tuple[ScoreEntry, ...] = ()
    ranking: tuple[Ranking, ...] = ()
    moves: tuple[WeightMove, ...] = ()
    weight_sum: int = 0

    @property
    def knock_outs(self) -> tuple[Criterion, ...]:
        """The knock-out criteria, in order."""
        return tuple(c for c in self.criteria if c.kind is CriterionKind.KNOCK_OUT)

    @property
    def weighted(self) -> tuple[Criterion, ...]:
        """The weighted criteria, in order."""
        return tuple(c for c in self.criteria if c.kind is CriterionKind.WEIGHTED)

    @property
    def is_order_firm(self) -> bool:
        """Whether no move of one weight changes the order."""
        return not any(move.changes_order for move in self.moves)

    @property
    def is_leader_firm(self) -> bool:
        """Whether no move of one weight changes who is first."""
        return not any(move.changes_leader for move in self.moves)

    def entry(self, candidate: str, criterion: str) -> ScoreEntry:
        """The cell of two keys. **Raises**: ``KeyError``."""
        for entry in self.entries:
            if entry.candidate == candidate and entry.criterion == criterion:
                return entry
        raise KeyError((candidate, criterion))
