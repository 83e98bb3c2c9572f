"""The shipped files in the tables: idempotent, all or nothing, withdrawn instead of deleted."""

import json
import threading
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from matrix.catalog_files import BrokenCatalogFile, read_catalogue
from matrix.catalog_loading import (
    NO_LONGER_SHIPPED,
    BrokenCatalogue,
    LoadSummary,
    folder_digest,
    load_shipped,
)
from matrix.claim_files import read_claims
from matrix.domain.claims import Claim as ClaimValue
from matrix.domain.errors import InvalidClaim
from matrix.index import current_revision, stored_claims
from matrix.models import AuditEntry, Claim, Framework, Hardware, Observation, Release, SplitName
from matrix.services import withdraw_claim
from tests.builders import claim, scope
from tests.matrix.shipped_folder import ship, write_catalogue

pytestmark = pytest.mark.django_db

AWQ = scope(quantization="awq", hardware="nvidia-turing")
FP8 = scope(quantization="fp8", hardware="nvidia-turing")
FIRST = claim("supported", about=AWQ, seen=["0.4.0", "0.5.0"], uid="first")
SECOND = claim("unsupported", about=FP8, uid="second")


def counts(summary: LoadSummary) -> tuple[int, int, int]:
    return summary.claims_new, summary.claims_confirmed, summary.claims_withdrawn


def standing() -> set[str]:
    return set(Claim.objects.standing().values_list("uid", flat=True))


def stored() -> dict[str, ClaimValue]:
    return {held.uid: held for held in stored_claims()}


def test_a_first_load_fills_the_tables(tmp_path: Path) -> None:
    summary = load_shipped(ship(tmp_path, [FIRST, SECOND]))
    assert counts(summary) == (2, 0, 0)
    assert summary.nodes["hardware"] == Hardware.objects.count() == 3
    assert summary.releases == Release.objects.count() == 12
    t4 = Hardware.objects.get(slug="nvidia-t4")
    assert (t4.parent.slug, t4.aliases) == ("nvidia-turing", ["Tesla T4"])  # type: ignore[union-attr]
    assert t4.facts == {"memory_bytes": 16_000_000_000}
    assert stored() == {"first": FIRST, "second": SECOND}


def test_the_database_knows_at_once_how_full_the_tables_are(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST, SECOND]))
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'matrix_claim'")
        assert cursor.fetchone() == (2,)


def test_a_second_load_of_the_same_files_does_nothing(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST]))
    revision, audits = current_revision(), AuditEntry.objects.count()
    assert load_shipped(tmp_path).skipped
    assert (current_revision(), AuditEntry.objects.count()) == (revision, audits)


def test_a_forced_second_load_changes_no_claim(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST, SECOND]))
    before = list(Claim.objects.order_by("pk").values())
    assert counts(load_shipped(tmp_path, force=True)) == (0, 0, 0)
    assert list(Claim.objects.order_by("pk").values()) == before
    assert Observation.objects.count() == 3


def test_each_load_that_writes_raises_the_revision_and_is_audited(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST]))
    revision = current_revision()
    load_shipped(ship(tmp_path, [FIRST, SECOND]))
    assert current_revision() > revision
    entry = AuditEntry.objects.filter(action="load-shipped").first()
    assert entry is not None
    assert entry.after["claims_new"] == 1
    assert entry.after["digest"] == folder_digest(tmp_path)


def test_changed_files_add_confirm_and_withdraw(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST, SECOND]))
    seen_again = claim("supported", about=AWQ, seen=["0.4.0", "0.5.0", "0.6.0"], uid="first")
    third = claim("supported", about=FP8, seen=["0.7.0"], uid="third")
    assert counts(load_shipped(ship(tmp_path, [seen_again, third]))) == (1, 1, 1)
    assert standing() == {"first", "third"}
    assert stored()["first"] == seen_again
    gone = Claim.objects.get(uid="second")
    assert gone.withdrawn_at is not None
    assert gone.reason == NO_LONGER_SHIPPED


def test_a_claim_that_comes_back_is_recorded_anew_and_its_past_stays(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST, SECOND]))
    load_shipped(ship(tmp_path, [FIRST]))
    assert counts(load_shipped(ship(tmp_path, [FIRST, SECOND]))) == (1, 0, 0)
    assert standing() == {"first", "second.2"}
    assert Claim.objects.get(uid="second").withdrawn_at is not None
    assert load_shipped(tmp_path).skipped
    assert counts(load_shipped(tmp_path, force=True)) == (0, 0, 0)
    load_shipped(ship(tmp_path, [FIRST]))
    load_shipped(ship(tmp_path, [FIRST, SECOND]))
    assert standing() == {"first", "second.3"}


def test_what_a_person_withdrew_stays_withdrawn(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST, SECOND]))
    withdraw_claim("second", actor="curator", reason="misread column")
    assert counts(load_shipped(tmp_path, force=True)) == (0, 0, 0)
    assert standing() == {"first"}


def test_a_claim_that_was_read_here_before_it_was_shipped_becomes_a_shipped_one(
    tmp_path: Path,
) -> None:
    load_shipped(ship(tmp_path, [FIRST]))
    Claim.objects.filter(uid="first").update(shipped=False)
    load_shipped(ship(tmp_path, [FIRST, SECOND]))
    assert set(Claim.objects.filter(shipped=True).values_list("uid", flat=True)) == {
        "first",
        "second",
    }


def test_a_claim_that_was_never_shipped_is_left_alone(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST, SECOND]))
    Claim.objects.filter(uid="second").update(shipped=False)
    assert counts(load_shipped(ship(tmp_path, [FIRST]))) == (0, 0, 0)
    assert standing() == {"first", "second"}


def test_a_node_that_the_files_no_longer_hold_goes_and_a_framework_stays(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST]))
    text = (tmp_path / "hardware.toml").read_text(encoding="utf-8")
    board = text.index('[[hardware]]\nslug = "nvidia-t4"')
    (tmp_path / "hardware.toml").write_text(text[:board], encoding="utf-8")
    load_shipped(tmp_path)
    assert set(Hardware.objects.values_list("slug", flat=True)) == {"nvidia", "nvidia-turing"}
    assert SplitName.objects.count() == 0
    assert Framework.objects.count() == 1


def break_everything(folder: Path) -> None:
    """One breach in each kind of file."""
    ship(folder, [FIRST, SECOND])
    (folder / "extra.toml").write_text("[[hardware]\n", encoding="utf-8")
    with (folder / "quantizations.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[quantization]]\nname = "no slug"\n\n[[quantisation]]\nslug = "x"\n')
    with (folder / "releases" / "vllm.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"version": "0.13.0"}\n')
    path = folder / "claims" / "vllm.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"supported"', '"maybe"'), "utf-8")


def test_broken_files_write_nothing_and_every_problem_is_listed(tmp_path: Path) -> None:
    break_everything(tmp_path)
    with pytest.raises(BrokenCatalogue) as caught:
        load_shipped(tmp_path)
    problems = caught.value.problems
    assert len(problems) == 5
    for part in (
        "extra.toml: ",
        "quantizations.toml: quantization 'no slug' lacks 'slug'",
        "quantizations.toml: holds ['quantisation']",
        "vllm.jsonl, line 13: lacks 'date'",
        "claims/vllm.jsonl, line 1: 'maybe' is not a valid SupportLevel",
    ):
        assert any(part in problem for problem in problems), part
    assert not Framework.objects.exists()
    assert current_revision() == 0


def test_a_claim_that_breaks_a_data_rule_leaves_the_tables_as_they_were(tmp_path: Path) -> None:
    load_shipped(ship(tmp_path, [FIRST]))
    revision = current_revision()
    ship(tmp_path, [replace(FIRST, note="x" * 201), SECOND])
    with pytest.raises(InvalidClaim, match="D5"):
        load_shipped(tmp_path)
    assert current_revision() == revision
    assert standing() == {"first"}


def test_a_breach_of_a_catalogue_rule_is_refused_with_its_rule(tmp_path: Path) -> None:
    ship(tmp_path, [])
    text = (tmp_path / "hardware.toml").read_text(encoding="utf-8")
    text = text.replace('parent = "nvidia-turing"', 'parent = "nvidia-pascal"')
    (tmp_path / "hardware.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BrokenCatalogue) as caught:
        load_shipped(tmp_path)
    assert caught.value.problems == [
        "hardware 'nvidia-t4': the parent 'nvidia-pascal' does not exist (D14)"
    ]


def test_the_command_lists_every_problem_and_fails(tmp_path: Path) -> None:
    break_everything(tmp_path)
    with pytest.raises(CommandError) as caught:
        call_command("load_catalog", "--from", str(tmp_path), stdout=StringIO())
    assert "extra.toml" in str(caught.value)
    assert "claims/vllm.jsonl, line 1" in str(caught.value)


def test_an_export_of_what_was_loaded_gives_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    load_shipped(ship(tmp_path / "in", [FIRST, SECOND]))
    call_command("export_knowledge", "--to", str(tmp_path / "out"), stdout=StringIO())
    for part in ("claims", "documents"):
        path = Path(part) / "vllm.jsonl"
        assert (tmp_path / "out" / path).read_bytes() == (tmp_path / "in" / path).read_bytes()


class TestReading:
    """The files themselves, without a database."""

    def test_a_word_of_several_nodes_covers_them_or_means_one(self, tmp_path: Path) -> None:
        catalogue = read_catalogue(write_catalogue(tmp_path))
        assert catalogue.splits["hardware"] == {"Turing boards": ("nvidia-t4",)}
        assert catalogue.ambiguous["hardware"] == {"RTX": ("nvidia-turing", "nvidia-t4")}

    def test_a_node_that_stands_twice_is_refused(self, tmp_path: Path) -> None:
        write_catalogue(tmp_path)
        text = (tmp_path / "hardware.toml").read_text(encoding="utf-8")
        (tmp_path / "more.toml").write_text(text, encoding="utf-8")
        with pytest.raises(BrokenCatalogFile, match="'nvidia-t4' stands twice"):
            read_catalogue(tmp_path)

    def test_an_unknown_status_of_a_period_is_refused_with_its_entry(self, tmp_path: Path) -> None:
        write_catalogue(tmp_path)
        text = '[[period]]\nframework = "vllm"\nstatus = "asleep"\nstart = 2025-01-01\n'
        (tmp_path / "maintenance.toml").write_text(text, encoding="utf-8")
        with pytest.raises(BrokenCatalogFile, match=r"maintenance\.toml: period 1 'asleep'"):
            read_catalogue(tmp_path)

    def test_upstream_releases_are_read_with_their_versions(self, tmp_path: Path) -> None:
        write_catalogue(tmp_path)
        line = {"version": "1.0", "date": "2025-05", "upstream": {"version": "0.4.0"}}
        path = tmp_path / "releases" / "plugin.jsonl"
        path.write_text(json.dumps(line) + "\n", encoding="utf-8")
        catalogue = read_catalogue(tmp_path)
        assert catalogue.upstreams == {"plugin": {"1.0": "0.4.0"}}
        (release,) = catalogue.releases["plugin"]
        assert release.released_at.isoformat() == "2025-05-01T00:00:00+00:00"

    def test_the_digest_tells_a_renamed_and_a_changed_file(self, tmp_path: Path) -> None:
        write_catalogue(tmp_path)
        first = folder_digest(tmp_path)
        assert folder_digest(tmp_path) == first
        (tmp_path / "hardware.toml").rename(tmp_path / "boards.toml")
        renamed = folder_digest(tmp_path)
        (tmp_path / "boards.toml").write_text("", encoding="utf-8")
        assert len({first, renamed, folder_digest(tmp_path)}) == 3

    def test_a_folder_without_claims_has_none(self, tmp_path: Path) -> None:
        assert read_claims(write_catalogue(tmp_path)) == []


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_two_loads_at_once_write_once(tmp_path: Path) -> None:
    ship(tmp_path, [FIRST, SECOND])
    summaries: list[LoadSummary] = []

    def load() -> None:
        try:
            summaries.append(load_shipped(tmp_path))
        finally:
            connection.close()

    threads = [threading.Thread(target=load) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(summary.claims_new for summary in summaries) == [0, 2]
    assert sorted(summary.skipped for summary in summaries) == [False, True]
