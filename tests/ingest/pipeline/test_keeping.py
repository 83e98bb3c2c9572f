"""Bytes are kept for ever, turns at hosts are shared, curated names travel with the export."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.utils import timezone

from ingest.models import HostTurn, Retrieval, Snapshot
from ingest.services.host_turns import DatabaseGate
from ingest.services.snapshots import Bytes, Taken, find_blobs, keep_all, keep_snapshot
from matrix.catalog_aliases import CURATED_FILE, add_alias, area_of_axis
from matrix.catalog_files import BrokenCatalogFile, read_catalogue
from matrix.catalog_loading import load_shipped
from matrix.domain.errors import InvalidValue, UnknownName
from matrix.models import AuditEntry, CuratedAlias, Quantization
from tests.ingest.pipeline.code_host import blob_of
from tests.ingest.pipeline.conftest import NOW

pytestmark = pytest.mark.django_db


def keep(text: str) -> str:
    return keep_snapshot(Bytes(body=text.encode()), Taken(url="https://h/x", retrieved_at=NOW))


def test_the_same_bytes_are_kept_once_and_each_taking_is_noted() -> None:
    assert keep("a page") == keep("a page")
    assert (Snapshot.objects.count(), Retrieval.objects.count()) == (1, 2)
    assert keep_all([Bytes(body=b"a page"), Bytes(body=b"another")], now=NOW) == 1


def test_the_name_that_git_gives_finds_the_bytes() -> None:
    sha256 = keep("a page")
    assert find_blobs([blob_of("a page"), blob_of("none")]) == {blob_of("a page"): sha256}


@pytest.mark.parametrize("table", [Snapshot, Retrieval])
def test_what_is_kept_is_neither_changed_nor_deleted(table: type[Snapshot]) -> None:
    keep("a page")
    with pytest.raises(DatabaseError, match="is append-only"), transaction.atomic():
        table.objects.all()._raw_delete("default")
    column = "media_type" if table is Snapshot else "feed"
    with pytest.raises(DatabaseError, match="is append-only"), transaction.atomic():
        table.objects.update(**{column: "x"})


def test_a_turn_is_taken_once_and_the_next_comes_after_the_interval() -> None:
    gate = DatabaseGate()
    assert gate.wait_turn("h", interval_seconds=30) == 0
    assert 29 < DatabaseGate().wait_turn("h", interval_seconds=30) <= 30
    assert gate.wait_turn("other", interval_seconds=30) == 0


def test_a_host_that_asks_for_a_pause_gets_it_and_an_earlier_end_changes_nothing() -> None:
    gate = DatabaseGate()
    until = timezone.now() + timedelta(seconds=100)
    gate.note_retry_after("h", until)
    gate.note_retry_after("h", until - timedelta(seconds=50))
    assert HostTurn.objects.get().next_allowed_at == until
    assert 95 < gate.wait_turn("h", interval_seconds=0) <= 100


def alias(word: str = "NewQuant", slug: str = "fp8") -> CuratedAlias:
    return add_alias(area="quantization", word=word, slug=slug, actor="carla", now=NOW, reason="so")


def test_a_curated_name_is_one_of_its_node_and_audited() -> None:
    alias()
    assert Quantization.objects.get(slug="fp8").aliases == ["NewQuant"]
    entry = AuditEntry.objects.get(action="add-alias")
    assert (entry.subject, entry.after) == (
        "quantization:fp8",
        {"word": "NewQuant", "reason": "so"},
    )


def test_a_name_that_means_something_else_is_refused() -> None:
    with pytest.raises(InvalidValue, match="does not mean awq already"):
        alias(word="AWQ")
    with pytest.raises(UnknownName, match="FP8"):
        alias(slug="fp9")
    with pytest.raises(InvalidValue, match="axis is 'status'"):
        area_of_axis("status")


def test_curated_names_are_exported_and_loaded_elsewhere(catalogue: Path, tmp_path: Path) -> None:
    alias(word='New "Quant" \\ 4')
    call_command("export_knowledge", "--to", str(catalogue))
    assert (catalogue / CURATED_FILE).is_file()
    assert read_catalogue(catalogue).vocabulary.find("quantization", 'New "Quant" \\ 4') == ("fp8",)
    CuratedAlias.objects.all().delete()
    load_shipped(catalogue)
    assert Quantization.objects.get(slug="fp8").aliases == ['New "Quant" \\ 4']


def test_an_alias_of_an_unknown_node_in_a_file_is_named(catalogue: Path) -> None:
    text = '[[alias]]\narea = "quantization"\nword = "X"\nslug = "nothing"\n'
    (catalogue / CURATED_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(BrokenCatalogFile, match="alias 'X' is of quantization 'nothing'"):
        read_catalogue(catalogue)
