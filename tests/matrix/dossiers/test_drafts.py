"""Drafts: what is refused, what is kept, and that nobody overwrites another unseen."""

from typing import Any

import pytest

from matrix import dossiers
from matrix.models import AuditEntry, Dossier, DossierScore
from matrix.queries.dossiers import assess_dossier, dossier_of
from tests.matrix.dossiers.conftest import WORDS, change


def fields_of(caught: Any) -> list[str]:
    """The fields that an error names."""
    return [problem["field"] for problem in caught.value.facts["problems"]]


def test_names_are_kept_as_slugs_and_every_wrong_field_is_told_at_once(world: None) -> None:
    need = {"models": ["meta/Llama-3-8B"], "hardware": [{"hardware": "Turing", "count": 2}]}
    made = dossiers.open_dossier(title=" An engine ", actor="ada", need=need)
    assert made.title == "An engine"
    assert made.need["models"] == ["meta--llama-3-8b"]
    assert made.need["hardware"] == [{"hardware": "nvidia-turing", "count": 2}]
    with pytest.raises(dossiers.InvalidDossier) as caught:
        dossiers.open_dossier(title=" ", actor="ada", as_of="2021-13-40", need={"models": ["Lama"]})
    assert fields_of(caught) == ["title", "need.models.0", "as_of"]
    facts: Any = caught.value.facts
    assert facts["problems"][1]["message"].startswith("'Lama' is no known model")


@pytest.mark.parametrize("name", ["Ada\nBen", "a\u202eb", "a\u2028b", "a\u200fb", "a\x85b"])
def test_a_name_is_one_line_that_reads_as_it_is_written(draft: Dossier, name: str) -> None:
    for service, fields in (
        ("change_dossier", {"title": name}),
        ("put_candidate", {"name": name, "words": WORDS}),
        ("put_criterion", {"name": name, "kind": "weighted"}),
    ):
        with pytest.raises(dossiers.InvalidDossier) as caught:
            change(draft, service, **fields)
        assert fields_of(caught)[0] in ("title", "name")
    change(draft, "change_dossier", summary=name)


def test_a_change_from_an_older_edition_is_refused_and_loses_nothing(draft: Dossier) -> None:
    edition = draft.edition
    dossiers.change_dossier(draft.uid, edition=edition, actor="ada", title="First")
    with pytest.raises(dossiers.StaleEdition) as caught:
        dossiers.change_dossier(draft.uid, edition=edition, actor="ben", title="Second")
    assert caught.value.facts == {
        "dossier": draft.uid, "edition": edition, "current": edition + 1,
    }  # fmt: skip
    draft.refresh_from_db()
    assert draft.title == "First"


def test_a_candidate_is_kept_as_the_canonical_question(draft: Dossier) -> None:
    row = draft.candidates.get()
    assert row.words == [
        ["framework", "vllm"], ["version", "0.6.0"], ["hardware", "nvidia-turing"],
        ["quantization", "awq"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"words": {"hardware": "Turing"}}, "framework"),
        ({"words": {**WORDS, "version": "9.9"}}, "words"),
        ({"words": {**WORDS, "as_of": "2026-01-01"}}, "words.as_of"),
        ({"words": {**WORDS, "colour": "red"}}, "colour"),
        ({"words": []}, "words"),
        ({"words": "framework=vllm"}, "words"),
        ({"name": "vLLM on Turing", "key": None}, "name"),
        ({"layout": {"tensor_parallel": 0}}, "layout.tensor_parallel"),
        ({"layout": {"pipes": 2}}, "layout.pipes"),
        ({"effort": {"conversion_steps": -1}}, "effort.conversion_steps"),
        ({"effort": {"hours": 3}}, "effort.hours"),
        ({"is_chosen": "yes"}, "is_chosen"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_no_candidate_can_have_is_named(
    draft: Dossier, fields: dict[str, Any], named: str
) -> None:
    given = {"name": "another", "words": WORDS, **fields}
    with pytest.raises(dossiers.InvalidDossier) as caught:
        change(draft, "put_candidate", **given)
    assert fields_of(caught) == [named]
    assert draft.candidates.count() == 1


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"kind": "soft"}, "kind"),
        ({"kind": "weighted", "weight_percent": 101}, "weight_percent"),
        ({"kind": "knock-out", "weight_percent": 5}, "weight_percent"),
        ({"check_code": "taste"}, "check_code"),
        ({"threshold": {"at_least": "partial"}}, "threshold"),
        ({"check_code": "verdict", "threshold": {"at_least": "unknown"}}, "threshold.at_least"),
        ({"check_code": "cost"}, "threshold.at_most"),
        ({"check_code": "metric", "threshold": {"metric": "ttft_p95_ms"}}, "threshold"),
        ({"check_code": "feature", "threshold": {"feature": "lorra"}}, "threshold.feature"),
        ({"check_code": "maintenance", "threshold": {"accept": []}}, "threshold.accept"),
    ],
)
def test_what_no_criterion_can_have_is_named(
    draft: Dossier, fields: dict[str, Any], named: str
) -> None:
    with pytest.raises(dossiers.InvalidDossier) as caught:
        change(draft, "put_criterion", **{"name": "new", "kind": "knock-out", **fields})
    assert fields_of(caught) == [named]


def test_changing_a_part_keeps_the_fields_that_were_not_given(draft: Dossier) -> None:
    change(draft, "put_criterion", key="2", note="Why")
    row = draft.criteria.get(position=2)
    assert (row.name, row.weight_percent, row.note) == ("care", 100, "Why")


def test_a_judgement_needs_its_reason_and_the_right_form(draft: Dossier) -> None:
    for criterion, fields, named in (
        ("2", {"points": 3}, "note"),
        ("2", {"points": 5, "note": "so"}, "points"),
        ("2", {"passes": True, "note": "so"}, "passes"),
        ("1", {"points": 3, "note": "so"}, "points"),
        ("1", {"passes": False}, "note"),
    ):
        with pytest.raises(dossiers.InvalidDossier) as caught:
            change(draft, "put_score", candidate="1", criterion=criterion, **fields)
        assert fields_of(caught) == [named]
    change(draft, "put_score", candidate="1", criterion="2", points=3, note="so")
    change(draft, "put_score", candidate="1", criterion="2", points=2, note="less")
    assert [(s.points, s.note) for s in DossierScore.objects.all()] == [(2, "less")]
    change(draft, "put_score", candidate="1", criterion="2")
    assert not DossierScore.objects.exists()


def test_a_waiver_needs_a_reason_a_plan_and_a_day_ahead(draft: Dossier) -> None:
    for reason, plan, day, named in (
        ("", "plan", "2100-01-01", ["reason"]),
        ("why", " ", "2100-01-01", ["removal_plan"]),
        ("why", "plan", "2020-01-01", ["remove_by"]),
        ("why", "plan", None, ["remove_by"]),
    ):
        with pytest.raises(dossiers.InvalidDossier) as caught:
            change(draft, "grant_waiver", candidate="1", criterion="1", reason=reason,
                   removal_plan=plan, remove_by=day)  # fmt: skip
        assert fields_of(caught) == named
    with pytest.raises(dossiers.InvalidDossier):
        change(draft, "grant_waiver", candidate="1", criterion="2", reason="why",
               removal_plan="plan", remove_by="2100-01-01")  # fmt: skip
    change(draft, "grant_waiver", candidate="1", criterion="1", reason="why",
           removal_plan="plan", remove_by="2100-01-01")  # fmt: skip
    assert draft.waivers.get().granted_by == "ada"


def test_an_unknown_key_or_dossier_is_told(draft: Dossier) -> None:
    for key in ("9", "x", "١", ""):
        with pytest.raises(dossiers.UnknownDossier):
            change(draft, "remove_candidate", key=key)
    with pytest.raises(dossiers.UnknownDossier):
        dossiers.change_dossier("nothing", edition=0, actor="ada", title="x")


def test_a_draft_is_assessed_as_it_stands_with_its_risks_and_gaps(draft: Dossier) -> None:
    whole = dossier_of(draft.uid)
    assert whole is not None
    found = assess_dossier(whole)
    one = found.candidates[0]
    assert one.verdict.level.value == "supported"
    assert one.verdict.claims
    assert {f.slug for f in one.features} == {"lora"}
    codes = {(f.kind.value, f.code) for f in found.findings}
    assert {("gap", "no-run"), ("gap", "no-price"), ("gap", "feature-unstated"),
            ("gap", "open-score"), ("gap", "nothing-asked"), ("gap", "memory-unknown"),
            ("risk", "newer-release")} <= codes  # fmt: skip
    assert found.burdens[0].framework == "vllm"


def test_discarding_a_draft_takes_its_parts_and_its_discussion(draft: Dossier) -> None:
    dossiers.comment(draft.uid, text="<b>bold</b>", actor="ben")
    change(draft, "delete_draft")
    assert not Dossier.objects.exists()
    assert AuditEntry.objects.filter(action="delete-dossier").count() == 1


def test_every_write_is_in_the_audit_log(frozen: Dossier) -> None:
    dossiers.sign_off(frozen.uid, content_sha256=frozen.content_sha256, person="Ben",
                      stance="agree", actor="ben")  # fmt: skip
    dossiers.comment(frozen.uid, text="Good.", actor="ben")
    actions = list(
        AuditEntry.objects.filter(subject=f"dossier:{frozen.uid}")
        .order_by("id")
        .values_list("action", "actor")
    )
    assert actions == [
        ("open-dossier", "ada"), ("put-candidate", "ada"), ("put-criterion", "ada"),
        ("put-criterion", "ada"), ("put-candidate", "ada"), ("change-dossier", "ada"),
        ("freeze-dossier", "curator"), ("sign-off-dossier", "ben"), ("comment-dossier", "ben"),
    ]  # fmt: skip
