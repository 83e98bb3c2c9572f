"""vLLM's offline benchmarks, PyTorch format, console text and logs, one quirk a test."""

import json

import numpy as np
import pytest

from benchmarks_app.contract import Counts, FileReading, FileRole, Load, Tokens
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.domain.merging import CandidateRun, NamedReading, merge_files
from benchmarks_app.importers import read_file
from tests.benchmarks_app.importers.samples_vllm import (
    CONSOLE,
    LATENCY,
    LOG,
    OFFLINE_TEXT,
    PYTORCH,
    SAMPLES,
    STARTUP,
    THROUGHPUT,
    latencies,
    pytorch,
    serve,
)
from tests.benchmarks_app.importers.shown import codes, facts, values


def read(value: object) -> FileReading:
    data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    return read_file("any.json", data)


def test_throughput_counts_input_and_output_tokens() -> None:
    reading = read(THROUGHPUT)

    assert reading.format == "vllm.bench_throughput"
    (run,) = reading.runs
    assert facts(run) == {"tool.name": "vllm bench throughput"}
    assert values(run) == {
        "request_throughput/all": {"value": 10.0},
        "total_token_throughput/all": {"value": 500.0},
    }
    assert run.requests == Counts(total=100, completed=100)
    assert run.tokens == Tokens(duration_s=10.0)
    assert run.load == Load(
        mode=LoadMode.OFFLINE_BATCH, num_prompts=100, extra={"total_num_tokens": 5000}
    )
    assert codes(run) == ["no_model", "load_only_in_filename"]


def test_latency_of_a_batch_keeps_its_repeats() -> None:
    reading = read(LATENCY | {"model_id": "acme/tiny-7b"})

    assert reading.format == "vllm.bench_latency"
    (run,) = reading.runs
    assert values(run) == {
        "batch_latency/batch": {"mean": 2.5, "p10": 2.1, "p50": 2.5, "p99": 2.99, "count": 2.0}
    }
    assert run.samples is not None
    np.testing.assert_allclose(run.samples.repeats["batch_latency"], [2.0, 3.0])
    assert facts(run)["model.id"] == "acme/tiny-7b"
    assert (codes(run), dict(run.unmapped)) == (["load_only_in_filename"], {})


def test_startup_keeps_cold_and_warm_apart_and_compilation_unmapped() -> None:
    reading = read(STARTUP)

    assert reading.format == "vllm.bench_startup"
    (run,) = reading.runs
    assert values(run) == {
        "cold_start_time/reported": {"mean": 60.0, "p50": 60.0, "count": 2.0},
        "warm_start_time/reported": {"mean": 20.0, "p50": 20.0, "count": 2.0},
    }
    assert list(run.unmapped) == [
        "$.avg_cold_compilation_time",
        "$.cold_compilation_times",
        "$.cold_compilation_percentiles",
    ]


def test_records_of_the_pytorch_format_are_one_run() -> None:
    reading = read(PYTORCH)

    assert reading.format == "pytorch_benchmark.vllm"
    (run,) = reading.runs
    assert facts(run) == {
        "tool.name": "vLLM benchmark",
        "model.id": "acme/tiny-7b",
        "client.backend": "openai",
        "run.finished_at_local": "2026-03-01T10:15:00",
        "load.dataset": "random",
        "load.seed": 7,
        "load.streaming": True,
    }
    assert values(run) == {
        "ttft/first-chunk": {"mean": 25.0, "p50": 22.5, "std": 2.5, "p99": 50.0},
        "output_token_throughput/successful": {"value": 40.0},
    }
    assert run.metrics[0].pointer == "$[0].metric.benchmark_values"
    assert run.metrics[1].pointer == "$[0].metric.extra_info.output_throughput"
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP,
        request_rate_unbounded=True,
        max_concurrency=2,
        num_prompts=4,
        isl_target=40.0,
        osl_target=20.0,
        range_ratio=0.5,
        ignore_eos=True,
        warmup="2",
    )
    assert codes(run) == ["one_run_spread_over_records:4"]
    assert run.withheld == ("$[0].benchmark.extra_info.args.host",)


def test_records_of_different_runs_in_one_pytorch_file_stay_apart() -> None:
    other = pytorch(latencies(ttft=9.0), {"completed": 1}, {})

    reading = read([*PYTORCH, *other, *PYTORCH])

    assert [values(run)["ttft/first-chunk"]["mean"] for run in reading.runs] == [25.0, 9.0, 25.0]
    assert [run.pointer for run in reading.runs] == ["$[0]", "$[4]", "$[8]"]


def test_offline_records_of_the_pytorch_format_are_read_by_their_kind() -> None:
    throughput = pytorch(
        {"requests_per_second": 10.0, "tokens_per_second": 500.0},
        {"elapsed_time": 10.0, "num_requests": 100, "total_num_tokens": 5000},
        {},
    )
    latency = pytorch(
        {"latency": 2.5},
        {"avg_latency": 2.5, "percentiles": {"50": 2.5}},
        {"batch_size": 8, "input_len": 32, "output_len": 128},
    )

    by_throughput, by_latency = read(throughput).runs[0], read(latency).runs[0]

    assert values(by_throughput)["total_token_throughput/all"] == {"value": 500.0}
    assert values(by_latency) == {"batch_latency/batch": {"mean": 2.5, "p50": 2.5, "count": 1.0}}
    load = by_latency.load
    assert (load.batch_size, load.isl_target, load.osl_target) == (8, 32.0, 128.0)


def test_a_record_of_another_tool_in_a_list_is_not_claimed() -> None:
    record = PYTORCH[0] | {"benchmark": {"name": "another benchmark"}}

    assert read([record]).role is FileRole.REJECTED


def test_printed_blocks_are_one_run_each() -> None:
    reading = read(CONSOLE)

    assert (reading.format, len(reading.runs)) == ("vllm.console_text", 2)
    first, second = reading.runs
    assert (first.pointer, second.pointer) == ("line 5", "line 21")
    assert values(first) == {
        "ttft/first-chunk": {"mean": 25.0, "p50": 24.0, "p99.9": 50.0},
        "request_throughput/successful": {"value": 1.5},
        "output_token_throughput/successful": {"value": 40.0},
        "total_token_throughput/successful": {"value": 60.0},
    }
    assert first.requests == Counts(total=4, completed=3, failed=1)
    assert facts(first) == {
        "tool.name": "vllm benchmark_serving",
        "model.id": "acme/tiny-7b",
        "client.backend": "vllm",
    }
    assert first.load == Load(
        mode=LoadMode.CLOSED_LOOP,
        request_rate_unbounded=True,
        burstiness=1.0,
        max_concurrency=2,
        num_prompts=4,
    )
    assert codes(first) == ["no_date"]


def test_what_was_said_before_one_block_is_not_said_of_the_next() -> None:
    second = read(CONSOLE).runs[1]

    assert second.load == Load()
    assert codes(second) == ["no_model", "no_date", "total_requests_unknown"]
    assert values(second) == {"e2el/client": {"mean": 900.0}}


def test_text_around_printed_blocks_is_kept_without_addresses() -> None:
    unmapped = read(CONSOLE).unmapped

    assert list(unmapped) == ["line 1", "line 20", "line 27"]
    assert unmapped["line 20"] == "a note between the runs"
    assert "10.0.0.7" not in str(unmapped)


def test_the_command_before_a_block_is_its_command_without_keys() -> None:
    text = (
        "$ HF_TOKEN=hf_abcdefghijklmnopqrst vllm bench serve \\\n  --model acme/tiny-7b\n" + CONSOLE
    )

    command = read(text).runs[0].command

    assert command.endswith("vllm bench serve --model acme/tiny-7b")
    assert "hf_abc" not in command


BLOCK = CONSOLE.partition("Maximum request concurrency: 2\n")[2].partition("a note")[0]


def test_the_command_before_a_block_tells_model_and_load_of_that_block_alone() -> None:
    command = (
        "$ vllm bench serve --model acme/tiny-7b --tokenizer=acme/tok --max-concurrency $C \\\n"
        "  --num-prompts 4 --request-rate 2.5\n"
        "WARNING: vllm bench serve no longer sets a temperature\n"
    )

    first, second = read(f"{command}{BLOCK}{BLOCK}").runs

    assert facts(first) == {
        "tool.name": "vllm benchmark_serving",
        "model.id": "acme/tiny-7b",
        "tokenizer.id": "acme/tok",
    }
    assert first.load == Load(
        mode=LoadMode.OPEN_LOOP, request_rate=2.5, request_rate_unbounded=False, num_prompts=4
    )
    assert (second.command, facts(second)) == ("", {"tool.name": "vllm benchmark_serving"})


def test_a_command_of_another_form_takes_back_what_an_earlier_one_said() -> None:
    text = (
        "vllm bench serve --model acme/tiny-7b\n"
        f"docker exec box vllm bench serve --model acme/big\n{BLOCK}"
    )

    (run,) = read(text).runs

    assert (run.command, facts(run)) == ("", {"tool.name": "vllm benchmark_serving"})


@pytest.mark.parametrize(
    ("options", "between"),
    [
        # Prose between a command and a result, as on a page of several results.
        ("", "The first engine is:\nrun it\nlike so\nand wait\n"),
        # More requests ended than it sent.
        ("--num-prompts 2", ""),
    ],
)
def test_a_command_of_another_run_says_nothing_of_a_block(options: str, between: str) -> None:
    text = f"vllm bench serve --model acme/tiny-7b {options}\n{between}{BLOCK}"

    (run,) = read(text).runs

    assert (run.command, facts(run)) == ("", {"tool.name": "vllm benchmark_serving"})
    assert run.load == Load()
    assert run.requests.completed == 3


def test_the_printed_length_of_accepted_drafts_is_a_value() -> None:
    title = "---------------Speculative Decoding---------------"
    block = BLOCK.replace("=" * 50, f"{title}\nAcceptance length:           3.20\n" + "=" * 50)

    (run,) = read(block).runs

    assert values(run)["accept_length/reported"] == {"value": 3.2}


def test_printed_offline_results_are_runs_of_the_command_before_them() -> None:
    reading = read(OFFLINE_TEXT)

    assert (reading.format, len(reading.runs)) == ("vllm.offline_text", 3)
    first, second, third = reading.runs
    assert facts(first) == {"tool.name": "vllm bench throughput", "model.id": "acme/tiny-7b"}
    assert values(first) == {
        "request_throughput/all": {"value": 2.5},
        "total_token_throughput/all": {"value": 1920.0},
        "output_token_throughput/all": {"value": 640.0},
    }
    assert first.load == Load(
        mode=LoadMode.OFFLINE_BATCH, num_prompts=4, isl_target=512.0, osl_target=256.0
    )
    assert first.tokens == Tokens(input_total=2048, output_total=1024)
    assert codes(first) == ["no_date", "rounded_values"]
    assert values(second) == {
        "request_throughput/all": {"value": 1.25},
        "total_token_throughput/all": {"value": 960.5},
    }
    assert (second.load, codes(second)[0]) == (Load(mode=LoadMode.OFFLINE_BATCH), "no_model")
    assert values(third) == {"batch_latency/batch": {"mean": 5.25, "p10": 5.125, "p99": 5.5}}
    assert (third.load.batch_size, third.load.isl_target) == (8, 32.0)
    assert [run.pointer for run in reading.runs] == ["line 4", "line 7", "line 9"]
    assert list(reading.unmapped) == ["line 3", "line 8"]
    assert "10.0.0.7" not in str(reading.unmapped)


def test_a_server_log_is_evidence_that_names_version_and_lack_of_memory() -> None:
    reading = read(LOG)

    assert (reading.format, reading.role) == ("log.vllm", FileRole.ATTACHMENT)
    assert {name: fact.value for name, fact in reading.facts.items()} == {
        "framework.name": "vllm",
        "framework.version": "0.25.1",
        "model.id": "acme/tiny-7b",
        "tokenizer.id": "acme/tiny-7b",
        "dtype": "torch.bfloat16",
        "parallelism.tp": 2,
    }
    assert "at line 3 that memory did not suffice" in reading.reason
    assert list(reading.unmapped) == ["line 3"]
    assert "10.0.0.7" not in str(reading.unmapped)


def test_a_scrape_of_metrics_is_evidence_and_no_run() -> None:
    reading = read_file("metrics.txt", SAMPLES["metrics.txt"])

    assert (reading.format, reading.role, reading.runs) == (
        "prometheus.vllm", FileRole.ATTACHMENT, (),
    )  # fmt: skip


def test_a_traceback_alone_is_evidence_without_facts() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/opt/lib/vllm/worker.py", line 9, in run\n'
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    )

    reading = read(text)

    assert (reading.format, dict(reading.facts)) == ("log.vllm", {})
    assert "at line 3 that memory did not suffice" in reading.reason


def test_metrics_without_comments_are_a_scrape() -> None:
    assert read('vllm:num_requests_running{engine="0"} 3.0\n').format == "prometheus.vllm"


def merged(*, log: str, model: str | None) -> CandidateRun:
    payload = serve() if model is None else serve(model_id=model)
    run = read(CONSOLE.partition("\n")[2] if model is None else payload)
    (found,) = merge_files([NamedReading("a/run", run), NamedReading("a/log", read(log))]).runs[:1]
    return found


def test_a_log_completes_the_run_of_the_model_that_it_names() -> None:
    found = merged(log=LOG, model="acme/tiny-7b")

    assert found.run.facts["framework.version"].value == "0.25.1"
    assert [part.name for part in found.parts] == ["a/run", "a/log"]


def test_a_log_of_another_model_is_not_of_the_run() -> None:
    found = merged(log=LOG, model="acme/huge-70b")

    assert "framework.version" not in found.run.facts
    assert [part.name for part in found.parts] == ["a/run"]


def test_a_log_gives_no_facts_to_a_run_that_names_no_model() -> None:
    found = merged(log=LOG, model=None)

    assert "framework.version" not in found.run.facts
    assert [part.name for part in found.parts] == ["a/run", "a/log"]
