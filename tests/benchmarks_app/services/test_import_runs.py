"""``manage.py import_runs``: folders in, a table out, an exit code that scripts can use."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from benchmarks_app.models import Run, Upload
from tests.benchmarks_app.services.samples import encoded, result
from tests.matrix.api.rows import make_world

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _world() -> None:
    make_world()


def run_command(*paths: Path, **options: Any) -> str:
    """What the command prints."""
    out = io.StringIO()
    call_command("import_runs", *map(str, paths), stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def write(folder: Path, name: str, payload: object) -> None:
    """A result file in a folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(payload if isinstance(payload, bytes) else encoded(payload))


def test_each_folder_is_one_upload_and_the_last_line_sums_up(tmp_path: Path) -> None:
    write(tmp_path, "a/one.json", result())
    write(tmp_path, "a/two.json", result(tokens={"output_total": 9}))
    write(tmp_path, "b/deep/three.json", result(tokens={"output_total": 8}))
    printed = run_command(tmp_path, publish=True)
    assert printed.splitlines()[-1] == "runs: 3 new, 0 known, 3 attached, 0 rejected"
    assert Upload.objects.count() == 2
    assert Run.objects.filter(state="published").count() == 3
    again = run_command(tmp_path)
    assert again.splitlines()[-1] == "runs: 0 new, 3 known, 3 attached, 0 rejected"


def test_a_rejected_file_is_named_with_its_reason_and_the_exit_code_is_1(tmp_path: Path) -> None:
    write(tmp_path, "good.json", result())
    write(tmp_path, "bad.json", b"{")
    out = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("import_runs", str(tmp_path), stdout=out, stderr=io.StringIO())
    assert caught.value.returncode == 1
    assert "bad.json: " in out.getvalue()
    assert "1 new" in out.getvalue()


def test_what_is_declared_for_all_reaches_every_run(tmp_path: Path) -> None:
    environment = tmp_path / "environment.json"
    environment.write_text(json.dumps({"container": {"image": "acme/image:1"}}))
    write(tmp_path, "runs/one.json", result())
    run_command(
        tmp_path / "runs",
        declare=["accelerator.driver=550.54"],
        environment=environment,
        actor="lab",
        run_class="demonstration",
    )
    run = Run.objects.get()
    assert run.facts["accelerator.driver"]["value"] == "550.54"
    assert run.facts["container.image"]["value"] == "acme/image:1"
    assert (run.created_by, run.run_class) == ("lab", "demonstration")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"declare": ["accelerator.driver"]}, "KEY=VALUE"),
        ({"environment": Path("/nowhere.json")}, "no file"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    write(tmp_path, "one.json", result())
    with pytest.raises(CommandError, match=words):
        run_command(tmp_path, **options)
    with pytest.raises(CommandError, match="is not there"):
        run_command(tmp_path / "nowhere")
    assert not Upload.objects.exists()
