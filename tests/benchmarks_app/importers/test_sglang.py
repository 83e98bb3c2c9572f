"""SGLang's files, one quirk a test."""

from typing import Any

import numpy as np
import pytest

from benchmarks_app.contract import Counts, FileReading, FileRole, Load, RunReading, Tokens
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.importers import read_file
from tests.benchmarks_app.importers.samples_sglang import (
    CONSOLE,
    DETAILS,
    LOG,
    OFFLINE,
    OFFLINE_TEXT,
    OLD,
    ONE_BATCH,
    SAMPLES,
    SERVER,
    lines,
    serving,
)
from tests.benchmarks_app.importers.shown import codes, facts, values


def read(*payloads: dict[str, Any]) -> FileReading:
    return read_file("any.jsonl", lines(*payloads))


def run_of(payload: dict[str, Any]) -> RunReading:
    (run,) = read(payload).runs
    return run


def test_a_serving_run_is_read_whole() -> None:
    reading = read(serving())

    assert (reading.format, reading.tool) == ("sglang.bench_serving", "sglang")
    (run,) = reading.runs
    assert run.status is RunStatus.OK
    assert facts(run) == {
        "tool.name": "sglang.bench_serving",
        "client.backend": "sglang",
        "load.dataset": "random",
    }
    assert run.load == Load(
        mode=LoadMode.BURST,
        request_rate_unbounded=True,
        isl_target=40.0,
        osl_target=20.0,
        range_ratio=1.0,
        extra={"total_input_text_tokens": 160.0, "total_input_vision_tokens": 0.0},
    )
    assert run.requests == Counts(completed=4)
    assert run.tokens == Tokens(
        input_total=160, output_total=80, output_total_retokenized=82, duration_s=2.0
    )
    assert values(run) == {
        "e2el/client": {"mean": 120.0, "p50": 118.0, "p90": 130.0},
        "ttft/first-output": {"mean": 25.0, "p50": 24.0},
        "tpot/request": {"mean": 5.0},
        "itl/chunk": {"mean": 4.5, "max": 9.0},
        "request_throughput/successful": {"value": 2.0},
        "input_token_throughput/successful": {"value": 80.0},
        "output_token_throughput/successful": {"value": 40.0},
        "total_token_throughput/successful": {"value": 120.0},
        "achieved_concurrency/mean-in-flight": {"value": 3.5},
        "peak_output_token_throughput/one-second": {"value": 44.0},
        "peak_concurrency/one-second": {"value": 4.0},
    }
    assert codes(run) == ["no_model", "no_date", "total_requests_unknown"]
    assert (dict(run.unmapped), run.withheld) == ({}, ())


def test_rows_of_several_runs_are_runs_with_bare_infinity_in_between() -> None:
    reading = read_file("two.jsonl", SAMPLES["serving.jsonl"])

    assert [(run.pointer, run.load.mode, run.load.max_concurrency) for run in reading.runs] == [
        ("line 1", LoadMode.BURST, None),
        ("line 2", LoadMode.OPEN_LOOP, 4),
    ]


def test_a_trace_is_a_replay() -> None:
    load = run_of(serving(request_rate="trace")).load

    assert (load.mode, load.request_rate, load.request_rate_unbounded) == (
        LoadMode.REPLAY, None, False,
    )  # fmt: skip


def test_lengths_that_a_dataset_did_not_use_are_said_not_to_apply() -> None:
    run = run_of(OLD)

    assert run.load == Load(
        mode=LoadMode.OPEN_LOOP,
        request_rate=4.0,
        request_rate_unbounded=False,
        isl_target=1024.0,
        osl_target=1024.0,
        isl_mean=200.0,
        osl_mean=100.0,
        range_ratio=0.0,
        extra={"random_lengths_apply": False},
    )
    assert values(run) == {
        "e2el/client": {"mean": 300.0, "p50": 290.0},
        "ttft/first-output": {"p50": 60.0},
        "itl/chunk": {"p50": 14.0},
        "output_token_throughput/successful": {"value": 250.0},
    }


def test_an_sglang_server_tells_model_version_and_layout_but_no_key() -> None:
    run = run_of(serving(server_info=SERVER))

    assert facts(run) == {
        "tool.name": "sglang.bench_serving",
        "client.backend": "sglang",
        "load.dataset": "random",
        "model.id": "acme/tiny-7b",
        "model.revision": "0123abcd",
        "tokenizer.id": "acme/tiny-7b",
        "framework.name": "sglang",
        "framework.version": "0.5.9",
        "framework.arguments": facts(run)["framework.arguments"],
        "quantization.weights": "fp8",
        "quantization.kv_cache": "auto",
        "parallelism.tp": 2,
        "parallelism.dp": 1,
    }
    assert "abcdefgh" not in repr(run)
    assert "10.0.0.7" not in repr(run)
    assert codes(run) == ["no_date", "total_requests_unknown"]
    assert dict(run.unmapped) == {
        "$.server_info.mem_fraction_static": 0.88,
        "$.server_info.internal_states[0].last_gen_throughput": 1.5,
    }
    assert run.withheld == (
        "$.server_info.host",
        "$.server_info.port",
        "$.server_info.api_key",
        "$.server_info.internal_states[0].host",
    )


def test_details_tell_how_many_requests_there_were() -> None:
    run = run_of(serving(**DETAILS))

    assert run.requests == Counts(total=4, completed=3, failed=1)
    assert (run.status, dict(run.failures)) == (RunStatus.PARTIAL, {"HTTP 503": 1})
    assert codes(run) == ["contains_prompts_or_outputs", "no_model", "no_date"]
    assert run.withheld == ("$.generated_texts", "$.errors")
    assert run.samples is not None
    np.testing.assert_allclose(run.samples.requests["e2el_ms"], [30.0, 35.0, 47.0, np.nan])
    np.testing.assert_allclose(run.samples.pooled["itl_ms"], [4.0, 6.0, 5.0, 7.0])


def test_gaps_are_per_token_where_several_tokens_are_accepted_at_once() -> None:
    found = values(run_of(serving(accept_length=2.5)))

    assert "itl/token" in found
    assert found["accept_length/reported"] == {"value": 2.5}


def test_a_run_that_completed_nothing_failed() -> None:
    run = run_of(serving(completed=0, mean_ttft_ms=0.0, median_ttft_ms=0.0))

    assert run.status is RunStatus.FAILED
    assert codes(run)[:2] == ["all_requests_failed", "latency_zero_means_missing"]
    assert "ttft/first-output" not in values(run)


def test_one_batch_to_a_server_keeps_seconds_apart_and_ignores_minus_one() -> None:
    reading = read(ONE_BATCH)

    assert reading.format == "sglang.one_batch_server"
    (run,) = reading.runs
    assert values(run) == {
        "batch_latency/batch": {"value": 2.5},
        "ttft/first-output": {"value": 500.0},
        "decode_throughput/generated-tokens": {"value": 128.0},
        "total_token_throughput/all": {"value": 3300.0},
        "prefill_throughput/prompt-tokens": {"value": 8000.0},
    }
    assert run.load == Load(mode=LoadMode.BURST, batch_size=8, isl_target=1024.0, osl_target=16.0)
    assert dict(run.unmapped) == {"$.last_gen_throughput": 120.0, "$.acc_length": -1.0}


def test_an_output_rate_without_a_timed_prefill_is_of_the_whole_batch() -> None:
    payload = {key: value for key, value in ONE_BATCH.items() if key != "input_throughput"}

    found = values(run_of(payload))

    assert found["output_token_throughput/all"] == {"value": 128.0}
    assert "decode_throughput/generated-tokens" not in found


def test_one_batch_without_a_server_is_a_microbenchmark() -> None:
    run = run_of(
        {
            "run_name": "default", "batch_size": 1, "input_len": 128, "output_len": 8,
            "prefill_latency": 0.25, "prefill_throughput": 512.0, "median_decode_latency": 0.01,
            "median_decode_throughput": 100.0, "total_latency": 0.5, "overall_throughput": 272.0,
        }
    )  # fmt: skip

    assert run.load.mode is LoadMode.MICROBENCH
    assert values(run) == {
        "batch_latency/batch": {"value": 0.5},
        "prefill_latency/batch": {"value": 250.0},
        "decode_step_latency/step": {"p50": 10.0},
        "total_token_throughput/all": {"value": 272.0},
        "prefill_throughput/prompt-tokens": {"value": 512.0},
        "decode_throughput/generated-tokens": {"value": 100.0},
    }


def test_offline_throughput_is_a_batch_without_a_server() -> None:
    reading = read(OFFLINE)

    assert reading.format == "sglang.offline_throughput"
    (run,) = reading.runs
    assert values(run) == {
        "request_throughput/all": {"value": 2.0},
        "input_token_throughput/all": {"value": 200.0},
        "output_token_throughput/all": {"value": 100.0},
        "total_token_throughput/all": {"value": 300.0},
    }
    assert run.requests == Counts(completed=10)
    assert run.tokens == Tokens(input_total=1000, output_total=500, duration_s=5.0)
    assert dict(run.unmapped) == {"$.last_gen_throughput": 99.0}


def test_a_printed_block_with_a_backend_is_of_sglang() -> None:
    reading = read_file("console.txt", CONSOLE.encode())

    assert reading.format == "sglang.console_text"
    (run,) = reading.runs
    assert values(run) == {
        "e2el/client": {"mean": 120.0},
        "itl/chunk": {"max": 9.0},
        "total_token_throughput/successful": {"value": 120.0},
        "achieved_concurrency/mean-in-flight": {"value": 3.5},
    }
    assert (run.load.mode, run.load.max_concurrency) == (LoadMode.BURST, None)
    assert run.command.startswith("python3 -m sglang.bench_serving --backend sglang")
    assert (dict(run.unmapped), dict(reading.unmapped)) == ({}, {})


def test_the_command_before_a_block_tells_the_model() -> None:
    text = CONSOLE.replace("--num-prompts 4", "--model acme/tiny-7b --num-prompts 4")

    (run,) = read_file("console.txt", text.encode()).runs

    assert run.facts["model.id"].value == "acme/tiny-7b"
    assert "no_model" not in codes(run)
    assert run.requests.total is None


def test_a_printed_offline_block_is_a_run_of_the_command_before_it() -> None:
    text = OFFLINE_TEXT + OFFLINE_TEXT.partition("ready\n")[2]

    reading = read_file("offline.txt", text.encode())

    first, second = reading.runs
    assert (reading.format, first.pointer) == ("sglang.offline_text", "line 3")
    assert facts(first) == {
        "tool.name": "sglang.bench_offline_throughput",
        "client.backend": "engine",
        "model.id": "acme/tiny-7b",
    }
    assert values(first) == {
        "request_throughput/all": {"value": 5.75},
        "input_token_throughput/all": {"value": 1789.25},
        "output_token_throughput/all": {"value": 1109.5},
        "total_token_throughput/all": {"value": 2898.75},
    }
    assert first.tokens == Tokens(input_total=6267, output_total=3886, duration_s=3.5)
    assert codes(first) == ["no_date", "total_requests_unknown", "rounded_values"]
    assert (second.command, codes(second)[0]) == ("", "no_model")
    assert reading.unmapped["line 2"] == "ready"


def test_a_server_log_is_evidence_that_names_lack_of_memory() -> None:
    reading = read_file("server.log", LOG.encode())

    assert (reading.format, reading.role) == ("log.sglang", FileRole.ATTACHMENT)
    assert {name: fact.value for name, fact in reading.facts.items()} == {
        "model.id": "acme/tiny-7b",
        "parallelism.tp": 2,
    }
    assert "at line 2 that memory did not suffice" in reading.reason


def test_a_scrape_of_metrics_is_evidence_and_no_run() -> None:
    reading = read_file("metrics.txt", SAMPLES["metrics.txt"])

    assert (reading.format, reading.role, reading.runs) == (
        "prometheus.sglang", FileRole.ATTACHMENT, (),
    )  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_every_definition_of_a_sample_stands_in_the_vocabulary(name: str) -> None:
    for run in read_file(name, SAMPLES[name]).runs:
        for one in run.metrics:
            assert one.definition in METRICS[one.metric].definitions
