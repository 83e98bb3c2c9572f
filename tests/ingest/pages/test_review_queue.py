"""The review queue: who sees it, what it shows, and what decisions on it do."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ingest.domain.review import ItemKind, ItemState
from ingest.models import ReviewItem
from ingest.services.reviewing import reject_items
from matrix.index import current_knowledge
from matrix.models import AuditEntry, Claim
from tests.ingest.pages.review_world import (
    HOSTILE,
    NOW,
    Fill,
    add_items,
    open_pks,
    page,
    soup_of,
)
from tests.ingest.pipeline.test_poll_tags import standing
from tests.matrix.api.rows import make_user

pytestmark = pytest.mark.django_db
TURING = "quantization-hardware/awq/nvidia-turing"
AMPERE = "quantization-hardware/awq/nvidia-ampere"


@pytest.fixture
def flipped(fill: Fill) -> dict[str, int]:
    """Two statements that turned from yes to no wait; their numbers by statement."""
    fill(r11=page(), r12=page(AWQ="no no no"))
    return open_pks()


def decide(client: Client, pk: int, action: str, reason: str = "", query: str = "") -> Any:
    address = f"/review/{pk}/decide/{query}"
    return client.post(address, {"action": action, "reason": reason})


@pytest.mark.parametrize("address", ["/review/", "/review/words/", "/review/1/", "/review/1/edit/"])
def test_only_curators_come_in(catalogue: object, client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer["Location"].startswith("/accounts/login/?next=/review/")
    client.force_login(make_user("rita", "contributor"))
    assert client.get(address).status_code == 403


def test_a_decision_needs_the_role_and_the_token_of_its_form(flipped: dict[str, int]) -> None:
    pk = flipped[TURING]
    other = Client()
    other.force_login(make_user("rita", "contributor"))
    assert decide(other, pk, "accept").status_code == 403
    forged = Client(enforce_csrf_checks=True)
    forged.force_login(make_user("cora", "curator"))
    assert decide(forged, pk, "accept").status_code == 403
    assert ReviewItem.objects.get(pk=pk).state == ItemState.OPEN


def test_an_empty_queue_says_so(curator: Client) -> None:
    assert soup_of(curator.get("/review/")).find(class_="empty")
    assert soup_of(curator.get("/review/words/")).find(class_="empty")


def test_the_list_shows_what_changes_from_what_to_what(
    flipped: dict[str, int], curator: Client
) -> None:
    soup = soup_of(curator.get("/review/"))
    rows = [" ".join(row.text.split()) for row in soup.select("tbody tr")]
    assert len(rows) == 2
    assert "≠ changed" in rows[0] and "✓ supported →becomes ✕ unsupported" in rows[0]
    assert "vllm-docs:quantization-hardware" in rows[0]
    labels = {label["for"] for label in soup.find_all("label")}
    assert {f"item-{pk}" for pk in flipped.values()} <= labels


def test_filters_narrow_the_list_and_count(curator: Client) -> None:
    add_items(3)
    add_items(2, kind=ItemKind.DUE_RECHECK, source="tgi-docs")
    reject_items(open_pks(kind="due-recheck").values(), actor="x", now=NOW, reason="no")
    soup = soup_of(curator.get("/review/"))
    chips = [" ".join(chip.text.split()) for chip in soup.select(".chips .chip")]
    assert chips == ["○ open 3", "✕ rejected 2", "⚠ drift alarm 3"]
    for query, count in (
        ("state=rejected", 2), ("state=any", 5), ("kind=due-recheck", 0), ("age=day", 0),
        ("age=older", 3), ("framework=vllm", 3), ("source=vllm-docs", 3),
        ("state=any&source=tgi-docs", 2), ("statement=ement+1", 1),
    ):  # fmt: skip
        rows = soup_of(curator.get(f"/review/?{query}")).select("tbody tr")
        assert len(rows) == count, query


def test_open_rechecks_are_counted_but_do_not_bury_the_rest(curator: Client) -> None:
    add_items(2)
    add_items(40, kind=ItemKind.DUE_RECHECK, source="tgi-docs")
    soup = soup_of(curator.get("/review/"))
    assert len(soup.select("tbody tr")) == 2
    words = " ".join(soup.text.split())
    assert "2 items, newest first" in words
    link = soup.find("a", string="40 pages due for a re-check")
    assert len(soup_of(curator.get(link["href"])).select("tbody tr")) == 40
    assert len(soup_of(curator.get("/review/?state=any")).select("tbody tr")) == 42


@pytest.mark.parametrize("query", ["kind=nonsense", "age=5", "size=7", "before=x", "state=1"])
def test_a_filter_that_does_not_exist_is_explained(curator: Client, query: str) -> None:
    name = query.partition("=")[0]
    assert name in soup_of(curator.get(f"/review/?{query}"), 400).find(role="alert").text


def test_pages_follow_each_other_without_gap_or_repetition(curator: Client) -> None:
    add_items(60)
    seen: list[str] = []
    address = "/review/?size=25"
    for _ in range(3):
        soup = soup_of(curator.get(address))
        seen += [box["value"] for box in soup.select("input[name=item]")]
        following = soup.find("a", rel="next")
        address = following["href"] if following else ""
    assert address == ""
    assert [int(pk) for pk in seen] == sorted(map(int, seen), reverse=True)
    assert len(set(seen)) == 60
    back = soup.find("a", rel="prev")["href"]
    middle = [b["value"] for b in soup_of(curator.get(back)).select("input[name=item]")]
    assert middle == seen[25:50]


def test_the_number_of_queries_does_not_grow_with_the_queue(curator: Client) -> None:
    def count() -> int:
        current_knowledge()
        curator.get("/review/")
        with CaptureQueriesContext(connection) as caught:
            assert curator.get("/review/").status_code == 200
        return len(caught)

    add_items(5)
    few = count()
    add_items(300)
    assert count() == few <= 10


def test_hostile_words_are_shown_as_text(curator: Client) -> None:
    add_items(1, statement=HOSTILE, sentence=HOSTILE)
    (pk,) = open_pks().values()
    for address in ("/review/", f"/review/{pk}/"):
        answer = curator.get(address)
        assert HOSTILE.encode() not in answer.content
        assert not soup_of(answer).find("img")


def test_an_item_shows_both_sides_the_cited_line_and_what_differs(
    flipped: dict[str, int], curator: Client
) -> None:
    soup = soup_of(curator.get(f"/review/{flipped[TURING]}/"))
    old, new = soup.select(".sides section")
    assert "supported" in old.text and "unsupported" in new.text
    assert "≠ level" in " ".join(new.text.split())
    marked = [mark.text for mark in soup.select("li.cited mark")]
    assert marked == ["| AWQ | ❌ | ❌ | ❌ |", "| AWQ | ❌ | ✅︎ | ✅︎ |"]
    for link in soup.select(".said a[href^='/snapshots/']"):
        assert curator.get(link["href"]).status_code == 200
    assert soup.select(".said a[href^='/snapshots/']")


def test_accepting_records_the_statement_and_goes_on_to_the_next_item(
    flipped: dict[str, int], curator: Client
) -> None:
    answer = decide(curator, flipped[TURING], "accept", "checked", "?kind=changed")
    assert answer["Location"] == f"/review/{flipped[AMPERE]}/?kind=changed&state=open"
    assert f"{TURING} unsupported 0.12.0..0.12.0" in standing()
    assert "1 item was accepted. Claims: 1 new" in soup_of(curator.get(answer["Location"])).text
    entry = AuditEntry.objects.get(action="review-accepted")
    assert (entry.actor, entry.after["reason"]) == ("carla", "checked")
    assert decide(curator, flipped[AMPERE], "accept")["Location"] == "/review/?state=open"


def test_a_refusal_without_a_reason_changes_nothing(
    flipped: dict[str, int], curator: Client
) -> None:
    soup = soup_of(decide(curator, flipped[TURING], "reject", "  "), 422)
    assert "reason is needed" in soup.find(role="alert").text
    assert ReviewItem.objects.get(pk=flipped[TURING]).state == ItemState.OPEN
    decide(curator, flipped[TURING], "reject", "a slip of the page")
    assert ReviewItem.objects.get(pk=flipped[TURING]).reason == "a slip of the page"
    soup = soup_of(curator.get(f"/review/{flipped[TURING]}/"))
    assert "rejected · carla" in " ".join(soup.text.split())


def test_an_item_that_was_decided_meanwhile_says_by_whom(
    flipped: dict[str, int], curator: Client
) -> None:
    pk = flipped[TURING]
    reject_items([pk], actor="robin", now=NOW, reason="seen on paper")
    soup = soup_of(decide(curator, pk, "accept"), 409)
    told = soup.find(role="alert").text
    assert "Decided meanwhile" in told
    assert "rejected by robin on 2026-01-10" in told and "seen on paper" in told
    assert ReviewItem.objects.get(pk=pk).state == ItemState.REJECTED


def test_an_unknown_action_is_refused(flipped: dict[str, int], curator: Client) -> None:
    assert decide(curator, flipped[TURING], "explode").status_code == 400
    assert curator.get(f"/review/{flipped[TURING]}/decide/").status_code == 405
    assert curator.get("/review/99999999999999999999/").status_code == 404


def bulk(client: Client, action: str, *pks: int, **more: str) -> Any:
    return client.post("/review/decide/", {"item": list(pks), "action": action, **more})


def test_many_items_are_shown_before_they_are_decided(
    flipped: dict[str, int], curator: Client
) -> None:
    pks = list(flipped.values())
    soup = soup_of(bulk(curator, "accept", *pks))
    assert soup.h1.text == "Accept 2 items?"
    assert set(ReviewItem.objects.values_list("state", flat=True)) == {"open"}
    assert [box["value"] for box in soup.select("input[name=item]")] == [
        str(pk) for pk in sorted(pks, reverse=True)
    ]
    answer = bulk(curator, "accept", *pks, confirmed="1", reason="the whole row")
    assert answer["Location"] == "/review/?state=open"
    assert [line for line in standing() if "unsupported 0.12" in line] == [
        f"{AMPERE} unsupported 0.12.0..0.12.0",
        f"{TURING} unsupported 0.12.0..0.12.0",
    ]


def test_many_items_are_refused_with_one_reason(flipped: dict[str, int], curator: Client) -> None:
    pks = list(flipped.values())
    assert "reason is needed" in soup_of(bulk(curator, "reject", *pks), 422).text
    bulk(curator, "reject", *pks, confirmed="1", reason="the page was vandalised")
    assert set(ReviewItem.objects.values_list("state", "reason")) == {
        ("rejected", "the page was vandalised")
    }


def test_of_many_items_none_is_decided_when_one_was_meanwhile(
    flipped: dict[str, int], curator: Client
) -> None:
    reject_items([flipped[TURING]], actor="robin", now=NOW, reason="no")
    soup = soup_of(bulk(curator, "accept", *flipped.values(), confirmed="1"), 409)
    assert "rejected by robin" in soup.find(role="alert").text
    assert [box["value"] for box in soup.select("input[name=item]")] == [str(flipped[AMPERE])]
    assert ReviewItem.objects.get(pk=flipped[AMPERE]).state == ItemState.OPEN


def test_choosing_nothing_or_too_much_is_explained(curator: Client) -> None:
    assert "Tick the items" in soup_of(bulk(curator, "accept"), 422).text
    assert "up to 200" in soup_of(bulk(curator, "accept", *range(1, 300)), 422).text


def test_a_refused_item_that_is_opened_again_can_be_accepted(
    flipped: dict[str, int], curator: Client
) -> None:
    pk = flipped[TURING]
    decide(curator, pk, "reject", "a slip")
    assert decide(curator, pk, "reopen").status_code == 422
    decide(curator, pk, "reopen", "no slip after all")
    decide(curator, pk, "accept")
    assert f"{TURING} unsupported 0.12.0..0.12.0" in standing()
    soup = soup_of(curator.get(f"/review/{pk}/"))
    history = [line.strong.text for line in soup.select(".decided li") if line.strong]
    assert history == ["accepted", "opened again", "rejected"]


def test_opening_an_accepted_item_again_takes_back_what_it_recorded(
    flipped: dict[str, int], curator: Client
) -> None:
    pk = flipped[TURING]
    decide(curator, pk, "accept")
    decide(curator, pk, "reopen", "misread")
    assert not [line for line in standing() if line.startswith(f"{TURING} unsupported 0.12")]
    withdrawn = Claim.objects.get(statement=TURING, first="0.12.0")
    assert (withdrawn.level, withdrawn.reason) == ("unsupported", "misread")
    assert ReviewItem.objects.get(pk=pk).state == ItemState.OPEN
    entry = AuditEntry.objects.get(action="review-reopened")
    assert entry.before["state"] == "accepted" and entry.after["withdrawn"] == [withdrawn.uid]
    assert f"{TURING} supported 0.11.0..0.11.0" in standing()


def test_an_item_out_of_date_cannot_be_opened_again(
    flipped: dict[str, int], curator: Client
) -> None:
    pk = flipped[TURING]
    ReviewItem.objects.filter(pk=pk).update(state=ItemState.OBSOLETE, decided_at=NOW)
    assert decide(curator, pk, "reopen", "why not").status_code == 409
    assert not soup_of(curator.get(f"/review/{pk}/")).select("form.decide")


def test_who_may_not_come_in_is_told_as_whom_they_are_signed_in(
    catalogue: object, client: Client
) -> None:
    client.force_login(make_user("rita", "contributor"))
    assert "You are signed in as rita" in soup_of(client.get("/review/"), 403).get_text()
