"""Re-checks: what changed since, what falls due, and that each is kept."""

from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.utils import timezone

from matrix import dossiers
from matrix.models import Dossier, DossierRecheck, Framework, MaintenancePeriod
from matrix.queries.dossiers import changes_since, due_dossiers, due_on, overdue_waivers
from matrix.services import raise_revision, record_claim, withdraw_claim
from matrix.tasks import recheck_due_dossiers_task
from tests import builders
from tests.matrix.dossiers.conftest import change


def kinds_of(dossier: Dossier) -> list[str]:
    """The kinds of change since a dossier was frozen."""
    _, changes = changes_since(dossier)
    return [one.kind for one in changes]


def test_nothing_changed_is_an_empty_list_and_is_kept(frozen: Dossier) -> None:
    row = dossiers.recheck_dossier(frozen.uid, actor="ben", note="Before the meeting.")
    today = timezone.now().date()
    assert (row.changes, row.as_of, row.next_on) == ([], today, today + timedelta(days=90))
    with pytest.raises(DatabaseError), transaction.atomic():
        DossierRecheck.objects.filter(pk=row.pk).update(note="x")


def test_a_withdrawn_claim_flips_the_verdict_and_both_are_told(frozen: Dossier) -> None:
    withdraw_claim("awq-on-turing", actor="ada", reason="It was about another card.")
    row = dossiers.recheck_dossier(frozen.uid, actor="ben")
    by_kind = {one["kind"]: one for one in row.changes}
    assert (by_kind["verdict"]["before"], by_kind["verdict"]["after"]) == ("supported", "unknown")
    withdrawn = by_kind["claim-withdrawn"]
    assert withdrawn["candidate"] == "1"
    assert withdrawn["facts"]["claim"] == "awq-on-turing"
    assert withdrawn["facts"]["reason"] == "It was about another card."
    assert (by_kind["check"]["before"], by_kind["check"]["after"]) == (True, None)


def test_new_evidence_on_a_required_feature_is_told_by_its_identifier(frozen: Dossier) -> None:
    claim = builders.claim("supported", about=builders.scope(features=["lora"]), seen=("0.6.0",))
    row = record_claim(replace(claim, statement="LoRA works"), actor="ada")
    _, changes = changes_since(frozen)
    by_kind = {one.kind: one for one in changes}
    assert (by_kind["feature"].before, by_kind["feature"].after) == ("unknown", "supported")
    assert by_kind["feature"].facts["feature"] == "lora"
    assert by_kind["new-evidence"].facts == {"claims": [row.uid]}


def test_maintenance_news_are_told(frozen: Dossier) -> None:
    MaintenancePeriod.objects.create(
        framework=Framework.objects.get(slug="vllm"), status="maintenance-mode",
        start_on=timezone.now().date(), evidence_kind="documentation",
        url="https://example.org/end", stated_on=timezone.now().date(),
    )  # fmt: skip
    raise_revision()
    assert "maintenance" in kinds_of(frozen)


def test_a_dossier_falls_due_on_its_day_and_again_on_that_of_its_re_check(
    frozen: Dossier,
) -> None:
    today = timezone.now().date()
    assert due_on(frozen) == today + timedelta(days=90)
    assert due_dossiers(today) == []
    assert due_dossiers(today + timedelta(days=90)) == [frozen]
    dossiers.recheck_dossier(frozen.uid, actor="ben", next_on=today + timedelta(days=200))
    assert due_dossiers(today + timedelta(days=90)) == []
    assert due_dossiers(today + timedelta(days=200)) == [frozen]


def test_a_waiver_makes_its_dossier_due_until_a_re_check_sees_it(draft: Dossier) -> None:
    today = timezone.now().date()
    soon = today + timedelta(days=5)
    change(draft, "change_dossier", decision="It.")
    change(draft, "grant_waiver", candidate="1", criterion="1", reason="Why.",
           removal_plan="Plan.", remove_by=soon)  # fmt: skip
    frozen = change(draft, "freeze_dossier")
    assert due_dossiers(soon - timedelta(days=1)) == []
    assert due_dossiers(soon) == [frozen]
    assert overdue_waivers(soon) == []
    assert overdue_waivers(soon + timedelta(days=1)) == [(frozen, "Plan.", soon)]


def test_a_replaced_version_is_never_due(frozen: Dossier) -> None:
    dossiers.new_version(frozen.uid, actor="ben")
    assert due_dossiers(timezone.now().date() + timedelta(days=1000)) == []


def test_the_day_of_a_re_check_must_be_past_and_the_next_one_after_it(frozen: Dossier) -> None:
    for fields in ({"on": "2999-01-01"}, {"on": "yesterday"}, {"next_on": "2020-01-01"}):
        with pytest.raises(dossiers.InvalidDossier):
            dossiers.recheck_dossier(frozen.uid, actor="ben", **fields)
    assert not DossierRecheck.objects.exists()


def test_the_command_and_the_task_re_check_what_is_due_and_no_more(draft: Dossier) -> None:
    change(draft, "change_dossier", decision="It.", recheck_on=timezone.now().date())
    frozen = change(draft, "freeze_dossier")
    out = StringIO()
    call_command("recheck_dossiers", stdout=out)
    assert f"{frozen.uid}: nothing changed" in out.getvalue()
    assert "Re-checked: 1 dossiers." in out.getvalue()
    assert recheck_due_dossiers_task() == 0
    assert frozen.rechecks.get().checked_by == "recheck"


def test_changes_that_were_found_automatically_wait_for_a_person(draft: Dossier) -> None:
    today = timezone.now().date()
    change(draft, "change_dossier", decision="It.", recheck_on=today)
    frozen = change(draft, "freeze_dossier")
    withdraw_claim("awq-on-turing", actor="ada", reason="Wrong.")
    (found,) = dossiers.recheck_due()
    assert found.changes
    assert due_dossiers(today) == [frozen]
    assert dossiers.recheck_due() == []
    dossiers.recheck_dossier(frozen.uid, actor="ben")
    assert due_dossiers(today) == []
