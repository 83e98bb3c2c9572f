"""GuideLLM's tables of 0.4 to 0.6, whose rows need not fit their header, and its own limits."""

import json

import pytest

from benchmarks_app.contract import Counts
from benchmarks_app.importers import read_file
from tests.benchmarks_app.importers.samples_guidellm import (
    NEW_CELLS,
    new_benchmark,
    new_table,
    table,
)
from tests.benchmarks_app.importers.shown import codes, facts, values

SHIFTED = (
    "contradicts_itself:the row does not fit the header, so that most of its columns have no name"
)


def _read(text: str):
    return read_file("benchmarks.csv", text.encode()).runs


def shifted_table(*, errored: int) -> str:
    """Two benchmarks under the header of the first, of which only the second had errors."""
    before = [key for key in NEW_CELLS if key[0] in ("Run Info", "Benchmark", "Timings")]
    before += [key for key in NEW_CELLS if key[0] == "Request Counts"]
    first = [*before, ("Request Latency", "Successful Sec", "Mean")]
    middle = [("Time to First Token", "Successful ms", "Mean")]
    last = [("Runtime Info", "Arguments", "")]
    head = [*first, *middle, *last]
    cells = {**NEW_CELLS, ("Request Counts", "Errored", ""): errored}
    row = [*(cells[key] for key in first), 99.5, *(cells[key] for key in (*middle, *last))]
    return table(*zip(*head, strict=True), [NEW_CELLS[key] for key in head], row)


def test_a_row_of_other_ends_than_the_first_keeps_what_has_a_certain_name() -> None:
    first, second = _read(shifted_table(errored=3))
    assert values(first)["ttft/first-output"] == {"mean": 15.5}
    assert second.requests == Counts(total=24, completed=24, failed=3, incomplete=0)
    assert values(second) == {"e2el/client": {"mean": 140.0}}
    assert facts(second)["tokenizer.id"] == "acme/tiny-7b"
    assert {key: second.unmapped[key] for key in ("line 5.cell 16", "line 5.cell 17")} == {
        "line 5.cell 16": "99.5",
        "line 5.cell 17": "15.5",
    }
    assert SHIFTED in codes(second)
    assert SHIFTED not in codes(first)


def test_values_under_an_end_that_no_request_had_are_shifted() -> None:
    (run,) = _read(new_table({("Token Metrics", "Errored Input Tokens", "Mean"): 7.5}))
    assert values(run) == {"e2el/client": {"mean": 140.0}}
    assert SHIFTED in codes(run)


@pytest.mark.parametrize(("asked", "limit"), [(None, None), (64, 64)])
def test_a_limit_that_nobody_asked_for_is_none_of_the_load(asked, limit):
    benchmark = new_benchmark()
    benchmark["config"]["profile"] = {"kind": "constant", "max_concurrency": asked}
    stated = asked or 10240
    strategy = {"type_": "constant", "rate": 5.0, "max_concurrency": stated}
    benchmark["config"]["strategy"] = strategy
    data = json.dumps({"args": {}, "benchmarks": [benchmark]}).encode()
    (run,) = read_file("benchmarks.json", data).runs
    assert (run.load.request_rate, run.load.max_concurrency) == (5.0, limit)
    place = "$.benchmarks[0].config.strategy.max_concurrency"
    assert run.unmapped.get(place) == (None if limit else 10240)
