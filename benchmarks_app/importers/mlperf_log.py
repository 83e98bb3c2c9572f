"""MLPerf LoadGen's text logs: the summary of a run, and the detail log beside it.

**Units**: the summary holds nanoseconds. **Source**: percentiles are entries of the sorted list.
In the offline scenario all samples are one query, so latencies are times inside that batch.
"""

import json
import math
import re
from collections.abc import Iterator

from benchmarks_app.contract import (
    Fact,
    FileReading,
    FileRole,
    Load,
    Measurement,
    Notice,
    RunReading,
)
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.taking import measure

_TITLE = "MLPerf Results Summary"
_ACCURACY = re.compile(r"\s*No (?:warnings|errors) encountered during test\.\s*", re.MULTILINE)
_DETAIL = ":::MLLOG"
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_STAT = re.compile(
    r"(?:(?P<word>min|max|mean)|(?P<at>\d{1,3}(?:\.\d{1,6})?)(?:th)? percentile)\s+"
    r"(?P<what>latency|first token latency|time (?:to|per) output token)\s*\(ns\)",
    re.IGNORECASE,
)
_WHAT = {"latency": "e2el", "first token latency": "ttft"}
_RATES = {
    "completed samples per second": "request_throughput",
    "samples per second": "request_throughput",
    "completed tokens per second": "output_token_throughput",
    "tokens per second": "output_token_throughput",
    "tokens per second (inferred)": "output_token_throughput",
}
_MODES = {
    "server": LoadMode.OPEN_LOOP, "interactive": LoadMode.OPEN_LOOP,
    "offline": LoadMode.OFFLINE_BATCH, "singlestream": LoadMode.CLOSED_LOOP,
    "multistream": LoadMode.CLOSED_LOOP,
}  # fmt: skip
_FACTS = {"sut name": "mlperf.sut", "scenario": "mlperf.scenario", "mode": "mlperf.mode"}
# The benchmarks of language models; a path that holds one says what the log does not.
_BENCHMARKS = re.compile(
    r"(?i)llama[23](?:\.\d)?-\d+b|gptj|gpt-j|gpt-oss-\d+b|mixtral-8x7b|deepseek-(?:r|v)\d|"
    r"qwen\d|bert|stable-diffusion|whisper"
)


def load_mode(scenario: str) -> LoadMode | None:
    """How load is offered in a scenario."""
    return _MODES.get(scenario.strip().lower().replace(" ", ""))


def recognise_log(text: str) -> str | None:
    """The format of a text log."""
    if text.lstrip().startswith(_DETAIL):
        return "mlperf.detail_log"
    if _TITLE in text[:400]:
        return "mlperf.loadgen_summary"
    is_empty = len(text) < 2000 and not _ACCURACY.sub("", text).strip()
    return "mlperf.loadgen_summary" if is_empty and text.strip() else None


class _Log:
    """The lines of a summary by name; what nobody takes stays under its line."""

    def __init__(self, text: str) -> None:
        self.lines: dict[int, tuple[str, str]] = {}
        self.rest: dict[str, object] = {}
        for number, line in enumerate(text.splitlines(), 1):
            told, _sign, value = (part.strip() for part in line.partition(":"))
            if told and value:
                self.lines[number] = (told, value)
            elif line.strip(" =-") and _TITLE not in line:
                self.rest[f"line {number}"] = line.strip()

    def peek(self, name: str) -> str | None:
        """The value of the first line of a name."""
        return next((v for one, v in self.lines.values() if one.lower() == name), None)

    def take(self, name: str) -> tuple[str, int] | None:
        """The first line of a name, taken; further ones of the same value repeat it."""
        places = [n for n, (one, _value) in self.lines.items() if one.lower() == name]
        if not places:
            return None
        value = self.lines[places[0]][1]
        for place in places:
            if self.lines[place][1] == value:
                self.lines[place] = ("", value)
        return value, places[0]

    def unmapped(self) -> dict[str, object]:
        left = {f"line {n}": f"{one} : {v}" for n, (one, v) in self.lines.items() if one}
        return {**self.rest, **left}


def read_summary(name: str, text: str, found: str, tool: str) -> FileReading:
    """One run, or a refusal of a log of accuracy alone."""
    log = _Log(text)
    mode = log.take("mode")
    if _TITLE not in text[:400] or (mode and mode[0].lower().startswith("accuracyonly")):
        return FileReading(
            found, tool, FileRole.REJECTED,
            reason="The log of an accuracy run holds no performance; send the summary of "
            "performance/run_1.",
        )  # fmt: skip
    facts = {"tool.name": Fact("MLPerf LoadGen")}
    if mode:
        facts["mlperf.mode"] = Fact(mode[0], pointer=f"line {mode[1]}")
    for label, fact in _FACTS.items():
        taken = log.take(label)
        if taken:
            facts[fact] = Fact(taken[0], pointer=f"line {taken[1]}")
    scenario = str(facts["mlperf.scenario"].value) if "mlperf.scenario" in facts else ""
    notices, status = _verdict(log, facts)
    notices.append(Notice("model_only_in_path" if _BENCHMARKS.search(name) else "no_model"))
    metrics = (*_rates(log), *_latencies(log, load_mode(scenario)))
    load = _load(log, load_mode(scenario))
    run = RunReading(
        index=0, status=status, pointer="line 1", facts=facts, load=load, metrics=metrics,
        notices=tuple(notices), unmapped=log.unmapped(),
    )  # fmt: skip
    return FileReading(found, tool, FileRole.RUNS, runs=(run,))


def _verdict(log: _Log, facts: dict[str, Fact]) -> tuple[list[Notice], RunStatus]:
    notices = [Notice("no_date")]
    taken = log.take("result is")
    if not taken:
        return notices, RunStatus.SUSPECT
    is_valid = taken[0].upper() == "VALID"
    facts["mlperf.valid"] = Fact(is_valid, pointer=f"line {taken[1]}")
    if not is_valid:
        notices.append(Notice("mlperf_invalid", pointer=f"line {taken[1]}"))
    return notices, RunStatus.OK if is_valid else RunStatus.INVALID


def _take_number(log: _Log, name: str) -> tuple[float, int] | None:
    text = log.peek(name)
    if text is None or _as_number(text) is None:
        return None
    taken = log.take(name)
    return (float(text), taken[1]) if taken else None


def _as_number(text: str) -> float | None:
    number = float(text) if _NUMBER.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def _rates(log: _Log) -> Iterator[Measurement]:
    seen: set[str] = set()
    for name, metric in _RATES.items():
        taken = None if metric in seen else _take_number(log, name)
        if taken:
            seen.add(metric)
            yield from measure(
                metric, {"value": taken[0]}, pointer=f"line {taken[1]}", definition="reported"
            )


def _latencies(log: _Log, mode: LoadMode | None) -> Iterator[Measurement]:
    stats: dict[str, dict[str, float]] = {}
    places: dict[str, int] = {}
    for line, (name, value) in list(log.lines.items()):
        found = _STAT.fullmatch(name)
        nanoseconds = _as_number(value)
        if not found or nanoseconds is None or float(found["at"] or 0) > 100:
            continue
        metric = _WHAT.get(found["what"].lower(), "tpot")
        stat = found["word"].lower() if found["word"] else f"p{float(found['at']):g}"
        if stat in stats.get(metric, {}) and stats[metric][stat] != nanoseconds / 1e6:
            continue
        stats.setdefault(metric, {})[stat] = nanoseconds / 1e6
        places.setdefault(metric, line)
        log.lines[line] = ("", value)
    whole = "batch-query" if mode is LoadMode.OFFLINE_BATCH else "client"
    definitions = {"e2el": whole, "ttft": "first-output", "tpot": "request"}
    for metric, found_stats in stats.items():
        yield from measure(
            metric, found_stats, pointer=f"line {places[metric]}", definition=definitions[metric],
            method="nearest_rank",
        )  # fmt: skip


def _load(log: _Log, mode: LoadMode | None) -> Load:
    rate = _take_number(log, "target_qps") if mode is LoadMode.OPEN_LOOP else None
    limits: dict[str, float] = {}
    for name, key in (("ttft_latency (ns)", "ttft_ms"), ("tpot_latency (ns)", "tpot_ms")):
        # Only requests that arrive by themselves are held to limits; elsewhere the log prints
        # what the settings would be.
        taken = _take_number(log, name) if mode is LoadMode.OPEN_LOOP else None
        if taken and taken[0] > 0:
            limits[key] = taken[0] / 1e6
    single = 1 if mode is LoadMode.CLOSED_LOOP else None
    return Load(
        mode=mode,
        request_rate=rate[0] if rate else None,
        max_concurrency=single,
        slo=json.dumps(limits) if limits else None,
    )


_DETAIL_FACTS = {
    "loadgen_version": "tool.version",
    "sut_name": "mlperf.sut",
    "effective_scenario": "mlperf.scenario",
    "effective_test_mode": "mlperf.mode",
}
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z?")


def read_detail(text: str, found: str, tool: str) -> FileReading:
    """What the detail log says of the run beside it: LoadGen's version and the start."""
    facts: dict[str, Fact] = {}
    unmapped: dict[str, object] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        entry = _entry(line)
        key, value = entry.get("key"), entry.get("value")
        name = _DETAIL_FACTS.get(key) if isinstance(key, str) else None
        moment = _MOMENT.match(value) if key == "test_datetime" and isinstance(value, str) else None
        if moment:
            facts["run.started_at"] = Fact(f"{moment[1]}+00:00", pointer=f"line {number}")
        elif name and isinstance(value, (str, int, float)) and value != "":
            facts[name] = Fact(value, pointer=f"line {number}")
        else:
            unmapped[f"line {number}"] = entry or line
    return FileReading(
        found, tool, FileRole.SIDECAR, facts=facts, completes=(tool,), unmapped=unmapped
    )  # fmt: skip


def _entry(line: str) -> dict[str, object]:
    """The object of one line of the detail log, empty where it is broken."""
    try:
        value = json.loads(line.strip().removeprefix(_DETAIL))
    except (json.JSONDecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
