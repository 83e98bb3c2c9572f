"""What quantization classes say of the devices and types they need, over the files of a release."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ingest.reading.python_code import (
    Function,
    PythonClass,
    PythonModule,
    Unresolved,
    raised,
    returned,
)
from ingest.sources.code_facts import Json

_FLOOR, _DTYPES = "get_min_capability", "get_supported_act_dtypes"
_REFERENCE = re.compile(r"^(\w+)\.get_min_capability\(\)$")
_Side = TypeVar("_Side")
# Tests of the platform, by their names without a leading underscore.
_ON_NVIDIA = frozenset({"is_cuda", "is_cuda_alike"})
_ELSEWHERE = frozenset(
    {
        "is_hip",
        "is_rocm",
        "is_npu",
        "is_xpu",
        "is_cpu",
        "is_hpu",
        "is_mps",
        "is_musa",
        "is_tpu",
        "is_gfx95_supported",
        "is_mxfp_supported",
    }
)
# What a file holds that has a class to look at; most files of kernels have none.
HOLDING = r"\bget_min_capability\b|^class \w*Config\b"
# A chain of bases is short; a longer one is a circle.
_DEEPEST = 10


@dataclass(frozen=True)
class _Place:
    """A class and the module it stands in, so that names in it can be resolved."""

    item: PythonClass
    module: PythonModule


class ClassIndex:
    """The classes of several modules by name; of two of one name the first module's counts."""

    def __init__(self, modules: Iterable[PythonModule]) -> None:
        self._places: dict[str, _Place] = {}
        for module in modules:
            for name, item in module.classes.items():
                self._places.setdefault(name, _Place(item=item, module=module))

    def floor(self, name: str, *, depth: int = 0) -> Json:
        """The floor that a class states, inherits, or takes over from another class."""
        stated = _floor(self._method(name, _FLOOR))
        if isinstance(stated, str) and (match := _REFERENCE.match(stated)) and depth < _DEEPEST:
            return self.floor(match[1], depth=depth + 1)
        return stated

    def activation_types(self, name: str) -> Json:
        """The activation types that a class states or inherits, as source text."""
        return _returned_text(self._method(name, _DTYPES))

    def own_floors(self, prefixes: tuple[str, ...], *, folder: str) -> dict[str, Json]:
        """What classes of these name beginnings in a folder state themselves, sorted by name."""
        return {
            name: _floor(own)
            for name, place in sorted(self._places.items())
            if name.startswith(prefixes)
            and folder in place.module.path
            and (own := place.item.method(_FLOOR)) is not None
        }

    def _method(self, name: str, method: str, *, depth: int = 0) -> Function | None:
        """A class's method, its own or that of the first base that has one."""
        place = self._places.get(name)
        if place is None or depth > _DEEPEST:
            return None
        if own := place.item.method(method):
            return own
        for base in place.item.bases:
            if inherited := self._method(base, method, depth=depth + 1):
                return inherited
        return None


def _floor(function: Function | None) -> Json:
    """A number, several from the highest on, the text of another expression, or unknown.

    Branches for other vendors' devices are passed over: a capability is compared on NVIDIA's.
    """
    if function is None:
        return None
    if error := raised(function):
        return f"raises {error}"
    found, _ = _reached(function.body)
    values: list[Json] = []
    for node in found:
        value = _number_or_text(node)
        if value not in values:
            values.append(value)
    if len(values) == 1:
        return values[0]
    if values and all(isinstance(value, int) for value in values):
        return list[Json](sorted((v for v in values if isinstance(v, int)), reverse=True))
    return values or None


def _reached(body: Iterable[ast.stmt]) -> tuple[list[ast.expr], bool]:
    """What statements can give back on an NVIDIA device, and whether they can be passed."""
    found: list[ast.expr] = []
    for node in body:
        if isinstance(node, ast.Return):
            return [*found, *_branches(node.value)], False
        if isinstance(node, ast.Raise):
            return found, False
        if isinstance(node, ast.If):
            sides = _sides(_is_true(node.test), node.body, node.orelse)
            outcomes = [_reached(side) for side in sides]
            found += [value for values, _ in outcomes for value in values]
            if not any(passes for _, passes in outcomes):
                return found, False
    return found, True


def _branches(node: ast.expr | None) -> list[ast.expr]:
    if node is None:
        return []
    if isinstance(node, ast.IfExp):
        sides = _sides(_is_true(node.test), node.body, node.orelse)
        return [value for side in sides for value in _branches(side)]
    return [node]


def _sides(test: bool | None, then: _Side, otherwise: _Side) -> list[_Side]:
    if test is None:
        return [then, otherwise]
    return [then if test else otherwise]


def _is_true(node: ast.expr) -> bool | None:
    """Whether a test holds on an NVIDIA device; ``None`` where something else decides."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _is_true(node.operand)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        parts = [_is_true(value) for value in node.values]
        decisive = isinstance(node.op, ast.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    name = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    name = name.rpartition(".")[2].lstrip("_")
    if name in _ON_NVIDIA:
        return True
    return False if name in _ELSEWHERE else None


def _number_or_text(node: ast.expr) -> Json:
    """A whole number as it is, any other expression as its source text."""
    module = PythonModule(path="", tree=ast.Module(body=[], type_ignores=[]))
    try:
        value = module.literal(node)
    except Unresolved as error:
        return error.text
    return value if isinstance(value, int) else ast.unparse(node)


def _returned_text(function: Function | None) -> Json:
    """What a method gives back in the end; branches before are for single platforms."""
    if function is None or raised(function):
        return None
    values = returned(function)
    return ast.unparse(values[-1]) if values else None
