"""LLMPerf: the summary of a run and the records of its requests."""

import json

import numpy as np
import pytest

from benchmarks_app.contract import Counts, FileRole, Load, Measurement, Notice
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file

SUMMARY = {
    "version": "2023-08-31",
    "name": "tiny_550_150_summary",
    "model": "tiny-7b",
    "mean_input_tokens": 550,
    "mean_output_tokens": 150,
    "num_concurrent_requests": 5,
    "results_ttft_s_quantiles_p50": 0.5,
    "results_ttft_s_mean": 0.75,
    "results_ttft_s_stddev": 0.25,
    "results_inter_token_latency_s_mean": 0.025,
    "results_inter_token_latency_s_max": 0.03125,
    "results_end_to_end_latency_s_quantiles_p99": 4.5,
    "results_request_output_throughput_token_per_s_mean": 12.5,
    "results_number_input_tokens_mean": 550.0,
    "results_number_input_tokens_min": "550",
    "results_number_output_tokens_mean": 149.5,
    "results_num_requests_started": 10,
    "results_error_rate": 0.2,
    "results_number_errors": 2,
    "results_error_code_frequency": "{429.0: 1, -100.0: 1}",
    "results_mean_output_throughput_token_per_s": 55.5,
    "results_num_completed_requests": 8,
    "results_num_completed_requests_per_min": 24.0,
    "framework": "somebody",
    "model_size": "7b",
    "api": "https://tiny.example.org/api/v1",
    "timestamp": 1703638574,
}
RECORDS = [
    {
        "error_code": -100,
        "error_msg": "Output too few tokens 102",
        "inter_token_latency_s": 5.0,
        "ttft_s": 0.5,
        "end_to_end_latency_s": 5.0,
        "number_output_tokens": 102,
        "number_input_tokens": 550,
        "GEN_TEXT": "once upon a time",
    },
    {
        "error_code": None,
        "error_msg": "",
        "inter_token_latency_s": 0.05,
        "ttft_s": 0.625,
        "end_to_end_latency_s": 6.25,
        "number_output_tokens": 128,
        "number_input_tokens": 550,
        "GEN_TEXT": "there was",
    },
]


def _bytes(value: object) -> bytes:
    return json.dumps(value).encode()


SAMPLES: dict[str, bytes] = {
    "tiny_summary.json": _bytes(SUMMARY),
    "tiny_individual_responses.json": _bytes(RECORDS),
}


def test_a_summary_is_one_run_with_its_own_definition_of_latency_between_tokens():
    (run,) = read_file("s.json", SAMPLES["tiny_summary.json"]).runs
    assert run.status is RunStatus.PARTIAL
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "llmperf",
        "tool.format_version": "2023-08-31",
        "model.id": "tiny-7b",
        "provider": "somebody",
        "run.finished_at": "2023-12-27T00:56:14+00:00",
        "user_meta.model_size": "7b",
    }
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP, max_concurrency=5, num_prompts=10, isl_target=550.0,
        osl_target=150.0, isl_mean=550.0, osl_mean=149.5,
    )  # fmt: skip
    assert run.requests == Counts(total=10, completed=8, failed=2)
    assert run.failures == {"429": 1, "-100": 1}
    assert [(one.metric, one.definition, dict(one.stats)) for one in run.metrics] == [
        ("ttft", "ttft/first-chunk", {"p50": 500.0, "mean": 750.0, "std": 250.0}),
        ("ntpot", "ntpot/request", {"mean": 25.0, "max": 31.25}),
        ("e2el", "e2el/client", {"p99": 4500.0}),
        (
            "output_token_throughput_per_request",
            "output_token_throughput_per_request/whole-request",
            {"mean": 12.5},
        ),
        ("output_token_throughput", "output_token_throughput/successful", {"value": 55.5}),
        ("request_throughput", "request_throughput/successful", {"value": 0.4}),
    ]
    assert run.notices == (
        Notice("itl_includes_ttft"), Notice("hosted_api"), Notice("errors_may_be_short_outputs")
    )  # fmt: skip
    assert run.unmapped == {
        "$.name": "tiny_550_150_summary",
        "$.results_number_input_tokens_min": "550",
    }
    assert run.withheld == ("$.api",)


def test_a_run_in_which_all_failed_has_no_latency():
    failed = {
        **SUMMARY, "results_num_completed_requests": 0, "results_number_errors": 10,
        "results_ttft_s_mean": float("nan"), "results_error_code_frequency": "{429: 10}",
    }  # fmt: skip
    (run,) = read_file("s.json", json.dumps(failed).encode()).runs
    assert run.status is RunStatus.FAILED
    assert run.metrics == ()
    assert run.failures == {"429": 10}
    assert Notice("all_requests_failed") in run.notices


def test_a_server_of_ones_own_is_no_hosted_service():
    own = {k: v for k, v in SUMMARY.items() if k not in ("api", "framework")}
    (run,) = read_file("s.json", _bytes(own)).runs
    assert Notice("hosted_api") not in run.notices


def test_frequencies_as_numpy_two_prints_them_are_read():
    printed = {**SUMMARY, "results_error_code_frequency": "{np.float64(429.0): np.int64(2)}"}
    (run,) = read_file("s.json", _bytes(printed)).runs
    assert run.failures == {"429": 2}


def test_a_summary_without_its_count_is_refused_with_its_place():
    broken = {**SUMMARY, "results_num_completed_requests": "many"}
    with pytest.raises(ResultError) as caught:
        read_file("s.json", _bytes(broken))
    assert caught.value.facts["place"] == "$.results_num_completed_requests"


def test_records_give_samples_without_latencies_of_failed_requests_and_without_texts():
    reading = read_file("i.json", SAMPLES["tiny_individual_responses.json"])
    assert (reading.format, reading.role) == ("llmperf.individual", FileRole.ATTACHMENT)
    assert reading.samples is not None
    columns = reading.samples.requests
    np.testing.assert_array_equal(columns["ok"], [0.0, 1.0])
    np.testing.assert_array_equal(columns["ttft_ms"], [np.nan, 625.0])
    np.testing.assert_array_equal(columns["e2el_ms"], [np.nan, 6250.0])
    np.testing.assert_array_equal(columns["output_tokens"], [102.0, 128.0])
    assert reading.withheld == ("$[*].GEN_TEXT", "$[*].error_msg")
    assert reading.unmapped == {
        "$[*].error_code": [-100, None], "$[*].inter_token_latency_s": [5.0, 0.05]
    }  # fmt: skip
    assert "once upon" not in repr(reading)


def test_percentile_methods_are_those_of_the_tool():
    (run,) = read_file("s.json", SAMPLES["tiny_summary.json"]).runs
    assert run.metrics[0] == Measurement(
        "ttft", "ttft/first-chunk", {"p50": 500.0, "mean": 750.0, "std": 250.0},
        "$.results_ttft_s_mean", percentile_method="linear",
    )  # fmt: skip
