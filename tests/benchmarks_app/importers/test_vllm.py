"""vLLM's files, one quirk a test."""

import json
import math

import numpy as np
import pytest

from benchmarks_app.contract import Counts, FileReading, FileRole, Load, Notice, RunReading, Tokens
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.importers import read_file
from tests.benchmarks_app.importers.samples_vllm import (
    SAMPLES,
    SECONDS,
    detailed,
    latencies,
    old_serve,
    serve,
)
from tests.benchmarks_app.importers.shown import codes, facts, values


def read(value: object) -> FileReading:
    data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    return read_file("any.json", data)


def run_of(value: object) -> RunReading:
    (run,) = read(value).runs
    return run


def test_a_serving_run_is_read_whole() -> None:
    reading = read(serve())

    assert (reading.format, reading.tool, reading.role) == (
        "vllm.bench_serve", "vllm", FileRole.RUNS,
    )  # fmt: skip
    (run,) = reading.runs
    assert run.status is RunStatus.OK
    assert facts(run) == {
        "tool.name": "vllm bench serve",
        "model.id": "acme/tiny-7b",
        "tokenizer.id": "acme/tiny-7b",
        "client.backend": "openai",
        "run.finished_at_local": "2026-03-01T10:15:00",
    }
    assert run.facts["model.id"].pointer == "$.model_id"
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP,
        request_rate_unbounded=True,
        burstiness=1.0,
        max_concurrency=2,
        num_prompts=4,
    )
    assert run.requests == Counts(total=4, completed=4, failed=0)
    assert run.tokens == Tokens(input_total=40, output_total=80, duration_s=2.0)
    assert values(run) == {
        "ttft/first-chunk": {"mean": 25.0, "p50": 22.5, "std": 2.5, "p99": 50.0},
        "tpot/request": {"mean": 5.0, "p50": 4.5, "std": 0.5, "p99": 10.0},
        "itl/chunk": {"mean": 4.5, "p50": 4.05, "std": 0.45, "p99": 9.0},
        "request_throughput/successful": {"value": 2.0},
        "output_token_throughput/successful": {"value": 40.0},
        "total_token_throughput/successful": {"value": 60.0},
        "peak_output_token_throughput/one-second": {"value": 44.0},
        "peak_concurrency/one-second": {"value": 3.0},
    }
    assert run.metrics[0].pointer == "$.mean_ttft_ms"
    assert run.metrics[0].percentile_method == "linear"
    assert (run.samples, run.notices, dict(run.unmapped), run.withheld) == (None, (), {}, ())


@pytest.mark.parametrize(
    ("rate", "concurrency", "load"),
    [
        ("inf", None, (LoadMode.BURST, None, True)),
        (math.inf, None, (LoadMode.BURST, None, True)),
        ("inf", 8, (LoadMode.CLOSED_LOOP, None, True)),
        (4.0, None, (LoadMode.OPEN_LOOP, 4.0, False)),
        (4.0, 8, (LoadMode.OPEN_LOOP, 4.0, False)),
    ],
)
def test_the_load_mode_follows_rate_and_concurrency(
    rate: object, concurrency: int | None, load: tuple[LoadMode, float | None, bool]
) -> None:
    found = run_of(serve(request_rate=rate, max_concurrency=concurrency)).load

    assert (found.mode, found.request_rate, found.request_rate_unbounded) == load


def test_a_climbing_rate_is_open_loop_and_not_unbounded() -> None:
    load = run_of(serve(ramp_up_strategy="linear", ramp_up_start_rps=1, ramp_up_end_rps=9)).load

    assert (load.mode, load.request_rate, load.request_rate_unbounded) == (
        LoadMode.OPEN_LOOP, None, False,
    )  # fmt: skip
    assert load.extra == {
        "ramp_up_strategy": "linear", "ramp_up_start_rps": 1, "ramp_up_end_rps": 9,
    }  # fmt: skip


def test_failures_that_an_old_file_does_not_count_are_derived() -> None:
    run = run_of(old_serve())

    assert run.requests == Counts(total=5, completed=4, failed=1)
    assert run.status is RunStatus.PARTIAL
    assert codes(run) == ["failed_count_derived"]
    assert run.load == Load(
        mode=LoadMode.OPEN_LOOP,
        request_rate=8.0,
        request_rate_unbounded=False,
        num_prompts=5,
        extra={"best_of": 1, "use_beam_search": False},
    )


def test_more_completed_than_sent_contradicts_itself() -> None:
    payload = old_serve() | {"num_prompts": 3}

    run = run_of(payload)

    assert run.requests == Counts(total=3, completed=4, failed=None)
    assert (run.status, codes(run)) == (
        RunStatus.SUSPECT, ["contradicts_itself:completed 4 of 3"],
    )  # fmt: skip


def test_a_short_dataset_is_no_failure() -> None:
    run = run_of(serve(num_prompts=1000))

    assert run.requests == Counts(total=4, completed=4, failed=0)
    assert (run.status, run.load.num_prompts) == (RunStatus.OK, 1000)


def test_a_negative_count_is_no_sign_that_all_requests_failed() -> None:
    run = run_of(serve(completed=-3, failed=0))
    assert run.status is RunStatus.SUSPECT
    assert "all_requests_failed" not in codes(run)


def test_zero_latencies_of_a_run_in_which_all_failed_are_missing() -> None:
    zeros = latencies(ttft=0.0, tpot=0.0, itl=0.0)

    run = run_of(
        serve(completed=0, failed=4, output_throughput=0.0, total_output_tokens=0, **zeros)
    )

    assert run.status is RunStatus.FAILED
    assert codes(run) == ["all_requests_failed", "latency_zero_means_missing"]
    assert not {"ttft", "tpot", "itl"} & {one.metric for one in run.metrics}
    assert values(run)["output_token_throughput/successful"] == {"value": 0.0}
    assert dict(run.unmapped) == {}


def test_a_metric_of_nothing_but_zeros_is_missing_where_one_token_was_asked_for() -> None:
    run = run_of(serve(**latencies(tpot=0.0, itl=0.0)))

    assert (run.status, codes(run)) == (RunStatus.OK, ["latency_zero_means_missing"])
    assert not {"tpot", "itl"} & {one.metric for one in run.metrics}


def test_successes_without_a_token_are_counted_and_make_the_run_suspect() -> None:
    run = run_of(detailed())

    assert run.status is RunStatus.SUSPECT
    assert codes(run) == [
        "zero_token_successes:1",
        "latency_stats_include_zero_ttft",
        "contains_prompts_or_outputs",
    ]
    assert run.requests == Counts(total=4, completed=3, failed=1)
    assert dict(run.failures) == {"ClientOSError": 1}
    assert run.withheld == ("$.generated_texts", "$.errors")
    assert dict(run.unmapped) == {}


def test_arrays_become_samples_without_the_failed_requests_latencies() -> None:
    samples = run_of(detailed()).samples

    assert samples is not None
    expected = {
        "ok": [1.0, 1.0, 1.0, 0.0],
        "ttft_ms": [20.0, 30.0, np.nan, np.nan],
        "e2el_ms": [30.0, 35.0, np.nan, np.nan],
        "input_tokens": [10.0, 12.0, 9.0, 9.0],
        "output_tokens": [3.0, 2.0, 0.0, 0.0],
        "start_s": [0.0, 0.5, 1.0, 1.5],
    }
    assert list(samples.requests) == list(expected)
    for name, column in expected.items():
        np.testing.assert_allclose(samples.requests[name], column)
    np.testing.assert_allclose(samples.pooled["itl_ms"], [4.0, 6.0, 5.0])


def test_whole_latencies_win_over_the_sum_of_gaps() -> None:
    samples = run_of(detailed(latencies=[0.1, 0.2, 0.0, 0.0])).samples

    assert samples is not None
    np.testing.assert_allclose(samples.requests["e2el_ms"], [100.0, 200.0, np.nan, np.nan])


def test_latencies_without_details_are_samples_and_waits_are_summed_up() -> None:
    run = run_of(serve(latencies=[0.1, 0.0, 0.3, 0.2], queue_times=[0.0, 0.1, 0.2, 0.3]))

    assert run.samples is not None
    np.testing.assert_allclose(run.samples.requests["ok"], [1.0, 0.0, 1.0, 1.0])
    np.testing.assert_allclose(run.samples.requests["e2el_ms"], [100.0, np.nan, 300.0, 200.0])
    waits = values(run)["queue_time/client"]
    assert waits == pytest.approx(
        {"mean": 150, "min": 0, "max": 300, "count": 4, "p50": 150, "p90": 270, "p99": 297}
    )


def test_an_array_of_another_length_stays_unmapped() -> None:
    run = run_of(detailed(ttfts=[0.1]))

    assert dict(run.unmapped) == {"$.ttfts": [0.1]}
    assert run.samples is not None and "ttft_ms" not in run.samples.requests


def test_texts_that_were_withheld_before_are_no_texts() -> None:
    run = run_of(detailed(generated_texts=["(text withheld)", "", "", ""]))

    assert "contains_prompts_or_outputs" not in codes(run)


def test_metadata_becomes_facts_and_its_secrets_do_not() -> None:
    run = run_of(serve(gpu="H100", tensor_parallel="8", api_key="abcdefgh12345678", label="night"))

    assert {key: value for key, value in facts(run).items() if key.startswith("user_meta.")} == {
        "user_meta.gpu": "H100",
        "user_meta.tensor_parallel": "8",
        "user_meta.label": "night",
    }
    assert run.withheld == ("$.api_key",)
    assert "abcdefgh" not in repr(run)


def test_a_number_that_nobody_knows_stays_unmapped() -> None:
    run = run_of(serve(new_counter=12, nested={"a": [1]}))

    assert dict(run.unmapped) == {"$.new_counter": 12, "$.nested": {"a": [1]}}


def test_texts_that_a_fork_adds_are_withheld_whatever_their_name() -> None:
    run = run_of(serve(first_sentence_texts=["a secret"], sent_prompts={"a": "b"}, rates=[1.0]))

    assert run.withheld == ("$.first_sentence_texts", "$.sent_prompts")
    assert dict(run.unmapped) == {"$.rates": [1.0]}


def test_a_run_without_any_number_of_what_it_did_is_suspect() -> None:
    nothing = {key: None for key in serve() if key.endswith(("_ms", "throughput"))}

    run = run_of(serve(max_output_tokens_per_s=None, max_concurrent_requests=None, **nothing))

    assert (run.status, run.metrics) == (RunStatus.SUSPECT, ())


def test_a_run_that_does_not_say_what_completed_is_suspect() -> None:
    run = run_of(serve(completed=None))

    assert run.requests == Counts(total=4, failed=0)
    assert (run.status, codes(run)) == (RunStatus.SUSPECT, ["no_request_count"])


def test_a_sweep_is_one_run_an_entry_with_its_server_settings() -> None:
    reading = read([serve(run_number=n, max_num_seqs=4, kv_cache_dtype="fp8") for n in (0, 1)])

    assert reading.format == "vllm.bench_sweep.summary"
    assert [run.pointer for run in reading.runs] == ["$[0]", "$[1]"]
    assert [run.index for run in reading.runs] == [0, 1]
    found = facts(reading.runs[1])
    assert (
        found["sweep.run_number"],
        found["server_param.max_num_seqs"],
        found["server_param.kv_cache_dtype"],
    ) == (1, 4, "fp8")


def test_appended_results_are_one_run_a_line() -> None:
    reading = read_file("append.json", SAMPLES["serve_append.json"])

    assert [(run.pointer, run.load.mode) for run in reading.runs] == [
        ("line 1", LoadMode.CLOSED_LOOP),
        ("line 2", LoadMode.BURST),
    ]


def test_a_line_that_is_no_result_is_kept_as_it_stands() -> None:
    data = SAMPLES["serve.json"] + b'\n{"note": "changed the driver"}'

    reading = read_file("append.json", data)

    assert len(reading.runs) == 1
    assert dict(reading.unmapped) == {"line 2": {"note": "changed the driver"}}


def test_a_cache_folder_tells_model_and_revision() -> None:
    path = "/models/models--acme--tiny-7b/snapshots/0123abcd/"

    run = run_of(serve(model_id=path, tokenizer_id=path))

    assert codes(run) == ["model_id_from_hf_cache_path"]
    assert facts(run)["model.id"] == "acme/tiny-7b"
    assert facts(run)["model.revision"] == "0123abcd"
    assert facts(run)["model.raw"] == path
    assert facts(run)["tokenizer.id"] == "acme/tiny-7b"


def test_a_local_path_tells_only_its_folder_and_no_person() -> None:
    run = run_of(serve(model_id="/home/jane/weights/tiny-7b-awq"))

    assert codes(run) == ["model_id_is_local_path"]
    assert facts(run)["model.id"] == "tiny-7b-awq"
    assert "jane" not in repr(run)


def test_goodput_with_a_colon_in_its_key_is_goodput() -> None:
    payload = serve()
    del payload["request_goodput"]

    run = run_of(payload | {"request_goodput:": 1.5})

    assert values(run)["goodput/successful"] == {"value": 1.5}


def test_percentiles_with_a_dot_are_read_and_a_second_median_is_not_merged() -> None:
    extra = {"p99.9_ttft_ms": 70.0, "p50_ttft_ms": 21.0, "p50_itl_ms": 4.05}

    run = run_of(serve(**extra))

    assert values(run)["ttft/first-chunk"] == {
        "mean": 25.0, "p50": 22.5, "std": 2.5, "p99": 50.0, "p99.9": 70.0,
    }  # fmt: skip
    assert dict(run.unmapped) == {"$.p50_ttft_ms": 21.0}


def test_a_latency_that_is_no_number_is_absent_and_said() -> None:
    run = run_of(serve(mean_ttft_ms=math.nan, std_tpot_ms=None))

    assert values(run)["ttft/first-chunk"] == {"p50": 22.5, "std": 2.5, "p99": 50.0}
    assert values(run)["tpot/request"] == {"mean": 5.0, "p50": 4.5, "p99": 10.0}
    assert run.notices == (Notice("non_finite_value", "$.mean_ttft_ms", pointer="$.mean_ttft_ms"),)
    assert list(run.unmapped) == ["$.mean_ttft_ms"]


def test_an_endpoint_type_stands_in_for_a_missing_backend() -> None:
    payload = serve(endpoint_type="openai-chat")
    del payload["backend"]

    run = run_of(payload)

    assert run.facts["client.backend"].value == "openai-chat"
    assert run.facts["client.backend"].pointer == "$.endpoint_type"


def test_a_date_that_does_not_exist_stays_unmapped() -> None:
    run = run_of(serve(date="20261301-101500"))

    assert codes(run) == ["no_date"]
    assert dict(run.unmapped) == {"$.date": "20261301-101500"}


def test_a_file_without_tokens_in_any_success_failed() -> None:
    zeros = latencies(ttft=0.0, tpot=0.0, itl=0.0)

    run = run_of(old_serve() | zeros | {"total_output_tokens": 0})

    assert run.status is RunStatus.FAILED
    assert codes(run) == [
        "failed_count_derived", "zero_token_successes:4", "latency_zero_means_missing",
    ]  # fmt: skip


def test_seconds_without_a_suffix_become_milliseconds() -> None:
    reading = read(SECONDS)

    assert reading.format == "inferencex.seconds_variant"
    (run,) = reading.runs
    assert facts(run)["tool.name"] == "vllm-style client"
    assert values(run) == {
        "ttft/first-chunk": {"p50": 500.0, "p99": 2000.0},
        "tpot/request": {"p50": 25.0, "p99": 50.0},
        "request_throughput/successful": {"value": 2.0},
        "output_token_throughput/successful": {"value": 40.0},
        "input_token_throughput/successful": {"value": 200.0},
    }
    assert run.requests == Counts(total=10, completed=10, failed=0)
    assert (codes(run), dict(run.unmapped)) == (["seconds_without_suffix"], {})


@pytest.mark.parametrize("name", SAMPLES)
def test_every_definition_of_a_sample_stands_in_the_vocabulary(name: str) -> None:
    for run in read_file(name, SAMPLES[name]).runs:
        for one in run.metrics:
            assert one.definition in METRICS[one.metric].definitions
