"""The held index: one per revision, renewed after a write, and never in a reader's way."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from matrix import index
from matrix.catalog_loading import load_shipped
from matrix.domain.levels import SupportLevel
from matrix.index import Knowledge, current_catalogue, current_knowledge, forget_knowledge
from matrix.services import record_claim, withdraw_claim
from tests.builders import TODAY, cell, claim, scope
from tests.matrix.shipped_folder import write_catalogue

TURING = cell(hardware="nvidia-t4")
YES = claim("supported", about=scope(hardware="nvidia-turing"), uid="")


@pytest.fixture(autouse=True)
def _fresh_index() -> Iterator[None]:
    forget_knowledge()
    yield
    forget_knowledge()


def level() -> SupportLevel:
    return current_knowledge().index.verdict_for(TURING, as_of=TODAY).level


@pytest.mark.django_db
def test_a_write_is_seen_by_the_next_reader_and_so_is_its_end(tmp_path: Path) -> None:
    load_shipped(write_catalogue(tmp_path))
    assert level() is SupportLevel.UNKNOWN
    row = record_claim(YES, actor="ada")
    assert level() is SupportLevel.SUPPORTED
    withdraw_claim(row.uid, actor="ada", reason="misread")
    assert level() is SupportLevel.UNKNOWN


@pytest.mark.django_db
def test_while_nothing_is_written_the_same_index_answers_for_one_query(
    tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    load_shipped(write_catalogue(tmp_path))
    first = current_knowledge()
    with django_assert_num_queries(1):
        assert current_knowledge() is first


@pytest.mark.django_db
def test_a_verdict_names_the_revision_that_it_rests_on(tmp_path: Path) -> None:
    load_shipped(write_catalogue(tmp_path))
    record_claim(YES, actor="ada")
    held = current_knowledge()
    verdict = held.index.verdict_for(TURING, as_of=TODAY)
    assert verdict.revision == held.revision == index.current_revision()


@pytest.mark.django_db
def test_an_empty_database_answers_with_an_empty_catalogue() -> None:
    held = current_knowledge()
    assert (held.revision, held.index.claim_count) == (0, 0)


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_readers_go_on_with_the_old_index_while_another_thread_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_shipped(write_catalogue(tmp_path))
    old = current_knowledge()
    record_claim(YES, actor="ada")
    building, may_end = threading.Event(), threading.Event()
    genuine = index.build_knowledge

    def build_slowly() -> Knowledge:
        building.set()
        assert may_end.wait(timeout=30)
        return genuine()

    monkeypatch.setattr(index, "build_knowledge", build_slowly)
    built: list[Knowledge] = []

    def ask() -> None:
        try:
            built.append(current_knowledge())
        finally:
            connection.close()

    builder = threading.Thread(target=ask)
    builder.start()
    try:
        assert building.wait(timeout=30)
        assert current_knowledge() is old
    finally:
        may_end.set()
        builder.join(timeout=60)
    assert [held.revision for held in built] == [index.current_revision()]
    assert current_knowledge() is built[0]
    assert level() is SupportLevel.SUPPORTED


@pytest.mark.django_db
def test_the_catalogue_alone_is_read_once_for_each_revision(
    tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    load_shipped(write_catalogue(tmp_path))
    first = current_catalogue()
    with django_assert_num_queries(1):
        assert current_catalogue() is first
    record_claim(YES, actor="ada")
    assert current_catalogue() is not first
    held = current_knowledge()
    assert current_catalogue() is held.catalogue
