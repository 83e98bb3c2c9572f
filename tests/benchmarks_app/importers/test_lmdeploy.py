"""LMDeploy's files, one quirk a test."""

import pytest

from benchmarks_app.contract import Counts, FileReading, Load, Tokens
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.importers import read_file
from tests.benchmarks_app.importers.samples_lmdeploy import (
    GENERATION,
    RESTFUL,
    RESTFUL_HEADER,
    RESTFUL_ROW,
    SAMPLES,
    THROUGHPUT,
)
from tests.benchmarks_app.importers.shown import codes, values


def read(text: str) -> FileReading:
    return read_file("any.jsonl", text.encode())


def test_rows_of_a_csv_that_is_called_jsonl_are_runs() -> None:
    reading = read(RESTFUL)

    assert (reading.format, reading.tool) == ("lmdeploy.profile_restful_csv", "lmdeploy")
    first, second = reading.runs
    assert (first.pointer, first.index, first.status) == ("line 2", 0, RunStatus.OK)
    assert {name: fact.value for name, fact in first.facts.items()} == {
        "tool.name": "lmdeploy profile_restful_api",
        "client.backend": "lmdeploy",
        "load.dataset": "random",
    }
    assert first.load == Load(
        mode=LoadMode.BURST,
        request_rate_unbounded=True,
        isl_target=40.0,
        osl_target=20.0,
        range_ratio=0.0,
    )
    assert (second.load.mode, second.load.request_rate) == (LoadMode.OPEN_LOOP, 10.0)
    assert first.requests == Counts(completed=4)
    assert first.tokens == Tokens(input_total=160, output_total=80, duration_s=2.0)
    assert values(first) == {
        "ttft/first-output": {"mean": 25.0},
        "tpot/request": {"mean": 5.0},
        "itl/chunk": {"mean": 4.5},
        "e2el/client": {"mean": 120.0},
        "request_throughput/successful": {"value": 2.0},
        "input_token_throughput/successful": {"value": 80.0},
        "output_token_throughput/successful": {"value": 40.0},
    }
    assert codes(first) == ["no_model", "no_date", "means_only", "total_requests_unknown"]
    assert dict(first.unmapped) == {}


def test_a_header_that_stands_again_is_no_run() -> None:
    reading = read(RESTFUL + f"{RESTFUL_HEADER}\n{RESTFUL_ROW}\n")

    assert [run.pointer for run in reading.runs] == ["line 2", "line 3", "line 5"]


def test_a_row_of_another_length_is_kept_as_it_stands() -> None:
    reading = read(RESTFUL + "lmdeploy,random\n")

    assert len(reading.runs) == 2
    assert dict(reading.unmapped) == {"line 4": ["lmdeploy", "random"]}


def test_a_cell_that_is_no_number_stays_unmapped() -> None:
    (run,) = read(f"{RESTFUL_HEADER}\n{RESTFUL_ROW.replace(',25.0,', ',fast,')}\n").runs

    assert "ttft/first-output" not in values(run)
    assert dict(run.unmapped) == {"line 2.mean_ttft_ms": "fast"}


def test_lengths_that_a_dataset_did_not_use_are_said_not_to_apply() -> None:
    (run,) = read(f"{RESTFUL_HEADER}\n{RESTFUL_ROW.replace(',random,', ',sharegpt,')}\n").runs

    assert run.load.extra == {"random_lengths_apply": False}


def test_a_run_that_completed_nothing_failed_and_has_no_latency() -> None:
    row = "lmdeploy,random,,40,20,0.0,inf,0,0,0,2.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0"

    (run,) = read(f"{RESTFUL_HEADER}\n{row}\n").runs

    assert (run.status, codes(run)[-1]) == (RunStatus.FAILED, "all_requests_failed")
    assert "ttft/first-output" not in values(run)


def test_the_old_throughput_script_writes_seconds_and_misspells_a_name() -> None:
    reading = read(THROUGHPUT)

    assert reading.format == "lmdeploy.profile_throughput_csv"
    (run,) = reading.runs
    assert values(run) == {
        "request_throughput/all": {"value": 5.0},
        "output_token_throughput/all": {"value": 2500.0},
        "total_token_throughput/all": {"value": 5000.0},
        "ttft/first-output": {"mean": 150.0, "min": 50.0, "max": 4500.0},
        "itl/token-zero-filled": pytest.approx({"p50": 40.0, "p75": 50.0, "p95": 80.0, "p99": 110}),
    }
    assert run.metrics[-1].percentile_method == "nearest_rank"
    assert run.load == Load(
        mode=LoadMode.OFFLINE_BATCH,
        batch_size=128,
        num_prompts=1000,
        extra={"requests_per_minute": 300.0},
    )
    assert dict(run.unmapped) == {}


def test_dashes_of_the_generation_script_are_unknown_and_memory_stays_unmapped() -> None:
    reading = read(GENERATION)

    assert reading.format == "lmdeploy.profile_generation_csv"
    second = reading.runs[1]
    assert set(values(second)) == {
        "output_token_throughput/all", "total_token_throughput/all", "itl/token-zero-filled",
    }  # fmt: skip
    assert (second.load.isl_target, second.load.osl_target) == (128.0, 256.0)
    assert dict(second.unmapped) == {"line 3.mem(GB)": "21.00"}


def test_an_unclosed_quote_is_refused_with_its_line() -> None:
    with pytest.raises(ResultError) as raised:
        read(RESTFUL + '"lmdeploy,random\n')

    assert raised.value.facts["place"].startswith("line ")


@pytest.mark.parametrize("name", SAMPLES)
def test_every_definition_of_a_sample_stands_in_the_vocabulary(name: str) -> None:
    for run in read_file(name, SAMPLES[name]).runs:
        for one in run.metrics:
            assert one.definition in METRICS[one.metric].definitions
