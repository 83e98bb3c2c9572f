"""Runproof's own JSON: complete, strict, and as its page and its schema say."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from benchmarks_app.contract import Counts, FileReading, FileRole, Measurement, Tokens
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file
from benchmarks_app.importers.runproof.schema import build_schema

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "benchmark-json.md").read_text(encoding="utf-8")
EXAMPLE: dict[str, Any] = json.loads(re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0])
SINGLE: dict[str, Any] = {
    "format": "runproof.run",
    "version": 1,
    "facts": {"model.id": "example/tiny"},
    "metrics": [
        {"metric": "e2el", "definition": "e2el/client", "stats": {"mean": 12.5, "p99.9": None}}
    ],
}
SAMPLES: dict[str, bytes] = {
    "example.json": json.dumps(EXAMPLE).encode(),
    "single.json": json.dumps(SINGLE).encode(),
    "runs.jsonl": f"{json.dumps(SINGLE)}\n{json.dumps(EXAMPLE)}\n".encode(),
}


def _read(value: object) -> FileReading:
    return read_file("run.json", json.dumps(value).encode())


def _changed(path: str, value: object) -> dict[str, Any]:
    """The example with one value changed; ``path`` is dotted below the first run."""
    changed = copy.deepcopy(EXAMPLE)
    at: Any = changed["runs"][0]
    *steps, last = path.split("/")
    for step in steps:
        at = at[int(step)] if step.isdigit() else at[step]
    at[int(last) if last.isdigit() else last] = value
    return changed


def test_the_page_s_example_is_read_completely() -> None:
    reading = _read(EXAMPLE)

    assert (reading.format, reading.tool, reading.role) == (
        "runproof.run",
        "runproof",
        FileRole.RUNS,
    )
    (run,) = reading.runs
    assert run.status is RunStatus.PARTIAL
    assert (run.identity, run.command) == (
        "sweep-7/concurrency-2",
        "my-load-test --concurrency 2 --requests 4",
    )
    assert run.facts["framework.version"].value == "0.32.0"
    assert run.facts["run.started_at"].pointer == "$.runs[0].facts.run.started_at"
    assert run.load.mode is LoadMode.CLOSED_LOOP
    assert (run.load.max_concurrency, run.load.osl_target, run.load.extra) == (2, 16.0, {"seed": 7})
    assert run.requests == Counts(total=4, completed=3, failed=1)
    assert run.tokens == Tokens(input_total=384, output_total=48, duration_s=2.5)
    assert run.metrics[0] == Measurement(
        "ttft",
        "ttft/first-output",
        {"mean": 50.0, "p50": 48.0, "p99": 60.0, "max": 60.0},
        "$.runs[0].metrics[0].stats",
        "",
        "linear",
    )
    assert [m.definition for m in run.metrics[1:]] == [
        "tpot/request",
        "output_token_throughput/successful",
        "peak_gpu_memory/reported",
    ]
    assert run.samples is not None
    assert run.samples.requests["ok"].tolist() == [1.0, 1.0, 1.0, 0.0]
    assert np.isnan(run.samples.requests["ttft_ms"][3])
    assert run.samples.pooled["itl_ms"].tolist() == [10.0, 10.0, 10.0]
    assert run.failures == {"timeout": 1}
    assert (dict(run.unmapped), dict(reading.unmapped)) == ({}, {})


def test_the_shipped_schema_is_the_one_that_the_reader_s_words_give() -> None:
    shipped = ROOT / "benchmarks_app" / "importers" / "runproof_schema.json"

    expected = json.dumps(build_schema(), indent=1) + "\n"
    assert shipped.read_text(encoding="utf-8") == expected, (
        "write json.dumps(build_schema(), indent=1) and a line end into runproof_schema.json"
    )


def test_the_schema_accepts_the_example_and_refuses_what_the_reader_refuses() -> None:
    schema = build_schema()
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)

    assert validator.is_valid(EXAMPLE)
    assert validator.is_valid(SINGLE)
    for path, value in REFUSED:
        if path != "metrics/1":  # That a metric stands twice no schema can say.
            assert not validator.is_valid(_changed(path, value)), path


def test_one_object_is_one_run_and_null_is_unknown() -> None:
    (run,) = _read(SINGLE).runs

    assert (run.pointer, run.status) == ("$", RunStatus.OK)
    assert dict(run.metrics[0].stats) == {"mean": 12.5}
    assert run.requests == Counts()
    assert run.samples is None


def test_json_lines_hold_the_runs_of_all_lines() -> None:
    runs = read_file("runs.jsonl", SAMPLES["runs.jsonl"]).runs

    assert [(run.index, run.pointer) for run in runs] == [(0, "line 1"), (1, "line 2.runs[0]")]


def test_facts_of_a_run_win_over_those_of_the_file() -> None:
    run = _read(_changed("facts/framework.version", "0.32.1")).runs[0]

    assert run.facts["framework.version"].value == "0.32.1"


def test_keys_that_nobody_knows_are_kept_where_they_stood() -> None:
    changed = _changed("zz_new", {"a": 1})
    changed["zz_top"] = [1]
    changed["runs"][0]["facts"]["zz.fact"] = "x"
    reading = _read(changed)

    assert reading.unmapped == {"$.zz_top": [1]}
    assert reading.runs[0].unmapped == {
        "$.runs[0].zz_new": {"a": 1},
        "$.runs[0].facts.zz.fact": "x",
    }


def test_prompts_and_secrets_are_not_in_what_was_read() -> None:
    changed = _changed("prompts", ["a private question"])
    changed["runs"][0]["command"] = "my-load-test --api-key abcdef0123456789"
    run = _read(changed).runs[0]

    assert run.withheld == ("$.runs[0].prompts",)
    assert "private" not in repr(run)
    assert "abcdef" not in run.command


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        ({"total": 4, "completed": 0}, RunStatus.FAILED),
        ({"total": 4, "completed": 4, "failed": 0}, RunStatus.OK),
        ({"total": 4, "completed": 3, "failed": 1}, RunStatus.PARTIAL),
    ],
)
def test_the_status_follows_from_the_counts(counts: dict[str, int], status: RunStatus) -> None:
    assert _read(_changed("requests", counts)).runs[0].status is status


def test_a_stated_status_stands() -> None:
    assert _read(_changed("status", "cancelled")).runs[0].status is RunStatus.CANCELLED


REFUSED: list[tuple[str, object]] = [
    ("status", "great"),
    ("facts", ["x"]),
    ("facts/accelerator.count", "eight"),
    ("facts/model.id", {"name": "x"}),
    ("load/mode", "closed"),
    ("load/max_concurrency", 2.5),
    ("load/ignore_eos", 1),
    ("requests/completed", "3"),
    ("tokens/duration_s", True),
    ("metrics", {"ttft": 1}),
    ("metrics/0/metric", "tttf"),
    ("metrics/0/definition", "tpot/request"),
    ("metrics/0/unit", "s"),
    ("metrics/0/percentile_method", "guess"),
    ("metrics/0/stats", {"p101": 1.0}),
    ("metrics/0/stats", {"mean": "50"}),
    ("metrics/1", EXAMPLE["runs"][0]["metrics"][0]),
    ("samples/requests/latency", [1, 2, 3, 4]),
    ("samples/pooled/itl_ms", ["a"]),
    ("samples/repeats", {"speed": [1.0]}),
    ("failures/timeout", "many"),
]


@pytest.mark.parametrize(("path", "value"), REFUSED)
def test_a_wrong_value_is_refused_with_its_place(path: str, value: object) -> None:
    with pytest.raises(ResultError) as raised:
        _read(_changed(path, value))
    place = str(raised.value.facts["place"])
    assert place.startswith("$.runs[0]")
    assert place in str(raised.value)
    assert raised.value.facts["accepted"]


def test_an_unknown_name_is_answered_with_the_nearest_known() -> None:
    with pytest.raises(ResultError) as raised:
        _read(_changed("metrics/0/metric", "tttf"))
    assert raised.value.code == "unknown-metric"
    assert "ttft" in str(raised.value.facts["accepted"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("run.started_at", "2026-11-30T12:00:00"),
        ("run.started_at_local", "2026-11-30T12:00:00Z"),
        ("run.finished_at", "yesterday"),
    ],
)
def test_times_without_or_with_a_zone_stand_under_their_own_names(name: str, value: str) -> None:
    with pytest.raises(ResultError, match="cannot be used"):
        _read(_changed(f"facts/{name}", value))


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({**SINGLE, "version": 2}, "unsupported-version"),
        ({**SINGLE, "version": True}, "unsupported-version"),
        ({"format": "runproof.run", "version": 1, "runs": []}, "no-runs"),
        (_changed("samples/requests/ok", [1, 1]), "uneven-columns"),
        ({**SINGLE, "metrics": [{"metric": "ttft", "stats": {}}]}, "missing-key"),
    ],
)
def test_what_cannot_be_read_is_refused_by_code(value: object, code: str) -> None:
    with pytest.raises(ResultError) as raised:
        _read(value)
    assert raised.value.code == code


def test_bare_infinity_is_refused_because_null_is_unknown() -> None:
    text = json.dumps(SINGLE).replace("12.5", "Infinity")
    with pytest.raises(ResultError, match="null for unknown"):
        read_file("run.json", text.encode())
