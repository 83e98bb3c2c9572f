"""EvalScope perf: summary, percentiles, arguments, workload and the printed report."""

import json

import pytest

from benchmarks_app.contract import Counts, FileRole, Load, Measurement, Notice, Tokens
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file

SUMMARY = {
    "Test Duration (s)": 0.5,
    "Concurrency": 4,
    "Request Rate (req/s)": -1.0,
    "Total Requests": 20,
    "Success Requests": 16,
    "Failed Requests": 4,
    "Stream Requests": 20,
    "Non-Stream Requests": 0,
    "Req Throughput (req/s)": 28.5,
    "Avg Latency (s)": 0.125,
    "Avg Input Tokens": 13.25,
    "Output Throughput (tok/s)": 561.5,
    "Total Throughput (tok/s)": 930.5,
    "Avg TTFT (ms)": 27.25,
    "Avg TPOT (ms)": 5.5,
    "Avg ITL (ms)": -1,
    "Avg Output Tokens": 20.0,
    "Input Throughput (tok/s)": 0.0,
}
OLD_SUMMARY = {
    "Time taken for tests (s)": 2.5,
    "Number of concurrency": 2,
    "Request rate (req/s)": 5.0,
    "Total requests": 10,
    "Succeed requests": 10,
    "Failed requests": 0,
    "Output token throughput (tok/s)": 100.5,
    "Request throughput (req/s)": 4.5,
    "Average latency (s)": 0.5,
    "Average time to first token (s)": 0.25,
    "Average time per output token (s)": 0.0625,
    "Average inter-token latency (s)": 0.03125,
    "Average input tokens per request": 8.5,
    "Average output tokens per request": 20.0,
}
PERCENTILES = [
    {
        "Percentiles": "min", "Latency (s)": 0.125, "TTFT (ms)": 18.5, "ITL (ms)": 0.5,
        "Input tokens": 1.0, "Output (tok/s)": 108.5, "Decode (tok/s)": 165.5,
    },
    {
        "Percentiles": "50%", "Latency (s)": 0.25, "TTFT (ms)": 24.5, "ITL (ms)": 4.5,
        "Input tokens": 13.0, "Output (tok/s)": 161.5, "Decode (tok/s)": 191.5,
    },
]  # fmt: skip
ARGUMENTS = {
    "model": "/home/ann/models/tiny",
    "api": "openai",
    "tokenizer_path": None,
    "url": "http://10.0.0.5:8000/v1",
    "headers": {"x": "y"},
    "api_key": "sk-abc",
    "number": 20,
    "parallel": 4,
    "rate": -1.0,
    "outputs_dir": "out",
    "prompt": "say hello",
    "dataset": "random",
    "stream": True,
    "seed": 3,
    "temperature": 0.0,
}
WORKLOAD = {
    "n_samples": 16, "wall_time_s": 0.5, "last_window_s": 30.0, "warmup_frac": 0.2,
    "rows": [{"metric": "Completion tok/s", "overall": 561.5}],
}  # fmt: skip
REPORT = """\
╭──────────────────────────────╮
│ Performance Test Summary Report │
╰──────────────────────────────╯

Basic Information:
│ Model │ tiny │
"""


def _bytes(value: object) -> bytes:
    return json.dumps(value).encode()


SAMPLES: dict[str, bytes] = {
    "benchmark_summary.json": _bytes(SUMMARY),
    "old/benchmark_summary.json": _bytes(OLD_SUMMARY),
    "benchmark_percentile.json": _bytes(PERCENTILES),
    "benchmark_args.json": _bytes(ARGUMENTS),
    "workload_throughput.json": _bytes(WORKLOAD),
    "performance_summary.txt": REPORT.encode(),
}


def _read(name: str):
    return read_file(name, SAMPLES[name])


def test_a_summary_is_one_run_whose_units_stand_in_the_keys():
    (run,) = _read("benchmark_summary.json").runs
    assert run.status is RunStatus.PARTIAL
    assert {n: f.value for n, f in run.facts.items()} == {
        "tool.name": "evalscope perf", "load.streaming": True
    }  # fmt: skip
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP, request_rate_unbounded=True, max_concurrency=4, num_prompts=20,
        isl_mean=13.25, osl_mean=20.0,
    )  # fmt: skip
    assert run.requests == Counts(total=20, completed=16, failed=4)
    assert run.tokens == Tokens(duration_s=0.5)
    assert run.metrics == tuple(
        Measurement(metric, definition, stats, f"$.{key}")
        for metric, definition, stats, key in (
            ("ttft", "ttft/first-chunk", {"mean": 27.25}, "Avg TTFT (ms)"),
            ("tpot", "tpot/request", {"mean": 5.5}, "Avg TPOT (ms)"),
            ("e2el", "e2el/client", {"mean": 125.0}, "Avg Latency (s)"),
            (
                "request_throughput", "request_throughput/successful", {"value": 28.5},
                "Req Throughput (req/s)",
            ),
            (
                "output_token_throughput", "output_token_throughput/successful", {"value": 561.5},
                "Output Throughput (tok/s)",
            ),
            (
                "total_token_throughput", "total_token_throughput/successful", {"value": 930.5},
                "Total Throughput (tok/s)",
            ),
        )
    )  # fmt: skip
    assert [one.code for one in run.notices] == [
        "no_model", "no_date", "rounded_values", "input_throughput_zero_ignored"
    ]  # fmt: skip
    # -1 says that a figure does not apply, and is no value.
    assert run.unmapped == {"$.Avg ITL (ms)": -1, "$.Input Throughput (tok/s)": 0.0}


def test_the_old_names_are_the_same_figures_in_seconds_at_a_rate():
    (run,) = _read("old/benchmark_summary.json").runs
    assert run.status is RunStatus.OK
    assert run.load == Load(
        mode=LoadMode.OPEN_LOOP, request_rate=5.0, max_concurrency=2, num_prompts=10,
        isl_mean=8.5, osl_mean=20.0,
    )  # fmt: skip
    found = {one.metric: dict(one.stats) for one in run.metrics}
    assert found == {
        "ttft": {"mean": 250.0}, "tpot": {"mean": 62.5}, "itl": {"mean": 31.25},
        "e2el": {"mean": 500.0}, "request_throughput": {"value": 4.5},
        "output_token_throughput": {"value": 100.5},
    }  # fmt: skip
    assert run.unmapped == {}


def test_without_a_stream_the_first_token_is_no_measurement():
    plain = {**SUMMARY, "Stream Requests": 0, "Non-Stream Requests": 20}
    (run,) = read_file("benchmark_summary.json", _bytes(plain)).runs
    assert not {"ttft", "tpot", "itl"} & {one.metric for one in run.metrics}
    assert Notice("ttft_dropped_not_streaming") in run.notices
    assert run.unmapped["$.Avg TTFT (ms)"] == 27.25
    assert run.facts["load.streaming"].value is False


def test_a_run_in_which_all_failed_has_no_metrics():
    failed = {**SUMMARY, "Success Requests": 0, "Failed Requests": 20, "Avg Latency (s)": -1}
    (run,) = read_file("benchmark_summary.json", _bytes(failed)).runs
    assert (run.status, run.metrics) == (RunStatus.FAILED, ())
    assert Notice("all_requests_failed") in run.notices


def test_percentiles_complete_the_summary():
    (run,) = _read("benchmark_percentile.json").runs
    assert run.complements
    assert {one.metric: dict(one.stats) for one in run.metrics} == {
        "e2el": {"min": 125.0, "p50": 250.0},
        "ttft": {"min": 18.5, "p50": 24.5},
        "itl": {"min": 0.5, "p50": 4.5},
        "output_token_throughput_per_request": {"min": 108.5, "p50": 161.5},
        "output_token_throughput_per_user": {"min": 165.5, "p50": 191.5},
    }
    assert {one.percentile_method for one in run.metrics} == {"nearest_rank"}
    assert run.notices == (Notice("latency_in_seconds"),)
    assert run.unmapped == {"$[0].Input tokens": 1.0, "$[1].Input tokens": 13.0}


def test_arguments_state_the_model_and_hide_address_key_and_prompt():
    reading = _read("benchmark_args.json")
    assert reading.role is FileRole.SIDECAR
    assert {name: fact.value for name, fact in reading.facts.items()} == {
        "model.id": "/home/‹user›/models/tiny", "load.dataset": "random",
        "client.backend": "openai", "load.streaming": True, "load.seed": 3,
    }  # fmt: skip
    assert set(reading.withheld) == {"$.url", "$.headers", "$.api_key", "$.prompt"}
    assert reading.unmapped["$.temperature"] == 0.0


def test_workload_and_report_are_kept_beside_the_run():
    workload, report = _read("workload_throughput.json"), _read("performance_summary.txt")
    assert (workload.format, workload.role) == ("evalscope.workload", FileRole.SIDECAR)
    assert workload.unmapped["$.rows"] == WORKLOAD["rows"]
    assert (report.format, report.role) == ("evalscope.text", FileRole.ATTACHMENT)
    assert "benchmark_summary.json" in report.reason


def test_a_summary_without_a_number_of_successes_is_refused():
    broken = {**SUMMARY, "Success Requests": 1.5}
    with pytest.raises(ResultError) as caught:
        read_file("benchmark_summary.json", _bytes(broken))
    assert caught.value.facts["place"] == "$.Success Requests"


def test_version_1_7_leaves_the_word_for_the_average_out_of_its_keys():
    renamed = {key.replace("Avg T", "T").replace("Avg I", "I"): v for key, v in SUMMARY.items()}
    run = read_file("s.json", _bytes({**renamed, "Avg Input Tokens": 13.25})).runs[0]
    assert [(one.definition, dict(one.stats)) for one in run.metrics[:3]] == [
        ("ttft/first-chunk", {"mean": 27.25}),
        ("tpot/request", {"mean": 5.5}),
        ("e2el/client", {"mean": 125.0}),
    ]


FIRST_SUMMARY = {
    "Time taken for tests (s)": 100.0,
    "Number of concurrency": 8,
    "Total requests": 16,
    "Succeed requests": 16,
    "Failed requests": 0,
    "Throughput(average tokens/s)": 250.0,
    "Average QPS": 0.16,
    "Average latency (s)": 10.5,
    "Average time to first token (s)": 0.5,
    "Average time per output token (s)": 0.004,
    "Average package latency (s)": 0.03125,
}


def test_the_inverse_of_the_throughput_is_no_time_per_output_token():
    run = read_file("s.json", _bytes(FIRST_SUMMARY)).runs[0]
    assert {one.definition: dict(one.stats) for one in run.metrics} == {
        "ttft/first-chunk": {"mean": 500.0},
        "itl/chunk": {"mean": 31.25},
        "e2el/client": {"mean": 10500.0},
        "request_throughput/successful": {"value": 0.16},
        "output_token_throughput/successful": {"value": 250.0},
    }
    assert run.unmapped == {"$.Average time per output token (s)": 0.004}


def test_a_time_per_output_token_made_of_chunks_does_not_say_what_it_is():
    later = {**FIRST_SUMMARY, "Average time per output token (s)": 0.03125}
    run = read_file("s.json", _bytes(later)).runs[0]
    assert [one.definition for one in run.metrics if one.metric == "tpot"] == ["tpot/unstated"]


def test_old_percentiles_pool_the_gaps_of_chunks_under_the_name_of_tokens():
    rows = [
        {"Percentile": "50%", "TTFT (s)": 0.25, "TPOT (s)": 0.03125, "Latency (s)": 2.5,
         "Input tokens": 8, "Output tokens": 16, "Throughput(tokens/s)": 6.5},
    ]  # fmt: skip
    run = read_file("p.json", _bytes(rows)).runs[0]
    assert {one.definition: dict(one.stats) for one in run.metrics} == {
        "ttft/first-chunk": {"p50": 250.0},
        "itl/chunk": {"p50": 31.25},
        "e2el/client": {"p50": 2500.0},
        "output_token_throughput_per_request/whole-request": {"p50": 6.5},
    }
