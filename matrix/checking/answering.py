"""Answers "can I run it?" for all frameworks side by side."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from threading import Lock
from typing import Any

from matrix.asking import QuestionReader
from matrix.checking.asking import CheckQuestion, check_pairs
from matrix.checking.fitting import Fitting
from matrix.checking.suggestions import find_changes
from matrix.domain.check_outcomes import Change, Outcome, combine, concerns
from matrix.domain.errors import RunproofError
from matrix.domain.levels import Axis
from matrix.domain.measured import MeasuredRun, SloThroughput
from matrix.domain.memory.values import MemoryEstimate
from matrix.domain.sharing import SharedLegs
from matrix.domain.verdict_values import Verdict
from matrix.domain.versions import Release
from matrix.index import Knowledge
from matrix.measuring import measured_runs, throughput_at_slo
from matrix.mentions import EMPTY, mentions_of
from matrix.queries.maintenance import maintenance_on

# What serves models, as against what makes, lists or carries them.
SERVING_KINDS = frozenset(
    {"engine", "plugin", "fork", "binding", "wrapper", "integration", "manager"}
)
MOST_RUNS = 2
MOST_KEPT = 64
_BEST_FIRST = tuple(Outcome)


@dataclass(frozen=True, slots=True)
class FrameworkAnswer:
    """One framework's answer: verdict, memory, and what would have to be otherwise.

    ``estimate`` is ``None`` where nothing could be estimated, and ``no_estimate`` is the error
    that says why (``None`` where no model was asked about). ``newest`` is the newest stable
    release on the asked day.
    """

    framework: str
    verdict: Verdict
    outcome: Outcome
    is_relevant: bool
    estimate: MemoryEstimate | None
    no_estimate: RunproofError | None
    changes: tuple[Change, ...]
    maintenance: Mapping[str, Any]
    newest: Release | None


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured near one framework's answer; ``throughput`` only where an SLO is asked."""

    runs: Sequence[MeasuredRun]
    throughput: SloThroughput | None


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """The whole answer. **Shapes**: ``answers`` best first; ``silent`` are frameworks of which
    nothing is known that concerns the question: unknown, which is not a no; ``notes`` are constant
    codes with facts of what the memory estimate took for what."""

    question: CheckQuestion
    answers: tuple[FrameworkAnswer, ...]
    silent: tuple[str, ...]
    revision: int
    notes: tuple[tuple[str, Mapping[str, object]], ...] = ()


class _Kept:
    """The newest answers of one knowledge, told apart by identity as in ``remembered``."""

    def __init__(self) -> None:
        self._owner: Knowledge | None = None
        self._answers: OrderedDict[str, CheckAnswer] = OrderedDict()
        self._lock = Lock()

    def find(self, owner: Knowledge, key: str) -> CheckAnswer | None:
        with self._lock:
            if self._owner is not owner:
                self._owner, self._answers = owner, OrderedDict()
            return self._answers.get(key)

    def keep(self, owner: Knowledge, key: str, answer: CheckAnswer) -> None:
        with self._lock:
            if self._owner is owner:
                self._answers[key] = answer
                while len(self._answers) > MOST_KEPT:
                    self._answers.popitem(last=False)


_kept = _Kept()


def answer_check(
    knowledge: Knowledge, reader: QuestionReader, question: CheckQuestion
) -> CheckAnswer:
    """The answer of every framework, or of those that the question names; kept per knowledge."""
    key = repr(check_pairs(question))
    if question.config is not None:
        return _answer(knowledge, reader, question)
    answer = _kept.find(knowledge, key)
    if answer is None:
        answer = _answer(knowledge, reader, question)
        _kept.keep(knowledge, key, answer)
    return answer


def measure(answer: FrameworkAnswer, question: CheckQuestion) -> Measured:
    """The nearest runs, and the throughput at the SLO where one is asked.

    **Queries**: those of the named functions; not kept, because runs come and go.
    """
    cell, version = answer.verdict.cell, answer.verdict.version
    known_at, as_of = _end_of(question.known_at), question.as_of
    runs = measured_runs(cell, version=version, most=MOST_RUNS, known_at=known_at, as_of=as_of)
    throughput = None
    asked = version or cell.version
    if question.slo is not None and runs and all(run.version != asked for run in runs):
        # Runs on the cell itself come first among the near ones, so that here is none of them.
        throughput = SloThroughput(why_unknown="no-run")
    elif question.slo is not None:
        throughput = throughput_at_slo(
            cell, question.slo, version=version, known_at=known_at, as_of=as_of
        )
    return Measured(runs=runs, throughput=throughput)


def _end_of(day: date | None) -> datetime | None:
    """The last moment of a day: what is known is counted by whole days."""
    return None if day is None else datetime.combine(day, time.max, tzinfo=UTC)


def _answer(knowledge: Knowledge, reader: QuestionReader, question: CheckQuestion) -> CheckAnswer:
    shared = SharedLegs()
    fitting = Fitting(reader, question)
    answers: list[FrameworkAnswer] = []
    silent: list[str] = []
    for slug in question.frameworks or _by_claims(knowledge):
        verdict = knowledge.index.verdict_for(
            question.of(slug).cell,
            as_of=question.as_of,
            known_at=question.known_at,
            shared=shared,
        )
        relevant = _is_relevant(knowledge, question, slug, verdict)
        if not relevant and not question.frameworks:
            silent.append(slug)
            continue
        answers.append(
            _of_framework(knowledge, question, verdict, fitting, shared=shared, relevant=relevant)
        )
    answers.sort(key=lambda one: _BEST_FIRST.index(one.outcome))
    return CheckAnswer(
        question=question,
        answers=tuple(answers),
        silent=tuple(silent),
        revision=knowledge.revision,
        notes=tuple(fitting.notes.items()),
    )


def _by_claims(knowledge: Knowledge) -> list[str]:
    """All frameworks, those with most claims first."""
    mentions = mentions_of(knowledge)
    area = knowledge.catalogue.area("framework")
    return sorted(area, key=lambda slug: (-mentions.get(slug, EMPTY).claims, slug))


def _is_relevant(
    knowledge: Knowledge, question: CheckQuestion, slug: str, verdict: Verdict
) -> bool:
    if knowledge.catalogue.area("framework")[slug].kind not in SERVING_KINDS:
        return False
    asks_hardware = bool({Axis.HARDWARE, Axis.BACKEND} & question.cell.nodes.keys())
    return concerns(verdict, asks_hardware=asks_hardware)


def _of_framework(
    knowledge: Knowledge,
    question: CheckQuestion,
    verdict: Verdict,
    fitting: Fitting,
    *,
    shared: SharedLegs,
    relevant: bool,
) -> FrameworkAnswer:
    slug = verdict.cell.framework
    estimate, why = fitting.estimate(slug, verdict.version)
    history = knowledge.catalogue.histories[slug]
    rank = history.latest_rank(as_of=question.as_of)
    fit = None
    if Axis.HARDWARE in question.cell.nodes and Axis.MODEL in question.cell.nodes:
        fit = fitting.level_of(estimate)
    changes = find_changes(
        knowledge,
        question,
        verdict,
        estimate=estimate,
        level_at=lambda model, scheme: fitting.level_of_other(
            slug, verdict.version, model=model, scheme=scheme
        ),
        shared=shared,
    )
    return FrameworkAnswer(
        framework=slug,
        verdict=verdict,
        outcome=combine(verdict.level, fit),
        is_relevant=relevant,
        estimate=estimate,
        no_estimate=why,
        changes=changes if relevant else (),
        maintenance=maintenance_on(knowledge.catalogue, slug, as_of=question.as_of),
        newest=None if rank is None else history.releases[rank],
    )
