"""Tables of documentation pages as published runs: what they say, and no more."""

from dataclasses import replace

from ingest.domain.derive import PageReading
from ingest.domain.published_runs import PublishedRun, published_runs
from ingest.sources.sglang import SOURCE as SGLANG
from ingest.sources.tensorrt_llm import SOURCE as TENSORRT_LLM
from tests.ingest.sources.said import page_of, rule_named, vocabulary_of

WORDS = vocabulary_of(hardware={"B200": "nvidia-b200"})
BY_MODEL = """\
# Overview

## Alpha 70B

| Sequence Length (ISL/OSL) | B200<br/>TP1 (FP4) | H200<br/>DEP8 (FP8) |
| --- | --- | --- |
| 1024/1024 | 6,463 | |
"""
PIVOT = """\
# Overview

All data was generated using version 0.11.0.

| | | | | |
| --- | --- | --- | --- | --- |
| | | **GPU** | H200 | L40S |
| | | **Precision** | FP8 | FP16 |
| **Model** | **Lengths** | **TP** | | |
| Alpha | 128/128 | 2 | 251.5 | |
"""
FLAT = """\
# Performance

## H100 GPUs (FP8)

| Model | Batch Size | TP (1) | Input Length | Output Length | Throughput (out tok/s{per}) |
| --- | --- | --- | --- | --- | --- |
| Alpha | 64 | 1 | 128 | 2048 | 10,907 |
"""
COOKBOOK = """\
export const benchmarks = [
  {{
    match: {{ hw: "b200", variant: "small", quant: "fp4", strategy: "fast", nodes: "single" }},
    sglang_version: "{version}",
    speed: [
      {{ workload: {{ isl: 8192, osl: 1024, max_concurrency: 16 }}, ttft_ms: 218.9, tpot_ms: 3,
        tokens_per_sec_per_gpu: 481 }},
      {{ workload: {{ isl: 8192, osl: 1024, max_concurrency: 64 }}, ttft_ms: null, tpot_ms: null }},
    ],
    accuracy: {{ gsm8k_pct: 95.1 }},
  }},
];
"""


def overview(text: str) -> tuple[PublishedRun, ...]:
    page = replace(
        page_of(text, path="p.md", framework="tensorrt-llm"), url="https://example.org/p.md"
    )
    reading = rule_named(TENSORRT_LLM, "performance").parse(page, WORDS)
    return published_runs(
        PageReading("tensorrt-llm", "performance", "", page, reading), framework_name="TensorRT-LLM"
    )


def cookbook(version: str) -> tuple[PublishedRun, ...]:
    path = "docs/src/snippets/configs/acme/alpha-benchmarks.jsx"
    page = page_of(COOKBOOK.format(version=version), path=path, framework="sglang")
    reading = rule_named(SGLANG, "cookbook-benchmarks").parse(page, WORDS)
    return published_runs(
        PageReading("sglang", "cookbook-benchmarks", "", page, reading), framework_name="SGLang"
    )


def test_a_cell_is_a_run_with_its_source_and_a_blank_cell_is_none() -> None:
    assert overview(BY_MODEL) == (
        PublishedRun(
            key="benchmark/Alpha 70B/B200/FP4/TP1/1024/1024//",
            facts={
                "model.raw": "Alpha 70B",
                "accelerator.name": "B200",
                "quantization.weights": "FP4",
                "parallelism.tp": 1,
                "framework.name": "TensorRT-LLM",
                "published.url": "https://example.org/p.md",
                "published.release": "1.0.0",
                "published.place": "Alpha 70B, line 7",
                "published.on": "2025-01-01",
            },
            load={
                "mode": "burst",
                "request_rate_unbounded": True,
                "isl_target": 1024.0,
                "osl_target": 1024.0,
            },
            metrics=(
                ("output_token_throughput_per_gpu", "output_token_throughput_per_gpu/reported",
                 "value", 6463.0),
            ),
        ),
    )  # fmt: skip


def test_a_rate_is_per_system_and_its_tokens_unstated_where_the_page_does_not_say() -> None:
    (run,) = overview(PIVOT)
    assert run.metrics == (("token_throughput", "token_throughput/unstated", "value", 251.5),)
    assert run.facts["framework.version"] == "0.11.0"
    assert run.facts["parallelism.tp"] == 2
    assert "accelerator.count" not in run.facts


def test_the_column_of_the_old_tables_says_whether_a_rate_is_per_gpu() -> None:
    (system,) = overview(FLAT.format(per=""))
    (gpu,) = overview(FLAT.format(per="/GPU"))
    assert system.metrics[0][:2] == (
        "output_token_throughput",
        "output_token_throughput/reported",
    )
    assert gpu.metrics[0][0] == "output_token_throughput_per_gpu"
    assert gpu.load["max_batch_size"] == 64


def test_a_row_of_the_cookbook_is_one_run_and_accuracies_are_none() -> None:
    (run,) = cookbook("0.5.16")
    assert run.metrics == (
        ("ttft", "ttft/unstated", "value", 218.9),
        ("tpot", "tpot/unstated", "value", 3.0),
        ("token_throughput_per_gpu", "token_throughput_per_gpu/unstated", "value", 481.0),
    )
    assert run.load == {
        "mode": "closed_loop",
        "isl_target": 8192.0,
        "osl_target": 1024.0,
        "max_concurrency": 16,
    }
    assert run.facts["model.raw"] == "acme/alpha"
    assert run.facts["framework.version"] == "0.5.16"


def test_a_version_in_free_words_is_taken_apart_only_where_it_is_one() -> None:
    def stated(version: str) -> tuple[object, object, object]:
        facts = cookbook(version)[0].facts
        assert facts["user_meta.version_stated"] == version
        return (
            facts.get("framework.version"),
            facts.get("framework.commit"),
            facts.get("container.image"),
        )

    assert stated("v0.5.14 @ 49e384ce") == ("0.5.14", "49e384ce", None)
    assert stated("acme/alpha:dev @ c4271c3fe") == (None, "c4271c3fe", "acme/alpha:dev")
    assert stated("0.0.0.dev1+g631db6c75") == (None, "631db6c75", None)
    assert stated("main @ e0828ee3") == (None, "e0828ee3", None)
    assert stated("PR #27944") == (None, None, None)
