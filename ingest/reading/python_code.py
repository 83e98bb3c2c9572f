"""Reads Python source text without running it: assigned literals, classes, what methods return.

Only the standard library's parser sees the text. What is not a literal stays unresolved; it is
never computed and never guessed.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ingest.reading.errors import ReadingError

# The largest module with a registry has a twentieth of this.
MAX_CHARACTERS = 4_000_000

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
Function = ast.FunctionDef | ast.AsyncFunctionDef


class UnreadableCode(ReadingError):
    """A source file that the parser of its language refuses."""

    code = "unreadable-code"

    def __init__(self, *, path: str, problem: str) -> None:
        super().__init__(
            f"{path} cannot be parsed: {problem}; accepted is source text of at most"
            f" {MAX_CHARACTERS} characters.",
            path=path,
            problem=problem,
        )


class Unresolved(Exception):
    """An expression that is no literal; ``text`` is its source."""

    def __init__(self, node: ast.AST) -> None:
        self.text = ast.unparse(node)
        super().__init__(self.text)


@dataclass(frozen=True)
class PythonClass:
    """One class of a module: the names of its bases, and its own body."""

    node: ast.ClassDef

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def bases(self) -> tuple[str, ...]:
        """The last part of each base's name."""
        return tuple(ast.unparse(base).rpartition(".")[2] for base in self.node.bases)

    def method(self, name: str) -> Function | None:
        """The class's own method of that name."""
        for node in self.node.body:
            if isinstance(node, Function) and node.name == name:
                return node
        return None

    def attribute(self, name: str) -> ast.expr | None:
        """What the class body assigns to a name; the last assignment counts."""
        return _last_assigned(self.node.body, name)


@dataclass(frozen=True)
class PythonModule:
    """One parsed file."""

    path: str
    tree: ast.Module

    @cached_property
    def classes(self) -> Mapping[str, PythonClass]:
        """The classes at the top level of the module, by name."""
        found = (PythonClass(node) for node in self.tree.body if isinstance(node, ast.ClassDef))
        return {item.name: item for item in found}

    def assigned(self, name: str) -> ast.expr | None:
        """What the module's top level assigns to a name; the last assignment counts."""
        return _last_assigned(self.tree.body, name)

    def assigned_names(self) -> Iterator[str]:
        """Every name that the top level assigns, in order."""
        for node in self.tree.body:
            yield from (target for target, _ in _assignments(node))

    def assigned_anywhere(self, name: str) -> list[ast.expr]:
        """Everything assigned to a name, at the top level or inside of functions and branches."""
        pairs = (pair for node in ast.walk(self.tree) for pair in _assignments(node))
        return [value for target, value in pairs if target == name]

    @cached_property
    def import_names(self) -> Mapping[str, str]:
        """Local name to original name of everything imported "from" somewhere, at any place."""
        return {
            alias.asname or alias.name: alias.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def literal(self, node: ast.expr) -> Value:
        """The value of a literal; a name stands for what the top level assigns to it.

        **Raises**: ``Unresolved`` for any other expression.
        """
        return _literal(node, self, depth=0)

    def literal_or_none(self, name: str) -> Value:
        """The literal that the top level assigns to a name, or ``None``."""
        node = self.assigned(name)
        if node is None:
            return None
        try:
            return self.literal(node)
        except Unresolved:
            return None

    def import_origins(self, name: str) -> tuple[str, ...]:
        """The modules that a local name is imported from, at any place of the module."""
        return tuple(
            node.module
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
            if (alias.asname or alias.name) == name
        )


def read_python(text: str, *, path: str) -> PythonModule:
    """A parsed module.

    **Raises**: ``UnreadableCode`` for text that is no Python of this interpreter's version, too
    long or nested too deeply.
    """
    if len(text) > MAX_CHARACTERS:
        raise UnreadableCode(path=path, problem=f"it has {len(text)} characters")
    try:
        return PythonModule(path=path, tree=ast.parse(text.removeprefix("\ufeff")))
    except (SyntaxError, ValueError) as error:
        raise UnreadableCode(path=path, problem=str(error)) from error
    except (RecursionError, MemoryError) as error:
        raise UnreadableCode(path=path, problem="it is nested too deeply") from error


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
        yield node.target.id, node.value


def _last_assigned(body: list[ast.stmt], name: str) -> ast.expr | None:
    found = None
    for node in body:
        for target, value in _assignments(node):
            if target == name:
                found = value
    return found


# A chain of names or of spread tables is short; a longer one is a circle.
_DEEPEST = 20


def _literal(node: ast.expr, module: PythonModule, *, depth: int) -> Value:
    if depth > _DEEPEST:
        raise Unresolved(node)
    if isinstance(node, ast.Constant) and (
        node.value is None or isinstance(node.value, bool | int | float | str)
    ):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _literal(node.operand, module, depth=depth + 1)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return -number
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_literal(item, module, depth=depth + 1) for item in node.elts]
    if isinstance(node, ast.Dict):
        return _dictionary(node, module, depth=depth)
    if isinstance(node, ast.Name) and (value := module.assigned(node.id)) is not None:
        return _literal(value, module, depth=depth + 1)
    raise Unresolved(node)


def _dictionary(node: ast.Dict, module: PythonModule, *, depth: int) -> Value:
    found: dict[str, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        held = _literal(value, module, depth=depth + 1)
        if key is None:
            if not isinstance(held, dict):
                raise Unresolved(value)
            found |= held
        else:
            found[str(_literal(key, module, depth=depth + 1))] = held
    return found


def string_keys(node: ast.expr) -> list[str]:
    """The string keys of a dictionary display, in order; spread parts are left out."""
    if not isinstance(node, ast.Dict):
        return []
    return [
        key.value
        for key in node.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]


def named_strings(node: ast.expr) -> dict[str, str]:
    """String key to value, of a dictionary display; a value that is no string as source text."""
    if not isinstance(node, ast.Dict):
        return {}
    return {
        key.value: value.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
        else ast.unparse(value)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def literal_choices(node: ast.expr) -> list[str]:
    """The strings of a ``Literal[...]`` annotation, in order."""
    if not (isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Literal")):
        return []
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]


def returned(function: Function) -> list[ast.expr]:
    """What the ``return`` statements of a function give back, in order; nested functions not."""
    found: list[ast.expr] = []
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Return) and node.value is not None:
            found.append(node.value)
        waiting.extend(reversed(list(ast.iter_child_nodes(node))))
    return found


def raised(function: Function) -> str:
    """The name of the error that a function does nothing but raise; empty for other functions."""
    statements = [
        node
        for node in function.body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    if len(statements) != 1 or not isinstance(statements[0], ast.Raise) or not statements[0].exc:
        return ""
    error = statements[0].exc
    return ast.unparse(error.func if isinstance(error, ast.Call) else error)
