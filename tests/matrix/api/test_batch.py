"""Many cells in one request."""

import json
from typing import Any

import pytest

from tests.matrix.api.problems import STANDARD, problem


def lines_of(answer: Any) -> list[dict[str, Any]]:
    """The lines of a streamed answer."""
    assert answer.status_code == 200, answer.content[:300]
    assert answer.streaming
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    text = b"".join(answer.streaming_content).decode()
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def test_each_cell_has_its_line_in_order_and_a_wrong_one_stops_no_other(batch: Any) -> None:
    cells = [
        {"framework": "vllm", "version": "0.6.0", "hardware": "Turing", "quantization": "awq"},
        {"framework": "nothing"},
        "no cell",
        {"framework": "vllm", "colour": "red"},
        {"framework": "vllm", "version": "0.6.0", "hardware": "google-tpu"},
    ]
    lines = lines_of(batch({"cells": cells}))
    assert [line["index"] for line in lines] == [0, 1, 2, 3, 4]
    assert lines[0]["verdict"]["level"] == "supported"
    assert lines[4]["verdict"]["level"] == "unknown"
    codes = [line["problem"]["code"] for line in lines[1:4]]
    assert codes == ["unknown-name", "invalid-value", "unknown-parameter"]
    assert all(set(line["problem"]) >= STANDARD for line in lines[1:4])


def test_a_line_says_the_same_as_the_single_question(batch: Any, ask: Any) -> None:
    cell = {"framework": "vllm", "hardware": "Turing", "count": 2, "feature": ["lora", "eagle"],
            "setting": {"--x": "1"}, "model": None, "as_of": "2025-10-01"}  # fmt: skip
    (line,) = lines_of(batch({"cells": [cell]}))
    single = ask(framework="vllm", hardware="Turing", count="2", feature=["lora", "eagle"],
                 setting="--x:1", as_of="2025-10-01").json()  # fmt: skip
    assert line["verdict"] == single


def test_dates_of_the_body_hold_for_cells_without_their_own(batch: Any) -> None:
    cell = {"framework": "vllm", "hardware": "Turing"}
    body = {"as_of": "2025-07-01", "cells": [cell, cell | {"as_of": "2025-08-01"}]}
    lines = lines_of(batch(body))
    assert [line["verdict"]["as_of"] for line in lines] == ["2025-07-01", "2025-08-01"]


def test_a_summary_leaves_out_the_reasons(batch: Any) -> None:
    cell = {"framework": "vllm", "version": "0.6.0", "hardware": "Turing"}
    (line,) = lines_of(batch({"cells": [cell], "detail": "summary"}))
    assert line["verdict"]["level"] == "supported"
    assert line["verdict"]["deciding_claims"] == ["turing"]
    assert "legs" not in line["verdict"]


def test_an_empty_batch_has_no_lines(batch: Any) -> None:
    assert lines_of(batch({"cells": []})) == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("{", 400, "malformed-json"),
        ("[]", 400, "malformed-json"),
        ("null", 400, "malformed-json"),
        ("", 400, "missing-parameter"),
        ('{"cells": NaN}', 400, "malformed-json"),
        (b'{"cells": ["\xff"]}', 400, "malformed-json"),
        ("[" * 100_000, 400, "malformed-json"),
        ('{"cells": ' + "9" * 10_000 + "}", 400, "malformed-json"),
        ("{}", 400, "missing-parameter"),
        ('{"cells": {}}', 400, "invalid-value"),
        ('{"cells": [], "colour": 1}', 400, "unknown-parameter"),
        ('{"cells": [], "as_of": 5}', 400, "invalid-value"),
        ('{"cells": [], "as_of": "yesterday"}', 400, "invalid-value"),
        ('{"cells": [], "detail": ["full"]}', 400, "invalid-value"),
        ('{"cells": [' + "1," * 10_000 + "1]}", 413, "too-large"),
        ('{"cells": [' + "null," * 999_999 + "null]}", 413, "too-large"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_wrong_body_is_refused_as_a_whole(batch: Any, body: Any, status: int, code: str) -> None:
    problem(batch(body), status, code)


def test_a_body_beyond_the_limit_is_refused_unread(batch: Any) -> None:
    members = problem(batch('{"cells": ["' + "x" * (17 * 2**20) + '"]}'), 413, "too-large")
    assert "16777216" in members["accepted"]


@pytest.mark.parametrize(
    "cell",
    [
        None,
        5,
        [],
        {},
        {"framework": None},
        {"framework": 5},
        {"framework": True},
        {"framework": {"a": 1}},
        {"framework": ["vllm", "vllm"]},
        {"framework": "vllm", "version": 0.11},
        {"framework": "vllm", "model": "\u0000"},
        {"framework": "vllm", "model": "\ud800"},
        {"framework": "vllm", "model": "x" * 100_000},
        {"framework": "vllm", "count": -1},
        {"framework": "vllm", "count": 10**300},
        {"framework": "vllm", "feature": ["lora"] * 1_000},
        {"framework": "vllm", "feature": [["lora"]]},
        {"framework": "vllm", "setting": {"a": 1}},
        {"framework": "vllm", "setting": {"a:b": "1"}},
        {"framework": "vllm", "setting": ["a:1", "a:2"]},
        {"framework": "vllm", "over": "hardware"},
        {"x" * 100_000: 1},
    ],
    ids=lambda cell: repr(cell)[:40],
)
def test_a_hostile_cell_is_a_problem_of_its_own(batch: Any, cell: Any) -> None:
    good = {"framework": "vllm", "version": "0.6.0", "hardware": "Turing"}
    first, second = lines_of(batch(json.dumps({"cells": [cell, good]})))
    assert set(first) == {"index", "problem"}
    assert 400 <= first["problem"]["status"] < 500
    assert len(json.dumps(first)) < 5_000
    assert second["verdict"]["level"] == "supported"


def test_thousands_of_unknown_names_are_answered_without_long_searches(batch: Any) -> None:
    cells = [{"framework": "vllm", "model": f"nothing {n}"} for n in range(3_000)]
    lines = lines_of(batch({"cells": cells}))
    assert {line["problem"]["code"] for line in lines} == {"unknown-name"}
    assert "nearest" in lines[0]["problem"]
