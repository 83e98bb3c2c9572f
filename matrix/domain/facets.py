"""Rule "speaks for the hardware and the model": which statements are enough for a leg.

A "yes" that names no hardware is not enough where sources state the leg hardware by hardware (a
quantization scheme: always), nor is one that names no model where they state it model by model.
Each needed facet is a statement of its own; the leg is the weaker of the two. A "no" is heard
whatever it names.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from matrix.domain.levels import WEAKEST_FIRST, Axis, Coverage, LegKind, SupportLevel, UnknownReason
from matrix.domain.verdict_values import Candidate, LegResult
from matrix.domain.verdicts import decide_leg, takes_back


class Facet(Enum):
    """What a statement must name beside the leg's own subject."""

    HARDWARE = (Axis.HARDWARE, Axis.BACKEND)
    MODEL = (Axis.MODEL,)


def names_facet(candidate: Candidate, facet: Facet) -> bool:
    """Whether the claim speaks about the facet; a gate that lets pass proves nothing."""
    nodes = candidate.claim.scope.nodes
    return not candidate.is_gate_pass and not nodes.keys().isdisjoint(facet.value)


def decide_by_facets(
    kind: LegKind, subject: str, found: Sequence[Candidate], needed: Sequence[Facet]
) -> LegResult:
    """The result of a leg whose statements must name the needed facets."""
    if not needed:
        return decide_leg(kind, subject, found)
    if len(needed) > 1:
        joint = [c for c in found if all(names_facet(c, facet) for facet in needed)]
        if not any(c.coverage is Coverage.YES for c in joint):
            results = [_decide_facet(kind, subject, found, facet) for facet in needed]
            return _weaker(results)
    return _decide_facet(kind, subject, found, *needed)


def _decide_facet(
    kind: LegKind, subject: str, found: Sequence[Candidate], *facets: Facet
) -> LegResult:
    speaking: list[Candidate] = []
    general: list[Candidate] = []
    for candidate in found:
        names = all(names_facet(candidate, facet) for facet in facets)
        counts = names or candidate.negative or candidate.is_gate_pass
        (speaking if counts else general).append(candidate)
    heard = [c for c in speaking if not (c.negative and any(takes_back(yes, c) for yes in general))]
    result = decide_leg(kind, subject, heard)
    if result.level is not SupportLevel.UNKNOWN or not general:
        return result
    reason = result.unknown_reason
    if reason is UnknownReason.NEVER_INVESTIGATED:
        reason = UnknownReason.SOURCE_SILENT
    return replace(result, others=(*result.others, *general), unknown_reason=reason)


def _weaker(results: Sequence[LegResult]) -> LegResult:
    """The weaker of two facets; what decided the other stays visible beside it."""
    ordered = sorted(results, key=lambda leg: WEAKEST_FIRST.index(leg.level))
    weakest, other = ordered[0], ordered[1]
    if weakest.level in {SupportLevel.UNSUPPORTED, SupportLevel.UNKNOWN}:
        return replace(weakest, others=_distinct(weakest.others, other.deciding))
    return replace(
        weakest,
        deciding=_distinct(weakest.deciding, other.deciding),
        contradicting=_distinct(weakest.contradicting, other.contradicting),
        gates=_distinct(weakest.gates, other.gates),
        conflicting=weakest.conflicting or other.conflicting,
    )


def _distinct(*groups: Sequence[Candidate]) -> tuple[Candidate, ...]:
    seen = {c.claim.uid: c for group in groups for c in group}
    return tuple(seen.values())
