"""What surrounds the claims: trees, releases, frameworks, and what follows from a cell's words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from matrix.domain.coordinates import Cell, Trees
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.versions import ReleaseHistory

Assumed = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class FrameworkFacts:
    """What the rules need of a framework besides its claims.

    ``parent`` and ``inherits`` hold for plug-ins: what the plug-in does not say itself is taken
    from the upstream release that ``upstream`` names for its own version, visibly marked.
    ``on_other_hardware`` holds for a plug-in that runs the upstream on hardware of its own.
    """

    slug: str
    parent: str | None = None
    inherits: bool = False
    on_other_hardware: bool = False
    upstream: Mapping[str, str] = field(default_factory=dict)
    backends: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Surroundings:
    """Everything around the claims: trees, releases, frameworks and default backends.

    **Shapes**: ``default_backends`` maps a hardware root to backend slugs in order of preference;
    ``backend_hardware`` maps a backend to the hardware roots it implies; ``model_quantization``
    maps a quantized checkpoint to its scheme; ``natural_containers`` a scheme family to the
    container that its name means when none is named (AWQ: a checkpoint written by AutoAWQ);
    ``native_formats`` a hardware node to the number formats that it computes with.
    """

    trees: Trees
    histories: Mapping[str, ReleaseHistory]
    frameworks: Mapping[str, FrameworkFacts]
    default_backends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    backend_hardware: Mapping[str, str] = field(default_factory=dict)
    model_quantization: Mapping[str, str] = field(default_factory=dict)
    natural_containers: Mapping[str, str] = field(default_factory=dict)
    native_formats: Mapping[str, frozenset[str]] = field(default_factory=dict)


def complete_cell(cell: Cell, around: Surroundings) -> tuple[Cell, tuple[tuple[str, str], ...]]:
    """The cell with what follows from its own words, and the list of what was assumed."""
    added = _assumed_nodes(cell.nodes, cell.framework, around)
    numbers, features = cell.numbers, cell.features
    if not added and not numbers:
        return cell, ()
    assumed: Assumed = [(axis.value, slug) for axis, slug in added.items()]
    if numbers:
        numbers = _assume_layout(numbers, assumed)
        features = features | _layout_features(numbers)
        if not assumed and features == cell.features:
            return cell, ()
    nodes = {**cell.nodes, **added}
    full = Cell(cell.framework, cell.version, nodes, features, numbers, cell.settings)
    return full, tuple(assumed)


def _assumed_nodes(
    nodes: Mapping[Axis, str], framework: str, around: Surroundings
) -> dict[Axis, str]:
    """The nodes that follow from the named ones, in the order in which they are assumed."""
    added: dict[Axis, str] = {}
    scheme = nodes.get(Axis.QUANTIZATION)
    if scheme is None and Axis.MODEL in nodes:
        # A quantized checkpoint names its scheme.
        scheme = around.model_quantization.get(nodes[Axis.MODEL])
        if scheme:
            added[Axis.QUANTIZATION] = scheme
    if scheme and Axis.CONTAINER not in nodes:
        # A scheme named after its container means that container when no other is named.
        for slug in around.trees.tree(Axis.QUANTIZATION).up(scheme):
            if container := around.natural_containers.get(slug):
                added[Axis.CONTAINER] = container
                break
    hardware, backend = nodes.get(Axis.HARDWARE), nodes.get(Axis.BACKEND)
    if hardware is not None and not backend:
        if natural := _natural_backend(hardware, framework, around):
            added[Axis.BACKEND] = natural
    elif backend and hardware is None and (root := around.backend_hardware.get(backend)):
        added[Axis.HARDWARE] = root
    return added


def self_evident_axes(cell: Cell, around: Surroundings) -> frozenset[Axis]:
    """The axes whose node follows from the rest of the cell, whether it was named or assumed.

    Whoever says "AWQ on a T4 in vLLM" has named CUDA and the container of AWQ as well.
    """
    found = set()
    for axis in (Axis.BACKEND, Axis.CONTAINER, Axis.HARDWARE):
        if axis not in cell.nodes:
            continue
        rest = {other: slug for other, slug in cell.nodes.items() if other is not axis}
        if _assumed_nodes(rest, cell.framework, around).get(axis) == cell.nodes[axis]:
            found.add(axis)
    return frozenset(found)


def _assume_layout(
    numbers: Mapping[NumberAxis, float], assumed: Assumed
) -> Mapping[NumberAxis, float]:
    """One device leaves nothing to share the work with."""
    if numbers.get(NumberAxis.HARDWARE_COUNT) != 1:
        return numbers
    found = dict(numbers)
    for axis in (NumberAxis.TENSOR_PARALLEL, NumberAxis.PIPELINE_PARALLEL):
        if axis not in found:
            found[axis] = 1
            assumed.append((axis.value, "1"))
    return found


def _layout_features(numbers: Mapping[NumberAxis, float]) -> frozenset[str]:
    """The features that a layout over more than one device uses."""
    used = set()
    if numbers.get(NumberAxis.TENSOR_PARALLEL, 1) > 1:
        used.add("tensor-parallel")
    if numbers.get(NumberAxis.PIPELINE_PARALLEL, 1) > 1:
        used.add("pipeline-parallel")
    return frozenset(used)


def _natural_backend(hardware: str, framework: str, around: Surroundings) -> str | None:
    """The back end by which a framework drives the hardware unless another is named."""
    root = around.trees.tree(Axis.HARDWARE).up(hardware)[-1]
    own = around.frameworks.get(framework)
    for option in around.default_backends.get(root, ()):
        if own is None or not own.backends or option in own.backends:
            return option
    return None
