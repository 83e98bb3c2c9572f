"""Reports of readers, proposed claims, and a curator's own claim in place of a finding."""

from typing import Any

import pytest
from django.test import Client

from ingest.domain.review import ItemKind, ItemState
from ingest.models import PageRecord, ReviewItem
from matrix.entering.reports import ReaderReport, report_problem, send_report
from matrix.models import Claim
from tests.ingest.pages.review_world import HOSTILE, Fill, add_items, open_pks, page, soup_of
from tests.ingest.pipeline.test_poll_tags import standing

pytestmark = pytest.mark.django_db
TURING = "quantization-hardware/awq/nvidia-turing"
CELL = [("framework", "vllm"), ("version", "0.12.0"), ("hardware", "nvidia-t4")]
PROPOSED = {
    "framework": "vllm",
    "statement": "AWQ on T4",
    "scope": {"quantization": "AWQ", "hardware": "Tesla T4"},
    "level": "yes",
    "kind": "maintainer",
    "evidence": {"url": "https://example.org/issues/7", "release": "0.4.0",
                 "stated_on": "2025-05-02", "comment": "first"},
}  # fmt: skip


def propose(**changes: Any) -> int:
    line = PROPOSED | changes
    send_report(
        ReaderReport(
            framework="vllm", text="AWQ on T4", actor="rita", proposed=line, statement="AWQ on T4"
        )
    )
    return ReviewItem.objects.get(code="proposed-claim").pk


def test_a_report_stands_in_the_queue_with_its_answer(curator: Client) -> None:
    report_problem(CELL, f"wrong {HOSTILE}", "me@example.org", link="javascript:alert(1)")
    row = soup_of(curator.get("/review/?kind=problem-report")).select("tbody tr")[0]
    soup = soup_of(curator.get(row.find("a")["href"]))
    about = soup.find("a", string="The answer or claim that it is about")["href"]
    assert curator.get(about).status_code == 200
    assert "hardware=nvidia-t4" in about
    assert "me@example.org" in soup.text
    assert row.find("a").text.strip()
    assert not soup.select("a[href^='javascript']")


def test_a_report_is_answered_or_closed_with_a_reason(curator: Client) -> None:
    report_problem(CELL, "the row was misread")
    (pk,) = open_pks().values()
    closed = curator.post(f"/review/{pk}/decide/", {"action": "reject", "reason": ""})
    assert closed.status_code == 422
    curator.post(f"/review/{pk}/decide/", {"action": "reject", "reason": "the row is right"})
    assert ReviewItem.objects.get().reason == "the row is right"


def test_accepting_a_proposed_claim_records_it(curator: Client) -> None:
    pk = propose()
    assert "Accept: record the proposed claim" in curator.get(f"/review/{pk}/").content.decode()
    curator.post(f"/review/{pk}/decide/", {"action": "accept", "reason": "seen there"})
    item = ReviewItem.objects.get()
    assert item.state == ItemState.ACCEPTED
    assert Claim.objects.get(uid=item.claim_uid).level == "supported"


def test_a_proposal_that_breaks_a_rule_stays_open_and_says_why(curator: Client) -> None:
    pk = propose(level="perhaps")
    answer = curator.post(f"/review/{pk}/decide/", {"action": "accept"})
    assert "level" in soup_of(answer, 422).find(role="alert").text
    assert ReviewItem.objects.get().state == ItemState.OPEN
    assert not Claim.objects.exists()


def form_fields(soup: Any) -> dict[str, str]:
    form = soup.find("main").find("form")
    fields = {f["name"]: f.get("value", "") for f in form.select("input[name]")
              if f.get("type") not in ("checkbox", "radio")}  # fmt: skip
    fields |= {f["name"]: f.text for f in form.select("textarea")}
    for choice in form.select("select"):
        chosen = choice.find("option", selected=True) or choice.find("option")
        fields[choice["name"]] = chosen["value"]
    return fields


def test_an_own_claim_takes_the_place_of_a_finding(fill: Fill, curator: Client) -> None:
    fill(r11=page(), r12=page(AWQ="no no yes"))
    pk = open_pks()[TURING]
    address = f"/review/{pk}/edit/"
    fields = form_fields(soup_of(curator.get(address)))
    assert fields["quantization"] == "awq" and fields["hardware"] == "nvidia-turing"
    assert (fields["level"], fields["release"], fields["row"]) == ("unsupported", "0.12.0", "AWQ")
    fields |= {"level": "partial", "note": "only with small groups"}
    preview = curator.post(address, {**fields, "action": "preview"})
    assert soup_of(preview).find(id="preview-title")
    missing = curator.post(address, {**fields, "action": "save"})
    assert "reason is needed" in soup_of(missing, 422).text
    curator.post(address, {**fields, "reason": "read by hand", "action": "save"})
    item = ReviewItem.objects.get(pk=pk)
    claim = Claim.objects.get(uid=item.claim_uid)
    assert (item.state, claim.level, claim.parser) == ("edited", "partial", "person:carla")
    seen = claim.observations.get().document
    assert seen.sha256 == PageRecord.objects.get(version="0.12.0").snapshot_id
    assert f"{TURING} supported 0.11.0..0.11.0" in standing()
    assert curator.get(address)["Location"] == f"/review/{pk}/"


def test_opening_an_edited_item_again_withdraws_the_own_claim(fill: Fill, curator: Client) -> None:
    fill(r11=page(), r12=page(AWQ="no no yes"))
    pk = open_pks()[TURING]
    fields = form_fields(soup_of(curator.get(f"/review/{pk}/edit/")))
    curator.post(f"/review/{pk}/edit/", {**fields, "reason": "by hand", "action": "save"})
    uid = ReviewItem.objects.get(pk=pk).claim_uid
    curator.post(f"/review/{pk}/decide/", {"action": "reopen", "reason": "a wrong row"})
    assert Claim.objects.get(uid=uid).withdrawn_at is not None
    assert ReviewItem.objects.get(pk=pk).state == ItemState.OPEN


def test_wrong_fields_of_an_own_claim_are_named(fill: Fill, curator: Client) -> None:
    fill(r11=page(), r12=page(AWQ="no no yes"))
    pk = open_pks()[TURING]
    fields = form_fields(soup_of(curator.get(f"/review/{pk}/edit/")))
    fields |= {"hardware": "nvidia-turin", "reason": "x", "action": "save"}
    soup = soup_of(curator.post(f"/review/{pk}/edit/", fields), 422)
    assert "Turing" in soup.find(id="id_hardware_error").text
    assert ReviewItem.objects.get(pk=pk).state == ItemState.OPEN


def test_the_form_says_what_part_of_the_scope_it_cannot_say(fill: Fill, curator: Client) -> None:
    fill(r11=page(), r12=page(AWQ="no no yes"))
    item = ReviewItem.objects.get(pk=open_pks()[TURING])
    said = item.new["statements"][0]
    scope = {**said["scope"], "quantization": {"include": ["awq"], "exclude": ["fp8"]}}
    item.new = {"statements": [{**said, "scope": scope}]}
    item.save(update_fields=["new"])
    warned = soup_of(curator.get(f"/review/{item.pk}/edit/")).find(class_="message-warn").text
    assert "AWQ but not FP8" in warned and "Turing" not in warned


def test_a_change_of_a_release_shows_its_facts_and_stays_once_accepted(curator: Client) -> None:
    add_items(
        1,
        kind=ItemKind.CHANGED,
        rule="",
        source="code-host",
        code="repository-moved",
        old={"repository": "a/b"},
        new={"repository": "c/d"},
        statement="repository",
    )
    (pk,) = open_pks().values()
    soup = soup_of(curator.get(f"/review/{pk}/"))
    assert [cell.text for cell in soup.select("tbody tr")[0].find_all(["th", "td"])] == [
        "repository", "a/b", "c/d",
    ]  # fmt: skip
    assert not soup.find("a", href=f"/review/{pk}/edit/")
    curator.post(f"/review/{pk}/decide/", {"action": "accept"})
    again = curator.post(f"/review/{pk}/decide/", {"action": "reopen", "reason": "no"})
    assert again.status_code == 409
    assert ReviewItem.objects.get().state == ItemState.ACCEPTED
