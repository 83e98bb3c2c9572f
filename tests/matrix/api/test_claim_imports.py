"""Claims as people write them over REST: one in a body, many in lines."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matrix.index import current_revision
from matrix.models import Claim
from tests.matrix.api.problems import problem
from tests.matrix.api.rows import bearer, make_user

pytestmark = pytest.mark.usefixtures("world")

LINE: dict[str, Any] = {
    "framework": "vllm",
    "statement": "AWQ on an A100",
    "scope": {"quantization": "awq", "hardware": "nvidia-a100"},
    "level": "yes",
    "kind": "user",
    "evidence": {
        "url": "https://example.org/issues/7",
        "comment": "first",
        "release": "0.6.0",
        "stated_on": "2025-07-01",
    },
}
NDJSON = "application/x-ndjson"


@pytest.fixture
def curator() -> dict[str, str]:
    """The header of a curator's token."""
    return bearer(make_user("curator", "curator"), "write")


def send(
    client: Client,
    body: str | bytes,
    headers: dict[str, str],
    *,
    query: str = "",
    form: str = NDJSON,
) -> Any:
    """Posts lines."""
    path = reverse("api-claim-imports") + query
    return client.post(path, body, content_type=form, headers=headers)


def lines(*items: Any) -> str:
    return "".join(json.dumps(item) + "\n" for item in items)


def test_one_claim_may_be_written_with_names(client: Client, curator: dict[str, str]) -> None:
    answer = client.post(
        reverse("api-claims"), LINE, content_type="application/json", headers=curator
    )
    assert answer.status_code == 201, answer.content
    claim = answer.json()
    assert claim["level"] == "supported"
    assert claim["kind"] == "user-report"
    assert claim["parser"] == "person:curator"
    assert claim["validity"]["first_kind"] == "at-or-before"
    again = client.post(
        reverse("api-claims"), LINE, content_type="application/json", headers=curator
    )
    problem(again, 409, "conflict")


def test_all_problems_of_a_written_claim_are_listed(
    client: Client, curator: dict[str, str]
) -> None:
    bad = LINE | {"level": "maybe", "scope": {"hardware": "nvidia-a101"}}
    answer = client.post(reverse("api-claims"), bad, content_type="application/json",
                         headers=curator)  # fmt: skip
    found = problem(answer, 422, "invalid-claim")["problems"]
    assert [text.split(":")[0] for text in found] == ["level", "scope.hardware"]


def test_a_written_claim_may_take_the_place_of_another(
    client: Client, curator: dict[str, str]
) -> None:
    path = reverse("api-claim-supersede", args=["turing"])
    body = {"reason": "read again", "claim": LINE}
    answer = client.post(path, body, content_type="application/json", headers=curator)
    assert answer.status_code == 201, answer.content
    assert answer.json()["supersedes"] == ["turing"]
    unreasoned = client.post(path, {"claim": LINE}, content_type="application/json",
                             headers=curator)  # fmt: skip
    problem(unreasoned, 422, "invalid-claim")


def test_lines_are_recorded_once(client: Client, curator: dict[str, str]) -> None:
    before = current_revision()
    answer = send(client, lines(LINE), curator)
    assert answer.status_code == 201, answer.content
    plain = answer.json()
    assert plain["revision"] == before + 1
    assert [item["line"] for item in plain["new"]] == [1]
    assert plain["new"][0]["reads"].startswith("vllm: supported unofficial; hardware nvidia-a100")
    row = Claim.objects.get(uid=plain["new"][0]["uid"])
    assert (row.source, row.parser) == ("curation", "person:curator")
    again = send(client, lines(LINE), curator)
    assert (again.status_code, again.json()["unchanged"]) == (200, 1)
    changed = send(client, lines(LINE | {"level": "no"}), curator).json()
    assert changed["superseding"][0]["ends"] == row.uid


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(
    client: Client, curator: dict[str, str]
) -> None:
    before = (Claim.objects.count(), current_revision())
    answer = send(client, lines(LINE), curator, query="?dry_run=1&source=mine")
    assert answer.status_code == 200
    plain = answer.json()
    assert (plain["dry_run"], len(plain["new"])) == (True, 1)
    assert "mine)" in plain["new"][0]["reads"]
    assert (Claim.objects.count(), current_revision()) == before


def test_every_problem_has_its_line_and_nothing_is_recorded(
    client: Client, curator: dict[str, str]
) -> None:
    before = (Claim.objects.count(), current_revision())
    body = lines(LINE) + "{\n" + lines(LINE | {"level": "maybe", "colour": "red"})
    members = problem(send(client, body, curator), 422, "invalid-import")
    places = [(item["line"], item["field"]) for item in members["problems"]]
    assert places == [(2, ""), (3, "level"), (3, "colour")]
    assert members["count"] == 3
    assert (Claim.objects.count(), current_revision()) == before


def test_a_table_is_taken_too(client: Client, curator: dict[str, str]) -> None:
    body = (
        "framework,statement,scope.hardware,level,kind,evidence.url,evidence.release,"
        "evidence.stated_on\nvllm,on an A100,nvidia-a100,yes,docs,https://example.org/,0.6.0,"
        "2025-07-01\n"
    )
    answer = send(client, body, curator, form="text/csv")
    assert answer.status_code == 201, answer.content


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?dry_run=maybe", "invalid-value"),
        ("?colour=red", "unknown-parameter"),
        ("?dry_run=1&dry_run=0", "repeated-parameter"),
        ("?source=" + "x" * 81, "invalid-value"),
    ],
)
def test_a_wrong_parameter_is_refused(
    client: Client, curator: dict[str, str], query: str, code: str
) -> None:
    problem(send(client, lines(LINE), curator, query=query), 400, code)


def test_another_media_type_is_refused(client: Client, curator: dict[str, str]) -> None:
    answer = send(client, lines(LINE), curator, form="application/json")
    problem(answer, 415, "unsupported-media-type")


def test_lines_need_the_role_of_a_curator(client: Client) -> None:
    contributor = bearer(make_user("somebody", "contributor"), "write")
    problem(send(client, lines(LINE), contributor), 403, "permission-denied")
    problem(send(client, lines(LINE), {}), 401, "not-authenticated")


@pytest.mark.parametrize("form", [NDJSON, "text/csv"])
def test_an_empty_body_is_an_import_without_lines(
    client: Client, curator: dict[str, str], form: str
) -> None:
    # The test client names the media type of an empty body only when it is told to.
    path = reverse("api-claim-imports")
    answer = client.post(path, "", content_type=form, headers=curator, CONTENT_TYPE=form)
    assert len(problem(answer, 422, "invalid-import")["problems"]) == 1
    wrong = "application/json"
    answer = client.post(path, "", content_type=wrong, headers=curator, CONTENT_TYPE=wrong)
    problem(answer, 415, "unsupported-media-type")
