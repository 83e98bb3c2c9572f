"""Reads what vLLM's client printed: one run a block, rounded to two decimals."""

from dataclasses import replace

from benchmarks_app.contract import Fact, FileReading, FileRole
from benchmarks_app.importers.serving_console import read_blocks
from benchmarks_app.importers.vllm.serve import read_serve_run


def read_console(text: str, found: str, tool: str) -> FileReading:
    """One run a block; where it stands is the line of its title."""
    blocks, unmapped = read_blocks(text)
    runs = []
    for index, block in enumerate(blocks):
        run = read_serve_run(dict(block.values), index=index, pointer=f"line {block.line}")
        facts = {**run.facts, "tool.name": Fact("vllm benchmark_serving")}
        runs.append(replace(run, facts=facts, command=block.command))
    return FileReading(
        format=found, tool=tool, role=FileRole.RUNS, runs=tuple(runs), unmapped=unmapped
    )
