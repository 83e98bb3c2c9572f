"""What the database itself holds: append-only rows, and checks that no code can get around."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from matrix.models import (
    AuditEntry,
    Claim,
    Framework,
    KnowledgeRevision,
    MaintenancePeriod,
    Observation,
    Release,
    SourceDocument,
    SplitName,
)
from matrix.services import add_claims
from tests.builders import claim, scope

pytestmark = pytest.mark.django_db


@pytest.fixture
def row() -> Claim:
    Framework.objects.create(slug="vllm", name="vLLM", kind="engine")
    add_claims([claim("supported", about=scope(hardware="nvidia"), uid="a")], shipped=False)
    return Claim.objects.get(uid="a")


def refused(change: Callable[[], object], said: str) -> None:
    """Asserts that the database refuses the change with these words."""
    with pytest.raises(DatabaseError, match=said), transaction.atomic():
        change()


SAID = {
    "uid": "b",
    "source": "other",
    "statement": "other",
    "scope": {},
    "level": "unsupported",
    "execution": "native",
    "tier": "planned",
    "outcome": "starts",
    "limit": "hardware",
    "kind": "ci",
    "note": "other",
    "conditions": [{"name": "x"}],
    "first": "0.1.0",
    "first_kind": "at-or-before",
    "after": "0.0.1",
    "open_ended": True,
    "reference": "other",
}


@pytest.mark.parametrize("field", SAID)
def test_what_a_claim_said_cannot_be_changed(field: str, row: Claim) -> None:
    rows = Claim.objects.filter(pk=row.pk)
    refused(lambda: rows.update(**{field: SAID[field]}), "claims are append-only: supersede")


def test_when_a_claim_was_recorded_cannot_be_changed(row: Claim) -> None:
    rows = Claim.objects.filter(pk=row.pk)
    refused(lambda: rows.update(recorded_at=timezone.now()), "append-only")


def test_a_claim_cannot_be_deleted(row: Claim) -> None:
    refused(lambda: Claim.objects.filter(pk=row.pk)._raw_delete("default"), "withdraw the claim a")


def test_confirmation_may_move_the_end_of_a_claim(row: Claim) -> None:
    Claim.objects.filter(pk=row.pk).update(last="0.9.0", gone="0.10.0", gone_on="2025-10-12")
    row.refresh_from_db()
    assert (row.last, row.gone) == ("0.9.0", "0.10.0")


@pytest.mark.parametrize("field", ["superseded_at", "withdrawn_at"])
def test_an_end_once_recorded_stays(field: str, row: Claim) -> None:
    rows = Claim.objects.filter(pk=row.pk)
    rows.update(reason="why", **{field: timezone.now()})
    refused(lambda: rows.update(**{field: None}), "the end of the claim a is already recorded")
    refused(lambda: rows.update(**{field: timezone.now()}), "already recorded")


def test_an_observation_can_be_neither_changed_nor_deleted(row: Claim) -> None:
    seen = Observation.objects.filter(claim=row)
    refused(lambda: seen.update(release="0.1.0"), "matrix_observation is append-only")
    refused(lambda: seen._raw_delete("default"), "matrix_observation is append-only")
    assert seen.count() == 1


def test_an_audit_entry_can_be_neither_changed_nor_deleted() -> None:
    entry = AuditEntry.objects.create(actor="ada", action="x", subject="y")
    entries = AuditEntry.objects.filter(pk=entry.pk)
    refused(lambda: entries.update(actor="bob"), "matrix_auditentry is append-only")
    refused(entries.delete, "matrix_auditentry is append-only")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"level": "partial", "note": ""}, "a_partial_claim_has_a_note"),
        ({"level": "conditional"}, "a_claim_has_a_claim_level"),
        ({"level": "unknown"}, "a_claim_has_a_claim_level"),
        ({"first_kind": "between", "after": ""}, "a_between_start_names_its_lower_end"),
        (
            {"superseded_at": timezone.now() - timedelta(days=999)},
            "a_claim_is_superseded_after_it_is_recorded",
        ),
        ({"withdrawn_at": timezone.now(), "reason": ""}, "a_withdrawal_has_a_reason"),
        ({"uid": "a"}, "uid"),
    ],
)
def test_the_database_refuses_a_claim_that_breaks(
    fields: dict[str, Any], name: str, row: Claim
) -> None:
    values: dict[str, Any] = {
        "uid": "b",
        "framework": row.framework,
        "source": "s",
        "statement": "t",
        "scope": {},
        "level": "supported",
        "kind": "ci",
        "first": "0.1.0",
        "last": "0.1.0",
        "recorded_at": timezone.now(),
    }
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Claim.objects.create(**values | fields)
    assert Claim.objects.create(**values).pk


def test_one_document_says_a_statement_once_a_release(row: Claim) -> None:
    seen = Observation.objects.get(claim=row)
    seen.pk = None
    with pytest.raises(IntegrityError, match="one_observation_per_document"), transaction.atomic():
        Observation.objects.create(
            claim=row,
            document=SourceDocument.objects.get(),
            release=seen.release,
            stated_on=seen.stated_on,
            recorded_at=seen.recorded_at,
        )


def test_there_is_one_revision_row() -> None:
    KnowledgeRevision.objects.get_or_create(pk=1)
    with pytest.raises(IntegrityError, match="there_is_one_revision_row"), transaction.atomic():
        KnowledgeRevision.objects.create(pk=2)


def test_releases_splits_and_periods_keep_their_shape(row: Claim) -> None:
    now = timezone.now()
    Release.objects.create(framework=row.framework, version="0.1.0", released_at=now)
    with pytest.raises(IntegrityError, match="one_release_per_version"), transaction.atomic():
        Release.objects.create(framework=row.framework, version="0.1.0", released_at=now)
    SplitName.objects.create(area="hardware", name="RTX", nodes=["a"])
    with pytest.raises(IntegrityError, match="one_split_per_word"), transaction.atomic():
        SplitName.objects.create(area="hardware", name="RTX", nodes=["b"])
    with pytest.raises(IntegrityError, match="ends_after_its_start"), transaction.atomic():
        MaintenancePeriod.objects.create(
            framework=row.framework, status="active", start_on=now, end_on=now - timedelta(days=2)
        )
