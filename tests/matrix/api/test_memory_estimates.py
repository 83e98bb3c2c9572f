"""Memory over REST: parts that add up, and a problem document for everything that cannot be."""

import base64
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matrix.api.schemas.memory_examples import MEMORY_EXAMPLES
from matrix.memory_asking import MEMORY_PARAMETERS
from tests import builders
from tests.matrix.api.problems import problem
from tests.matrix.api.test_openapi import check, description, operation, strict
from tests.matrix.domain.memory.gguf_writing import gguf_head, tensor_size
from tests.matrix.domain.memory.test_gguf_header import SMALL, small_tensors

__all__ = ["description"]

MODEL = {"model": "meta/Llama-3-8B", "quantization": "awq"}
CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 2,
    "hidden_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 256, "vocab_size": 512, "max_position_embeddings": 2048,
    "tie_word_embeddings": False,
}  # fmt: skip
pytestmark = pytest.mark.usefixtures("world")


def get(client: Client, **words: str) -> Any:
    return client.get(reverse("api-memory-estimates"), words)


def post(client: Client, body: Any) -> Any:
    return client.post(reverse("api-memory-estimates"), body, content_type="application/json")


def test_the_four_parts_come_with_their_range_and_formula(client: Client) -> None:
    answer = get(client, **MODEL, framework="vllm", hardware="nvidia-t4", context_tokens="2048")
    plain = answer.json()
    assert [part["kind"] for part in plain["parts"]] == [
        "weights", "kv-cache", "compute", "overhead",
    ]  # fmt: skip
    cache = plain["parts"][1]
    assert cache["bytes"] == 32 * 2 * 8 * 128 * 2 * 2048
    for part in plain["parts"]:
        assert part["low_bytes"] <= part["bytes"] <= part["high_bytes"]
        assert part["terms"] and part["source"]
    assert set(plain["fit"]["failure_points"]) == {"load", "warm-up", "service"}
    assert plain["as_of"]
    assert plain["version"] == builders.VERSIONS[-1]


def test_the_answer_is_kept_until_something_changes(client: Client) -> None:
    first = get(client, **MODEL)
    again = client.get(
        reverse("api-memory-estimates"), MODEL, headers={"If-None-Match": first["ETag"]}
    )
    assert again.status_code == 304


def test_the_link_asks_the_same_again(client: Client) -> None:
    plain = get(client, **MODEL, hardware="nvidia-t4", concurrency="3").json()
    again = client.get(plain["links"]["self"]).json()
    assert again["parts"] == plain["parts"]
    assert again["sequences"] == 3


@pytest.mark.parametrize(
    ("words", "status", "code", "parameter"),
    [
        ({**MODEL, "quantization": "Q4"}, 400, "ambiguous-scheme", "quantization"),
        ({"quantization": "awq"}, 400, "no-model-size", "quantization"),
        ({**MODEL, "model": "llama-3"}, 400, "no-model-size", "model"),
        ({**MODEL, "context_tokens": "8193"}, 400, "context-too-long", "context_tokens"),
        ({**MODEL, "count": "3", "tensor_parallel": "2"}, 400, "impossible-request", "count"),
        ({**MODEL, "sequences": "-1"}, 400, "invalid-value", "sequences"),
        ({**MODEL, "hardware": "nvidia-t5"}, 400, "unknown-name", "hardware"),
        ({**MODEL, "vram": "16"}, 400, "unknown-parameter", "vram"),
        ({"model": "meta/Llama-3-8B"}, 400, "missing-parameter", "quantization"),
    ],
)
def test_what_cannot_be_asked_is_a_problem_document(
    client: Client, words: dict[str, str], status: int, code: str, parameter: str
) -> None:
    told = problem(get(client, **words), status, code)
    assert told["parameter"] == parameter


def test_a_config_and_a_gguf_head_are_models(client: Client) -> None:
    plain = post(client, {"config": CONFIG, "quantization": "bf16", "framework": "vllm"}).json()
    assert plain["model"]["num_layers_by_attention"] == {"full": 2}
    assert plain["links"] == {"self": None, "page": None}
    assert plain["parts"][1]["certainty"] == "exact"


def test_the_head_of_a_gguf_file_says_its_scheme_and_the_bytes_of_its_tensors(
    client: Client,
) -> None:
    tensors = small_tensors()
    head = gguf_head(SMALL, tensors)
    plain = post(client, {"gguf_head": base64.b64encode(head).decode()}).json()
    assert plain["quantization"] == "gguf-q4-k-m"
    assert plain["engine"] == "llama.cpp"
    assert plain["model"]["num_layers"] == 2
    weights = plain["parts"][0]
    assert weights["certainty"] == "exact"
    stated = next(term for term in weights["terms"] if term["name"] == "gguf-tensors")
    assert stated["bytes"] == sum(tensor_size(sizes, kind) for _name, sizes, kind in tensors)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ('{"config": {"hidden_size": 1, "hidden_size": 2}}', 400, "malformed-json"),
        ('{"config": {"hidden_size": NaN}}', 400, "malformed-json"),
        ('{"config": ' + "[" * 5000 + "]" * 5000 + "}", 400, "malformed-json"),
        ('{"config": ' + '{"a":' * 40 + "1" + "}" * 40 + "}", 422, "unreadable-file"),
        ('{"config": [1]}', 422, "unreadable-file"),
        ("[]", 400, "malformed-json"),
        ('{"model": {"a": 1}}', 400, "invalid-value"),
        ('{"models": "x"}', 400, "unknown-parameter"),
        ('{"gguf_head": 7}', 400, "invalid-value"),
        ('{"gguf_head": "no base64!"}', 422, "unreadable-file"),
        (json.dumps({"gguf_head": base64.b64encode(b"ELF!" * 8).decode()}), 422,
         "unreadable-file"),
        (json.dumps({"config": CONFIG, "gguf_head": "R0dVRg=="}), 400, "invalid-value"),
        (json.dumps({"config": {**CONFIG, "hidden_size": -128}, "quantization": "bf16"}), 422,
         "impossible-shape"),
        (json.dumps({**MODEL, "sequences": 10**30}), 400, "invalid-value"),
    ],
)  # fmt: skip
def test_a_hostile_body_is_refused(client: Client, body: str, status: int, code: str) -> None:
    problem(post(client, body), status, code)


def test_numbers_and_flags_of_a_body_are_read_like_words(client: Client) -> None:
    body = {**MODEL, "framework": "vllm", "count": 2, "memory_share": 0.8, "kv_unified": False,
            "version": None}  # fmt: skip
    plain = post(client, body).json()
    assert plain["layout"]["tensor_parallel"] == 2
    assert plain["options"] == {"memory_share": 0.8, "kv_unified": False}


def test_answers_and_examples_are_as_described(client: Client, description: Any) -> None:
    for method, answer in (
        ("get", get(client, **MODEL, hardware="nvidia-t4")),
        ("post", post(client, {"config": CONFIG, "quantization": "bf16"})),
    ):
        described = operation(description, "api-memory-estimates", method)
        part = described["responses"]["200"]["content"]["application/json"]
        check(strict(description), strict(part["schema"]), answer.json())
    body = operation(description, "api-memory-estimates", "post")["requestBody"]
    answers = operation(description, "api-memory-estimates", "get")["responses"]["200"]
    for example in MEMORY_EXAMPLES:
        part = body if example.request_only else answers
        check(description, part["content"]["application/json"]["schema"], example.value)


def test_every_parameter_is_described(description: Any) -> None:
    described = operation(description, "api-memory-estimates", "get")["parameters"]
    assert {one["name"] for one in described if one["in"] == "query"} == set(MEMORY_PARAMETERS)
