"""The rules of docs/decisions/0001-architecture.md as functions over source text.

Each returns a list of sentences, one for each break of a rule; an empty list is the good case.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser

APPS = ("matrix", "benchmarks_app", "ingest")  # Inner to outer: each may import those before it.

# The first part of a module's name inside its app says which group it belongs to.
PURE = ("domain",)
ADAPTERS = ("contract", "sources", "reading", "importers")
ROWS = ("models",)
LOGIC = (
    "services", "queries", "convert", "index", "fetching", "snapshots", "webhooks", "checking",
    "dossiers",
)  # fmt: skip
PRESENTATION = ("pages", "filters", "forms", "exports", "feeds", "plots", "templatetags")
EDGES = ("views", "api", "admin", "tasks", "commands", "panels", "measured")
ROOT = ("site",)

PURE_PACKAGES = ("packaging", "numpy")
ADAPTER_PACKAGES = (*PURE_PACKAGES, "bs4", "msgspec", "yaml")
# Where one package is a whole concern, one module alone may hold it.
SINGLE_HOLDERS = {
    "requests": ("ingest.fetching.transport",),
    "urllib3": ("ingest.fetching.transport",),
}

LONGEST_MODULE_LINES = 400
DRAWER_NAMES = ("utils.py", "helpers.py", "misc.py", "common.py")


@dataclass(frozen=True, slots=True)
class Import:
    """One import of one module, as written at a line."""

    importer: str
    imported: str
    line: int


def app_of(module: str) -> str:
    """Returns the top package."""
    return module.partition(".")[0]


def group_of(module: str) -> str:
    """Returns the part that decides the rules: `matrix.api.views` is of group `api`."""
    parts = module.split(".")
    if len(parts) > 2 and parts[1] == "management":
        return "commands"
    return parts[1] if len(parts) > 1 else ""


def list_imports(module: str, source: str, known: Iterable[str]) -> Iterator[Import]:
    """Yields the imports anywhere in a module, those inside functions too.

    `from package import name` counts as the module package.name where that is a known module.
    """
    modules = set(known)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".")
                base = ".".join([*package[: len(package) - node.level], *filter(None, [base])])
            wholes = [f"{base}.{alias.name}" for alias in node.names]
            for target in sorted({whole if whole in modules else base for whole in wholes}):
                yield Import(module, target, node.lineno)


def find_wrong_import(found: Import) -> str | None:
    """Returns why an import breaks the table of module groups, None where it does not."""
    reason = (
        _wrong_package(found)
        if app_of(found.imported) not in APPS
        else _wrong_direction(found) or _wrong_group(found)
    )
    return f"{found.importer}:{found.line} imports {found.imported}: {reason}" if reason else None


def _wrong_package(found: Import) -> str | None:
    package = app_of(found.imported)
    if package in sys.stdlib_module_names:
        return None
    group = group_of(found.importer)
    holders = SINGLE_HOLDERS.get(package)
    if holders and found.importer not in holders:
        return f"only {' and '.join(holders)} may"
    if group in PURE and package not in PURE_PACKAGES:
        return f"a domain module may import {', '.join(PURE_PACKAGES)} and the standard library"
    if group in ADAPTERS and package not in ADAPTER_PACKAGES:
        return f"an adapter may import {', '.join(ADAPTER_PACKAGES)} and the standard library"
    if group in ROWS and package != "django":
        return "a model may import Django and the domain"
    if group in (*LOGIC, *PRESENTATION) and package in ("rest_framework", "drf_spectacular"):
        return "REST stays in the api package"
    if found.imported in ("django.db.models.signals", "django.dispatch"):
        return "what follows from a write is called by its service, not by a signal"
    return None


def _wrong_direction(found: Import) -> str | None:
    importer, imported = app_of(found.importer), app_of(found.imported)
    if importer in APPS and APPS.index(imported) > APPS.index(importer):
        return f"{importer} may not know {imported}, which stands further out"
    return None


def _wrong_group(found: Import) -> str | None:
    group, target = group_of(found.importer), group_of(found.imported)
    same_app = app_of(found.importer) == app_of(found.imported)
    if target in ROOT:
        return None if group in ROOT else "the settings are read through django.conf"
    if group in ROOT:
        return "the composition root knows the apps by string"
    if group in PURE:
        # A contract is frozen values only, and what rules over them decide is domain.
        allowed = target in PURE or (same_app and target == "contract")
        return None if allowed else "a domain module may import the domain and its app's contract"
    if group in ADAPTERS:
        return _wrong_for_adapter(found)
    if group in ROWS:
        allowed = target in PURE or (same_app and target in ROWS)
        return None if allowed else "a model may import Django, its own app's models and the domain"
    if group in (*LOGIC, *PRESENTATION) and target in (*EDGES, "urls"):
        return f"{target} stands further out than {group}"
    if group in LOGIC and target in PRESENTATION:
        return f"{target} is presentation, which logic does not know"
    return _wrong_for_edge(found) if group in EDGES else None


def _wrong_for_adapter(found: Import) -> str | None:
    group, target = group_of(found.importer), group_of(found.imported)
    if target in PURE:
        return None
    if app_of(found.importer) != app_of(found.imported) or target not in ADAPTERS:
        return "an adapter may import its contract, its reading and the domain"
    order = ("reading", "contract", "sources", "importers")
    if order.index(target) > order.index(group):
        return f"{target} stands further out than {group}"
    return None


def _wrong_for_edge(found: Import) -> str | None:
    group, target = group_of(found.importer), group_of(found.imported)
    same_app = app_of(found.importer) == app_of(found.imported)
    if target in EDGES and target != group:
        return f"{group} and {target} meet in services and queries, not in each other"
    if not same_app and target in ROWS:
        return "another app's tables are read through its queries"
    if not same_app and target == "services":
        return "another app is written to by this app's services"
    return None


def find_cycles(imports: Iterable[Import]) -> list[str]:
    """Returns one sentence for each ring of modules that import each other."""
    graph: dict[str, set[str]] = {}
    for found in imports:
        if app_of(found.imported) in APPS and found.imported != found.importer:
            graph.setdefault(found.importer, set()).add(found.imported)
    reach = {module: _reachable(module, graph) for module in graph}
    rings = {
        tuple(sorted(other for other in reach[module] if module in reach.get(other, ())))
        for module in graph
        if module in reach[module]
    }
    return [f"these import each other: {', '.join(ring)}" for ring in sorted(rings)]


def _reachable(start: str, graph: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(graph.get(start, ()))
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting.extend(graph.get(module, ()))
    return seen


def find_wrong_shape(path: str, source: str) -> list[str]:
    """Returns the breaks of the rules on one module's name, length and classes."""
    problems = []
    name = path.rpartition("/")[2]
    if name in DRAWER_NAMES:
        problems.append(f"{path}: a module is named after what it does")
    lines = source.count("\n")
    if lines > LONGEST_MODULE_LINES:
        problems.append(f"{path} has {lines} lines; at most {LONGEST_MODULE_LINES}")
    if "/models" in path:
        problems += [
            f"{path}:{node.lineno}: a model has no {node.name}() of its own; write a service"
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef) and node.name in ("save", "delete")
        ]
    return problems


class _TemplateReader(HTMLParser):
    """Collects what a strict content policy would refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[str] = []
        self._script_line: int | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        values = dict(attrs)
        if tag == "style":
            self.problems.append(f"line {line}: a style element; it belongs in static/")
        if tag == "script" and "src" not in values and values.get("type") != "application/json":
            self._script_line = line
        for name, value in attrs:
            if name == "style" or re.match(r"on[a-z]+$|hx-on", name):
                self.problems.append(f"line {line}: the attribute {name}; it belongs in static/")
            if (value or "").strip().lower().startswith("javascript:"):
                self.problems.append(f"line {line}: a script in the address of {name}")

    def handle_data(self, data: str) -> None:
        if self._script_line is not None and data.strip():
            self.problems.append(f"line {self._script_line}: an inline script")
            self._script_line = None

    def handle_endtag(self, tag: str) -> None:
        self._script_line = None


def find_inline_code(path: str, template: str) -> list[str]:
    """Returns the inline scripts, styles and handlers of a template."""
    # The quotes inside a tag would end an attribute's value too early; its line breaks are kept.
    plain = re.sub(
        r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}",
        lambda match: ("x" if match[0].startswith("{{") else " ") + "\n" * match[0].count("\n"),
        template,
        flags=re.DOTALL,
    )
    reader = _TemplateReader()
    reader.feed(plain)
    reader.close()
    return [f"{path}: {problem}" for problem in reader.problems]


# Put together from halves, so that this file does not break its own rule.
FOREIGN_TEXTS = tuple(
    "".join(halves)
    for halves in (
        ("/wo", "rk/"),
        ("/opt/wh", "eels"),
        ("/opt/py", "pi"),
        ("/root/.py", "env"),
        ("pypi.org/sim", "ple"),
        ("python", "hosted"),
    )
)


def find_foreign_texts(path: str, text: str) -> list[str]:
    """Returns the lines that name a path of one machine or the host of a package index."""
    return [
        f"{path}:{number}: {foreign}"
        for number, line in enumerate(text.splitlines(), 1)
        for foreign in FOREIGN_TEXTS
        if foreign in line
    ]
