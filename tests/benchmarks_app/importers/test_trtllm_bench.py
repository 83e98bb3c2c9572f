"""trtllm-bench: the JSON report, its console text, single requests and logs."""

import copy
import json
from typing import Any

import numpy as np
import pytest

from benchmarks_app.contract import Counts, FileRole, Measurement, Tokens
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file


def _spread(median: float, low: float, high: float) -> dict[str, float]:
    return {
        "p50": median, "p90": high, "p95": high, "p99": high, "minimum": low, "maximum": high,
        "average": median,
    }  # fmt: skip


REPORT: dict[str, Any] = {
    "engine": {
        "model": "example/tiny-7b", "model_path": "None",
        "engine_dir": "/home/jane/engines/tp_2", "revision": None, "version": "1.2.0",
        "backend": "Pytorch", "dtype": "bfloat16", "kv_cache_dtype": "FP8",
        "quantization": "NVFP4", "max_input_length": 2048,
    },
    "machine": {"name": "Example B200", "memory.total": 178.5, "clocks.mem": 3.9},
    "world_info": {
        "tp_size": 2, "pp_size": 1, "ep_size": -1, "world_size": 2, "max_batch_size": 64,
        "max_num_tokens": 8192, "scheduling_policy": "GUARANTEED_NO_EVICT",
        "kv_cache_percentage": 0.9, "issue_rate": 2.5e16,
    },
    "request_info": {
        "num_requests": 32, "avg_num_concurrent_requests": 15.5, "avg_input_length": 1024.0,
        "avg_output_length": 128.0,
    },
    "performance": {
        "total_latency_ms": 8000.0, "avg_request_latency_ms": 400.0,
        "request_throughput_req_s": 4.0, "system_output_throughput_tok_s": 512.0,
        "system_total_throughput_tok_s": 4608.0, "output_throughput_per_user_tok_s": 320.0,
        "output_throughput_per_gpu_tok_s": 256.0,
        "request_latency_percentiles_ms": _spread(400.0, 300.0, 500.0),
    },
    "streaming_metrics": {
        "token_output_speed_tok_s": 350.0, "avg_ttft_ms": 40.0, "avg_tpot_ms": 3.0,
        "tpot_percentiles": _spread(3.0, 2.5, 4.0), "ttft_percentiles": _spread(40.0, 30.0, 60.0),
        "gen_tps_percentiles": _spread(350.0, 250.0, 400.0),
    },
    "energy": {
        "total_energy_j": 5600.0, "output_tps_per_w": 0.73, "average_gpu_power": 700.0,
    },
    "decoding_stats": {
        "mode": "MTP", "acceptance_length_percentiles": _spread(2.4, 1.0, 4.0),
        "num_draft_tokens_percentiles": None,
    },
    "dataset": {
        "isl_stats": _spread(1024.0, 1024.0, 1024.0), "num_requests": 32,
        "dataset_path": "/home/jane/data/in1024.json", "max_isl": 1024,
    },
}  # fmt: skip
CONSOLE = """\
[TensorRT-LLM] TensorRT-LLM version: 0.20.0
[07/11/2026-08:17:39] [TRT-LLM] [I]

===========================================================
= ENGINE DETAILS
===========================================================
Model:\t\t\texample/tiny-70b
Engine Directory:\t/tmp/engine
TensorRT-LLM Version:\t0.20.0
Dtype:\t\t\tbfloat16
KV Cache Dtype:\t\tNone
Quantization:\t\tFP8

[TensorRT-LLM][INFO] Orchestrator sendReq thread exiting
===========================================================
= WORLD + RUNTIME INFORMATION
===========================================================
TP Size:                8
PP Size:                1
EP Size:                None
Max Runtime Batch Size: 2048
KV Memory Percentage:   90.00%
Issue Rate (req/sec):   1.4117E+17

===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Number of requests:             100
Average Input Length (tokens):  128.0000
Average Output Length (tokens): 64.0000
Request Throughput (req/sec):                     4.5000
Total Output Throughput (tokens/sec):             288.0000
Per User Output Throughput [w/ ctx] (tps/user):   38.1959
Total Latency (ms):                               22222.2000
Average request latency (ms):                     900.5000
Average time-to-first-token [TTFT] (ms):          162.6706
Something New (widgets):                          7

-- Per-Request Time-to-First-Token [TTFT] Breakdown (ms)

[TTFT] MINIMUM: 93.9210
[TTFT] AVERAGE: 162.6706
[TTFT] P50    : 159.7857

[Latency] P99    : 1137.6817
[Latency] MAXIMUM: 1137.6817
===========================================================
= DATASET DETAILS
===========================================================
Dataset Path:         /home/jane/data.jsonl
Number of Sequences:  100

        Input              Output           Seq. Length
MIN:   128.0000            64.0000           192.0000

[07/11/2026-08:17:41] [TRT-LLM] [I] Benchmark Shutdown called!
Model: not part of the report
"""
LATENCY = """\
= ENGINE DETAILS
Model:\t\t\texample/tiny-8b
TensorRT-LLM Version:\t0.16.0
= WORLD + RUNTIME INFORMATION
TP Size:\t\t4
= GENERAL OVERVIEW
Number of requests:\t\t10
Average Input Length (tokens):\t2048.0000
Average request latency (ms):\t63456.0704
= THROUGHPUT OVERVIEW
Request Throughput (req/sec):\t\t  0.0158
Total Token Throughput (tokens/sec):\t  32.2742
Generation Token Throughput (tokens/sec): 32.3338
= LATENCY OVERVIEW
Total Latency (ms):\t\t  634562.5
Average time-to-first-token (ms): 147.7502
Average inter-token latency (ms): 30.9274
Acceptance Rate (Speculative):\t  1.00
= GENERATION LATENCY BREAKDOWN
MIN (ms): 63266.8804
"""
REQUESTS = [
    {
        "id": 0, "num_input_tokens": 16, "start_timestamp": 1_000_000_000,
        "end_timestamp": 1_100_000_000, "time_to_first_token": 20_000_000,
        "intertoken_latency": 4_000_000, "end_to_end_latency": 100_000_000,
        "output": "a secret answer", "output_tokens": 21, "zz_new": 1,
    },
    {
        "id": 1, "num_input_tokens": 16, "start_timestamp": 1_500_000_000,
        "end_timestamp": -1, "time_to_first_token": 0, "intertoken_latency": 0,
        "end_to_end_latency": 0, "output": "", "output_tokens": 0,
    },
]  # fmt: skip
LOG = (
    "[07/11/2026-08:12:25] [TRT-LLM] [I] Initializing Executor.\n"
    "[TensorRT-LLM][ERROR] CUDA out of memory\n"
)
SAMPLES: dict[str, bytes] = {
    "report.json": json.dumps(REPORT).encode(),
    "console.txt": CONSOLE.encode(),
    "latency.txt": LATENCY.encode(),
    "requests.json": json.dumps(REQUESTS).encode(),
    "server.log": LOG.encode(),
}


def _report(**changes: dict[str, object] | None) -> bytes:
    """The report with fields of sections changed; a section of ``None`` is left out."""
    report = copy.deepcopy(REPORT)
    for section, values in changes.items():
        if values is None:
            del report[section]
        else:
            report[section] |= values
    return json.dumps(report).encode()


def test_a_report_gives_model_machine_and_parallelism() -> None:
    run = read_file("report.json", SAMPLES["report.json"]).runs[0]

    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "trtllm-bench",
        "framework.name": "TensorRT-LLM",
        "framework.version": "1.2.0",
        "framework.backend": "Pytorch",
        "model.id": "example/tiny-7b",
        "dtype": "bfloat16",
        "quantization.weights": "NVFP4",
        "quantization.kv_cache": "FP8",
        "accelerator.name": "Example B200",
        "accelerator.memory_gib": 178.5,
        "accelerator.count": 2,
        "parallelism.tp": 2,
        "parallelism.pp": 1,
        "spec_decoding": "MTP",
        "load.streaming": True,
        "load.dataset": "/home/‹user›/data/in1024.json",
    }


def test_a_report_gives_counts_and_metrics_of_nearest_rank() -> None:
    run = read_file("report.json", SAMPLES["report.json"]).runs[0]

    assert run.status is RunStatus.OK
    assert run.requests == Counts(total=32, completed=32)
    assert run.tokens == Tokens(duration_s=8.0)
    assert run.metrics[0] == Measurement(
        "ttft",
        "ttft/first-chunk",
        {"p50": 40.0, "p90": 60.0, "p95": 60.0, "p99": 60.0, "min": 30.0, "max": 60.0,
         "mean": 40.0},
        "$.streaming_metrics.ttft_percentiles",
        "",
        "nearest_rank",
    )  # fmt: skip
    assert {m.definition: m.stats.get("value", m.stats.get("mean")) for m in run.metrics} == {
        "ttft/first-chunk": 40.0,
        "tpot/request": 3.0,
        "e2el/client": 400.0,
        "request_throughput/successful": 4.0,
        "output_token_throughput/successful": 512.0,
        "total_token_throughput/successful": 4608.0,
        "output_token_throughput_per_gpu/reported": 256.0,
        "output_token_throughput_per_user/inverse-tpot": 350.0,
        "output_token_throughput_per_user/whole-request": 320.0,
        "achieved_concurrency/mean-in-flight": 15.5,
        "accept_length/reported": 2.4,
        "energy/reported": 5600.0,
        "avg_power/reported": 700.0,
    }
    assert [notice.code for notice in run.notices] == ["no_date", "issue_rate_is_unbounded"]
    assert run.unmapped == {
        "$.machine.clocks.mem": 3.9,
        "$.energy.output_tps_per_w": 0.73,
        "$.world_info.ep_size": -1,
    }


def test_an_endless_issue_rate_means_everything_at_once() -> None:
    load = read_file("report.json", SAMPLES["report.json"]).runs[0].load

    assert load.mode is LoadMode.BURST
    assert (load.request_rate, load.request_rate_unbounded) == (None, True)
    assert (load.num_prompts, load.isl_mean, load.osl_mean) == (32, 1024.0, 128.0)
    assert (load.max_batch_size, load.max_num_tokens) == (64, 8192)
    assert load.extra["engine_dir"] == "/home/‹user›/engines/tp_2"
    assert "model_path" not in load.extra


def test_a_true_issue_rate_was_observed_and_says_no_mode() -> None:
    load = read_file("report.json", _report(world_info={"issue_rate": 3.5})).runs[0].load

    assert (load.mode, load.request_rate, load.request_rate_unbounded) == (None, None, None)
    assert load.extra["issue_rate"] == 3.5


def test_without_streaming_there_is_no_first_token() -> None:
    run = read_file("report.json", _report(streaming_metrics=None)).runs[0]

    assert run.facts["load.streaming"].value is False
    assert "ttft" not in {m.metric for m in run.metrics}


def test_tokens_that_arrive_together_are_pointed_out() -> None:
    data = _report(streaming_metrics={"tpot_percentiles": _spread(3.0, 0.003, 4.0)})

    codes = [notice.code for notice in read_file("report.json", data).runs[0].notices]
    assert "outlier_tpot_min" in codes


def test_a_bare_infinity_is_no_number_and_is_said() -> None:
    text = SAMPLES["report.json"].replace(b'"avg_ttft_ms": 40.0', b'"avg_ttft_ms": Infinity')
    run = read_file("report.json", text).runs[0]

    assert ("non_finite_value", "$.streaming_metrics.avg_ttft_ms") in {
        (notice.code, notice.detail) for notice in run.notices
    }
    assert "$.streaming_metrics.avg_ttft_ms" in run.unmapped


def test_no_request_is_a_failed_run() -> None:
    data = _report(request_info={"num_requests": 0})

    assert read_file("report.json", data).runs[0].status is RunStatus.FAILED


def test_console_text_says_what_the_report_says_with_its_end_time() -> None:
    reading = read_file("console.txt", SAMPLES["console.txt"])

    assert (reading.format, reading.role) == ("trtllm_bench.console_text", FileRole.RUNS)
    (run,) = reading.runs
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "trtllm-bench",
        "framework.name": "TensorRT-LLM",
        "framework.version": "0.20.0",
        "model.id": "example/tiny-70b",
        "dtype": "bfloat16",
        "quantization.weights": "FP8",
        "parallelism.tp": 8,
        "parallelism.pp": 1,
        "load.streaming": True,
        "load.dataset": "/home/‹user›/data.jsonl",
        "run.finished_at_local": "2026-07-11T08:17:39",
    }
    assert {(m.definition): dict(m.stats) for m in run.metrics} == {
        "ttft/first-chunk": {"min": 93.921, "mean": 162.6706, "p50": 159.7857},
        "e2el/client": {"p99": 1137.6817, "max": 1137.6817, "mean": 900.5},
        "request_throughput/successful": {"value": 4.5},
        "output_token_throughput/successful": {"value": 288.0},
        "output_token_throughput_per_user/whole-request": {"mean": 38.1959},
    }
    assert run.load.extra["kv_cache_percentage"] == 0.9
    assert run.load.extra["isl_min"] == 128.0
    assert [n.code for n in run.notices] == ["issue_rate_is_unbounded", "rounded_values"]
    assert run.unmapped == {"line 5.other": {"Something New (widgets)": 7}}


def test_the_total_rate_of_the_latency_command_counts_output_tokens() -> None:
    (run,) = read_file("latency.txt", SAMPLES["latency.txt"]).runs

    assert {m.definition: dict(m.stats) for m in run.metrics} == {
        "ttft/first-chunk": {"mean": 147.7502},
        "tpot/request": {"mean": 30.9274},
        "e2el/client": {"mean": 63456.0704},
        "request_throughput/successful": {"value": 0.0158},
        "output_token_throughput/successful": {"value": 32.2742},
        "output_token_throughput_per_user/inverse-tpot": {"mean": 32.3338},
    }
    assert run.load.mode is None
    assert run.unmapped == {
        "line 1.other": {"Acceptance Rate (Speculative)": 1.0, "MIN (ms)": 63266.8804}
    }


def test_two_reports_in_one_log_are_two_runs() -> None:
    runs = read_file("console.txt", (CONSOLE + CONSOLE).encode()).runs

    assert [run.index for run in runs] == [0, 1]
    assert runs[0].metrics[0].stats == runs[1].metrics[0].stats


def test_the_backend_of_a_pytorch_report_stands_in_its_heading() -> None:
    text = CONSOLE.replace("= ENGINE DETAILS", "= PYTORCH BACKEND")
    run = read_file("console.txt", text.encode()).runs[0]

    assert run.facts["framework.backend"].value == "Pytorch"


def test_single_requests_complete_the_report_and_answers_are_withheld() -> None:
    reading = read_file("requests.json", SAMPLES["requests.json"])

    assert (reading.role, reading.completes) == (FileRole.ATTACHMENT, ("trtllm_bench",))
    assert reading.samples is not None
    columns = reading.samples.requests
    assert columns["ok"].tolist() == [1.0, 0.0]
    assert columns["start_s"].tolist() == [0.0, 0.5]
    assert columns["output_tokens"].tolist() == [21.0, 0.0]
    for name, value in (("ttft_ms", 20.0), ("tpot_ms", 4.0), ("e2el_ms", 100.0)):
        assert columns[name][0] == value
        assert np.isnan(columns[name][1])
    assert reading.withheld == ("$[*].output", "$[*].tokens")
    assert reading.unmapped == {"$[0].zz_new": 1}
    assert "secret" not in repr(reading)


@pytest.mark.parametrize("text", [LOG, CONSOLE[: CONSOLE.index("= WORLD")]])
def test_a_log_without_a_whole_report_is_kept_beside_the_runs(text: str) -> None:
    reading = read_file("server.log", text.encode())

    assert (reading.format, reading.role) == ("trtllm_bench.log", FileRole.ATTACHMENT)
