"""The context of "can I run it?": every framework's answer side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matrix.asking.names import FRAMEWORK
from matrix.checking import CheckAnswer, CheckQuestion, FrameworkAnswer, check_pairs, measure
from matrix.domain.catalogue import Catalogue
from matrix.domain.check_outcomes import Change, Outcome
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.memory.values import MemoryEstimate
from matrix.domain.verdict_values import Candidate, LegResult
from matrix.domain.whole_cell import UNQUANTIZED
from matrix.index import Knowledge
from matrix.memory_asking import memory_words
from matrix.pages.cell import leg_subject, verdict_sentence
from matrix.pages.check_parts import missing_parts, parts_sentence, why_not_enough
from matrix.pages.check_runs import RunLine, run_line
from matrix.pages.check_words import (
    OUTCOME_SIGNS,
    OutcomeSign,
    change_text,
    combined_sentence,
    throughput_sentence,
)
from matrix.pages.evidence import ConditionLine, condition_line, scope_lines
from matrix.pages.links import cell_phrase, cell_url, names_in, node_name, with_query
from matrix.pages.memory import FitSummary, fit_summary
from matrix.pages.memory_words import size_text, warning_sentence
from matrix.pages.rule_words import UNKNOWN_SENTENCES
from matrix.pages.translated import in_words
from matrix.pages.words import LEG_WORDS

# The page says itself which scheme the checkpoint is stored in.
_SAID_OTHERWISE = frozenset({"scheme-of-checkpoint"})
MOST_NEAREST = 2
LONGEST_SCOPE = 140


@dataclass(frozen=True, slots=True)
class NearStatement:
    """A statement that speaks about a part of a leg: it does not answer, but says most.

    ``lacks`` is what it does not name, where that is why it does not answer.
    """

    uid: str
    level: str
    kind: str
    text: str
    lacks: str


@dataclass(frozen=True, slots=True)
class LegLine:
    """One leg in a line, with the statements that decide it or come nearest."""

    word: Promise
    subject: str
    level: str
    unknown: str
    near: Sequence[NearStatement]


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """What would have to be otherwise: the words, the level there, and where that stands."""

    text: str
    level: str
    url: str
    claims: Sequence[str]
    fit: str


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One framework's answer as a card. **Dates**: ``released_on`` of the asked release."""

    slug: str
    name: str
    version: str
    released_on: date | None
    newest: str
    level: str
    sign: OutcomeSign
    sentence: str
    missing: Sequence[str]
    legs: Sequence[LegLine]
    conditions: Sequence[ConditionLine]
    depends_on: Sequence[str]
    fit: FitSummary | None
    room: str
    no_estimate: str
    runs: Sequence[RunLine]
    throughput: str
    maintenance: Mapping[str, Any]
    changes: Sequence[ChangeLine]
    conflicting: bool
    stale: bool
    urls: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CheckPage:
    """Everything that the page shows of one answered question."""

    what: str
    summary: str
    answers: Sequence[AnswerView]
    silent: Sequence[tuple[str, str, str]]
    implied: str
    notes: Sequence[str]
    has_memory: bool
    as_of: date
    known_at: date | None
    urls: Mapping[str, str]
    revision: int


def build_check_page(knowledge: Knowledge, answer: CheckAnswer) -> CheckPage:
    """The context of an answered question. **Queries**: those of the measured runs."""
    question = answer.question
    catalogue = knowledge.catalogue
    pairs = check_pairs(question)
    views = [_answer_view(knowledge, question, one) for one in answer.answers]
    return CheckPage(
        what=question_words(catalogue, question),
        summary=_summary(answer),
        answers=views,
        silent=[
            (
                node_name(catalogue, "framework", slug),
                cell_url(question.of(slug).cell, as_of=question.as_of, known_at=question.known_at),
                slug,
            )
            for slug in answer.silent
        ],
        implied=_implied(catalogue, question),
        notes=[
            warning_sentence(code, facts)
            for code, facts in answer.notes
            if code not in _SAID_OTHERWISE
        ],
        has_memory=Axis.MODEL in question.cell.nodes,
        as_of=question.as_of,
        known_at=question.known_at,
        urls={
            "permalink": with_query(reverse("check"), pairs),
            "rest": with_query(reverse("api-checks"), pairs),
            "memory": _memory_url(question.cell, question),
            "unquantized": _unquantized_url(question, views),
        },
        revision=answer.revision,
    )


def question_words(catalogue: Catalogue, question: CheckQuestion) -> str:
    """What is asked in one phrase: model, scheme, devices, load, features."""
    cell = question.cell
    numbers: dict[NumberAxis, float] = dict(cell.numbers)
    for axis in (NumberAxis.HARDWARE_COUNT, NumberAxis.CONTEXT_TOKENS):
        numbers.pop(axis, None)
    plain = Cell(
        framework="",
        nodes=cell.nodes,
        features=cell.features,
        numbers=numbers,
        settings=cell.settings,
    )
    phrase = cell_phrase(catalogue, plain)
    parts = [phrase]
    if Axis.HARDWARE in cell.nodes:
        count = question.count
        parts.append(ngettext("%(n)d device", "%(n)d devices", count) % {"n": count})
    if question.context_tokens is not None:
        text = ngettext(
            "%(n)s token of context", "%(n)s tokens of context", question.context_tokens
        )
        parts.append(text % {"n": f"{question.context_tokens:,}"})
    if question.concurrency is not None:
        text = ngettext(
            "%(n)s sequence at a time", "%(n)s sequences at a time", question.concurrency
        )
        parts.append(text % {"n": f"{question.concurrency:,}"})
    return ", ".join(part for part in parts if part)


def _unquantized_url(question: CheckQuestion, views: Sequence[AnswerView]) -> str:
    """The same about unquantized weights, where no memory is told for want of a scheme."""
    nodes = question.cell.nodes
    if not {Axis.MODEL, Axis.HARDWARE} <= nodes.keys() or Axis.QUANTIZATION in nodes:
        return ""
    if question.config is not None or question.implied_scheme or any(view.fit for view in views):
        return ""
    pairs = [*check_pairs(question), (Axis.QUANTIZATION.value, UNQUANTIZED)]
    return with_query(reverse("check"), pairs)


def _summary(answer: CheckAnswer) -> str:
    """How many frameworks say what, best first, in one line."""
    counts: dict[Outcome, int] = {}
    for one in answer.answers:
        counts[one.outcome] = counts.get(one.outcome, 0) + 1
    return ", ".join(f"{counts[o]} {OUTCOME_SIGNS[o].word}" for o in Outcome if o in counts)


def _implied(catalogue: Catalogue, question: CheckQuestion) -> str:
    if not question.implied_scheme:
        return ""
    words = {
        "model": node_name(catalogue, "model", question.cell.nodes[Axis.MODEL]),
        "scheme": node_name(catalogue, "quantization", question.implied_scheme),
    }
    return _("%(model)s is stored in %(scheme)s, so this quantization is asked about.") % words


def _answer_view(
    knowledge: Knowledge, question: CheckQuestion, answer: FrameworkAnswer
) -> AnswerView:
    catalogue = knowledge.catalogue
    verdict = answer.verdict
    measured = measure(answer, question)
    estimate = answer.estimate
    history = catalogue.histories[answer.framework]
    release = history.find(verdict.version) if verdict.version else None
    newest = answer.newest.version if answer.newest else ""
    return AnswerView(
        slug=answer.framework,
        name=node_name(catalogue, "framework", answer.framework),
        version=verdict.version or "",
        released_on=release.released_on if release else None,
        newest="" if newest == verdict.version else newest,
        level=verdict.level.value,
        sign=OUTCOME_SIGNS[answer.outcome],
        sentence=answer_sentence(knowledge, question, answer),
        missing=missing_parts(knowledge, verdict),
        legs=[_leg_line(knowledge, leg) for leg in verdict.legs],
        conditions=[condition_line(condition) for condition in verdict.conditions],
        depends_on=[names_in(catalogue, line) for line in verdict.depends_on],
        fit=fit_summary(estimate) if estimate is not None else None,
        room=_room(estimate),
        no_estimate=in_words(answer.no_estimate.message) if answer.no_estimate else "",
        runs=[run_line(catalogue, run) for run in measured.runs],
        throughput=throughput_sentence(measured.throughput) if measured.throughput else "",
        maintenance=answer.maintenance,
        changes=[_change_line(catalogue, question, change) for change in answer.changes],
        conflicting=verdict.conflicting,
        stale=verdict.stale,
        urls={
            "cell": cell_url(
                question.of(answer.framework).cell,
                as_of=question.as_of,
                known_at=question.known_at,
            ),
            "memory": _memory_url(question.of(answer.framework).cell, question),
            "framework": reverse("framework", args=[answer.framework]),
        },
    )


def _room(estimate: MemoryEstimate | None) -> str:
    """What the engine gets of each device; empty where that is not known."""
    if estimate is None or estimate.fit.usable_bytes is None:
        return ""
    return size_text(estimate.fit.engine_bytes or estimate.fit.usable_bytes)


def answer_sentence(knowledge: Knowledge, question: CheckQuestion, answer: FrameworkAnswer) -> str:
    """Verdict and memory of one framework in one line."""
    verdict = answer.verdict
    catalogue = knowledge.catalogue
    name = node_name(catalogue, "framework", answer.framework)
    framework = f"{name} {verdict.version or ''}".strip()
    cell = Cell(
        framework="", nodes=question.cell.nodes, features=question.cell.features,
        settings=question.cell.settings,
    )  # fmt: skip
    what = cell_phrase(catalogue, cell)
    parts = parts_sentence(knowledge, verdict, framework=framework, what=what)
    fits = answer.estimate is not None and Axis.HARDWARE in question.cell.nodes
    return combined_sentence(
        answer.outcome,
        answer.estimate if fits else None,
        verdict=parts or verdict_sentence(verdict, framework=framework, what=what),
        framework=framework,
        level=verdict.level,
    )


def _leg_line(knowledge: Knowledge, leg: LegResult) -> LegLine:
    reason = leg.unknown_reason
    near: Sequence[Candidate] = leg.deciding
    if not near:
        # Of what does not answer, the statements that say most of this very question.
        near = sorted((*leg.others, *leg.gates), key=lambda one: -one.specificity)
    return LegLine(
        word=LEG_WORDS[leg.kind],
        subject=leg_subject(knowledge, leg),
        level=leg.level.value,
        unknown=str(UNKNOWN_SENTENCES[reason]) if reason else "",
        near=_near_statements(knowledge.catalogue, leg, near),
    )


def _near_statements(
    catalogue: Catalogue, leg: LegResult, candidates: Sequence[Candidate]
) -> list[NearStatement]:
    """The first few of the statements; several that read alike are shown once."""
    found: dict[tuple[str, str], NearStatement] = {}
    for candidate in candidates:
        statement = _near(catalogue, leg, candidate)
        found.setdefault((statement.level, statement.text), statement)
        if len(found) == MOST_NEAREST:
            break
    return list(found.values())


def _near(catalogue: Catalogue, leg: LegResult, candidate: Candidate) -> NearStatement:
    claim = candidate.claim
    text = " · ".join(scope_lines(catalogue, claim.scope)) or claim.statement
    return NearStatement(
        uid=claim.uid,
        level=claim.level.value,
        kind=claim.kind.value,
        text=f"{text[:LONGEST_SCOPE]}…" if len(text) > LONGEST_SCOPE else text,
        lacks=why_not_enough(leg, candidate),
    )


def _change_line(catalogue: Catalogue, question: CheckQuestion, change: Change) -> ChangeLine:
    url = ""
    if change.cell is not None:
        url = cell_url(change.cell, as_of=question.as_of, known_at=question.known_at)
    elif change.claims:
        url = reverse("claim", args=[change.claims[0]])
    return ChangeLine(
        text=change_text(catalogue, change),
        level=change.level.value if change.level else "",
        url=url,
        claims=change.claims,
        fit=change.fit.value if change.fit else "",
    )


def _memory_url(cell: Cell, question: CheckQuestion) -> str:
    """The memory page with the same model, devices and load; empty where none was asked about."""
    if Axis.MODEL not in cell.nodes or question.config is not None:
        return ""
    words = memory_words(cell, sequences=question.concurrency)
    return with_query(reverse("memory"), [(n, v) for n, values in words.items() for v in values])


def check_form_values(catalogue: Catalogue, question: CheckQuestion) -> dict[str, list[str]]:
    """The words that the form shows for an answered question, nodes by their names."""
    values: dict[str, list[str]] = {}
    for name, value in check_pairs(question, pin_day=False):
        shown = value if name == FRAMEWORK else node_name(catalogue, name, value)
        values.setdefault(name, []).append(shown)
    return values
