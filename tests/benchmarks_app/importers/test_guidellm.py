"""GuideLLM's reports, one quirk a test."""

import json
from typing import Any

import pytest

from benchmarks_app.contract import Counts, FileReading, FileRole, Load, RunReading, Tokens
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.importers import read_file
from tests.benchmarks_app.importers.samples_guidellm import (
    SAMPLES,
    YAML,
    all_failed,
    argued,
    first_report,
    metrics,
    new_benchmark,
    new_table,
    old_report,
    old_table,
    specified,
    statuses,
    totals,
)


def read(value: object) -> FileReading:
    data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    return read_file("any.json", data)


def run_of(value: object) -> RunReading:
    (run,) = read(value).runs
    return run


def values(run: RunReading) -> dict[str, dict[str, float]]:
    return {one.definition: dict(one.stats) for one in run.metrics}


def facts(run: RunReading) -> dict[str, Any]:
    return {name: fact.value for name, fact in run.facts.items()}


def codes(run: RunReading) -> list[str]:
    return [f"{one.code}:{one.detail}" if one.detail else one.code for one in run.notices]


def with_strategy(**strategy: Any) -> dict[str, Any]:
    benchmark = new_benchmark()
    benchmark["config"]["strategy"] = strategy
    return {"args": {}, "benchmarks": [benchmark]}


def test_a_report_of_the_old_family_is_one_run() -> None:
    run = run_of(old_report())
    assert run.status is RunStatus.OK
    assert facts(run) == {
        "tool.name": "guidellm",
        "schema_variant": "A(0.2-0.3)",
        "model.id": "acme/tiny-7b",
        "client.backend": "openai_http",
        "tokenizer.id": "/home/‹user›/tok",
        "load.dataset": "synthetic",
        "run.started_at": "2026-03-01T10:00:00.250000+00:00",
        "run.finished_at": "2026-03-01T10:00:02+00:00",
    }
    assert run.load == Load(
        mode=LoadMode.CLOSED_LOOP, max_concurrency=2, num_prompts=2, isl_target=64.0,
        isl_mean=33.0, osl_target=24.0, osl_mean=24.0,
    )  # fmt: skip
    assert run.requests == Counts(total=2, completed=2, failed=0, incomplete=0)
    assert run.tokens == Tokens(input_total=66, output_total=48, duration_s=1.75)
    assert run.identity == "10fa815e"
    assert codes(run) == [
        "contains_prompts_or_outputs", "tool_version_unknown", "no_p50_key_use_median",
    ]  # fmt: skip


def test_percentile_names_of_three_digits_are_tenths_of_a_percent() -> None:
    stats = values(run_of(argued()))["e2el/client"]
    assert stats == pytest.approx(
        {
            "mean": 140.0, "std": 14.0, "min": 70.0, "max": 280.0, "count": 2.0, "sum": 280.0,
            "p0.1": 70.0, "p1": 84.0, "p5": 98.0, "p10": 112.0, "p25": 126.0, "p50": 140.0,
            "p75": 154.0, "p90": 168.0, "p95": 182.0, "p99": 196.0, "p99.9": 210.0,
        }
    )  # fmt: skip


def test_time_per_output_token_left_the_first_token_out_until_version_0_3() -> None:
    old, new = values(run_of(old_report())), values(run_of(argued()))
    assert old["decode_time_per_output_token/last-first-over-n"]["mean"] == 5.5
    assert old["tpot/request"]["mean"] == 4.5
    assert new["ntpot/token"]["mean"] == 5.5
    assert new["tpot/token"]["mean"] == 4.5


def test_of_rates_over_time_only_the_mean_is_kept() -> None:
    run = run_of(argued())
    assert values(run)["output_token_throughput/successful"] == {"value": 335.0}
    assert values(run)["achieved_concurrency/mean-in-flight"] == {"value": 1.9}
    place = "$.benchmarks[0].metrics.output_tokens_per_second.successful.percentiles"
    assert "p99" in repr(run.unmapped[place])


def test_arguments_above_the_benchmarks_hold_for_each_run() -> None:
    reading = read(argued())
    (run,) = reading.runs
    assert facts(run) == {
        "tool.name": "guidellm",
        "tool.version": "0.6.1",
        "schema_variant": "B1(0.5-0.6)",
        "model.id": "acme/tiny-7b",
        "client.backend": "openai_http",
        "tokenizer.id": "acme/tiny-7b",
        "load.seed": 42,
        "load.dataset": "synthetic",
        "run.started_at": "2026-03-01T10:00:00.250000+00:00",
        "run.finished_at": "2026-03-01T10:00:01.750000+00:00",
    }
    assert (run.load.num_prompts, run.load.isl_target) == (2, 64.0)
    assert reading.unmapped["$.metadata.platform"] == "Linux"


def test_the_model_is_found_in_the_arguments_where_the_benchmark_names_none() -> None:
    payload = argued(model="acme/other")
    payload["benchmarks"][0]["config"]["backend"]["model"] = ""
    assert facts(run_of(payload))["model.id"] == "acme/other"


def test_a_specification_with_two_benchmarks_gives_two_runs() -> None:
    reading = read(specified())
    assert [run.load.max_concurrency for run in reading.runs] == [2, 4]
    assert [run.identity for run in reading.runs] == ["5ced0dd4-2", "5ced0dd4-4"]
    for run in reading.runs:
        assert facts(run)["schema_variant"] == "C(0.7-0.8)"
        assert facts(run)["load.streaming"] is True
        assert (run.load.num_prompts, run.load.isl_target, run.load.osl_target) == (2, 64.0, 24.0)


def test_zeros_of_a_run_without_success_are_no_measurements() -> None:
    run = run_of(specified(all_failed()))
    assert run.status is RunStatus.FAILED
    assert run.metrics == ()
    assert run.requests == Counts(total=2, completed=0, failed=2, incomplete=0)
    assert run.failures == {"HTTPStatusError": 1, "unknown": 1}
    assert codes(run) == ["all_requests_failed", "latency_zero_means_missing"]
    assert run.unmapped["$.benchmarks[0].metrics.request_latency"]


def test_a_latency_of_nothing_but_zeros_is_missing() -> None:
    changed = {**metrics(), "time_to_first_token_ms": statuses(0.0)}
    run = run_of(old_report(metrics=changed))
    assert "ttft" not in {one.metric for one in run.metrics}
    assert "latency_zero_means_missing" in codes(run)


def test_requests_cut_off_at_the_end_are_no_failures() -> None:
    run = run_of(old_report(request_totals=totals(2, 0, 1)))
    assert run.status is RunStatus.OK
    assert run.requests == Counts(total=3, completed=2, failed=0, incomplete=1)
    assert "incomplete_requests:1" in codes(run)


def test_failed_requests_make_a_run_partial() -> None:
    assert run_of(old_report(request_totals=totals(2, 1))).status is RunStatus.PARTIAL


@pytest.mark.parametrize(
    ("strategy", "load"),
    [
        ({"type_": "synchronous"}, Load(mode=LoadMode.CLOSED_LOOP, max_concurrency=1)),
        ({"type_": "throughput"}, Load(mode=LoadMode.BURST, request_rate_unbounded=True)),
        ({"type_": "constant", "rate": 10.0}, Load(mode=LoadMode.OPEN_LOOP, request_rate=10.0)),
        (
            {"type_": "poisson", "rate": 2.5, "max_concurrency": 8},
            Load(mode=LoadMode.OPEN_LOOP, request_rate=2.5, max_concurrency=8),
        ),
        ({"type_": "trace", "time_scale": 1.0}, Load(mode=LoadMode.REPLAY)),
        ({"type_": "new kind", "rate": 3.0}, Load()),
    ],
)
def test_the_strategy_says_how_load_was_offered(strategy: dict[str, Any], load: Load) -> None:
    found = run_of(with_strategy(**strategy)).load
    expected = (load.mode, load.request_rate, load.request_rate_unbounded, load.max_concurrency)
    assert (
        found.mode, found.request_rate, found.request_rate_unbounded, found.max_concurrency
    ) == expected  # fmt: skip


@pytest.mark.parametrize(
    ("data", "dataset", "isl"),
    [
        ("prompt_tokens=128,output_tokens=128,prompt_tokens_stdev=4", "synthetic", 128.0),
        ("acme/questions", "acme/questions", None),
        ("/home/jane/questions.jsonl", "/home/‹user›/questions.jsonl", None),
    ],
)
def test_the_data_are_made_up_or_have_a_name(data: str, dataset: str, isl: float | None) -> None:
    run = run_of(old_report(request_loader={"data": data}))
    assert (facts(run)["load.dataset"], run.load.isl_target) == (dataset, isl)


def test_data_that_may_be_prompts_are_withheld() -> None:
    reading = read(argued(data=["tell me a secret"]))
    assert "$.args.data" in reading.withheld
    assert "tell me" not in repr(reading)


def test_prompts_answers_addresses_and_keys_are_withheld() -> None:
    for payload in (old_report(), argued(), specified(), first_report(), old_table(), new_table()):
        shown = repr(read(payload))
        assert not any(word in shown for word in ("secret", "gpu-node-7", "hidden", "jane"))


def test_single_requests_become_samples() -> None:
    samples = run_of(old_report()).samples
    assert samples is not None
    assert {name: column.tolist() for name, column in samples.requests.items()} == {
        "ok": [1.0, 1.0],
        "ttft_ms": [25.0, 25.0],
        "e2el_ms": pytest.approx([140.0, 140.0]),
        "tpot_ms": [4.5, 4.5],
        "input_tokens": [33.0, 33.0],
        "output_tokens": [24.0, 24.0],
        "start_s": [0.0, 0.5],
    }


def test_a_part_of_the_requests_is_no_sample_of_all() -> None:
    assert run_of(old_report(request_totals=totals(20))).samples is None


def test_yaml_with_python_tags_is_read_and_builds_nothing() -> None:
    reading = read(YAML)
    (run,) = reading.runs
    assert reading.format == "guidellm.yaml"
    assert run.load.max_concurrency == 1
    assert values(run) == {"e2el/client": {"mean": 250.0, "count": 2.0, "p50": 250.0, "p99": 500.0}}
    assert facts(run)["schema_variant"] == "B(0.4)"
    assert run.unmapped["$.benchmarks[0].config.environment"] == {"range": [1, 2]}


def test_the_same_report_in_yaml_and_json_gives_the_same_run() -> None:
    import yaml

    again = read(yaml.safe_dump(argued()))
    assert again.format == "guidellm.yaml"
    assert again.runs[0].metrics == run_of(argued()).metrics


def test_the_list_of_percentiles_in_a_table_lacks_the_median() -> None:
    expected = {
        "mean": 15.5, "std": 2.5, "min": 10.0, "p0.1": 11.0, "p1": 12.0, "p5": 13.0, "p10": 14.0,
        "p25": 15.0, "p50": 15.25, "p75": 16.0, "p90": 17.0, "p95": 18.0, "p99": 19.0, "max": 20.0,
    }  # fmt: skip
    assert values(run_of(old_table()))["ttft/first-output"] == expected
    assert values(run_of(new_table()))["ttft/first-output"] == expected


def test_a_table_with_one_row_of_headers_is_read() -> None:
    reading = read(old_table())
    (run,) = reading.runs
    assert reading.format == "guidellm.csv1"
    assert run.status is RunStatus.PARTIAL
    assert facts(run) == {
        "tool.name": "guidellm",
        "run.started_at_local": "2026-03-01 10:00:00",
        "run.finished_at_local": "2026-03-01 10:00:02",
        "tokenizer.id": "/home/‹user›/tok",
        "model.raw": "acme/tiny-7b",
        "load.dataset": "synthetic",
    }
    assert (run.load.mode, run.load.max_concurrency) == (LoadMode.CLOSED_LOOP, 2)
    assert run.requests == Counts(total=24, completed=20, failed=4, incomplete=0)
    assert values(run)["decode_time_per_output_token/last-first-over-n"] == {"mean": 4.75}
    assert values(run)["e2el/client"] == {"mean": 150.0, "p50": 140.0}
    place = "line 2.Successful Request latency [min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max]"
    assert run.unmapped[place] == "[0.1, 0.2]"


def test_a_table_with_three_rows_of_headers_is_read() -> None:
    reading = read(new_table())
    (run,) = reading.runs
    assert reading.format == "guidellm.csv3"
    assert facts(run) == {
        "tool.name": "guidellm",
        "tool.version": "0.8.1",
        "model.id": "acme/tiny-7b",
        "client.backend": "openai_http",
        "load.streaming": True,
        "tokenizer.id": "acme/tiny-7b",
        "load.seed": 42,
        "load.dataset": "synthetic",
        "run.started_at_local": "2026-03-01 10:00:00",
        "run.finished_at_local": "2026-03-01 10:00:01",
    }
    assert run.requests == Counts(total=24, completed=24, failed=0, incomplete=0)
    assert values(run)["ntpot/token"] == {"mean": 5.5}
    assert values(run)["request_throughput/successful"] == {"value": 14.0}
    assert (run.load.isl_mean, run.load.num_prompts) == (27.0, 2)


@pytest.mark.parametrize(
    ("name", "mode", "concurrency", "rate"),
    [
        ("concurrent", LoadMode.CLOSED_LOOP, 4, None),
        ("concurrent@8", LoadMode.CLOSED_LOOP, 8, None),
        ("synchronous", LoadMode.CLOSED_LOOP, 1, None),
        ("constant@2.50", LoadMode.OPEN_LOOP, None, 2.5),
        ("throughput@unlimited", LoadMode.BURST, None, None),
        ("?", None, None, None),
    ],
)
def test_a_table_names_the_strategy_or_counts_into_the_profile(
    name: str, mode: LoadMode | None, concurrency: int | None, rate: float | None
) -> None:
    load = run_of(new_table({("Benchmark", "Strategy", ""): name})).load
    assert (load.mode, load.max_concurrency, load.request_rate) == (mode, concurrency, rate)


def test_a_broken_cell_is_withheld_and_the_row_is_read() -> None:
    run = run_of(new_table({("Run Info", "Backend", ""): '{"api_key": "hidden'}))
    assert "line 4.Run Info / Backend" in run.withheld
    assert run.requests.completed == 24


def test_a_row_of_another_length_is_refused_with_its_line() -> None:
    with pytest.raises(ResultError) as raised:
        read(new_table() + "a,b\n")
    assert raised.value.facts["place"] == "line 5"


def test_a_table_without_rows_is_refused() -> None:
    head = old_table().splitlines()[0]
    with pytest.raises(ResultError) as raised:
        read(f"{head}\n")
    assert raised.value.code == "no-runs"


def test_a_list_that_holds_more_than_benchmarks_is_refused_with_its_place() -> None:
    with pytest.raises(ResultError) as raised:
        read({"benchmarks": [new_benchmark(), None]})
    assert raised.value.facts["place"] == "$.benchmarks"


def test_the_first_version_kept_single_results_which_make_the_statistics() -> None:
    run = run_of(first_report())
    assert run.status is RunStatus.PARTIAL
    assert run.requests == Counts(total=3, completed=2, failed=1)
    assert run.load == Load(mode=LoadMode.OPEN_LOOP, request_rate=2.0, isl_mean=33.0, osl_mean=3.0)
    assert values(run)["e2el/client"]["mean"] == 750.0
    assert values(run)["itl/chunk"]["mean"] == 5.0
    assert values(run)["request_throughput/successful"] == {"value": 1.0}
    assert run.samples is not None
    assert run.samples.requests["ok"].tolist() == [1.0, 1.0, 0.0]


def test_a_mode_that_is_no_text_is_no_report_of_the_first_version() -> None:
    payload = first_report()
    payload["benchmarks"][0]["mode"] = ["asynchronous"]
    assert read(payload).role is FileRole.REJECTED


def test_a_number_that_is_no_date_stays() -> None:
    run = run_of(old_report(start_time=12.5))
    assert "run.started_at" not in run.facts
    assert run.unmapped["$.benchmarks[0].start_time"] == 12.5
    assert run_of(old_report()).facts["run.started_at"].pointer == "$.benchmarks[0].start_time"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_measurement_is_of_a_known_definition(name: str) -> None:
    reading = read_file(name, SAMPLES[name])
    assert reading.role is FileRole.RUNS
    for run in reading.runs:
        for one in run.metrics:
            assert one.definition in METRICS[one.metric].definitions
