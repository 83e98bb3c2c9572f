"""Where claims are posted: the leg a statement speaks about, and the nodes it is looked up by."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from matrix.domain.coordinates import Scope
from matrix.domain.entries import Reach, compile_scope, legs_of
from matrix.domain.levels import Axis, LegKind
from matrix.domain.trees import ANY_NODE, Tree

# Legs whose statements are not split by model: the platform has none, the model leg posts under it.
NOT_PER_MODEL = frozenset({LegKind.PLATFORM, LegKind.MODEL})


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
    A feature on hardware implies nothing of the platform: "this attention kernel needs compute
    capability 7.5" does not say that the framework runs on every such card.
    """
    own = legs_of(scope)[0]
    found = []
    for leg, needed in _IMPLIED_NEEDS.items():
        nodes = scope.nodes
        if leg is own or needed not in nodes or not nodes[needed].include:
            continue
        if leg is LegKind.QUANTIZATION and own is not LegKind.FEATURE:
            continue
        if leg is LegKind.PLATFORM and own is LegKind.FEATURE:
            continue
        reduced = {axis: nodes[axis] for axis in _IMPLIED_AXES[leg] if axis in nodes}
        found.append((leg, Scope(nodes=reduced)))
    return found


# A posting: leg, whether by model, first-level node, second-level node.
Posting = tuple[LegKind, bool, str, str]


@dataclass(frozen=True, slots=True)
class PostingPlan:
    """Where claims of one scope are posted; made once per scope, shared by its claims.

    **Shapes**: ``implied`` are the reduced scopes with their own postings; ``restricts`` lists the
    axes that each leg's statements name, with the nodes; the rest says what is enumerated per
    hardware or per model.
    """

    reach: Reach
    postings: tuple[Posting, ...]
    implied: tuple[tuple[Reach, tuple[Posting, ...]], ...]
    restricts: tuple[tuple[LegKind, Axis, frozenset[str]], ...]
    subjects: tuple[tuple[LegKind, str], ...]
    hardware: tuple[str, ...]
    features_per_model: tuple[str, ...]
    schemes_per_model: LegKind | None


_SCHEME_LEGS = frozenset({LegKind.QUANTIZATION, LegKind.KV_DTYPE})


def plan_postings(scope: Scope, features: Tree, *, said_of: Hashable) -> PostingPlan:
    """The posting plan of a scope; ``said_of`` is equal for equal scopes."""
    leg = legs_of(scope)[0]
    hardware = scope.nodes.get(Axis.HARDWARE)
    per_model = leg is LegKind.FEATURE and Axis.MODEL in scope.nodes
    asked = tuple(sorted(scope.features))
    reduced = implied_scopes(scope)
    return PostingPlan(
        reach=compile_scope(scope, features, said_of=said_of),
        postings=_postings(leg, scope),
        implied=tuple(
            (compile_scope(part, features, said_of=said_of), _postings(kind, part))
            for kind, part in reduced
        ),
        restricts=tuple(
            (kind, axis, nodes.include | nodes.exclude)
            for kind, part in [(leg, scope), *reduced]
            for axis, nodes in part.nodes.items()
        ),
        subjects=tuple((leg, s) for s in (asked if leg is LegKind.FEATURE else (ANY_NODE,))),
        hardware=tuple(hardware.include) if hardware else (),
        features_per_model=asked if per_model else (),
        schemes_per_model=leg if leg in _SCHEME_LEGS and Axis.MODEL in scope.nodes else None,
    )


def _postings(leg: LegKind, scope: Scope) -> tuple[Posting, ...]:
    """Under which nodes a scope is posted: by model where it names one beside the leg's own axis,
    else by hardware."""
    seconds: Iterable[str] = (ANY_NODE,)
    models = scope.nodes.get(Axis.MODEL)
    hardware = scope.nodes.get(Axis.HARDWARE)
    by_model = False
    if leg not in NOT_PER_MODEL and models and models.include:
        seconds, by_model = sorted(models.include), True
    elif leg is not LegKind.PLATFORM and hardware and hardware.include:
        seconds = sorted(hardware.include)
    return tuple((leg, by_model, p, s) for p in primary_nodes(leg, scope) for s in seconds)


_PRIMARY_AXES: Mapping[LegKind, tuple[Axis, ...]] = {
    LegKind.KV_DTYPE: (Axis.KV_DTYPE,),
    LegKind.QUANTIZATION: (Axis.QUANTIZATION,),
    LegKind.MODEL: (Axis.MODEL,),
    LegKind.PLATFORM: (Axis.HARDWARE, Axis.BACKEND),
}


def primary_nodes(leg: LegKind, scope: Scope) -> Iterable[str]:
    """The nodes under which a claim is posted for a leg; ``*`` when the leg's axis is open."""
    if leg is LegKind.FEATURE:
        return sorted(scope.features)
    for axis in _PRIMARY_AXES[leg]:
        nodes = scope.nodes.get(axis)
        if nodes is not None and nodes.include:
            return sorted(nodes.include)
    return (ANY_NODE,)
