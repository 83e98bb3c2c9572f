"""The system checks of an installation."""

from pathlib import Path
from typing import Any

import pytest

from matrix.site import checks


def test_a_writable_var_folder_passes(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    assert checks.check_var_folder() == []


def test_a_missing_var_folder_is_an_error_that_names_it(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "none"
    (problem,) = checks.check_var_folder()
    assert problem.id == "site.E001"
    assert str(tmp_path / "none") in problem.msg


@pytest.mark.parametrize("name", ["no_such_app.panels.runs", "matrix.apps.nothing", "matrix.apps"])
def test_a_panel_that_is_no_function_is_an_error(settings: Any, name: str) -> None:
    settings.MATRIX_CELL_PANELS = (name,)
    (problem,) = checks.check_panels()
    assert problem.id == "site.E002"
    assert name in problem.msg


def test_a_panel_of_the_overview_is_checked_as_well(settings: Any) -> None:
    settings.MATRIX_OVERVIEW_PANELS = ("no_such_app.panels.runs",)
    (problem,) = checks.check_panels()
    assert problem.msg.startswith("MATRIX_OVERVIEW_PANELS names 'no_such_app.panels.runs'")


def test_a_panel_that_is_a_function_passes(settings: Any) -> None:
    settings.MATRIX_CELL_PANELS = ("matrix.site.env.read_text",)
    assert checks.check_panels() == []


def test_a_short_secret_is_an_error_that_does_not_show_it(settings: Any) -> None:
    settings.SECRET_KEY = "guessable"
    (problem,) = checks.check_secret_key()
    assert problem.id == "site.E003"
    assert "guessable" not in problem.msg


def test_a_deployment_with_a_key_of_this_machine_is_warned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RUNPROOF_SECRET_KEY", raising=False)
    monkeypatch.delenv("RUNPROOF_SECRET_KEY_FILE", raising=False)
    assert [problem.id for problem in checks.check_secret_is_shared()] == ["site.W001"]
    monkeypatch.setenv("RUNPROOF_SECRET_KEY", "x" * 50)
    assert checks.check_secret_is_shared() == []
