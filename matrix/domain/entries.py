"""Claims compiled for fast look-up: ranks instead of versions, days instead of dates."""

import bisect
from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import date

from matrix.domain.claims import Claim, Observation
from matrix.domain.coordinates import NumberRange, Scope
from matrix.domain.levels import Axis, LegKind, NumberAxis
from matrix.domain.trees import Tree
from matrix.domain.verdict_values import Age, AgeKind
from matrix.domain.versions import ReleaseHistory

FOREVER = date.max.toordinal()


@dataclass(slots=True, eq=False)
class Reach:
    """A scope compiled for matching; shared by all claims of that scope.

    **Shapes**: ``nodes`` are (axis, included, excluded slugs); ``weight`` counts the restricted
    axes and features and the depth of the features; ``stated`` is the scope as the claims state it,
    which is wider than this one where it is implied.
    """

    nodes: tuple[tuple[Axis, frozenset[str], frozenset[str]], ...]
    features: frozenset[str]
    numbers: tuple[tuple[NumberAxis, NumberRange], ...]
    weight: int
    stated: Scope
    _said_of: Hashable = None
    _open_texts: dict[int, tuple[str, ...]] | None = None

    def said_of(self) -> Hashable:
        """A value that is equal for equal stated scopes; worked out when it is first asked for."""
        if self._said_of is None:
            stated = self.stated
            self._said_of = (
                frozenset(stated.nodes.items()),
                stated.features,
                frozenset(stated.numbers.items()),
            )
        return self._said_of

    def open_texts(self, opened: int) -> tuple[str, ...]:
        """The restricted axes that a cell leaves open, as ``axis: nodes``.

        **Shapes**: the bits of ``opened`` stand for the features, then each of ``nodes``, then each
        of ``numbers``; each combination is worked out once.
        """
        if self._open_texts is None:
            self._open_texts = {}
        found = self._open_texts.get(opened)
        if found is None:
            texts = ["feature: " + ", ".join(sorted(self.features))]
            for axis, include, exclude in self.nodes:
                names = sorted(include) or ["not " + n for n in sorted(exclude)]
                texts.append(f"{axis.value}: {', '.join(names)}")
            for number, span in self.numbers:
                texts.append(f"{number.value}: {_span_text(span)}")
            found = tuple([text for n, text in enumerate(texts) if opened >> n & 1])
            self._open_texts[opened] = found
        return found


def _span_text(span: NumberRange) -> str:
    low = "" if span.minimum is None else f"{span.minimum:g} ≤ "
    high = "" if span.maximum is None else f" ≤ {span.maximum:g}"
    return f"{low}n{high}"


def compile_scope(scope: Scope, features: Tree, *, stated: Scope) -> Reach:
    """The compiled scope."""
    nodes = tuple([(axis, n.include, n.exclude) for axis, n in scope.nodes.items()])
    numbers = tuple(scope.numbers.items()) if scope.numbers else ()
    weight = len(nodes) + len(numbers)
    for name in scope.features:
        weight += 1 + features.depth(name)
    return Reach(nodes, scope.features, numbers, weight, stated)


@dataclass(slots=True, eq=False)
class Entry:
    """One claim compiled against the release history of its framework; not changed once posted.

    It is not declared frozen because a frozen dataclass takes three times as long to make, and a
    million of them are made at once; it compares by identity.

    **Shapes**: ``ranks``, ``days`` and ``claim.observations`` are parallel, ordered by rank.
    **Dates**: ``days`` are ordinals of ``stated_on``, ``oldest_day`` and ``newest_day`` their ends;
    ``known_from``/``known_until`` ordinals of the recorded clock.
    """

    claim: Claim
    reach: Reach
    ranks: tuple[int, ...]
    days: tuple[int, ...]
    first_rank: int
    gone_rank: int | None
    gone_day: int
    oldest_day: int
    newest_day: int
    known_from: int
    known_until: int
    implied: bool = False

    def observation_at(
        self, rank: int, day: int, *, release_day: int
    ) -> tuple[int, Age, Observation] | None:
        """The observation that speaks for a release on a day, and its age; ``None`` if none does.

        Before the first observation nothing is known unless the source itself states since when;
        from the release on at which the source no longer says it, nothing is inherited.

        **Dates**: ``day`` and ``release_day`` (of the asked release) are ordinals.
        """
        if rank < self.first_rank or (self.gone_rank is not None and self.is_gone(rank, day)):
            return None
        ranks = self.ranks
        if self.newest_day <= day:
            best = bisect.bisect_right(ranks, rank) - 1
            later = best + 1 < len(ranks)
        else:
            best, later = self._seen_by(rank, day)
        if best < 0:
            return self._stated_since(rank, day, release_day)
        used = ranks[best]
        observation = self.claim.observations[best]
        if used == rank:
            return used, OBSERVED, observation
        if later:
            kind = AgeKind.BETWEEN_OBSERVATIONS
        elif self.claim.validity.open_ended:
            kind = AgeKind.OPEN_ENDED
        else:
            kind = AgeKind.CARRIED_FORWARD
        days = release_day - self.days[best]
        return used, Age(kind, rank - used, days if days > 0 else 0), observation

    def is_known(self, day: int | None) -> bool:
        """Whether the claim stood in the record on a day of the recorded clock; ``None`` = now."""
        if day is None:
            return self.known_until == FOREVER
        return self.known_from <= day < self.known_until

    def is_gone(self, rank: int, day: int) -> bool:
        """Whether a source was seen by that day to say it no longer at that release."""
        return self.gone_rank is not None and rank >= self.gone_rank and self.gone_day <= day

    def _seen_by(self, rank: int, day: int) -> tuple[int, bool]:
        """The position of the nearest observation stated by a day, and whether a later one is."""
        best, later = -1, False
        for position, observed in enumerate(self.ranks):
            if self.days[position] > day:
                continue
            if observed <= rank:
                best = position
            else:
                later = True
        return best, later

    def _stated_since(
        self, rank: int, day: int, release_day: int
    ) -> tuple[int, Age, Observation] | None:
        """An observation at a later release that itself dates the statement back to this one."""
        for position, observed in enumerate(self.ranks):
            stated = self.days[position]
            if stated <= day and self.first_rank <= rank < observed:
                days = max(0, release_day - stated)
                age = Age(kind=AgeKind.BETWEEN_OBSERVATIONS, days=days)
                return rank, age, self.claim.observations[position]
        return None


OBSERVED = Age(kind=AgeKind.OBSERVED)


def compile_entry(claim: Claim, reach: Reach, history: ReleaseHistory) -> Entry | None:
    """The entry of a claim, or ``None`` when no observation lies at a known release."""
    claim, ranks = _ordered(claim, history)
    if not ranks:
        return None
    validity = claim.validity
    first = history.find_rank(validity.first)
    days = tuple([o.stated_on.toordinal() for o in claim.observations])
    ended = claim.superseded_at is not None or claim.withdrawn_at is not None
    return Entry(
        claim,
        reach,
        ranks,
        days,
        ranks[0] if first is None else first,
        history.find_rank(validity.gone) if validity.gone else None,
        validity.gone_on.toordinal() if validity.gone_on else 0,
        days[0] if len(days) == 1 else min(days),
        days[0] if len(days) == 1 else max(days),
        0 if claim.recorded_at is None else claim.recorded_at.toordinal(),
        _known_until(claim) if ended else FOREVER,
    )


def _known_until(claim: Claim) -> int:
    ended = [m for m in (claim.superseded_at, claim.withdrawn_at) if m is not None]
    return min((m.toordinal() for m in ended), default=FOREVER)


def _ordered(claim: Claim, history: ReleaseHistory) -> tuple[Claim, tuple[int, ...]]:
    """The claim with its observations at known releases in release order, and their ranks."""
    if len(claim.observations) == 1:
        rank = history.find_rank(claim.observations[0].release)
        return claim, () if rank is None else (rank,)
    pairs = []
    for observation in claim.observations:
        rank = history.find_rank(observation.release)
        if rank is not None:
            pairs.append((rank, observation))
    pairs.sort(key=lambda pair: (pair[0], pair[1].stated_on))
    ordered = tuple(o for _, o in pairs)
    if ordered != claim.observations:
        claim = replace(claim, observations=ordered)
    return claim, tuple(rank for rank, _ in pairs)


def legs_of(scope: Scope) -> tuple[LegKind, ...]:
    """The leg a statement speaks about: the joint one of everything its scope names."""
    if scope.features:
        return (LegKind.FEATURE,)
    if Axis.KV_DTYPE in scope.nodes:
        return (LegKind.KV_DTYPE,)
    if Axis.QUANTIZATION in scope.nodes:
        return (LegKind.QUANTIZATION,)
    if Axis.MODEL in scope.nodes:
        return (LegKind.MODEL,)
    return (LegKind.PLATFORM,)
