"""Texts made to keep a pattern busy: no importer takes longer over them than over any other."""

import time

import pytest

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.importers import read_file

# What the text forms of the tools begin with, so that their readers go on.
HEADS = {
    "none": "x\n",
    "llama-bench": "| model | size | params | backend | ngl | test | t/s |\n",
    "sql": "CREATE TABLE IF NOT EXISTS llama_bench (\n build_commit TEXT\n",
    "batched": "| PP | TG | B | N_KV | T_PP s | S_PP t/s |\n",
    "serving": "============ Serving Benchmark Result ============\n",
    "offline": "====== Offline Throughput Benchmark Result =======\n",
    "mlperf": "MLPerf Results Summary\n",
    "tgi": "| Step | Batch Size | Average | Lowest | Highest | p50 |\n",
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("unit", ["\n", " ", "\t\n", "-"], ids=["lines", "blanks", "tabs", "rules"])
def test_blank_lines_and_gaps_are_passed_over_once(head: str, unit: str) -> None:
    text = HEADS[head] + unit * (60_000 // len(unit)) + "\nz: 1\n"
    started = time.process_time()
    try:
        read_file("a.txt", text.encode())
    except ResultError as refused:
        assert str(refused)
    assert time.process_time() - started < 3.0
