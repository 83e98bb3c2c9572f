"""Claims read in one pass are the claims that were recorded."""

import queue
import threading
from datetime import date
from pathlib import Path

import pytest
from django.db import connection

from matrix.catalog_loading import load_shipped
from matrix.convert import ClaimReader, document_value
from matrix.domain.coordinates import Condition
from matrix.domain.levels import ConditionKind
from matrix.index import current_revision, stored_claims
from matrix.models import Claim as ClaimRow
from matrix.models import Framework, SourceDocument
from matrix.services import record_claim, withdraw_claim
from tests.builders import claim, scope
from tests.matrix.shipped_folder import write_catalogue

FLAG = Condition(kind=ConditionKind.FLAG, name="--flag", op="=", value="a")
TURING = scope(quantization="awq", hardware="nvidia-turing")


@pytest.fixture
def _recorded(db: None, tmp_path: Path) -> None:
    load_shipped(write_catalogue(tmp_path))
    row = record_claim(claim("supported", about=TURING, uid="first"), actor="ada")
    record_claim(claim("unsupported", about=TURING, conditions=[FLAG], uid="second"), actor="ada")
    record_claim(claim("partial", about=scope(quantization="fp8"), uid="third"), actor="ada")
    withdraw_claim(row.uid, actor="ada", reason="misread")


@pytest.mark.usefixtures("_recorded")
def test_a_scan_reads_what_reading_row_by_row_reads() -> None:
    frameworks = dict(Framework.objects.values_list("pk", "slug"))
    documents = {row.pk: document_value(row) for row in SourceDocument.objects.all()}
    reader = ClaimReader(frameworks, documents)
    one_by_one = [
        reader.claim(row, [reader.observation(o) for o in row.observations.order_by("pk")])
        for row in ClaimRow.objects.order_by("pk")
    ]
    found = list(stored_claims())
    assert found == one_by_one
    assert [len(held.observations) for held in found] == [1, 1, 1]
    assert found[0].withdrawn_at is not None
    assert found[1].conditions == (FLAG,)


@pytest.mark.usefixtures("_recorded")
def test_equal_scopes_and_documents_are_made_once() -> None:
    first, second, _ = stored_claims()
    assert first.scope is second.scope
    assert first.observations[0].document is second.observations[0].document
    assert isinstance(first.observations[0].stated_on, date)


@pytest.mark.django_db
def test_the_revision_is_read_again_where_the_server_closed_the_connection() -> None:
    read: list[int] = []

    def read_on_a_connection_of_its_own() -> None:
        # Each thread has a connection of its own, outside of the transaction of this test.
        read.append(current_revision())
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            backends.put(cursor.fetchone()[0])
        closed.wait(timeout=20)
        read.append(current_revision())
        connection.close()

    backends: queue.Queue[int] = queue.Queue()
    closed = threading.Event()
    reader = threading.Thread(target=read_on_a_connection_of_its_own)
    reader.start()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [backends.get(timeout=20)])
    closed.set()
    reader.join(timeout=20)
    assert len(read) == 2
