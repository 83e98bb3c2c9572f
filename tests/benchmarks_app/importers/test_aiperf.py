"""AIPerf's files, one quirk a test."""

import json
from typing import Any

import numpy as np
import pytest

from benchmarks_app.contract import Counts, FileReading, FileRole, Load, RunReading, Tokens
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.importers import read_file
from tests.benchmarks_app.importers.samples_aiperf import (
    CSV,
    ERRORS,
    PHASES,
    RECORDS,
    SAMPLES,
    SERVER_CSV,
    SERVER_JSON,
    TELEMETRY,
    answered,
    first,
    grouped,
    lines,
    measured,
    phased,
    scalar,
)


def read(value: object, name: str = "any.json") -> FileReading:
    data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    return read_file(name, data)


def run_of(value: object) -> RunReading:
    (run,) = read(value).runs
    return run


def values(run: RunReading) -> dict[str, dict[str, float]]:
    return {one.definition: dict(one.stats) for one in run.metrics}


def facts(run: RunReading) -> dict[str, Any]:
    return {name: fact.value for name, fact in run.facts.items()}


def codes(run: RunReading) -> list[str]:
    return [f"{one.code}:{one.detail}" if one.detail else one.code for one in run.notices]


def without(payload: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key not in names}


def test_a_summary_with_phases_is_one_run() -> None:
    run = run_of(phased())
    assert run.status is RunStatus.PARTIAL
    assert facts(run) == {
        "tool.name": "aiperf",
        "tool.version": "0.13.0",
        "schema_version": "1.4",
        "run.started_at_local": "2026-03-01T10:00:00.500000",
        "run.finished_at_local": "2026-03-01T10:00:03",
        "model.id": "acme/tiny-7b",
        "load.streaming": True,
        "client.backend": "chat",
        "tokenizer.id": "acme/tiny-7b",
        "load.dataset": "synthetic",
    }
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP, max_concurrency=4, num_prompts=60, isl_target=64.0,
        isl_mean=64.0, osl_target=32.0, osl_mean=34.0, warmup="5 requests",
    )  # fmt: skip
    assert run.requests == Counts(total=60, completed=46, failed=14)
    assert run.tokens == Tokens(input_total=2944, output_total=1564, duration_s=2.5)
    assert run.failures == {"500 Server Error": 9, "ClientPayloadError": 5}
    assert run.identity == "d126c9533a93"
    assert codes(run) == ["warmup_excluded"]


def test_gaps_between_chunks_and_time_per_token_are_two_metrics() -> None:
    found = values(run_of(phased()))
    assert found["itl/chunk"]["mean"] == 4.75
    assert found["tpot/request"] == {
        "mean": 4.5, "p50": 4.5, "p99": 9.0, "min": 2.25, "max": 13.5, "std": 1.0,
        "count": 46.0, "sum": 207.0,
    }  # fmt: skip
    assert found["request_throughput/successful"] == {"value": 20.0}


def test_latencies_with_failures_as_endless_stay_apart() -> None:
    run = run_of(phased())
    assert run.unmapped["$.adj_request_latency.p50"] == 180.0
    assert values(run)["e2el/client"]["p50"] == 176.0


def test_an_absent_count_of_errors_is_none_failed() -> None:
    run = run_of(grouped())
    assert run.requests == Counts(total=46, completed=46, failed=0)
    assert run.status is RunStatus.OK


def test_a_count_of_errors_that_cannot_be_read_is_unknown_and_not_none() -> None:
    run = run_of(grouped(error_request_count={"unit": "requests", "avg": "many"}))
    assert run.requests == Counts(completed=46)


def test_a_summary_with_groups_of_options_is_one_run() -> None:
    run = run_of(grouped())
    assert facts(run) == {
        "tool.name": "aiperf",
        "tool.version": "0.8.0",
        "schema_version": "1.1",
        "run.started_at_local": "2026-03-01T10:00:00",
        "run.finished_at_local": "2026-03-01T10:30:00",
        "model.id": "Tiny-7B-FP4",
        "model.raw": "/lustre/models/Tiny-7B-FP4",
        "load.streaming": True,
        "client.backend": "chat",
        "load.dataset": "sharegpt",
        "load.seed": 42,
        "scenario": "agentic",
    }
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP, max_concurrency=16, duration_target_s=1800.0,
        isl_mean=64.0, osl_mean=34.0, ignore_eos=True,
    )  # fmt: skip
    assert codes(run) == [
        "model_id_is_local_path",
        "duration_much_shorter_than_target:2 of 1800 s",
    ]


def test_a_cancelled_run_says_so_and_not_that_it_was_short() -> None:
    failed = {"error_request_count": {"unit": "requests", "avg": 16.0}}
    run = run_of(grouped(was_cancelled=True, **failed))
    assert run.status is RunStatus.PARTIAL
    assert codes(run) == ["model_id_is_local_path", "cancelled"]
    assert run_of(grouped(was_cancelled=True)).status is RunStatus.CANCELLED


def test_a_cancelled_run_without_metrics_is_a_run() -> None:
    run = run_of(without(grouped(was_cancelled=True), *measured()))
    assert run.status is RunStatus.CANCELLED
    assert run.metrics == ()
    assert run.requests == Counts()


def test_where_nothing_succeeded_failures_are_counted_from_the_errors() -> None:
    run = run_of(without(phased(), *measured(), "error_request_count"))
    assert run.status is RunStatus.FAILED
    assert run.requests == Counts(total=14, completed=0, failed=14)
    assert codes(run) == ["warmup_excluded", "failed_count_derived", "all_requests_failed"]


def test_the_first_versions_wrote_no_version_and_null_for_absent_metrics() -> None:
    run = run_of(first())
    assert "tool.version" not in run.facts
    assert "tool_version_unknown" in codes(run)
    assert "goodput" not in {one.metric for one in run.metrics}
    assert run.load.slo == "request_latency:200"


@pytest.mark.parametrize(
    ("options", "mode", "rate"),
    [
        ({}, LoadMode.CLOSED_LOOP, None),
        ({"request_rate": 2.5}, LoadMode.OPEN_LOOP, 2.5),
        ({"concurrency": None}, None, None),
    ],
)
def test_the_mode_follows_what_was_set(
    options: dict[str, Any], mode: LoadMode | None, rate: float | None
) -> None:
    load = run_of(first(**options)).load
    assert (load.mode, load.request_rate) == (mode, rate)


def test_a_fixed_schedule_is_a_replay() -> None:
    payload = first()
    payload["input_config"]["input"]["fixed_schedule"] = True
    assert run_of(payload).load.mode is LoadMode.REPLAY


def test_several_measured_phases_are_no_one_load() -> None:
    payload = phased()
    payload["input_config"]["phases"].append({"name": "more", "type": "poisson", "rate": 9.0})
    run = run_of(payload)
    assert (run.load.mode, run.load.max_concurrency) == (None, None)
    assert "aggregate_over_stages:2" in codes(run)
    assert run.unmapped["$.input_config.phases[2].rate"] == 9.0


def test_telemetry_names_the_gpus_and_never_their_number() -> None:
    run = run_of(grouped(telemetry_data=TELEMETRY))
    assert facts(run)["accelerator.name"] == "NVIDIA T1"
    assert "accelerator.count" not in run.facts
    resources = {(one.metric, one.basis): dict(one.stats) for one in run.metrics if one.basis}
    assert resources == {
        ("avg_power", "device gpu_0"): {"value": 200.0},
        ("avg_power", "device gpu_1"): {"value": 210.0},
        ("peak_gpu_memory", "device gpu_0"): {"value": 60e9},
    }


def test_hosts_keys_and_messages_are_withheld() -> None:
    for payload in (phased(telemetry_data=TELEMETRY), grouped(), SERVER_JSON, PHASES, SERVER_CSV):
        shown = repr(read(payload))
        assert not any(word in shown for word in ("gpu-node-7", "abcdef123456", "hush"))


def test_the_command_keeps_what_repeats_the_run() -> None:
    assert run_of(phased()).command == (
        "aiperf profile --model 'acme/tiny-7b' --url 'http://‹host›:8000' "
        "--api-key ‹secret› --concurrency 4"
    )


def test_the_tables_are_read_with_their_units() -> None:
    reading = read(CSV)
    (run,) = reading.runs
    assert reading.format == "aiperf.csv"
    assert run.status is RunStatus.PARTIAL
    assert run.requests == Counts(total=60, completed=46, failed=14)
    assert run.tokens == Tokens(input_total=3076, duration_s=2.37)
    assert values(run)["itl/chunk"] == {
        "mean": 4.83, "min": 0.0, "max": 11.4, "sum": 6950.0, "p1": 1.0, "p5": 3.0, "p10": 3.7,
        "p25": 4.4, "p50": 4.6, "p75": 5.3, "p90": 5.76, "p95": 6.77, "p99": 8.61, "std": 1.14,
    }  # fmt: skip
    assert values(run)["avg_power/reported"] == {"value": 200.5}
    assert facts(run) == {"tool.name": "aiperf", "accelerator.name": "NVIDIA T1"}
    assert codes(run) == ["rounded_values", "no_model", "no_date", "tool_version_unknown"]
    assert run.unmapped["line 2, HTTP Waiting (TTFB).avg"] == "24.50"
    assert "line 17, Endpoint" in run.withheld


def test_single_requests_complete_the_run_beside_them_without_the_warmup() -> None:
    reading = read_file("profile_export.jsonl", lines(RECORDS))
    assert (reading.role, reading.completes) == (FileRole.ATTACHMENT, ("aiperf",))
    assert reading.samples is not None
    columns = {name: found.tolist() for name, found in reading.samples.requests.items()}
    np.testing.assert_equal(
        columns,
        {
            "ok": [1.0, 0.0, 1.0],
            "ttft_ms": [20.0, np.nan, 20.0],
            "e2el_ms": [30.0, np.nan, 40.0],
            "tpot_ms": [5.0, np.nan, 5.0],
            "input_tokens": [64.0, np.nan, 64.0],
            "output_tokens": [3.0, np.nan, 3.0],
            "start_s": [0.0, 0.5, 1.0],
        },
    )
    assert reading.samples.pooled["itl_ms"].tolist() == [4.0, 6.0, 4.0, 6.0]


def test_a_cancelled_request_is_none_that_was_answered() -> None:
    stopped = answered(5, 30.0)
    stopped["metadata"]["was_cancelled"] = True
    reading = read_file("profile_export.jsonl", lines([answered(1, 30.0), stopped]))
    assert reading.samples is not None
    assert reading.samples.requests["ok"].tolist() == [1.0, 0.0]


def test_one_line_of_requests_is_read_as_well() -> None:
    reading = read_file("profile_export.jsonl", SAMPLES["one_record.jsonl"])
    assert reading.format == "aiperf.profile_export"
    assert reading.samples is not None
    assert reading.samples.requests["e2el_ms"].tolist() == [30.0]


@pytest.mark.parametrize("sample", [SERVER_JSON, SERVER_CSV])
def test_server_metrics_tell_the_version_and_are_no_run(sample: object) -> None:
    reading = read(sample)
    assert (reading.role, reading.runs) == (FileRole.SIDECAR, ())
    assert {name: fact.value for name, fact in reading.facts.items()} == {"tool.version": "0.13.0"}
    assert "1558.0" in repr(reading.unmapped)


def test_the_manifest_of_phases_keeps_its_counts() -> None:
    reading = read(PHASES)
    assert reading.role is FileRole.SIDECAR
    assert reading.unmapped["$.phases[0].error_summary[0].count"] == ERRORS[0]["count"]


def test_the_summary_of_a_warmup_is_no_run() -> None:
    reading = read(phased(), name="phases/warmup/profile_export_aiperf.json")
    assert (reading.role, reading.runs) == (FileRole.ATTACHMENT, ())


@pytest.mark.parametrize(
    ("answered", "failed", "role"),
    [
        (5.0, 0.0, FileRole.ATTACHMENT),
        (3.0, 2.0, FileRole.ATTACHMENT),
        (46.0, 14.0, FileRole.RUNS),
        (6.0, 0.0, FileRole.RUNS),
    ],
)
def test_the_summary_of_a_warmup_is_known_without_its_folder(
    answered: float, failed: float, role: FileRole
) -> None:
    counts = {
        "request_count": scalar("requests", answered),
        "error_request_count": scalar("requests", failed),
    }
    reading = read(without(phased(**counts), "warmup_metrics"))
    assert reading.role is role
    assert read(phased(**counts)).role is FileRole.RUNS


def test_prompts_alone_are_rejected_with_what_to_send() -> None:
    reading = read_file("inputs.json", SAMPLES["inputs.json"])
    assert reading.role is FileRole.REJECTED
    assert "profile_export_aiperf.json" in reading.reason


def test_a_summary_without_metrics_and_counts_is_refused() -> None:
    with pytest.raises(ResultError) as raised:
        read(without(grouped(), *measured()))
    assert raised.value.facts["place"] == "$"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_measurement_is_of_a_known_definition(name: str) -> None:
    for run in read_file(name, SAMPLES[name]).runs:
        for one in run.metrics:
            assert one.definition in METRICS[one.metric].definitions
