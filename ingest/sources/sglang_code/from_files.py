"""SGLang's facts from the source files of a release."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator

from ingest.contract import UnexpectedPage
from ingest.reading.python_code import PythonModule, named_strings
from ingest.sources.code_classes import HOLDING, ClassIndex
from ingest.sources.code_facts import Json
from ingest.sources.code_files import CodeFiles, CodeReader, Facts, parse_code

_ROOT = "python/sglang/srt"
_METHODS = f"{_ROOT}/layers/quantization/__init__.py"
_BASE, _BORROWED, _PLAIN = (
    "BASE_QUANTIZATION_METHODS",
    "VLLM_QUANTIZATION_METHODS",
    "QUANTIZATION_METHODS",
)
_CPU = "CPU_QUANTIZATION_METHODS"
_BORROWED_FROM = "vllm"
_ENTRY = "EntryClass"
_ENTRY_LINE = re.compile(rf"^[ \t]*{_ENTRY}\b", re.MULTILINE)
_OPTIONS = {
    "--quantization": "quantization",
    "--attention-backend": "attention_backend",
    "--kv-cache-dtype": "kv_cache_dtype",
    "--device": "device",
}
_CHOICE_LISTS = {
    "QUANTIZATION_CHOICES": "quantization",
    "ATTENTION_BACKEND_CHOICES": "attention_backend",
    "DETERMINISTIC_ATTENTION_BACKEND_CHOICES": "deterministic_attention_backend",
}
_FOLLOWED = re.compile(
    r"^(torch|transformers|triton|numba|ray|xgrammar|outlines|compressed-tensors|xformers"
    r"|flashinfer|flash-attn|nvidia-|cuda-|sgl-|sglang-kernel|vllm|tilelang|quack|intel|aiter"
    r"|gguf|torchao|llguidance|humming)",
    re.IGNORECASE,
)
# Groups for whoever works on the code, and groups that only join others.
_OTHER_GROUPS = re.compile(r"(dev|test|all)(_|$)|diffusion|tracing")


def _read(files: CodeFiles) -> Facts:
    return {
        **_method_facts(files),
        "model_architectures": _architectures(files),
        "choices": _choices(files),
        **_requirements(files),
    }


def _method_facts(files: CodeFiles) -> Facts:
    """What the tables of methods say; unknown for releases that used another project's tables."""
    registry = files.python(_METHODS)
    if registry is None:
        return dict.fromkeys(
            ("quantization_methods", "conditional_methods", "cpu_quantization_methods")
        )
    folder = rf"{_ROOT}/layers/quantization/.*\.py"
    classes = ClassIndex(files.python_matching(folder, holding=HOLDING))
    return {
        "quantization_methods": _methods(registry, classes),
        "conditional_methods": list(_conditional(registry, classes)),
        "cpu_quantization_methods": _keys(registry, _CPU),
    }


def _keys(registry: PythonModule, name: str) -> list[Json]:
    node = registry.assigned(name)
    return list[Json](named_strings(node)) if node is not None else []


def _methods(registry: PythonModule, classes: ClassIndex) -> dict[str, Json]:
    """Method to what its class says; the tables of later releases are joined from two.

    **Raises**: ``UnexpectedPage`` where there is no table of methods.
    """
    found: dict[str, Json] = {}
    for table in (_BASE, _BORROWED, _PLAIN):
        node = registry.assigned(table)
        for method, name in named_strings(node).items() if node is not None else ():
            told = _describe(registry, classes, name, borrowed=table == _BORROWED)
            found.setdefault(method, told)
    if not found:
        raise UnexpectedPage(
            path=registry.path,
            expected=f"a table of methods named {_BASE} or {_PLAIN}",
            nearest=", ".join(list(registry.assigned_names())[:8]),
        )
    return found


def _describe(registry: PythonModule, classes: ClassIndex, name: str, *, borrowed: bool) -> Json:
    """What is known of a method: a method of the borrowed table needs the other project."""
    origins = registry.import_origins(name)
    foreign = bool(origins) and all(o.split(".")[0] == _BORROWED_FROM for o in origins)
    return {
        "config_class": name,
        "needs": _BORROWED_FROM if borrowed or foreign else None,
        "min_capability": None if foreign else classes.floor(name),
        "act_dtypes": None if foreign else classes.activation_types(name),
    }


def _conditional(registry: PythonModule, classes: ClassIndex) -> Iterator[Json]:
    """Methods that the module adds to its table in a branch, with the branch's condition."""
    for node in ast.walk(registry.tree):
        if not isinstance(node, ast.If):
            continue
        for method, name in _updates(node.body):
            yield {
                "method": method,
                "condition": ast.unparse(node.test),
                "config_class": name,
                "min_capability": classes.floor(name),
            }


def _updates(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement in body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if (
            isinstance(call, ast.Call)
            and ast.unparse(call.func) in {f"{_BASE}.update", f"{_PLAIN}.update"}
            and call.args
        ):
            yield from named_strings(call.args[0]).items()


def _architectures(files: CodeFiles) -> dict[str, Json]:
    """The entry classes of each module of models, by the module's name.

    **Raises**: ``UnexpectedPage`` for a module that names its entry in a way not known here.
    """
    found: dict[str, Json] = {}
    for path, text in files.matching(rf"{_ROOT}/models/[^/]+\.py"):
        entries = _entries(path, text)
        if not entries:
            continue
        names = list(dict.fromkeys(name for node in entries for name in _class_names(node)))
        if not names:
            raise UnexpectedPage(
                path=path,
                expected=f"a class or a list of classes as {_ENTRY}",
                nearest=ast.unparse(entries[0])[:80],
            )
        found[path.rpartition("/")[2].removesuffix(".py")] = list[Json](names)
    return found


def _entries(path: str, text: str) -> list[ast.expr]:
    """What a module assigns as its entry; of the usual file only the end has to be parsed."""
    places = [match.start() for match in _ENTRY_LINE.finditer(text)]
    if not places:
        return []
    plain = len(places) == 1 and text[places[0]] == "E"
    return parse_code(path, text[places[0] :] if plain else text).assigned_anywhere(_ENTRY)


def _class_names(node: ast.expr) -> Iterator[str]:
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    for item in items:
        if isinstance(item, ast.Name):
            yield item.id


def _choices(files: CodeFiles) -> dict[str, Json]:
    """What the server's options accept: lists of constants, and choices of single options."""
    module = files.python(f"{_ROOT}/server_args.py")
    if module is None:
        return {}
    found: dict[str, Json] = {}
    for name, key in _CHOICE_LISTS.items():
        value = module.literal_or_none(name)
        if isinstance(value, list):
            found[key] = [item for item in value if isinstance(item, str)]
    for option, choices in _option_choices(module):
        found.setdefault(option, list[Json](choices))
    return found


def _option_choices(module: PythonModule) -> Iterator[tuple[str, list[str]]]:
    """The choices given literally where an option is added, or in the annotation of its field."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.target.id in _OPTIONS.values():
                for call in ast.walk(node.annotation):
                    if isinstance(call, ast.Call) and (choices := _stated_choices(call)):
                        yield node.target.id, choices
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("add_argument"):
            named = [a.value for a in node.args if isinstance(a, ast.Constant)]
            option = next((str(n) for n in named if n in _OPTIONS), "")
            if option and (choices := _stated_choices(node)):
                yield _OPTIONS[option], choices


def _stated_choices(call: ast.Call) -> list[str]:
    for keyword in call.keywords:
        if keyword.arg == "choices" and isinstance(keyword.value, ast.List):
            values = [e.value for e in keyword.value.elts if isinstance(e, ast.Constant)]
            return [str(value) for value in values]
    return []


def _requirements(files: CodeFiles) -> Facts:
    """What the project files ask for; each group of extras is a list of its own."""
    found: dict[str, Json] = {}
    python: Json = None
    for path, text in files.matching(r"python/pyproject[^/]*\.toml"):
        project = _project(path, text)
        if path == "python/pyproject.toml" and isinstance(project.get("requires-python"), str):
            python = str(project["requires-python"])
        for group, lines in _groups(project):
            if kept := [line for line in lines if _FOLLOWED.match(line)]:
                found[path + group] = list[Json](kept)
    return {"requires_python": python, "requirements_pins": found}


def _groups(project: dict[str, object]) -> Iterator[tuple[str, list[str]]]:
    """The requirements of everyone, and those of each group of extras that is followed."""
    yield "", _strings(project.get("dependencies"))
    extras = project.get("optional-dependencies")
    if isinstance(extras, dict):
        for name, lines in extras.items():
            if not _OTHER_GROUPS.match(name):
                yield f"[{name}]", _strings(lines)


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _project(path: str, text: str) -> dict[str, object]:
    try:
        project = tomllib.loads(text).get("project", {})
    except tomllib.TOMLDecodeError as error:
        raise UnexpectedPage(path=path, expected="a TOML file", nearest=str(error)) from error
    return project if isinstance(project, dict) else {}


READER = CodeReader(
    framework="sglang",
    source="sglang-code",
    paths=(
        rf"{_ROOT}/models/[^/]+\.py",
        rf"{_ROOT}/layers/quantization/.*\.py",
        rf"{_ROOT}/server_args\.py",
        r"python/pyproject[^/]*\.toml",
    ),
    needed=((rf"{_ROOT}/models/llama2?\.py",),),
    read=_read,
    address="https://github.com/sgl-project/sglang/tree/{version}",
    commit_key="git_commit",
)
