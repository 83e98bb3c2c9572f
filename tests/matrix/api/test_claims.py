"""Reading claims, and who may record, supersede and withdraw them."""

import copy
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from matrix.index import current_revision
from matrix.models import AuditEntry, Claim
from matrix.services import withdraw_claim
from tests.matrix.api.problems import problem
from tests.matrix.api.rows import CLAIM_BODY, bearer, make_user

pytestmark = pytest.mark.usefixtures("world")


def uids(client: Client, **words: str) -> list[str]:
    """The identifiers of a page of claims."""
    answer = client.get(reverse("api-claims"), words)
    assert answer.status_code == 200, answer.content
    return [row["uid"] for row in answer.json()["results"]]


def post(client: Client, body: Any, headers: dict[str, str], *, to: str = "api-claims") -> Any:
    """Posts a body to a route of claims."""
    path = reverse(to, args=[] if to == "api-claims" else ["turing"])
    return client.post(path, body, content_type="application/json", headers=headers)


@pytest.fixture
def curator() -> dict[str, str]:
    """The header of a curator's token."""
    return bearer(make_user("curator", "curator"), "read", "write")


def test_claims_are_filtered_by_what_they_say(client: Client) -> None:
    assert uids(client, level="supported") == ["awq-on-turing", "turing"]
    assert uids(client, quantization="FP8") == ["fp8-on-volta", "fp8-on-volta-later"]
    assert uids(client, hardware="nvidia-volta") == ["fp8-on-volta", "fp8-on-volta-later"]
    assert uids(client, hardware="nvidia-t4") == []
    assert len(uids(client, hardware="nvidia")) == 4
    assert uids(client, feature="lora") == []
    assert len(uids(client, statement="STATE", kind="documentation", source="test:rule")) == 4


def test_claims_are_filtered_by_both_clocks(client: Client) -> None:
    assert uids(client, as_of="2025-07-01", quantization="fp8") == ["fp8-on-volta"]
    assert uids(client, as_of="2025-09-01", quantization="fp8") == ["fp8-on-volta-later"]
    assert uids(client, as_of="2025-01-01") == []
    assert len(uids(client, known_at="2025-01-01")) == 4
    assert uids(client, known_at="2024-12-31") == []
    withdraw_claim("turing", actor="test", reason="was wrong")
    assert uids(client, standing="false") == ["turing"]
    assert "turing" not in uids(client, standing="true")
    assert "turing" in uids(client, known_at="2025-06-01")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"level": "conditional"}, "invalid-value"),
        ({"kind": "rumour"}, "invalid-value"),
        ({"tier": "golden"}, "invalid-value"),
        ({"source": "nobody"}, "invalid-value"),
        ({"as_of": "2025-7-1"}, "invalid-value"),
        ({"standing": "1"}, "invalid-value"),
        ({"hardware": "nothing"}, "unknown-name"),
        ({"feature": "nothing"}, "unknown-name"),
        ({"colour": "red"}, "unknown-parameter"),
    ],
)
def test_an_unknown_filter_value_is_an_error(
    client: Client, words: dict[str, str], code: str
) -> None:
    problem(client.get(reverse("api-claims"), words), 400, code)


def test_a_claim_shows_every_observation_with_its_document_and_place(client: Client) -> None:
    claim = client.get(reverse("api-claim", args=["awq-on-turing"])).json()
    assert [seen["release"] for seen in claim["observations"]] == ["0.6.0", "0.7.0"]
    first = claim["observations"][0]
    assert first["document"]["url"] == "https://example.org/0.6.0/page.md"
    assert first["locator_text"] == "row “row”, column “column”, line 1"
    assert first["raw"] == "sign"
    assert claim["validity"]["last"] == "0.7.0"
    assert claim["standing"] is True


def test_a_page_of_claims_costs_the_same_queries_however_long(client: Client) -> None:
    client.get(reverse("api-claims"))
    for size in ("1", "100"):
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("api-claims"), {"page_size": size})
        assert len(queries) == 2
    with CaptureQueriesContext(connection) as queries:
        client.get(reverse("api-claim", args=["awq-on-turing"]))
    assert len(queries) == 4


# -- who may write --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roles", "scopes", "allowed"),
    [
        ((), ("read", "write"), False),
        (("reader",), ("read", "write"), False),
        (("contributor",), ("read", "write"), False),
        (("curator",), ("read",), False),
        (("curator",), ("write",), True),
        (("admin",), ("read", "write"), True),
        (("contributor", "curator"), ("write",), True),
    ],
)
@pytest.mark.parametrize("to", ["api-claims", "api-claim-supersede", "api-claim-withdraw"])
def test_writing_needs_the_role_and_the_scope(
    client: Client, roles: tuple[str, ...], scopes: tuple[str, ...], allowed: bool, to: str
) -> None:
    body: Any = {
        "api-claims": CLAIM_BODY,
        "api-claim-supersede": {"reason": "newer", "claim": CLAIM_BODY},
        "api-claim-withdraw": {"reason": "was wrong"},
    }[to]
    before = (Claim.objects.count(), current_revision())
    answer = post(client, body, bearer(make_user("somebody", *roles), *scopes), to=to)
    if allowed:
        assert answer.status_code in (200, 201), answer.content
        assert current_revision() == before[1] + 1
        return
    members = problem(answer, 403, "permission-denied")
    assert ("scope" if "write" not in scopes else "role") in members["detail"]
    assert (Claim.objects.count(), current_revision()) == before


def test_nobody_writes_without_an_account(client: Client) -> None:
    problem(post(client, CLAIM_BODY, {}), 401, "not-authenticated")


def test_a_signed_in_browser_writes_only_with_its_csrf_token() -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_user("curator", "curator"))
    problem(post(strict, CLAIM_BODY, {}), 403, "permission-denied")


# -- writing --------------------------------------------------------------------------------------


def test_a_recorded_claim_answers_at_once_and_is_audited(
    client: Client, curator: dict[str, str]
) -> None:
    question = {"framework": "vllm", "version": "0.6.0", "quantization": "awq",
                "hardware": "nvidia-ampere"}  # fmt: skip
    assert client.get(reverse("api-verdicts"), question).json()["level"] == "unknown"
    answer = post(client, CLAIM_BODY, curator)
    assert answer.status_code == 201, answer.content
    claim = answer.json()
    assert answer.headers["Location"] == reverse("api-claim", args=[claim["uid"]])
    assert claim["parser"] == "person:curator"
    assert claim["validity"]["first"] == claim["validity"]["last"] == "0.6.0"
    assert client.get(answer.headers["Location"]).json()["observations"] == claim["observations"]
    assert client.get(reverse("api-verdicts"), question).json()["level"] == "supported"
    entry = AuditEntry.objects.get(action="record-claim")
    assert (entry.actor, entry.subject) == ("curator", f"claim:{claim['uid']}")


def test_the_same_statement_is_not_recorded_twice(client: Client, curator: dict[str, str]) -> None:
    assert post(client, CLAIM_BODY, curator).status_code == 201
    problem(post(client, CLAIM_BODY, curator), 409, "conflict")


def test_superseding_ends_the_old_claim_by_the_new_one(
    client: Client, curator: dict[str, str]
) -> None:
    body = {"reason": "the page was corrected", "claim": CLAIM_BODY}
    new = post(client, body, curator, to="api-claim-supersede").json()
    assert new["supersedes"] == ["turing"]
    old = client.get(reverse("api-claim", args=["turing"])).json()
    assert old["superseded_by"] == new["uid"]
    assert old["standing"] is False
    assert old["reason"] == "the page was corrected"
    again = {"reason": "again", "claim": CLAIM_BODY | {"statement": "other"}}
    problem(post(client, again, curator, to="api-claim-supersede"), 409, "conflict")


def test_withdrawing_keeps_the_claim_readable(client: Client, curator: dict[str, str]) -> None:
    answer = post(client, {"reason": "was wrong"}, curator, to="api-claim-withdraw")
    assert answer.status_code == 200
    assert answer.json()["standing"] is False
    assert client.get(reverse("api-claim", args=["turing"])).json()["reason"] == "was wrong"
    again = post(client, {"reason": "again"}, curator, to="api-claim-withdraw")
    problem(again, 409, "conflict")


def test_a_claim_that_does_not_exist_cannot_end(client: Client, curator: dict[str, str]) -> None:
    for route, body in (("withdraw", {"reason": "x"}),
                        ("supersede", {"reason": "x", "claim": CLAIM_BODY})):  # fmt: skip
        path = reverse(f"api-claim-{route}", args=["nothing"])
        answer = client.post(path, body, content_type="application/json", headers=curator)
        problem(answer, 404, "not-found")


def changed(**changes: Any) -> dict[str, Any]:
    """The sample body with changed members; ``observation`` changes the one observation."""
    body = copy.deepcopy(CLAIM_BODY)
    body["observations"][0].update(changes.pop("observation", {}))
    return {name: value for name, value in (body | changes).items() if value != "left out"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (changed(framework="nothing"), ["framework", "nothing"]),
        (changed(framework=None), ["framework"]),
        (changed(level="conditional"), ["level", "conditional"]),
        (changed(level="partial"), ["note"]),
        (changed(kind="rumour"), ["kind"]),
        (changed(statement=""), ["statement"]),
        (changed(statement="\u0000"), ["statement"]),
        (changed(colour="red"), ["colour", "accepted"]),
        (changed(observations=[]), ["observations"]),
        (changed(observations="left out"), ["observations"]),
        (changed(observations=[5]), ["observations"]),
        (changed(observations=[None] * 1_000), ["observations"]),
        (changed(scope=[]), ["scope"]),
        (changed(scope="left out"), ["scope"]),
        (changed(scope={"colour": {}}), ["colour", "accepted axes"]),
        (changed(scope={"hardware": {"include": ["turing"]}}), ["turing", "nvidia-turing"]),
        (changed(scope={"hardware": {"include": "nvidia"}}), ["hardware"]),
        (changed(scope={"features": ["nothing"]}), ["nothing"]),
        (changed(scope={"engine": {"include": ["A B"]}}), ["engine"]),
        (changed(scope={"tensor_parallel": {"min": "two"}}), ["tensor_parallel"]),
        (changed(first="9.9.9"), ["first", "9.9.9", "0.9.0"]),
        (changed(first_kind="between"), ["between"]),
        (changed(gone="0.8.0"), ["gone"]),
        (changed(conditions=[{"kind": "flag"}]), ["conditions[0].name"]),
        (changed(conditions=[{"kind": "x", "name": "y"}]), ["conditions[0].kind"]),
        (changed(observation={"release": "9.9.9"}), ["observations[0].release", "0.9.0"]),
        (changed(observation={"stated_on": "2999-01-01"}), ["observations[0].stated_on"]),
        (changed(observation={"stated_on": "yesterday"}), ["observations[0].stated_on"]),
        (changed(observation={"locator": {"line": 0}}), ["observations[0].locator.line"]),
        (changed(observation={"document": {"url": "javascript:alert(1)"}}),
         ["observations[0].document.url"]),
        (changed(observation={"document": {}}), ["observations[0].document.url"]),
        (changed(limit="budget"), ["limit"]),
    ],
    ids=lambda value: str(value)[-60:],
)  # fmt: skip
def test_a_claim_that_breaks_the_rules_is_refused_with_every_problem(
    client: Client, curator: dict[str, str], body: Any, words: list[str]
) -> None:
    before = Claim.objects.count()
    members = problem(post(client, body, curator), 422, "invalid-claim")
    told = " ".join(members["problems"])
    assert all(word in told for word in words), told
    assert len(members["problems"]) <= 50
    assert Claim.objects.count() == before


def test_all_problems_are_told_at_once(client: Client, curator: dict[str, str]) -> None:
    body = changed(scope={"features": ["nothing"]}, level="partial", first="9.9.9",
                   observation={"release": "8.8.8", "stated_on": "2999-01-01"})  # fmt: skip
    problems = problem(post(client, body, curator), 422, "invalid-claim")["problems"]
    assert len(problems) == 5


@pytest.mark.parametrize("body", [{"reason": ""}, {"reason": None}, {}, {"reason": "x", "why": 1}])
def test_an_end_needs_its_reason_and_nothing_else(
    client: Client, curator: dict[str, str], body: Any
) -> None:
    problem(post(client, body, curator, to="api-claim-withdraw"), 422, "invalid-claim")
