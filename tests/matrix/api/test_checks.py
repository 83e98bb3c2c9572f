"""Checks and stack checks over REST."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.matrix.api.problems import problem

WORDS = {"model": "meta/Llama-3-8B", "quantization": "awq", "hardware": "Turing"}
CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 32,
    "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
    "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}  # fmt: skip


@pytest.fixture
def checks(world: None, client: Client) -> Any:
    """Asks ``checks/`` with parameters; returns the answer."""

    def get(headers: dict[str, str] | None = None, **words: Any) -> Any:
        return client.get(reverse("api-checks"), words, headers=headers or {})

    return get


@pytest.fixture
def send(world: None, client: Client) -> Any:
    """Posts a body to an endpoint; returns the answer."""

    def post(name: str, body: Any) -> Any:
        return client.post(reverse(name), body, content_type="application/json")

    return post


def test_a_check_holds_verdict_memory_and_links_of_each_framework(checks: Any) -> None:
    answer = checks(**WORDS, as_of="2026-01-10").json()
    assert answer["question"]["model"] == "meta--llama-3-8b"
    assert answer["count"] == len(answer["results"])
    (vllm,) = answer["results"]
    assert (vllm["framework"], vllm["version"]) == ("vllm", "0.12.0")
    assert vllm["outcome"] in ("unknown", "unsupported", "room-unknown")
    assert vllm["sentence"].startswith("Whether vLLM 0.12.0 supports")
    assert vllm["memory"]["level"] in ("fits", "tight", "exceeds", "does-not-fit", "unknown")
    assert {leg["kind"] for leg in vllm["verdict"]["legs"]} == {"platform", "model", "quantization"}
    assert "vllm-ascend" in answer["nothing_known"]
    assert checks(**dict(WORDS, as_of="2026-01-10")).json() == answer


def test_a_client_that_holds_the_answer_gets_none(checks: Any) -> None:
    first = checks(**WORDS)
    again = checks(headers={"if-none-match": first["ETag"]}, **WORDS)
    assert (again.status_code, again.content) == (304, b"")


def test_a_browser_is_sent_to_the_page(checks: Any) -> None:
    answer = checks(headers={"accept": "text/html"}, **WORDS)
    assert answer.status_code == 303
    assert answer["Location"].startswith("/check/?hardware=nvidia-turing&model=meta--llama-3-8b")


def test_wrong_words_are_refused_with_near_names(checks: Any) -> None:
    assert "model" in problem(checks(modell="x"), 400, "unknown-parameter")["nearest"]
    assert problem(checks(model="meta/Llama-3-9B"), 400, "unknown-name")["nearest"]
    problem(checks(), 400, "missing-parameter")
    problem(checks(hardware="nvidia-t4", version="0.6.0"), 400, "invalid-value")


def test_a_config_is_checked_in_place_of_a_model(send: Any) -> None:
    body = {"config": CONFIG, "quantization": "awq", "hardware": "nvidia-t4", "count": 1}
    answer = send("api-checks", body).json()
    assert answer["question"]["has_config"] is True
    assert answer["question"]["model"] == "llamaforcausallm"
    assert answer["results"][0]["memory"]["weights_bytes"]


@pytest.mark.parametrize(
    "body",
    [
        [], {"config": []}, {"config": "text"}, {"config": {"architectures": 3}}, {"confg": {}},
        {"config": {**CONFIG, "num_hidden_layers": -1}, "hardware": "nvidia-t4"},
        {"config": {**CONFIG, "num_hidden_layers": 10**9}, "hardware": "nvidia-t4"},
        {"hardware": True}, {"hardware": {"x": 1}}, {"feature": [["lora"]]}, {"count": 1.5},
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_read_is_refused(send: Any, body: Any) -> None:
    answer = send("api-checks", body)
    assert 400 <= answer.status_code < 500, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("text", ['{"config": {"a": 1, "a": 2}}', '{"config": {"a": NaN}}', "{"])
def test_json_with_doubled_names_or_no_numbers_is_refused(send: Any, text: str) -> None:
    problem(send("api-checks", text), 400, "malformed-json")


def test_a_stack_answers_with_its_findings(send: Any) -> None:
    body = {"requirements": "vllm==0.6.0\ntorch==2.4.0\n", "hardware": "Turing"}
    answer = send("api-stack-checks", body).json()
    assert answer["answer"] == "unknown"
    assert {finding["code"] for finding in answer["findings"]} == {
        "verdict-supported",
        "pins-unknown",
    }
    assert answer["frameworks"][0]["verdict"]["level"] == "supported"
    assert answer["packages_read_count"] == 2


def test_lines_that_cannot_be_read_are_named(send: Any) -> None:
    answer = send("api-stack-checks", {"requirements": "vllm==0.6.0\nno requirement\n"})
    members = problem(answer, 422, "unreadable-stack")
    assert [one["line"] for one in members["problems"]] == [2]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "missing-parameter"),
        ({"requirements": 3}, "invalid-value"),
        ({"image": "a b"}, "invalid-value"),
        ({"lock": "x"}, "unknown-parameter"),
        ({"requirements": "vllm==0.6.0", "hardware": "no such"}, "unknown-name"),
        ({"requirements": "vllm==0.6.0", "count": True}, "invalid-value"),
    ],
)
def test_a_wrong_stack_check_is_refused(send: Any, body: Any, code: str) -> None:
    problem(send("api-stack-checks", body), 400, code)
