"""Imports into the tables: all or nothing, once, and a changed line takes its place."""

import json
import time
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from matrix.catalog_loading import load_shipped
from matrix.domain.claims import Claim as ClaimValue
from matrix.entering.importing import CHANGED_LINE, ImportSummary, import_lines
from matrix.entering.problems import BrokenEntries
from matrix.index import current_revision, stored_claims
from matrix.models import AuditEntry, Claim, Observation, SourceDocument
from matrix.services import withdraw_claim
from tests.builders import claim, scope
from tests.matrix.entering.entered_world import evidence, jsonl, line, write_world
from tests.matrix.shipped_folder import ship

pytestmark = pytest.mark.django_db

FP8 = line(statement="FP8 on T4", scope={"quantization": "FP8", "hardware": "T4"}, level="no")


@pytest.fixture(autouse=True)
def _catalogue(tmp_path: Path, db: None) -> None:
    folder = tmp_path / "catalog"
    folder.mkdir()
    load_shipped(write_world(folder))


def run(data: bytes, **options: Any) -> ImportSummary:
    """An import of JSONL by a person."""
    return import_lines(data, **({"form": "jsonl", "actor": "ada"} | options))


def counts(summary: ImportSummary) -> tuple[int, int, int, int]:
    return (
        len(summary.new), len(summary.superseding), summary.unchanged, len(summary.withdrawn),
    )  # fmt: skip


def stored() -> dict[str, ClaimValue]:
    return {held.uid: held for held in stored_claims()}


def rows() -> tuple[int, int, int, int]:
    return (
        Claim.objects.count(), Observation.objects.count(), SourceDocument.objects.count(),
        AuditEntry.objects.count(),
    )  # fmt: skip


def test_sound_lines_are_recorded_with_their_evidence_and_person() -> None:
    revision = current_revision()
    assert counts(run(jsonl(line(), FP8))) == (2, 0, 0, 0)
    row = Claim.objects.get(statement="AWQ on T4")
    assert (row.parser, row.source, row.shipped) == ("person:ada", "curation", False)
    assert row.observations.get().document.url == "https://example.org/issues/7"
    assert current_revision() == revision + 1
    audit = AuditEntry.objects.first()
    assert audit is not None
    assert (audit.actor, audit.action) == ("ada", "import-claims")
    assert len(audit.after["new"]) == 2


def test_the_same_lines_again_write_nothing() -> None:
    run(jsonl(line(), FP8))
    before, revision = rows(), current_revision()
    assert counts(run(jsonl(FP8, "# a comment", line()))) == (0, 0, 2, 0)
    assert (rows(), current_revision()) == (before, revision)


def test_a_dry_run_writes_nothing() -> None:
    before, revision = rows(), current_revision()
    assert counts(run(jsonl(line(), FP8), dry_run=True)) == (2, 0, 0, 0)
    assert (rows(), current_revision()) == (before, revision)


@pytest.mark.parametrize("dry_run", [True, False])
def test_one_broken_line_keeps_all_out_and_every_problem_is_listed(dry_run: bool) -> None:
    before, revision = rows(), current_revision()
    data = jsonl(line(), "{", line(level="maybe"), line(scope={"hardware": "T5"}, kind="x"), FP8)
    with pytest.raises(BrokenEntries) as caught:
        run(data, dry_run=dry_run)
    places = [(problem.line, problem.field) for problem in caught.value.problems]
    assert places == [(2, ""), (3, "level"), (4, "kind"), (4, "scope.hardware")]
    assert caught.value.facts["count"] == 4
    assert (rows(), current_revision()) == (before, revision)


def test_a_changed_line_takes_the_place_of_its_earlier_form() -> None:
    run(jsonl(line(), FP8))
    (old,) = [held for held in stored().values() if held.statement == "AWQ on T4"]
    summary = run(jsonl(line(level="no", limit="framework"), FP8))
    assert counts(summary) == (0, 1, 1, 0)
    row = Claim.objects.get(uid=old.uid)
    assert row.superseded_at is not None
    assert row.superseded_by is not None
    assert (row.superseded_by.level, row.reason) == ("unsupported", CHANGED_LINE)
    assert Claim.objects.standing().count() == 2


def test_other_evidence_for_the_same_words_is_a_claim_of_its_own() -> None:
    run(jsonl(line()))
    other = line(evidence=evidence(url="https://example.org/issues/8", release="0.6.0"))
    assert counts(run(jsonl(other))) == (1, 0, 0, 0)
    assert Claim.objects.standing().count() == 2


def test_a_line_that_is_changed_back_is_recorded_again() -> None:
    run(jsonl(line()))
    run(jsonl(line(level="no")))
    assert counts(run(jsonl(line()))) == (0, 1, 0, 0)
    (standing,) = Claim.objects.standing()
    assert (standing.level, standing.uid[-2:]) == ("supported", ".2")
    assert counts(run(jsonl(line()))) == (0, 0, 1, 0)


def test_what_a_person_withdrew_stays_withdrawn() -> None:
    run(jsonl(line()))
    withdraw_claim(Claim.objects.get().uid, actor="ada", reason="read wrongly")
    assert counts(run(jsonl(line(), FP8))) == (1, 0, 0, 1)
    assert [row.statement for row in Claim.objects.standing()] == ["FP8 on T4"]


def test_a_repeated_line_names_the_first() -> None:
    with pytest.raises(BrokenEntries, match="line 3, says the same as line 1"):
        run(jsonl(line(), FP8, line()))


def test_a_source_says_a_thing_once_also_beside_what_stands() -> None:
    first = evidence()
    second = evidence(url="https://example.org/issues/8")
    with pytest.raises(BrokenEntries, match=r"line 2, statement: stated from 0\.4\.0 on .*D13"):
        run(jsonl(line(evidence=first), line(evidence=second, level="no")))
    run(jsonl(line(evidence=first)))
    with pytest.raises(BrokenEntries, match="D13"):
        run(jsonl(line(evidence=second, level="no")))
    assert Claim.objects.count() == 1


def test_the_name_of_a_source_that_a_program_reads_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    write_world(folder)
    read = claim("supported", about=scope(quantization="awq", hardware="nvidia-t4"), uid="read")
    ship(folder, [replace(read, parser="docs/1")])
    write_world(folder)
    load_shipped(folder)
    with pytest.raises(BrokenEntries, match="'test:rule', which a program reads"):
        run(jsonl(line(source="test:rule")))


def call(*args: str) -> tuple[str, str]:
    """What the command printed, and its error."""
    out = StringIO()
    try:
        call_command("import_claims", *args, stdout=out)
    except CommandError as error:
        return out.getvalue(), str(error)
    return out.getvalue(), ""


class TestCommand:
    def test_a_file_is_recorded_and_counted(self, tmp_path: Path) -> None:
        path = tmp_path / "some.jsonl"
        path.write_bytes(jsonl(line(), FP8))
        printed, error = call(str(path), "--actor", "ada")
        assert error == ""
        assert printed.endswith("2 lines: 2 new, 0 superseding, 0 unchanged, 0 withdrawn\n")
        path.write_bytes(jsonl(line(level="no"), FP8))
        printed, _error = call(str(path), "--dry-run")
        assert "line 1 takes the place of " in printed
        assert "0 new, 1 superseding, 1 unchanged" in printed
        assert Claim.objects.count() == 2

    def test_a_csv_file_is_recorded(self, tmp_path: Path) -> None:
        path = tmp_path / "some.csv"
        path.write_text(
            "framework,statement,scope.hardware,level,kind,evidence.url,evidence.release,"
            "evidence.stated_on\nvLLM,runs on a T4,Tesla T4,yes,docs,https://example.org/,0.4.0,"
            "2025-05-01\n",
            encoding="utf-8",
        )
        assert call(str(path)) == (
            f"{path}: 1 lines: 1 new, 0 superseding, 0 unchanged, 0 withdrawn\n", "",
        )  # fmt: skip

    def test_every_problem_is_printed_and_the_command_fails(self, tmp_path: Path) -> None:
        path = tmp_path / "some.jsonl"
        path.write_bytes(jsonl(line(level="maybe"), "{"))
        printed, error = call(str(path))
        assert error == "1 of 1 files have problems"
        assert [text.split(", ")[1] for text in printed.splitlines()[:2]] == ["line 1", "line 2"]
        assert "2 problems; nothing recorded" in printed

    @pytest.mark.parametrize("name", ["some.txt", "missing.jsonl"])
    def test_a_file_that_cannot_be_taken_is_said(self, tmp_path: Path, name: str) -> None:
        assert call(str(tmp_path / name))[1].startswith(str(tmp_path / name))


class TestCurated:
    def folder(self, tmp_path: Path, *lines: Any, name: str = "vllm-notes") -> Path:
        """The catalogue folder with one curated file."""
        path = tmp_path / "catalog" / "curated" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(jsonl(*lines))
        return tmp_path / "catalog"

    def test_curated_files_are_shipped_under_their_name(self, tmp_path: Path) -> None:
        summary = load_shipped(self.folder(tmp_path, line(), FP8))
        assert summary.claims_new == 2
        row = Claim.objects.get(statement="AWQ on T4")
        assert (row.source, row.parser, row.shipped) == ("curated:vllm-notes", "curated/1", True)

    def test_a_second_load_changes_nothing_and_a_changed_line_takes_its_place(
        self, tmp_path: Path
    ) -> None:
        folder = self.folder(tmp_path, line(), FP8)
        load_shipped(folder)
        before = list(Claim.objects.order_by("pk").values())
        load_shipped(folder, force=True)
        assert list(Claim.objects.order_by("pk").values()) == before
        summary = load_shipped(self.folder(tmp_path, line(level="no"), FP8))
        assert (summary.claims_new, summary.claims_withdrawn) == (1, 1)
        assert {row.level for row in Claim.objects.standing()} == {"unsupported"}

    def test_a_broken_line_stops_the_load_with_its_file_and_line(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, line(), line(level="maybe"))
        with pytest.raises(ValueError, match=r"curated/vllm-notes\.jsonl, line 2, level"):
            load_shipped(folder)
        assert Claim.objects.count() == 0

    def test_a_curated_source_begins_with_its_sign(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, line(source="vllm-docs"))
        with pytest.raises(ValueError, match="accepted: a source that begins with curated:"):
            load_shipped(folder)

    def test_the_linter_reads_them_too(self, tmp_path: Path) -> None:
        other = line(evidence=evidence(url="https://example.org/8"), level="no")
        folder = self.folder(tmp_path, line(), other)
        out = StringIO()
        with pytest.raises(CommandError, match="2 claims, 1 breaches"):
            call_command("lint_knowledge", "--from", str(folder), stdout=out)
        assert "D13" in out.getvalue()
        folder = self.folder(tmp_path, line(colour="red"))
        with pytest.raises(CommandError, match="colour: is no known field"):
            call_command("lint_knowledge", "--from", str(folder), stdout=out)

    def test_an_export_leaves_them_in_their_own_files(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, line())
        load_shipped(folder)
        run(jsonl(FP8))
        call_command("export_knowledge", "--to", str(folder), stdout=StringIO())
        exported = (folder / "claims" / "vllm.jsonl").read_text(encoding="utf-8")
        assert [json.loads(text)["statement"] for text in exported.splitlines()] == ["FP8 on T4"]
        load_shipped(folder)
        assert Claim.objects.standing().count() == 2

    def test_two_thousand_lines_load_within_three_seconds(self, tmp_path: Path) -> None:
        load_shipped(self.folder(tmp_path, line()))
        many = [line(statement=f"AWQ on T4, case {n}") for n in range(2_000)]
        folder = self.folder(tmp_path, *many)
        # Time of this process, so that a busy machine does not fail it.
        started = time.process_time()
        assert load_shipped(folder).claims_new == 2_000
        assert time.process_time() - started < 3
