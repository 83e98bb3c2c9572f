"""The description, the answers and the documentation agree."""

import io
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from matrix.asking import PROBLEM_KINDS, QUESTION_PARAMETERS
from tests.matrix.api.routes import READABLE, address, methods, routes
from tests.matrix.api.rows import CLAIM_BODY, bearer, make_user

REPOSITORY = Path(__file__).resolve().parents[3]
DOCUMENTATION = (REPOSITORY / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def description() -> Any:
    """The OpenAPI description, made without a single warning."""
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json",
                 stdout=out, stderr=io.StringIO())  # fmt: skip
    return json.loads(out.getvalue())


def pattern_of(route: Any) -> str:
    """The path of a route as the description writes it."""
    return "/api/v1/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(route.pattern))


def operation(description: Any, name: str, method: str) -> Any:
    """The description of one operation."""
    route = next(route for route in routes() if route.name == name)
    return description["paths"][pattern_of(route)][method]


def check(description: Any, part: Any, data: Any) -> None:
    """Checks data against a part of the description."""
    schema = {**part, "components": description["components"]}
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(schema, format_checker=checker).validate(data)


def test_every_route_and_method_is_described_with_its_problems(description: Any) -> None:
    for route in routes():
        described = description["paths"][pattern_of(route)]
        assert {m.upper() for m in described} == methods(str(route.name))
        for one in described.values():
            assert {"400", "401", "403", "406", "429"} <= set(one["responses"])
            problem = one["responses"]["400"]["content"]
            assert list(problem) == ["application/problem+json"]
            assert {"bearerToken": []} in one["security"]


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


@pytest.mark.parametrize("name", [n for n in READABLE if n not in ("api-dump", "api-dump-schema")])
def test_an_answer_is_what_its_description_says(
    world: None, client: Client, description: Any, name: str
) -> None:
    answer = client.get(address(name))
    part = operation(description, name, "get")["responses"]["200"]["content"]["application/json"]
    check(strict(description), strict(part["schema"]), answer.json())


@pytest.mark.parametrize(
    "words",
    [
        {"version": "0.6.0", "hardware": "Turing", "quantization": "awq", "count": "2"},
        {"version": "0.8.0", "hardware": "nvidia-volta", "quantization": "fp8"},
        {"version": "0.6.0", "hardware": "nvidia-volta", "quantization": "fp8", "feature": "lora"},
        {"over": "hardware"},
        {"over": "version", "hardware": "Turing", "page_size": "1"},
    ],
)
def test_verdicts_of_every_kind_are_as_described(
    ask: Any, description: Any, words: dict[str, str]
) -> None:
    part = operation(description, "api-verdicts", "get")["responses"]["200"]["content"]
    check(strict(description), strict(part["application/json"]["schema"]),
          ask(framework="vllm", **words).json())  # fmt: skip


def test_a_problem_and_a_written_claim_are_as_described(
    world: None, client: Client, description: Any
) -> None:
    post = operation(description, "api-claims", "post")
    headers = bearer(make_user("curator", "curator"), "write")
    body = post["requestBody"]["content"]["application/json"]
    check(description, body["schema"], CLAIM_BODY)
    answer = client.post(reverse("api-claims"), CLAIM_BODY, content_type="application/json",
                         headers=headers)  # fmt: skip
    made = post["responses"]["201"]["content"]["application/json"]["schema"]
    check(strict(description), strict(made), answer.json())
    wrong = client.post(reverse("api-claims"), {}, content_type="application/json", headers=headers)
    told = post["responses"]["422"]["content"]["application/json"]["schema"]
    check(description, told, wrong.json())


def test_the_examples_are_what_the_description_says(description: Any) -> None:
    examples = 0
    for name in ("api-claims", "api-verdicts-batch"):
        part = operation(description, name, "post")["requestBody"]["content"]["application/json"]
        for example in part["examples"].values():
            check(description, part["schema"], example["value"])
            examples += 1
    part = operation(description, "api-verdicts", "get")["responses"]["200"]["content"]
    for example in part["application/json"]["examples"].values():
        check(description, part["application/json"]["schema"], example["value"])
        examples += 1
    assert examples >= 3


def test_the_documentation_names_every_route_method_code_and_parameter() -> None:
    for route in routes():
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(route.pattern))
        for method in methods(str(route.name)):
            assert f"`{method} {path or '/'}`" in DOCUMENTATION, f"{method} {path}"
    for kind in PROBLEM_KINDS:
        assert f"| `{kind.code}` | {kind.status} |" in DOCUMENTATION, kind.code
    for parameter in QUESTION_PARAMETERS:
        assert f"`{parameter}`" in DOCUMENTATION, parameter


def test_every_address_in_the_documentation_leads_to_a_route() -> None:
    paths = re.findall(r"/api/v1/([\w/.-]*)", DOCUMENTATION)
    assert len(paths) > 15
    patterns = [
        re.compile(re.sub(r"<\w+:\w+>", "[^/]+", str(route.pattern)) + "$") for route in routes()
    ]
    known = [*patterns, re.compile("(schema|explorer)/$")]
    assert [p for p in paths if not any(pattern.match(p) for pattern in known)] == []
