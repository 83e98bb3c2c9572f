"""Which hardware a condition in SGLang's code is true on."""

import ast
from collections.abc import Mapping

# What single tests mean; a test of the operating system's accelerator is a test of its hardware.
_TESTS: Mapping[str, str] = {
    "is_cuda": "nvidia",
    "_is_cuda": "nvidia",
    "is_hip": "amd",
    "_is_hip": "amd",
    "is_npu": "ascend",
    "_is_npu": "ascend",
    "is_xpu": "intel",
    "_is_xpu": "intel",
    "is_cpu": "cpu",
    "_is_cpu": "cpu",
    "is_mps": "apple",
    "_is_mps": "apple",
    "is_musa": "moore-threads",
    "_is_musa": "moore-threads",
    "is_hpu": "intel-gaudi",
}
# Tests for one generation of AMD's accelerators, whatever else is asked with them.
_GFX95 = frozenset(
    {"_is_mxfp_supported", "mxfp_supported", "is_gfx95_supported", "_is_gfx95_supported"}
)
_GFX95_NODE = "amd-gfx950"


def hardware_of(condition: str) -> frozenset[str] | None:
    """The hardware nodes of a condition, or ``None`` where a part of it is not known."""
    try:
        node = ast.parse(condition, mode="eval").body
    except SyntaxError:
        return None
    return _nodes(node)


def _nodes(node: ast.expr) -> frozenset[str] | None:
    if isinstance(node, ast.BoolOp):
        parts = [_nodes(value) for value in node.values]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if isinstance(node.op, ast.Or):
            return frozenset().union(*known)
        # "on AMD and of that generation" is that generation; other pairs meet nowhere known.
        if frozenset({_GFX95_NODE}) in known and frozenset({"amd"}) in known:
            return frozenset({_GFX95_NODE})
        return known[0] if all(part == known[0] for part in known) else None
    name = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    if name in _GFX95:
        return frozenset({_GFX95_NODE})
    slug = _TESTS.get(name)
    return frozenset({slug}) if slug else None
