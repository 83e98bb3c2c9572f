"""One form of error over all routes, whatever is wrong."""

from typing import Any

import pytest
from django.db import OperationalError
from django.http import Http404
from django.test import Client, RequestFactory
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from matrix.api.base import Endpoint
from matrix.api.errors import answer_server_error, server_error, unknown_path
from matrix.api.negotiation import parse_accept, quality_of
from matrix.api.renderers import PROBLEM_TYPE
from tests.matrix.api.problems import problem
from tests.matrix.api.routes import (
    ALL_OPTIONAL,
    READABLE,
    WRITABLE,
    WRITABLE_AS_JSON,
    address,
    methods,
    names,
)
from tests.matrix.api.rows import bearer, make_user

pytestmark = pytest.mark.django_db


# Questions that are sent as a body: whoever may read may ask them.
OPEN_POSTS = (
    "api-verdicts-batch", "api-memory-estimates", "api-checks", "api-stack-checks",
)  # fmt: skip


@pytest.mark.parametrize("name", READABLE)
def test_an_unknown_parameter_is_refused(world: None, client: Client, name: str) -> None:
    path = address(name)
    answer = client.get(path + ("&" if "?" in path else "?") + "nonsense=1")
    assert problem(answer, 400, "unknown-parameter")["parameter"] == "nonsense"


@pytest.mark.parametrize("name", READABLE)
def test_the_sample_address_answers(world: None, client: Client, name: str) -> None:
    answer = client.get(address(name))
    assert answer.status_code == 200, answer.content
    assert answer.headers["ETag"]
    assert answer.headers["RateLimit-Limit"] == "600"


@pytest.mark.parametrize("name", names())
def test_another_method_is_refused_with_those_allowed(client: Client, name: str) -> None:
    answer = client.delete(address(name))
    # Whoever may not write is told so first, which gives away nothing about the address.
    if {"POST", "PATCH"} & methods(name) and name not in OPEN_POSTS:
        problem(answer, 401, "not-authenticated")
        return
    problem(answer, 405, "method-not-allowed")
    assert methods(name) <= set(answer.headers["Allow"].split(", "))


@pytest.mark.parametrize("name", READABLE)
def test_a_media_type_that_is_not_offered_is_refused(client: Client, name: str) -> None:
    answer = client.get(address(name), headers={"accept": "image/png"})
    assert problem(answer, 406, "not-acceptable")["value"] == "image/png"


@pytest.mark.parametrize("name", names())
def test_a_wrong_token_is_refused_even_where_reading_is_open(client: Client, name: str) -> None:
    answer = client.get(address(name), headers={"authorization": "Bearer rp_wrong"})
    problem(answer, 401, "invalid-token")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("name", names())
def test_a_closed_installation_asks_everybody_for_a_token(
    client: Client, settings: Any, name: str
) -> None:
    settings.RUNPROOF_PUBLIC = False
    method = client.get if "GET" in methods(name) else client.post
    problem(method(address(name)), 401, "not-authenticated")


@pytest.mark.parametrize("name", names())
def test_the_request_limit_is_said_and_held(client: Client, settings: Any, name: str) -> None:
    rates = {"anon": "0/minute", "user": "0/minute"}
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": rates}
    headers = bearer(make_user("curator", "curator"), "read", "write")
    method = client.get if "GET" in methods(name) else client.post
    answer = method(address(name), headers=headers)
    members = problem(answer, 429, "too-many-requests")
    assert 1 <= members["retry_after_s"] <= 60
    assert answer.headers["Retry-After"] == str(members["retry_after_s"])
    assert answer.headers["RateLimit-Remaining"] == "0"


@pytest.mark.parametrize("name", WRITABLE)
def test_a_body_of_another_media_type_is_refused(world: None, client: Client, name: str) -> None:
    headers = bearer(make_user("curator", "curator"), "write")
    answer = client.post(
        address(name, query=False), "a=1", content_type="text/plain", headers=headers
    )
    assert problem(answer, 415, "unsupported-media-type")["value"] == "text/plain"


@pytest.mark.parametrize("name", WRITABLE_AS_JSON)
@pytest.mark.parametrize("body", ["{", "[" * 50_000, '{"a": Infinity}', b"\xff\xfe"], ids=repr)
def test_a_body_that_is_no_json_is_refused(
    world: None, client: Client, name: str, body: Any
) -> None:
    headers = bearer(make_user("curator", "curator"), "write")
    answer = client.post(
        address(name, query=False), body, content_type="application/json", headers=headers
    )
    problem(answer, 400, "malformed-json")


@pytest.mark.parametrize("name", WRITABLE_AS_JSON)
@pytest.mark.parametrize("body", ["[]", "5", '"text"', '{"nonsense": 1}', "{}"])
def test_a_body_of_another_form_is_refused(
    world: None, client: Client, name: str, body: str
) -> None:
    headers = bearer(make_user("curator", "curator"), "write")
    answer = client.post(
        address(name, query=False), body, content_type="application/json", headers=headers
    )
    if body == "{}" and name in ALL_OPTIONAL:
        assert answer.status_code == 201
        return
    assert answer.status_code in (400, 422)
    problem(answer, answer.status_code, answer.json()["code"])


@pytest.mark.parametrize("word", ["nothing", "%00", "x" * 2_000, "..%2f..%2f", "%F0%9F%92%A9", "'"])
@pytest.mark.parametrize(
    "path",
    ["frameworks", "hardware", "models", "quantizations", "features", "backends", "containers",
     "claims", "aliases", "releases/vllm"],
)  # fmt: skip
def test_an_unknown_thing_is_not_found(
    world: None, client: Client, settings: Any, path: str, word: str
) -> None:
    settings.ROOT_URLCONF = "tests.matrix.api.urls_with_unknown_paths"
    problem(client.get(f"/api/v1/{path}/{word}/"), 404, "not-found")


@pytest.mark.parametrize("path", ["/api/", "/api/v1/nothing/", "/api/v2/verdicts/", "/api/v1/x/y"])
def test_an_address_that_no_route_takes_is_a_problem_too(
    client: Client, settings: Any, path: str
) -> None:
    settings.ROOT_URLCONF = "tests.matrix.api.urls_with_unknown_paths"
    assert problem(client.get(path), 404, "not-found")["value"] == path


def test_a_query_with_thousands_of_parameters_is_refused(client: Client) -> None:
    answer = client.get(address("api-verdicts", query=False) + "?" + "&".join(["a=1"] * 5_000))
    problem(answer, 400, "bad-request")


@pytest.mark.parametrize("value", ["%00", "%ED%A0%80", "x" * 50_000, "%7F", "0" * 5_000])
@pytest.mark.parametrize("name", [n for n in READABLE if n.endswith("s") or n == "api-hardware"])
def test_a_hostile_value_is_a_wrong_value(
    world: None, client: Client, name: str, value: str
) -> None:
    parameter = {"api-verdicts": "framework=vllm&model", "api-changes": "from"}.get(name, "q")
    if name in ("api-claims", "api-maintenance-periods"):
        parameter = "framework"
    answer = client.get(f"{address(name, query=False)}?{parameter}={value}")
    assert answer.status_code in (200, 400)
    if answer.status_code == 400:
        problem(answer, 400, answer.json()["code"])
        assert len(answer.content) < 120_000


class _Failing(Endpoint):
    """An endpoint that raises what it is told to."""

    error: Exception

    def get(self, request: Request) -> Any:
        """Fails."""
        raise self.error


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ZeroDivisionError("secret"), 500, "server-error"),
        (APIException("secret"), 500, "server-error"),
        (Http404("x"), 404, "not-found"),
    ],
)
def test_an_unforeseen_error_is_logged_and_tells_no_secret(
    caplog: Any, error: Exception, status: int, code: str
) -> None:
    view = type("Failing", (_Failing,), {"error": error}).as_view()
    answer = view(RequestFactory().get("/api/v1/failing/"))
    problem(answer, status, code)
    assert b"secret" not in answer.content
    logged = "ZeroDivisionError" in caplog.text or "APIException" in caplog.text
    assert logged is (status == 500)


def test_a_database_that_went_away_is_no_fault_of_the_request() -> None:
    gone = OperationalError("server closed the connection to /secret")
    view = type("Failing", (_Failing,), {"error": gone}).as_view()
    answer = view(RequestFactory().get("/api/v1/failing/"))
    assert problem(answer, 503, "database-unavailable")["retry_after_s"] == 5
    assert answer["Retry-After"] == "5"
    assert b"secret" not in answer.content


def test_the_answers_outside_all_views_have_the_same_form() -> None:
    request = RequestFactory().get("/api/v1/x/?a=1")
    assert problem(unknown_path(request), 404, "not-found")["instance"] == "/api/v1/x/?a=1"
    problem(server_error(request), 500, "server-error")


def test_media_ranges_are_weighed_by_quality_and_exactness() -> None:
    ranges = parse_accept("text/html;q=0.5, application/*;q=0.4, application/json;q=0, */*;q=x")
    assert quality_of("text/html", ranges) == 0.5
    assert quality_of("application/x-ndjson", ranges) == 0.4
    assert quality_of("application/json", ranges) == 0
    assert quality_of("image/png", ranges) == 0


@pytest.mark.parametrize(
    ("path", "kind"), [("/api/v1/x/", PROBLEM_TYPE), ("/matrix/", "text/html")]
)
def test_a_failure_outside_any_view_has_the_form_of_its_surface(path: str, kind: str) -> None:
    answer = answer_server_error(RequestFactory().get(path))
    assert answer.status_code == 500
    assert answer["Content-Type"].startswith(kind)


def test_a_post_to_an_address_that_no_route_takes_is_a_problem_too() -> None:
    answer = Client(enforce_csrf_checks=True).post("/api/v1/webhooks/1/deliveries/x/retry/")
    problem(answer, 404, "not-found")
