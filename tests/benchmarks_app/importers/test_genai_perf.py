"""GenAI-Perf's files, one quirk a test."""

import json
from typing import Any

import pytest

from benchmarks_app.contract import Counts, FileReading, FileRole, Load, RunReading
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.importers import read_file
from tests.benchmarks_app.importers.samples_genai_perf import (
    CSV,
    SAMPLES,
    configured,
    flat,
    metric,
    nested,
    old,
)


def read(value: object) -> FileReading:
    data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    return read_file("any.json", data)


def run_of(value: object) -> RunReading:
    (run,) = read(value).runs
    return run


def values(run: RunReading) -> dict[str, dict[str, float]]:
    return {one.definition: dict(one.stats) for one in run.metrics}


def facts(run: RunReading) -> dict[str, Any]:
    return {name: fact.value for name, fact in run.facts.items()}


def codes(run: RunReading) -> list[str]:
    return [f"{one.code}:{one.detail}" if one.detail else one.code for one in run.notices]


def test_a_summary_with_flat_options_is_one_run() -> None:
    run = run_of(flat())
    assert run.status is RunStatus.OK
    assert facts(run) == {
        "tool.name": "genai-perf",
        "model.id": "ensemble",
        "client.service_kind": "triton",
        "framework.backend": "tensorrtllm",
        "load.streaming": True,
        "client.backend": "kserve",
        "tokenizer.id": "acme/tiny-7b",
        "load.seed": 0,
    }
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP, max_concurrency=8, isl_target=100.0, osl_target=150.0,
        isl_mean=100.0, osl_mean=150.0,
    )  # fmt: skip
    assert run.requests == Counts()
    assert values(run)["ttft/first-output"] == {
        "mean": 50.0, "p50": 50.0, "p99": 100.0, "min": 25.0, "max": 150.0, "std": 1.0,
    }  # fmt: skip
    assert values(run)["tpot/request"]["mean"] == 5.0
    assert values(run)["request_throughput/all"] == {"value": 4.0}
    assert codes(run) == ["no_date", "no_request_count"]


def test_inter_token_latency_is_the_time_per_output_token_and_no_gap() -> None:
    assert {one.metric for one in run_of(nested()).metrics} >= {"tpot", "ttft", "ttst", "e2el"}
    assert "itl" not in {one.metric for one in run_of(nested()).metrics}


def test_percentiles_are_interpolated_and_single_numbers_have_no_method() -> None:
    methods = {one.metric: one.percentile_method for one in run_of(flat()).metrics}
    assert methods["ttft"] == "linear"
    assert methods["request_throughput"] == "unknown"


def test_a_summary_with_nested_options_is_one_run() -> None:
    run = run_of(nested())
    assert facts(run) == {
        "tool.name": "genai-perf",
        "model.id": "acme/tiny-7b",
        "client.service_kind": "openai",
        "client.backend": "chat",
        "load.streaming": True,
        "tokenizer.id": "acme/tiny-7b",
        "load.seed": 7,
    }
    assert run.load == Load(
        mode=LoadMode.OPEN_LOOP, request_rate=2.5, num_prompts=48, isl_target=40.0,
        isl_mean=40.0, osl_mean=26.0, warmup="10 requests",
        slo="request_latency:200 time_to_first_token:50",
    )  # fmt: skip
    assert run.requests == Counts(completed=48)
    assert codes(run) == ["no_date"]


def test_the_backend_of_another_service_than_triton_is_a_default_and_no_fact() -> None:
    run = run_of(nested())
    assert "framework.backend" not in run.facts
    assert run.unmapped["$.input_config.endpoint.backend"] == "tensorrtllm"


def test_without_streaming_the_time_to_first_token_is_no_ttft() -> None:
    run = run_of(configured(streaming=False))
    assert "ttft" not in {one.metric for one in run.metrics}
    assert run.unmapped["$.time_to_first_token.avg"] == 50.0
    assert "ttft_dropped_not_streaming" in codes(run)


def test_answers_far_longer_than_asked_for_make_the_run_suspect() -> None:
    run = run_of(flat(output_sequence_length=metric("tokens", 750.0)))
    assert run.status is RunStatus.SUSPECT
    assert "osl_differs_from_target:5.0x" in codes(run)


def test_the_first_versions_wrote_nanoseconds_and_numbers_as_texts() -> None:
    run = run_of(old())
    assert values(run) == {
        "e2el/client": {"mean": 1.5, "p99": 3.0},
        "request_throughput/all": {"value": 2.5},
    }
    assert (run.load.isl_mean, run.load.osl_mean) == (60.0, 120.0)


def test_several_models_are_not_guessed_to_be_one() -> None:
    run = run_of(configured(model=["a", "b"]))
    assert "model.id" not in run.facts
    assert run.unmapped["$.input_config.model"] == ["a", "b"]
    assert "no_model" in codes(run)


def test_hosts_and_headers_are_withheld() -> None:
    assert run_of(flat()).withheld == ("$.input_config.u", "$.input_config.server_metrics_url")
    reading = read(nested())
    assert set(reading.runs[0].withheld) == {
        "$.input_config.endpoint.url",
        "$.input_config.input.header",
    }
    assert "hidden" not in repr(reading)
    assert "gpu-node-7" not in repr(reading)


def test_unknown_fields_and_unknown_units_stay() -> None:
    run = run_of(flat(request_latency=metric("fortnights", 1.0), new_metric={"unit": "x"}))
    assert "e2el" not in {one.metric for one in run.metrics}
    assert run.unmapped["$.request_latency.unit"] == "fortnights"
    assert run.unmapped["$.new_metric.unit"] == "x"


def test_a_number_without_end_is_absent_and_noted() -> None:
    text = json.dumps(flat()).replace('"avg": 50.0', '"avg": NaN')
    run = run_of(text)
    assert "mean" not in values(run)["ttft/first-output"]
    assert "non_finite_value:$.time_to_first_token.avg" in codes(run)


def test_the_tables_are_read_with_their_units() -> None:
    reading = read(CSV)
    (run,) = reading.runs
    assert reading.format == "genai_perf.csv"
    assert values(run)["e2el/client"]["mean"] == 1157.46
    assert values(run)["ttft/first-output"]["p75"] == 28.91
    assert values(run)["output_token_throughput/all"] == {"value": 400.0}
    assert run.requests == Counts(completed=48)
    assert run.load == Load(osl_mean=26.0)
    assert codes(run) == ["rounded_values", "no_model", "no_date"]
    assert run.unmapped["line 4, Output Sequence Length.p99"] == "27.00"


def test_rows_that_repeat_a_metric_stay() -> None:
    run = run_of(f"{CSV}Request Count (count),49.00\n")
    assert run.requests == Counts(completed=48)
    assert run.unmapped["line 10"] == ["Request Count (count)", "49.00"]


def test_a_summary_without_one_known_metric_is_refused_with_its_place() -> None:
    unknown = {"unit": "fortnights", "avg": 1.0}
    with pytest.raises(ResultError) as raised:
        read({"request_latency": unknown, "input_config": {}})
    assert raised.value.facts["place"] == "$"


@pytest.mark.parametrize("name", ["profile_export.json", "console.txt"])
def test_what_holds_no_summary_is_kept_beside_one(name: str) -> None:
    reading = read_file(name, SAMPLES[name])
    assert reading.role is FileRole.ATTACHMENT
    assert "profile_export_genai_perf.json" in reading.reason


@pytest.mark.parametrize("name", SAMPLES)
def test_every_measurement_is_of_a_known_definition(name: str) -> None:
    for run in read_file(name, SAMPLES[name]).runs:
        for one in run.metrics:
            assert one.definition in METRICS[one.metric].definitions
