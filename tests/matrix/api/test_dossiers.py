"""Dossiers over REST: rights, lost updates, freezing, hostile text."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matrix.models import Dossier
from tests.matrix.api.problems import problem
from tests.matrix.api.rows import bearer, make_user

WORDS = {"framework": "vllm", "version": "0.6.0", "hardware": "Turing", "quantization": "awq"}
HOSTILE = '<script>alert("x")</script>=cmd|1'


class Caller:
    """Sends JSON as one account."""

    def __init__(self, client: Client, *roles: str, scopes: tuple[str, ...] = ("write",)) -> None:
        self.client = client
        name = "-".join((*roles, *scopes)) or "reader"
        self.headers = bearer(make_user(name, *roles), *scopes)

    def send(self, method: str, name: str, body: Any = None, **words: str) -> Any:
        """The answer to a request to a route."""
        url = reverse(name, kwargs=words)
        if method == "delete":
            return self.client.delete(f"{url}?{body}", headers=self.headers)
        return getattr(self.client, method)(
            url, body, content_type="application/json", headers=self.headers
        )


@pytest.fixture
def contributor(world: None, client: Client) -> Caller:
    """Someone who may write drafts."""
    return Caller(client, "contributor")


@pytest.fixture
def curator(world: None, client: Client) -> Caller:
    """Someone who may freeze as well."""
    return Caller(client, "curator")


def opened(caller: Caller) -> Any:
    """A draft with one candidate and one knock-out, as it is answered."""
    made = caller.send("post", "api-dossiers", {"title": HOSTILE}).json()
    uid = made["uid"]
    made = caller.send("post", "api-dossier-candidates",
                       {"edition": 0, "name": HOSTILE, "words": WORDS}, uid=uid).json()  # fmt: skip
    return caller.send("post", "api-dossier-criteria", {
        "edition": made["edition"], "name": "runs", "kind": "knock-out", "check_code": "verdict",
    }, uid=uid).json()  # fmt: skip


def test_a_dossier_goes_from_a_draft_to_a_signed_export(
    contributor: Caller, curator: Caller, client: Client
) -> None:
    draft = opened(contributor)
    uid, edition = draft["uid"], draft["edition"]
    assert draft["title"] == draft["candidates"][0]["name"] == HOSTILE
    assert draft["candidates"][0]["key"] == "1"
    changed = contributor.send("patch", "api-dossier",
                               {"edition": edition, "decision": HOSTILE}, uid=uid)  # fmt: skip
    assert changed.status_code == 200
    whole = client.get(reverse("api-dossier", args=[uid])).json()
    assert whole["assessment"]["candidates"][0]["verdict"]["level"] == "supported"
    answer = curator.send("post", "api-dossier-freeze", {"edition": edition + 1}, uid=uid)
    frozen = answer.json()
    assert (answer.status_code, frozen["state"], frozen["due_on"]) == (
        200, "frozen", frozen["recheck_on"],
    )  # fmt: skip
    signed = contributor.send("post", "api-dossier-sign-offs", {
        "content_sha256": frozen["content_sha256"], "person": "Ben", "stance": "dissent",
        "statement": HOSTILE,
    }, uid=uid)  # fmt: skip
    assert signed.status_code == 201
    export = client.get(reverse("api-dossier-export", args=[uid])).json()
    assert export["content_sha256"] == frozen["content_sha256"]
    assert export["sign_offs"][0]["statement"] == HOSTILE
    rechecked = curator.send("post", "api-dossier-rechecks", {}, uid=uid)
    assert (rechecked.status_code, rechecked.json()["rechecks"][0]["changes"]) == (201, [])
    fresh = curator.send("post", "api-dossier-versions", {}, uid=uid)
    assert (fresh.status_code, fresh.json()["replaces"]) == (201, uid)


def test_a_stale_edition_and_a_frozen_dossier_are_conflicts(contributor: Caller) -> None:
    draft = opened(contributor)
    stale = contributor.send("patch", "api-dossier", {"edition": 0, "title": "x"},
                             uid=draft["uid"])  # fmt: skip
    told = problem(stale, 409, "stale-edition")
    assert (told["edition"], told["current"]) == (0, draft["edition"])
    for method, name, body, words in (
        ("patch", "api-dossier", {"edition": 0, "title": "x"}, {}),
        ("delete", "api-dossier", "edition=0", {}),
        ("post", "api-dossier-candidates", {"edition": 0, "name": "x", "words": WORDS}, {}),
        ("delete", "api-dossier-candidate", "edition=0", {"key": "1"}),
        ("patch", "api-dossier-criterion", {"edition": 0, "name": "x"}, {"key": "1"}),
        ("delete", "api-dossier-waivers", "edition=0&candidate=1", {}),
    ):
        answer = contributor.send(method, name, body, uid="frozen", **words)
        problem(answer, 409, "frozen-dossier")
    assert Dossier.objects.get(uid="frozen").title == "An engine <for> tests"


def test_writing_needs_the_role_and_the_scope(world: None, client: Client) -> None:
    body = {"title": "x"}
    anonymous = client.post(reverse("api-dossiers"), body, content_type="application/json")
    problem(anonymous, 401, "not-authenticated")
    for caller in (Caller(client), Caller(client, "curator", scopes=("read",))):
        problem(caller.send("post", "api-dossiers", body), 403, "permission-denied")
    writer = Caller(client, "contributor")
    refused = writer.send("post", "api-dossier-freeze", {"edition": 0}, uid="frozen")
    assert "curator" in problem(refused, 403, "permission-denied")["detail"]
    assert Dossier.objects.count() == 1


def test_wrong_bodies_name_every_field(contributor: Caller) -> None:
    answer = contributor.send("post", "api-dossiers", {
        "title": "", "need": {"workload": {"concurrency": -1}}, "colour": "red",
    })  # fmt: skip
    told = problem(answer, 422, "invalid-dossier")
    assert told["problems"]
    body = {"title": "x", "need": {"workload": {"concurrency": -1}}}
    answer = contributor.send("post", "api-dossiers", body)
    told = problem(answer, 422, "invalid-dossier")
    assert told["problems"][0]["field"] == "need.workload.concurrency"
    problem(contributor.send("post", "api-dossiers", []), 400, "malformed-json")
    draft = opened(contributor)
    missing = contributor.send("delete", "api-dossier", "", uid=draft["uid"])
    assert problem(missing, 422, "invalid-dossier")["problems"][0]["field"] == "edition"


def test_an_unknown_dossier_is_not_found(contributor: Caller, client: Client) -> None:
    problem(client.get(reverse("api-dossier", args=["nothing"])), 404, "not-found")
    problem(client.get(reverse("api-dossier-export", args=["nothing"])), 404, "not-found")
    answer = contributor.send("patch", "api-dossier", {"edition": 0, "title": "x"}, uid="nothing")
    problem(answer, 404, "not-found")


def test_a_draft_has_no_export(contributor: Caller, client: Client) -> None:
    draft = opened(contributor)
    answer = client.get(reverse("api-dossier-export", args=[draft["uid"]]))
    problem(answer, 409, "conflict")


def test_the_list_is_filtered_by_state_and_seen_anew_after_a_write(
    contributor: Caller, client: Client
) -> None:
    first = client.get(reverse("api-dossiers"))
    assert [one["uid"] for one in first.json()["results"]] == ["frozen"]
    draft = opened(contributor)
    again = client.get(reverse("api-dossiers"), headers={"if-none-match": first["ETag"]})
    assert {one["uid"] for one in again.json()["results"]} == {"frozen", draft["uid"]}
    drafts = client.get(reverse("api-dossiers"), {"state": "draft"}).json()["results"]
    assert [one["uid"] for one in drafts] == [draft["uid"]]
    problem(client.get(reverse("api-dossiers"), {"state": "melted"}), 400, "invalid-value")


def test_a_draft_whose_question_cannot_be_asked_at_its_dates_is_still_answered(
    contributor: Caller, client: Client
) -> None:
    draft = opened(contributor)
    body = {"edition": draft["edition"], "as_of": "2023-01-01"}
    assert contributor.send("patch", "api-dossier", body, uid=draft["uid"]).status_code == 200
    whole = client.get(reverse("api-dossier", args=[draft["uid"]])).json()["assessment"]
    assert "was released on" in whole["candidates"][0]["problem"]
    assert next(f["code"] for f in whole["findings"] if f["kind"] == "gap") == "unanswerable"
