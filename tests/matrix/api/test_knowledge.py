"""Revision, changes and the dump."""

import json
from collections import Counter
from typing import Any

import jsonschema
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.urls.resolvers import URLPattern
from django.utils import timezone

import benchmarks_app.api.urls
import ingest.api.urls
import matrix.api.urls
import matrix.site.api
from matrix.services import withdraw_claim
from tests.matrix.api.problems import problem
from tests.matrix.api.rows import CLAIMS

pytestmark = pytest.mark.usefixtures("world")


def changes(client: Client, **words: str) -> list[tuple[str, str, str]]:
    """Kind, claim and day of a page of changes."""
    answer = client.get(reverse("api-changes"), words)
    assert answer.status_code == 200, answer.content
    return [(row["change"], row["claim"], row["on"]) for row in answer.json()["results"]]


def test_an_end_and_a_beginning_about_the_same_thing_are_one_change(client: Client) -> None:
    words = {"from": "2025-08-01", "to": "2025-08-31"}
    assert changes(client, **words) == [("changed", "fp8-on-volta-later", "2025-08-13")]
    (row,) = client.get(reverse("api-changes"), words).json()["results"]
    assert (row["level_before"], row["level"]) == ("unsupported", "partial")
    assert row["claim_before"] == "fp8-on-volta"
    assert row["release"] == "0.8.0"


def test_the_first_day_is_left_out_and_the_last_one_counts(client: Client) -> None:
    day = "2025-06-14"
    assert len(changes(client, **{"from": "2025-06-13", "to": day})) == 3
    assert changes(client, **{"from": day, "to": "2025-06-30"}) == []


def test_recorded_changes_are_dated_by_the_record(client: Client) -> None:
    withdraw_claim("turing", actor="test", reason="was wrong")
    today = timezone.now().date().isoformat()
    words = {"from": "2025-12-31", "clock": "recorded"}
    assert changes(client, **words) == [("withdrawn", "turing", today)]
    assert len(changes(client, **{"from": "2024-12-31", "clock": "recorded"})) == 5
    only = changes(client, **{"from": "2024-12-31", "clock": "recorded", "change": "withdrawn"})
    assert only == [("withdrawn", "turing", today)]


def test_a_withdrawn_claim_is_no_change_of_the_sources(client: Client) -> None:
    before = changes(client, **{"from": "2025-01-01", "framework": "vLLM"})
    withdraw_claim("turing", actor="test", reason="was wrong")
    after = changes(client, **{"from": "2025-01-01", "framework": "vLLM"})
    assert {uid for _, uid, _ in before} - {uid for _, uid, _ in after} == {"turing"}


@pytest.mark.parametrize(
    ("words", "code", "parameter"),
    [
        ({}, "missing-parameter", "from"),
        ({"from": "never"}, "invalid-value", "from"),
        ({"from": "2025-02-01", "to": "2025-01-01"}, "invalid-value", "to"),
        ({"from": "2025-02-01", "clock": "wall"}, "invalid-value", "clock"),
        ({"from": "2025-02-01", "change": "recorded"}, "invalid-value", "change"),
        ({"from": "2025-02-01", "framework": "vlm"}, "unknown-name", "framework"),
    ],
)
def test_a_wrong_range_is_an_error(
    client: Client, words: dict[str, str], code: str, parameter: str
) -> None:
    members = problem(client.get(reverse("api-changes"), words), 400, code)
    assert members["parameter"] == parameter


def test_pages_of_changes_join(client: Client) -> None:
    whole = changes(client, **{"from": "2025-01-01"})
    answer = client.get(reverse("api-changes"), {"from": "2025-01-01", "page_size": "1"}).json()
    joined = []
    while True:
        joined += [row["claim"] for row in answer["results"]]
        if answer["next"] is None:
            break
        answer = client.get(answer["next"]).json()
    assert joined == [uid for _, uid, _ in whole]


def test_changes_cost_three_queries_and_two_when_asked_again(client: Client) -> None:
    client.get(reverse("api-revision"))
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("api-changes"), {"from": "2025-01-03"})
        counts.append(len(queries))
    assert counts == [3, 2]


def test_the_revision_rises_with_a_write(client: Client) -> None:
    before = client.get(reverse("api-revision"))
    assert before.json()["claims_count"] == len(CLAIMS)
    known = {"if-none-match": before.headers["ETag"]}
    assert client.get(reverse("api-revision"), headers=known).status_code == 304
    withdraw_claim("turing", actor="test", reason="was wrong")
    after = client.get(reverse("api-revision"), headers=known)
    assert after.json()["revision"] == before.json()["revision"] + 1


def dump_of(client: Client) -> list[Any]:
    """The lines of the dump."""
    answer = client.get(reverse("api-dump"))
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.getvalue().splitlines()]


def test_every_line_of_the_dump_meets_its_schema(client: Client) -> None:
    schema = client.get(reverse("api-dump-schema")).json()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    lines = dump_of(client)
    for line in lines:
        validator.validate(line)
    assert not validator.is_valid({"type": "claim"})
    assert not validator.is_valid({"type": "nothing"})
    kinds = Counter(line["type"] for line in lines)
    assert set(kinds) == {part["properties"]["type"]["const"] for part in schema["oneOf"]}
    assert kinds["claim"] == len(CLAIMS)


def test_the_dump_says_where_it_ends_and_names_documents_before_their_claims(
    client: Client,
) -> None:
    withdraw_claim("turing", actor="test", reason="was wrong")
    lines = dump_of(client)
    assert lines[0]["type"] == "header"
    end = {"type": "end", "lines": len(lines), "revision": lines[0]["revision"],
           "changed_meanwhile": False}  # fmt: skip
    assert lines[-1] == end
    documents: set[str] = set()
    for line in lines:
        if line["type"] == "document":
            documents.add(line["key"])
        if line["type"] == "claim":
            assert {seen["document"] for seen in line["observations"]} <= documents
    (ended,) = (line for line in lines if line.get("withdrawn_at"))
    assert ended["uid"] == "turing"


def test_a_dump_that_the_client_holds_is_not_sent_again(client: Client) -> None:
    tag = client.get(reverse("api-dump")).headers["ETag"]
    known = {"if-none-match": tag}
    assert client.get(reverse("api-dump"), headers=known).status_code == 304
    withdraw_claim("turing", actor="test", reason="was wrong")
    assert client.get(reverse("api-dump"), headers=known).status_code == 200


def test_the_start_page_lists_addresses_that_answer(client: Client) -> None:
    endpoints = client.get(reverse("api-start")).json()["endpoints"]
    expected = {
        **dict.fromkeys(("verdicts", "changes", "checks", "memory-estimates"), 400),
        **dict.fromkeys(("benchmark-comparisons", "benchmark-series"), 400),
        **dict.fromkeys(("webhooks", "review-items"), 401),
        **dict.fromkeys(("claim-imports", "hardware-price-imports"), 405),
        **dict.fromkeys(("verdicts/batch", "stack-checks"), 405),
    }
    for name, path in endpoints.items():
        assert (name, client.get(path).status_code) == (name, expected.get(name, 200))


def test_the_start_page_lists_every_address_that_needs_no_name(client: Client) -> None:
    listed = set(client.get(reverse("api-start")).json()["endpoints"].values())
    every = {
        reverse(str(route.name))
        for app in (matrix.api.urls, benchmarks_app.api.urls, ingest.api.urls, matrix.site.api)
        for route in app.urlpatterns
        if isinstance(route, URLPattern) and "<" not in str(route.pattern)
    }
    assert every - {reverse("api-start")} == listed
