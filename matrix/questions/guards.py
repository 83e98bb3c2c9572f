"""What a positive answer must have stated beyond its legs; each guard says what is missing.

A verdict asks each leg on its own. A question that joins two things ("LoRA on a GPTQ model") is
only answered by statements that speak about both, or by a "no" about one of them.
"""

from collections.abc import Iterable, Iterator

from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell, Scope
from matrix.domain.levels import Axis, Execution, NumberAxis, Tier
from matrix.domain.verdicts import Verdict
from matrix.questions.cells import AskedCells

_UNQUANTIZED = "none"
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
    return tuple(
        dict.fromkeys(
            [
                *_unstated_pairs(verdict.cell, scopes, catalogue),
                *_unstated_container(asked, verdict, catalogue),
                *_unstated_numbers(verdict.cell, scopes),
                *_unstated_settings(verdict),
                *_unstated_execution(asked, verdict),
            ]
        )
    )


def _unstated_pairs(cell: Cell, scopes: list[Scope], catalogue: Catalogue) -> Iterator[str]:
    features = sorted(cell.features)
    scheme = _real_scheme(cell, catalogue)
    model = cell.nodes.get(Axis.MODEL)
    for position, feature in enumerate(features):
        for other in features[position + 1 :]:
            if not any(_speaks_of(s, feature, catalogue) and _speaks_of(s, other, catalogue)
                       for s in scopes):  # fmt: skip
                yield f"{feature} together with {other}"
        if scheme and not _joins(scopes, feature, Axis.QUANTIZATION, catalogue):
            yield f"{feature} with {scheme}"
        if model and not _joins(scopes, feature, Axis.MODEL, catalogue):
            yield f"{feature} with {model}"
    if model and scheme and not _is_own_scheme(model, scheme, catalogue):
        joint = any(Axis.MODEL in s.nodes and Axis.QUANTIZATION in s.nodes for s in scopes)
        if not joint:
            yield f"{scheme} for {model}"


def _real_scheme(cell: Cell, catalogue: Catalogue) -> str | None:
    scheme = cell.nodes.get(Axis.QUANTIZATION)
    if scheme is None:
        return None
    root = catalogue.trees.tree(Axis.QUANTIZATION).up(scheme)[-1]
    return None if root == _UNQUANTIZED else scheme


def _speaks_of(scope: Scope, feature: str, catalogue: Catalogue) -> bool:
    return not scope.features.isdisjoint(catalogue.trees.features.up(feature))


def _joins(scopes: Iterable[Scope], feature: str, axis: Axis, catalogue: Catalogue) -> bool:
    return any(axis in s.nodes and _speaks_of(s, feature, catalogue) for s in scopes)


def _is_own_scheme(model: str, scheme: str, catalogue: Catalogue) -> bool:
    """Whether the checkpoint, or every one of its family that has a scheme, is published so."""
    tree = catalogue.trees.tree(Axis.QUANTIZATION)
    own = catalogue.surroundings.model_quantization.get(model)
    return own is not None and (scheme in tree.up(own) or own in tree.up(scheme))


def _unstated_container(
    asked: AskedCells, verdict: Verdict, catalogue: Catalogue
) -> Iterator[str]:
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


def _unstated_settings(verdict: Verdict) -> Iterator[str]:
    known = {item.name.lstrip("-") for c in verdict.deciding for item in c.claim.conditions}
    for name, value in verdict.cell.settings.items():
        if name not in known:
            yield f"the setting {name}={value}"


def _unstated_execution(asked: AskedCells, verdict: Verdict) -> Iterator[str]:
    if asked.native and verdict.execution is not Execution.NATIVE:
        yield f"native execution (stated: {verdict.execution})"
    if verdict.tier is Tier.PLANNED:
        yield "more than a plan"
