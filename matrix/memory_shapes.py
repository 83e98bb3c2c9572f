"""The shape of a model: from the catalogue, a pasted ``config.json`` or the head of a GGUF file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from matrix.domain.catalogue import Catalogue, FactValue, Node, strings_of
from matrix.domain.levels import Axis
from matrix.domain.memory.config import shape_from_config, shape_from_facts
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.gguf_header import read_gguf_header, shape_from_gguf
from matrix.domain.memory.values import ModelShape
from matrix.domain.phrases import Phrase

Note = tuple[str, Mapping[str, object]]

# Without one of these nothing can be said of a model's memory.
_SHAPE_FACTS = ("num_layers", "hidden_size", "parameters_total")
# Facts of a checkpoint that are its own and not those of what it was made from.
_OWN_FACTS = frozenset({
    "quantization", "base", "licence", "release_date", "parameters_stated",
    "parameters_active_stated", "parts_kept", "quantization_group_size",
})  # fmt: skip
MOST_STEPS = 4
MOST_NEAREST = 6


@dataclass(frozen=True, slots=True)
class GivenModel:
    """A model whose memory is asked.

    ``scheme`` is what its files hold, empty where that is not known; ``weight_bytes`` what they
    hold in sum, where their tensors are listed.
    """

    shape: ModelShape
    slug: str = ""
    scheme: str = ""
    weight_bytes: int | None = None
    notes: tuple[Note, ...] = ()


def model_of_slug(slug: str, catalogue: Catalogue) -> GivenModel:
    """The model of a catalogue node.

    A quantized or tuned checkpoint without numbers of its own has those of its base, which a note
    says. **Raises**: MemoryInputError where neither is known.
    """
    nodes = catalogue.area("model")
    node = nodes[slug]
    if node.kind != "checkpoint":
        raise _no_size(node, Phrase("a {kind}", kind=Phrase(node.kind)), catalogue)
    source = _with_shape(node, nodes)
    if source is None:
        raise _no_size(
            node, Phrase("a checkpoint whose layers and parameters are not known"), catalogue
        )
    facts = {k: v for k, v in source.facts.items() if k not in _OWN_FACTS}
    facts |= {k: v for k, v in node.facts.items() if k in _OWN_FACTS}
    if source is not node and "quantization" not in node.facts:
        # What is tuned on often takes longer contexts than its base.
        facts.pop("max_context_tokens", None)
    architecture = _architecture(source, catalogue)
    shape = shape_from_facts(
        facts,
        slug=slug,
        architecture=architecture.slug if architecture else "",
        source=_source_text(source, catalogue),
    )
    shape = replace(shape, name=node.name)
    notes: tuple[Note, ...] = ()
    if source.slug != slug:
        notes = (("shape-of-base", {"model": node.name, "base": source.name}),)
    return GivenModel(
        shape=_with_llamacpp(shape, architecture),
        slug=slug,
        scheme=str(node.facts.get("quantization", "")),
        notes=notes,
    )


def model_of_config(
    config: Mapping[str, object], catalogue: Catalogue, *, name: str = ""
) -> GivenModel:
    """The model that a hub ``config.json`` states. **Raises**: MemoryInputError."""
    shape = shape_from_config(config, name=name)
    found = catalogue.vocabulary.find("model", shape.architecture) if shape.architecture else ()
    node = catalogue.area("model").get(found[0]) if found else None
    shape = _with_llamacpp(shape, node)
    return GivenModel(shape=shape, scheme=shape.checkpoint_scheme)


def model_of_head(data: bytes, catalogue: Catalogue, *, name: str = "") -> GivenModel:
    """The model that the head of a GGUF file describes. **Raises**: MemoryInputError."""
    header = read_gguf_header(data)
    shape = shape_from_gguf(header)
    if name:
        shape = replace(shape, name=name)
    scheme = shape.checkpoint_scheme
    if scheme not in catalogue.area("quantization"):
        scheme = ""
    return GivenModel(
        shape=shape, scheme=scheme, weight_bytes=header.tensor_bytes, notes=header.notes
    )


def _with_shape(node: Node, nodes: Mapping[str, Node]) -> Node | None:
    """The node that states the numbers of a checkpoint: itself, what it was made from, or what was
    made from it by quantizing alone."""
    above: Node | None = node
    for _ in range(MOST_STEPS):
        if above is None:
            break
        if has_shape(above):
            return above
        above = nodes.get(str(above.facts.get("base", "")))
    for other in nodes.values():
        made_of_it = other.facts.get("base") == node.slug and "quantization" in other.facts
        if made_of_it and has_shape(other):
            return other
    return None


def has_shape(node: Node) -> bool:
    """Whether the node itself states numbers that an estimate can be made of."""
    return any(name in node.facts for name in _SHAPE_FACTS)


def shaped_models(catalogue: Catalogue) -> Iterator[Node]:
    """The checkpoints for which an estimate can be made."""
    nodes = catalogue.area("model")
    for node in nodes.values():
        if node.kind == "checkpoint" and _with_shape_quick(node, nodes):
            yield node


def _with_shape_quick(node: Node, nodes: Mapping[str, Node]) -> bool:
    return has_shape(node) or has_shape(nodes.get(str(node.facts.get("base", "")), node))


def _architecture(node: Node, catalogue: Catalogue) -> Node | None:
    nodes = catalogue.area("model")
    for slug in catalogue.trees.tree(Axis.MODEL).up(node.slug):
        if nodes[slug].kind == "architecture":
            return nodes[slug]
    return None


def _with_llamacpp(shape: ModelShape, architecture: Node | None) -> ModelShape:
    """The shape with llama.cpp's name of its architecture, where it did not say it itself."""
    if shape.llamacpp_arch or architecture is None:
        return shape
    names = llamacpp_names(architecture.facts)
    mixed = [name for name in names if name.endswith("moe")]
    if shape.num_experts and mixed:
        names = mixed
    return replace(shape, llamacpp_arch=names[0]) if names else shape


def llamacpp_names(facts: Mapping[str, FactValue]) -> list[str]:
    """The names under which llama.cpp loads an architecture."""
    return [*strings_of(facts.get("llamacpp_arch")), *strings_of(facts.get("llamacpp_arch_later"))]


def _source_text(node: Node, catalogue: Catalogue) -> str:
    titles = [
        catalogue.sources[key].title
        for key in node.sources
        if key in catalogue.sources and "model config" in catalogue.sources[key].title
    ]
    return "; ".join(titles or [catalogue.sources[k].title for k in node.sources[:2]
                                if k in catalogue.sources])  # fmt: skip


def _no_size(node: Node, what: str, catalogue: Catalogue) -> MemoryInputError:
    nodes = catalogue.area("model")
    tree = catalogue.trees.tree(Axis.MODEL)
    family = node.slug if node.kind != "checkpoint" else (node.parent or node.slug)
    below = sorted(tree.place(family).below)
    near = [nodes[slug].name for slug in below if has_shape(nodes[slug])]
    return MemoryInputError(
        key="model",
        value=node.name,
        accepted=Phrase(
            "a checkpoint with known layers and parameters, or its config.json; this is {what}",
            what=what,
        ),
        code="no-model-size",
        nearest=near[:MOST_NEAREST],
    )
