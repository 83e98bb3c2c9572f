"""Webhooks over REST: curators manage them, nobody else sees them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from ingest.models import Webhook, WebhookDelivery
from matrix.index import forget_knowledge
from matrix.models import AuditEntry
from tests.matrix.api.rows import bearer, make_user, make_world

WISH = {
    "name": "Our chat",
    "url": "https://hooks.example.org/in/abc",
    "events": ["release-published", "statements-changed"],
    "frameworks": ["vLLM"],
}


@pytest.fixture(autouse=True)
def world(db: None) -> Iterator[None]:
    """The small world."""
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


@pytest.fixture
def curator() -> dict[str, str]:
    """The header of a curator who may write."""
    return bearer(make_user("cora", "curator"), "read", "write")


def post(client: Client, name: str, body: Any, headers: dict[str, str], **words: Any) -> Any:
    """The answer to a body."""
    return client.post(
        reverse(name, kwargs=words), body, content_type="application/json", headers=headers
    )


def test_the_secret_is_shown_once(client: Client, curator: dict[str, str]) -> None:
    made = post(client, "api-webhooks", WISH, curator)
    assert made.status_code == 201
    assert made.headers["Cache-Control"] == "no-store"
    plain = made.json()
    assert plain["secret"].startswith("whsec_")
    assert plain["frameworks"] == ["vllm"]
    one = client.get(reverse("api-webhook", args=[plain["id"]]), headers=curator)
    listed = client.get(reverse("api-webhooks"), headers=curator)
    assert plain["secret"] not in one.content.decode() + listed.content.decode()
    assert one.json() == {name: value for name, value in plain.items() if name != "secret"}
    assert listed.json()["results"] == [one.json()]


def test_readers_and_contributors_see_nothing_of_it(
    client: Client, curator: dict[str, str]
) -> None:
    made = post(client, "api-webhooks", WISH, curator).json()
    for headers, status in (
        ({}, 401),
        (bearer(make_user("rita"), "read", "write"), 403),
        (bearer(make_user("carl", "contributor"), "read", "write"), 403),
    ):
        for name, words in (("api-webhooks", {}), ("api-webhook", {"pk": made["id"]})):
            answer = client.get(reverse(name, kwargs=words), headers=headers)
            assert answer.status_code == status
            assert "hooks.example.org" not in answer.content.decode()
        assert post(client, "api-webhooks", WISH, headers).status_code == status
    assert Webhook.objects.count() == 1


def test_a_token_that_may_only_read_changes_nothing(
    client: Client, curator: dict[str, str]
) -> None:
    reading = bearer(make_user("dora", "curator"), "read")
    assert client.get(reverse("api-webhooks"), headers=reading).status_code == 200
    assert post(client, "api-webhooks", WISH, reading).status_code == 403


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"url": "http://hooks.example.org/in"}, "url"),
        ({"url": "https://hooks.example.org:22/in"}, "url"),
        ({"url": "ftp://hooks.example.org/in"}, "url"),
        ({"url": "https://user:word@hooks.example.org/in"}, "url"),
        ({"events": []}, "events"),
        ({"events": ["ping"]}, "events"),
        ({"events": "release-published"}, "events"),
        ({"name": " "}, "name"),
        ({"frameworks": ["vlm"]}, "vLLM"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_wish_is_refused_with_its_reason(
    client: Client, curator: dict[str, str], change: dict[str, Any], named: str
) -> None:
    answer = post(client, "api-webhooks", {**WISH, **change}, curator)
    assert answer.status_code == 400
    assert named in answer.content.decode()
    assert Webhook.objects.count() == 0


def test_a_webhook_is_changed_rotated_tried_and_removed_and_all_of_it_is_audited(
    client: Client, curator: dict[str, str]
) -> None:
    made = post(client, "api-webhooks", WISH, curator).json()
    pk = made["id"]
    address = reverse("api-webhook", args=[pk])
    wish = {**WISH, "active": False, "frameworks": []}
    changed = client.put(address, wish, content_type="application/json", headers=curator)
    assert (changed.status_code, changed.json()["active"]) == (200, False)
    rotated = post(client, "api-webhook-secret", {}, curator, pk=pk).json()
    assert rotated["secret"] != made["secret"]
    ping = post(client, "api-webhook-ping", {}, curator, pk=pk)
    assert (ping.status_code, ping.json()["state"]) == (202, "waiting")
    listed = client.get(reverse("api-webhook-deliveries", args=[pk]), headers=curator).json()
    assert [row["id"] for row in listed["results"]] == [ping.json()["id"]]
    assert client.delete(address, headers=curator).status_code == 204
    assert client.get(address, headers=curator).status_code == 404
    assert WebhookDelivery.objects.count() == 0
    entries = AuditEntry.objects.filter(subject=f"webhook:{pk}").order_by("pk")
    assert list(entries.values_list("action", flat=True)) == [
        "create-webhook",
        "change-webhook",
        "rotate-webhook-secret",
        "ping-webhook",
        "remove-webhook",
    ]


def test_only_a_dead_message_is_sent_again(client: Client, curator: dict[str, str]) -> None:
    pk = post(client, "api-webhooks", WISH, curator).json()["id"]
    ping = post(client, "api-webhook-ping", {}, curator, pk=pk).json()["id"]
    words = {"pk": pk, "delivery": ping}
    assert post(client, "api-webhook-retry", {}, curator, **words).status_code == 400
    WebhookDelivery.objects.update(state="dead", error_code="x", attempts=12)
    again = post(client, "api-webhook-retry", {}, curator, **words)
    assert (again.status_code, again.json()["attempts"]) == (202, 0)


def test_switching_on_again_does_not_tell_what_happened_meanwhile(
    client: Client, curator: dict[str, str]
) -> None:
    pk = post(client, "api-webhooks", {**WISH, "active": False}, curator).json()["id"]
    Webhook.objects.update(collected_until=datetime(2020, 1, 1, tzinfo=UTC))
    address = reverse("api-webhook", args=[pk])
    client.put(address, WISH, content_type="application/json", headers=curator)
    assert Webhook.objects.get().collected_until > datetime(2026, 1, 1, tzinfo=UTC)
