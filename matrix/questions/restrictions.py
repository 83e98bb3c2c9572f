"""What a question asks beyond its cells, and which statements cover it.

A restriction makes a positive answer unknown unless a deciding claim speaks about it. A claim that
itself names the whole cell was made for that combination, so it also answers for the way in which
the question is put ("although", "by default"); it never answers for words that nobody understood.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import MEASURED_KINDS, Axis, EvidenceKind, Outcome, SupportLevel
from matrix.domain.verdict_values import Candidate, Verdict
from matrix.domain.whole_cell import is_whole, named_axes

_RAN = frozenset({Outcome.CORRECT, Outcome.ACCELERATED})
_SEEN_BY_SOMEBODY = MEASURED_KINDS | {EvidenceKind.USER_REPORT, EvidenceKind.MAINTAINER}
WITH_LIMITS = frozenset({SupportLevel.CONDITIONAL, SupportLevel.PARTIAL})


class Need(Enum):
    """What a claim must say to cover a restriction."""

    WORDS = auto()  # words of a field that nothing maps: no claim covers them
    MEMORY = auto()  # that somebody ran it in that memory
    RESULT = auto()  # that the results were looked at
    SPEED = auto()  # that it was fast
    TOPIC = auto()  # a statement about this very combination
    NAMED = auto()  # a statement that names the node


_OF_THE_WAY = frozenset({Need.RESULT, Need.SPEED, Need.TOPIC})


@dataclass(frozen=True, slots=True)
class Restriction:
    """One restriction; ``slugs`` of ``area`` are the nodes of a ``NAMED`` one."""

    text: str
    need: Need = Need.WORDS
    area: str = ""
    slugs: frozenset[str] = frozenset()


def words_of(kind: str, words: Sequence[str]) -> tuple[Restriction, ...]:
    """A restriction for each left-over word of a field."""
    return tuple(Restriction(f"{kind} {word!r}") for word in dict.fromkeys(words))


def whole_claims(verdict: Verdict, catalogue: Catalogue) -> list[Candidate]:
    """The deciding claims that name everything the cell names.

    Leg by leg: what the same claim only implies about another leg does not stand for it.
    """
    named = named_axes(verdict.cell, catalogue.surroundings)
    deciding = [candidate for leg in verdict.legs for candidate in leg.deciding]
    whole = {c.claim.uid: c for c in deciding if is_whole(c, verdict.cell, named)}
    return list(whole.values())


def open_restrictions(
    restrictions: Sequence[Restriction], verdict: Verdict, catalogue: Catalogue
) -> list[str]:
    """The restrictions that no deciding claim of the verdict covers, as the reader's words."""
    whole = whole_claims(verdict, catalogue)
    remembers = any(r.need is Need.MEMORY for r in restrictions)
    fits = remembers and any(map(_was_run, whole))
    limited = bool(whole) and verdict.level in WITH_LIMITS
    found = []
    for restriction in restrictions:
        if restriction.need is Need.WORDS and fits:
            # Sizes and settings of a memory question that the receipt of the same run implies.
            continue
        if limited and restriction.need in _OF_THE_WAY:
            # A yes with limits about the very combination promises neither speed nor results.
            continue
        if not _covers(restriction, verdict, whole, catalogue):
            found.append(restriction.text)
    return found


def _covers(
    restriction: Restriction, verdict: Verdict, whole: Sequence[Candidate], catalogue: Catalogue
) -> bool:
    match restriction.need:
        case Need.WORDS:
            return False
        case Need.MEMORY:
            return any(map(_was_run, whole))
        case Need.RESULT:
            return any(c.claim.outcome in _RAN for c in whole)
        case Need.SPEED:
            return any(c.claim.outcome is Outcome.ACCELERATED for c in whole)
        case Need.TOPIC:
            return bool(whole)
        case Need.NAMED:
            return any(_names(c, restriction, catalogue) for c in verdict.deciding)


def _was_run(candidate: Candidate) -> bool:
    """Whether the claim says that it ran on so many cards or with so much context."""
    claim = candidate.claim
    seen = claim.outcome is not Outcome.UNSTATED or bool(claim.scope.numbers)
    return seen and claim.kind in _SEEN_BY_SOMEBODY


def _names(candidate: Candidate, restriction: Restriction, catalogue: Catalogue) -> bool:
    scope = candidate.claim.scope
    if restriction.area == "feature":
        stated, tree = scope.features, catalogue.trees.features
    else:
        axis = Axis(restriction.area)
        nodes = scope.nodes.get(axis)
        stated, tree = nodes.include if nodes else frozenset(), catalogue.trees.tree(axis)
    near = {s for slug in restriction.slugs for s in (*tree.up(slug), *tree.down(slug))}
    return not near.isdisjoint(stated)
