"""Which classes of checkpoints llama.cpp's converter takes, and which architecture they become."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from ingest.reading.python_code import PythonClass, PythonModule
from ingest.sources.code_facts import Json
from ingest.sources.code_files import CodeFiles

CONVERTER_PATHS = (
    r"convert[-_]hf[-_]to[-_]gguf\.py",
    r"conversion/[^/]+\.py",
    r"gguf-py/gguf/constants\.py",
)
_CONSTANTS = "gguf-py/gguf/constants.py"
_NAMES, _ARCH = "MODEL_ARCH_NAMES", "model_arch"
# A class of the converter inherits over few steps; a longer chain is a circle.
_DEEPEST = 10


def read_converter(files: CodeFiles) -> Json:
    """Checkpoint class to the architectures it is converted to; ``None`` without a converter.

    A class with two (a text part and a part that sees or hears) has both, sorted.
    """
    names = _architecture_names(files.python(_CONSTANTS))
    modules = [
        *files.python_matching(CONVERTER_PATHS[0]),
        *files.python_matching(CONVERTER_PATHS[1]),
    ]
    if not names or not modules:
        return None
    classes: dict[str, PythonClass] = {}
    for module in modules:
        classes |= module.classes
    found: dict[str, set[str]] = {}
    for item in classes.values():
        constant = _constant(item, classes)
        for registered in _registered(item.node.decorator_list):
            if constant in names:
                found.setdefault(registered, set()).add(names[constant])
    return {name: list[Json](sorted(found[name])) for name in sorted(found)}


def _architecture_names(module: PythonModule | None) -> Mapping[str, str]:
    """Constant to the name that files carry."""
    node = module.assigned(_NAMES) if module else None
    if not isinstance(node, ast.Dict):
        return {}
    return {
        ast.unparse(key).rpartition(".")[2]: value.value
        for key, value in zip(node.keys, node.values, strict=True)
        if key is not None and isinstance(value, ast.Constant) and isinstance(value.value, str)
    }


def _constant(item: PythonClass, classes: Mapping[str, PythonClass], *, depth: int = 0) -> str:
    """The constant of a class's architecture, its own or that of its first base with one."""
    node = item.attribute(_ARCH)
    if node is not None:
        return ast.unparse(node).rpartition(".")[2]
    if depth >= _DEEPEST:
        return ""
    known = (classes[base] for base in item.bases if base in classes)
    found = (_constant(base, classes, depth=depth + 1) for base in known)
    return next((constant for constant in found if constant), "")


def _registered(decorators: Iterable[ast.expr]) -> Iterator[str]:
    for node in decorators:
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".register"):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value
