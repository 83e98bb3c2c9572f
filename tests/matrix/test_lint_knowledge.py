"""``manage.py lint_knowledge`` over the shipped files and over broken ones."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.builders import claim, scope
from tests.matrix.shipped_folder import ship

AWQ = scope(quantization="awq", hardware="nvidia-turing")


def run(folder: Path | None = None) -> tuple[str, str]:
    """What the command printed, and its error."""
    out = StringIO()
    try:
        call_command("lint_knowledge", *(["--from", str(folder)] if folder else []), stdout=out)
    except CommandError as error:
        return out.getvalue(), str(error)
    return out.getvalue(), ""


def test_the_shipped_files_pass() -> None:
    printed, error = run()
    assert error == "", printed
    assert printed.endswith(" 0 breaches\n")


def test_sound_files_pass_with_their_counts(tmp_path: Path) -> None:
    ship(tmp_path, [claim("supported", about=AWQ)])
    assert run(tmp_path) == ("lint: 6 catalogue rows, 1 claims, 0 breaches\n", "")


def test_breaches_are_listed_by_source_and_fail(tmp_path: Path) -> None:
    bad = claim("supported", about=scope(hardware="nvidia-h900"), uid="a", note="x" * 201)
    ship(tmp_path, [bad, replace(bad, uid="b", source="other:rule", note="")])
    printed, error = run(tmp_path)
    assert error == "lint: 6 catalogue rows, 2 claims, 3 breaches"
    lines = printed.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["other:rule: 1", "test:rule: 2"]
    assert sum("'nvidia-h900', which is not in the catalogue (D8)" in line for line in lines) == 2
    assert sum("the note has 201 characters" in line for line in lines) == 1


@pytest.mark.parametrize("part", ["claims", "documents"])
def test_a_line_that_cannot_be_read_fails_with_its_place(tmp_path: Path, part: str) -> None:
    ship(tmp_path, [claim("supported", about=AWQ)])
    (tmp_path / part / "vllm.jsonl").write_text("{\n", encoding="utf-8")
    assert f"{part}/vllm.jsonl, line 1" in run(tmp_path)[1]
