"""Rule "whole cell": one yes that itself names everything a cell names answers all of it."""

from collections.abc import Sequence
from dataclasses import replace

from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis, Coverage, EvidenceKind, Outcome, SupportLevel, UnknownReason
from matrix.domain.surroundings import Surroundings, self_evident_axes
from matrix.domain.verdict_values import Candidate, LegResult, Rule

UNQUANTIZED = "none"
# Where a statement is placed; one that names neither says nothing of a machine.
_PLACES = frozenset({Axis.HARDWARE, Axis.BACKEND})
# Whoever answers for one combination speaks of the whole of it; a table names columns and rows.
_SAID_OF_THE_WHOLE = frozenset(
    {
        EvidenceKind.BENCHMARK_RUN,
        EvidenceKind.MANUAL_TEST,
        EvidenceKind.CI,
        EvidenceKind.SOURCE_CODE,
        EvidenceKind.MAINTAINER,
        EvidenceKind.RELEASE_NOTE,
        EvidenceKind.USER_REPORT,
    }
)
_OPEN_LEVELS = frozenset({SupportLevel.UNKNOWN, SupportLevel.PARTIAL, SupportLevel.CONDITIONAL})


def fill_by_whole_cell(
    cell: Cell, legs: Sequence[LegResult], around: Surroundings
) -> list[LegResult]:
    """The legs, with the open ones answered by the newest claim that speaks for the whole cell."""
    named = named_axes(cell, around)
    whole = [c for leg in legs for c in leg.deciding if is_whole(c, cell, named)]
    if not whole:
        return list(legs)
    best = max(whole, key=lambda c: (c.rank, _width(c), c.strength, c.claim.uid))
    level = best.claim.level
    if level is SupportLevel.SUPPORTED and best.conditions:
        level = SupportLevel.CONDITIONAL
    return [
        replace(leg, level=level, rule=Rule.WHOLE_CELL, deciding=(best,), unknown_reason=None)
        if is_open(leg) and _gives_way(leg, best)
        else leg
        for leg in legs
    ]


def is_open(leg: LegResult) -> bool:
    """Whether a leg is without an answer, or has a yes with limits that a better one may lift."""
    return leg.level in _OPEN_LEVELS


def _gives_way(leg: LegResult, best: Candidate) -> bool:
    """Whether nothing is said of the leg, or only yeses that are older or as old, and wider.

    "GeForce cards, in part" gives way to "this scheme on this card works"; a no about the whole leg
    and a contradiction stay. Noes for parts ("not on Volta") are no answer to a question that asks
    about the whole ("on NVIDIA cards").
    """
    if leg.level is SupportLevel.UNKNOWN:
        return leg.unknown_reason is not UnknownReason.SOURCES_CONFLICT
    said = (*leg.deciding, *leg.contradicting)
    if any(c.negative and c.coverage is Coverage.YES for c in said):
        return False
    return all(
        c.claim.uid == best.claim.uid or (c.rank <= best.rank and _width(c) < _width(best))
        for c in leg.deciding
    )


def _width(candidate: Candidate) -> int:
    """How specific the scope is, without the conditions that are counted in as well."""
    return candidate.specificity - len(candidate.claim.conditions)


def named_axes(cell: Cell, around: Surroundings) -> frozenset[Axis]:
    """The axes that a statement must name to speak of the whole cell.

    What follows from the rest need not be said, nor that weights are as they were published.
    """
    named = cell.nodes.keys() - self_evident_axes(cell, around)
    scheme = cell.nodes.get(Axis.QUANTIZATION)
    if scheme and around.trees.tree(Axis.QUANTIZATION).up(scheme)[-1] == UNQUANTIZED:
        named -= {Axis.QUANTIZATION}
    return frozenset(named)


def is_whole(candidate: Candidate, cell: Cell, named: frozenset[Axis]) -> bool:
    """Whether a candidate is one yes that itself names every node and feature of the cell.

    Somebody who states "this model in that scheme on these cards works" has said of each of them
    that it works. Conditions may be open; a restriction that the cell leaves open may not.

    **Shapes**: ``named`` is what ``named_axes`` gives for the cell.
    """
    claim = candidate.claim
    if candidate.negative or candidate.is_gate_pass or candidate.implied or candidate.depends_on:
        return False
    if claim.outcome is Outcome.UNSTATED and claim.kind not in _SAID_OF_THE_WHOLE:
        return False
    stated = claim.scope.nodes.keys()
    if not _PLACES.isdisjoint(cell.nodes) and _PLACES.isdisjoint(stated):
        return False
    return named <= stated and cell.features <= claim.scope.features
