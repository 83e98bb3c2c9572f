"""optimum-benchmark: the report, the configuration beside it, and its prints."""

import copy
import json
from typing import Any

import numpy as np
import pytest

from benchmarks_app.contract import FileRole, Measurement, Notice
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.importers import read_file


def _latency(*values: float) -> dict[str, object]:
    mean = sum(values) / len(values)
    return {
        "unit": "s", "values": list(values), "count": len(values), "total": sum(values),
        "mean": mean, "p50": mean, "p90": max(values), "p95": max(values), "p99": max(values),
        "stdev": 0.5, "stdev_": 50.0,
    }  # fmt: skip


def _memory(process: float | None) -> dict[str, object]:
    return {
        "unit": "MB", "max_ram": 900.0, "max_global_vram": 2000.0, "max_process_vram": process,
        "max_reserved": 1500.0, "max_allocated": 1400.0,
    }  # fmt: skip


REPORT: dict[str, Any] = {
    "load_model": {"memory": _memory(1000.0), "latency": _latency(20.0), "throughput": None},
    "prefill": {
        "memory": _memory(1250.5), "latency": _latency(0.25, 0.75), "energy": None,
        "throughput": {"unit": "samples/s", "value": 2.0},
    },
    "decode": {
        "memory": None, "latency": _latency(1.0, 3.0),
        "throughput": {"unit": "tokens/s", "value": 31.5},
        "energy": {"unit": "kWh", "cpu": 0.1, "ram": 0.1, "gpu": 0.3, "total": 0.5},
        "efficiency": {"unit": "tokens/kWh", "value": 126.0},
    },
    "per_token": {"memory": None, "latency": _latency(0.03125, 0.03125), "throughput": None},
}  # fmt: skip
CONFIG: dict[str, Any] = {
    "name": "nightly",
    "backend": {
        "name": "pytorch", "version": "2.4.0", "_target_": "optimum_benchmark.backends.Example",
        "model": "example/tiny", "processor": "example/tokenizer", "library": "transformers",
        "device": "cuda", "device_ids": "0,2", "torch_dtype": "bfloat16",
        "quantization_scheme": "gptq", "seed": 42, "intra_op_num_threads": None,
        "model_kwargs": {"revision": "abc123", "token": "hf_aaaaaaaaaaaaaaaaaaaa"},
        "peft_config": {},
    },
    "scenario": {
        "name": "inference", "input_shapes": {"batch_size": 4, "sequence_length": 64},
        "new_tokens": None,
    },
    "environment": {
        "cpu": " Example CPU", "cpu_ram_mb": 1024.5, "system": "Linux",
        "platform": "Linux-6.1.0-9-generic-x86_64-with-glibc2.35", "python_version": "3.11.2",
        "gpu": ["Example A100", "Example Display", "Example A100"], "gpu_count": 3,
        "optimum_benchmark_version": "0.5.0", "transformers_version": "4.49.0",
        "transformers_commit": None,
    },
}  # fmt: skip
MARKDOWN = "# load_model:\n\n## latency:\n\n| metric | value |\n| :- | -: |\n| mean | 1.0 |\n"
PRINT = "+ prefill:\n\t+ latency:\n\t\t+ mean: 0.026585 (s)\n"
SAMPLES: dict[str, bytes] = {
    "benchmark_report.json": json.dumps(REPORT).encode(),
    "benchmark_config.json": json.dumps(CONFIG).encode(),
    "benchmark.json": json.dumps({"config": CONFIG, "report": REPORT}).encode(),
    "benchmark_report.md": MARKDOWN.encode(),
    "benchmark_report.txt": PRINT.encode(),
    "benchmark.log": b"[MAIN-PROCESS][\x1b[36m2026-03-04 05:06:07,8\x1b[0m][backend] - ready\n",
}


def test_a_report_is_one_run_with_all_phases() -> None:
    reading = read_file("benchmark_report.json", SAMPLES["benchmark_report.json"])

    assert (reading.format, reading.role) == ("optimum_benchmark.report", FileRole.RUNS)
    (run,) = reading.runs
    assert run.load.mode is LoadMode.OFFLINE_BATCH
    assert run.metrics[0] == Measurement(
        "model_load_time", "model_load_time/reported", {"value": 20.0}, "$.load_model.latency.mean"
    )
    assert run.metrics[1] == Measurement(
        "prefill_latency",
        "prefill_latency/batch",
        {"mean": 500.0, "p50": 500.0, "p90": 750.0, "p95": 750.0, "p99": 750.0, "std": 500.0,
         "count": 2.0, "sum": 1000.0},
        "$.prefill.latency.mean",
        "",
        "linear",
    )  # fmt: skip
    assert [(m.metric, m.basis, m.stats.get("value")) for m in run.metrics[2:]] == [
        ("decode_latency", "", None),
        ("decode_throughput", "", 31.5),
        ("energy", "decode", 1.8e6),
        ("decode_step_latency", "", None),
        ("peak_host_memory", "process", 9e8),
        ("peak_gpu_memory", "device", 2e9),
        ("peak_gpu_memory", "reserved", 1.5e9),
        ("peak_gpu_memory", "allocated", 1.4e9),
        ("peak_gpu_memory", "process", 1250500000.0),
    ]
    assert run.samples is not None
    assert run.samples.repeats["prefill_latency"].tolist() == [250.0, 750.0]
    assert np.allclose(run.samples.repeats["decode_step_latency"], [31.25, 31.25])


def test_samples_a_second_are_no_tokens_and_stay_unmapped() -> None:
    run = read_file("benchmark_report.json", SAMPLES["benchmark_report.json"]).runs[0]

    assert "prefill_throughput" not in {m.metric for m in run.metrics}
    assert run.unmapped == {
        "$.prefill.throughput.unit": "samples/s",
        "$.prefill.throughput.value": 2.0,
        "$.decode.energy.cpu": 0.1,
        "$.decode.energy.ram": 0.1,
        "$.decode.energy.gpu": 0.3,
        "$.decode.efficiency.unit": "tokens/kWh",
        "$.decode.efficiency.value": 126.0,
    }


def test_a_report_alone_says_that_it_needs_its_configuration() -> None:
    run = read_file("benchmark_report.json", SAMPLES["benchmark_report.json"]).runs[0]

    assert run.notices == (
        Notice("no_date", pointer="$"),
        Notice("needs_sibling", "benchmark_config.json", pointer="$"),
    )


def test_memory_that_was_not_measured_is_no_zero() -> None:
    report = copy.deepcopy(REPORT)
    for phase in ("load_model", "prefill"):
        report[phase]["memory"] = _memory(None)
    run = read_file("benchmark_report.json", json.dumps(report).encode()).runs[0]

    assert "process" not in {m.basis for m in run.metrics if m.metric == "peak_gpu_memory"}


def test_a_configuration_gives_the_devices_that_ran_and_not_all_that_are_shown() -> None:
    reading = read_file("benchmark_config.json", SAMPLES["benchmark_config.json"])

    assert (reading.format, reading.role) == ("optimum_benchmark.sidecar", FileRole.SIDECAR)
    assert reading.completes == ("optimum_benchmark",)
    facts = {name: fact.value for name, fact in reading.facts.items()}
    assert {n: v for n, v in facts.items() if not n.startswith("server_param.")} == {
        "tool.version": "0.5.0",
        "framework.name": "transformers",
        "framework.version": "4.49.0",
        "framework.backend": "pytorch 2.4.0",
        "model.id": "example/tiny",
        "model.revision": "abc123",
        "tokenizer.id": "example/tokenizer",
        "dtype": "bfloat16",
        "quantization.weights": "gptq",
        "accelerator.name": "Example A100",
        "accelerator.count": 2,
        "host.cpu": "Example CPU",
        "host.os": "Linux",
        "host.kernel": "6.1.0-9-generic",
        "host.python": "3.11.2",
        "host.memory_bytes": 1024500000,
        "scenario": "nightly",
    }
    assert facts["server_param.scenario.input_shapes.batch_size"] == 4
    assert facts["server_param.backend.seed"] == 42
    assert reading.withheld == ("$.backend.model_kwargs.token",)
    assert "hf_aaaa" not in repr(reading)
    assert reading.unmapped == {}


def test_without_device_numbers_several_devices_stay_unknown() -> None:
    config = copy.deepcopy(CONFIG)
    config["backend"]["device_ids"] = None
    facts = read_file("benchmark_config.json", json.dumps(config).encode()).facts

    assert "accelerator.name" not in facts
    assert "accelerator.count" not in facts


def test_a_backend_that_is_a_framework_names_it_with_its_version() -> None:
    config = copy.deepcopy(CONFIG)
    config["backend"] |= {"name": "vllm", "version": "0.8.1"}
    facts = read_file("benchmark_config.json", json.dumps(config).encode()).facts

    assert facts["framework.name"].value == "vLLM"
    assert facts["framework.version"].value == "0.8.1"


def test_one_file_with_both_parts_is_a_whole_run() -> None:
    (run,) = read_file("benchmark.json", SAMPLES["benchmark.json"]).runs

    assert run.facts["model.id"].value == "example/tiny"
    assert run.load.batch_size == 4
    assert [notice.code for notice in run.notices] == ["no_date"]
    assert run.withheld == ("$.config.backend.model_kwargs.token",)


@pytest.mark.parametrize("name", ["benchmark_report.md", "benchmark_report.txt"])
def test_a_print_is_kept_beside_the_report(name: str) -> None:
    reading = read_file(name, SAMPLES[name])

    assert (reading.role, reading.runs) == (FileRole.SIDECAR, ())
    assert "benchmark_report.json" in reading.reason


def test_the_log_is_kept_as_evidence() -> None:
    reading = read_file("benchmark.log", SAMPLES["benchmark.log"])

    assert (reading.format, reading.role) == ("optimum_benchmark.log", FileRole.ATTACHMENT)
    assert "benchmark_report.json" in reading.reason
