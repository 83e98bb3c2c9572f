"""InferenceX: rows of fixed lengths, of split deployments and of agentic replays."""

import json

import pytest

from benchmarks_app.contract import Counts, FileRole, Load, Notice, Tokens
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file
from benchmarks_app.importers.inferencex import IMPORTER
from benchmarks_app.reading.document import open_document

SINGLE = {
    "hw": "h200",
    "conc": 16,
    "image": "vllm/vllm-openai:v0.11@sha256:" + "a" * 64,
    "model": "org/model-fp8",
    "infmax_model_prefix": "model",
    "framework": "vllm",
    "precision": "fp8",
    "spec_decoding": "mtp",
    "disagg": False,
    "isl": 1024,
    "osl": 8192,
    "is_multinode": False,
    "tp": 4,
    "pp": 2,
    "pcp_size": 1,
    "ep": 1,
    "dp_attention": "false",
    "tput_per_gpu": 100.5,
    "output_tput_per_gpu": 80.5,
    "input_tput_per_gpu": 20.0,
    "mean_ttft": 0.5,
    "median_ttft": 0.25,
    "p99_ttft": 1.5,
    "mean_tpot": 0.0625,
    "p99_tpot": 0.125,
    "std_tpot": 0.03125,
    "mean_itl": 0.25,
    "mean_e2el": 9.5,
    "mean_intvty": 16.0,
    "p99_intvty": 8.0,
    "std_intvty": 32.0,
    "p50_e2e_norm_intvty": 3.0,
}
SPLIT = {
    **{k: v for k, v in SINGLE.items() if k not in ("tp", "pp", "pcp_size", "ep")},
    "image": "repo/image:tag",
    "disagg": True,
    "is_multinode": True,
    "prefill_tp": 4,
    "decode_tp": 8,
    "prefill_ep": 2,
    "decode_ep": 2,
    "num_prefill_gpu": 8,
    "num_decode_gpu": 16,
}
AGENTIC = {
    "hw": "mi355x",
    "conc": 48,
    "image": "",
    "model": "org/big",
    "infmax_model_prefix": "",
    "framework": "sglang",
    "precision": "fp8",
    "spec_decoding": "none",
    "disagg": False,
    "scenario_type": "agentic-coding",
    "tp": 8,
    "ep": 1,
    "offloading": "hicache",
    "num_requests_total": 100,
    "num_requests_successful": 90,
    "mean_ttft": 2.0,
    "p75_ttft": 2.5,
    "mean_itl": 0.125,
    "p75_itl": 0.25,
    "mean_tpot": 0.125,
    "p75_tpot": 0.25,
    "mean_intvty": 12.75,
    "p75_intvty": 14.25,
    "std_intvty": 4.25,
    "mean_input_tokens": 78728.5,
    "total_prompt_tokens": 148,
    "total_generation_tokens": 70,
    "output_tput_tps": 387.5,
    "duration_seconds": 1823.5,
    "tput_per_gpu": 10199.5,
}
NESTED = {
    **{k: v for k, v in AGENTIC.items() if "_" not in k or k.startswith("infmax")},
    "spec_decoding": "none",
    "scenario_type": "agentic-coding",
    "kv_offloading": "none",
    "image": "repo/image:tag",
    "num_requests_total": 105,
    "num_requests_successful": 97,
    "request_accounting": {
        "records_total": 105, "records_warmup_dropped": 5, "records_error_dropped": 3,
        "error_categories": {"timeout": 3},
    },
    "request_metrics": {
        "qps": {"mean": 1.5},
        "latency": {"ttft": {"mean": 0.5, "p50": 0.25}, "tpot": {"mean": 0.125}},
        "tokens": {"input": {"mean": 100.5}, "output_actual": {"mean": 20.5}},
        "throughput": {
            "output": {"tokens_per_second": 300.5},
            "total": {"tokens_per_second": 900.5},
            "duration_seconds": 60.5,
            "per_gpu": {"total_tput_tps": 112.5, "output_tput_tps": 37.5},
        },
    },
}  # fmt: skip


def _bytes(value: object) -> bytes:
    return json.dumps(value).encode()


SAMPLES: dict[str, bytes] = {
    "agg_single.json": _bytes(SINGLE),
    "agg_split.json": _bytes(SPLIT),
    "agg_bmk.json": _bytes([AGENTIC, NESTED]),
    "sweep.json": _bytes({"benchmarks": [SINGLE], "evaluations": [{"task": "t", "score": 0.5}]}),
    "run_stats.json": _bytes({"h100": {"n_success": 0, "total": 0}}),
}


def test_a_row_of_fixed_lengths_is_a_closed_loop_in_milliseconds():
    reading = read_file("agg.json", SAMPLES["agg_single.json"])
    (run,) = reading.runs
    assert (reading.format, run.status) == ("inferencex.agg", RunStatus.OK)
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "InferenceX",
        "model.id": "org/model-fp8",
        "framework.name": "vllm",
        "accelerator.name": "h200",
        "accelerator.count": 8,
        "quantization.weights": "fp8",
        "spec_decoding": "mtp",
        "container.image": SINGLE["image"],
        "container.digest": "sha256:" + "a" * 64,
        "parallelism.disagg": False,
        "parallelism.tp": 4,
        "parallelism.pp": 2,
        "parallelism.ep": 1,
    }
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP, max_concurrency=16, isl_target=1024.0, osl_target=8192.0
    )
    assert run.requests == Counts()
    assert [(one.definition, dict(one.stats)) for one in run.metrics] == [
        ("ttft/first-chunk", {"mean": 500.0, "p50": 250.0, "p99": 1500.0}),
        ("e2el/client", {"mean": 9500.0}),
        ("tpot/request", {"mean": 62.5, "p99": 125.0, "std": 31.25}),
        ("itl/chunk", {"mean": 250.0}),
        # The inverse of a deviation is no deviation.
        ("output_token_throughput_per_user/inverse-tpot-of-percentile", {"mean": 16.0, "p99": 8.0}),
        ("total_token_throughput_per_gpu/reported", {"value": 100.5}),
        ("output_token_throughput_per_gpu/reported", {"value": 80.5}),
        ("input_token_throughput_per_gpu/reported", {"value": 20.0}),
    ]
    assert run.notices == (Notice("no_date"), Notice("no_request_count"))
    assert run.unmapped == {
        "$.infmax_model_prefix": "model", "$.is_multinode": False, "$.pcp_size": 1,
        "$.dp_attention": "false", "$.std_intvty": 32.0, "$.p50_e2e_norm_intvty": 3.0,
    }  # fmt: skip


def test_a_split_deployment_states_only_what_both_sides_share():
    (run,) = read_file("agg.json", SAMPLES["agg_split.json"]).runs
    facts = {name: fact.value for name, fact in run.facts.items()}
    assert facts["accelerator.count"] == 24
    assert facts["parallelism.disagg"] is True
    assert facts["parallelism.ep"] == 2
    assert "parallelism.tp" not in facts
    assert "container.digest" not in facts
    assert (run.unmapped["$.prefill_tp"], run.unmapped["$.decode_tp"]) == (4, 8)


def test_an_older_agentic_row_is_a_replay_without_a_median():
    reading = read_file("agg_bmk.json", SAMPLES["agg_bmk.json"])
    run = reading.runs[0]
    assert (reading.format, run.pointer) == ("inferencex.agg_array", "$[0]")
    assert run.status is RunStatus.PARTIAL
    assert run.requests == Counts(total=100, completed=90)
    assert run.load == Load(mode=LoadMode.REPLAY, max_concurrency=48, isl_mean=78728.5)
    assert run.tokens == Tokens(input_total=148, output_total=70, duration_s=1823.5)
    assert run.facts["kv_offload"].value == "hicache"
    assert [(one.definition, dict(one.stats)) for one in run.metrics] == [
        ("ttft/first-chunk", {"mean": 2000.0, "p75": 2500.0}),
        # The row repeats the same figures as latency between tokens.
        ("tpot/request", {"mean": 125.0, "p75": 250.0}),
        (
            "output_token_throughput_per_user/inverse-tpot",
            {"mean": 12.75, "p75": 14.25, "std": 4.25},
        ),
        ("total_token_throughput_per_gpu/reported", {"value": 10199.5}),
        ("output_token_throughput/successful", {"value": 387.5}),
    ]
    assert run.notices == (Notice("no_date"), Notice("empty_image"), Notice("no_median"))
    assert run.unmapped == {"$[0].infmax_model_prefix": ""}


def test_a_nested_agentic_row_counts_without_its_warm_up():
    run = read_file("agg_bmk.json", SAMPLES["agg_bmk.json"]).runs[1]
    assert run.requests == Counts(total=100, completed=97, failed=3)
    assert run.failures == {"timeout": 3}
    assert run.load == Load(mode=LoadMode.REPLAY, max_concurrency=48, isl_mean=100.5, osl_mean=20.5)
    assert run.tokens == Tokens(duration_s=60.5)
    assert [(one.metric, dict(one.stats)) for one in run.metrics] == [
        ("ttft", {"mean": 500.0, "p50": 250.0}),
        ("tpot", {"mean": 125.0}),
        ("total_token_throughput_per_gpu", {"value": 112.5}),
        ("output_token_throughput_per_gpu", {"value": 37.5}),
        ("total_token_throughput", {"value": 900.5}),
        ("output_token_throughput", {"value": 300.5}),
    ]
    assert run.notices == (Notice("no_date"),)
    assert run.unmapped["$[1].num_requests_total"] == 105
    assert run.unmapped["$[1].request_metrics.qps"] == {"mean": 1.5}


def test_a_row_without_a_success_failed():
    failed = {**AGENTIC, "num_requests_successful": 0, "mean_ttft": 0.0}
    (run,) = read_file("agg.json", _bytes(failed)).runs
    assert run.status is RunStatus.FAILED
    assert "ttft" not in {one.metric for one in run.metrics}


def test_power_that_the_row_calls_invalid_is_no_measurement():
    measured = {**SINGLE, "avg_power_w": 650.5, "power_valid": 1}
    invalid = {**measured, "power_valid": 0}
    (run,) = read_file("agg.json", _bytes(measured)).runs
    assert [(one.stats, one.basis) for one in run.metrics if one.metric == "avg_power"] == [
        ({"value": 650.5}, "one device")
    ]
    (run,) = read_file("agg.json", _bytes(invalid)).runs
    assert "avg_power" not in {one.metric for one in run.metrics}
    assert run.unmapped["$.avg_power_w"] == 650.5


def test_counts_of_jobs_are_rejected_with_a_reason():
    reading = read_file("run_stats.json", SAMPLES["run_stats.json"])
    assert (reading.format, reading.role) == ("inferencex.run_stats", FileRole.REJECTED)
    assert "agg_*.json" in reading.reason


@pytest.mark.parametrize("value", [[], {}, {"hw": "h100", "conc": 1}, [SINGLE, {"a": 1}]])
def test_other_files_are_not_claimed(value):
    assert IMPORTER.recognises(open_document("x.json", _bytes(value))) is None


def test_rows_beside_the_evaluations_of_a_sweep_are_runs():
    reading = read_file("sweep.json", SAMPLES["sweep.json"])

    (run,) = reading.runs
    assert (reading.format, run.pointer) == ("inferencex.agg_array", "$.benchmarks[0]")
    assert run.facts["model.id"].value == "org/model-fp8"
    assert reading.unmapped == {"$.evaluations": [{"task": "t", "score": 0.5}]}


def test_a_row_that_names_a_device_and_spells_flags_as_texts_is_read():
    row = {k: v for k, v in SINGLE.items() if k not in ("hw", "infmax_model_prefix")}

    (run,) = read_file("agg.json", _bytes({**row, "device": "mi300x", "disagg": "false"})).runs

    assert run.facts["accelerator.name"].value == "mi300x"
    assert run.facts["parallelism.disagg"].value is False


def test_a_stated_number_of_devices_wins_over_the_computed_one():
    (run,) = read_file("agg.json", _bytes({**SINGLE, "num_gpus": 16})).runs

    assert run.facts["accelerator.count"].value == 16


def test_devices_named_for_both_phases_of_an_unsplit_deployment_are_not_added():
    row = {**SPLIT, "disagg": False, "num_prefill_gpu": 8, "num_decode_gpu": 8}

    (run,) = read_file("agg.json", _bytes(row)).runs

    assert "accelerator.count" not in run.facts


def test_an_outcome_of_requests_is_counted():
    outcome = {"status": "passed", "requested": 100, "completed": 98, "failed": 2}

    (run,) = read_file("agg.json", _bytes({**SINGLE, "benchmark_outcome": outcome})).runs

    assert (run.status, run.requests) == (
        RunStatus.PARTIAL, Counts(total=100, completed=98, failed=2),
    )  # fmt: skip
    assert run.unmapped["$.benchmark_outcome.status"] == "passed"
