"""How much memory one device has, as the catalogue states it, and how much programs get of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.levels import Axis
from matrix.domain.memory.usable import usable_seen


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """**Units**: bytes; ``None`` unknown, with a note why."""

    bytes_: int | None = None
    usable_bytes: int | None = None
    usable_source: str = ""
    notes: tuple[tuple[str, Mapping[str, object]], ...] = ()


def device_memory(catalogue: Catalogue, slug: str) -> DeviceMemory:
    """The memory of one device of a hardware node.

    A node above several boards has a figure only where all of them have the same.
    """
    nodes = catalogue.area("hardware")
    line = catalogue.trees.tree(Axis.HARDWARE).up(slug)
    seen = next((found for above in line if (found := usable_seen(above))), None)
    stated = next((n for above in line if (n := _stated_bytes(nodes[above])) is not None), None)
    if seen is not None or stated is not None:
        return DeviceMemory(
            bytes_=stated,
            usable_bytes=seen.bytes_ if seen else None,
            usable_source=seen.source if seen else "",
        )
    below = _boards_below(nodes, slug)
    sizes = {int(str(node.facts["memory_bytes"])) for node in below}
    if len(sizes) == 1:
        return DeviceMemory(bytes_=sizes.pop())
    facts: dict[str, object] = {
        "hardware": nodes[slug].name,
        "boards": ", ".join(sorted(node.name for node in below)[:8]),
    }
    code = "hardware-of-several-sizes" if below else "hardware-memory-unknown"
    return DeviceMemory(notes=((code, facts),))


def _stated_bytes(node: Node) -> int | None:
    stated = node.facts.get("memory_bytes")
    return stated if isinstance(stated, int) else None


def _boards_below(nodes: Mapping[str, Node], slug: str) -> list[Node]:
    """The nodes below one that state their memory."""
    found = []
    for node in nodes.values():
        above = node.parent
        while above is not None and above != slug:
            above = nodes[above].parent
        if above == slug and "memory_bytes" in node.facts:
            found.append(node)
    return found
