"""The description of the interface and what it answers about runs agree."""

import io
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls.resolvers import URLPattern

from benchmarks_app.api.urls import urlpatterns
from tests.benchmarks_app.builders import make_run, make_samples
from tests.benchmarks_app.result_files import result

DOCUMENTATION = (Path(__file__).resolve().parents[3] / "docs" / "api.md").read_text("utf-8")
METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def description() -> Any:
    """The OpenAPI description, made without a single warning."""
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json",
                 stdout=out, stderr=io.StringIO())  # fmt: skip
    return json.loads(out.getvalue())


def strict(part: Any) -> Any:
    """The schema with no member allowed that it does not name, so that answers hide nothing."""
    if isinstance(part, list):
        return [strict(item) for item in part]
    if not isinstance(part, dict):
        return part
    found = {name: strict(value) for name, value in part.items()}
    if part.get("type") == "object" and "properties" in part:
        found.setdefault("additionalProperties", False)
    return found


def check(description: Any, path: str, answer: Any, method: str = "get") -> None:
    told = description["paths"][f"/api/v1/{path}"][method]["responses"][str(answer.status_code)]
    media = answer["Content-Type"].partition(";")[0]
    schema = {**strict(told["content"][media]["schema"]),
              "components": strict(description["components"])}  # fmt: skip
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(schema, format_checker=checker).validate(answer.json())


def test_every_route_is_described_with_its_problems_and_documented(description: Any) -> None:
    for route in urlpatterns:
        assert isinstance(route, URLPattern)
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(route.pattern))
        view = route.callback.view_class  # type: ignore[attr-defined]
        described = description["paths"][f"/api/v1/{path}"]
        assert set(described) == {method for method in METHODS if hasattr(view, method)}
        for method, one in described.items():
            assert {"400", "401", "403", "406", "429"} <= set(one["responses"])
            assert f"`{method.upper()} {path}`" in DOCUMENTATION


def test_answers_about_runs_are_what_the_description_says(
    description: Any, world: None, client: Client
) -> None:
    one, two = make_run(samples=make_samples()), make_run(state="withdrawn", reason="no")
    check(description, "benchmark-runs/", client.get("/api/v1/benchmark-runs/?state=any"))
    for uid in (one.uid, two.uid):
        answer = client.get(f"/api/v1/benchmark-runs/{uid}/")
        check(description, "benchmark-runs/{uid}/", answer)
    values = client.get(f"/api/v1/benchmark-runs/{one.uid}/measurements/")
    check(description, "benchmark-runs/{uid}/measurements/", values)
    compared = client.get(
        f"/api/v1/benchmark-comparisons/?runs={one.uid},{two.uid}&ttft_ms=100&vary=load"
    )
    check(description, "benchmark-comparisons/", compared)
    for along in ("date", "release"):
        address = f"/api/v1/benchmark-series/?hardware=nvidia-t4&along={along}"
        check(description, "benchmark-series/", client.get(address))


def test_answers_to_uploads_are_what_the_description_says(
    description: Any, ada: dict[str, str], client: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr("django.db.transaction.on_commit", lambda act, **_options: act())
    runs = "/api/v1/benchmark-runs/"
    sent = client.post(runs, {"file": SimpleUploadedFile("r.json", result())}, headers=ada)
    check(description, "benchmark-runs/", sent, "post")
    again = client.post(runs, {"file": SimpleUploadedFile("r.json", result())}, headers=ada)
    check(description, "benchmark-runs/", again, "post")
    status = client.get(sent.json()["links"]["status"], headers=ada)
    check(description, "benchmark-uploads/{uid}/", status)
    uid = sent.json()["runs"][0]["uid"]
    published = client.post(f"{runs}{uid}/publish/", headers=ada)
    check(description, "benchmark-runs/{uid}/publish/", published, "post")
    withdrawn = client.post(f"{runs}{uid}/withdraw/", {"reason": "x"},
                            content_type="application/json", headers=ada)  # fmt: skip
    check(description, "benchmark-runs/{uid}/withdraw/", withdrawn, "post")
    unread = client.post(f"{runs}?name=w.json", b'{"weather": 1}', headers=ada,
                         content_type="application/json")  # fmt: skip
    assert unread.status_code == 422
    assert unread.json()["code"] == "unreadable-result"


def test_the_examples_are_what_the_description_says(description: Any) -> None:
    post = description["paths"]["/api/v1/benchmark-runs/"]["post"]
    part = post["responses"]["202"]["content"]["application/json"]
    assert part["examples"]
    schema = {**part["schema"], "components": description["components"]}
    for example in part["examples"].values():
        jsonschema.Draft202012Validator(schema).validate(example["value"])
