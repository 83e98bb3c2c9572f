"""Claims compiled for fast look-up: ranks instead of versions, days instead of dates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from matrix.domain.claims import Claim, Observation
from matrix.domain.coordinates import NodeSet, NumberRange, Scope
from matrix.domain.levels import Axis, LegKind, NumberAxis
from matrix.domain.verdicts import Age, AgeKind
from matrix.domain.versions import ReleaseHistory

FOREVER = date.max.toordinal()
ANY_NODE = "*"


@dataclass(slots=True, eq=False)
class Entry:
    """One claim compiled against the release history of its framework; not changed once posted.

    It is not declared frozen because a frozen dataclass takes three times as long to make, and a
    million of them are made at once; it compares by identity.

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


def compile_entry(claim: Claim, history: ReleaseHistory) -> Entry | None:
    """The entry of a claim, or ``None`` when no observation lies at a known release."""
    claim, ranks = _ordered(claim, history)
    if not ranks:
        return None
    validity = claim.validity
    first = history.find_rank(validity.first)
    days = tuple([o.stated_on.toordinal() for o in claim.observations])
    nodes, numbers = claim.scope.nodes, claim.scope.numbers
    return Entry(
        claim,
        claim.scope,
        tuple(nodes.items()),
        tuple(numbers.items()) if numbers else (),
        ranks,
        days,
        ranks[0] if first is None else first,
        history.find_rank(validity.gone) if validity.gone else None,
        validity.gone_on.toordinal() if validity.gone_on else 0,
        days[0] if len(days) == 1 else max(days),
        0 if claim.recorded_at is None else claim.recorded_at.toordinal(),
        _known_until(claim),
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


def implied_scopes(scope: Scope) -> list[tuple[LegKind, Scope]]:
    """What a "yes" about a joint implies about its parts; a "no" implies nothing.

    "AWQ on Turing works" implies that Turing works; "AWQ on Volta does not" says nothing of Volta.
    """
    own = legs_of(scope)[0]
    found = []
    for leg, needed in _IMPLIED_NEEDS.items():
        nodes = scope.nodes
        if leg is own or needed not in nodes or not nodes[needed].include:
            continue
        if leg is LegKind.QUANTIZATION and own is not LegKind.FEATURE:
            continue
        reduced = {axis: nodes[axis] for axis in _IMPLIED_AXES[leg] if axis in nodes}
        found.append((leg, Scope(nodes=reduced)))
    return found


@dataclass(frozen=True, slots=True)
class PostingPlan:
    """Where claims of one scope are posted; made once per scope, shared by its claims.

    **Shapes**: ``postings`` are (leg, primary node, hardware node); ``implied`` the reduced scopes
    with their own postings; the rest says what is enumerated per hardware or per model.
    """

    postings: tuple[tuple[LegKind, str, str], ...]
    implied: tuple[tuple[LegKind, Scope, tuple[tuple[LegKind, str, str], ...]], ...]
    subjects: tuple[tuple[LegKind, str], ...]
    hardware: tuple[str, ...]
    features_per_model: tuple[str, ...]
    schemes_per_model: LegKind | None


_SCHEME_LEGS = frozenset({LegKind.QUANTIZATION, LegKind.KV_DTYPE})


def plan_postings(scope: Scope) -> PostingPlan:
    """The posting plan of a scope."""
    leg = legs_of(scope)[0]
    hardware = scope.nodes.get(Axis.HARDWARE)
    per_model = leg is LegKind.FEATURE and Axis.MODEL in scope.nodes
    features = tuple(scope.features)
    return PostingPlan(
        postings=_postings(leg, scope),
        implied=tuple((k, s, _postings(k, s)) for k, s in implied_scopes(scope)),
        subjects=tuple((leg, s) for s in (features if leg is LegKind.FEATURE else (ANY_NODE,))),
        hardware=tuple(hardware.include) if hardware else (),
        features_per_model=features if per_model else (),
        schemes_per_model=leg if leg in _SCHEME_LEGS and Axis.MODEL in scope.nodes else None,
    )


# Marks a second-level key that is a model; hardware keys carry no mark.
MODEL_MARK = "model:"
# Legs whose statements are not split by model: the platform has none, the model leg posts under it.
NOT_PER_MODEL = frozenset({LegKind.PLATFORM, LegKind.MODEL})


def _postings(leg: LegKind, scope: Scope) -> tuple[tuple[LegKind, str, str], ...]:
    """Under which nodes a scope is posted: by model where it names one beside the leg's own axis,
    else by hardware."""
    seconds: Iterable[str] = (ANY_NODE,)
    models = scope.nodes.get(Axis.MODEL)
    hardware = scope.nodes.get(Axis.HARDWARE)
    if leg not in NOT_PER_MODEL and models and models.include:
        seconds = [MODEL_MARK + slug for slug in models.include]
    elif leg is not LegKind.PLATFORM and hardware and hardware.include:
        seconds = hardware.include
    return tuple((leg, p, s) for p in primary_nodes(leg, scope) for s in seconds)


_PRIMARY_AXES: Mapping[LegKind, tuple[Axis, ...]] = {
    LegKind.KV_DTYPE: (Axis.KV_DTYPE,),
    LegKind.QUANTIZATION: (Axis.QUANTIZATION,),
    LegKind.MODEL: (Axis.MODEL,),
    LegKind.PLATFORM: (Axis.HARDWARE, Axis.BACKEND),
}


def primary_nodes(leg: LegKind, scope: Scope) -> Iterable[str]:
    """The nodes under which a claim is posted for a leg; ``*`` when the leg's axis is open."""
    if leg is LegKind.FEATURE:
        return scope.features
    for axis in _PRIMARY_AXES[leg]:
        nodes = scope.nodes.get(axis)
        if nodes is not None and nodes.include:
            return nodes.include
    return (ANY_NODE,)
