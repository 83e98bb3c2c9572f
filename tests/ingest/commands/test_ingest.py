"""``manage.py ingest`` from a folder on disk to claims in the database."""

import io
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from matrix.catalog_loading import load_shipped
from matrix.models import AuditEntry, Claim, KnowledgeRevision, Observation, SourceDocument
from tests.ingest.capture_folders import (
    QUANTIZATION_PAGE,
    table_page,
    uploaded,
    write_captures,
    write_manifest,
)
from tests.matrix.shipped_folder import write_catalogue

pytestmark = pytest.mark.django_db

OLD = table_page(AWQ="no yes yes", GGUF="blank yes unknown")
NEW = table_page(AWQ="no no yes")
STRANGE = "# Quantization\n\n| Scheme | Fast | Slow |\n|---|---|---|\n| AWQ | a | b |\n"


@pytest.fixture(autouse=True)
def _catalogue(tmp_path: Path) -> None:
    folder = tmp_path / "shipped"
    folder.mkdir()
    load_shipped(write_catalogue(folder))


def captured(tmp_path: Path, pages: Mapping[str, str], name: str = "vllm") -> Path:
    """A capture folder with the quantization page of each version."""
    folder = tmp_path / "captures" / name
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for version, text in pages.items():
        entries += write_captures(
            folder,
            {(version, QUANTIZATION_PAGE): text},
            release_uploaded=uploaded(version),
        )
    write_manifest(folder, entries)
    return folder


def ingest(folder: Path, *options: str, source: str = "vllm-docs") -> tuple[str, str]:
    """What the command wrote to stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    call_command(
        "ingest", "--source", source, "--from", str(folder), *options, stdout=out, stderr=err
    )
    return out.getvalue(), err.getvalue()


def refused(folder: Path, *options: str, source: str = "vllm-docs") -> str:
    """Why the command failed; Django turns the error into exit code 1."""
    with pytest.raises(CommandError) as error:
        ingest(folder, *options, source=source)
    assert error.value.returncode == 1
    return str(error.value)


def standing() -> list[str]:
    rows = Claim.objects.standing().order_by("statement", "first")
    return [f"{c.statement} {c.level} {c.first}..{c.last} {c.gone}".rstrip() for c in rows]


def last_line(text: str) -> str:
    return text.strip().splitlines()[-1]


def test_pages_become_claims_with_evidence(tmp_path: Path) -> None:
    out, err = ingest(captured(tmp_path, {"0.2.0": OLD, "0.3.0": NEW}))
    assert last_line(out) == (
        "claims new: 5, confirmed: 0, changed: 0, gone: 0, words not understood: 0"
    )
    assert "vllm: pages read: 2, without a rule: 0, findings: 9" in out
    assert "[2/2] vllm 0.3.0 docs/features/quantization/README.md" in err
    assert standing() == [
        "quantization-hardware/awq/nvidia-ampere supported 0.2.0..0.3.0",
        "quantization-hardware/awq/nvidia-turing supported 0.2.0..0.2.0 0.3.0",
        "quantization-hardware/awq/nvidia-turing unsupported 0.3.0..0.3.0",
        "quantization-hardware/awq/nvidia-volta unsupported 0.2.0..0.3.0",
        "quantization-hardware/gguf/nvidia-turing supported 0.2.0..0.2.0 0.3.0",
    ]
    seen = Observation.objects.get(claim__level="unsupported", claim__first="0.3.0")
    assert (seen.locator["row"], seen.locator["column"], seen.locator["line"]) == (
        "AWQ",
        "Turing",
        7,
    )
    assert seen.document.url == (
        f"https://github.com/vllm-project/vllm/blob/v0.3.0/{QUANTIZATION_PAGE}"
    )


def test_a_blank_and_an_unknown_cell_make_no_claim(tmp_path: Path) -> None:
    ingest(captured(tmp_path, {"0.2.0": OLD}))
    assert not Claim.objects.filter(statement="quantization-hardware/gguf/nvidia-volta").exists()
    assert not Claim.objects.filter(statement="quantization-hardware/gguf/nvidia-ampere").exists()


def test_a_second_identical_run_reads_and_writes_nothing(
    tmp_path: Path,
) -> None:
    folder = captured(tmp_path, {"0.2.0": OLD, "0.3.0": NEW})
    ingest(folder)
    before = (standing(), Observation.objects.count(), KnowledgeRevision.objects.get().number)
    with CaptureQueriesContext(connection) as asked:
        out, _ = ingest(folder)
    assert "pages read: 0, without a rule: 0, findings: 0, unchanged: 2" in out
    assert last_line(out).startswith("claims new: 0, confirmed: 0, changed: 0, gone: 0")
    writes = [q["sql"] for q in asked if q["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert writes == []
    after = (standing(), Observation.objects.count(), KnowledgeRevision.objects.get().number)
    assert after == before


def test_a_run_that_is_told_so_reads_again_and_only_confirms(tmp_path: Path) -> None:
    folder = captured(tmp_path, {"0.2.0": OLD, "0.3.0": NEW})
    ingest(folder)
    before = (standing(), Observation.objects.count(), KnowledgeRevision.objects.get().number)
    out, _ = ingest(folder, "--again")
    assert last_line(out).startswith("claims new: 0, confirmed: 5, changed: 0, gone: 0")
    after = (standing(), Observation.objects.count(), KnowledgeRevision.objects.get().number)
    assert after == before


def test_one_changed_page_makes_its_version_be_read_again(tmp_path: Path) -> None:
    ingest(captured(tmp_path, {"0.2.0": OLD, "0.3.0": NEW}))
    folder = captured(tmp_path, {"0.2.0": OLD, "0.3.0": NEW + "\n"})
    out, _ = ingest(folder)
    assert "pages read: 1, without a rule: 0, findings: 3, unchanged: 1" in out


def test_a_newer_release_read_alone_changes_and_ends(tmp_path: Path) -> None:
    folder = captured(tmp_path, {"0.2.0": OLD, "0.3.0": NEW})
    ingest(folder, "--release", "0.2.0")
    out, _ = ingest(folder, "--release", "0.3.0")
    assert last_line(out).startswith("claims new: 1, confirmed: 2, changed: 1, gone: 1")
    stepwise = standing()
    assert len(stepwise) == 5
    assert stepwise[4] == "quantization-hardware/gguf/nvidia-turing supported 0.2.0..0.2.0 0.3.0"


def test_the_order_of_ingest_gives_the_same_standing_claims(tmp_path: Path) -> None:
    folder = captured(tmp_path, {"0.2.0": OLD, "0.3.0": NEW})
    ingest(folder, "--release", "0.3.0")
    ingest(folder, "--release", "0.2.0")
    backwards = standing()
    assert backwards == [
        "quantization-hardware/awq/nvidia-ampere supported 0.2.0..0.3.0",
        "quantization-hardware/awq/nvidia-turing supported 0.2.0..0.2.0 0.3.0",
        "quantization-hardware/awq/nvidia-turing unsupported 0.3.0..0.3.0",
        "quantization-hardware/awq/nvidia-volta unsupported 0.2.0..0.3.0",
        "quantization-hardware/gguf/nvidia-turing supported 0.2.0..0.2.0 0.3.0",
    ]
    ended = Claim.objects.exclude(superseded_at__isnull=True)
    assert {row.superseded_by is not None for row in ended} == {True}


def test_a_page_that_reads_otherwise_now_supersedes_what_was_recorded(tmp_path: Path) -> None:
    ingest(captured(tmp_path, {"0.2.0": table_page(AWQ="no yes yes")}))
    out, _ = ingest(captured(tmp_path, {"0.2.0": table_page(AWQ="blank no yes")}))
    assert last_line(out).startswith("claims new: 1, confirmed: 1, changed: 1, gone: 1")
    old = Claim.objects.get(statement__endswith="turing", level="supported")
    assert old.superseded_by == Claim.objects.get(statement__endswith="turing", level="unsupported")
    dropped = Claim.objects.get(statement__endswith="volta")
    assert (dropped.withdrawn_at is not None, dropped.superseded_by) == (True, None)
    assert dropped.reason == "its documents, read again, no longer state it"
    # And back again: the words of the first reading can be recorded anew.
    ingest(captured(tmp_path, {"0.2.0": table_page(AWQ="no yes yes")}))
    assert [line.split()[1] for line in standing()] == ["supported", "supported", "unsupported"]


def test_an_ingest_leaves_an_audit_entry(tmp_path: Path) -> None:
    ingest(captured(tmp_path, {"0.2.0": OLD}))
    entry = AuditEntry.objects.get(action="accept-readings")
    assert (entry.actor, entry.subject) == ("ingest", "framework:vllm")
    assert entry.after == {
        "new": 4,
        "confirmed": 0,
        "changed": 0,
        "gone": 0,
        "read": {"vllm-docs:quantization-hardware": ["0.2.0"]},
    }


def test_a_release_that_stated_nothing_was_read_all_the_same(tmp_path: Path) -> None:
    nothing = table_page(AWQ="blank blank blank")
    folder = captured(tmp_path, {"0.2.0": OLD, "0.3.0": nothing})
    ingest(folder, "--release", "0.3.0")
    ingest(folder, "--release", "0.2.0")
    assert {line.split()[-1] for line in standing()} == {"0.3.0"}


def test_a_dry_run_reads_and_writes_nothing(tmp_path: Path) -> None:
    out, _ = ingest(captured(tmp_path, {"0.2.0": OLD}), "--dry-run")
    assert last_line(out) == "dry run: nothing written"
    assert not Claim.objects.exists()


def test_words_that_are_not_understood_are_grouped_with_a_place(tmp_path: Path) -> None:
    page = table_page(AWQ="no yes yes", NewQuant="yes yes yes")
    out, _ = ingest(captured(tmp_path, {"0.2.0": page, "0.3.0": page}))
    assert (
        "not understood: vllm-docs quantization 'NewQuant' ×2, first in 0.2.0 "
        f"{QUANTIZATION_PAGE}, Quantization › Supported Hardware, row “NewQuant”, line 8"
    ) in out
    assert last_line(out).endswith("words not understood: 1")
    assert Claim.objects.count() == 3


def test_a_broken_folder_lists_every_bad_file_and_writes_nothing(tmp_path: Path) -> None:
    folder = captured(tmp_path, {"0.2.0": OLD, "0.3.0": NEW, "0.4.0": NEW})
    (folder / "0.2.0" / QUANTIZATION_PAGE).unlink()
    (folder / "0.3.0" / QUANTIZATION_PAGE).write_text("altered", encoding="utf-8")
    lines = refused(folder).splitlines()
    assert lines[0] == "2 bad capture files; nothing written"
    assert lines[1] == f"vllm: 0.2.0/{QUANTIZATION_PAGE}: the file is missing"
    assert lines[2].startswith(f"vllm: 0.3.0/{QUANTIZATION_PAGE}: sha256 is ")
    assert not Claim.objects.exists()
    assert not SourceDocument.objects.exists()


def test_a_page_of_an_unexpected_shape_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    folder = captured(tmp_path, {"0.2.0": OLD, "0.3.0": STRANGE})
    lines = refused(folder).splitlines()
    assert lines[0] == "1 page is of an unexpected shape; nothing written"
    assert lines[1].startswith(f"0.3.0 {QUANTIZATION_PAGE}: expected ")
    assert "Implementation" in lines[1]
    assert "nearest thing found: " in lines[1]
    assert "Scheme" in lines[1]
    assert not Claim.objects.exists()


def test_skipping_writes_the_rest_and_ends_no_claim_of_the_skipped_page(tmp_path: Path) -> None:
    ingest(captured(tmp_path, {"0.2.0": OLD}))
    before = standing()
    folder = captured(tmp_path, {"0.3.0": STRANGE, "0.4.0": OLD})
    out, err = ingest(folder, "--skip-unexpected")
    assert f"skipped: 0.3.0 {QUANTIZATION_PAGE}: expected " in err
    assert last_line(out).startswith("claims new: 0, confirmed: 4, changed: 0, gone: 0")
    assert standing() == [line.replace("..0.2.0", "..0.4.0") for line in before]


def test_skipping_leaves_the_claims_untouched_when_nothing_else_is_there(tmp_path: Path) -> None:
    ingest(captured(tmp_path, {"0.2.0": OLD}))
    before = standing()
    out, _ = ingest(captured(tmp_path, {"0.3.0": STRANGE}), "--skip-unexpected")
    assert last_line(out).startswith("claims new: 0, confirmed: 0, changed: 0, gone: 0")
    assert standing() == before


def test_all_sources_are_read_from_the_folder_that_holds_theirs(tmp_path: Path) -> None:
    captured(tmp_path, {"0.2.0": OLD})
    out, err = ingest(tmp_path / "captures", source="all")
    assert last_line(out).startswith("claims new: 4, confirmed: 0")
    assert "tgi-docs: no captures in " in err


def test_a_bad_file_of_one_source_stops_all_of_them(tmp_path: Path) -> None:
    captured(tmp_path, {"0.2.0": OLD})
    broken = tmp_path / "captures" / "tgi"
    broken.mkdir()
    (broken / "manifest.jsonl").write_text("{\n", encoding="utf-8")
    lines = refused(tmp_path / "captures", source="all").splitlines()
    assert lines[0] == "1 bad capture file; nothing written"
    assert lines[1].startswith("tgi: manifest.jsonl line 1: ")
    assert not Claim.objects.exists()


def test_a_folder_that_holds_nothing_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    assert "manifest.jsonl: the file is missing" in refused(empty)
    assert "holds no captures of any source" in refused(empty, source="all")


def test_an_unknown_source_names_the_nearest(tmp_path: Path) -> None:
    assert "vllm-docs" in refused(tmp_path, source="vllm-dosc")


def test_an_unknown_version_names_those_captured(tmp_path: Path) -> None:
    message = refused(captured(tmp_path, {"0.2.0": OLD}), "--release", "0.9.0")
    assert "nothing was captured of '0.9.0'; captured are: 0.2.0" in message
