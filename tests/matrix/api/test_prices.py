"""Prices of hardware over REST."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matrix.index import forget_knowledge
from matrix.models import HardwarePrice
from tests.matrix.api.problems import problem
from tests.matrix.api.rows import bearer, make_user, make_world

pytestmark = pytest.mark.usefixtures("world")

PRICE: dict[str, Any] = {
    "hardware": "T4",
    "amount_per_hour": "0.530",
    "currency": "USD",
    "effective_on": "2026-10-01",
    "provider": "<b>Example</b>",
}
CSV = "hardware,amount_per_hour,currency,effective_on\nnvidia-t4,0.53,USD,2026-10-01\n"


@pytest.fixture
def world(db: None) -> Iterator[None]:
    """The small world without its price, so that lists hold what a test records."""
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


@pytest.fixture
def writer() -> dict[str, str]:
    """The header of a contributor's token."""
    return bearer(make_user("writer", "contributor"), "write")


def post(client: Client, body: Any, headers: dict[str, str] | None = None) -> Any:
    return client.post(
        reverse("api-hardware-prices"), body, content_type="application/json",
        headers=headers or {},
    )  # fmt: skip


def send(client: Client, body: str, headers: dict[str, str], query: str = "") -> Any:
    path = reverse("api-hardware-price-imports") + query
    return client.post(path, body, content_type="text/csv", headers=headers)


def recorded(client: Client, writer: dict[str, str], **changes: Any) -> dict[str, Any]:
    body = {name: value for name, value in (PRICE | changes).items() if value is not None}
    body.setdefault("hardware", "nvidia-t4")
    body["hardware"] = "nvidia-t4"
    answer = post(client, body, writer)
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def test_a_price_is_recorded_read_and_withdrawn(client: Client, writer: dict[str, str]) -> None:
    price = recorded(client, writer)
    assert (price["hardware"], price["amount_per_hour"]) == ("nvidia-t4", "0.53")
    assert (price["terms"], price["recorded_by"]) == (None, "writer")
    path = reverse("api-hardware-price", args=[price["uid"]])
    assert client.get(path).json() == price
    listed = client.get(reverse("api-hardware-prices"), {"hardware": "nvidia"}).json()
    assert listed["results"] == [price]
    ended = client.post(
        reverse("api-hardware-price-withdraw", args=[price["uid"]]),
        {"reason": "wrong"}, content_type="application/json", headers=writer,
    )  # fmt: skip
    assert ended.status_code == 200
    assert (ended.json()["reason"], ended.json()["withdrawn_by"]) == ("wrong", "writer")
    again = client.post(
        reverse("api-hardware-price-withdraw", args=[price["uid"]]),
        {"reason": "wrong"}, content_type="application/json", headers=writer,
    )  # fmt: skip
    problem(again, 409, "conflict")


def test_a_list_that_changed_is_sent_anew(client: Client, writer: dict[str, str]) -> None:
    first = client.get(reverse("api-hardware-prices"))
    held = {"if-none-match": first["ETag"]}
    assert client.get(reverse("api-hardware-prices"), headers=held).status_code == 304
    price = recorded(client, writer)
    second = client.get(reverse("api-hardware-prices"), headers=held)
    assert second.status_code == 200
    held = {"if-none-match": second["ETag"]}
    client.post(
        reverse("api-hardware-price-withdraw", args=[price["uid"]]),
        {"reason": "wrong"}, content_type="application/json", headers=writer,
    )  # fmt: skip
    assert client.get(reverse("api-hardware-prices"), headers=held).status_code == 200


def test_filters_find_and_refuse(client: Client, writer: dict[str, str]) -> None:
    recorded(client, writer)
    path = reverse("api-hardware-prices")
    for query, count in (
        ({"currency": "usd"}, 1),
        ({"currency": "EUR"}, 0),
        ({"on": "2026-09-30"}, 0),
        ({"on": "2026-10-01"}, 1),
        ({"withdrawn": "true"}, 0),
        ({"withdrawn": "false"}, 1),
        ({"hardware": "nvidia-ampere"}, 0),
    ):
        assert len(client.get(path, query).json()["results"]) == count, query
    problem(client.get(path, {"hardware": "nvidia-t5"}), 400, "unknown-name")
    problem(client.get(path, {"on": "yesterday"}), 400, "invalid-value")
    problem(client.get(path, {"colour": "red"}), 400, "unknown-parameter")


def test_writing_needs_the_right_and_the_scope(client: Client, writer: dict[str, str]) -> None:
    problem(post(client, PRICE), 401, "not-authenticated")
    reader = bearer(make_user("reader", "reader"), "write")
    problem(post(client, PRICE, reader), 403, "permission-denied")
    narrow = bearer(make_user("narrow", "curator"), "read")
    problem(post(client, PRICE, narrow), 403, "permission-denied")
    problem(send(client, CSV, reader), 403, "permission-denied")
    assert not HardwarePrice.objects.exists()


def test_every_problem_of_a_price_is_listed(client: Client, writer: dict[str, str]) -> None:
    answer = post(client, {"hardware": "nvidia-t5", "amount_per_hour": -1, "colour": 1}, writer)
    found = problem(answer, 422, "invalid-price")["problems"]
    assert [text.split(":")[0] for text in found] == [
        "hardware", "amount_per_hour", "currency", "effective_on", "colour",
    ]  # fmt: skip
    problem(post(client, [1], writer), 400, "malformed-json")
    problem(post(client, '{"amount_per_hour": NaN}', writer), 400, "malformed-json")


def test_a_table_is_recorded_whole_or_not_at_all(client: Client, writer: dict[str, str]) -> None:
    dry = send(client, CSV, writer, "?dry_run=1")
    assert (dry.status_code, dry.json()["new"][0]["uid"]) == (200, None)
    assert not HardwarePrice.objects.exists()
    done = send(client, CSV, writer)
    assert done.status_code == 201
    assert done.json()["new"][0]["uid"] == HardwarePrice.objects.get().uid
    again = send(client, CSV, writer)
    assert (again.status_code, again.json()["unchanged"]) == (200, [2])
    broken = send(client, CSV + "nvidia-a100,x,USD,2026-10-01\n", writer)
    found = problem(broken, 422, "invalid-import")["problems"]
    assert [(p["line"], p["field"]) for p in found] == [(3, "amount_per_hour")]
    problem(send(client, "\n", writer), 422, "invalid-import")
    problem(send(client, CSV, writer, "?dry_run=maybe"), 400, "invalid-value")
    json = client.post(
        reverse("api-hardware-price-imports"), {}, content_type="application/json", headers=writer
    )
    problem(json, 415, "unsupported-media-type")


@pytest.mark.parametrize("uid", ["nobody", "x" * 40, "é", "%00"])
def test_an_unknown_price_is_not_found(client: Client, uid: str) -> None:
    problem(client.get(f"/api/v1/hardware-prices/{uid}/"), 404, "not-found")
