"""AISBench: common figures, the table of percentiles, and vLLM-Ascend's nightly jobs."""

import json

import pytest

from benchmarks_app.contract import Counts, Fact, FileRole, Load, Measurement, Notice, Tokens
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file
from benchmarks_app.importers.aisbench_values import read_quantity

COMMON = {
    "Benchmark Duration": {"total": "2500.0 ms"},
    "Total Requests": {"total": 30},
    "Failed Requests": {"total": 7},
    "Success Requests": {"total": 23},
    "Concurrency": {"total": 1.5},
    "Max Concurrency": {"total": 8},
    "Request Throughput": {"total": "11.5 req/s"},
    "Total Input Tokens": {"total": 560},
    "Prefill Token Throughput": {"total": "873.5 token/s"},
    "Total Generated Tokens": {"total": 460},
    "Output Token Throughput": {"total": "220.5 token/s"},
}
TABLE = """\
Performance Parameters,Stage,Average,Min,Max,Median,P75,P99,N
E2EL,total,92.5 ms,0.0 ms,169.5 ms,116.5 ms,119.5 ms,157.5 ms,23
TTFT,total,21.5 ms,1.5 ms,68.5 ms,23.5 ms,24.5 ms,57.5 ms,23
InputTokens,total,18.5,1.0,40.0,14.0,23.25,40.0,23
OutputTokenThroughput,total,128.5 token/s,0.0 token/s,178.5 token/s,167.5 token/s,,178.25 token/s,23
"""
NIGHTLY = {
    "model_name": "org/Model-W8A8",
    "hardware": "A3",
    "dtype": "w8a8",
    "feature": ["aclgraph"],
    "vllm_version": "0.13.0",
    "vllm_ascend_version": "main",
    "tasks": [
        {"name": "gsm8k", "metrics": {"accuracy": 95.1}, "test_input": {}, "pass_fail": "pass"},
        {
            "name": "in3500",
            "metrics": {
                "Benchmark_Duration(BD)": 120000.5,
                "Output_Token_Throughput(OTT)": "1234.5 token/s",
            },
            "test_input": {
                "num_prompts": 400, "max_out_len": 1500, "batch_size": 100, "request_rate": 0
            },
            "pass_fail": "pass",
        },
    ],
    "serve_cmd": {"node0": "vllm serve m --api-key sk-abcdef0123456789abcdef"},
    "environment": {"HCCL_BUFFSIZE": "1024", "HF_TOKEN": "hf_abcdef"},
}  # fmt: skip


def _bytes(value: object) -> bytes:
    return json.dumps(value).encode()


SAMPLES: dict[str, bytes] = {
    "gsm8k.json": _bytes(COMMON),
    "gsm8k.csv": TABLE.encode(),
    "nightly_job.json": _bytes(NIGHTLY),
}


def test_common_figures_with_units_are_one_run():
    (run,) = read_file("gsm8k.json", SAMPLES["gsm8k.json"]).runs
    assert run.status is RunStatus.PARTIAL
    assert run.facts == {"tool.name": Fact("AISBench")}
    assert run.load == Load(mode=LoadMode.CLOSED_LOOP, max_concurrency=8, num_prompts=30)
    assert run.requests == Counts(total=30, completed=23, failed=7)
    assert run.tokens == Tokens(input_total=560, output_total=460, duration_s=2.5)
    assert run.metrics == (
        Measurement(
            "request_throughput", "request_throughput/successful", {"value": 11.5},
            "$.Request Throughput.total",
        ),
        Measurement(
            "output_token_throughput", "output_token_throughput/successful", {"value": 220.5},
            "$.Output Token Throughput.total",
        ),
        Measurement(
            "achieved_concurrency", "achieved_concurrency/mean-in-flight", {"value": 1.5},
            "$.Concurrency.total",
        ),
    )  # fmt: skip
    assert [one.code for one in run.notices] == [
        "values_are_strings_with_units", "no_model", "no_date"
    ]  # fmt: skip
    # Input tokens by the sum of all waits are no rate by the clock.
    assert run.unmapped == {"$.Prefill Token Throughput.total": "873.5 token/s"}


def test_the_stable_stage_is_a_run_of_its_own():
    staged = {name: {"stable": value["total"]} for name, value in COMMON.items()}
    (run,) = read_file("gsm8k.json", _bytes(staged)).runs
    assert run.facts["scenario"].value == "stage stable"
    assert run.pointer == "$.*.stable"


def test_the_table_completes_the_common_figures_with_percentiles():
    (run,) = read_file("gsm8k.csv", SAMPLES["gsm8k.csv"]).runs
    assert run.complements
    # A request without any duration failed and was counted with zeros.
    assert run.status is RunStatus.PARTIAL
    assert Notice("min_zero_suspicious") in run.notices
    assert run.requests == Counts(completed=23)
    assert run.load == Load(isl_mean=18.5)
    whole = {
        "mean": 92.5, "min": 0.0, "max": 169.5, "p50": 116.5, "p75": 119.5, "p99": 157.5
    }  # fmt: skip
    assert [(one.metric, one.pointer) for one in run.metrics] == [
        ("e2el", "line 2"), ("ttft", "line 3"), ("output_token_throughput_per_request", "line 5")
    ]  # fmt: skip
    assert run.metrics[0].stats == whole
    assert run.metrics[0].percentile_method == "linear"
    assert "p75" not in run.metrics[2].stats
    assert run.unmapped == {
        "line 4, Min": "1.0", "line 4, Max": "40.0", "line 4, Median": "14.0",
        "line 4, P75": "23.25", "line 4, P99": "40.0", "line 4, N": 23,
    }  # fmt: skip


def test_a_nightly_job_gives_one_run_for_each_task_of_speed():
    reading = read_file("nightly_job.json", SAMPLES["nightly_job.json"])
    (run,) = reading.runs
    assert run.pointer == "$.tasks[1]"
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "AISBench",
        "framework.name": "vllm",
        "framework.version": "0.13.0",
        "framework.backend": "vllm-ascend main",
        "framework.arguments": "node0: vllm serve m --api-key ‹secret›",
        "model.id": "org/Model-W8A8",
        "accelerator.name": "A3",
        "quantization.weights": "w8a8",
        "env.HCCL_BUFFSIZE": "1024",
        "load.dataset": "in3500",
    }
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP, request_rate_unbounded=True, max_concurrency=100,
        num_prompts=400, osl_target=1500.0,
    )  # fmt: skip
    assert run.tokens == Tokens(duration_s=120.0005)
    assert run.metrics[0].stats == {"value": 1234.5}
    assert run.unmapped == {"$.tasks[1].pass_fail": "pass"}
    assert reading.unmapped["$.tasks[0].metrics"] == {"accuracy": 95.1}
    assert reading.withheld == ("$.environment.HF_TOKEN",)


def test_a_nightly_job_of_accuracy_alone_is_rejected_with_a_reason():
    job = {**NIGHTLY, "tasks": NIGHTLY["tasks"][:1]}
    reading = read_file("job.json", _bytes(job))
    assert reading.role is FileRole.REJECTED
    assert "speed" in reading.reason


def test_common_figures_without_their_count_are_refused_with_the_place():
    broken = {**COMMON, "Success Requests": {"total": "?"}}
    with pytest.raises(ResultError) as caught:
        read_file("gsm8k.json", _bytes(broken))
    assert caught.value.facts["place"] == "$.Success Requests.total"


def test_a_table_without_rows_is_refused():
    with pytest.raises(ResultError) as caught:
        read_file("gsm8k.csv", TABLE.partition("\n")[0].encode() + b"\n")
    assert caught.value.facts["place"] == "line 2"


@pytest.mark.parametrize(
    ("cell", "unit", "number"),
    [
        ("27.5 ms", "ms", 27.5), ("1.5 s", "ms", 1500.0), (3, "", 3.0), ("7", "ms", 7.0),
        ("5 token/s", "ms", None), ("-", "ms", None), ("nan ms", "ms", None), (True, "", None),
        ("1e400 s", "ms", None),
    ],
)  # fmt: skip
def test_a_quantity_is_read_only_in_a_known_unit(cell, unit, number):
    assert read_quantity(cell, unit) == number


@pytest.mark.parametrize("name", ["Total generated tokens", "Total Output Tokens"])
def test_generated_tokens_are_counted_under_each_name_that_versions_gave_them(name):
    common = {key: value for key, value in COMMON.items() if key != "Total Generated Tokens"}
    run = read_file("gsm8k.json", _bytes({**common, name: {"total": 460}})).runs[0]
    assert run.tokens == Tokens(input_total=560, output_total=460, duration_s=2.5)
