"""Rows and values say the same."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytest_django import DjangoAssertNumQueries

from matrix.catalog_files import read_catalogue
from matrix.catalog_loading import load_shipped
from matrix.convert import load_catalogue
from matrix.index import stored_claims
from matrix.models import Claim
from matrix.services import add_claims
from tests.builders import claim, scope
from tests.matrix.shipped_folder import write_catalogue
from tests.matrix.test_claim_files import rich_claim

pytestmark = pytest.mark.django_db


def test_the_catalogue_in_the_tables_is_the_one_in_the_files(
    tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    load_shipped(write_catalogue(tmp_path))
    files = read_catalogue(tmp_path)
    with django_assert_num_queries(13):
        tables = load_catalogue()
    assert {area: nodes for area, nodes in tables.nodes.items() if nodes} == {
        area: nodes for area, nodes in files.nodes.items() if nodes
    }
    assert tables.sources == files.sources
    assert tables.periods == files.periods
    assert tables.histories["vllm"].releases == files.histories["vllm"].releases
    assert tables.splits == {a: words for a, words in files.splits.items() if words}
    assert tables.ambiguous == {a: words for a, words in files.ambiguous.items() if words}
    assert tables.trees == files.trees


def test_a_claim_goes_into_the_tables_and_back_without_loss(tmp_path: Path) -> None:
    load_shipped(write_catalogue(tmp_path))
    held = [
        replace(rich_claim(), recorded_at=datetime(2025, 12, 1, 9, 30, tzinfo=UTC)),
        claim("unsupported", about=scope(quantization="awq"), uid="no"),
    ]
    add_claims(held, shipped=True)
    assert list(stored_claims()) == held


def test_equal_scopes_and_conditions_are_shared(tmp_path: Path) -> None:
    load_shipped(write_catalogue(tmp_path))
    about = scope(quantization="awq", hardware="nvidia-turing")
    add_claims([claim("supported", about=about, uid=uid) for uid in "abc"], shipped=False)
    first, *others = stored_claims()
    assert all(other.scope is first.scope for other in others)
    assert all(o.observations[0].document is first.observations[0].document for o in others)


def test_ended_claims_are_read_with_their_end(tmp_path: Path) -> None:
    load_shipped(write_catalogue(tmp_path))
    add_claims([claim("supported", about=scope(hardware="nvidia"), uid="a")], shipped=False)
    moment = datetime(2025, 11, 1, tzinfo=UTC)
    Claim.objects.filter(uid="a").update(withdrawn_at=moment, reason="misread")
    assert [held.withdrawn_at for held in stored_claims()] == [moment]
