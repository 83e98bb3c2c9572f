"""An answer as a plain record for a JSONL file: level, cells, legs and the claims that decide."""

from typing import Any

from matrix.asking import Question as CellQuestion
from matrix.asking import question_query
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Cell
from matrix.domain.verdict_values import Candidate, LegResult, Verdict
from matrix.questions.scoring import Scored


def answer_record(scored: Scored) -> dict[str, Any]:
    """The whole answer with its evidence; ``expected`` and ``outcome`` where a file expects."""
    answer = scored.answer
    return {
        "id": answer.question.uid,
        "kind": answer.question.kind,
        "question": answer.question.question,
        "level": answer.level.value,
        "expected": scored.expected.value if scored.expected else None,
        "outcome": scored.outcome.value,
        "false_supported": scored.is_false_supported,
        "level_of_verdicts": answer.unguarded.value,
        "as_of": answer.asked.as_of.isoformat(),
        "reasons": list(answer.reasons),
        "notes": list(answer.asked.notes),
        "verdicts": [_verdict(verdict) for verdict in answer.verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "cell": _cell(verdict.cell),
        "query": question_query(CellQuestion(cell=verdict.cell, as_of=verdict.as_of)),
        "version": verdict.version,
        "level": verdict.level.value,
        "unknown_reason": verdict.unknown_reason.value if verdict.unknown_reason else None,
        "execution": verdict.execution.value,
        "tier": verdict.tier.value,
        "conflicting": verdict.conflicting,
        "depends_on": list(verdict.depends_on),
        "conditions": [f"{c.name} {c.op} {c.value}".strip() for c in verdict.conditions],
        "legs": [_leg(leg) for leg in verdict.legs],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "framework": cell.framework,
        **{axis.value: slug for axis, slug in cell.nodes.items()},
        "features": sorted(cell.features),
        "numbers": {axis.value: value for axis, value in cell.numbers.items()},
        "settings": dict(cell.settings),
    }


def _leg(leg: LegResult) -> dict[str, Any]:
    return {
        "kind": leg.kind.value,
        "subject": leg.subject,
        "level": leg.level.value,
        "rule": leg.rule.value,
        "unknown_reason": leg.unknown_reason.value if leg.unknown_reason else None,
        "deciding": [_claim(candidate) for candidate in leg.deciding],
        "contradicting": [_claim(candidate) for candidate in leg.contradicting],
    }


def _claim(candidate: Candidate) -> dict[str, Any]:
    claim, seen = candidate.claim, candidate.observation
    return {
        "uid": claim.uid,
        "statement": claim.statement,
        "level": claim.level.value,
        "evidence_kind": claim.kind.value,
        "source": claim.source,
        "release": seen.release,
        "stated_on": seen.stated_on.isoformat(),
        "url": seen.document.url,
        "locator": _place(seen.locator),
        "note": claim.note,
        "age": candidate.age.kind.value,
        "inherited_from": candidate.inherited_from,
    }


def _place(locator: Locator) -> str:
    parts = [*locator.heading, *locator.tabs, locator.row, locator.column, *locator.path]
    line = [f"line {locator.line}"] if locator.line is not None else []
    return " › ".join([*(part for part in parts if part), *line])
