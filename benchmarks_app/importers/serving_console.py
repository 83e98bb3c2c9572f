"""Finds the result blocks that vLLM's client and its descendants print, and names their values.

A block begins at its title line and ends at a closing rule or the next title. Its values get the
keys that the same client writes into its result file, so that both are read in one way.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks_app.importers.console_commands import (
    Plain,
    Told,
    command_at,
    plain_of,
    program_pattern,
    settings_of,
)
from benchmarks_app.importers.serving_stats import stat_name
from matrix.domain.redaction import mask_text

TITLE = "Serving Benchmark Result"
_TITLE_LINE = re.compile(rf"^\s*=+ ?{TITLE} ?=+\s*$")
_RULE = re.compile(r"^\s*={10,}\s*$")
_SECTION = re.compile(r"^\s*-{3}.*-{3}\s*$")
_VALUE = re.compile(r"([^:]+):\s*(\S.*)")  # Of a line without blanks around it.
_STATISTIC = re.compile(r"(?i)^(mean|median|std|min|max|p\d+(?:\.\d+)?) ([a-z0-9 ]+?) \(ms\)$")
_COMMAND = program_pattern(
    r"vllm bench serve|\S*python\S* .*(?:benchmark_serving|sglang\.bench_serving)"
)
# A command in a form that is not read, after which an earlier one says nothing of a block.
_OTHER_COMMAND = re.compile(r"\bbench(?:mark)?[_ ]serv(?:e|ing)(?:\.py)?\s+[-\\]")
_LABELS = {
    "backend": "backend",
    "traffic request rate": "request_rate",
    "request rate configured (rps)": "request_rate",
    "burstiness factor": "burstiness",
    "maximum request concurrency": "max_concurrency",
    "max request concurrency": "max_concurrency",
    "total requests": "num_prompts",
    "successful requests": "completed",
    "failed requests": "failed",
    "benchmark duration (s)": "duration",
    "total input tokens": "total_input_tokens",
    "total input text tokens": "total_input_text_tokens",
    "total input vision tokens": "total_input_vision_tokens",
    "total generated tokens": "total_output_tokens",
    "total generated tokens (retokenized)": "total_output_tokens_retokenized",
    "request throughput (req/s)": "request_throughput",
    "request goodput (req/s)": "request_goodput",
    "input token throughput (tok/s)": "input_throughput",
    "output token throughput (tok/s)": "output_throughput",
    "peak output token throughput (tok/s)": "max_output_tokens_per_s",
    "peak concurrent requests": "max_concurrent_requests",
    "total token throughput (tok/s)": "total_token_throughput",
    "concurrency": "concurrency",
    "accept length": "accept_length",
    "acceptance length": "spec_decode_acceptance_length",
}
_BEFORE_BLOCK = ("request_rate", "burstiness", "max_concurrency")
_WORDS = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2el": "e2el"}
_SETTINGS = {
    "model": "model_id", "tokenizer": "tokenizer_id", "backend": "backend",
    "num_prompts": "num_prompts", "request_rate": "request_rate", "burstiness": "burstiness",
    "max_concurrency": "max_concurrency", "num_prompt": "num_prompts",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    """One printed result. ``line`` is its title's; ``values`` has the keys of a result file."""

    line: int
    values: Mapping[str, Plain]
    command: str = ""


@dataclass(slots=True)
class _Reader:
    """Walks the lines once."""

    blocks: list[Block] = field(default_factory=list)
    unmapped: dict[str, object] = field(default_factory=dict)
    told: Told = field(default_factory=Told)
    passed: list[str] = field(default_factory=list)
    passed_line: int = 0

    def keep(self, line: int, text: str) -> None:
        """Remembers a line that says nothing known, joined to its neighbours."""
        if text.strip():
            self.passed_line = self.passed_line or line
            self.passed.append(text)

    def flush(self) -> None:
        if self.passed:
            self.unmapped[f"line {self.passed_line}"] = mask_text("\n".join(self.passed)).text
        self.passed, self.passed_line = [], 0


def read_blocks(text: str) -> tuple[list[Block], dict[str, object]]:
    """The blocks in their order, and the text around them by the line where it begins.

    Secrets, hosts and people in that text are masked.
    """
    reader = _Reader()
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        if _TITLE_LINE.match(lines[at]):
            reader.flush()
            at = _read_block(reader, lines, at)
        else:
            at = _read_outside(reader, lines, at)
    reader.flush()
    return reader.blocks, reader.unmapped


def is_console(text: str) -> bool:
    """Whether a text holds a result block."""
    return TITLE in text and any(_TITLE_LINE.match(line) for line in text.splitlines())


def is_of_sglang(text: str) -> bool:
    """Whether the blocks are of SGLang's client, which names the backend and counts twice."""
    return "(retokenized):" in text or bool(re.search(r"(?m)^[^\S\n]*Backend:\s", text))


def _read_block(reader: _Reader, lines: list[str], at: int) -> int:
    start = at + 1
    command, before = reader.told.take()
    values: dict[str, Plain] = {}
    at += 1
    while at < len(lines) and not _TITLE_LINE.match(lines[at]):
        line = lines[at]
        at += 1
        if _RULE.match(line):
            break
        if not line.strip() or _SECTION.match(line):
            continue
        match = _VALUE.match(line.strip())
        key = _key(match[1]) if match else None
        if match is None or key is None:
            reader.keep(at, line)
        else:
            values[key] = plain_of(match[2])
    reader.flush()
    if command and _is_of_another(before, values):
        command, before = "", {}
    reader.blocks.append(Block(start, {**before, **values}, command))
    return at


def _is_of_another(before: Mapping[str, Plain], values: Mapping[str, Plain]) -> bool:
    """Whether more requests ended than the command before sent."""
    sent, completed = before.get("num_prompts"), values.get("completed")
    return isinstance(sent, int) and isinstance(completed, int) and completed > sent


def _read_outside(reader: _Reader, lines: list[str], at: int) -> int:
    line = lines[at]
    command = command_at(lines, at, _COMMAND)
    if command:
        reader.told.call(command[0], _SETTINGS)
        return command[1]
    if "Namespace(" in line:
        reader.told.printed |= settings_of(line, _SETTINGS)
        reader.keep(at + 1, line)
        return at + 1
    if _OTHER_COMMAND.search(line):
        reader.told.call("", _SETTINGS)
    match = _VALUE.match(line.strip())
    key = _key(match[1]) if match else None
    if match and key in _BEFORE_BLOCK:
        # "1.0 (Poisson process)" is a number with a word on it.
        reader.told.printed[key] = plain_of(match[2].partition(" (")[0])
    else:
        reader.told.pass_line(line)
        reader.keep(at + 1, line)
    return at + 1


def _key(label: str) -> str | None:
    plain = " ".join(label.lower().split())
    if plain in _LABELS:
        return _LABELS[plain]
    match = _STATISTIC.match(plain)
    if match is None or stat_name(match[1]) is None:
        return None
    word = "e2e_latency" if match[2] == "e2e latency" else _WORDS.get(match[2])
    return f"{match[1]}_{word}_ms" if word else None
