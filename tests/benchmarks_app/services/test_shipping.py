"""Shipped runs: readable as they are, loaded once, and never taken for a measurement."""

import json
import tomllib
from pathlib import Path

import pytest

from benchmarks_app.contract import FileRole
from benchmarks_app.importers import read_file
from benchmarks_app.models import Receipt, Run, UnknownName, Upload
from benchmarks_app.services.shipping import SHIPPED, load_shipped, shipped_uploads
from matrix.catalog_files import read_catalogue
from matrix.models import Claim
from tests.matrix.api.rows import make_world

MANIFEST = """
[facts.machine]
"host.cpu" = "Some CPU"

[facts.stand-in]
"server.kind" = "stand-in"

[names.model]
"Llama v3 8B" = "llama-3"

[[upload]]
folder = "demonstration/one"
shared = ["machine", "stand-in"]
command = "bench --all"
facts = { "tool.version" = "1.0" }
"""
RUN = {
    "format": "runproof.run",
    "version": 1,
    "facts": {"framework.name": "vLLM", "framework.version": "0.7.0", "model.id": "Llama-3-8B"},
    "requests": {"total": 1, "completed": 1},
    "metrics": [{"metric": "ttft", "definition": "ttft/first-chunk", "stats": {"mean": 12.5}}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shipped.toml").write_text(MANIFEST)
    for name in ("demonstration/one/run.json", "published/some/page.json"):
        file = tmp_path / name
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(RUN, indent=len(name)))
    return tmp_path


def test_every_shipped_file_is_recognised_and_every_upload_holds_a_run() -> None:
    for shipped in shipped_uploads():
        readings = [read_file(path.name, path.read_bytes()) for path in shipped.paths]
        assert all(reading.role is not FileRole.REJECTED for reading in readings), shipped.paths
        assert sum(len(reading.runs) for reading in readings) > 0, shipped.paths


def test_every_shipped_name_means_a_family_of_the_catalogue() -> None:
    manifest = tomllib.loads((SHIPPED / "shipped.toml").read_text())
    catalogue = read_catalogue()
    for axis, names in manifest["names"].items():
        kinds = {name: catalogue.area(axis)[slug].kind for name, slug in names.items()}
        # A checkpoint would let a published table speak for a cell.
        assert set(kinds.values()) == {"family"}


def test_every_shipped_folder_stands_in_the_manifest() -> None:
    named = {path.parent.name for one in shipped_uploads() for path in one.paths}
    there = {path.name for path in (SHIPPED / "demonstration").iterdir()}
    assert there - named == set()


@pytest.mark.django_db
def test_shipped_runs_are_published_as_what_they_are_and_make_no_claim(folder: Path) -> None:
    make_world()
    claims = Claim.objects.count()
    assert [is_new for _upload, is_new in load_shipped(folder)] == [True, True]
    demonstration, published = Run.objects.order_by("pk")
    assert (demonstration.run_class, demonstration.state) == ("demonstration", "published")
    assert "mock_server" in {notice["code"] for notice in demonstration.notices}
    assert demonstration.command == "bench --all"
    assert demonstration.facts["tool.version"]["origin"] == "uploader"
    assert (published.run_class, published.state) == ("published", "published")
    assert "published_table" in {notice["code"] for notice in published.notices}
    assert Claim.objects.count() == claims


@pytest.mark.django_db
def test_a_shipped_name_is_decided_unless_somebody_decided_it_already(folder: Path) -> None:
    make_world()
    list(load_shipped(folder))
    row = UnknownName.objects.get(axis="model", name="Llama v3 8B")
    assert (row.slug, row.decided_by) == ("llama-3", "shipped")
    UnknownName.objects.update(slug="", no_node=True, decided_by="somebody")
    list(load_shipped(folder))
    row.refresh_from_db()
    assert (row.no_node, row.decided_by) == (True, "somebody")


@pytest.mark.django_db
def test_loading_again_writes_nothing(folder: Path) -> None:
    make_world()
    list(load_shipped(folder))
    before = [Run.objects.count(), Upload.objects.count(), Receipt.objects.count()]
    assert [is_new for _upload, is_new in load_shipped(folder)] == [False, False]
    assert [Run.objects.count(), Upload.objects.count(), Receipt.objects.count()] == before
