"""Rule "whole cell": one yes that itself names everything a cell names answers all of it."""

from collections.abc import Sequence
from dataclasses import replace

from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis, EvidenceKind, Outcome, SupportLevel, UnknownReason
from matrix.domain.verdict_values import Candidate, LegResult, Rule

# Axes that a cell may have got by assumption; a run need not name them to speak for the whole cell.
_ASSUMABLE = frozenset({Axis.BACKEND, Axis.CONTAINER})
# Whoever answers for one combination speaks of the whole of it; a table names columns and rows.
_SAID_OF_THE_WHOLE = frozenset(
    {
        EvidenceKind.BENCHMARK_RUN,
        EvidenceKind.MANUAL_TEST,
        EvidenceKind.CI,
        EvidenceKind.MAINTAINER,
        EvidenceKind.RELEASE_NOTE,
        EvidenceKind.USER_REPORT,
    }
)
# A contradiction is not filled by one of the two sides.
_NOT_FILLED = frozenset({UnknownReason.SOURCES_CONFLICT})


def fill_by_whole_cell(cell: Cell, legs: Sequence[LegResult]) -> list[LegResult]:
    """The legs, with the open ones answered by the first claim that speaks for the whole cell."""
    whole = [c for leg in legs for c in leg.deciding if is_whole(c, cell)]
    if not whole:
        return list(legs)
    best = whole[0]
    level = best.claim.level
    if level is SupportLevel.SUPPORTED and best.conditions:
        level = SupportLevel.CONDITIONAL
    return [
        replace(leg, level=level, rule=Rule.WHOLE_CELL, deciding=(best,), unknown_reason=None)
        if is_open(leg)
        else leg
        for leg in legs
    ]


def is_open(leg: LegResult) -> bool:
    """Whether nothing is said about the whole of a leg: nothing at all, or only yeses for parts."""
    if leg.unknown_reason in _NOT_FILLED:
        return False
    parts = leg.rule is Rule.DEPENDS and leg.level is not SupportLevel.UNSUPPORTED
    conditional = any(c.conditions or c.negative for c in (*leg.deciding, *leg.contradicting))
    return leg.level is SupportLevel.UNKNOWN or (parts and not conditional)


def is_whole(candidate: Candidate, cell: Cell) -> bool:
    """Whether a candidate is one yes that itself names every node and feature of the cell.

    Somebody who states "this model in that scheme on these cards works" has said of each of them
    that it works. Conditions may be open; a restriction that the cell leaves open may not.
    """
    claim = candidate.claim
    if candidate.negative or candidate.is_gate_pass or candidate.implied or candidate.depends_on:
        return False
    if claim.outcome is Outcome.UNSTATED and claim.kind not in _SAID_OF_THE_WHOLE:
        return False
    nodes = cell.nodes.keys() - _ASSUMABLE
    return nodes <= claim.scope.nodes.keys() and cell.features <= claim.scope.features
