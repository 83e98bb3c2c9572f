"""text-generation-benchmark: its tables, often inside a person's notes."""

import pytest

from benchmarks_app.contract import Measurement
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.importers import read_file

TEXT = """\
# Deployment
- model_id: "example/other"
- revision: None
- quantize: bitsandbytes
- master_addr: "node-17.lab"
- max_batch_total_tokens: 32000

| Parameter       | Value        |
|-----------------|--------------|
| Model           | example/tiny |
| Sequence Length | 100          |
| Decode Length   | 8            |
| N Runs          | 10           |
| Warmups         | 1            |
| Temperature     | None         |
| Top K           | 40           |
| New Option      | yes          |

# Num Shards: 2
## Tensor Parallel (TP) - 2 GPUs
| Step           | Batch Size | Average  | Lowest   | Highest  | p50      | p90      | p99      |
|----------------|------------|----------|----------|----------|----------|----------|----------|
| Prefill        | 1          | 39.20 ms | 35.88 ms | 56.42 ms | 36.64 ms | 56.42 ms | 56.42 ms |
|                | 2          | 47.97 ms | 46.30 ms | 54.17 ms | 47.43 ms | 54.17 ms | 54.17 ms |
| Decode (token) | 1          | 14.70 ms | 14.41 ms | 15.01 ms | 14.78 ms | 14.41 ms | 14.41 ms |
|                | 2          | 14.95 ms | 14.88 ms | 15.04 ms | 14.93 ms | 14.97 ms | 14.97 ms |
| Decode (total) | 1          | 102.9 ms | 100.9 ms | 105.1 ms | 103.5 ms | 100.9 ms | 100.9 ms |


| Step    | Batch Size | Average           | Lowest            | Highest           |
|---------|------------|-------------------|-------------------|-------------------|
| Prefill | 1          | 25.99 tokens/secs | 17.72 tokens/secs | 27.87 tokens/secs |
|         | 2          | 41.76 tokens/secs | 36.92 tokens/secs | 43.20 tokens/secs |
| Decode  | 1          | 68.05 tokens/secs | 66.64 tokens/secs | 69.39 tokens/secs |

# Num Shards: 4
| Step           | Batch Size | Average  | Lowest   | Highest  | p50      | p90      | p99      |
|----------------|------------|----------|----------|----------|----------|----------|----------|
| Prefill        | 1          | 20.00 ms | 19.00 ms | 21.00 ms | 20.00 ms | 21.00 ms | 21.00 ms |
"""
ONE_SIZE = """\
## Plain
| Step           | Batch Size | Average  | Lowest   | Highest  | p50      | p90      | p99      |
|----------------|------------|----------|----------|----------|----------|----------|----------|
| Prefill        | 16         | 20.00 ms | 19.00 ms | 21.00 ms | 20.00 ms | 21.00 ms | 21.00 ms |
| Decode (token) |            | 12.00 ms | 11.00 ms |          | 12.00 ms | 12.00 ms | 12.00 ms |
"""
SAMPLES: dict[str, bytes] = {"tgi.md": TEXT.encode(), "one.md": ONE_SIZE.encode()}


def test_each_batch_size_of_each_pair_of_tables_is_a_run() -> None:
    reading = read_file("tgi.md", SAMPLES["tgi.md"])

    assert reading.format == "tgi_benchmark.md"
    assert [
        (run.index, run.load.batch_size, run.facts["parallelism.tp"].value) for run in reading.runs
    ] == [(0, 1, 2), (1, 2, 2), (2, 1, 4)]


def test_a_blank_cell_repeats_the_one_above_it() -> None:
    (run,) = read_file("one.md", SAMPLES["one.md"]).runs

    assert run.load.batch_size == 16
    assert run.metrics[1].stats == {"mean": 12.0, "min": 11.0, "max": 21.0}
    assert run.unmapped["line 1"] == "Plain"


def test_a_run_has_latencies_and_rates_and_no_percentile_of_unsorted_lists() -> None:
    run = read_file("tgi.md", SAMPLES["tgi.md"]).runs[0]

    assert run.metrics == (
        Measurement(
            "prefill_latency",
            "prefill_latency/batch",
            {"mean": 39.2, "min": 35.88, "max": 56.42, "p50": 36.64, "p90": 56.42, "p99": 56.42},
            "line 23",
        ),
        Measurement(
            "decode_step_latency",
            "decode_step_latency/step",
            {"mean": 14.7, "min": 14.41, "max": 15.01},
            "line 23",
        ),
        Measurement(
            "decode_latency",
            "decode_latency/batch",
            {"mean": 102.9, "min": 100.9, "max": 105.1},
            "line 23",
        ),
        Measurement(
            "prefill_throughput",
            "prefill_throughput/first-tokens",
            {"mean": 25.99, "min": 17.72, "max": 27.87},
            "line 23",
        ),
        Measurement(
            "decode_throughput",
            "decode_throughput/generated-tokens",
            {"mean": 68.05, "min": 66.64, "max": 69.39},
            "line 23",
        ),
    )
    assert [notice.code for notice in run.notices] == [
        "tgi_decode_percentiles_unreliable",
        "rounded_values",
        "no_date",
    ]
    assert run.unmapped == {
        "line 1": "Deployment",
        "line 25, Decode (token), p50": "14.78 ms",
        "line 25, Decode (token), p90": "14.41 ms",
        "line 25, Decode (token), p99": "14.41 ms",
        "line 27, Decode (total), p50": "103.5 ms",
        "line 27, Decode (total), p90": "100.9 ms",
        "line 27, Decode (total), p99": "100.9 ms",
        "Parameter, New Option": "yes",
    }


def test_parameters_and_notes_above_the_tables_are_facts_and_load() -> None:
    run = read_file("tgi.md", SAMPLES["tgi.md"]).runs[0]

    assert {name: fact.value for name, fact in run.facts.items()} == {
        "tool.name": "text-generation-benchmark",
        "framework.name": "TGI",
        "model.id": "example/tiny",
        "parallelism.tp": 2,
        "quantization.weights": "bitsandbytes",
        "server_param.max_batch_total_tokens": "32000",
    }
    assert run.load.mode is LoadMode.OFFLINE_BATCH
    assert (run.load.isl_target, run.load.osl_target, run.load.warmup) == (100.0, 8.0, "1")
    assert run.load.extra == {"n_runs": 10, "top_k": "40"}


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("46.30 ms", "fast", "line 24"),
        ("| 2          | 47.97 ms", "| two        | 47.97 ms", "line 24"),
        ("41.76 tokens/secs", "41.76 ms", "line 33"),
        (" | 54.17 ms | 54.17 ms |", " | 54.17 ms |", "line 24"),
    ],
)  # fmt: skip
def test_a_broken_row_is_refused_with_its_line(old: str, new: str, line: str) -> None:
    with pytest.raises(ResultError) as raised:
        read_file("tgi.md", TEXT.replace(old, new, 1).encode())
    assert raised.value.facts["place"] == line
