"""The review queue and kept bytes over REST."""

import io
import json
from typing import Any

import jsonschema
import pytest
from django.core.management import call_command
from django.test import Client

from ingest.domain.review import ItemKind, ItemState
from ingest.models import ReviewItem
from ingest.services.reviewing import reject_items
from ingest.services.snapshots import Bytes, Taken, keep_snapshot
from tests.ingest.pages.review_world import NOW, add_items, open_pks
from tests.matrix.api.problems import problem
from tests.matrix.api.rows import bearer, make_user
from tests.matrix.api.test_openapi import check, strict

pytestmark = pytest.mark.django_db
ITEMS = "/api/v1/review-items/"
Headers = dict[str, str]


@pytest.fixture(scope="module")
def description() -> Any:
    """The OpenAPI description, made without a single warning."""
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json",
                 stdout=out, stderr=io.StringIO())  # fmt: skip
    return json.loads(out.getvalue())


def decide(client: Client, pk: int, headers: Headers, **body: Any) -> Any:
    return client.post(f"{ITEMS}{pk}/decide/", body, content_type="application/json",
                       headers=headers)  # fmt: skip


def described(description: Any, path: str, method: str = "get") -> Any:
    answers = description["paths"][path][method]["responses"]
    return strict(answers["200"]["content"]["application/json"]["schema"])


@pytest.mark.parametrize("path", ["", "1/"])
def test_only_curators_read_the_queue(client: Client, path: str) -> None:
    problem(client.get(ITEMS + path), 401, "not-authenticated")
    contributor = bearer(make_user("rita", "contributor"), "read", "write")
    refused = problem(client.get(ITEMS + path, headers=contributor), 403, "permission-denied")
    assert "role admin or curator" in refused["detail"]
    blind = bearer(make_user("cora", "curator"), "write")
    problem(client.get(ITEMS + path, headers=blind), 403, "permission-denied")


def test_deciding_needs_the_scope_write(client: Client) -> None:
    add_items(1)
    (pk,) = open_pks().values()
    reading = bearer(make_user("cora", "curator"), "read")
    problem(decide(client, pk, reading, decision="accept"), 403, "permission-denied")
    assert ReviewItem.objects.get().state == ItemState.OPEN


def test_the_list_is_as_described_and_filtered(
    client: Client, curator: Headers, description: Any
) -> None:
    add_items(3)
    add_items(2, kind=ItemKind.DUE_RECHECK)
    answer = client.get(ITEMS, {"page_size": "2"}, headers=curator)
    check(strict(description), described(description, ITEMS), answer.json())
    assert len(answer.json()["results"]) == 2
    following = client.get(answer.json()["next"], headers=curator).json()
    ids = [row["id"] for row in (*answer.json()["results"], *following["results"])]
    assert ids == sorted(ids, reverse=True) and len(set(ids)) == 4
    kinds = client.get(ITEMS, {"kind": "due-recheck", "state": "open"}, headers=curator).json()
    assert len(kinds["results"]) == 2
    problem(client.get(ITEMS, {"kind": "odd"}, headers=curator), 400, "invalid-value")
    problem(client.get(ITEMS, {"odd": "1"}, headers=curator), 400, "unknown-parameter")


def test_an_answer_is_kept_until_the_queue_changes(client: Client, curator: Headers) -> None:
    add_items(2)
    first = client.get(ITEMS, headers=curator)
    known = {**curator, "if-none-match": first["ETag"]}
    assert first["Cache-Control"] == "private, no-cache"
    assert client.get(ITEMS, headers=known).status_code == 304
    reject_items(list(open_pks().values())[:1], actor="x", now=NOW, reason="no")
    assert client.get(ITEMS, headers=known).status_code == 200


def test_a_decision_and_the_item_are_as_described(
    client: Client, curator: Headers, description: Any
) -> None:
    add_items(1)
    (pk,) = open_pks().values()
    made = decide(client, pk, curator, decision="reject", reason="a slip")
    check(strict(description), described(description, f"{ITEMS}{{id}}/decide/", "post"),
          made.json())  # fmt: skip
    item = client.get(f"{ITEMS}{pk}/", headers=curator).json()
    check(strict(description), described(description, f"{ITEMS}{{id}}/"), item)
    assert (item["state"], item["reason"], item["decided_by"]) == ("rejected", "a slip", "carla")
    assert [line["action"] for line in item["history"]] == ["review-rejected"]


def test_a_decided_item_is_a_conflict_and_can_be_opened_again(
    client: Client, curator: Headers
) -> None:
    add_items(1)
    (pk,) = open_pks().values()
    decide(client, pk, curator, decision="reject", reason="a slip")
    late = problem(decide(client, pk, curator, decision="accept"), 409, "conflict")
    assert f"{pk} (rejected)" in late["detail"]
    decide(client, pk, curator, decision="reopen", reason="look again")
    assert ReviewItem.objects.get().state == ItemState.OPEN


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"decision": "explode"},
        {"decision": "reject"},
        {"decision": "accept", "other": 1},
        {"decision": "accept", "reason": ["x"]},
    ],
)
def test_a_body_of_another_form_is_refused(
    client: Client, curator: Headers, body: dict[str, Any]
) -> None:
    add_items(1)
    (pk,) = open_pks().values()
    problem(decide(client, pk, curator, **body), 400, "invalid-value")
    assert ReviewItem.objects.get().state == ItemState.OPEN


def test_a_word_is_mapped_or_set_aside(client: Client, curator: Headers) -> None:
    add_items(1, kind=ItemKind.UNKNOWN_WORD, statement="FP8X", code="quantization")
    (pk,) = open_pks().values()
    problem(decide(client, pk, curator, decision="accept"), 409, "conflict")
    problem(decide(client, pk, curator, decision="map", slug="fp9"), 400, "unknown-name")
    made = decide(client, pk, curator, decision="map", slug="fp8").json()
    assert (made["decided"], made["item"]["new"]["mapped_to"]) == (1, "fp8")


def test_what_is_not_there_is_not_found(client: Client, curator: Headers) -> None:
    problem(client.get(f"{ITEMS}7/", headers=curator), 404, "not-found")
    problem(decide(client, 7, curator, decision="accept"), 404, "not-found")
    problem(client.get(f"/api/v1/snapshots/{'0' * 64}/"), 404, "not-found")
    problem(client.get("/api/v1/snapshots/abc/"), 404, "not-found")


def test_kept_bytes_are_described_for_everybody(client: Client, description: Any) -> None:
    body = b"<b>text</b>"
    sha256 = keep_snapshot(
        Bytes(body=body, media_type="text/html"),
        Taken(url="https://example.org/page", retrieved_at=NOW, framework="vllm"),
    )
    answer = client.get(f"/api/v1/snapshots/{sha256}/")
    path = "/api/v1/snapshots/{sha256}/"
    check(strict(description), described(description, path), answer.json())
    assert answer.json()["size_bytes"] == len(body)
    assert answer.json()["retrievals"][0]["retrieved_at"] == "2026-01-10T12:00:00Z"
    assert client.get(answer.json()["links"]["raw"]).content == body
    known = {"if-none-match": answer["ETag"]}
    assert client.get(f"/api/v1/snapshots/{sha256}/", headers=known).status_code == 304


def test_every_operation_of_this_app_tells_its_problems(description: Any) -> None:
    paths = [p for p in description["paths"] if "review-items" in p or "snapshots" in p]
    assert len(paths) >= 4
    for path in paths:
        for one in description["paths"][path].values():
            assert {"400", "401", "403", "406", "429"} <= set(one["responses"])
    for example in description["paths"][f"{ITEMS}{{id}}/decide/"]["post"]["requestBody"]["content"][
        "application/json"
    ]["examples"].values():
        schema = description["components"]["schemas"]["DecisionInput"]
        whole = {**schema, "components": description["components"]}
        jsonschema.Draft202012Validator(whole).validate(example["value"])


def test_a_framework_that_nobody_knows_is_no_empty_list(client: Client, curator: Headers) -> None:
    add_items(1)
    refused = problem(client.get(ITEMS + "?framework=vlm", headers=curator), 400, "unknown-name")
    assert (refused["parameter"], refused["value"]) == ("framework", "vlm")
    assert len(client.get(ITEMS + "?framework=vLLM", headers=curator).json()["results"]) == 1


@pytest.mark.parametrize(
    ("body", "name", "value"),
    [({}, "decision", "missing"), ({"decision": "maybe"}, "decision", "maybe"),
     ({"decision": "reject", "reason": "x" * 3_000}, "reason", "x" * 60),
     ({"decision": "reject", "because": 5}, "because", "5")],
)  # fmt: skip
def test_a_wrong_member_is_named_with_its_value(
    client: Client, curator: Headers, body: Any, name: str, value: str
) -> None:
    add_items(1)
    (pk,) = open_pks().values()
    refused = problem(decide(client, pk, curator, **body), 400, "invalid-value")
    assert (refused["parameter"], refused["value"]) == (name, value)
    assert "decision (accept" in refused["accepted"]
