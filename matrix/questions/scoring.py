"""Answers against what a question file expects: right, wrong, unknown, and false "supported"."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from matrix.domain.levels import SupportLevel
from matrix.questions.answers import Answer

_WITH_LIMITS = frozenset({SupportLevel.CONDITIONAL, SupportLevel.PARTIAL})


class Outcome(StrEnum):
    """How an answer compares with the expected one."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class Scored:
    """One answer with what was expected and how it compares."""

    answer: Answer
    expected: SupportLevel | None
    outcome: Outcome

    @property
    def is_false_supported(self) -> bool:
        """Whether "supported" was said where anything else was expected."""
        said = self.answer.level is SupportLevel.SUPPORTED
        return said and self.expected not in {None, SupportLevel.SUPPORTED}


def score_answer(answer: Answer, expected: SupportLevel | None) -> Scored:
    """The comparison; conditional and partial count as right for each other."""
    return Scored(answer=answer, expected=expected, outcome=_outcome(answer.level, expected))


def _outcome(said: SupportLevel, expected: SupportLevel | None) -> Outcome:
    if expected is None:
        return Outcome.UNJUDGED
    if said is expected or {said, expected} <= _WITH_LIMITS:
        return Outcome.RIGHT
    return Outcome.UNKNOWN if said is SupportLevel.UNKNOWN else Outcome.WRONG


def count_by_kind(scored: Iterable[Scored]) -> dict[str, Counter[Outcome]]:
    """Outcomes per kind of question, kinds sorted."""
    table: dict[str, Counter[Outcome]] = {}
    for item in scored:
        table.setdefault(item.answer.question.kind or "-", Counter())[item.outcome] += 1
    return dict(sorted(table.items()))


def summary_line(scored: list[Scored]) -> str:
    """The last line of a run."""
    counts = Counter(item.outcome for item in scored)
    false = sum(item.is_false_supported for item in scored)
    return (
        f"ask: {len(scored)} questions, {counts[Outcome.RIGHT]} right, "
        f"{counts[Outcome.WRONG]} wrong, {counts[Outcome.UNKNOWN]} unknown, "
        f"{false} false supported"
    )
