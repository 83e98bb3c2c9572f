"""inference-benchmarker: a run for each load step."""

import copy
import json
from typing import Any

from benchmarks_app.contract import Counts, FileRole, Measurement, Notice, Tokens
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file


def _spread(median: float) -> dict[str, float]:
    return {
        "p50": median, "p60": median, "p70": median, "p80": median, "p90": median * 2,
        "p95": median * 2, "p99": median * 2, "avg": median + 1,
    }  # fmt: skip


def _result(name: str, executor: str, **config: float) -> dict[str, Any]:
    return {
        "id": name, "executor_type": executor, "config": {"duration_secs": 120.0, **config},
        "total_requests": 50, "total_tokens": 4000, "token_throughput_secs": 33.5,
        "duration_ms": 119500, "time_to_first_token_ms": _spread(40.0),
        "inter_token_latency_ms": _spread(9.0), "failed_requests": 2, "successful_requests": 48,
        "request_rate": 0.4, "total_tokens_sent": 9600, "e2e_latency_ms": _spread(900.0),
    }  # fmt: skip


REPORT: dict[str, Any] = {
    "config": {
        "max_vus": 128, "duration_secs": 120, "benchmark_kind": "Sweep", "rates": None,
        "num_rates": 10, "warmup_duration_secs": 30, "tokenizer": "example/tok",
        "model_name": "example/tiny", "profile": "chat", "run_id": "abc",
        "url": "http://jane:secret@host:8000", "dataset": "example/sharegpt",
        "prompt_options": {"num_tokens": 200, "min_tokens": 180, "max_tokens": 220,
                           "variance": 10},
        "decode_options": {"num_tokens": 80, "min_tokens": 50, "max_tokens": 80, "variance": 100},
        "meta": {"engine": "TGI", "tp": "4", "device": "H100"},
    },
    "results": [
        _result("warmup", "ConstantVUs", max_vus=1),
        _result("throughput", "ConstantVUs", max_vus=128),
        _result("constant@0.40req/s", "ConstantArrivalRate", max_vus=128, rate=0.4),
    ],
    "start_time": "2026-01-02T03:04:05Z",
    "end_time": "2026-01-02T03:14:05Z",
    "system": {"cpu": ["Example CPU", "Example CPU"], "memory": "64 GB", "os_name": "Linux",
               "os_version": "6.1", "kernel": "6.1.0", "hostname": "jane-laptop"},
}  # fmt: skip
SAMPLES: dict[str, bytes] = {"results.json": json.dumps(REPORT).encode()}


def _read(report: dict[str, Any]) -> Any:
    return read_file("results.json", json.dumps(report).encode())


def test_each_load_step_is_a_run_and_the_warm_up_is_none() -> None:
    reading = _read(REPORT)

    assert (reading.format, reading.role) == ("hf_inference_benchmarker", FileRole.RUNS)
    assert [run.identity for run in reading.runs] == ["abc/throughput", "abc/constant@0.40req/s"]
    assert reading.notices == (Notice("warmup_excluded", pointer="$.results[0]"),)
    assert reading.unmapped == {"$.results[0]": REPORT["results"][0]}


def test_the_load_is_closed_for_users_and_open_for_rates() -> None:
    closed, opened = (run.load for run in _read(REPORT).runs)

    assert (closed.mode, closed.max_concurrency, closed.request_rate) == (
        LoadMode.CLOSED_LOOP,
        128,
        None,
    )
    assert (opened.mode, opened.request_rate) == (LoadMode.OPEN_LOOP, 0.4)
    assert (opened.isl_target, opened.osl_target, opened.duration_target_s) == (200.0, 80.0, 120.0)
    assert opened.extra["prompt_variance"] == 10


def test_a_step_has_counts_tokens_and_metrics() -> None:
    run = _read(REPORT).runs[0]

    assert run.status is RunStatus.PARTIAL
    assert run.requests == Counts(total=50, completed=48, failed=2)
    assert run.tokens == Tokens(input_total=9600, output_total=4000, duration_s=119.5)
    assert run.metrics[1] == Measurement(
        "tpot",
        "tpot/request",
        {"p50": 9.0, "p60": 9.0, "p70": 9.0, "p80": 9.0, "p90": 18.0, "p95": 18.0, "p99": 18.0,
         "mean": 10.0},
        "$.results[1].inter_token_latency_ms",
        "",
        "linear",
    )  # fmt: skip
    assert {m.metric: m.stats.get("p50", m.stats.get("value")) for m in run.metrics} == {
        "ttft": 40.0,
        "tpot": 9.0,
        "e2el": 900.0,
        "request_throughput": 0.4,
        "output_token_throughput": 33.5,
    }


def test_facts_are_the_model_the_person_s_notes_and_the_client() -> None:
    reading = _read(REPORT)

    assert {name: fact.value for name, fact in reading.runs[0].facts.items()} == {
        "tool.name": "inference-benchmarker",
        "run.started_at": "2026-01-02T03:04:05Z",
        "run.finished_at": "2026-01-02T03:14:05Z",
        "model.id": "example/tiny",
        "tokenizer.id": "example/tok",
        "scenario": "chat",
        "load.dataset": "example/sharegpt",
        "user_meta.engine": "TGI",
        "user_meta.tp": "4",
        "user_meta.device": "H100",
        "environment": "client: os_name Linux; os_version 6.1; kernel 6.1.0; memory 64 GB; "
        "cpu Example CPU",
    }
    assert reading.withheld == ("$.config.url", "$.system.hostname")
    assert "jane" not in repr(reading)


def test_zeros_of_a_step_without_success_are_missing() -> None:
    report = copy.deepcopy(REPORT)
    report["results"][1] |= {"successful_requests": 0, "failed_requests": 50, "request_rate": 0.0}
    run = _read(report).runs[0]

    assert (run.status, run.metrics) == (RunStatus.FAILED, ())
    assert [notice.code for notice in run.notices] == ["all_requests_failed"]


def test_a_file_with_the_warm_up_alone_is_refused() -> None:
    report = {**REPORT, "results": REPORT["results"][:1]}
    reading = _read(report)

    assert (reading.role, reading.runs) == (FileRole.REJECTED, ())
    assert "warm-up alone" in reading.reason
