"""Quantization methods, their floors, and the lists of the platforms, from source files."""

import ast
from collections.abc import Iterable, Mapping

from ingest.reading.python_code import (
    PythonModule,
    Unresolved,
    literal_choices,
    named_strings,
    string_keys,
)
from ingest.sources.code_classes import HOLDING, ClassIndex
from ingest.sources.code_facts import Json
from ingest.sources.code_files import CodeFiles, Facts

_FOLDER = "vllm/model_executor/layers/quantization"
# A model family may bring a method of its own.
_OTHER_PLACES = r"vllm/models/.*/quant_config\.py|vllm/model_executor/models/deepseek_v4\.py"
_CONTAINERS = ("CompressedTensors", "Quark")
_TABLES = ("QUANTIZATION_METHODS", "_QUANTIZATION_CONFIG_REGISTRY")


def read_method_files(files: CodeFiles) -> Facts:
    """The registered methods, what each needs, and what the platforms accept."""
    registry = files.python(f"{_FOLDER}/__init__.py")
    assert registry is not None, "a reader is called with the files that it needs"
    classes = ClassIndex(
        [
            *files.python_matching(rf"{_FOLDER}/.*\.py", holding=HOLDING),
            *files.python_matching(_OTHER_PLACES, holding=HOLDING),
        ]
    )
    methods = _method_names(registry)
    named = _classes_by_method(registry)
    platforms = [
        module
        for module in files.python_matching(r"vllm/platforms/[^/]+\.py")
        if not module.path.endswith("/__init__.py")
    ]
    return {
        "quantization_methods": list[Json](methods),
        "deprecated_quantization_methods": _strings(registry, "DEPRECATED_QUANTIZATION_METHODS"),
        "quant_method_config": {
            name: _describe(registry, classes, named.get(name)) for name in methods
        },
        "scheme_min_capability": classes.own_floors(_CONTAINERS, folder="/schemes/"),
        "platform_supported_quantization": _allow_lists(platforms) or None,
        "platform_files": [_stem(module.path) for module in platforms],
    }


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".py")


def _strings(module: PythonModule, name: str) -> list[Json]:
    value = module.literal_or_none(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _method_names(registry: PythonModule) -> list[str]:
    """The registered names in their order: choices of a type, a list, or keys of a table."""
    choices = registry.assigned("QuantizationMethods")
    if choices is not None and (names := literal_choices(choices)):
        return names
    for table in _TABLES:
        node = registry.assigned(table)
        if node is None:
            continue
        if names := string_keys(node):
            return names
        if names := [str(item) for item in _strings(registry, table)]:
            return names
    return []


def _classes_by_method(registry: PythonModule) -> Mapping[str, str]:
    """The name that the code uses for the class of each method."""
    for table in ("method_to_config", *_TABLES):
        for node in registry.assigned_anywhere(table):
            if isinstance(node, ast.Dict):
                return named_strings(node)
    return {}


def _alternatives(registry: PythonModule, name: str) -> list[str]:
    """The classes that a name stands for: itself, or what the branches of the code assign."""
    assigned = [n.id for n in registry.assigned_anywhere(name) if isinstance(n, ast.Name)]
    return [registry.import_names.get(item, item) for item in assigned or [name]]


def _describe(registry: PythonModule, classes: ClassIndex, name: str | None) -> Json:
    """What a method's class says; unknown where no class is named, or where branches differ."""
    if name is None:
        return {"config_class": None, "min_capability": None, "act_dtypes": None}
    named = _alternatives(registry, name)
    return {
        "config_class": name,
        "min_capability": _agreed([classes.floor(item) for item in named]),
        "act_dtypes": _agreed([classes.activation_types(item) for item in named]),
    }


def _agreed(values: list[Json]) -> Json:
    return values[0] if all(value == values[0] for value in values) else None


def _allow_lists(platforms: Iterable[PythonModule]) -> dict[str, Json]:
    """The lists that platform classes state themselves, by class."""
    found: dict[str, Json] = {}
    for module in platforms:
        for name, item in module.classes.items():
            node = item.attribute("supported_quantization")
            if node is None:
                continue
            try:
                value = module.literal(node)
            except Unresolved:
                value = None
            found[name] = value if isinstance(value, list) else None
    return found
