"""llama-bench in each of its outputs and versions, and the logs beside it."""

import json

import numpy as np
import pytest

from benchmarks_app.contract import FileRole, Measurement, Notice, RunReading
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers import read_file
from benchmarks_app.importers.llama_bench.devices import read_devices
from tests.benchmarks_app.importers.samples_llama_bench import (
    DEVICES,
    HELP,
    LOG,
    MARKDOWN,
    OLD,
    PLAIN,
    ROW,
    SAMPLES,
    as_sql,
)


def _read_one(name: str, data: bytes) -> RunReading:
    reading = read_file(name, data)
    assert reading.role is FileRole.RUNS
    assert reading.tool == "llama_bench"
    assert len(reading.runs) == 1
    return reading.runs[0]


def _values(run: RunReading) -> dict[str, object]:
    return {name: fact.value for name, fact in run.facts.items()}


def test_a_row_becomes_a_run_with_its_rates_its_time_and_its_repetitions() -> None:
    run = _read_one("bench.json", json.dumps([ROW]).encode())

    assert run.status is RunStatus.OK
    assert run.pointer == "$[0]"
    assert _values(run) == {
        "tool.name": "llama-bench",
        "framework.name": "llama.cpp",
        "framework.commit": "abcdef123",
        "framework.build_number": 9100,
        "accelerator.backend": "CUDA",
        "accelerator.name": "Example GPU 24GB",
        "host.cpu": "Example CPU",
        "model.file": "tiny-Q4_K_M-00001-of-00002.gguf",
        "model.desc": "llama 8B Q4_K - Medium",
        "model.size_bytes": 4912898304,
        "model.n_params": 8030261312,
        "kv_cache.type_k": "f16",
        "kv_cache.type_v": "q8_0",
        "kv_offload": True,
        "run.started_at": "2026-03-04T05:06:07Z",
    }
    assert run.metrics == (
        Measurement(
            "prefill_throughput",
            "prefill_throughput/prompt-tokens",
            {"mean": 2560.5, "std": 12.25},
            "$[0].avg_ts",
        ),
        Measurement(
            "batch_latency", "batch_latency/batch", {"mean": 0.2, "std": 0.001}, "$[0].avg_ns"
        ),
    )
    assert run.samples is not None
    assert run.samples.repeats["prefill_throughput"].tolist() == [2572.86, 2547.26]
    assert np.allclose(run.samples.repeats["batch_latency"], [0.199, 0.201])
    assert run.notices == ()
    assert run.unmapped == {}


def test_the_load_holds_the_test_and_every_setting() -> None:
    load = _read_one("bench.json", json.dumps([ROW]).encode()).load

    assert load.mode is LoadMode.MICROBENCH
    assert (load.n_prompt, load.n_gen, load.n_depth) == (512, 0, 1024)
    assert (load.n_batch, load.n_ubatch, load.n_gpu_layers) == (2048, 512, 99)
    assert load.extra == {
        "n_threads": 8, "cpu_mask": "0x0", "cpu_strict": False, "poll": 50, "n_cpu_moe": 0,
        "split_mode": "layer", "main_gpu": 0, "devices": "auto", "tensor_split": "0.00",
        "tensor_buft_overrides": "none", "use_mmap": True, "embeddings": False,
        "no_op_offload": 0, "flash_attn": "on",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["bench.csv", "bench.sql"])
def test_csv_and_sql_say_the_same_as_json_but_for_single_repetitions(name: str) -> None:
    written = _read_one(name, SAMPLES[name])
    expected = _read_one("bench.json", json.dumps([PLAIN]).encode())

    assert _values(written) == _values(expected)
    assert written.load == expected.load
    assert [(m.metric, m.stats) for m in written.metrics] == [
        (m.metric, m.stats) for m in expected.metrics
    ]
    assert written.samples is None
    assert written.unmapped == {}


def test_a_single_line_of_json_lines_is_read() -> None:
    assert _read_one("one.jsonl", SAMPLES["one.jsonl"]).pointer == "$"


def test_rows_of_several_builds_in_one_file_are_runs_of_their_own() -> None:
    reading = read_file("bench.jsonl", SAMPLES["bench.jsonl"])

    assert [run.pointer for run in reading.runs] == ["line 1", "line 2"]
    assert [run.index for run in reading.runs] == [0, 1]
    assert [run.metrics[0].metric for run in reading.runs] == [
        "prefill_throughput",
        "decode_throughput",
    ]


def test_flags_of_old_versions_name_the_backend() -> None:
    run = _read_one("bench.json", json.dumps([OLD]).encode())

    assert _values(run)["accelerator.backend"] == "Metal"
    assert _read_one("old.sql", SAMPLES["old.sql"]).facts["accelerator.backend"].value == "Metal"
    no_device = {**OLD, "metal": False, "gpu_blas": False, "blas": False}
    run = _read_one("bench.json", json.dumps([no_device]).encode())
    assert _values(run)["accelerator.backend"] == "CPU"


def test_the_number_of_a_shallow_checkout_names_no_build() -> None:
    row = {**OLD, "build_commit": "4227c9be", "build_number": 1}
    values = _values(_read_one("bench.json", json.dumps([row]).encode()))
    assert values["framework.commit"] == "4227c9be"
    assert "framework.build_number" not in values


def test_an_unknown_build_and_a_blank_device_are_no_facts() -> None:
    values = _values(_read_one("bench.json", json.dumps([OLD]).encode()))

    assert "framework.commit" not in values
    assert "framework.build_number" not in values
    assert "accelerator.name" not in values
    assert values["kv_offload"] is False


def test_one_repetition_is_said() -> None:
    run = _read_one("bench.json", json.dumps([OLD]).encode())

    assert run.notices == (Notice("single_repetition", pointer="$[0]"),)


@pytest.mark.parametrize(("written", "read"), [(-1, "auto"), (1, "on"), (0, "off"), (False, "off")])
def test_flash_attention_means_the_same_in_all_versions(written: object, read: str) -> None:
    run = _read_one("bench.json", json.dumps([{**ROW, "flash_attn": written}]).encode())

    assert run.load.extra["flash_attn"] == read


def test_equal_device_names_are_counted_and_different_ones_are_not() -> None:
    equal = _values(_read_one("x", json.dumps([{**ROW, "gpu_info": "A100, A100"}]).encode()))
    mixed = _values(_read_one("x", json.dumps([{**ROW, "gpu_info": "A100, L4"}]).encode()))
    alone = {**ROW, "gpu_info": "A100, A100", "split_mode": "none"}
    single = _values(_read_one("x", json.dumps([alone]).encode()))

    assert (equal["accelerator.name"], equal["accelerator.count"]) == ("A100", 2)
    assert mixed["accelerator.name"] == "A100, L4"
    assert "accelerator.count" not in mixed
    assert "accelerator.count" not in single


def test_prompt_and_generation_together_are_a_mixed_rate() -> None:
    run = _read_one("x", json.dumps([{**ROW, "n_gen": 16}]).encode())

    assert run.metrics[0].definition == "mixed_throughput/prompt-and-generated-tokens"


def test_a_setting_of_a_later_version_is_kept_as_unmapped() -> None:
    run = _read_one("x", json.dumps([{**ROW, "zz_new": {"a": 1}}]).encode())

    assert run.unmapped == {"$[0].zz_new": {"a": 1}}


def test_a_row_without_a_rate_is_suspect_and_has_no_zero() -> None:
    run = _read_one("x", json.dumps([{**ROW, "avg_ts": None}]).encode())

    assert run.status is RunStatus.SUSPECT
    assert run.metrics == ()
    assert run.notices == (Notice("contradicts_itself", "avg_ts", pointer="$[0].avg_ts"),)


def test_tables_in_a_log_take_the_devices_above_and_the_build_below() -> None:
    reading = read_file("bench.log", MARKDOWN.encode())

    assert reading.format == "llama_bench.md"
    first, second, third = reading.runs
    assert _values(first) == {
        "tool.name": "llama-bench",
        "framework.name": "llama.cpp",
        "accelerator.name": "Example Radeon, gfx1100 (0x1100)",
        "accelerator.count": 2,
        "accelerator.memory_gib": 24.0,
        "accelerator.backend": "ROCm",
        "framework.commit": "abcdef123",
        "framework.build_number": 9187,
        "model.desc": "llama 8B Q4_K",
        "model.raw": "llama 8B Q4_K | 4.58 GiB | 8.03 B",
        "kv_cache.type_k": "q8_0",
    }
    assert first.metrics[0].stats == {"mean": 422.28, "std": 1.78}
    assert first.load.extra == {"flash_attn": "on", "tensor_split": "1/1"}
    assert first.unmapped == {"line 6, zz": "7"}
    assert [n.code for n in first.notices] == ["rounded_values", "no_date"]
    assert (second.load.n_prompt, second.load.n_gen, second.load.n_depth) == (64, 16, 9)
    assert second.metrics[0].metric == "mixed_throughput"
    assert second.unmapped == {}
    assert third.metrics[0].stats == {"mean": 9.5}
    assert "accelerator.name" not in third.facts
    assert "framework.commit" not in third.facts
    assert third.load.extra == {"n_threads": 8, "split_mode": "none"}


HEADING = "\n".join(MARKDOWN.splitlines()[3:5]) + "\n"
ABORTED = HEADING + "ggml-cuda.cu:71: CUDA error: out of memory\n"


@pytest.mark.parametrize(
    ("text", "role"),
    [
        (HEADING, FileRole.REJECTED),
        (ABORTED, FileRole.ATTACHMENT),
        (SAMPLES["bench.csv"].decode().splitlines()[0] + "\n", FileRole.REJECTED),
        (SAMPLES["bench.sql"].decode().partition("INSERT")[0], FileRole.REJECTED),
    ],
)
def test_a_heading_without_rows_is_no_run_and_a_failure_is_kept(text: str, role: FileRole) -> None:
    reading = read_file("aborted.md", text.encode())

    assert (reading.role, reading.runs) == (role, ())
    assert "stops before the first test" in reading.reason


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        ("x.csv", SAMPLES["bench.csv"].rstrip(b"\n")[:-20] + b'"\n', "line 2"),
        ("x.sql", SAMPLES["bench.sql"].rstrip()[:-30] + b"\n", f"line {len(PLAIN) + 4}"),
        ("x.md", MARKDOWN.replace("422.28 ± 1.78", "fast").encode(), "line 6"),
        ("x.md", MARKDOWN.replace("pp512", "warm").encode(), "line 6"),
        ("x.md", MARKDOWN.replace(" pp512 |", " pp512").encode(), "line 6"),
        ("x.jsonl", SAMPLES["bench.jsonl"] + b'{"other": 1}\n', "line 3"),
        ("x.json", json.dumps([ROW, 3]).encode(), "$[1]"),
    ],
)
def test_a_broken_row_is_refused_with_its_place(name: str, data: bytes, place: str) -> None:
    with pytest.raises(ResultError) as raised:
        read_file(name, data)
    assert raised.value.facts["place"] == place


def test_devices_and_build_of_another_part_of_a_page_are_not_of_the_table() -> None:
    text = f"```\n{DEVICES}```\n{HEADING}{MARKDOWN.splitlines()[5]}\n\n---\nbuild: abc1234 (7)\n"

    (run,) = read_file("page.md", text.encode()).runs

    assert not {"accelerator.name", "accelerator.count", "framework.commit"} & set(run.facts)


def test_lines_of_a_log_between_the_rows_of_a_table_do_not_end_it() -> None:
    heading, row = HEADING.splitlines()[0], MARKDOWN.splitlines()[5]
    text = (
        f"{HEADING}| ==== Repacked 9 tensors ||||||||||\n{row}\nloading more\n"
        f"{heading}\n{row.replace('pp512', 'tg64@pp128')}\n| a | b |\nbuild: abc1234 (7)\n"
        "| other | table |\n| ----- | ----- |\n| 1 | 2 |\n"
    )

    reading = read_file("bench.log", text.encode())

    assert [run.pointer for run in reading.runs] == ["line 4", "line 7"]
    first, second = reading.runs
    assert first.facts["framework.build_number"].value == 7
    assert (second.load.n_prompt, second.load.n_gen, second.load.n_depth) == (0, 64, 128)
    assert list(reading.unmapped) == ["line 3", "line 6", "line 8", "line 10"]


@pytest.mark.parametrize(
    ("name", "pointers", "around"),
    [
        ("both.jsonl", ["line 3", "line 5"], {"line 1": DEVICES.rstrip(), "line 4": "busy"}),
        (
            "both.json",
            ["line 3, $[0]", "line 3, $[1]"],
            {"line 1": DEVICES.rstrip(), "line 95": "at /home/‹user› done"},
        ),
    ],
)
def test_results_between_the_lines_of_a_log_are_runs(
    name: str, pointers: list[str], around: dict[str, str]
) -> None:
    alone = read_file("bench.json", SAMPLES["bench.json"])

    reading = read_file(name, SAMPLES[name])

    assert reading.format == f"llama_bench.{name.partition('.')[2]}"
    assert [run.pointer for run in reading.runs] == pointers
    assert [run.metrics[0].stats for run in reading.runs] == [
        run.metrics[0].stats for run in alone.runs
    ]
    assert [_values(run) for run in reading.runs] == [_values(run) for run in alone.runs]
    assert reading.unmapped == around


def test_a_list_in_a_log_that_is_cut_off_is_refused_where_it_begins() -> None:
    whole = SAMPLES["both.json"].decode()

    with pytest.raises(ResultError) as raised:
        read_file("both.json", whole[: whole.rindex("]\n")].encode())

    assert raised.value.facts["place"] == "line 3"


def test_devices_that_may_be_of_other_machines_are_not_counted() -> None:
    table = MARKDOWN.replace("| ROCm |", "| ROCm,RPC |").encode()
    row = ROW | {"gpu_info": "Example GPU, Example GPU", "backends": "CUDA,RPC"}

    by_table = read_file("bench.log", table).runs[0]
    by_row = _read_one("one.json", json.dumps([row]).encode())

    assert "accelerator.count" not in {*by_table.facts, *by_row.facts}
    assert by_row.facts["accelerator.name"].value == "Example GPU"


def test_a_log_is_kept_and_says_nothing_of_runs_that_may_be_of_another_backend() -> None:
    reading = read_file("stderr.log", LOG.encode())

    assert (reading.format, reading.role) == ("llama_bench.log", FileRole.ATTACHMENT)
    assert reading.facts == {}
    assert "It names Example Arc (EXA 770)." in reading.reason


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        (
            "ggml_vulkan: 0 = Example Arc (EXA 770) (anv) | uma: 0 | fp16: 1",
            {"accelerator.name": "Example Arc (EXA 770)", "accelerator.backend": "Vulkan",
             "accelerator.runtime": "Vulkan (anv)"},
        ),
        (
            "  Device 0: Example RTX, compute capability 12.0, VMM: yes, VRAM: 32768 MiB",
            {"accelerator.name": "Example RTX", "accelerator.memory_gib": 32.0},
        ),
        (
            "ggml_metal_device_init: GPU name:   Example M4 Max",
            {"accelerator.name": "Example M4 Max", "accelerator.backend": "Metal"},
        ),
        (
            "  CUDA0: Example RTX (24576 MiB, 24000 MiB free)",
            {"accelerator.name": "Example RTX", "accelerator.backend": "CUDA",
             "accelerator.memory_gib": 24.0},
        ),
        ("  (none)", {}),
    ],
)  # fmt: skip
def test_device_lines_of_each_backend_are_known(line: str, facts: dict[str, object]) -> None:
    found = {name: fact.value for name, fact in read_devices([(1, line)]).items()}

    assert found == (facts | {"accelerator.count": 1} if facts else {})


def test_help_text_under_a_result_name_is_refused_with_the_reason() -> None:
    reading = read_file("run.csv", HELP.encode())

    assert (reading.role, reading.runs) == (FileRole.REJECTED, ())
    assert "an option was not accepted" in reading.reason


def test_a_scrape_of_the_server_is_kept_beside_the_runs() -> None:
    reading = read_file("metrics.txt", SAMPLES["metrics.txt"])

    assert (reading.format, reading.role) == ("llama_server.metrics", FileRole.ATTACHMENT)


def test_sql_is_data_and_a_quoted_quote_is_one() -> None:
    row = {**PLAIN, "model_type": "it''s; DROP TABLE runs"}
    run = _read_one("x.sql", as_sql(row, "llama_bench").encode())

    assert run.facts["model.desc"].value == "it's; DROP TABLE runs"
