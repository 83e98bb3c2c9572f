"""Joining the files of an upload into runs."""

import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from benchmarks_app.contract import (
    Counts,
    Fact,
    FileReading,
    FileRole,
    Load,
    Measurement,
    Notice,
    RunReading,
    Samples,
    Tokens,
)
from benchmarks_app.domain.levels import LoadMode, Origin, RunStatus
from benchmarks_app.domain.merging import Merged, NamedReading, PartRole, RunPart, merge_files
from benchmarks_app.domain.sameness import identities_of, identity_of

TTFT = {"mean": 215.53594, "p50": 55.681396, "p99": 734.404917}
TPOT = {"mean": 11.265828, "p50": 11.206502, "p99": 11.979541}


def make_metric(name: str, stats: Mapping[str, float], definition: str = "") -> Measurement:
    short = {"ttft": "first-chunk", "tpot": "request", "itl": "chunk", "e2el": "client"}
    return Measurement(name, f"{name}/{definition or short.get(name, 'reported')}", dict(stats))


def make_run(index: int = 0, scale: float = 1.0, digits: int = 9, **changes: object) -> RunReading:
    def scaled(stats: Mapping[str, float]) -> dict[str, float]:
        return {name: round(value * scale, digits) for name, value in stats.items()}

    run = RunReading(
        index=index,
        status=RunStatus.OK,
        metrics=(
            make_metric("ttft", scaled(TTFT)),
            make_metric("tpot", scaled(TPOT)),
            make_metric("output_token_throughput", {"value": round(82.892970 / scale, digits)}),
        ),
        requests=Counts(total=8, completed=8, failed=0),
        load=Load(mode=LoadMode.CLOSED_LOOP, max_concurrency=2),
    )
    return replace(run, **changes)  # type: ignore[arg-type]


def make_file(
    name: str, *runs: RunReading, format_id: str = "tool.json", tool: str = "tool"
) -> NamedReading:
    return NamedReading(name, FileReading(format_id, tool, FileRole.RUNS, runs=runs))


def make_sidecar(
    name: str, role: FileRole = FileRole.SIDECAR, tool: str = "tool", **told: object
) -> NamedReading:
    return NamedReading(name, FileReading("tool.side", tool, role, **told))  # type: ignore[arg-type]


def roles(merged: Merged, run: int = 0) -> dict[str, PartRole]:
    return {part.name: part.role for part in merged.runs[run].parts}


def test_one_file_gives_its_run_as_it_is() -> None:
    run = make_run()
    merged = merge_files([make_file("a/result.json", run)])
    assert [one.run for one in merged.runs] == [run]
    assert merged.runs[0].parts == (RunPart("a/result.json", PartRole.PRIMARY, "tool.json", "$"),)
    assert merged.runs[0].sources == {
        "ttft": "a/result.json",
        "tpot": "a/result.json",
        "output_token_throughput": "a/result.json",
    }


def test_json_csv_and_yaml_of_one_guidellm_run_are_one_run_with_two_sub_benchmarks() -> None:
    sub = [make_run(0), make_run(1, scale=1.7)]
    csv = [
        replace(make_run(i, scale=s, digits=2), notices=(Notice("rounded_values"),))
        for i, s in ((0, 1.0), (1, 1.7))
    ]
    merged = merge_files(
        [
            make_file("benchmarks.csv", *csv, format_id="guidellm.csv3"),
            make_file("benchmarks.json", *sub, format_id="guidellm.json"),
            make_file("benchmarks.yaml", *sub, format_id="guidellm.yaml"),
        ]
    )
    assert len(merged.runs) == 2
    assert [one.run for one in merged.runs] == sub
    assert roles(merged) == {
        "benchmarks.json": PartRole.PRIMARY,
        "benchmarks.csv": PartRole.DUPLICATE,
        "benchmarks.yaml": PartRole.DUPLICATE,
    }


def test_a_sweep_summary_repeats_the_files_in_the_folders_below() -> None:
    runs = [make_run(0), make_run(1, scale=0.9)]
    files = [make_file("sweep/summary.json", *runs, format_id="vllm.bench_sweep.summary")]
    files += [
        make_file(f"sweep/SERVE--a/run={i}.json", replace(run, index=0), format_id="vllm.serve")
        for i, run in enumerate(runs)
    ]
    merged = merge_files(files)
    assert [len(one.parts) for one in merged.runs] == [2, 2]
    assert [one.parts[1].name[-10:] for one in merged.runs] == ["run=0.json", "run=1.json"]


def test_percentiles_of_a_file_of_their_own_complete_the_run_beside_them() -> None:
    rows = RunReading(
        index=0,
        status=RunStatus.OK,
        metrics=(
            make_metric("ttft", {"p50": 55.681396, "p90": 300.5}),
            make_metric("e2el", {"p90": 9.0}),
        ),
        complements=True,
        notices=(Notice("needs_sibling"),),
    )
    arguments = {"model.id": Fact("org/tiny", pointer="$.model")}
    merged = merge_files(
        [
            make_file("x/percentile.json", rows, format_id="evalscope.percentile"),
            make_file("x/summary.json", make_run(), format_id="evalscope.perf_summary"),
            make_sidecar("x/args.json", facts=arguments, withheld=("$.api_key",)),
        ]
    )
    (one,) = merged.runs
    assert roles(merged) == {
        "x/summary.json": PartRole.PRIMARY,
        "x/percentile.json": PartRole.COMPLEMENT,
        "x/args.json": PartRole.SIDECAR,
    }
    assert one.run.metrics[0].stats == {**TTFT, "p90": 300.5}
    assert one.sources["ttft.p90"] == one.sources["e2el"] == "x/percentile.json"
    assert one.sources["ttft"] == "x/summary.json"
    assert one.run.facts == {"model.id": Fact("org/tiny", Origin.SIBLING, "$.model")}
    assert one.run.notices == ()
    assert one.run.withheld == ("x/args.json: $.api_key",)
    assert not one.run.complements


def test_a_part_without_its_run_stays_and_says_that_it_needs_it() -> None:
    part = make_run(complements=True, notices=(Notice("needs_sibling"),))
    merged = merge_files([make_file("percentile.json", part)])
    assert merged.runs[0].run == part


def test_a_part_that_contradicts_the_run_beside_it_is_not_joined() -> None:
    part = make_run(metrics=(make_metric("ttft", {"p50": 99.0, "p90": 120.0}),), complements=True)
    merged = merge_files([make_file("s.json", make_run()), make_file("p.json", part)])
    assert len(merged.runs) == 2


def test_records_of_an_attachment_complete_the_run_with_as_many_requests() -> None:
    samples = Samples(requests={"ok": np.ones(8), "ttft_ms": np.arange(8.0)})
    merged = merge_files(
        [
            make_file("p/profile_export_aiperf.json", make_run(), format_id="aiperf.json"),
            make_file("p/profile_export_aiperf.csv", make_run(digits=2), format_id="aiperf.csv"),
            make_sidecar("p/profile_export.jsonl", FileRole.ATTACHMENT, samples=samples),
            make_sidecar("p/profile_export_console.txt", FileRole.ATTACHMENT),
            make_file("q/other.json", make_run(scale=3.0), format_id="aiperf.json"),
        ]
    )
    assert roles(merged) == {
        "p/profile_export_aiperf.json": PartRole.PRIMARY,
        "p/profile_export_aiperf.csv": PartRole.DUPLICATE,
        "p/profile_export.jsonl": PartRole.ATTACHMENT,
        "p/profile_export_console.txt": PartRole.ATTACHMENT,
    }
    assert merged.runs[0].run.samples == samples
    assert merged.runs[1].run.samples is None


def test_samples_of_another_number_of_requests_are_given_to_no_run() -> None:
    samples = Samples(requests={"ok": np.ones(5)})
    records = make_sidecar("b.jsonl", FileRole.ATTACHMENT, samples=samples)
    merged = merge_files([make_file("a.json", make_run()), records])
    assert merged.runs[0].run.samples is None
    assert roles(merged)["b.jsonl"] is PartRole.ATTACHMENT


def test_the_forms_of_llama_bench_are_one_run_each_and_repetitions_stay_apart() -> None:
    def row(index: int, rate: float, digits: int = 9) -> RunReading:
        stats = {"mean": round(rate, digits), "std": round(rate / 57.0, digits)}
        return RunReading(
            index=index,
            status=RunStatus.OK,
            metrics=(make_metric("decode_throughput", stats, "generated-tokens"),),
            load=Load(mode=LoadMode.MICROBENCH, n_gen=128),
        )

    rates = (512.345678, 512.345678, 90.1234567)
    files = []
    for suffix, digits in (("md", 2), ("csv", 6), ("json", 9), ("jsonl", 9), ("sql", 6)):
        rows = (row(i, rate, digits) for i, rate in enumerate(rates))
        files.append(make_file(f"out.{suffix}", *rows, format_id=f"llama_bench.{suffix}"))
    merged = merge_files(files)
    assert [len(one.parts) for one in merged.runs] == [5, 5, 5]
    assert [one.run.index for one in merged.runs] == [0, 1, 2]


def test_runs_of_different_load_or_commit_are_never_joined() -> None:
    base = make_run()
    for other in (
        replace(base, load=Load(mode=LoadMode.CLOSED_LOOP, max_concurrency=4)),
        replace(base, requests=Counts(total=9)),
        replace(base, tokens=Tokens(output_total=5)),
        replace(base, facts={"framework.commit": Fact("bbb")}),
        make_run(scale=1.0001),
    ):
        first = replace(
            base,
            tokens=Tokens(output_total=4),
            facts={"framework.commit": Fact("aaa")},
        )
        merged = merge_files([make_file("a.json", first), make_file("a.csv", other, format_id="c")])
        assert len(merged.runs) == 2, other


def test_a_form_with_fewer_digits_is_no_other_run_and_dates_may_be_written_otherwise() -> None:
    fine = make_run(facts={"run.finished_at_local": Fact("2026-11-30T07:22:40.123")})
    coarse = make_run(digits=1, facts={"run.finished_at_local": Fact("2026-11-30 07:22:40")})
    merged = merge_files([make_file("x.json", fine), make_file("y.csv", coarse, format_id="csv")])
    assert len(merged.runs) == 1
    assert merged.runs[0].run.metrics == fine.metrics


def test_few_rounded_numbers_are_no_proof() -> None:
    def bare(value: float) -> RunReading:
        return RunReading(
            0, RunStatus.OK, metrics=(make_metric("request_throughput", {"value": value}),)
        )

    merged = merge_files(
        [make_file("a.json", bare(4.5)), make_file("b.csv", bare(4.5), format_id="c")]
    )
    assert len(merged.runs) == 2


def test_the_same_tool_output_twice_in_one_format_must_be_wholly_equal() -> None:
    run = make_run()
    assert len(merge_files([make_file("a.json", run), make_file("b.json", run)]).runs) == 1
    rounded = make_run(digits=2)
    assert len(merge_files([make_file("a.json", run), make_file("b.json", rounded)]).runs) == 2


def test_equal_numbers_of_two_tools_or_unrelated_folders_stay_apart() -> None:
    run = make_run()
    assert len(merge_files([make_file("a", run), make_file("b", run, tool="other")]).runs) == 2
    assert len(merge_files([make_file("p/a", run), make_file("q/a", run)]).runs) == 2


def test_failed_runs_without_numbers_are_joined_by_the_name_of_their_files() -> None:
    failed = RunReading(0, RunStatus.FAILED, requests=Counts(total=10, completed=0, failed=10))
    csv = RunReading(0, RunStatus.OK)
    merged = merge_files([make_file("b.json", failed), make_file("b.csv", csv, format_id="csv")])
    assert [one.run.status for one in merged.runs] == [RunStatus.FAILED]
    apart = merge_files([make_file("b.json", failed), make_file("c.csv", csv, format_id="csv")])
    assert len(apart.runs) == 2


def test_the_runs_own_file_wins_and_the_contradiction_is_said() -> None:
    run = make_run(facts={"model.id": Fact("org/a")}, notices=(Notice("no_date"),))
    told = {
        "model.id": Fact("org/b", pointer="$.model"),
        "framework.version": Fact("0.9.1"),
        "run.started_at": Fact("2026-01-02T03:04:05Z"),
    }
    merged = merge_files([make_file("r.json", run), make_sidecar("config.json", facts=told)])
    found = merged.runs[0].run
    assert found.facts["model.id"] == Fact("org/a")
    assert found.facts["framework.version"] == Fact("0.9.1", Origin.SIBLING)
    assert found.notices == (Notice("contradicts_itself", "model.id", "config.json: $.model"),)


def test_a_sidecar_speaks_of_its_folder_or_else_of_the_folders_below() -> None:
    facts = {"accelerator.count": Fact(8)}
    side = make_sidecar("set/systems.json", facts=facts, completes=("tool",))
    near = make_file("set/a.json", make_run())
    below = make_file("set/deep/b.json", make_run(scale=2.0))
    merged = merge_files([near, below, side])
    assert ["accelerator.count" in one.run.facts for one in merged.runs] == [True, False]
    merged = merge_files([below, side])
    assert "accelerator.count" in merged.runs[0].run.facts


def test_an_attachment_of_any_tool_goes_to_every_run_of_the_folder() -> None:
    log = make_sidecar("server.log", FileRole.ATTACHMENT, tool="log", completes=("*",))
    merged = merge_files(
        [make_file("a", make_run()), make_file("b", make_run(scale=2), tool="t2"), log]
    )
    assert ["server.log" in roles(merged, i) for i in (0, 1)] == [True, True]


def test_what_belongs_to_no_run_is_given_back() -> None:
    log = make_sidecar("oom.log", FileRole.ATTACHMENT, tool="vllm")
    image = NamedReading(
        "x.png", FileReading("unknown", "", FileRole.REJECTED, reason="A picture.")
    )
    merged = merge_files([log, image])
    assert (merged.runs, merged.loose, merged.rejected) == ((), (log,), (image,))


def test_an_identity_is_that_of_the_content_and_repetitions_have_their_own() -> None:
    run = make_run()
    assert identity_of(run, tool="t") == identity_of(
        replace(run, index=4, pointer="$[4]"), tool="t"
    )
    assert identity_of(run, tool="t") != identity_of(run, tool="u")
    for other in (make_run(scale=1.001), replace(run, requests=Counts(total=9))):
        assert identity_of(run, tool="t") != identity_of(other, tool="t")
    first, second, third = identities_of([run, run, make_run(scale=2.0)], tool="t")
    assert len({first, second, third}) == 3
    assert [first, second] == identities_of([run, run], tool="t")


@pytest.mark.parametrize("size", [600])
def test_many_files_of_close_numbers_are_joined_without_comparing_all(size: int) -> None:
    files = [
        make_file(f"{i}.{form}", make_run(scale=1.0 + i / 500.0), format_id=form)
        for i in range(size)
        for form in ("json", "csv")
    ]
    start = time.perf_counter()
    merged = merge_files(files)
    assert [len(one.parts) for one in merged.runs] == [2] * size
    assert time.perf_counter() - start < 5.0


def test_a_log_named_like_one_run_is_that_runs_alone() -> None:
    runs = [make_file("vulkan_b10.jsonl", make_run()), make_file("hip.jsonl", make_run(scale=2))]
    log = make_sidecar("vulkan_b10.stderr.log", FileRole.ATTACHMENT)
    merged = merge_files([*runs, log])
    assert [len(one.parts) for one in merged.runs] == [2, 1]


def test_records_of_another_run_beside_are_given_to_none() -> None:
    run = make_file("lepton_7b_summary.json", make_run())
    own = make_sidecar("lepton_7b_individual.json", FileRole.ATTACHMENT)
    foreign = make_sidecar("bedrock_70b_individual.json", FileRole.ATTACHMENT)
    merged = merge_files([run, own, foreign])
    assert merged.loose == (foreign,)
    assert [part.name for part in merged.runs[0].parts] == [
        "lepton_7b_summary.json", "lepton_7b_individual.json",
    ]  # fmt: skip


def test_of_several_runs_those_that_a_sidecar_contradicts_are_left_out() -> None:
    files = [
        make_file(f"{name}.json", make_run(scale=i + 1, facts={"accelerator.name": Fact(name)}))
        for i, name in enumerate(("MI300X", "H100"))
    ]
    side = make_sidecar("system.json", facts={
        "accelerator.name": Fact("H100"), "accelerator.count": Fact(8),
    })  # fmt: skip
    merged = merge_files([*files, side])
    assert ["accelerator.count" in one.run.facts for one in merged.runs] == [False, True]
    assert all(one.run.notices == () for one in merged.runs)


def test_small_values_may_lose_nearly_all_digits_where_the_rounding_is_seen() -> None:
    fine = {"mean": 8.127834, "std": 0.123119, "min": 7.912345, "p50": 8.098765, "p99": 8.456789}
    coarse = {name: round(value, 2) for name, value in fine.items()}
    one = make_run(metrics=(make_metric("tpot", fine), make_metric("ttft", TTFT)))
    other = make_run(
        metrics=(
            make_metric("tpot", coarse),
            make_metric("ttft", {name: round(value, 2) for name, value in TTFT.items()}),
        )
    )
    merged = merge_files([make_file("a.json", one), make_file("b.csv", other, format_id="csv")])
    assert len(merged.runs) == 1
