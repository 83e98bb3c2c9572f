"""Holds the code to the import table, and the checker of that table to small bad samples."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture import (
    APPS,
    FOREIGN_TEXTS,
    Import,
    find_cycles,
    find_foreign_texts,
    find_inline_code,
    find_wrong_import,
    find_wrong_shape,
    list_imports,
)

REPOSITORY = Path(__file__).resolve().parents[1]
LEFT_OUT = {".git", ".venv", "var", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
TEXT_ENDINGS = {".py", ".md", ".toml", ".html", ".css", ".js", ".lock", ".yaml", ".yml", ".in"}


def files_of(*roots: str) -> Iterator[Path]:
    """Yields the files below the folders that belong to the repository."""
    for root in roots:
        for path in sorted((REPOSITORY / root).rglob("*")):
            parts = path.relative_to(REPOSITORY).parts
            if path.is_file() and not LEFT_OUT.intersection(parts):
                yield path


def shown(path: Path) -> str:
    """Returns the path inside the repository."""
    return path.relative_to(REPOSITORY).as_posix()


def module_name(path: Path) -> str:
    """Returns the dotted name of a module or package."""
    parts = list(path.relative_to(REPOSITORY).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def app_modules() -> dict[str, Path]:
    """Returns the modules of the three apps, migrations left out: Django writes those."""
    return {
        module_name(path): path
        for path in files_of(*APPS)
        if path.suffix == ".py" and "migrations" not in path.parts
    }


def app_imports() -> list[Import]:
    """Returns all imports of the three apps."""
    modules = app_modules()
    return [
        found
        for module, path in modules.items()
        # A package stands one level higher than its modules, which matters to `from . import`.
        for found in list_imports(
            module if path.name != "__init__.py" else f"{module}.__init__",
            path.read_text(encoding="utf-8"),
            modules,
        )
    ]


def test_imports_follow_the_table_of_module_groups() -> None:
    imports = app_imports()
    assert len(imports) > 20
    problems = list(filter(None, map(find_wrong_import, imports)))
    assert not problems, "\n".join(problems)


def test_no_modules_import_each_other() -> None:
    plain = [
        Import(found.importer.removesuffix(".__init__"), found.imported, found.line)
        for found in app_imports()
    ]
    rings = find_cycles(plain)
    assert not rings, "\n".join(rings)


def test_modules_are_short_and_named_after_what_they_do() -> None:
    paths = [path for path in files_of(*APPS, "tests") if path.suffix == ".py"]
    problems = [
        problem
        for path in paths
        if "migrations" not in path.parts and "catalog" not in path.parts
        for problem in find_wrong_shape(shown(path), path.read_text(encoding="utf-8"))
    ]
    assert not problems, "\n".join(problems)


def test_templates_hold_no_script_and_no_style() -> None:
    templates = [path for path in files_of("templates", *APPS) if path.suffix == ".html"]
    problems = [
        problem
        for path in templates
        for problem in find_inline_code(shown(path), path.read_text(encoding="utf-8"))
    ]
    assert not problems, "\n".join(problems)


def test_no_file_names_a_path_of_one_machine_or_a_package_index() -> None:
    roots = (*APPS, "tests", "templates", "static", "docs", ".ci")
    single = [path for path in sorted(REPOSITORY.iterdir()) if path.is_file()]
    problems = [
        problem
        for path in (*files_of(*roots), *single)
        if path.suffix in TEXT_ENDINGS or path.name in ("Makefile", "run")
        for problem in find_foreign_texts(shown(path), path.read_text(encoding="utf-8"))
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("matrix.queries", "benchmarks_app.models"),
        ("benchmarks_app.services", "ingest.services"),
        ("matrix.site.urls", "ingest.urls"),
        ("matrix.site.urls", "matrix.views"),
        ("matrix.services", "matrix.site.settings"),
        ("matrix.domain.verdicts", "django.utils.timezone"),
        ("matrix.domain.verdicts", "matrix.models.claims"),
        ("matrix.domain.verdicts", "bs4"),
        ("ingest.domain.statements", "ingest.reading.document"),
        ("ingest.sources.vllm", "requests"),
        ("ingest.sources.vllm", "ingest.models"),
        ("ingest.sources.vllm", "matrix.models"),
        ("ingest.sources.vllm", "lxml"),
        ("ingest.reading.html_tables", "ingest.sources.vllm"),
        ("ingest.contract", "ingest.sources.vllm"),
        ("benchmarks_app.importers.guidellm", "django.db"),
        ("matrix.models.claims", "matrix.queries"),
        ("matrix.models.claims", "rest_framework.serializers"),
        ("ingest.models", "matrix.models"),
        ("matrix.services", "matrix.views"),
        ("matrix.queries", "matrix.api.serializers"),
        ("matrix.queries", "matrix.pages"),
        ("matrix.queries", "rest_framework.exceptions"),
        ("matrix.services", "django.db.models.signals"),
        ("matrix.pages", "matrix.views"),
        ("matrix.views", "matrix.api.views"),
        ("matrix.api.views", "matrix.views"),
        ("ingest.management.commands.ingest", "ingest.tasks"),
        ("ingest.views", "matrix.models.claims"),
        ("ingest.tasks", "matrix.services"),
        ("ingest.services", "requests"),
    ],
)
def test_the_checker_refuses(importer: str, imported: str) -> None:
    problem = find_wrong_import(Import(importer, imported, 7))
    assert problem is not None
    assert problem.startswith(f"{importer}:7 imports {imported}: ")


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("ingest.services", "matrix.services"),
        ("ingest.queries", "benchmarks_app.queries"),
        ("ingest.sources.vllm", "ingest.reading.html_tables"),
        ("ingest.sources.vllm", "matrix.domain.levels"),
        ("ingest.contract", "ingest.reading.document"),
        ("ingest.reading.html_tables", "bs4"),
        ("benchmarks_app.domain.summary", "numpy"),
        ("benchmarks_app.domain.slo", "matrix.domain.errors"),
        ("matrix.domain.versions", "packaging.version"),
        ("matrix.models.claims", "matrix.models.catalog"),
        ("matrix.models.claims", "django.db"),
        ("matrix.views", "matrix.pages"),
        ("matrix.api.views", "matrix.api.serializers"),
        ("benchmarks_app.api.views", "matrix.api.pagination"),
        ("benchmarks_app.panels", "matrix.queries"),
        ("matrix.site.management.commands.serve", "matrix.site.serving"),
        ("matrix.admin", "matrix.models.claims"),
        ("ingest.domain.statements", "ingest.contract"),
        ("ingest.fetching.transport", "requests"),
    ],
)
def test_the_checker_allows(importer: str, imported: str) -> None:
    assert find_wrong_import(Import(importer, imported, 7)) is None


def test_the_checker_sees_relative_imports_and_those_inside_functions() -> None:
    source = "from . import views\nfrom .domain import levels\ndef f():\n    import matrix.admin\n"
    known = ("matrix.views", "matrix.domain.levels")
    assert [found.imported for found in list_imports("matrix.services", source, known)] == [
        "matrix.views",
        "matrix.domain.levels",
        "matrix.admin",
    ]


def test_the_checker_finds_a_ring_of_three() -> None:
    steps = [("matrix.a", "matrix.b"), ("matrix.b", "matrix.c"), ("matrix.c", "matrix.a")]
    outside = Import("matrix.d", "matrix.a", 1)
    ring = [Import(importer, imported, 1) for importer, imported in steps]
    assert find_cycles([*ring, outside]) == [
        "these import each other: matrix.a, matrix.b, matrix.c"
    ]
    assert find_cycles([*ring[:2], outside]) == []


def test_the_checker_refuses_drawers_long_modules_and_custom_saves() -> None:
    assert len(find_wrong_shape("matrix/utils.py", "")) == 1
    assert len(find_wrong_shape("matrix/queries.py", "\n" * 401)) == 1
    assert find_wrong_shape("matrix/queries.py", "\n" * 400) == []
    model = "class Claim:\n    def save(self):\n        pass\n"
    assert len(find_wrong_shape("matrix/models/claims.py", model)) == 1
    assert find_wrong_shape("matrix/forms.py", model) == []


@pytest.mark.parametrize(
    "template",
    [
        "<script>go()</script>",
        '<script type="module">\n{{ code }}</script>',
        '<p style="color: red">',
        '<p {% if x %}style="y"{% endif %}>',
        '<a onclick="go()">',
        '<a hx-on:click="go()">',
        '<a href="JavaScript:go()">',
        "<style>p { color: red }</style>",
    ],
)
def test_the_checker_refuses_inline_code(template: str) -> None:
    assert len(find_inline_code("templates/page.html", template)) == 1


@pytest.mark.parametrize(
    "template",
    [
        """<script type="module" src="{% static 'app.js' %}"></script>""",
        '<script type="application/json" id="cells">{{ cells }}</script>',
        '<p class="style one" data-on="x">on = 1; style="no tag"</p>',
        '<a href="{% url "page" %}" title="{{ word|default:"<script>" }}">x</a>',
    ],
)
def test_the_checker_allows_files_and_data(template: str) -> None:
    assert find_inline_code("templates/page.html", template) == []


def test_the_checker_names_the_line_of_a_foreign_text() -> None:
    assert find_foreign_texts("a.py", f"x\n{FOREIGN_TEXTS[0]}main\n") == [
        f"a.py:2: {FOREIGN_TEXTS[0]}"
    ]
