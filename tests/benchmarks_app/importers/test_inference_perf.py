"""inference-perf: reports of a stage and of all stages, their sidecars and the request log."""

import json

import numpy as np
import pytest

from benchmarks_app.contract import Counts, Fact, FileRole, Load, Measurement, Notice, Tokens
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file
from benchmarks_app.importers.inference_perf import IMPORTER
from benchmarks_app.reading.document import open_document

OLD_STAGE = {
    "load_summary": {
        "count": 4,
        "schedule_delay": {"mean": 0.0004, "min": -0.0006},
        "send_duration": 3.9,
        "requested_rate": 1.0,
        "achieved_rate": 1.02,
    },
    "successes": {
        "count": 4,
        "latency": {
            "request_latency": {"mean": 0.5, "median": 0.48, "p99.9": 0.75, "max": 1.0},
            "normalized_time_per_output_token": None,
            "time_per_output_token": {"mean": 0.004},
            "time_to_first_token": {"mean": 0.03125, "p99": 0.0625},
            "inter_token_latency": {"mean": 0.004, "min": 0.0000078125, "median": 0.00004},
        },
        "throughput": {
            "input_tokens_per_sec": 200.5,
            "output_tokens_per_sec": 62.5,
            "total_tokens_per_sec": 263.0,
            "requests_per_sec": 0.99,
        },
        "prompt_len": {"mean": 200.5, "min": 194.0},
        "output_len": {"mean": 62.25},
    },
    "failures": {"count": 0, "request_latency": None, "prompt_len": None},
}
NEW_SUMMARY = {
    "benchmark_time_seconds": 10.5,
    "load_summary": {"count": 9},
    "successes": {
        "count": 7,
        "latency": {
            "request_latency": {"mean": 0.125},
            "inter_token_latency": {"mean": 0.0015, "median": 0.0, "min": 0.0},
            "time_to_first_token": {"mean": 0.025},
        },
        "throughput": {"requests_per_sec": 6.5, "images_per_sec": 0.0},
        "prompt_tokens": {"total": 96.0, "cached": 0.0, "mean": 13.5},
        "output_len": {"mean": 22.25},
        "output_tokens": {"total": 145.0},
        "goodput_metrics": {"goodput_percentage": 87.5, "request_goodput": 6.25},
    },
    "failures": {
        "count": 2,
        "request_latency": {"mean": 0.02},
        "by_label": {
            "500 - Internal Server Error": {"count": 2, "messages": [{"message": "prompt was X"}]}
        },
    },
}
ALL_FAILED = {
    "benchmark_time_seconds": 9.0,
    "load_summary": {"count": 3},
    "successes": {
        "count": 0,
        "latency": {"request_latency": None, "inter_token_latency": None},
        "throughput": {"requests_per_sec": 0.0, "output_tokens_per_sec": 0.0},
        "prompt_tokens": {"total": 0.0},
        "output_tokens": {"total": 0.0},
    },
    "failures": {"count": 3, "by_label": {"timeout": {"count": 3, "messages": []}}},
}
PROMETHEUS = {
    "load_summary": {},
    "successes": {"count": 98, "queue_len": {"mean": 4}, "kv_cache_usage_percentage": {"mean": 0}},
    "failures": {},
}
CONFIG = """\
api:
  type: completion
  streaming: true
  headers: {authorization: secret}
data:
  type: random
load:
  type: constant
  base_seed: 17
  stages:
  - rate: 8.0
    duration: 4
server:
  type: vllm
  model_name: org/small-model
  base_url: http://10.0.0.7:8000
  api_key: sk-abc
  ignore_eos: true
tokenizer:
  pretrained_model_name_or_path: /home/ann/tok
"""
VALIDATION = {
    "global": {"warnings": [], "errors": []},
    "reports": {"a.json": {"warnings": [{"check": "x"}]}},
}
SESSIONS = {
    "num_sessions": 3,
    "num_sessions_succeeded": 2,
    "session_duration": {"mean": 4.5, "median": 4.25, "p99": 6.0},
    "sessions": [{"session_id": "s-1", "num_events": 4, "success": True}],
}
REQUESTS = [
    {
        "start_time": 100.0,
        "end_time": 100.5,
        "request": '{"prompt": "hello"}',
        "response": "data: …",
        "info": {
            "input_tokens": 11,
            "request_metrics": {"text": {"input_tokens": 11}},
            "response_metrics": {
                "output_tokens": 3,
                "response_chunks": ["a"],
                "output_token_times": [100.25, 100.375, 100.375],
            },
            "lora_adapter": "sql",
        },
        "error": None,
        "session_id": "s-1",
    },
    {
        "start_time": 101.0,
        "end_time": 101.25,
        "request": "{}",
        "response": None,
        "info": {"input_tokens": 5, "output_tokens": 0, "output_token_times": []},
        "error": {"error_type": "timeout", "error_msg": "hello"},
    },
]


def _bytes(value: object) -> bytes:
    return json.dumps(value).encode()


SAMPLES: dict[str, bytes] = {
    "stage_0_lifecycle_metrics.json": _bytes(OLD_STAGE),
    "summary_lifecycle_metrics.json": _bytes(NEW_SUMMARY),
    "failed/summary_lifecycle_metrics.json": _bytes(ALL_FAILED),
    "summary_prometheus_metrics.json": _bytes(PROMETHEUS),
    "config.yaml": CONFIG.encode(),
    "validation.json": _bytes(VALIDATION),
    "per_request_lifecycle_metrics.json": _bytes(REQUESTS),
    "session_lifecycle_metrics.json": _bytes(SESSIONS),
}


def _read(name: str):
    return read_file(name, SAMPLES[name])


def test_a_stage_is_one_run_in_milliseconds_at_its_rate():
    (run,) = _read("stage_0_lifecycle_metrics.json").runs
    assert run.status is RunStatus.OK
    assert run.facts == {"tool.name": Fact("inference-perf")}
    assert run.load == Load(
        mode=LoadMode.OPEN_LOOP, request_rate=1.0, num_prompts=4, isl_mean=200.5, osl_mean=62.25
    )
    assert run.requests == Counts(total=4, completed=4, failed=0)
    latency = "$.successes.latency"
    rates = "$.successes.throughput"
    assert run.metrics == (
        Measurement(
            "e2el", "e2el/client", {"mean": 500.0, "p50": 480.0, "p99.9": 750.0, "max": 1000.0},
            f"{latency}.request_latency", percentile_method="linear",
        ),
        Measurement(
            "tpot", "tpot/request", {"mean": 4.0}, f"{latency}.time_per_output_token",
            percentile_method="linear",
        ),
        Measurement(
            "ttft", "ttft/first-chunk", {"mean": 31.25, "p99": 62.5},
            f"{latency}.time_to_first_token", percentile_method="linear",
        ),
        Measurement(
            "itl", "itl/chunk", {"mean": 4.0, "min": 0.0078125, "p50": 0.04},
            f"{latency}.inter_token_latency", percentile_method="linear",
        ),
        *(
            Measurement(metric, f"{metric}/successful", {"value": value}, f"{rates}.{name}")
            for metric, name, value in (
                ("request_throughput", "requests_per_sec", 0.99),
                ("output_token_throughput", "output_tokens_per_sec", 62.5),
                ("input_token_throughput", "input_tokens_per_sec", 200.5),
                ("total_token_throughput", "total_tokens_per_sec", 263.0),
            )
        ),
    )  # fmt: skip
    assert run.notices == (Notice("no_model"), Notice("no_date"))
    assert run.unmapped == {
        "$.load_summary.schedule_delay": {"mean": 0.0004, "min": -0.0006},
        "$.load_summary.send_duration": 3.9,
        "$.load_summary.achieved_rate": 1.02,
        "$.successes.prompt_len.min": 194.0,
        "$.failures.request_latency": None,
        "$.failures.prompt_len": None,
    }


def test_a_report_over_all_stages_says_so_and_counts_tokens_and_errors():
    (run,) = _read("summary_lifecycle_metrics.json").runs
    assert run.status is RunStatus.PARTIAL
    assert run.requests == Counts(total=9, completed=7, failed=2)
    assert run.tokens == Tokens(input_total=96, output_total=145, duration_s=10.5)
    assert run.failures == {"500 - Internal Server Error": 2}
    assert Notice("aggregate_over_stages") in run.notices
    found = {one.metric: (one.definition, dict(one.stats)) for one in run.metrics}
    assert found == {
        "e2el": ("e2el/client", {"mean": 125.0}),
        "ttft": ("ttft/first-output", {"mean": 25.0}),
        "itl": ("itl/token-zero-filled", {"mean": 1.5, "p50": 0.0, "min": 0.0}),
        "request_throughput": ("request_throughput/successful", {"value": 6.5}),
        "goodput": ("goodput/successful", {"value": 6.25}),
        "goodput_fraction": ("goodput_fraction/successful", {"value": 0.875}),
    }
    assert run.withheld == ("$.failures.by_label.500 - Internal Server Error.messages",)
    assert "prompt was X" not in repr(run)


def test_a_report_without_a_success_failed_and_has_no_latency():
    (run,) = _read("failed/summary_lifecycle_metrics.json").runs
    assert run.status is RunStatus.FAILED
    assert Notice("all_requests_failed") in run.notices
    assert [one.metric for one in run.metrics] == ["request_throughput", "output_token_throughput"]
    assert run.tokens == Tokens(duration_s=9.0)


def test_a_stage_with_a_fixed_number_in_flight_is_a_closed_loop_without_a_rate():
    stage = json.loads(SAMPLES["stage_0_lifecycle_metrics.json"])
    stage["load_summary"] |= {"requested_rate": 60, "concurrency": 8}
    (run,) = read_file("stage.json", _bytes(stage)).runs
    assert (run.load.mode, run.load.max_concurrency) == (LoadMode.CLOSED_LOOP, 8)
    assert run.load.request_rate is None
    assert run.unmapped["$.load_summary.requested_rate"] == 60


def test_a_report_without_a_number_of_successes_is_refused_with_its_place():
    broken = {**OLD_STAGE, "successes": {"latency": {}}}
    with pytest.raises(ResultError) as caught:
        read_file("stage.json", _bytes(broken))
    assert caught.value.facts["place"] == "$.successes.count"


def test_the_server_side_estimates_are_kept_beside_the_run():
    reading = _read("summary_prometheus_metrics.json")
    assert (reading.format, reading.role) == ("inference_perf.prometheus", FileRole.ATTACHMENT)
    assert reading.runs == ()
    assert reading.unmapped["$.successes"] == PROMETHEUS["successes"]


def test_the_configuration_states_the_model_and_hides_address_and_key():
    reading = _read("config.yaml")
    assert reading.role is FileRole.SIDECAR
    assert {name: fact.value for name, fact in reading.facts.items()} == {
        "model.id": "org/small-model",
        "client.backend": "vllm",
        "load.dataset": "random",
        "load.streaming": True,
        "load.seed": 17,
        "tokenizer.id": "/home/‹user›/tok",
    }
    assert set(reading.withheld) == {"$.api.headers", "$.server.base_url", "$.server.api_key"}
    assert reading.unmapped["$.server.ignore_eos"] is True


def test_the_validation_is_a_sidecar_that_is_kept_whole():
    reading = _read("validation.json")
    assert (reading.role, reading.completes) == (FileRole.SIDECAR, ("inference_perf",))
    assert reading.unmapped == {f"$.{name}": value for name, value in VALIDATION.items()}


def test_the_request_log_gives_samples_and_hides_what_was_said():
    reading = _read("per_request_lifecycle_metrics.json")
    assert (reading.format, reading.role) == ("inference_perf.per_request", FileRole.ATTACHMENT)
    assert reading.samples is not None
    columns = reading.samples.requests
    np.testing.assert_array_equal(columns["ok"], [1.0, 0.0])
    np.testing.assert_array_equal(columns["start_s"], [0.0, 1.0])
    np.testing.assert_array_equal(columns["e2el_ms"], [500.0, np.nan])
    np.testing.assert_array_equal(columns["ttft_ms"], [250.0, np.nan])
    np.testing.assert_array_equal(columns["input_tokens"], [11.0, 5.0])
    np.testing.assert_array_equal(columns["output_tokens"], [3.0, 0.0])
    np.testing.assert_array_equal(reading.samples.pooled["itl_ms"], [125.0, 0.0])
    assert reading.unmapped == {
        "$[0].info": {
            "request_metrics": {"text": {"input_tokens": 11}},
            "response_metrics": {},
            "lora_adapter": "sql",
        },
        "$[0].session_id": "s-1",
    }
    assert "hello" not in repr(reading)
    assert {"$[*].request", "$[*].response", "$[*].error"} <= set(reading.withheld)


@pytest.mark.parametrize("value", [{"load": {}, "data": {}}, {"successes": {}}, [{"request": 1}]])
def test_other_files_are_not_claimed(value):
    assert IMPORTER.recognises(open_document("x.json", _bytes(value))) is None


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("stage_0_lifecycle_metrics.json", ["no_model", "no_date"]),
        ("x/run.stage_12_lifecycle_metrics.json", ["no_model", "no_date"]),
        ("summary_lifecycle_metrics.json", ["no_model", "no_date", "aggregate_over_stages"]),
    ],
)
def test_the_first_version_tells_a_stage_by_the_name_of_its_file(name, codes):
    report = {**OLD_STAGE, "load_summary": {"count": 4}}
    run = read_file(name, _bytes(report)).runs[0]
    assert [one.code for one in run.notices] == codes
    assert run.load.request_rate is None


def test_records_of_sessions_are_kept_beside_the_run():
    records = [{"session_id": "s1", "num_events": 3, "duration_sec": 1.5}]
    reading = read_file("per_session_lifecycle_metrics.json", _bytes(records))
    assert (reading.format, reading.role) == ("inference_perf.session", FileRole.ATTACHMENT)
    assert reading.unmapped == {"$[0]": records[0]}
