"""llama-batched-bench: JSON Lines and the printed table."""

import json

import pytest

from benchmarks_app.contract import FileRole, Measurement
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.importers import read_file

ROW = {
    "n_kv_max": 4096, "n_batch": 2048, "n_ubatch": 512, "flash_attn": -1, "is_pp_shared": 0,
    "n_gpu_layers": -1, "n_threads": 4, "n_threads_batch": 4, "pp": 64, "tg": 16, "pl": 2,
    "n_kv": 160, "t_pp": 0.05, "speed_pp": 2560.0, "t_tg": 0.125, "speed_tg": 256.0, "t": 0.175,
    "speed": 914.25,
}  # fmt: skip
TABLE = """\

main: n_kv_max = 4096, n_batch = 2048, n_ubatch = 512, flash_attn = 1, is_pp_shared = 0

|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |
|-------|--------|------|--------|----------|----------|----------|----------|----------|----------|
|    64 |     16 |    1 |     80 |    0.027 |  2371.86 |    0.027 |   587.80 |    0.054 |  1475.93 |
|    64 |      0 |    2 |    128 |    0.108 |  1187.95 |    0.000 |     -nan |    0.108 |  1187.95 |
"""
SAMPLES: dict[str, bytes] = {
    "batched.jsonl": f"{json.dumps(ROW)}\n{json.dumps({**ROW, 'pl': 4})}\n".encode(),
    "one.jsonl": json.dumps(ROW).encode(),
    "batched.md": TABLE.encode(),
    "both.jsonl": f"load: ready\n{json.dumps(ROW)}\nload: done\n".encode(),
}


def test_each_line_is_a_run_with_rates_and_times() -> None:
    reading = read_file("batched.jsonl", SAMPLES["batched.jsonl"])

    assert (reading.tool, reading.format) == ("llama_batched_bench", "llama_batched_bench.jsonl")
    run = reading.runs[0]
    assert [one.load.batch_size for one in reading.runs] == [2, 4]
    assert run.load.mode is LoadMode.MICROBENCH
    assert (run.load.n_prompt, run.load.n_gen, run.load.n_gpu_layers) == (64, 16, -1)
    assert run.load.extra == {
        "n_kv_max": 4096, "is_pp_shared": 0, "n_threads": 4, "n_threads_batch": 4, "n_kv": 160,
        "flash_attn": "auto",
    }  # fmt: skip
    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "llama-batched-bench",
        "framework.name": "llama.cpp",
    }
    assert run.metrics == (
        Measurement("prefill_throughput", "prefill_throughput/prompt-tokens", {"value": 2560.0},
                    "line 1.speed_pp"),
        Measurement("decode_throughput", "decode_throughput/generated-tokens", {"value": 256.0},
                    "line 1.speed_tg"),
        Measurement("total_token_throughput", "total_token_throughput/reported",
                    {"value": 914.25}, "line 1.speed"),
        Measurement("batch_latency", "batch_latency/batch", {"value": 0.175}, "line 1.t"),
        Measurement("prefill_latency", "prefill_latency/batch", {"value": 50.0}, "line 1.t_pp"),
        Measurement("decode_latency", "decode_latency/batch", {"value": 125.0}, "line 1.t_tg"),
    )  # fmt: skip
    assert [notice.code for notice in run.notices] == ["no_model", "no_date"]
    assert run.unmapped == {}


def test_the_table_takes_the_settings_above_it_and_no_rate_of_zero_tokens() -> None:
    first, second = read_file("batched.md", SAMPLES["batched.md"]).runs

    assert first.load.n_batch == 2048
    assert first.load.extra["flash_attn"] == "on"
    assert {m.metric: m.stats["value"] for m in first.metrics} == {
        "prefill_throughput": 2371.86,
        "decode_throughput": 587.8,
        "total_token_throughput": 1475.93,
        "batch_latency": 0.054,
        "prefill_latency": 27.0,
        "decode_latency": 27.0,
    }
    assert "rounded_values" in {notice.code for notice in first.notices}
    assert "decode_throughput" not in {m.metric for m in second.metrics}
    assert second.unmapped == {"line 7.speed_tg": "-nan"}


def test_a_heading_without_rows_is_kept_as_a_log() -> None:
    text = "\n".join(TABLE.splitlines()[:5])

    assert read_file("aborted.txt", text.encode()).role is FileRole.ATTACHMENT


def test_a_row_that_is_cut_off_is_refused_with_its_line() -> None:
    with pytest.raises(ResultError) as raised:
        read_file("batched.md", TABLE.encode()[:-30])
    assert raised.value.facts["place"] == "line 7"


def test_a_result_between_the_lines_of_a_log_is_a_run() -> None:
    reading = read_file("both.jsonl", SAMPLES["both.jsonl"])

    (run,) = reading.runs
    assert (reading.format, run.pointer) == ("llama_batched_bench.jsonl", "line 2")
    assert run.metrics[0].stats == {"value": 2560.0}
    assert reading.unmapped == {"line 1": "load: ready", "line 3": "load: done"}


@pytest.mark.parametrize("name", ["batched.md", "both.jsonl"])
def test_a_log_of_llama_cpp_above_the_results_changes_no_tool(name: str) -> None:
    data = b"ggml_cuda_init: found 1 CUDA devices:\n" + SAMPLES[name]

    reading = read_file(name, data)

    assert (reading.tool, reading.role) == ("llama_batched_bench", FileRole.RUNS)


def test_a_page_with_tables_of_both_tools_is_of_the_other_and_keeps_this_one() -> None:
    table = "| model | size | params | backend | test | t/s |\n|-|-|-|-|-|-|\n"
    row = "| tiny 1B F16 | 1 GiB | 1 B | CPU | pp8 | 2.5 |\n"

    reading = read_file("page.md", f"{table}{row}{TABLE}".encode())

    assert (reading.tool, len(reading.runs)) == ("llama_bench", 1)
    assert "1475.93" in str(reading.unmapped["line 7"])
