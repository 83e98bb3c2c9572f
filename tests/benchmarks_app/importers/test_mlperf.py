"""MLPerf: LoadGen's summary and detail log, the table of a round, and the descriptions."""

import json

import pytest

from benchmarks_app.contract import Fact, FileRole, Load, Measurement, Notice
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file
from benchmarks_app.importers.mlperf import IMPORTER
from benchmarks_app.reading.document import open_document

SERVER = """\
================================================
MLPerf Results Summary
================================================
SUT name : PySUT
Scenario : Server
Mode     : PerformanceOnly
Completed samples per second    : 81.5
Completed tokens per second: 24593.5
Result is : VALID
  Min duration satisfied : Yes

================================================
Additional Stats
================================================
Min latency (ns)                : 980000000
50.00 percentile latency (ns)   : 38500000000
99.90 percentile latency (ns)   : 159500000000

Completed tokens per second                 : 24593.5
Mean First Token latency (ns)               : 918500000
97.00 percentile first token latency (ns)   : 1683500000
Mean Time to Output Token (ns)               : 144500000

================================================
Test Parameters Used
================================================
target_qps : 83.5
ttft_latency (ns): 2000000000
tpot_latency (ns): 200000000
min_query_count : 100

No errors encountered during test.
"""
OFFLINE = """\
================================================
MLPerf Results Summary
================================================
SUT name : PySUT
Scenario : Offline
Mode     : PerformanceOnly
Samples per second: 99.5
Tokens per second: 27803.5
Result is : INVALID
Recommendations:
 * Increase expected QPS so the loadgen pre-generates a larger (coalesced) query.
50.00 percentile latency (ns)   : 400000000000
target_qps : 90
"""
SINGLE_STREAM = """\
MLPerf Results Summary
Scenario : SingleStream
Mode     : PerformanceOnly
90.0th percentile latency (ns) : 12500000
Result is : VALID
QPS w/ loadgen overhead         : 88.5
"""
ACCURACY = "\nNo warnings encountered during test.\n\nNo errors encountered during test.\n"
DETAIL = """\
:::MLLOG {"key": "loadgen_version", "value": "5.1.1", "time_ms": 0.01}
:::MLLOG {"key": "test_datetime", "value": "2025-07-28T10:11:12Z", "time_ms": 0.02}
:::MLLOG {"key": "effective_scenario", "value": "Server"}
:::MLLOG {"key": "requested_target_qps", "value": 83.5}
:::MLLOG {"key": "broken
"""
ROW = {
    "ID": "5.1-0001",
    "Submitter": "Somebody",
    "Category": "closed",
    "System": "A server",
    "UsedModel": "llama2-70b-99",
    "Model": "llama2-70b-99",
    "Scenario": "Offline",
    "Nodes": 2,
    "Processor": "A processor",
    "Accelerator": "An accelerator 192GB",
    "a#": 8,
    "Software": "vLLM 0.9.0.2.dev108+g71faa18, Pytorch 2.7.0, ROCm 6.4.1.60401-83~22.04",
    "operating_system": "Ubuntu 24.04 LTS",
    "Notes": "",
    "version": "v5.1",
    "inferred": 1,
    "weight_data_types": "fp8",
    "Performance_Result": 27803.5,
    "Performance_Units": "Tokens/s",
}
VISION = {
    **ROW, "Model": "resnet", "UsedModel": "resnet50", "Scenario": "MultiStream", "a#": "",
    "Software": "Some Platform, vllm-0.9.0", "weight_data_types": "UNSET",
    "Performance_Result": 1.5, "Performance_Units": "Latency (ms)",
    "Power_Result": 10400.5, "Power_Units": "Watts",
}  # fmt: skip
SYSTEM = {
    "accelerator_model_name": "An accelerator",
    "accelerators_per_node": "8",
    "number_of_nodes": 1,
    "accelerator_interconnect": "XGMI",
    "division": "closed",
    "framework": "TensorRT 10.11, CUDA 12.9",
    "host_processor_model_name": "",
    "operating_system": "N/A",
    "submitter": "Somebody",
    "system_name": "A server",
    "cooling": "air",
}
MEASUREMENTS = {
    "weight_data_types": "fp4",
    "starting_weights_filename": "model",
    "retraining": "No",
}


def _bytes(value: object) -> bytes:
    return json.dumps(value).encode()


SAMPLES: dict[str, bytes] = {
    "llama2-70b-99.9/Server/mlperf_log_summary.txt": SERVER.encode(),
    "offline/mlperf_log_summary.txt": OFFLINE.encode(),
    "single/mlperf_log_summary.txt": SINGLE_STREAM.encode(),
    "accuracy/mlperf_log_summary.txt": ACCURACY.encode(),
    "mlperf_log_detail.txt": DETAIL.encode(),
    "summary_results.json": _bytes([ROW, VISION]),
    "system.json": _bytes(SYSTEM),
    "measurements.json": _bytes(MEASUREMENTS),
}


def _read(name: str):
    return read_file(name, SAMPLES[name])


def test_a_server_log_is_one_run_in_milliseconds_with_its_limits():
    (run,) = _read("llama2-70b-99.9/Server/mlperf_log_summary.txt").runs
    assert run.status is RunStatus.OK
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "MLPerf LoadGen", "mlperf.sut": "PySUT", "mlperf.scenario": "Server",
        "mlperf.mode": "PerformanceOnly", "mlperf.valid": True,
    }  # fmt: skip
    assert run.load == Load(
        mode=LoadMode.OPEN_LOOP, request_rate=83.5, slo='{"ttft_ms": 2000.0, "tpot_ms": 200.0}'
    )
    assert run.metrics == (
        Measurement(
            "request_throughput", "request_throughput/reported", {"value": 81.5}, "line 7"
        ),
        Measurement(
            "output_token_throughput", "output_token_throughput/reported", {"value": 24593.5},
            "line 8",
        ),
        Measurement(
            "e2el", "e2el/client", {"min": 980.0, "p50": 38500.0, "p99.9": 159500.0}, "line 15",
            percentile_method="nearest_rank",
        ),
        Measurement(
            "ttft", "ttft/first-output", {"mean": 918.5, "p97": 1683.5}, "line 20",
            percentile_method="nearest_rank",
        ),
        Measurement(
            "tpot", "tpot/request", {"mean": 144.5}, "line 22", percentile_method="nearest_rank"
        ),
    )  # fmt: skip
    assert run.notices == (Notice("no_date"), Notice("model_only_in_path"))
    assert run.unmapped == {
        "line 10": "Min duration satisfied : Yes",
        "line 13": "Additional Stats",
        "line 25": "Test Parameters Used",
        "line 30": "min_query_count : 100",
        "line 32": "No errors encountered during test.",
    }


def test_an_invalid_offline_log_is_a_batch_and_says_that_it_is_invalid():
    (run,) = _read("offline/mlperf_log_summary.txt").runs
    assert run.status is RunStatus.INVALID
    assert run.facts["mlperf.valid"] == Fact(False, pointer="line 9")
    assert run.load == Load(mode=LoadMode.OFFLINE_BATCH)
    assert [(one.definition, dict(one.stats)) for one in run.metrics] == [
        ("request_throughput/reported", {"value": 99.5}),
        ("output_token_throughput/reported", {"value": 27803.5}),
        ("e2el/batch-query", {"p50": 400000.0}),
    ]
    assert [one.code for one in run.notices] == ["no_date", "mlperf_invalid", "no_model"]


def test_a_single_stream_is_judged_by_its_percentile():
    (run,) = _read("single/mlperf_log_summary.txt").runs
    assert run.load == Load(mode=LoadMode.CLOSED_LOOP, max_concurrency=1)
    assert [(one.metric, dict(one.stats)) for one in run.metrics] == [("e2el", {"p90": 12.5})]


@pytest.mark.parametrize(
    "text", [ACCURACY, SERVER.replace("PerformanceOnly", "AccuracyOnly")], ids=["empty", "mode"]
)
def test_a_log_of_accuracy_is_rejected_and_says_what_to_send(text):
    reading = read_file("mlperf_log_summary.txt", text.encode())
    assert (reading.format, reading.role) == ("mlperf.loadgen_summary", FileRole.REJECTED)
    assert "performance" in reading.reason


def test_a_log_without_a_verdict_is_suspect():
    text = SERVER.replace("Result is : VALID\n", "")
    (run,) = read_file("mlperf_log_summary.txt", text.encode()).runs
    assert run.status is RunStatus.SUSPECT


def test_the_detail_log_gives_version_and_start():
    reading = _read("mlperf_log_detail.txt")
    assert (reading.format, reading.role) == ("mlperf.detail_log", FileRole.SIDECAR)
    assert {name: fact.value for name, fact in reading.facts.items()} == {
        "tool.version": "5.1.1",
        "run.started_at": "2025-07-28T10:11:12+00:00",
        "mlperf.scenario": "Server",
    }
    assert reading.unmapped["line 4"] == {"key": "requested_target_qps", "value": 83.5}
    assert reading.unmapped["line 5"] == ':::MLLOG {"key": "broken'


def test_each_row_of_the_table_is_a_run_with_the_accelerators_of_all_nodes():
    run = _read("summary_results.json").runs[0]
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "MLPerf LoadGen",
        "mlperf.id": "5.1-0001",
        "mlperf.round": "v5.1",
        "mlperf.division": "closed",
        "mlperf.scenario": "Offline",
        "mlperf.sut": "A server",
        "submitter": "Somebody",
        "model.id": "llama2-70b-99",
        "accelerator.name": "An accelerator 192GB",
        "accelerator.count": 16,
        "accelerator.runtime": "ROCm 6.4.1.60401-83~22.04",
        "framework.name": "vLLM",
        "framework.version": "0.9.0.2.dev108+g71faa18",
        "quantization.weights": "fp8",
        "host.cpu": "A processor",
        "host.os": "Ubuntu 24.04 LTS",
    }
    assert run.load == Load(mode=LoadMode.OFFLINE_BATCH)
    assert run.metrics == (
        Measurement(
            "output_token_throughput", "output_token_throughput/reported", {"value": 27803.5},
            "$[0].Performance_Result",
        ),
    )  # fmt: skip
    assert run.unmapped == {"$[0].Software": ROW["Software"], "$[0].inferred": 1} | {
        "$[0].Notes": ""
    }


def test_a_row_keeps_what_stands_for_unknown_out_of_the_facts():
    run = _read("summary_results.json").runs[1]
    assert run.facts["framework.name"].value == "Some Platform"
    assert not {"framework.version", "quantization.weights", "accelerator.count"} & set(run.facts)
    assert [(one.definition, dict(one.stats), one.basis) for one in run.metrics] == [
        ("e2el/batch-query", {"p99": 1.5}, ""),
        ("avg_power/reported", {"value": 10400.5}, "system"),
    ]
    assert run.unmapped["$[1].UsedModel"] == "resnet50"


def test_a_row_in_an_unknown_unit_measures_nothing():
    (run,) = read_file("t.json", _bytes([{**ROW, "Performance_Units": "Furlongs"}])).runs
    assert (run.status, run.metrics) == (RunStatus.SUSPECT, ())
    assert run.unmapped["$[0].Performance_Result"] == 27803.5


def test_descriptions_of_system_and_weights_complete_a_run():
    system, weights = _read("system.json"), _read("measurements.json")
    assert (system.role, system.completes) == (FileRole.SIDECAR, ("mlperf",))
    assert {name: fact.value for name, fact in system.facts.items()} == {
        "accelerator.name": "An accelerator", "accelerator.count": 8,
        "accelerator.topology": "XGMI", "accelerator.runtime": "CUDA 12.9",
        "framework.name": "TensorRT", "framework.version": "10.11", "mlperf.division": "closed",
        "mlperf.sut": "A server", "submitter": "Somebody",
    }  # fmt: skip
    assert system.unmapped["$.cooling"] == "air"
    assert {name: fact.value for name, fact in weights.facts.items()} == {
        "quantization.weights": "fp4"
    }


@pytest.mark.parametrize("text", ["", "No warnings today.", "MLPerf is a benchmark"])
def test_other_texts_are_not_claimed(text):
    assert IMPORTER.recognises(open_document("x.txt", f"#\n{text}\n".encode())) is None


def test_limits_hold_only_where_requests_arrive_by_themselves():
    text = OFFLINE + "ttft_latency (ns): 2000000000\n"
    run = read_file("mlperf_log_summary.txt", text.encode()).runs[0]
    assert run.load == Load(mode=LoadMode.OFFLINE_BATCH)
    assert "ttft_latency (ns) : 2000000000" in run.unmapped.values()
