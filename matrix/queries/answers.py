"""A verdict as plain data: everything that explains it, numbers with their unit in the name."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from matrix.asking import NUMBER_PARAMETERS
from matrix.domain import codec
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim, Observation
from matrix.domain.coordinates import Cell, Condition
from matrix.domain.verdict_values import Candidate, LegResult, Verdict
from matrix.queries.maintenance import maintenance_on
from matrix.queries.rule_texts import RULE_TEXTS

Plain = dict[str, Any]
# General statements that do not decide can be hundreds; the count says how many were left out.
MOST_OTHERS = 20


def verdict_plain(verdict: Verdict, catalogue: Catalogue, *, known_at: date | None) -> Plain:
    """The whole answer of a cell."""
    return {
        **_head(verdict),
        "known_at": known_at.isoformat() if known_at else None,
        "cell": cell_plain(verdict.cell),
        "assumed": [{"axis": axis, "value": value} for axis, value in verdict.assumed],
        "legs": [leg_plain(leg) for leg in verdict.legs],
        "conditions": [condition_plain(c) for c in verdict.conditions],
        "depends_on": list(verdict.depends_on),
        "limits": [limit_plain(claim) for claim in verdict.limits],
        "measured": [c.claim.uid for c in verdict.measured],
        "notes": list(verdict.notes),
        "maintenance": maintenance_on(catalogue, verdict.cell.framework, as_of=verdict.as_of),
        "ruleset": verdict.ruleset,
        "revision": verdict.revision,
    }


def _head(verdict: Verdict) -> Plain:
    return {
        "level": verdict.level.value,
        "unknown_reason": verdict.unknown_reason.value if verdict.unknown_reason else None,
        "limit": verdict.limit.value if verdict.limit else None,
        "execution": verdict.execution.value,
        "tier": verdict.tier.value,
        "conflicting": verdict.conflicting,
        "confidence": verdict.confidence.value,
        "stale": verdict.stale,
        "carried_forward": verdict.carried_forward,
        "recheck_on": _iso(verdict.recheck_on),
        "version": verdict.version,
        "as_of": verdict.as_of.isoformat(),
    }


def summary_plain(verdict: Verdict) -> Plain:
    """The answer of a cell in a list: without reasons, but with the claims that decide."""
    return {
        **_head(verdict),
        "conditions_count": len(verdict.conditions),
        "deciding_claims": [c.claim.uid for c in verdict.deciding],
    }


def cell_plain(cell: Cell) -> Plain:
    """The cell under the names of its parameters."""
    plain: Plain = {"framework": cell.framework, "version": cell.version}
    plain.update((axis.value, slug) for axis, slug in cell.nodes.items())
    for name, axis in NUMBER_PARAMETERS.items():
        if axis in cell.numbers:
            value = cell.numbers[axis]
            plain[name] = value if value % 1 else int(value)
    plain["features"] = sorted(cell.features)
    plain["settings"] = dict(sorted(cell.settings.items()))
    return plain


def leg_plain(leg: LegResult) -> Plain:
    """One leg with its rule and the claims that speak about it."""
    others = leg.others[:MOST_OTHERS]
    return {
        "kind": leg.kind.value,
        "subject": leg.subject,
        "level": leg.level.value,
        "rule": leg.rule.value,
        "rule_text": str(RULE_TEXTS[leg.rule]),
        "unknown_reason": leg.unknown_reason.value if leg.unknown_reason else None,
        "conflicting": leg.conflicting,
        "deciding": _candidates(leg.deciding),
        "contradicting": _candidates(leg.contradicting),
        "others": _candidates(others),
        "others_left_out_count": len(leg.others) - len(others),
        "gates": _candidates(leg.gates),
    }


def _candidates(candidates: Sequence[Candidate]) -> list[Plain]:
    return [candidate_plain(candidate) for candidate in candidates]


def candidate_plain(candidate: Candidate) -> Plain:
    """One claim as it speaks about a leg: what it says, where that stands, how old it is."""
    claim_part, seen_part = _parts_of(candidate.claim, candidate.observation)
    age = candidate.age
    return {
        **claim_part,
        "coverage": candidate.coverage.name.lower(),
        "implied": candidate.implied,
        "inherited_from": candidate.inherited_from or None,
        **seen_part,
        "age": {"kind": age.kind.value, "releases": age.releases, "days": age.days},
        "conditions": [condition_plain(c) for c in candidate.conditions],
        "depends_on": list(candidate.depends_on),
    }


# The same claims speak about many cells, so what does not depend on the cell is made once. A key
# holds its objects, so no other object can come to have its identity.
_MOST_PARTS = 4_096
_parts: dict[tuple[int, int], tuple[Claim, Observation, Plain, Plain]] = {}


def _parts_of(claim: Claim, observation: Observation) -> tuple[Plain, Plain]:
    """What the claim itself says, and what the observation that is used says; not to be changed."""
    key = (id(claim), id(observation))
    held = _parts.get(key)
    if held is None:
        if len(_parts) >= _MOST_PARTS:
            _parts.clear()
        held = (claim, observation, _claim_plain(claim), _seen_plain(claim, observation))
        _parts[key] = held
    return held[2], held[3]


def _claim_plain(claim: Claim) -> Plain:
    return {
        "uid": claim.uid,
        "framework": claim.framework,
        "level": claim.level.value,
        "kind": claim.kind.value,
        "tier": claim.tier.value,
        "execution": claim.execution.value,
        "source": claim.source,
        "statement": claim.statement,
        "note": claim.note,
    }


def _seen_plain(claim: Claim, observation: Observation) -> Plain:
    document = observation.document
    return {
        "release": observation.release,
        "stated_on": observation.stated_on.isoformat(),
        "raw": observation.raw,
        "url": document.url or None,
        "document_version": document.version or None,
        "document_commit": document.commit or None,
        "reference": claim.reference or None,
        "locator": codec.locator_to_plain(observation.locator),
        "locator_text": codec.locator_text(observation.locator),
    }


def limit_plain(claim: Claim) -> Plain:
    """A joint statement about a feature that the cell does not ask for."""
    return {
        "uid": claim.uid,
        "level": claim.level.value,
        "features": sorted(claim.scope.features),
        "statement": claim.statement,
        "note": claim.note,
    }


_WORDS_OF_OP = {"set": "is set", "unset": "is not set"}


def condition_text(condition: Condition) -> str:
    """The condition in one line: ``flag --enforce-eager is set``, ``driver >= 550``."""
    if condition.op in _WORDS_OF_OP:
        value = f" to {condition.value}" if condition.value and condition.op == "set" else ""
        return f"{condition.kind.value} {condition.name} {_WORDS_OF_OP[condition.op]}{value}"
    return f"{condition.kind.value} {condition.name} {condition.op} {condition.value}"


def condition_plain(condition: Condition) -> Plain:
    """The condition as data and as a line for readers."""
    return {
        "kind": condition.kind.value,
        "name": condition.name,
        "op": condition.op,
        "value": condition.value,
        "workaround": condition.workaround,
        "link": condition.link,
        "text": condition_text(condition),
    }


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
