"""Which engine's memory rules hold, and over how many devices a model is spread, from words."""

from collections.abc import Mapping
from dataclasses import replace

from matrix.domain.catalogue import Catalogue
from matrix.domain.errors import InvalidValue
from matrix.domain.levels import Axis
from matrix.domain.memory.engine_rules import RULES
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.values import Layout
from matrix.domain.phrases import Phrase
from matrix.memory_settings import read_options

LAYOUT_NAMES = ("tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel")
OPTION_NAMES = (
    "ubatch_tokens", "flash_attention", "kv_unified", "swa_full", "memory_share", "block_tokens",
    "outputs",
)  # fmt: skip
MOST_DEVICES = 100_000

# The rules of an upstream hold for what is built on it and has no rules of its own.
_ON_TOP = frozenset({"plugin", "fork", "binding", "bundles"})
_GGUF_ENGINE = "llama.cpp"
# The root of the processors in the hardware tree.
_HOST = "cpu"
_WITH_RULES = frozenset({*RULES, _GGUF_ENGINE})


def engine_of(catalogue: Catalogue, framework: str, scheme: str) -> str:
    """The framework whose memory rules hold: a plug-in's or fork's upstream."""
    nodes = catalogue.area("framework")
    node = nodes.get(framework)
    while (
        node is not None
        and node.slug not in _WITH_RULES
        and node.parent
        and node.facts.get("relation") in _ON_TOP
    ):
        node = nodes.get(node.parent)
    if node is not None:
        return node.slug
    return _GGUF_ENGINE if scheme.startswith("gguf") else ""


def options_of(
    single: Mapping[str, str], catalogue: Catalogue, hardware: str, engine: str
) -> Mapping[str, object]:
    """The settings that were named; llama.cpp on a processor keeps every layer there."""
    options = read_options(single, OPTION_NAMES)
    on_host = hardware and _HOST in catalogue.trees.tree(Axis.HARDWARE).up(hardware)
    if on_host and engine == _GGUF_ENGINE:
        options["offload_layers"] = 0
    return options


def layout_of(single: Mapping[str, str], *, engine: str) -> tuple[int, Layout]:
    """How many devices, and how the model is spread over them.

    Where only a number of devices is named, layers go to them in turn under llama.cpp; elsewhere
    every layer is split over all of them.
    """
    named = {
        name: read_number(single, name, default=1, most=MOST_DEVICES)
        for name in LAYOUT_NAMES
        if name in single
    }
    layout = replace(Layout(), **named)
    if "count" not in single:
        return layout.devices, layout
    count = read_number(single, "count", default=1, most=MOST_DEVICES)
    free = "pipeline_parallel" if engine == _GGUF_ENGINE else "tensor_parallel"
    if free not in named and count % layout.devices == 0:
        layout = replace(layout, **{free: count // layout.devices})
    if layout.devices != count:
        raise MemoryInputError(
            key="count",
            value=count,
            accepted=Phrase(
                "{devices}, the product of tensor, pipeline and data parallelism",
                devices=layout.devices,
            ),
            code="impossible-request",
        )
    return count, layout


def read_number(single: Mapping[str, str], name: str, *, default: int, most: int) -> int:
    text = single.get(name)
    if text is None:
        return default
    if text.isascii() and text.isdigit() and len(text) <= 12 and 1 <= int(text) <= most:
        return int(text)
    raise InvalidValue(
        name=name, value=text, accepted=Phrase("a whole number from 1 to {most}", most=most)
    )
