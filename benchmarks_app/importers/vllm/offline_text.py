"""Reads what ``vllm bench throughput`` and ``vllm bench latency`` print: one line a result.

**Units**: requests and tokens per second, seconds; rounded to two decimals by the throughput.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from benchmarks_app.contract import FileReading, FileRole, Notice, RunReading
from benchmarks_app.importers.console_commands import (
    Told,
    command_at,
    program_pattern,
    settings_of,
)
from benchmarks_app.importers.log_rows import log_parts
from benchmarks_app.importers.vllm.offline import read_latency, read_throughput
from benchmarks_app.reading.fields import is_number

FORMAT = "vllm.offline_text"
_NUMBER = r"\d{1,15}(?:\.\d{1,15})?"
_RATES = re.compile(
    rf"^Throughput: (?P<requests>{_NUMBER}) requests/s, (?P<total>{_NUMBER}) (?:total )?tokens/s"
    rf"(?:, (?P<output>{_NUMBER}) output tokens/s)?\s*$"
)
_LATENCY = re.compile(rf"^Avg latency: (?P<mean>{_NUMBER}) seconds\s*$")
_RESULT = re.compile(rf"(?:{_RATES.pattern})|(?:{_LATENCY.pattern})", re.MULTILINE)
_PERCENTILE = re.compile(
    rf"^(?P<percent>\d{{1,3}}(?:\.\d{{1,3}})?)% percentile latency: (?P<at>{_NUMBER}) seconds"
)
_TOKENS = re.compile(r"^Total num (?P<kind>prompt|output) tokens:\s+(?P<count>\d{1,18})\s*$")
_COMMAND = program_pattern(
    r"vllm bench (?:throughput|latency)|\S*python\S* .*benchmark_(?:throughput|latency)\.py"
)
_SETTINGS = {
    "model": "model_id", "tokenizer": "tokenizer_id", "num_prompts": "num_requests",
    "input_len": "input_len", "output_len": "output_len", "batch_size": "batch_size",
    "random_input_len": "random_input_len", "random_output_len": "random_output_len",
}  # fmt: skip
_MOST_BELOW = 100
# What tells of the load and has no key in the tools' result files.
_LENGTHS = ("input_len", "output_len", "random_input_len", "random_output_len", "batch_size")


@dataclass(slots=True)
class _Reader:
    """Walks the lines once."""

    runs: list[RunReading] = field(default_factory=list)
    passed: list[tuple[int, str]] = field(default_factory=list)
    told: Told = field(default_factory=Told)


def is_offline_text(text: str) -> bool:
    """Whether a text holds a printed result."""
    return _RESULT.search(text) is not None


def read_offline_text(text: str, tool: str) -> FileReading:
    """One run a printed result; the settings before it are of that result alone."""
    reader = _Reader()
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        at = _read_line(reader, lines, at)
    return FileReading(
        format=FORMAT,
        tool=tool,
        role=FileRole.RUNS,
        runs=tuple(reader.runs),
        unmapped=log_parts(reader.passed),
    )


def _read_line(reader: _Reader, lines: Sequence[str], at: int) -> int:
    command = command_at(lines, at, _COMMAND)
    if command:
        reader.told.call(command[0], _SETTINGS)
        return command[1]
    line = lines[at]
    rates, latency = _RATES.match(line), _LATENCY.match(line)
    if rates:
        values, taken = _rates(rates, lines[at + 1 : at + 1 + _MOST_BELOW])
    elif latency:
        values, taken = _latency(latency, lines[at + 1 : at + 1 + _MOST_BELOW])
    else:
        if "Namespace(" in line:
            reader.told.printed |= settings_of(line, _SETTINGS)
        reader.told.pass_line(line)
        reader.passed.append((at + 1, line))
        return at + 1
    reader.runs.append(_read_run(reader, values, at + 1, is_rate=rates is not None))
    return at + 1 + taken


def _rates(found: re.Match[str], below: Sequence[str]) -> tuple[dict[str, object], int]:
    """The rates and the token counts below them under the keys of a result file."""
    values: dict[str, object] = {
        "requests_per_second": float(found["requests"]),
        "tokens_per_second": float(found["total"]),
    }
    if found["output"]:
        values["output_tokens_per_second"] = float(found["output"])
    counts = list(_following(below, _TOKENS))
    for count in counts:
        kind = "input" if count["kind"] == "prompt" else "output"
        values[f"total_{kind}_tokens"] = int(count["count"])
    return values, len(counts)


def _latency(found: re.Match[str], below: Sequence[str]) -> tuple[dict[str, object], int]:
    """The mean and the percentiles below it under the keys of a result file."""
    percentiles = {one["percent"]: float(one["at"]) for one in _following(below, _PERCENTILE)}
    return {"avg_latency": float(found["mean"]), "percentiles": percentiles}, len(percentiles)


def _following(lines: Sequence[str], form: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The matches of the lines of a form, up to the first line of another."""
    for line in lines:
        found = form.match(line)
        if found is None:
            return
        yield found


def _read_run(
    reader: _Reader, values: dict[str, object], line: int, *, is_rate: bool
) -> RunReading:  # fmt: skip
    place = f"line {line}"
    command, told = reader.told.take()
    lengths = {name: told.pop(name, None) for name in _LENGTHS}
    read = read_throughput if is_rate else read_latency
    run = read({**told, **values}, index=len(reader.runs), pointer=place)
    sent, received, batch = (
        float(value) if is_number(value) else None
        for value in (
            lengths["input_len"] or lengths["random_input_len"],
            lengths["output_len"] or lengths["random_output_len"],
            lengths["batch_size"],
        )
    )
    load = replace(
        run.load,
        isl_target=sent,
        osl_target=received,
        batch_size=None if batch is None or is_rate else int(batch),
    )
    notices = tuple(one for one in run.notices if one.code != "load_only_in_filename")
    return replace(
        run,
        load=load,
        notices=(*notices, Notice("no_date"), Notice("rounded_values")),
        command=command,
    )
