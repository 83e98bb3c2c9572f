"""Claims compiled for fast look-up: ranks instead of versions, days instead of dates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from matrix.domain.claims import Claim, Observation
from matrix.domain.coordinates import NodeSet, NumberRange, Scope, Trees
from matrix.domain.levels import Axis, LegKind, NumberAxis, SupportLevel
from matrix.domain.verdicts import Age, AgeKind
from matrix.domain.versions import ReleaseHistory

FOREVER = date.max.toordinal()


@dataclass(frozen=True, slots=True)
class Entry:
    """One claim compiled against the release history of its framework.

    **Shapes**: ``ranks``, ``days`` and ``claim.observations`` are parallel, ordered by rank.
    **Dates**: ``days`` are ordinals of ``stated_on``; ``known_from``/``known_until`` ordinals of
    the recorded clock.
    """

    claim: Claim
    scope: Scope
    nodes: tuple[tuple[Axis, NodeSet], ...]
    numbers: tuple[tuple[NumberAxis, NumberRange], ...]
    ranks: tuple[int, ...]
    days: tuple[int, ...]
    first_rank: int
    gone_rank: int | None
    gone_day: int
    newest_day: int
    known_from: int
    known_until: int
    implied: bool = False

    def observation_at(self, rank: int, day: int) -> tuple[int, Age, Observation] | None:
        """The observation that speaks for a release on a day, and its age; ``None`` if none does.

        Before the first observation nothing is known unless the source itself states since when;
        from the release on at which the source no longer says it, nothing is inherited.
        """
        if rank < self.first_rank:
            return None
        if self.gone_rank is not None and rank >= self.gone_rank and self.gone_day <= day:
            return None
        best = -1
        later = False
        everything = self.newest_day <= day
        for position, observed in enumerate(self.ranks):
            if not everything and self.days[position] > day:
                continue
            if observed <= rank:
                best = position
            else:
                later = True
        if best < 0:
            return self._stated_since(rank, day)
        used = self.ranks[best]
        observation = self.claim.observations[best]
        if used == rank:
            return used, _OBSERVED, observation
        if later:
            age = Age(kind=AgeKind.BETWEEN_OBSERVATIONS, releases=rank - used)
            return used, age, observation
        kind = AgeKind.CARRIED_FORWARD
        if self.claim.validity.open_ended:
            kind = AgeKind.OPEN_ENDED
        return used, Age(kind=kind, releases=rank - used), observation

    def _stated_since(self, rank: int, day: int) -> tuple[int, Age, Observation] | None:
        """An observation at a later release that itself dates the statement back to this one."""
        for position, observed in enumerate(self.ranks):
            if self.days[position] <= day and self.first_rank <= rank < observed:
                age = Age(kind=AgeKind.BETWEEN_OBSERVATIONS)
                return rank, age, self.claim.observations[position]
        return None

    def known_at(self, day: int) -> bool:
        """Whether the claim stood in the record on a day of the recorded clock."""
        return self.known_from <= day < self.known_until


_OBSERVED = Age(kind=AgeKind.OBSERVED)


def _ordinal(moment: datetime | None, default: int) -> int:
    return default if moment is None else moment.date().toordinal()


def compile_entry(claim: Claim, history: ReleaseHistory) -> Entry | None:
    """The entry of a claim, or ``None`` when no observation lies at a known release."""
    pairs = []
    for observation in claim.observations:
        if history.find(observation.release) is not None:
            pairs.append((history.rank(observation.release), observation))
    if not pairs:
        return None
    pairs.sort(key=lambda pair: (pair[0], pair[1].stated_on))
    if [o for _, o in pairs] != list(claim.observations):
        claim = _with_observations(claim, tuple(o for _, o in pairs))
    validity = claim.validity
    first = history.find(validity.first)
    gone = history.find(validity.gone) if validity.gone else None
    days = tuple(o.stated_on.toordinal() for _, o in pairs)
    ended = [m for m in (claim.superseded_at, claim.withdrawn_at) if m is not None]
    return Entry(
        claim=claim,
        scope=claim.scope,
        nodes=tuple(claim.scope.nodes.items()),
        numbers=tuple(claim.scope.numbers.items()),
        ranks=tuple(rank for rank, _ in pairs),
        days=days,
        first_rank=history.rank(validity.first) if first else pairs[0][0],
        gone_rank=history.rank(validity.gone) if gone else None,
        gone_day=validity.gone_on.toordinal() if validity.gone_on else 0,
        newest_day=max(days),
        known_from=_ordinal(claim.recorded_at, 0),
        known_until=min((_ordinal(m, FOREVER) for m in ended), default=FOREVER),
    )


def _with_observations(claim: Claim, observations: tuple[Observation, ...]) -> Claim:
    return replace(claim, observations=observations)


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


_IMPLIED_AXES: dict[LegKind, tuple[Axis, ...]] = {
    LegKind.PLATFORM: (Axis.HARDWARE, Axis.BACKEND, Axis.OS_ISA, Axis.ARTEFACT),
    LegKind.MODEL: (Axis.MODEL, Axis.HARDWARE, Axis.BACKEND),
    LegKind.QUANTIZATION: (Axis.QUANTIZATION, Axis.HARDWARE, Axis.BACKEND, Axis.MODEL),
}
_IMPLIED_NEEDS = {
    LegKind.PLATFORM: Axis.HARDWARE,
    LegKind.MODEL: Axis.MODEL,
    LegKind.QUANTIZATION: Axis.QUANTIZATION,
}


def implied_scopes(claim: Claim) -> list[tuple[LegKind, Scope]]:
    """What a "yes" about a joint implies about its parts; a "no" implies nothing.

    "AWQ on Turing works" implies that Turing works; "AWQ on Volta does not" says nothing of Volta.
    """
    if claim.level is SupportLevel.UNSUPPORTED:
        return []
    own = legs_of(claim.scope)[0]
    found = []
    for leg, needed in _IMPLIED_NEEDS.items():
        nodes = claim.scope.nodes
        if leg is own or needed not in nodes or not nodes[needed].include:
            continue
        if leg is LegKind.QUANTIZATION and own is not LegKind.FEATURE:
            continue
        reduced = {axis: nodes[axis] for axis in _IMPLIED_AXES[leg] if axis in nodes}
        found.append((leg, Scope(nodes=reduced)))
    return found


def primary_nodes(leg: LegKind, scope: Scope) -> Iterable[str]:
    """The nodes under which a claim is posted for a leg; ``*`` when the leg's axis is open."""
    nodes = scope.nodes
    if leg is LegKind.FEATURE:
        return scope.features
    axes: Mapping[LegKind, tuple[Axis, ...]] = {
        LegKind.KV_DTYPE: (Axis.KV_DTYPE,),
        LegKind.QUANTIZATION: (Axis.QUANTIZATION,),
        LegKind.MODEL: (Axis.MODEL,),
        LegKind.PLATFORM: (Axis.HARDWARE, Axis.BACKEND),
    }
    for axis in axes[leg]:
        if axis in nodes and nodes[axis].include:
            return nodes[axis].include
    return (ANY_NODE,)


ANY_NODE = "*"


def specificity_of(entry: Entry, ups: Mapping[Axis, tuple[str, ...]], trees: Trees) -> int:
    """How specific an entry is for a cell: restricted axes plus the depth of the matched nodes.

    A capability gate names a number, not devices, so its hardware counts as one restricted axis.
    """
    total = len(entry.numbers) + len(entry.claim.conditions)
    total += sum(1 + trees.features.depth(name) for name in entry.scope.features)
    gate = entry.claim.kind == "capability-gate"
    for axis, nodes in entry.nodes:
        total += 1
        if gate and axis is Axis.HARDWARE:
            continue
        up = ups.get(axis, ())
        for position, slug in enumerate(up):
            if slug in nodes.include:
                total += len(up) - 1 - position
                break
    return total
