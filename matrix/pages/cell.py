"""The context of the cell page: the verdict in one sentence, and everything that explains it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from matrix.asking import Question, cell_words, question_words
from matrix.domain.claims import Claim
from matrix.domain.levels import Confidence, Execution, SupportLevel, Tier
from matrix.domain.verdict_values import Candidate, LegResult, Rule, Verdict
from matrix.index import Knowledge
from matrix.mentions import mentions_of
from matrix.pages.evidence import (
    ConditionLine,
    EvidenceView,
    condition_line,
    evidence_view,
    scope_lines,
)
from matrix.pages.links import cell_phrase, cell_subject, cell_url, names_in, node_name, with_query
from matrix.pages.rule_words import RULE_NAMES, UNKNOWN_SENTENCES
from matrix.pages.timeline import Timeline, build_timeline
from matrix.pages.words import (
    CONFIDENCE_WORDS,
    EXECUTION_WORDS,
    LEG_WORDS,
    LEVEL_SIGNS,
    LIMIT_WORDS,
    TIER_WORDS,
    Sign,
    axis_word,
)
from matrix.queries import maintenance_on
from matrix.queries.rule_texts import RULE_TEXTS

MOST_OTHERS = 12


@dataclass(frozen=True, slots=True)
class LegView:
    """One leg: its subject, level, rule and the claims that speak about it."""

    word: Promise
    subject: str
    level: str
    rule_name: Promise
    rule_sentence: Promise | str
    unknown: str
    conflicting: bool
    deciding: Sequence[EvidenceView]
    contradicting: Sequence[EvidenceView]
    gates: Sequence[EvidenceView]
    others: Sequence[EvidenceView]
    others_left_out: int


@dataclass(frozen=True, slots=True)
class LimitView:
    """A joint statement about a feature that the question does not ask for."""

    uid: str
    level: str
    scope: Sequence[str]
    note: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The same question asked of another framework."""

    name: str
    version: str
    sign: Sign
    url: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What would turn a conditional answer: the other level, and where it holds."""

    level: str
    where: str
    uid: str


@dataclass(frozen=True, slots=True)
class CellPage:
    """Everything that the cell page and the drawer show.

    **Dates**: ``as_of`` is the asked day, ``evidence_from``/``evidence_to`` the days that the
    deciding documents speak for.
    """

    title: str
    framework: str
    framework_name: str
    version: str
    subject: str
    sentence: str
    level: str
    as_of: date
    known_at: date | None
    asked_latest: bool
    facts: Sequence[tuple[str, str]]
    evidence_from: date | None
    evidence_to: date | None
    recheck_on: date | None
    recheck_due: bool
    conflicting: bool
    stale: bool
    legs: Sequence[LegView]
    conditions: Sequence[ConditionLine]
    depends_on: Sequence[str]
    turns: Sequence[Turn]
    assumed: Sequence[tuple[str, str]]
    limits: Sequence[LimitView]
    notes: Sequence[str]
    maintenance: Mapping[str, Any]
    urls: Mapping[str, str]
    ruleset: str
    revision: int


def build_cell_page(knowledge: Knowledge, question: Question, verdict: Verdict) -> CellPage:
    """The context of one answered question."""
    catalogue = knowledge.catalogue
    cell = question.cell
    framework = node_name(catalogue, "framework", cell.framework)
    subject = cell_subject(catalogue, cell) or _("anything")
    version = verdict.version or ""
    days = sorted(c.observation.stated_on for c in verdict.deciding)
    return CellPage(
        title=f"{framework} {version} · {subject}",
        framework=cell.framework,
        framework_name=framework,
        version=version,
        subject=subject,
        sentence=verdict_sentence(
            verdict,
            framework=f"{framework} {version}".strip(),
            what=cell_phrase(catalogue, cell) or subject,
        ),
        level=verdict.level.value,
        as_of=question.as_of,
        known_at=question.known_at,
        asked_latest=cell.version is None,
        facts=_facts(verdict),
        evidence_from=days[0] if days else None,
        evidence_to=days[-1] if days else None,
        recheck_on=verdict.recheck_on,
        recheck_due=bool(verdict.recheck_on and verdict.recheck_on <= question.as_of),
        conflicting=verdict.conflicting,
        stale=verdict.stale,
        legs=[_leg_view(knowledge, leg) for leg in verdict.legs],
        conditions=[condition_line(c) for c in verdict.conditions],
        depends_on=[names_in(catalogue, line) for line in verdict.depends_on],
        turns=_turns(knowledge, verdict),
        assumed=[(axis_word(a), node_name(catalogue, a, value)) for a, value in verdict.assumed],
        limits=[_limit_view(knowledge, claim) for claim in verdict.limits],
        notes=verdict.notes,
        maintenance=maintenance_on(catalogue, cell.framework, as_of=question.as_of),
        urls=_urls(question),
        ruleset=verdict.ruleset,
        revision=verdict.revision,
    )


def verdict_sentence(verdict: Verdict, *, framework: str, what: str) -> str:
    """The verdict in one sentence."""
    reason = verdict.unknown_reason
    words = {
        "framework": framework,
        "what": what,
        "reason": str(UNKNOWN_SENTENCES[reason]) if reason else "",
        "limit": str(LIMIT_WORDS[verdict.limit]) if verdict.limit else "",
    }
    if verdict.level is SupportLevel.SUPPORTED:
        return _("%(framework)s supports %(what)s.") % words
    if verdict.level is SupportLevel.CONDITIONAL:
        return _("%(framework)s supports %(what)s under conditions.") % words
    if verdict.level is SupportLevel.PARTIAL:
        return _("%(framework)s supports %(what)s in part.") % words
    if verdict.level is SupportLevel.UNSUPPORTED:
        return _("%(framework)s does not support %(what)s; this is %(limit)s.") % words
    return _("Whether %(framework)s supports %(what)s is unknown: %(reason)s.") % words


def _turns(knowledge: Knowledge, verdict: Verdict) -> list[Turn]:
    """What speaks against a conditional leg, and under which choice it would decide."""
    found: dict[str, Turn] = {}
    for leg in verdict.legs:
        if leg.rule is not Rule.DEPENDS:
            continue
        for candidate in leg.contradicting:
            lines = [names_in(knowledge.catalogue, line) for line in candidate.depends_on]
            lines += [condition_line(condition).text for condition in candidate.conditions]
            where = "; ".join(lines)
            if where:
                turn = Turn(candidate.claim.level.value, where, candidate.claim.uid)
                found.setdefault(where, turn)
    return list(found.values())


def _facts(verdict: Verdict) -> list[tuple[str, str]]:
    facts = []
    if verdict.execution is not Execution.UNSTATED:
        facts.append((_("Execution"), str(EXECUTION_WORDS[verdict.execution])))
    if verdict.tier is not Tier.OFFICIAL:
        facts.append((_("Tier"), str(TIER_WORDS[verdict.tier])))
    if verdict.confidence is not Confidence.NONE:
        facts.append((_("Confidence"), str(CONFIDENCE_WORDS[verdict.confidence])))
    return facts


def _leg_view(knowledge: Knowledge, leg: LegResult) -> LegView:
    def views(candidates: Sequence[Candidate]) -> list[EvidenceView]:
        return [evidence_view(knowledge.catalogue, candidate) for candidate in candidates]

    reason = leg.unknown_reason
    shown = leg.others[:MOST_OTHERS]
    return LegView(
        word=LEG_WORDS[leg.kind],
        subject=leg_subject(knowledge, leg),
        level=leg.level.value,
        rule_name=RULE_NAMES[leg.rule],
        rule_sentence=RULE_TEXTS[leg.rule],
        unknown=str(UNKNOWN_SENTENCES[reason]) if reason else "",
        conflicting=leg.conflicting,
        deciding=views(leg.deciding),
        contradicting=views(leg.contradicting),
        gates=views([gate for gate in leg.gates if gate not in leg.contradicting]),
        others=views(shown),
        others_left_out=len(leg.others) - len(shown),
    )


def leg_subject(knowledge: Knowledge, leg: LegResult) -> str:
    """What a leg is about, by name."""
    areas = ("hardware", "backend") if leg.kind == "platform" else (leg.kind.value,)
    for area in areas:
        name = node_name(knowledge.catalogue, area, leg.subject)
        if name != leg.subject:
            return name
    return leg.subject if leg.subject != "*" else ""


def _limit_view(knowledge: Knowledge, claim: Claim) -> LimitView:
    return LimitView(
        uid=claim.uid,
        level=claim.level.value,
        scope=scope_lines(knowledge.catalogue, claim.scope),
        note=claim.note,
    )


def _urls(question: Question) -> dict[str, str]:
    pairs = question_words(question)
    cell = question.cell
    axes = {"rows": "version", "columns": "hardware"}
    pinned = [(n, v) for n, v in cell_words(cell) if n not in {"version", "hardware"}]
    return {
        "permalink": with_query(reverse("cell"), pairs),
        "page": cell_url(cell, as_of=question.as_of, known_at=question.known_at),
        "matrix": with_query(reverse("matrix"), [*axes.items(), *pinned]),
        "rest": with_query(reverse("api-verdicts"), pairs),
        "framework": reverse("framework", args=[cell.framework]),
    }


def build_neighbours(knowledge: Knowledge, question: Question) -> list[Neighbour]:
    """The same question at every other framework that claims speak about, newest stable release."""
    found = []
    catalogue = knowledge.catalogue
    counts = mentions_of(knowledge)
    for slug in sorted(counts, key=lambda name: (-counts[name].claims, name)):
        if slug == question.cell.framework:
            continue
        cell = replace(question.cell, framework=slug, version=None)
        verdict = knowledge.index.verdict_for(
            cell, as_of=question.as_of, known_at=question.known_at
        )
        found.append(
            Neighbour(
                name=node_name(catalogue, "framework", slug),
                version=verdict.version or "",
                sign=LEVEL_SIGNS[verdict.level],
                url=cell_url(cell, as_of=question.as_of, known_at=question.known_at),
            )
        )
    return found


def cell_timeline(knowledge: Knowledge, question: Question, verdict: Verdict) -> Timeline:
    """The bar over releases for the question."""
    return build_timeline(knowledge, question, asked=verdict.version)
