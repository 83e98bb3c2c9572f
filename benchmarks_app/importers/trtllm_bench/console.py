"""Rebuilds the reports of trtllm-bench from the text that it prints, in a log or alone.

**Source**: the console reports of TensorRT-LLM 0.16 to 1.3.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks_app.contract import Fact, Notice, RunReading
from benchmarks_app.importers.trtllm_bench.report import is_report, read_report

HEADING = re.compile(r"^= (?:ENGINE DETAILS|[A-Z_]+ BACKEND)\s*$", re.MULTILINE)
# The second is the report of the command "latency", until 0.17.
OVERVIEW = re.compile(r"^= (?:PERFORMANCE|THROUGHPUT) OVERVIEW\s*$", re.MULTILINE)
_SECTION = re.compile(r"^= (?P<title>[A-Z_+ ]+?)(?: \((?P<mode>[^)]*)\))?\s*$")
_STAMP = re.compile(r"^\[(?P<m>\d\d)/(?P<d>\d\d)/(?P<y>\d{4})-(?P<time>\d\d:\d\d:\d\d)\]")
_LINE = re.compile(r"^(?P<name>[A-Z][^:\t]{2,60}?):\s*(?P<value>\S.*?)\s*$")
_STAT = re.compile(
    r"^\[(?P<block>TPOT|TTFT|GTPS|Latency|DT|ADT|DAR|AL)\] (?P<stat>\w+)\s*: (?P<value>\S+)\s*$"
)
_LENGTHS = re.compile(r"^(?P<stat>MIN|MAX|AVG|P\d+):\s+(?P<isl>\S+)\s+(?P<osl>\S+)\s+(?P<seq>\S+)")
_PLACES = {
    "model": ("engine", "model"), "model path": ("engine", "model_path"),
    "engine directory": ("engine", "engine_dir"),
    "tensorrt-llm version": ("engine", "version"), "tensorrt llm version": ("engine", "version"),
    "dtype": ("engine", "dtype"), "kv cache dtype": ("engine", "kv_cache_dtype"),
    "quantization": ("engine", "quantization"),
    "max input length": ("engine", "max_input_length"),
    "max sequence length": ("engine", "max_sequence_length"),
    "tp size": ("world_info", "tp_size"), "pp size": ("world_info", "pp_size"),
    "ep size": ("world_info", "ep_size"),
    "max runtime batch size": ("world_info", "max_batch_size"),
    "max runtime tokens": ("world_info", "max_num_tokens"),
    "scheduling policy": ("world_info", "scheduling_policy"),
    "kv memory percentage": ("world_info", "kv_cache_percentage"),
    "issue rate": ("world_info", "issue_rate"),
    "number of requests": ("request_info", "num_requests"),
    "number of concurrent requests": ("request_info", "avg_num_concurrent_requests"),
    "average input length": ("request_info", "avg_input_length"),
    "average output length": ("request_info", "avg_output_length"),
    # Until 0.16 the one rate of tokens counted output tokens only.
    "token throughput": ("performance", "system_output_throughput_tok_s"),
    "total output throughput": ("performance", "system_output_throughput_tok_s"),
    "total token throughput": ("performance", "system_total_throughput_tok_s"),
    "request throughput": ("performance", "request_throughput_req_s"),
    "total latency": ("performance", "total_latency_ms"),
    "average request latency": ("performance", "avg_request_latency_ms"),
    "per user output throughput": ("performance", "output_throughput_per_user_tok_s"),
    "per gpu output throughput": ("performance", "output_throughput_per_gpu_tok_s"),
    "average time-to-first-token": ("streaming_metrics", "avg_ttft_ms"),
    "average time-per-output-token": ("streaming_metrics", "avg_tpot_ms"),
    "per user output speed": ("streaming_metrics", "token_output_speed_tok_s"),
    "average inter-token latency": ("streaming_metrics", "avg_tpot_ms"),
    "generation token throughput": ("streaming_metrics", "token_output_speed_tok_s"),
    "dataset path": ("dataset", "dataset_path"),
    "number of sequences": ("dataset", "num_requests"),
    "total energy": ("energy", "total_energy_j"),
    "average gpu power": ("energy", "average_gpu_power"),
}  # fmt: skip
# In the report of "latency" the rate that is called total counts output tokens alone.
_LATENCY_SECTION = "THROUGHPUT OVERVIEW"
_LATENCY_PLACES = {"total token throughput": ("performance", "system_output_throughput_tok_s")}
_BLOCKS = {
    "TPOT": ("streaming_metrics", "tpot_percentiles"),
    "TTFT": ("streaming_metrics", "ttft_percentiles"),
    "GTPS": ("streaming_metrics", "gen_tps_percentiles"),
    "Latency": ("performance", "request_latency_percentiles_ms"),
    "DT": ("decoding_stats", "num_draft_tokens_percentiles"),
    "ADT": ("decoding_stats", "num_accepted_draft_tokens_percentiles"),
    "DAR": ("decoding_stats", "draft_acceptance_rate_percentiles"),
    "AL": ("decoding_stats", "acceptance_length_percentiles"),
}
_LENGTH_BLOCKS = (("isl_stats", "isl"), ("osl_stats", "osl"), ("seq_len_stats", "seq"))
_STATS = {"MIN": "minimum", "MAX": "maximum", "AVG": "average"}


@dataclass(slots=True)
class _Report:
    """One report while its lines are read."""

    line: int
    section: str = ""
    value: dict[str, object] = field(default_factory=dict)

    def put(self, section: str, name: str, value: object) -> None:
        inner = self.value.setdefault(section, {})
        if isinstance(inner, dict):
            inner[name] = value

    def put_stat(self, section: str, block: str, stat: str, value: object) -> None:
        outer = self.value.setdefault(section, {})
        if isinstance(outer, dict):
            inner = outer.setdefault(block, {})
            if isinstance(inner, dict):
                inner[stat] = value


def read_console(text: str) -> tuple[RunReading, ...]:
    """A run for each whole report of a text; a report without its overview is none."""
    lines = text.splitlines()
    starts = [at for at, line in enumerate(lines) if HEADING.match(line)]
    runs: list[RunReading] = []
    for number, start in enumerate(starts):
        stop = starts[number + 1] if number + 1 < len(starts) else len(lines)
        report = _Report(start + 1)
        for line in _report_lines(lines[start:stop]):
            _read_line(report, line)
        if not is_report(report.value):
            continue
        runs.append(
            read_report(
                report.value,
                index=len(runs),
                pointer=f"line {report.line}",
                facts=_date(lines, start),
                notices=(Notice("rounded_values", pointer=f"line {report.line}"),),
            )
        )
    return tuple(runs)


def _report_lines(lines: Sequence[str]) -> list[str]:
    """The lines up to the log line that follows the report; lines of other processes between
    them are passed over."""
    found: list[str] = []
    has_overview = False
    for line in lines:
        if line.startswith(("[TensorRT-LLM]", "[TensorRT-LLM][")):
            continue
        if _STAMP.match(line):
            if has_overview:
                break
            continue
        has_overview = has_overview or bool(OVERVIEW.match(line))
        found.append(line)
    return found


def _read_line(report: _Report, line: str) -> None:
    section = _SECTION.match(line)
    if section:
        report.section = section["title"]
        if section["title"].startswith("DECODING STATISTICS") and section["mode"]:
            report.put("decoding_stats", "mode", section["mode"])
        if section["title"] in ("PYTORCH BACKEND", "_AUTODEPLOY BACKEND"):
            report.put("engine", "backend", section["title"].removesuffix(" BACKEND").capitalize())
        return
    stat = _STAT.match(line)
    if stat:
        name = _STATS.get(stat["stat"], stat["stat"].lower())
        report.put_stat(*_BLOCKS[stat["block"]], name, _value(stat["value"]))
        return
    lengths = _LENGTHS.match(line)
    if lengths:
        name = _STATS.get(lengths["stat"], lengths["stat"].lower())
        for block, column in _LENGTH_BLOCKS:
            report.put_stat("dataset", block, name, _value(lengths[column]))
        return
    pair = _LINE.match(line)
    if pair:
        # Units and remarks in brackets changed between versions; the words before them did not.
        name = re.sub(r"\s*[\[(].*$", "", pair["name"]).strip().lower()
        places = _PLACES
        if report.section == _LATENCY_SECTION:
            places = {**_PLACES, **_LATENCY_PLACES}
        section_name, key = places.get(name, ("other", pair["name"].strip()))
        report.put(section_name, key, _value(pair["value"]))


def _value(text: str) -> object:
    if text in ("None", "N/A", "null"):
        return None
    if re.fullmatch(r"\d+(?:\.\d+)?%", text):
        return round(float(text[:-1]) / 100, 6)
    if re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    if re.fullmatch(r"-?\d+\.\d+(?:[eE][+-]?\d{1,3})?", text):
        return float(text)
    return text


def _date(lines: Sequence[str], start: int) -> dict[str, Fact]:
    """The time of the log line that printed the report: the end of the run, without a zone."""
    for at in range(start - 1, max(start - 200, -1), -1):
        found = _STAMP.match(lines[at])
        if found:
            when = f"{found['y']}-{found['m']}-{found['d']}T{found['time']}"
            return {"run.finished_at_local": Fact(when, pointer=f"line {at + 1}")}
    return {}
