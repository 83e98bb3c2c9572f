"""Decisions of curators: exactly what was accepted is recorded, what was refused stays refused."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command

from ingest.domain.review import ItemKind, ItemState, PageState
from ingest.models import PageRecord, ReviewItem, RuleRecord
from ingest.services.items import Place
from ingest.services.poll_context import Fetcher
from ingest.services.polling import PollResult, backfill_feed
from ingest.services.rereading import reparse
from ingest.services.reviewing import (
    accept_items,
    edit_item,
    reject_items,
    report_problem,
)
from ingest.services.words import map_word
from matrix.catalog_loading import load_shipped
from matrix.convert import load_catalogue
from matrix.domain.errors import InvalidValue, UnknownName
from matrix.models import AuditEntry, Claim, CuratedAlias
from tests.builders import claim, scope
from tests.ingest.capture_folders import (
    QUANTIZATION_PAGE,
    uploaded,
    write_captures,
    write_manifest,
)
from tests.ingest.pipeline.code_host import CodeHost, tag_feed
from tests.ingest.pipeline.conftest import NOW
from tests.ingest.pipeline.test_poll_tags import counts, page, publish, standing

pytestmark = pytest.mark.django_db
Poll = Callable[..., PollResult]
LATER = NOW + timedelta(hours=1)
TURING = "quantization-hardware/awq/nvidia-turing"
AMPERE = "quantization-hardware/awq/nvidia-ampere"


@pytest.fixture
def fill(host: CodeHost, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Publishes releases and back-fills them; the feed is one of the registry."""
    feed = tag_feed(host.url)
    monkeypatch.setattr("ingest.domain.feeds.registry.FEEDS", (feed,))

    def run(**pages: str) -> None:
        versions = [f"0.{number.removeprefix('r')}.0" for number in pages]
        for version, text in zip(versions, pages.values(), strict=True):
            publish(host, version, text)
        since, until = versions[0], versions[-1]
        backfill_feed(feed, fetcher=fetcher, now=NOW, since=since, until=until)

    return run


def pending(**wanted: str) -> dict[str, int]:
    rows = ReviewItem.objects.filter(state=ItemState.OPEN, **wanted)
    return {row.statement: row.pk for row in rows}


def test_accepting_records_exactly_the_accepted_statements(fill: Callable[..., None]) -> None:
    fill(r11=page(), r12=page(AWQ="no no no"))
    found = pending()
    assert sorted(found) == [AMPERE, TURING]
    decision = accept_items([found[TURING]], actor="carla", now=LATER, reason="the table says so")
    assert decision.decided == 1
    assert f"{TURING} supported 0.11.0..0.11.0 0.12.0" in standing()
    assert f"{TURING} unsupported 0.12.0..0.12.0" in standing()
    assert f"{AMPERE} supported 0.11.0..0.11.0" in standing()
    assert PageRecord.objects.get(version="0.12.0").state == PageState.HELD
    accept_items([found[AMPERE]], actor="carla", now=LATER)
    assert f"{AMPERE} unsupported 0.12.0..0.12.0" in standing()
    assert PageRecord.objects.get(version="0.12.0").state == PageState.ACCEPTED


def test_accepting_in_bulk_is_the_same_as_one_by_one(fill: Callable[..., None]) -> None:
    fill(r11=page(), r12=page(AWQ="no no no"))
    accept_items(pending().values(), actor="carla", now=LATER)
    assert [line for line in standing() if "unsupported 0.12" in line] == [
        f"{AMPERE} unsupported 0.12.0..0.12.0",
        f"{TURING} unsupported 0.12.0..0.12.0",
    ]


def test_accepting_that_a_statement_is_gone_ends_its_claim(fill: Callable[..., None]) -> None:
    fill(r11=page(), r12=page(GPTQ="yes yes blank"))
    accept_items(pending().values(), actor="carla", now=LATER)
    assert "quantization-hardware/gptq/nvidia-ampere supported 0.11.0..0.11.0 0.12.0" in standing()


def test_a_decision_is_audited_with_who_and_why(fill: Callable[..., None]) -> None:
    fill(r11=page(), r12=page(AWQ="no no yes"))
    (pk,) = pending().values()
    accept_items([pk], actor="carla", now=LATER, reason="checked")
    entry = AuditEntry.objects.get(action="review-accepted")
    assert (entry.actor, entry.subject) == ("carla", f"review:{pk}")
    assert entry.after == {"state": "accepted", "reason": "checked", "claim": ""}


def test_a_refused_statement_is_never_asked_again_of_the_same_bytes(
    fill: Callable[..., None],
) -> None:
    fill(r11=page(), r12=page(AWQ="no no yes"))
    reject_items(pending().values(), actor="carla", now=LATER, reason="a slip of the page")
    before = (standing(), counts()[6])
    RuleRecord.objects.update(parser="vllm-docs/0")
    reparse(actor="reparse", now=LATER)
    assert (standing(), counts()[6]) == before
    item = ReviewItem.objects.get()
    assert (item.state, item.reason, item.decided_by) == ("rejected", "a slip of the page", "carla")
    assert PageRecord.objects.get(version="0.12.0").state == PageState.ACCEPTED


def test_other_bytes_are_asked_about_anew(fill: Callable[..., None]) -> None:
    fill(r10=page(), r11=page(AWQ="no no yes"))
    reject_items(pending().values(), actor="carla", now=LATER, reason="a slip of the page")
    fill(r12=page(AWQ="no no yes") + "\nMore words.\n")
    assert list(pending()) == [TURING]


def test_a_refusal_needs_a_reason_and_an_open_item(fill: Callable[..., None]) -> None:
    fill(r11=page(), r12=page(AWQ="no no yes"))
    (pk,) = pending().values()
    with pytest.raises(InvalidValue, match="reason is ''"):
        reject_items([pk], actor="carla", now=LATER, reason="")
    reject_items([pk], actor="carla", now=LATER, reason="no")
    with pytest.raises(InvalidValue, match=rf"items is '{pk} \(rejected\)'"):
        accept_items([pk], actor="carla", now=LATER)
    with pytest.raises(InvalidValue, match="items is 'nothing'"):
        accept_items([], actor="carla", now=LATER)


def test_an_edit_records_a_claim_of_its_own_and_refuses_the_finding(
    fill: Callable[..., None],
) -> None:
    fill(r11=page(), r12=page(AWQ="no no yes"))
    item = ReviewItem.objects.get()
    own = claim(
        "partial",
        about=scope(hardware="nvidia-turing", quantization="awq"),
        seen=["0.12.0"],
        note="only with small groups",
    )
    seen = own.observations[0]
    document = replace(seen.document, sha256=item.snapshot_sha256, key="review:1")
    own = replace(own, uid="", observations=(replace(seen, document=document),))
    edit_item(item.pk, own, actor="carla", now=LATER, reason="read by hand")
    item.refresh_from_db()
    recorded = Claim.objects.get(uid=item.claim_uid)
    assert (item.state, recorded.level) == ("edited", "partial")
    assert recorded.observations.get().document.sha256 == item.snapshot_sha256
    assert f"{TURING} supported 0.11.0..0.11.0" in standing()


def test_a_drift_alarm_that_is_let_pass_settles_the_page(fill: Callable[..., None]) -> None:
    fill(r11=page(), r12=page(**{"INT8 (W8A8)": "no no blank"}))
    alarm = ReviewItem.objects.get()
    assert alarm.kind == ItemKind.DRIFT_ALARM
    accept_items([alarm.pk], actor="carla", now=LATER)
    assert list(pending(kind="gone")) == ["quantization-hardware/int8-w8a8/nvidia-ampere"]
    assert f"{AMPERE} supported 0.11.0..0.12.0" in standing()


def test_an_alarm_that_is_refused_keeps_the_page_out(fill: Callable[..., None]) -> None:
    fill(r11=page(), r12=page(**{"INT8 (W8A8)": "no no blank"}))
    reject_items(pending().values(), actor="carla", now=LATER, reason="the page is broken")
    RuleRecord.objects.update(fingerprint="")
    reparse(actor="reparse", now=LATER)
    assert {line.split()[2] for line in standing()} == {"0.11.0..0.11.0"}


def test_a_mapped_word_is_read_at_once_and_outlives_a_load(
    fill: Callable[..., None], catalogue: object, tmp_path: object
) -> None:
    fill(r11=page(NewQuant="yes yes yes"), r12=page(NewQuant="yes yes yes"))
    (pk,) = pending(kind="unknown-word").values()
    map_word(pk, "fp8", actor="carla", now=LATER, reason="its own name for it")
    assert "quantization-hardware/fp8/nvidia-turing supported 0.11.0..0.12.0" in standing()
    assert CuratedAlias.objects.get().word == "NewQuant"
    assert ReviewItem.objects.get(pk=pk).state == ItemState.ACCEPTED
    load_shipped(catalogue, force=True)  # type: ignore[arg-type]
    assert load_catalogue().vocabulary.find("quantization", "newquant") == ("fp8",)


def test_a_word_maps_to_a_node_that_exists(fill: Callable[..., None]) -> None:
    fill(r12=page(NewQuant="yes yes yes"))
    (pk,) = pending(kind="unknown-word").values()
    with pytest.raises(UnknownName, match="AWQ"):
        map_word(pk, "awqq", actor="carla", now=LATER)
    assert ReviewItem.objects.get(pk=pk).state == ItemState.OPEN
    with pytest.raises(InvalidValue, match="map the word instead"):
        accept_items([pk], actor="carla", now=LATER)


def test_a_reported_problem_opens_one_item(db: None) -> None:
    place = Place(framework="vllm", version="0.12.0")
    opened = [
        report_problem(
            place=place, statement=TURING, sentence="wrong for T4", actor="ralf", now=LATER
        )
        for _ in range(2)
    ]
    assert opened == [1, 0]
    assert ReviewItem.objects.get().kind == ItemKind.PROBLEM_REPORT


def test_an_operators_folder_leaves_refused_statements_refused(
    fill: Callable[..., None], tmp_path: Path
) -> None:
    changed = page(AWQ="no no yes")
    fill(r11=page(), r12=changed)
    reject_items(pending().values(), actor="carla", now=LATER, reason="a slip of the page")
    before = standing()
    folder = tmp_path / "vllm"
    folder.mkdir()
    entries = []
    for version, text in (("0.10.0", page()), ("0.12.0", changed)):
        entries += write_captures(
            folder, {(version, QUANTIZATION_PAGE): text}, release_uploaded=uploaded(version)
        )
    write_manifest(folder, entries)
    call_command("ingest", "--source", "vllm-docs", "--from", str(folder), "--again")
    assert [line.replace("0.10.0..", "0.11.0..") for line in standing()] == before
    assert ReviewItem.objects.get().state == ItemState.REJECTED
