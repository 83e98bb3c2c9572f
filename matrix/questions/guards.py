"""What a positive answer must have stated beyond its legs; each guard says what is missing.

A verdict asks each leg on its own. A question that joins two things ("LoRA on a GPTQ model") is
only answered by statements that speak about both, or by a "no" about one of them.
"""

from collections.abc import Iterable, Iterator

from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell, Scope
from matrix.domain.levels import Axis, Execution, LegKind, NumberAxis, SupportLevel, Tier
from matrix.domain.verdict_values import Rule, Verdict
from matrix.questions.cells import AskedCells
from matrix.questions.restrictions import WITH_LIMITS, whole_claims

_UNQUANTIZED = "none"
_LEGS_BY_DEVICE = frozenset({LegKind.PLATFORM, LegKind.QUANTIZATION, LegKind.KV_DTYPE})
# These share the name of a family but not its kernels or packages: a yes about "Blackwell" or
# "Ampere" is none about GeForce Blackwell or a Jetson module.
_APART = frozenset(f"nvidia-sm-{number}" for number in (53, 62, 72, 87, 103, 110, 120, 121))
# Variants that the name of the family means when nothing is added to it.
_USUAL_VARIANTS = frozenset({"awq-w4a16", "gptq-w4a16", "bnb-4bit", "fp8-w8a8", "int8-w8a8"})
# The format in which a scheme is stored unless somebody says otherwise.
_OWN_CONTAINERS = {
    "awq": frozenset({"awq"}),
    "gptq": frozenset({"gptq"}),
    "gguf": frozenset({"gguf"}),
    "modelopt": frozenset({"modelopt"}),
    "compressed-tensors": frozenset({"compressed-tensors"}),
}


def missing_statements(
    verdict: Verdict, asked: AskedCells, catalogue: Catalogue
) -> tuple[str, ...]:
    """What the claims behind a positive verdict do not state although the question asks it."""
    scopes = [c.claim.scope for c in verdict.deciding if not c.negative]
    whole = bool(whole_claims(verdict, catalogue))
    described = asked.environment if whole else frozenset()
    common = [
        *_unstated_variant(verdict.cell, scopes, catalogue),
        *_unstated_container(asked, verdict, catalogue),
        *(
            []
            if whole and verdict.level in WITH_LIMITS
            else _unstated_numbers(verdict.cell, scopes)
        ),
        *_unstated_settings(verdict, described),
        *_unstated_execution(asked, verdict),
        *_only_upstream(verdict),
    ]
    if whole:
        # One claim names everything that the cell names: no part of it is left to be joined.
        return tuple(dict.fromkeys(common))
    return tuple(
        dict.fromkeys(
            [
                *_unstated_pairs(verdict.cell, scopes, catalogue),
                *_unstated_device(verdict, catalogue),
                *_unstated_backend(verdict.cell, catalogue),
                *_only_implied(verdict),
                *common,
            ]
        )
    )


def _unstated_pairs(cell: Cell, scopes: list[Scope], catalogue: Catalogue) -> Iterator[str]:
    features = sorted(cell.features)
    for position, feature in enumerate(features):
        for other in features[position + 1 :]:
            both = (s for s in scopes if _speaks_of(s, feature, catalogue))
            if not any(_speaks_of(scope, other, catalogue) for scope in both):
                yield f"{feature} together with {other}"
        yield from _unstated_for_feature(feature, cell, scopes, catalogue)
    yield from _unstated_for_nodes(cell, scopes, catalogue)


def _unstated_for_feature(
    feature: str, cell: Cell, scopes: list[Scope], catalogue: Catalogue
) -> Iterator[str]:
    speaking = [scope for scope in scopes if _speaks_of(scope, feature, catalogue)]
    scheme = _real_scheme(cell, catalogue)
    model = cell.nodes.get(Axis.MODEL)
    if scheme and not _names_axis(speaking, Axis.QUANTIZATION):
        yield f"{feature} with {scheme}"
    if model and not _names_axis(speaking, Axis.MODEL):
        yield f"{feature} with {model}"
    if _names_device(cell, catalogue) and not any(_is_placed(scope) for scope in speaking):
        yield f"{feature} on {cell.nodes[Axis.HARDWARE]}"


def _unstated_for_nodes(cell: Cell, scopes: list[Scope], catalogue: Catalogue) -> Iterator[str]:
    for axis in (Axis.MODEL, Axis.KV_DTYPE):
        slug = cell.nodes.get(axis)
        if slug is None or not _names_device(cell, catalogue):
            continue
        if not any(axis in scope.nodes and _is_placed(scope) for scope in scopes):
            yield f"{slug} on {cell.nodes[Axis.HARDWARE]}"
    scheme = _real_scheme(cell, catalogue)
    model = cell.nodes.get(Axis.MODEL)
    if model and scheme and not _is_own_scheme(model, scheme, catalogue):
        named = [scope for scope in scopes if Axis.MODEL in scope.nodes]
        if not _names_axis(named, Axis.QUANTIZATION):
            yield f"{scheme} for {model}"


def _names_device(cell: Cell, catalogue: Catalogue) -> bool:
    """Whether the cell asks about less than all devices of a vendor."""
    slug = cell.nodes.get(Axis.HARDWARE)
    return slug is not None and catalogue.trees.tree(Axis.HARDWARE).depth(slug) > 0


def _is_placed(scope: Scope) -> bool:
    return Axis.HARDWARE in scope.nodes or Axis.BACKEND in scope.nodes


def _real_scheme(cell: Cell, catalogue: Catalogue) -> str | None:
    scheme = cell.nodes.get(Axis.QUANTIZATION)
    if scheme is None:
        return None
    root = catalogue.trees.tree(Axis.QUANTIZATION).up(scheme)[-1]
    return None if root == _UNQUANTIZED else scheme


def _speaks_of(scope: Scope, feature: str, catalogue: Catalogue) -> bool:
    return not scope.features.isdisjoint(catalogue.trees.features.up(feature))


def _names_axis(scopes: Iterable[Scope], axis: Axis) -> bool:
    return any(axis in scope.nodes for scope in scopes)


def _is_own_scheme(model: str, scheme: str, catalogue: Catalogue) -> bool:
    """Whether the checkpoint, or every one of its family that has a scheme, is published so."""
    tree = catalogue.trees.tree(Axis.QUANTIZATION)
    own = catalogue.surroundings.model_quantization.get(model)
    return own is not None and (scheme in tree.up(own) or own in tree.up(scheme))


def _unstated_device(verdict: Verdict, catalogue: Catalogue) -> Iterator[str]:
    """What holds for "NVIDIA GPUs" was said of those that the speaker thought of.

    A vendor-wide yes is no statement about one generation: some came later, some lack the units.
    """
    cell = verdict.cell
    if not _names_device(cell, catalogue):
        return
    for leg in verdict.legs:
        unquantized = leg.kind is LegKind.QUANTIZATION and _real_scheme(cell, catalogue) is None
        if leg.kind not in _LEGS_BY_DEVICE or unquantized:
            continue
        # Whatever is stated for the device on another leg says that the device itself works.
        speaking = verdict.deciding if leg.kind is LegKind.PLATFORM else leg.deciding
        scopes = [c.claim.scope for c in speaking if not c.negative]
        if not any(_means_device(scope, cell, catalogue) for scope in scopes):
            yield f"the {leg.kind} {leg.subject} for less than a whole vendor or family"


def _means_device(scope: Scope, cell: Cell, catalogue: Catalogue) -> bool:
    """Whether the scope names the device, its architecture, or a family that stands for it."""
    nodes = scope.nodes.get(Axis.HARDWARE)
    if nodes is None:
        return False
    tree = catalogue.trees.tree(Axis.HARDWARE)
    up = tree.up(cell.nodes[Axis.HARDWARE])
    apart = [tree.depth(slug) for slug in up if slug in _APART]
    least = max([1, *apart])
    return any(tree.depth(slug) >= least for slug in nodes.include)


def _unstated_backend(cell: Cell, catalogue: Catalogue) -> Iterator[str]:
    """A backend that the framework does not have, or that other hardware needs."""
    backend = cell.nodes.get(Axis.BACKEND)
    if backend is None:
        return
    around = catalogue.surroundings
    own = around.frameworks[cell.framework].backends
    if own and own.isdisjoint(catalogue.trees.tree(Axis.BACKEND).up(backend)):
        yield f"the backend {backend} of {cell.framework}"
    hardware = cell.nodes.get(Axis.HARDWARE)
    root = around.backend_hardware.get(backend)
    if hardware and root and catalogue.trees.tree(Axis.HARDWARE).up(hardware)[-1] != root:
        yield f"the backend {backend} on {hardware}"


def _unstated_variant(cell: Cell, scopes: list[Scope], catalogue: Catalogue) -> Iterator[str]:
    """ "GPTQ is supported" does not say that its 3-bit variant is."""
    scheme = _real_scheme(cell, catalogue)
    if scheme is None or scheme in _USUAL_VARIANTS:
        return
    named = [s.nodes[Axis.QUANTIZATION].include for s in scopes if Axis.QUANTIZATION in s.nodes]
    tree = catalogue.trees.tree(Axis.QUANTIZATION)
    above = any(not include.isdisjoint(tree.up(scheme)[1:]) for include in named)
    if above and not any(scheme in include for include in named):
        yield f"the variant {scheme}"


def _unstated_container(asked: AskedCells, verdict: Verdict, catalogue: Catalogue) -> Iterator[str]:
    container = asked.named_container
    scheme = verdict.cell.nodes.get(Axis.QUANTIZATION)
    if container is None or scheme is None:
        return
    root = catalogue.trees.tree(Axis.QUANTIZATION).up(scheme)[-1]
    if container in _OWN_CONTAINERS.get(root, ()):
        return
    if not any(Axis.CONTAINER in c.claim.scope.nodes for c in verdict.deciding):
        yield f"the format {container}"


def _unstated_numbers(cell: Cell, scopes: list[Scope]) -> Iterator[str]:
    context = cell.numbers.get(NumberAxis.CONTEXT_TOKENS)
    if context is not None and not any(NumberAxis.CONTEXT_TOKENS in s.numbers for s in scopes):
        yield f"a context of {context:g} tokens"


def _unstated_settings(verdict: Verdict, described: frozenset[str]) -> Iterator[str]:
    known = {item.name.lstrip("-") for c in verdict.deciding for item in c.claim.conditions}
    for name, value in verdict.cell.settings.items():
        if name not in known and name not in described:
            yield f"the setting {name}={value}"


def _unstated_execution(asked: AskedCells, verdict: Verdict) -> Iterator[str]:
    stated = verdict.execution is Execution.UNSTATED and verdict.level is SupportLevel.SUPPORTED
    if asked.native and stated:
        yield f"native execution (stated: {verdict.execution})"
    if verdict.tier is Tier.PLANNED:
        yield "more than a plan"


def _only_upstream(verdict: Verdict) -> Iterator[str]:
    """What the upstream says of itself was not said of the plug-in that is asked about."""
    for candidate in verdict.deciding:
        if candidate.inherited_from:
            yield f"{candidate.claim.statement} for more than {candidate.inherited_from}"


def _only_implied(verdict: Verdict) -> Iterator[str]:
    """That some kernel has a floor below a device says little of the whole framework on it."""
    if len(verdict.legs) == 1 and verdict.legs[0].rule is Rule.IMPLIED:
        yield f"{verdict.legs[0].subject} on its own (only what follows from other statements)"
