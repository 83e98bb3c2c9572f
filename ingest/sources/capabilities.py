"""NVIDIA architectures by compute capability: what lies below a stated floor."""

from collections.abc import Mapping

from ingest.sources.scopes import nodes_with_capability
from matrix.domain.trees import Tree

NVIDIA = "nvidia"

# The architecture nodes of the catalogue and their compute capability; a test holds the two
# together. A floor is turned into the nodes below it, because newer numbers are not supersets.
CAPABILITIES: Mapping[str, float] = {
    "nvidia-sm-35": 3.5,
    "nvidia-sm-37": 3.7,
    "nvidia-sm-50": 5.0,
    "nvidia-sm-52": 5.2,
    "nvidia-sm-53": 5.3,
    "nvidia-sm-60": 6.0,
    "nvidia-sm-61": 6.1,
    "nvidia-sm-62": 6.2,
    "nvidia-sm-70": 7.0,
    "nvidia-sm-72": 7.2,
    "nvidia-sm-75": 7.5,
    "nvidia-sm-80": 8.0,
    "nvidia-sm-86": 8.6,
    "nvidia-sm-87": 8.7,
    "nvidia-sm-89": 8.9,
    "nvidia-sm-90": 9.0,
    "nvidia-sm-100": 10.0,
    "nvidia-sm-103": 10.3,
    "nvidia-sm-107": 10.7,
    "nvidia-sm-110": 11.0,
    "nvidia-sm-120": 12.0,
    "nvidia-sm-121": 12.1,
}
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "nvidia-kepler": ("nvidia-sm-35", "nvidia-sm-37"),
    "nvidia-maxwell": ("nvidia-sm-50", "nvidia-sm-52", "nvidia-sm-53"),
    "nvidia-pascal": ("nvidia-sm-60", "nvidia-sm-61", "nvidia-sm-62"),
    "nvidia-volta": ("nvidia-sm-70", "nvidia-sm-72"),
    "nvidia-turing": ("nvidia-sm-75",),
    "nvidia-ampere": ("nvidia-sm-80", "nvidia-sm-86", "nvidia-sm-87"),
    "nvidia-ada": ("nvidia-sm-89",),
    "nvidia-hopper": ("nvidia-sm-90",),
    "nvidia-blackwell": (
        "nvidia-sm-100",
        "nvidia-sm-103",
        "nvidia-sm-110",
        "nvidia-sm-120",
        "nvidia-sm-121",
    ),
    "nvidia-rubin": ("nvidia-sm-107",),
}


def _nvidia_tree() -> Tree:
    parents: dict[str, str | None] = {NVIDIA: None}
    for family, architectures in _FAMILIES.items():
        parents[family] = NVIDIA
        parents.update(dict.fromkeys(architectures, family))
    return Tree(parents)


NVIDIA_TREE = _nvidia_tree()


def nvidia_below(floor: float) -> frozenset[str]:
    """The smallest set of NVIDIA nodes below a compute capability.

    **Units**: compute capability as a decimal number (7.5), not as an integer (75).
    """
    return nodes_with_capability(NVIDIA_TREE, CAPABILITIES, below=floor)


# CUDA 12 numbered Thor 10.1; CUDA 13 renumbered it 11.0.
_RENUMBERED: Mapping[float, float] = {10.1: 11.0}


def nvidia_node(capability: float) -> str | None:
    """The architecture node of a compute capability, or ``None`` for an unlisted one."""
    capability = _RENUMBERED.get(capability, capability)
    for slug, value in CAPABILITIES.items():
        if value == capability:
            return slug
    return None
