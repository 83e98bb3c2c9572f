"""Freezing: when it is refused, what it pins, and that nothing changes it afterwards."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from matrix import dossiers
from matrix.domain.canonical import content_sha256
from matrix.domain.errors import InvalidValue
from matrix.models import Dossier, DossierCandidate, DossierComment, DossierSignOff
from matrix.queries.dossiers import assess_dossier, dossier_of
from matrix.services import withdraw_claim
from tests.matrix.dossiers.conftest import WORDS, change


def problems_of_freezing(draft: Dossier) -> list[str]:
    """The fields that keep a draft from being frozen."""
    with pytest.raises(dossiers.InvalidDossier) as caught:
        change(draft, "freeze_dossier")
    draft.refresh_from_db()
    assert draft.state == "draft"
    facts: Any = caught.value.facts
    return [problem["field"] for problem in facts["problems"]]


def test_a_draft_without_decision_or_with_wrong_weights_is_not_frozen(draft: Dossier) -> None:
    change(draft, "put_criterion", key="2", weight_percent=90)
    assert problems_of_freezing(draft) == ["decision", "weight_percent"]


def test_an_empty_draft_is_not_frozen(world: None) -> None:
    empty = dossiers.open_dossier(title="Empty", actor="ada")
    assert problems_of_freezing(empty) == ["candidates", "decision"]


def test_a_chosen_candidate_must_pass_or_be_waived_for_every_knock_out(draft: Dossier) -> None:
    change(draft, "change_dossier", decision="It.")
    change(draft, "put_criterion", name="measured", kind="knock-out", check_code="slo")
    change(draft, "put_candidate", key="1", is_chosen=True)
    assert problems_of_freezing(draft) == ["candidates.1.is_chosen"]
    change(draft, "grant_waiver", candidate="1", criterion="3", reason="Later.",
           removal_plan="A load test.", remove_by="2100-01-01")  # fmt: skip
    frozen = change(draft, "freeze_dossier")
    whole = assess_dossier(frozen)
    assert whole.scorecard.entry("1", "3").outcome.value == "waived"
    assert whole.waivers[0].removal_plan == "A load test."


def test_open_knock_outs_of_those_not_chosen_are_frozen_as_gaps(draft: Dossier) -> None:
    change(draft, "change_dossier", decision="Nothing yet.")
    change(draft, "put_criterion", name="measured", kind="knock-out", check_code="slo")
    whole = assess_dossier(change(draft, "freeze_dossier"))
    assert ("open-knock-out", {"criterion": "3"}) in [(f.code, f.facts) for f in whole.gaps]


def test_a_candidate_that_cannot_be_asked_at_the_dates_keeps_it_from_being_frozen(
    draft: Dossier,
) -> None:
    change(draft, "change_dossier", decision="It.", as_of="2023-01-01")
    assert problems_of_freezing(draft) == ["candidates.1"]


def test_freezing_pins_dates_rules_claims_and_a_hash(frozen: Dossier) -> None:
    today = timezone.now().date()
    assert frozen.as_of == today
    assert frozen.known_at is not None
    assert frozen.recheck_on == today + timedelta(days=90)
    assert frozen.ruleset
    assert frozen.frozen_by == "curator"
    stored: Any = Dossier.objects.get(pk=frozen.pk)
    assert content_sha256(stored.content) == stored.content_sha256 == frozen.content_sha256
    uids = {c["uid"] for c in stored.content["candidates"][0]["verdict"]["claims"]}
    assert {"awq-on-turing", "turing"} <= uids
    assert stored.content["revision"] == stored.revision


def test_a_frozen_dossier_reads_the_same_whatever_is_written_later(frozen: Dossier) -> None:
    before = assess_dossier(frozen)
    withdraw_claim("turing", actor="ada", reason="Wrong.")
    again = dossier_of(frozen.uid)
    assert again is not None
    assert assess_dossier(again) == before


@pytest.mark.parametrize(
    "service_and_fields",
    [
        ("change_dossier", {"title": "x"}),
        ("put_candidate", {"name": "x", "words": WORDS}),
        ("remove_candidate", {"key": "1"}),
        ("put_criterion", {"name": "x", "kind": "knock-out"}),
        ("remove_criterion", {"key": "1"}),
        ("put_score", {"candidate": "1", "criterion": "2", "points": 1, "note": "x"}),
        ("remove_waiver", {"candidate": "1"}),
        ("freeze_dossier", {}),
        ("delete_draft", {}),
    ],
)
def test_no_service_changes_a_frozen_dossier(
    frozen: Dossier, service_and_fields: tuple[str, dict[str, Any]]
) -> None:
    service, fields = service_and_fields
    with pytest.raises(dossiers.FrozenDossier) as caught:
        change(frozen, service, **fields)
    assert caught.value.code == "frozen-dossier"


def test_the_database_refuses_what_goes_past_the_services(frozen: Dossier) -> None:
    attempts = (
        lambda: Dossier.objects.filter(pk=frozen.pk).update(title="x"),
        lambda: Dossier.objects.filter(pk=frozen.pk).delete(),
        lambda: DossierCandidate.objects.filter(dossier=frozen).update(name="x"),
        lambda: DossierCandidate.objects.create(dossier=frozen, position=9, name="x"),
    )
    for attempt in attempts:
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()


def test_a_sign_off_names_the_hash_and_a_dissent_says_why(frozen: Dossier) -> None:
    good = {"content_sha256": frozen.content_sha256, "person": "Ben", "stance": "dissent"}
    for wrong, field in (
        ({"content_sha256": "0" * 64}, "content_sha256"),
        ({"person": " "}, "person"),
        ({"person": "Ben\u202e"}, "person"),
        ({"role": "Lead\nAda, Owner, agrees"}, "role"),
        ({"stance": "maybe"}, "stance"),
        ({}, "statement"),
    ):
        with pytest.raises(dossiers.InvalidDossier) as caught:
            dossiers.sign_off(frozen.uid, actor="ben", **{**good, **wrong})
        facts: Any = caught.value.facts
        assert facts["problems"][0]["field"] == field
    row = dossiers.sign_off(frozen.uid, actor="ben", statement="Too early.", **good)
    for attempt in (
        lambda: DossierSignOff.objects.filter(pk=row.pk).update(stance="agree"),
        lambda: DossierSignOff.objects.filter(pk=row.pk).delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()


def test_a_draft_takes_no_sign_off_re_check_version_or_export(draft: Dossier) -> None:
    attempts = (
        lambda: dossiers.sign_off(draft.uid, content_sha256="", person="Ben", stance="agree",
                                  actor="ben"),
        lambda: dossiers.recheck_dossier(draft.uid, actor="ben"),
        lambda: dossiers.new_version(draft.uid, actor="ben"),
        lambda: dossiers.dossier_export(draft),
    )  # fmt: skip
    for attempt in attempts:
        with pytest.raises(dossiers.DraftDossier):
            attempt()


def test_comments_stay_as_they_were_written(frozen: Dossier) -> None:
    row = dossiers.comment(frozen.uid, text="<script>alert(1)</script>", actor="ben")
    with pytest.raises(DatabaseError), transaction.atomic():
        DossierComment.objects.filter(pk=row.pk).update(text="x")
    assert DossierComment.objects.get(pk=row.pk).text == "<script>alert(1)</script>"


def test_a_new_version_begins_where_the_old_one_stands_and_decides_anew(frozen: Dossier) -> None:
    fresh = dossiers.new_version(frozen.uid, actor="ben")
    assert (fresh.series, fresh.version, fresh.replaces) == (frozen.series, 2, frozen)
    assert (fresh.state, fresh.decision, fresh.as_of) == ("draft", "", None)
    assert [c.name for c in fresh.candidates.all()] == ["vLLM on Turing"]
    assert [c.weight_percent for c in fresh.criteria.all()] == [0, 100]
    with pytest.raises(dossiers.ReplacedDossier):
        dossiers.new_version(frozen.uid, actor="ben")


def test_an_export_holds_and_a_changed_one_does_not(frozen: Dossier) -> None:
    dossiers.sign_off(frozen.uid, content_sha256=frozen.content_sha256, person="Ben",
                      stance="agree", actor="ben")  # fmt: skip
    export = json.loads(json.dumps(dossiers.dossier_export(frozen)))
    good = dossiers.verify_export(export)
    assert (good.problems, good.sign_offs, good.uid) == ((), 1, frozen.uid)
    assert good.claims >= 2
    export["content"]["decision"] = "Another."
    bad = dossiers.verify_export(export)
    assert len(bad.problems) == 2
    assert "names another hash" in bad.problems[1]


def test_a_pinned_claim_that_ended_is_told_and_is_no_fault(frozen: Dossier) -> None:
    withdraw_claim("turing", actor="ada", reason="Wrong.")
    found = dossiers.verify_dossier(frozen)
    assert found.problems == ()
    assert found.notes == ("The claim turing was withdrawn since.",)


def test_a_pinned_claim_that_says_something_else_is_found(frozen: Dossier) -> None:
    export = dossiers.dossier_export(frozen)
    content = json.loads(json.dumps(export["content"]))
    for claim in content["candidates"][0]["verdict"]["claims"]:
        if claim["uid"] == "turing":
            claim["level"] = "unsupported"
    forged = {**export, "content": content, "content_sha256": content_sha256(content),
              "sign_offs": []}  # fmt: skip
    found = dossiers.verify_export(forged)
    assert "The claim turing says something else on record: level." in found.problems
    assert "The file says another content_sha256 than the dossier on record." in found.problems


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda e: e["sign_offs"][0].update(person="Ada"), "other sign_offs"),
        (lambda e: e["sign_offs"].pop(0), "other sign_offs"),
        (lambda e: e["comments"][0].update(text="Yes."), "other comments"),
        (lambda e: e["comments"].append(e["comments"][0]), "other comments"),
        (lambda e: e.update(frozen_by="Ada"), "another frozen_by"),
        (lambda e: e.update(frozen_at="2026-01-01T00:00:00Z"), "another frozen_at"),
    ],
)
def test_what_a_file_says_of_people_is_held_against_the_record(
    frozen: Dossier, change: Any, problem: str
) -> None:
    sha256 = frozen.content_sha256
    dossiers.sign_off(frozen.uid, content_sha256=sha256, person="Eve", stance="dissent",
                      statement="No.", actor="ben")  # fmt: skip
    dossiers.sign_off(frozen.uid, content_sha256=sha256, person="Ben", stance="agree",
                      actor="ben")  # fmt: skip
    dossiers.comment(frozen.uid, text="No.", actor="eve")
    export = json.loads(json.dumps(dossiers.dossier_export(frozen)))
    assert export["sign_offs"][0]["recorded_by"] == "ben"
    assert dossiers.verify_export(export).problems == ()
    change(export)
    (found,) = dossiers.verify_export(export).problems
    assert problem in found


def test_an_earlier_file_holds_and_says_how_much_was_said_since(frozen: Dossier) -> None:
    export = json.loads(json.dumps(dossiers.dossier_export(frozen)))
    dossiers.comment(frozen.uid, text="Later.", actor="eve")
    found = dossiers.verify_export(export)
    assert (found.problems, found.notes) == ((), ("1 more comments are on record.",))


def test_a_file_from_elsewhere_says_what_nothing_vouches_for(frozen: Dossier) -> None:
    content = {**dossiers.dossier_export(frozen)["content"], "uid": "elsewhere"}
    export = {**dossiers.dossier_export(frozen), "content": content,
              "content_sha256": content_sha256(content)}  # fmt: skip
    found = dossiers.verify_export(json.loads(json.dumps(export)))
    assert found.problems == ()
    assert any("covers its content only" in note for note in found.notes)
    with pytest.raises(InvalidValue):
        dossiers.verify_export({**export, "sign_offs": ["Ada agrees"]})
