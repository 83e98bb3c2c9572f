"""How a claim that speaks about a leg is shown: what it says, where, when, and how old it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim, Document, Locator
from matrix.domain.coordinates import Condition, Scope
from matrix.domain.levels import Coverage, Execution, Outcome, Tier
from matrix.domain.verdict_values import Age, AgeKind, Candidate
from matrix.pages.links import names_in, node_name
from matrix.pages.rule_words import AGE_SENTENCES
from matrix.pages.words import (
    CONDITION_WORDS,
    EXECUTION_WORDS,
    OUTCOME_WORDS,
    TIER_WORDS,
    axis_word,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: the document and the row, column or line in it.

    **Shapes**: ``kept_query`` leads to the place on the page that shows the bytes ``sha256``.
    """

    url: str
    title: str
    version: str
    commit: str
    heading: str
    row: str
    column: str
    line: str
    path: str
    sha256: str
    kept_query: str


@dataclass(frozen=True, slots=True)
class ConditionLine:
    """One condition as a readable line, with its workaround and link."""

    text: str
    workaround: str
    link: str


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One claim as it speaks about a leg. **Dates**: ``stated_on`` is the document's day."""

    uid: str
    level: str
    kind: str
    source: str
    statement: str
    scope: Sequence[str]
    place: Place
    release: str
    stated_on: date
    raw: str
    age: str
    is_old: bool
    note: str
    conditions: Sequence[ConditionLine]
    depends_on: Sequence[str]
    marks: Sequence[str | Promise]
    inherited_from: str
    covers_all: bool


def evidence_view(catalogue: Catalogue, candidate: Candidate) -> EvidenceView:
    """The view of one candidate."""
    claim = candidate.claim
    observation = candidate.observation
    inherited = candidate.inherited_from
    return EvidenceView(
        uid=claim.uid,
        level=claim.level.value,
        kind=claim.kind.value,
        source=claim.source,
        statement=claim.statement,
        scope=scope_lines(catalogue, claim.scope),
        place=place_of(observation.document, observation.locator, reference=claim.reference),
        release=observation.release,
        stated_on=observation.stated_on,
        raw=observation.raw,
        age=age_sentence(candidate.age),
        is_old=candidate.age.kind is AgeKind.CARRIED_FORWARD,
        note=claim.note,
        conditions=[condition_line(c) for c in claim.conditions],
        depends_on=[names_in(catalogue, line) for line in candidate.depends_on],
        marks=claim_marks(claim, implied=candidate.implied),
        inherited_from=node_name(catalogue, "framework", inherited) if inherited else "",
        covers_all=candidate.coverage is Coverage.YES,
    )


def claim_marks(claim: Claim, *, implied: bool = False) -> list[str | Promise]:
    """What is unusual about a claim: its tier, execution, outcome."""
    marks: list[str | Promise] = []
    if claim.tier is not Tier.OFFICIAL:
        marks.append(TIER_WORDS[claim.tier])
    if claim.execution is not Execution.UNSTATED:
        marks.append(EXECUTION_WORDS[claim.execution])
    if claim.outcome is not Outcome.UNSTATED:
        marks.append(OUTCOME_WORDS[claim.outcome])
    if implied:
        marks.append(_("implied by a statement about more"))
    return marks


def place_of(document: Document, locator: Locator, *, reference: str = "") -> Place:
    """Where a statement stands; a claim without a page has only its reference."""
    line = ""
    if locator.line is not None:
        line = str(locator.line)
        if locator.line_end and locator.line_end != locator.line:
            line = f"{line}–{locator.line_end}"
    return Place(
        url=document.url,
        title=document.title or document.path or document.url or reference or document.key,
        version=document.version,
        commit=document.commit,
        heading=" › ".join((*locator.heading, *locator.tabs)),
        row=locator.row,
        column=locator.column,
        line=line,
        path=" › ".join(locator.path),
        sha256=document.sha256,
        kept_query=place_query(locator),
    )


def place_query(locator: Locator) -> str:
    """The query and anchor that show a place in kept bytes: its line, else row and column."""
    if locator.line is not None:
        end = locator.line_end
        text = f"{locator.line}-{end}" if end and end > locator.line else str(locator.line)
        return f"?{urlencode({'line': text})}#cited"
    if not locator.row:
        return ""
    words = {"row": locator.row, "column": locator.column}
    words |= {"heading": locator.heading[-1]} if locator.heading else {}
    return f"?{urlencode({name: word for name, word in words.items() if word})}#cited"


def age_sentence(age: Age) -> str:
    """How old a statement is at the asked release."""
    sentence = str(AGE_SENTENCES[age.kind])
    if age.kind is AgeKind.OBSERVED:
        return sentence
    parts = []
    if age.releases:
        parts.append(
            ngettext("%(n)d release before", "%(n)d releases before", age.releases)
            % {"n": age.releases}
        )
    if age.days:
        parts.append(ngettext("%(n)d day", "%(n)d days", age.days) % {"n": age.days})
    return f"{sentence} ({', '.join(parts)})" if parts else sentence


_OPS = {"=": "=", "!=": "≠", ">=": "≥", "<=": "≤", "<": "<", ">": ">"}


def condition_line(condition: Condition) -> ConditionLine:
    """A condition as people read it: ``flag --moe-backend = marlin``."""
    kind = str(CONDITION_WORDS[condition.kind])
    if condition.op in _OPS:
        text = f"{kind} {condition.name} {_OPS[condition.op]} {condition.value}"
    elif condition.op == "unset":
        text = _("%(kind)s %(name)s is not set") % {"kind": kind, "name": condition.name}
    else:
        text = f"{kind} {condition.name} {condition.value}".strip()
    return ConditionLine(text=text, workaround=condition.workaround, link=condition.link)


def scope_lines(catalogue: Catalogue, scope: Scope) -> list[str]:
    """The scope of a claim, one line per restricted axis."""
    lines = []
    for axis, nodes in scope.nodes.items():
        names = [node_name(catalogue, axis.value, slug) for slug in sorted(nodes.include)]
        out = [node_name(catalogue, axis.value, slug) for slug in sorted(nodes.exclude)]
        text = ", ".join(names) or _("all")
        if out:
            left_out = ", ".join(out)
            text = _("%(names)s but not %(left_out)s") % {"names": text, "left_out": left_out}
        lines.append(f"{axis_word(axis.value)}: {text}")
    if scope.features:
        names = [node_name(catalogue, "feature", slug) for slug in sorted(scope.features)]
        lines.append(f"{axis_word('feature')}: {' + '.join(names)}")
    for number, span in scope.numbers.items():
        if span.minimum is not None and span.minimum == span.maximum:
            lines.append(f"{axis_word(number.value)}: {span.minimum:g}")
            continue
        low = "" if span.minimum is None else f"≥ {span.minimum:g}"
        high = "" if span.maximum is None else f"≤ {span.maximum:g}"
        lines.append(f"{axis_word(number.value)}: {' '.join(filter(None, (low, high)))}")
    return lines
