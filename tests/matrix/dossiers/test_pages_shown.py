"""What readers see of dossiers: the list, the queue, the meeting view; and who may see it."""

from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from matrix import dossiers
from matrix.models import Dossier
from tests.matrix.api.rows import make_user
from tests.matrix.dossiers.conftest import WORDS, change
from tests.matrix.dossiers.hostile import SCRIPT, make_hostile_dossier


def page_of(client: Client, dossier: Dossier) -> BeautifulSoup:
    """The meeting view, parsed."""
    answer = client.get(reverse("dossier", args=[dossier.uid]))
    assert answer.status_code == 200
    return BeautifulSoup(answer.content, "html.parser")


def text_of(node: Any) -> str:
    """The text of an element on one line."""
    return " ".join(node.get_text(" ").split())


def test_an_empty_list_says_what_a_dossier_is_for(world: None, client: Client) -> None:
    answer = client.get(reverse("dossiers"))
    assert answer.status_code == 200
    assert b"There is no dossier here yet" in answer.content


def test_the_list_names_state_choice_and_decision(frozen: Dossier, client: Client) -> None:
    soup = BeautifulSoup(client.get(reverse("dossiers")).content, "html.parser")
    row = text_of(soup.select_one("tbody tr"))
    assert "An engine" in row
    assert "frozen" in row
    assert "vLLM on Turing" in row
    assert "vLLM on what we have." in row


def test_what_is_due_stands_on_top(draft: Dossier, client: Client) -> None:
    change(draft, "change_dossier", decision="none", recheck_on=timezone.now().date())
    change(draft, "freeze_dossier")
    soup = BeautifulSoup(client.get(reverse("dossiers")).content, "html.parser")
    queue = soup.select_one(".queue")
    assert queue is not None
    assert "a re-check is due" in text_of(queue)
    assert "re-check due" in text_of(page_of(client, draft).select_one(".dossier-marks"))


def test_only_the_newest_version_is_listed_until_all_are_asked_for(
    frozen: Dossier, client: Client
) -> None:
    fresh = dossiers.new_version(frozen.uid, actor="ada")
    newest = client.get(reverse("dossiers")).content.decode()
    assert reverse("dossier", args=[fresh.uid]) in newest
    assert reverse("dossier", args=[frozen.uid]) not in newest
    assert reverse("dossier", args=[frozen.uid]) in client.get("/dossiers/?all=1").content.decode()
    assert "A newer version replaces this one" in text_of(page_of(client, frozen))


def test_the_meeting_view_pins_dates_rules_and_hash(frozen: Dossier, client: Client) -> None:
    text = text_of(page_of(client, frozen))
    assert frozen.as_of is not None
    for said in (
        frozen.as_of.isoformat(),
        f"verdicts {frozen.ruleset}",
        frozen.content_sha256,
        f"manage.py verify_dossier {frozen.uid}",
    ):
        assert said in text


def test_an_unknown_check_is_open_and_neither_passed_nor_failed(
    draft: Dossier, client: Client
) -> None:
    change(draft, "put_criterion", name="measured", kind="knock-out", check_code="slo")
    soup = page_of(client, draft)
    row = next(r for r in soup.select("table.criteria tbody tr") if "measured" in r.get_text())
    assert [sign["class"][1] for sign in row.select(".outcome")] == ["outcome-open"]
    assert "unknown" in text_of(row)


def test_a_knocked_out_candidate_stands_last_and_does_not_compete(
    draft: Dossier, client: Client
) -> None:
    change(draft, "put_criterion", name="careful", kind="knock-out")
    change(draft, "put_candidate", name="Another", words={**WORDS, "version": "0.7.0"})
    change(draft, "put_score", candidate="1", criterion="3", passes=False, note="it is not")
    change(draft, "put_score", candidate="1", criterion="2", points=4, note="good")
    change(draft, "put_score", candidate="2", criterion="3", passes=True, note="it is")
    change(draft, "put_score", candidate="2", criterion="2", points=1, note="poor")
    soup = page_of(client, draft)
    names = [text_of(a) for a in soup.select("#comparison ~ .table-box thead th a")]
    assert names[:2] == ["Another", "vLLM on Turing"]
    assert "does not compete" in text_of(soup)


def test_every_claim_is_a_numbered_source_with_its_date_and_link(
    frozen: Dossier, client: Client
) -> None:
    soup = page_of(client, frozen)
    sources = soup.select("ol.sources > li")
    assert sources
    for number in soup.select("a.source-number"):
        assert soup.select_one(str(number["href"])) is not None
    for source in sources:
        assert source.select_one("time") is not None
        assert source.select_one("a[href^='/claims/']") is not None


@pytest.mark.parametrize("frozen", [True, False])
def test_hostile_text_stays_text(world: None, client: Client, frozen: bool) -> None:
    made = make_hostile_dossier(frozen=frozen)
    for address in (reverse("dossiers"), reverse("dossier", args=[made.uid])):
        soup = BeautifulSoup(client.get(address).content, "html.parser")
        assert not soup.select("img")
        assert not [s for s in soup.select("script") if s.get_text(strip=True)]
        assert not soup.select("[onerror], a[href^='javascript']")
        assert SCRIPT in soup.get_text()


def test_sign_offs_dissent_and_waivers_are_said(world: None, client: Client) -> None:
    text = text_of(page_of(client, make_hostile_dossier()))
    assert "1 dissents" in text
    assert "waived until" in text
    assert "Plan to remove it" in text


def test_what_is_said_of_a_dossier_adds_no_queries(frozen: Dossier, client: Client) -> None:
    addresses = (
        reverse("dossiers"), reverse("feed-dossiers"), reverse("dossier", args=[frozen.uid]),
    )  # fmt: skip

    def counts() -> list[int]:
        found = []
        for address in addresses:
            client.get(address)
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address).status_code == 200
            found.append(len(queries))
        return found

    before = counts()
    for number in range(4):
        dossiers.comment(frozen.uid, text=f"word {number}", actor="ada")
        dossiers.sign_off(
            frozen.uid, content_sha256=frozen.content_sha256, person=f"p{number}", stance="agree",
            actor="ada",
        )  # fmt: skip
        dossiers.recheck_dossier(frozen.uid, actor="ada")
        dossiers.open_dossier(title=f"more {number}", actor="ada")
    assert counts() == before
    assert max(before) <= 15


def test_a_closed_installation_shows_dossiers_to_who_signed_in_only(
    frozen: Dossier, client: Client, settings: Any
) -> None:
    settings.RUNPROOF_PUBLIC = False
    kinds = [reverse("dossier-export", args=[frozen.uid, kind]) for kind in ("html", "json")]
    addresses = [reverse("dossiers"), reverse("feed-dossiers"), *kinds]
    for address in addresses:
        assert client.get(address).status_code == 302
    client.force_login(make_user("reader", "reader"))
    for address in addresses:
        assert client.get(address).status_code == 200


def test_an_unknown_dossier_is_not_found(world: None, client: Client) -> None:
    assert client.get(reverse("dossier", args=["nobody"])).status_code == 404
    assert client.get(reverse("dossier-export", args=["nobody", "html"])).status_code == 404


def test_the_feed_tells_what_was_frozen_changed_and_is_due(
    frozen: Dossier, draft: Dossier, client: Client
) -> None:
    feed = client.get(reverse("feed-dossiers"))
    assert feed["Content-Type"].startswith("application/atom+xml")
    assert "Frozen: An engine, version 1" in feed.content.decode()
    same = client.get(reverse("feed-dossiers"), headers={"if-none-match": feed["ETag"]})
    assert same.status_code == 304
    other = dossiers.open_dossier(title="Due <now>", actor="ada")
    other = change(other, "put_candidate", name="any", words=WORDS)
    yesterday = timezone.now().date() - timedelta(days=1)
    other = change(other, "change_dossier", decision="none", recheck_on=yesterday)
    change(other, "freeze_dossier")
    text = client.get(reverse("feed-dossiers")).content.decode()
    assert "Due: Due &lt;now&gt;" in text
