"""One cell, its legs and its dates; lists over an axis."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from matrix.domain.verdict_values import Rule
from matrix.queries.rule_texts import RULE_TEXTS
from matrix.services import withdraw_claim
from tests.matrix.api.problems import problem


def test_a_verdict_names_the_claim_and_the_place_that_decide(ask: Any) -> None:
    answer = ask(framework="vLLM", version="0.6.0", quantization="AWQ", hardware="Turing").json()
    assert answer["level"] == "supported"
    assert answer["version"] == "0.6.0"
    assert answer["cell"]["hardware"] == "nvidia-turing"
    assert {"axis": "backend", "value": "cuda"} in answer["assumed"]
    leg = next(leg for leg in answer["legs"] if leg["kind"] == "quantization")
    assert leg["rule_text"]
    (deciding,) = leg["deciding"]
    assert deciding["uid"] == "awq-on-turing"
    assert deciding["url"] == "https://example.org/0.6.0/page.md"
    assert deciding["locator"] == {"row": "row", "column": "column", "line": 1}
    assert deciding["locator_text"] == "row “row”, column “column”, line 1"
    assert deciding["age"] == {"kind": "observed", "releases": 0, "days": 0}


def test_an_uninvestigated_cell_is_unknown_with_its_reason(ask: Any) -> None:
    answer = ask(framework="vllm", hardware="google-tpu").json()
    assert answer["level"] == "unknown"
    assert answer["unknown_reason"] == "never-investigated"
    assert answer["confidence"] == "none"


def test_as_of_hides_what_was_stated_later(ask: Any) -> None:
    words = {"framework": "vllm", "quantization": "fp8", "hardware": "nvidia-volta"}
    early = ask(**words, as_of="2025-07-01").json()
    late = ask(**words, as_of="2025-09-01").json()
    assert (early["version"], early["level"]) == ("0.6.0", "unsupported")
    assert late["version"] == "0.8.0"
    leg = next(leg for leg in late["legs"] if leg["kind"] == "quantization")
    assert leg["level"] == "partial"
    assert early["limit"] == "hardware"
    assert early["as_of"] == "2025-07-01"


def test_known_at_answers_from_the_record_of_that_day(ask: Any) -> None:
    words = {"framework": "vllm", "version": "0.6.0", "hardware": "nvidia-turing"}
    assert ask(**words, known_at="2025-01-02").json()["level"] == "supported"
    assert ask(**words, known_at="2024-12-31").json()["level"] == "unknown"
    withdraw_claim("turing", actor="test", reason="was wrong")
    withdraw_claim("awq-on-turing", actor="test", reason="was wrong")
    assert ask(**words).json()["level"] == "unknown"
    assert ask(**words, known_at="2025-01-02").json()["level"] == "supported"


def test_the_links_ask_the_same_question_with_its_date_pinned(ask: Any, client: Client) -> None:
    answer = ask(framework="vllm", hardware="Turing", count="2", setting="--x:1").json()
    again = client.get(answer["links"]["self"]).json()
    assert f"as_of={answer['as_of']}" in answer["links"]["self"]
    assert again == answer
    assert answer["links"]["page"].startswith(reverse("cell") + "?framework=vllm&")


def test_a_browser_is_sent_to_the_page_of_the_cell(world: None, client: Client) -> None:
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    path = reverse("api-verdicts")
    answer = client.get(path, {"framework": "vLLM", "hardware": "Turing"}, headers=browser)
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith(
        reverse("cell") + "?framework=vllm&hardware=nvidia-turing&as_of="
    )
    assert "Accept" in answer.headers["Vary"]
    tool = client.get(path, {"framework": "vllm"}, headers={"accept": "*/*"})
    assert tool.headers["Content-Type"] == "application/json"
    wrong = client.get(path, {"framework": "nothing"}, headers=browser)
    problem(wrong, 400, "unknown-name")


def test_the_maintenance_status_is_that_of_the_day(ask: Any) -> None:
    words = {"framework": "vllm", "hardware": "nvidia-turing"}
    then = ask(**words, as_of="2025-10-01").json()["maintenance"]
    assert then["status"] == "active"
    assert then["stated_later"] is True
    assert then["period"]["evidence"]["url"] == "https://example.org/releases"
    assert ask(**words, as_of="2026-01-01").json()["maintenance"]["status"] == "unknown"


def test_an_answer_that_the_client_holds_is_not_sent_again(ask: Any, client: Client) -> None:
    words = {"framework": "vllm", "hardware": "Turing"}
    first = ask(**words)
    tag = first.headers["ETag"]
    assert first.headers["Cache-Control"] == "no-cache"
    path = reverse("api-verdicts")
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        same = client.get(path, words, headers={"if-none-match": known})
        assert same.status_code == 304
        assert same.content == b""
        assert same.headers["ETag"] == tag
    spelled = client.get(path, {"framework": "vLLM", "hardware": "nvidia-turing"},
                         headers={"if-none-match": tag})  # fmt: skip
    assert spelled.status_code == 304
    for other in ({"as_of": "2025-10-01"}, {"known_at": "2025-10-01"}, {"version": "0.6.0"}):
        changed = client.get(path, words | other, headers={"if-none-match": tag})
        assert changed.status_code == 200
    chinese = client.get(path, words, headers={"if-none-match": tag, "accept-language": "zh-hans"})
    assert chinese.status_code == 200
    withdraw_claim("turing", actor="test", reason="was wrong")
    assert client.get(path, words, headers={"if-none-match": tag}).status_code == 200


def test_a_verdict_costs_one_query(ask: Any) -> None:
    ask(framework="vllm")
    with CaptureQueriesContext(connection) as queries:
        answer = ask(framework="vllm", version="0.6.0", quantization="awq", hardware="Turing",
                     feature=["lora", "eagle"])  # fmt: skip
    assert answer.status_code == 200
    assert len(queries) == 1


def test_a_list_over_hardware_shows_one_level_of_the_tree(ask: Any) -> None:
    answer = ask(framework="vllm", version="0.6.0", over="hardware").json()
    values = [row["value"] for row in answer["results"]]
    assert values == ["amd-mi300x", "nvidia-ampere", "nvidia-turing", "nvidia-volta"]
    turing = answer["results"][2]
    assert turing["level"] == "supported"
    assert turing["deciding_claims"] == ["turing"]
    devices = ask(framework="vllm", over="hardware", kind="device", parent="nvidia").json()
    assert [r["value"] for r in devices["results"]] == ["nvidia-a100", "nvidia-t4", "nvidia-v100"]


def test_a_list_over_versions_holds_only_releases_of_that_day(ask: Any) -> None:
    answer = ask(framework="vllm", over="version", hardware="Turing", as_of="2025-07-01").json()
    values = [row["value"] for row in answer["results"]]
    assert values == ["0.6.0", "0.5.0", "0.4.0", "0.3.0", "0.2.0", "0.1.0"]
    assert [row["version"] for row in answer["results"]] == values


@pytest.mark.parametrize("axis", ["framework", "quantization", "model", "feature", "backend"])
def test_each_row_of_a_list_leads_to_its_whole_verdict(ask: Any, client: Client, axis: str) -> None:
    words = {} if axis == "framework" else {"framework": "vllm"}
    answer = ask(**words, over=axis, page_size="1").json()
    assert answer["over"] == axis
    (row,) = answer["results"]
    whole = client.get(row["links"]["self"]).json()
    assert whole["level"] == row["level"]
    asked = whole["cell"]["features"] if axis == "feature" else [whole["cell"][axis]]
    assert asked == [row["value"]]


def test_pages_of_a_list_join_without_gap_or_repetition(ask: Any, client: Client) -> None:
    answer = ask(framework="vllm", over="version", page_size="5").json()
    seen, pages, back = [], 0, None
    while True:
        pages += 1
        seen += [row["value"] for row in answer["results"]]
        if answer["next"] is None:
            break
        answer = client.get(answer["next"]).json()
        back = answer["previous"]
    assert pages == 3
    assert len(seen) == len(set(seen)) == answer["count"] == 12
    assert back is not None
    assert len(client.get(back).json()["results"]) == 5


def test_a_list_costs_one_query_however_long(ask: Any) -> None:
    ask(framework="vllm")
    for size in ("1", "12"):
        with CaptureQueriesContext(connection) as queries:
            ask(framework="vllm", over="version", page_size=size)
        assert len(queries) == 1


@pytest.mark.parametrize(
    ("words", "code", "parameter", "nearest"),
    [
        ({}, "missing-parameter", "framework", None),
        ({"framework": ""}, "missing-parameter", "framework", None),
        ({"framework": "vlm"}, "unknown-name", "framework", "vLLM"),
        ({"framework": "vllm", "hardware": "turin"}, "unknown-name", "hardware", "Turing"),
        ({"framework": "vllm", "hardware": "old cards"}, "ambiguous-name", "hardware", "nvidia-t4"),
        ({"framework": "vllm", "version": "0.66.0"}, "unknown-version", "version", "0.12.0"),
        ({"framework": "vllm", "version": "0.9.0", "as_of": "2025-07-01"},
         "not-released-yet", "version", None),
        ({"framework": "vllm", "as_of": "2025-02-30"}, "invalid-value", "as_of", None),
        ({"framework": "vllm", "as_of": "20250203"}, "invalid-value", "as_of", None),
        ({"framework": "vllm", "as_of": "2999-01-01"}, "invalid-value", "as_of", None),
        ({"framework": "vllm", "known_at": "2021-12-31"}, "invalid-value", "known_at", None),
        ({"framework": "vllm", "count": "0"}, "invalid-value", "count", None),
        ({"framework": "vllm", "count": "1.5"}, "invalid-value", "count", None),
        ({"framework": "vllm", "count": "٣"}, "invalid-value", "count", None),
        ({"framework": "vllm", "setting": "--flag"}, "invalid-value", "setting", None),
        ({"framework": "vllm", "engine": "v9"}, "unknown-name", "engine", None),
        ({"framework": "vllm", "hardwear": "x"}, "unknown-parameter", "hardwear", "hardware"),
        ({"framework": "vllm", "page_size": "5"}, "unknown-parameter", "page_size", None),
        ({"framework": "vllm", "kind": "device"}, "unknown-parameter", "kind", None),
        ({"framework": "vllm", "over": "colour"}, "invalid-value", "over", None),
        ({"framework": "vllm", "over": "framework"}, "invalid-value", "framework", None),
        ({"framework": "vllm", "over": "version", "version": "0.6.0"},
         "invalid-value", "version", None),
        ({"framework": "vllm", "over": "hardware", "kind": "moon"}, "invalid-value", "kind", None),
        ({"framework": "vllm", "over": "version", "page_size": "1001"},
         "invalid-value", "page_size", None),
        ({"framework": "vllm", "over": "version", "cursor": "zzz"}, "invalid-cursor", "cursor",
         None),
        ({"framework": ["vllm", "vllm"]}, "repeated-parameter", "framework", None),
    ],
)  # fmt: skip
def test_a_wrong_question_says_what_is_wrong_and_what_is_near(
    ask: Any, words: dict[str, Any], code: str, parameter: str, nearest: str | None
) -> None:
    members = problem(ask(**words), 400, code)
    assert members["parameter"] == parameter
    if nearest is not None:
        assert nearest in members["nearest"]
        assert nearest in members["detail"]


def test_a_kv_dtype_is_found_by_its_short_name_and_no_weight_scheme_passes(ask: Any) -> None:
    answer = ask(framework="vllm", kv_dtype="fp8").json()
    assert answer["cell"]["kv_dtype"] == "kv-fp8"
    problem(ask(framework="vllm", kv_dtype="awq"), 400, "unknown-name")


def test_every_rule_has_its_sentence() -> None:
    assert set(RULE_TEXTS) == set(Rule)
    assert all(str(text).endswith(".") for text in RULE_TEXTS.values())


def test_numbers_of_an_answer_are_numbers(ask: Any) -> None:
    answer = ask(framework="vllm", hardware="Turing", count="2", context_tokens="4096").json()
    assert answer["cell"]["count"] == 2
    assert answer["cell"]["context_tokens"] == 4096
    assert json.dumps(answer["cell"]["count"]) == "2"
