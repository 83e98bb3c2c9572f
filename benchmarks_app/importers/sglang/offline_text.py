"""Reads the block that SGLang's ``bench_offline_throughput`` prints, rounded to two decimals."""

import re
from collections.abc import Sequence
from dataclasses import replace

from benchmarks_app.contract import FileReading, FileRole, Notice, RunReading
from benchmarks_app.importers.console_commands import (
    Plain,
    Told,
    command_at,
    plain_of,
    program_pattern,
)
from benchmarks_app.importers.log_rows import log_parts
from benchmarks_app.importers.model_identity import model_facts
from benchmarks_app.importers.sglang.offline import read_offline

FORMAT = "sglang.offline_text"
_TITLE = re.compile(r"^[^\S\n]*=+ Offline Throughput Benchmark Result =+\s*$", re.MULTILINE)
_RULE = re.compile(r"^\s*={10,}\s*$")
_VALUE = re.compile(r"([^:]+):\s*(\S.*)")  # Of a line without blanks around it.
_COMMAND = program_pattern(r"\S*python\S* .*sglang\.bench_offline_throughput")
_OPTIONS = {"model_path": "model", "model": "model"}
_LABELS = {
    "backend": "backend",
    "successful requests": "successful_requests",
    "benchmark duration (s)": "total_latency",
    "total input tokens": "total_input_tokens",
    "total generated tokens": "total_output_tokens",
    "last generation throughput (tok/s)": "last_gen_throughput",
    "request throughput (req/s)": "request_throughput",
    "input token throughput (tok/s)": "input_throughput",
    "output token throughput (tok/s)": "output_throughput",
    "total token throughput (tok/s)": "total_throughput",
}


def is_offline_text(text: str) -> bool:
    """Whether a text holds a printed block."""
    return _TITLE.search(text) is not None


def read_offline_text(text: str, tool: str) -> FileReading:
    """One run a block; the command before it is of that block alone."""
    lines = text.splitlines()
    runs: list[RunReading] = []
    passed: list[tuple[int, str]] = []
    told = Told()
    at = 0
    while at < len(lines):
        called = command_at(lines, at, _COMMAND)
        if called:
            told.call(called[0], _OPTIONS)
            at = called[1]
        elif _TITLE.match(lines[at]):
            values, end = _block(lines, at + 1, passed)
            runs.append(_read_run(values, told, index=len(runs), line=at + 1))
            at = end
        else:
            told.pass_line(lines[at])
            passed.append((at + 1, lines[at]))
            at += 1
    return FileReading(
        format=FORMAT,
        tool=tool,
        role=FileRole.RUNS,
        runs=tuple(runs),
        unmapped=log_parts(passed),
    )


def _block(
    lines: Sequence[str], at: int, passed: list[tuple[int, str]]
) -> tuple[dict[str, Plain], int]:
    """The values up to the closing rule or the next title, and the line that follows."""
    values: dict[str, Plain] = {}
    while at < len(lines) and not _TITLE.match(lines[at]):
        line = lines[at]
        at += 1
        if _RULE.match(line):
            break
        found = _VALUE.match(line.strip())
        key = _LABELS.get(" ".join(found[1].lower().split())) if found else None
        if found and key:
            values[key] = plain_of(found[2])
        else:
            passed.append((at, line))
    return values, at


def _read_run(values: dict[str, Plain], told: Told, *, index: int, line: int) -> RunReading:
    place = f"line {line}"
    run = read_offline(values, index=index, pointer=place)
    notices = (*run.notices, Notice("rounded_values"))
    facts = dict(run.facts)
    command, settings = told.take()
    model = settings.get("model")
    if isinstance(model, str):
        named, about = model_facts(model, place)
        facts |= named
        notices = (*(one for one in notices if one.code != "no_model"), *about)
    return replace(run, facts=facts, notices=notices, command=command)
