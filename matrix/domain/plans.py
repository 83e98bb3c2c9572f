"""Where claims are posted: the leg a statement speaks about, and the nodes it is looked up by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matrix.domain.coordinates import Scope, Trees
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


@dataclass(slots=True, eq=False)
class PostingPlan:
    """Where claims of one scope are posted; made once per scope, shared by its claims.

    **Shapes**: ``implied`` are the reduced scopes with their own postings; ``stated_per`` says
    which legs are stated hardware by hardware or model by model: (leg, subject, hardware root or
    ``PER_MODEL``).
    """

    reach: Reach
    postings: tuple[Posting, ...]
    implied: tuple[tuple[Reach, tuple[Posting, ...]], ...]
    stated_per: tuple[tuple[LegKind, str, str], ...]


_SCHEME_LEGS = frozenset({LegKind.QUANTIZATION, LegKind.KV_DTYPE})
# Stands beside hardware roots for "model by model".
PER_MODEL = "model:"
# … and for "feature by feature": joint statements about two features.
PER_FEATURE = "feature:"


def plan_postings(scope: Scope, trees: Trees) -> PostingPlan:
    """The posting plan of a scope."""
    leg = legs_of(scope)[0]
    features = trees.features
    return PostingPlan(
        reach=compile_scope(scope, features, stated=scope),
        postings=_postings(leg, scope),
        implied=tuple(
            [
                (compile_scope(part, features, stated=scope), _postings(kind, part))
                for kind, part in implied_scopes(scope)
            ]
        ),
        stated_per=tuple(_stated_per(leg, scope, trees.tree(Axis.HARDWARE))),
    )


def _stated_per(leg: LegKind, scope: Scope, tree: Tree) -> Iterator[tuple[LegKind, str, str]]:
    hardware = scope.nodes.get(Axis.HARDWARE)
    roots = {tree.up(slug)[-1] for slug in hardware.include} if hardware else set()
    subjects = scope.features if leg is LegKind.FEATURE else (ANY_NODE,)
    for subject in subjects:
        for root in roots:
            yield leg, subject, root
    if len(scope.features) > 1:
        for feature in scope.features:
            yield leg, feature, PER_FEATURE
    if Axis.MODEL in scope.nodes:
        if leg is LegKind.FEATURE:
            for feature in scope.features:
                yield leg, feature, PER_MODEL
        elif leg in _SCHEME_LEGS:
            for root in roots or {ANY_NODE}:
                yield leg, root, PER_MODEL


def _postings(leg: LegKind, scope: Scope) -> tuple[Posting, ...]:
    """Under which nodes a scope is posted: by model where it names one beside the leg's own axis,
    else by hardware."""
    seconds: Sequence[str] = (ANY_NODE,)
    models = scope.nodes.get(Axis.MODEL)
    hardware = scope.nodes.get(Axis.HARDWARE)
    by_model = False
    if leg not in NOT_PER_MODEL and models and models.include:
        seconds, by_model = _in_order(models.include), True
    elif leg is not LegKind.PLATFORM and hardware and hardware.include:
        seconds = _in_order(hardware.include)
    return tuple([(leg, by_model, p, s) for p in primary_nodes(leg, scope) for s in seconds])


def _in_order(slugs: frozenset[str]) -> Sequence[str]:
    return tuple(slugs) if len(slugs) < 2 else sorted(slugs)


_PRIMARY_AXES: Mapping[LegKind, tuple[Axis, ...]] = {
    LegKind.KV_DTYPE: (Axis.KV_DTYPE,),
    LegKind.QUANTIZATION: (Axis.QUANTIZATION,),
    LegKind.MODEL: (Axis.MODEL,),
    LegKind.PLATFORM: (Axis.HARDWARE, Axis.BACKEND),
}


def primary_nodes(leg: LegKind, scope: Scope) -> Sequence[str]:
    """The nodes under which a claim is posted for a leg; ``*`` when the leg's axis is open."""
    if leg is LegKind.FEATURE:
        return _in_order(scope.features)
    for axis in _PRIMARY_AXES[leg]:
        nodes = scope.nodes.get(axis)
        if nodes is not None and nodes.include:
            return _in_order(nodes.include)
    return (ANY_NODE,)
