"""The freshness page and endpoint: what is polled, shipped or overdue is never called fresh."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from ingest.models import FeedState
from matrix.index import forget_knowledge
from matrix.services import add_claims, raise_revision
from tests import builders
from tests.matrix.api.rows import make_world

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def world(db: None) -> Iterator[None]:
    """The small world, whose claims are about a year old."""
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


def ask(client: Client, **words: str) -> Any:
    """The answer of the endpoint."""
    answer = client.get(reverse("api-freshness"), words)
    assert answer.status_code == 200, answer.content
    return answer.json()


def feed(plain: Any, name: str) -> Any:
    """One feed of the answer."""
    return next(row for row in plain["feeds"] if row["name"] == name)


def add_shipped(source: str, *, uid: str = "shipped") -> None:
    """A shipped claim of a source."""
    made = builders.claim(
        "supported", about=builders.scope(quantization="fp8"), uid=uid, source=source,
        recorded_at=datetime(2026, 6, 1, tzinfo=UTC),
    )  # fmt: skip
    add_claims([made], shipped=True)
    raise_revision()


def test_each_feed_tells_how_it_stands(client: Client) -> None:
    now = timezone.now()
    FeedState.objects.create(
        name="vllm-code-host", last_success_at=now - DAY / 100, next_due_at=now + DAY / 50
    )
    FeedState.objects.create(
        name="tgi-code-host", last_success_at=now - 9 * DAY, next_due_at=now - 8 * DAY
    )
    FeedState.objects.create(
        name="sglang-code-host", next_due_at=now + DAY, error_code="timed-out", error_at=now,
        error_sentence="It took too long.", error_facts={"seconds": 9}, failures_in_row=4,
    )  # fmt: skip
    plain = ask(client)
    assert feed(plain, "vllm-code-host")["health"] == "on-time"
    assert feed(plain, "tgi-code-host")["health"] == "overdue"
    assert feed(plain, "ollama-code-host")["health"] == "never-polled"
    assert feed(plain, "ollama-code-host")["next_due_at"] is None
    failing = feed(plain, "sglang-code-host")
    assert (failing["health"], failing["failures_in_row"]) == ("failing", 4)
    assert failing["error_sentence"] == "It took too long."
    assert failing["paused_until"] == failing["next_due_at"]
    assert plain["feeds"][0] == failing


def test_a_source_that_was_only_shipped_is_never_told_as_polled(client: Client) -> None:
    add_shipped("vllm-docs:models")
    rows = {row["source"]: row for row in ask(client)["sources"]}
    assert rows["vllm-docs"]["origin"] == "shipped"
    assert rows["vllm-docs"]["shipped_on"] == "2026-06-01"
    assert rows["vllm-docs"]["polled_at"] is None
    assert rows["test"]["origin"] == "recorded-here"
    page = client.get(reverse("freshness")).content.decode()
    assert "shipped, never polled here" in page


def test_a_failed_poll_makes_no_source_polled_but_a_success_does(client: Client) -> None:
    add_shipped("vllm-docs:models")
    (source,) = (row for row in ask(client)["sources"] if row["source"] == "vllm-docs")
    state = FeedState.objects.create(
        name=source["feeds"][0], last_attempt_at=timezone.now(), error_code="timed-out",
        failures_in_row=1,
    )  # fmt: skip
    assert ask(client, source="vllm-docs")["sources"][0]["origin"] == "shipped"
    state.last_success_at = timezone.now()
    state.save()
    assert ask(client, source="vllm-docs")["sources"][0]["origin"] == "polled-here"


def test_claims_are_due_unless_ended_or_said_of_all_later_releases(client: Client) -> None:
    lasting = builders.claim(
        "supported", about=builders.scope(quantization="fp8"), uid="lasting",
    )  # fmt: skip
    add_claims(
        [replace(lasting, validity=replace(lasting.validity, open_ended=True))], shipped=False
    )
    raise_revision()
    plain = ask(client)
    due = {row["claim"]: row for row in plain["due"]}
    # One claim of the world ended at 0.8.0, and the new one needs no repeating.
    assert sorted(due) == ["awq-on-turing", "fp8-on-volta-later", "turing"]
    assert plain["due_count"] == 3
    (source,) = (row for row in plain["sources"] if row["source"] == "test")
    assert source["claims_count"] == 5
    assert (source["may_fall_due_count"], source["due_count"], source["due_share"]) == (3, 3, 1.0)
    row = due["turing"]
    seen = builders.released_on("0.6.0")
    assert row["seen_on"] == seen.isoformat()
    assert row["recheck_on"] == (seen + 90 * DAY).isoformat()
    assert client.get(row["cell_url"]).status_code == 200


def test_a_source_where_nothing_can_fall_due_has_no_share(client: Client) -> None:
    add_claims(
        [
            builders.claim(
                "supported", about=builders.scope(quantization="fp8"), uid="over",
                source="old:rule", gone="0.8.0",
            )
        ],
        shipped=False,
    )  # fmt: skip
    rows = {row["source"]: row for row in ask(client)["sources"]}
    assert rows["old"]["due_share"] is None


def test_filters_narrow_and_wrong_ones_are_refused(client: Client) -> None:
    assert {row["health"] for row in ask(client, health="never-polled")["feeds"]} == {
        "never-polled"
    }
    assert ask(client, health="overdue")["feeds"] == []
    assert {row["framework"] for row in ask(client, framework="vLLM")["feeds"]} == {"vllm"}
    assert ask(client, framework="vllm-ascend")["due_count"] == 0
    for words in ({"health": "fresh"}, {"colour": "1"}, {"framework": "vlm"}, {"page": "0"},
                  {"source": "nobody"}, {"kind": "x"}, {"origin": "x"}):  # fmt: skip
        assert client.get(reverse("api-freshness"), words).status_code == 400
        assert client.get(reverse("freshness"), words).status_code == 400


def test_pages_of_due_claims_hold_each_once_and_a_page_past_the_end_is_the_first(
    client: Client,
) -> None:
    add_claims(
        [
            builders.claim("supported", about=builders.scope(quantization="fp8"), uid=f"n{n:03}")
            for n in range(60)
        ],
        shipped=False,
    )
    first = ask(client)
    second = client.get(first["next"]).json()
    uids = [row["claim"] for row in (*first["due"], *second["due"])]
    assert len(uids) == len(set(uids)) == first["due_count"] == second["due_count"] == 63
    assert (first["previous"], second["next"]) == (None, None)
    assert ask(client, page="99")["due"] == first["due"]


def test_the_page_asks_as_many_queries_however_many_claims_there_are(client: Client) -> None:
    client.get(reverse("freshness"))
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(reverse("freshness"))
    add_claims(
        [
            builders.claim("supported", about=builders.scope(quantization="fp8"), uid=f"n{n}")
            for n in range(200)
        ],
        shipped=False,
    )
    with CaptureQueriesContext(connection) as many:
        client.get(reverse("freshness"))
    assert len(many) == len(few) <= 6


def test_a_closed_installation_shows_it_to_nobody_unknown(client: Client, settings: Any) -> None:
    settings.RUNPROOF_PUBLIC = False
    assert client.get(reverse("freshness")).status_code == 302
    assert client.get(reverse("api-freshness")).status_code == 401
