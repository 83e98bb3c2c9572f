"""llm-d Benchmark Report: 0.1, 0.2 and 0.2.1 in YAML and JSON."""

import json

import pytest

from benchmarks_app.contract import Counts, FileRole, Load, Measurement, Notice, Tokens
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file
from benchmarks_app.importers.llmd_benchmark_report import IMPORTER
from benchmarks_app.reading.document import open_document

FULL = """\
version: '0.2'
run:
  uid: abc123
  user: ann
  description: baseline
  time:
    start: 2025-11-05T18:00:42Z
    end: 2025-11-05T20:17:03+02:00
    duration: PT1M49.5S
scenario:
  stack:
  - metadata: {label: engine-0}
    standardized:
      kind: inference_engine
      tool: vllm
      tool_version: ghcr.io/org/image:0.3@sha256:DIGEST
      role: decode
      replicas: 2
      model: {name: org/small}
      accelerator:
        model: GPU-80GB
        count: 8
        parallelism: {tp: 8, pp: 1, dp: 1, ep: 1, workers: 1}
    native:
      args:
        --block-size: 16
        --kv-transfer-config: {kv_role: both}
        --enable-x: null
        --api-key: sk-abc
      envars:
        LEVEL: DEBUG
        SIDE_CHANNEL_HOST: 10.0.0.3
  - metadata: {label: router-0}
    standardized: {kind: generic, tool: router, tool_version: '1'}
    native: {}
  load:
    standardized:
      tool: inference-perf
      tool_version: 0.3.0
      stage: 3
      source: random
      input_seq_len: {distribution: fixed, value: 2148}
      output_seq_len: {distribution: gaussian, value: 1000, std_dev: 100}
      rate_qps: 10
      concurrency: .inf
results:
  request_performance:
    aggregate:
      requests:
        total: 10
        failures: 1
        input_length: {units: count, mean: 2262.5}
      latency:
        time_to_first_token: {units: s, mean: 0.5, stddev: 0.25, p0p1: 0.125, P25: 0.25, p99p9: 2}
        request_latency: {units: fortnights, mean: 1}
        inter_token_latency: {units: s/token, mean: 0.0625, min: 0.0}
      throughput:
        output_token_rate: {units: tokens/s, mean: 22.5, max: 30}
  observability:
    components:
    - component_label: engine-0
      aggregate:
        gpu_memory_usage: {units: GiB, mean: 1, max: 2}
        kv_cache_usage: {units: percent, mean: 50, max: 75}
        power_consumption: {units: Watts, mean: 410.5}
    pod_startup_times:
      aggregate: {units: s, mean: 84.5}
      pods: [{name: pod-1, node: gpu-node-01, startup_seconds: 72.0}]
""".replace("DIGEST", "a" * 64)
OWN_REPORT = """\
version: 0.2.1
run:
  uid: inference-perf-stage-0-54
  time: {start: '2026-11-30T07:26:33', duration: PT5.5S}
results:
  request_performance:
    aggregate:
      requests: {total: 32, failures: 32}
      latency: {}
"""
OLD = {
    "version": "0.1",
    "scenario": {
        "host": {
            "type": ["prefill", "decode"],
            "accelerator": [
                {"model": "H", "count": 1, "parallelism": {"tp": 1, "pp": 1}},
                {"model": "H", "count": 8, "parallelism": {"tp": 8, "pp": 1}},
            ],
        },
        "platform": {
            "engine": [
                {"name": "vllm", "version": "0.9.0.1", "args": {"--a": 1}},
                {"name": "vllm", "version": "0.9.0.1", "args": {"--a": 2}},
            ]
        },
        "model": {"name": "org/big", "quantization": "fp16"},
        "load": {"name": "guidellm", "args": {"qps": 1.5}},
    },
    "metrics": {
        "time": {"duration": 16.5, "start": 1749570583.5, "stop": 1749570600.0},
        "requests": {"total": 32, "failures": 0, "incomplete": 2},
        "latency": {
            "time_per_output_token": {"units": "ms/token", "mean": 9.5},
            "normalized_time_per_output_token": {"units": "ms/token", "mean": 9.25},
            "inter_token_latency": {"units": "ms/token", "mean": 8.5},
        },
        "throughput": {"total_tokens_per_sec": 676.5, "requests_per_sec": 1.5},
    },
}
SCHEMA = {"$defs": {}, "title": "Benchmark Report v0.2.1", "type": "object", "properties": {}}


def _bytes(value: object) -> bytes:
    return json.dumps(value).encode()


SAMPLES: dict[str, bytes] = {
    "report.yaml": FULL.encode(),
    "inference-perf.partial.stage_0.yaml": OWN_REPORT.encode(),
    "report.json": _bytes(OLD),
    "schema.json": _bytes(SCHEMA),
}


def _run(name: str):
    (run,) = read_file(name, SAMPLES[name]).runs
    return run


def test_a_report_states_the_deployment_and_hides_people_and_machines():
    run = _run("report.yaml")
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "inference-perf",
        "tool.version": "0.3.0",
        "schema_version": "0.2",
        "load.dataset": "random",
        "model.id": "org/small",
        "framework.name": "vllm",
        "framework.arguments": (
            '--block-size 16 --kv-transfer-config {"kv_role": "both"} --enable-x'
        ),
        "container.image": "ghcr.io/org/image:0.3@sha256:" + "a" * 64,
        "container.digest": "sha256:" + "a" * 64,
        "accelerator.name": "GPU-80GB",
        # The count is that of one of two replicas.
        "accelerator.count": 16,
        "parallelism.tp": 8,
        "parallelism.pp": 1,
        "parallelism.dp": 1,
        "parallelism.ep": 1,
        "env.LEVEL": "DEBUG",
        "run.started_at": "2025-11-05T18:00:42+00:00",
        "run.finished_at": "2025-11-05T18:17:03+00:00",
    }
    engine, pods = "$.scenario.stack[0].native", "$.results.observability.pod_startup_times.pods[0]"
    assert set(run.withheld) == {
        "$.run.user", f"{engine}.args.--api-key", f"{engine}.envars.SIDE_CHANNEL_HOST",
        f"{pods}.name", f"{pods}.node",
    }  # fmt: skip
    assert run.identity == "abc123"


def test_a_report_is_one_run_in_the_units_of_each_distribution():
    run = _run("report.yaml")
    assert run.status is RunStatus.PARTIAL
    assert run.load == Load(
        mode=LoadMode.OPEN_LOOP, request_rate=10.0, num_prompts=10, isl_target=2148.0,
        osl_target=1000.0, isl_mean=2262.5, extra={"stage": 3},
    )  # fmt: skip
    assert run.requests == Counts(total=10, completed=9, failed=1)
    assert run.tokens == Tokens(duration_s=109.5)
    assert [(one.definition, dict(one.stats), one.basis) for one in run.metrics] == [
        (
            "ttft/first-output",
            {"mean": 500.0, "std": 250.0, "p0.1": 125.0, "p25": 250.0, "p99.9": 2000.0},
            "",
        ),
        ("itl/token-zero-filled", {"mean": 62.5, "min": 0.0}, ""),
        ("output_token_throughput/successful", {"value": 22.5}, ""),
        ("peak_gpu_memory/reported", {"value": 2.0 * 2**30}, "engine-0"),
        ("kv_cache_usage/reported", {"mean": 0.5, "max": 0.75}, "engine-0"),
        ("avg_power/reported", {"mean": 410.5}, "engine-0"),
        ("cold_start_time/reported", {"mean": 84.5}, "pod"),
    ]
    performance = "$.results.request_performance.aggregate"
    # A unit that nobody knows makes no number.
    assert run.unmapped[f"{performance}.latency.request_latency.units"] == "fortnights"
    assert run.unmapped[f"{performance}.throughput.output_token_rate.max"] == 30
    assert run.unmapped["$.run.description"] == "baseline"
    assert run.unmapped["$.scenario.stack[1].standardized.tool"] == "router"


def test_a_report_that_the_generator_wrote_itself_names_it_and_may_have_failed():
    run = _run("inference-perf.partial.stage_0.yaml")
    assert run.status is RunStatus.FAILED
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "inference-perf",
        "schema_version": "0.2.1",
        "run.started_at_local": "2026-11-30T07:26:33",
    }
    assert run.load == Load(num_prompts=32)
    assert run.notices == (Notice("no_model"), Notice("all_requests_failed"))


def test_an_old_report_gives_what_all_engines_share():
    run = _run("report.json")
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "guidellm", "schema_version": "0.1", "model.id": "org/big",
        "quantization.weights": "fp16", "framework.name": "vllm", "framework.version": "0.9.0.1",
        "accelerator.name": "H", "accelerator.count": 9, "parallelism.pp": 1,
        "parallelism.disagg": True, "run.started_at": "2025-06-10T15:49:43.500000+00:00",
        "run.finished_at": "2025-06-10T15:50:00+00:00",
    }  # fmt: skip
    assert run.requests == Counts(total=32, completed=30, failed=0, incomplete=2)
    assert run.notices == (Notice("incomplete_requests", "2"),)
    assert run.unmapped["$.scenario.host.accelerator[1].parallelism.tp"] == 8
    assert run.unmapped["$.scenario.platform.engine[1].args"] == {"--a": 2}


def test_a_name_means_what_its_generator_means_by_it():
    run = _run("report.json")
    latency = "$.metrics.latency"
    assert run.metrics[:2] == (
        Measurement("ntpot", "ntpot/token", {"mean": 9.5}, f"{latency}.time_per_output_token"),
        Measurement("tpot", "tpot/token", {"mean": 8.5}, f"{latency}.inter_token_latency"),
    )
    # A second figure under the same metric is not mixed with the first.
    assert run.unmapped[f"{latency}.normalized_time_per_output_token.mean"] == 9.25


@pytest.mark.parametrize(
    ("rate", "in_flight", "load"),
    [
        (None, 8, Load(mode=LoadMode.CLOSED_LOOP, max_concurrency=8)),
        (2.5, 8, Load(mode=LoadMode.OPEN_LOOP, request_rate=2.5, max_concurrency=8)),
        (None, float("inf"), Load(mode=LoadMode.BURST, request_rate_unbounded=True)),
        (None, None, Load()),
    ],
)
def test_the_load_follows_rate_and_concurrency(rate, in_flight, load):
    report = {
        "version": "0.2", "run": {"uid": "x"}, "results": {},
        "scenario": {"load": {"standardized": {"rate_qps": rate, "concurrency": in_flight}}},
    }  # fmt: skip
    (run,) = read_file("r.json", json.dumps(report).encode()).runs
    assert run.load == load


def test_a_report_without_any_figure_is_suspect():
    (run,) = read_file("r.json", _bytes({"version": "0.2", "run": {}, "results": {}})).runs
    assert run.status is RunStatus.SUSPECT
    assert Notice("no_request_count") in run.notices


def test_the_schema_is_rejected_with_a_reason():
    reading = read_file("schema.json", SAMPLES["schema.json"])
    assert (reading.format, reading.role) == ("json_schema", FileRole.REJECTED)
    assert "schema" in reading.reason


@pytest.mark.parametrize(
    "value", [{"version": "0.3", "run": {}, "results": {}}, {"version": "0.1"}]
)
def test_other_files_are_not_claimed(value):
    assert IMPORTER.recognises(open_document("x.json", _bytes(value))) is None
