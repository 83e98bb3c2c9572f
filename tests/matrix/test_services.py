"""Writes to the knowledge: one transaction each, audited, and never an edit of what was said."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from django.db import DatabaseError, transaction

from matrix import services
from matrix.catalog_loading import load_shipped
from matrix.domain.claims import Claim as ClaimValue
from matrix.domain.errors import InvalidClaim, InvalidValue
from matrix.domain.levels import EvidenceKind, Limit, SupportLevel
from matrix.index import current_revision, stored_claims
from matrix.models import AuditEntry, Claim, Observation, SourceDocument
from matrix.services import (
    add_claims,
    claim_uid,
    confirm_claims,
    record_claim,
    supersede_claim,
    withdraw_claim,
)
from tests.builders import claim, released_on, scope
from tests.matrix.shipped_folder import write_catalogue

pytestmark = pytest.mark.django_db

AWQ = scope(quantization="awq", hardware="nvidia-turing")
YES = replace(claim("supported", about=AWQ), uid="")
NO = replace(claim("unsupported", about=AWQ), uid="")


@pytest.fixture(autouse=True)
def catalogue(tmp_path: Path) -> Iterator[None]:
    load_shipped(write_catalogue(tmp_path))
    yield


def written() -> tuple[int, int, int, int]:
    """Everything that a write of a claim touches."""
    return (
        Claim.objects.count(),
        Observation.objects.count(),
        AuditEntry.objects.count(),
        current_revision(),
    )


class TestUid:
    def test_it_is_the_same_for_the_same_words(self) -> None:
        assert claim_uid(YES) == claim_uid(replace(YES, uid="other", parser="other/2"))

    def test_later_observations_keep_it(self) -> None:
        again = claim("supported", about=AWQ, seen=["0.6.0", "0.7.0"], gone="0.8.0")
        assert claim_uid(again) == claim_uid(YES)

    @pytest.mark.parametrize(
        "change",
        [
            {"framework": "sglang"},
            {"source": "test:other"},
            {"statement": "other"},
            {"scope": scope(quantization="fp8")},
            {"level": SupportLevel.UNSUPPORTED},
            {"kind": EvidenceKind.CI},
            {"note": "with a note"},
        ],
    )
    def test_what_is_said_changes_it(self, change: dict[str, object]) -> None:
        assert claim_uid(replace(YES, **change)) != claim_uid(YES)  # type: ignore[arg-type]

    def test_the_first_release_changes_it(self) -> None:
        assert claim_uid(claim("supported", about=AWQ, seen=["0.5.0"])) != claim_uid(YES)


class TestRecord:
    def test_a_claim_stands_with_its_evidence_audit_and_a_new_revision(self) -> None:
        claims, seen, audits, revision = written()
        row = record_claim(YES, actor="ada")
        assert written() == (claims + 1, seen + 1, audits + 1, revision + 1)
        assert row.uid == claim_uid(YES)
        entry = AuditEntry.objects.latest("pk")
        assert (entry.actor, entry.action) == ("ada", "record-claim")
        assert entry.subject == f"claim:{row.uid}"
        assert entry.after["level"] == "supported"

    def test_the_recorded_clock_is_not_the_callers(self) -> None:
        row = record_claim(replace(YES, withdrawn_at=datetime(2025, 2, 1, tzinfo=UTC)), actor="ada")
        assert row.recorded_at.date() > date(2026, 1, 1)
        assert row.withdrawn_at is None

    def test_the_same_statement_is_refused_while_it_stands(self) -> None:
        record_claim(YES, actor="ada")
        before = written()
        with pytest.raises(InvalidValue, match="not recorded already"):
            record_claim(YES, actor="ada")
        assert written() == before

    def test_a_withdrawn_statement_may_be_recorded_again(self) -> None:
        uid = record_claim(YES, actor="ada").uid
        withdraw_claim(uid, actor="ada", reason="too early")
        again = record_claim(YES, actor="ada")
        assert again.uid == f"{uid}.2"
        assert Claim.objects.standing().get() == again

    @pytest.mark.parametrize(
        ("claimed", "said"),
        [
            (replace(YES, level=SupportLevel.UNKNOWN), "D1"),
            (replace(YES, level=SupportLevel.PARTIAL), "D2"),
            (replace(YES, observations=()), "D3"),
            (replace(YES, note="x" * 201), "D5"),
            (replace(YES, scope=scope(hardware="nvidia-h900")), "'nvidia-h900'"),
            (replace(YES, framework="vlllm"), "'vlllm'"),
            (
                replace(
                    YES,
                    observations=(replace(YES.observations[0], stated_on=date(2999, 1, 1)),),
                ),
                "D7",
            ),
            (
                replace(claim("supported", about=AWQ), validity=replace(YES.validity, last="9.9")),
                "D10",
            ),
        ],
    )
    def test_a_breach_of_a_data_rule_writes_nothing(self, claimed: ClaimValue, said: str) -> None:
        before = written()
        with pytest.raises(InvalidClaim) as caught:
            record_claim(claimed, actor="ada")
        assert said in str(caught.value)
        assert written() == before

    def test_all_breaches_are_named_at_once(self) -> None:
        with pytest.raises(InvalidClaim) as caught:
            record_claim(replace(YES, level=SupportLevel.PARTIAL, source=""), actor="ada")
        assert len(caught.value.facts["problems"]) == 2  # type: ignore[arg-type]

    def test_when_the_audit_fails_nothing_is_written(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = written()
        monkeypatch.setattr(services, "raise_revision", _fail)
        with pytest.raises(DatabaseError):
            record_claim(YES, actor="ada")
        assert written() == before
        assert not SourceDocument.objects.exists()


class TestSupersede:
    def test_the_old_claim_ends_by_the_new_one(self) -> None:
        old = record_claim(YES, actor="ada")
        revision = current_revision()
        new = supersede_claim(old.uid, NO, actor="bob", reason="measured otherwise")
        old.refresh_from_db()
        assert (old.superseded_by, old.reason) == (new, "measured otherwise")
        assert old.superseded_at is not None
        assert current_revision() > revision
        assert list(AuditEntry.objects.values_list("action", flat=True)[:2]) == [
            "supersede-claim",
            "record-claim",
        ]

    def test_a_correction_may_say_the_same_with_another_detail(self) -> None:
        old = record_claim(NO, actor="ada")
        new = supersede_claim(
            old.uid, replace(NO, limit=Limit.ARTEFACT), actor="ada", reason="whose limit"
        )
        assert (new.uid, new.limit) == (f"{old.uid}.2", "artefact")

    def test_a_new_claim_that_breaks_a_rule_leaves_the_old_one_standing(self) -> None:
        old = record_claim(YES, actor="ada")
        before = written()
        with pytest.raises(InvalidClaim):
            supersede_claim(old.uid, replace(NO, note="x" * 201), actor="ada", reason="better")
        old.refresh_from_db()
        assert old.superseded_at is None
        assert written() == before

    @pytest.mark.parametrize("reason", ["", "  "])
    def test_without_a_reason_nothing_changes(self, reason: str) -> None:
        old = record_claim(YES, actor="ada")
        with pytest.raises(InvalidValue, match="a sentence that says why"):
            supersede_claim(old.uid, NO, actor="ada", reason=reason)
        assert Claim.objects.standing().count() == 1


class TestWithdraw:
    def test_it_stays_readable_with_its_reason(self) -> None:
        uid = record_claim(YES, actor="ada").uid
        revision = current_revision()
        row = withdraw_claim(uid, actor="bob", reason="misread")
        assert row.withdrawn_at is not None
        assert current_revision() == revision + 1
        assert Claim.objects.get(uid=uid).reason == "misread"
        assert AuditEntry.objects.latest("pk").after == {"reason": "misread"}

    def test_it_ends_once(self) -> None:
        uid = record_claim(YES, actor="ada").uid
        withdraw_claim(uid, actor="ada", reason="misread")
        for end in (
            lambda: withdraw_claim(uid, actor="ada", reason="again"),
            lambda: supersede_claim(uid, NO, actor="ada", reason="again"),
        ):
            with pytest.raises(InvalidValue, match="a claim that still stands"):
                end()

    def test_an_unknown_claim_is_an_error(self) -> None:
        with pytest.raises(Claim.DoesNotExist):
            withdraw_claim("nothing", actor="ada", reason="misread")


class TestAdd:
    def test_known_claims_are_skipped_and_the_others_counted(self) -> None:
        first, second = replace(YES, uid="first"), replace(NO, uid="second")
        assert add_claims([first], shipped=False) == 1
        assert add_claims([first, second], shipped=False) == 1

    def test_one_bad_claim_keeps_all_out_and_every_problem_is_named(self) -> None:
        bad = [replace(YES, uid=uid, note="x" * 201) for uid in ("a", "b")]
        with pytest.raises(InvalidClaim) as caught:
            add_claims([replace(NO, uid="good"), *bad], shipped=False)
        assert len(caught.value.facts["problems"]) == 2  # type: ignore[arg-type]
        assert not Claim.objects.exists()

    def test_one_identifier_twice_is_refused(self) -> None:
        with pytest.raises(InvalidClaim, match="a: the identifier stands 2 times"):
            add_claims([replace(YES, uid="a"), replace(NO, uid="a")], shipped=False)

    def test_documents_are_shared_between_claims(self) -> None:
        add_claims([replace(YES, uid="a"), replace(NO, uid="b")], shipped=False)
        assert SourceDocument.objects.count() == 1


class TestConfirm:
    def test_a_later_observation_moves_the_end_and_nothing_else(self) -> None:
        add_claims([replace(YES, uid="a")], shipped=False)
        later = claim("supported", about=AWQ, seen=["0.6.0", "0.7.0"], uid="a", gone="0.8.0")
        assert confirm_claims([later]) == 1
        (held,) = stored_claims()
        assert held == later
        assert (held.validity.gone, held.validity.gone_on) == ("0.8.0", released_on("0.8.0"))

    def test_the_same_again_changes_nothing(self) -> None:
        add_claims([replace(YES, uid="a")], shipped=False)
        assert confirm_claims([replace(YES, uid="a")]) == 0
        assert Observation.objects.count() == 1

    def test_a_claim_that_is_not_recorded_is_refused(self) -> None:
        with pytest.raises(InvalidClaim, match="a: the claim is not recorded"):
            confirm_claims([replace(YES, uid="a")])


def test_a_write_that_fails_later_in_the_callers_transaction_leaves_nothing() -> None:
    before = written()
    with pytest.raises(DatabaseError), transaction.atomic():
        record_claim(YES, actor="ada")
        _fail()
    assert written() == before


def _fail() -> int:
    raise DatabaseError("stopped by the test")
