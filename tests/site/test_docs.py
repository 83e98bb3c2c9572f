"""The documentation names every variable, setting and dependency."""

import re
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
OPERATIONS = (REPOSITORY / "docs" / "operations.md").read_text(encoding="utf-8")


def test_operations_lists_every_variable_that_the_code_reads() -> None:
    sources = [
        *(REPOSITORY / "matrix" / "site").rglob("*.py"),
        REPOSITORY / "tests" / "conftest.py",
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    read = set(re.findall(r'(?:read_\w+|environ\.get)\(\s*"([A-Z_]+)"', text)) - {
        "PYTEST_XDIST_WORKER"
    }
    assert {"PORT", "DATABASE_URL", "RUNPROOF_PUBLIC", "RUNPROOF_CHROMIUM"} <= read
    listed = set(re.findall(r"^\| `([A-Z_]+)`", OPERATIONS, flags=re.MULTILINE))
    assert sorted(read - listed) == []
    assert sorted(listed - read - {"MATRIX_CELL_PANELS", "MATRIX_OVERVIEW_PANELS"}) == []


def test_every_dependency_has_its_row_in_the_decisions() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {
        re.split(r"[\[<>=]", requirement)[0]
        for requirement in (
            *project["project"]["dependencies"],
            *project["dependency-groups"]["dev"],
        )
    }
    record = (REPOSITORY / "docs" / "decisions" / "0003-dependencies.md").read_text(
        encoding="utf-8"
    )
    listed = set(re.findall(r"^\| ([a-z0-9-]+) \|", record, flags=re.MULTILINE)) - {"package"}
    assert listed == wanted


def test_the_locks_pin_every_dependency_by_hash_and_agree() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    running, development = (
        (REPOSITORY / name).read_text(encoding="utf-8")
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    pins = re.findall(r"^[a-z0-9-]+==.*", running, flags=re.MULTILINE)
    assert set(pins) <= set(re.findall(r"^[a-z0-9-]+==.*", development, flags=re.MULTILINE))
    names = {pin.split("==")[0] for pin in pins}
    assert {re.split(r"[\[<>=]", wish)[0] for wish in project["project"]["dependencies"]} <= names
    assert all(pin.endswith("\\") for pin in pins), "a pin without a hash on its next line"
    assert not re.search(
        r"^\s*--(?!hash=sha256:)|://", f"{running}{development}", flags=re.MULTILINE
    )


def test_every_link_between_the_documents_leads_to_a_file() -> None:
    pages = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
