"""EvalScope perf: summary and percentiles of one run, with arguments and workload beside them.

**Units**: each key names its own (latencies in s, TTFT in ms or s). **Source**: -1 says that a
figure does not apply; the input throughput divides by the sum of waits and is no wall clock.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks_app.contract import (
    Counts,
    Fact,
    FileReading,
    FileRole,
    Importer,
    Load,
    Measurement,
    Notice,
    RunReading,
    Tokens,
)
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.taking import measure, non_finite_notices
from benchmarks_app.reading.distributions import scale, stat_name
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields, is_number
from benchmarks_app.reading.private import part_private
from matrix.domain.phrases import Phrase
from matrix.domain.redaction import mask_text

TOOL = "evalscope"
# Old and new names of one figure, in lower case and without their unit.
_NAMES = {
    "test duration": "duration", "time taken for tests": "duration",
    "concurrency": "concurrency", "number of concurrency": "concurrency",
    "request rate": "rate",
    "total requests": "total", "success requests": "completed", "succeed requests": "completed",
    "failed requests": "failed",
    "stream requests": "streaming", "non-stream requests": "plain",
    "req throughput": "request_throughput", "request throughput": "request_throughput",
    "average qps": "request_throughput",
    "avg latency": "e2el", "average latency": "e2el",
    "avg ttft": "ttft", "ttft": "ttft", "average time to first token": "ttft",
    "avg tpot": "tpot", "tpot": "tpot", "average time per output token": "tpot",
    "avg itl": "itl", "itl": "itl", "average inter-token latency": "itl",
    "average package latency": "itl",
    "avg input tokens": "isl", "average input tokens per request": "isl",
    "avg output tokens": "osl", "average output tokens per request": "osl",
    "output throughput": "output", "output token throughput": "output",
    "throughput(average output tokens per second)": "output",
    "throughput(average tokens/s)": "output",
    "total throughput": "all_tokens", "total token throughput": "all_tokens",
    "input throughput": "input", "input token throughput": "input",
}  # fmt: skip
_COLUMNS = {
    "latency": ("e2el", "client"),
    "ttft": ("ttft", "first-chunk"),
    "first chunk latency": ("ttft", "first-chunk"),
    "tpot": ("tpot", "request"),
    "itl": ("itl", "chunk"),
    "inter token latency": ("itl", "chunk"),
    "output": ("output_token_throughput_per_request", "whole-request"),
    "throughput": ("output_token_throughput_per_request", "whole-request"),
    "decode": ("output_token_throughput_per_user", "inverse-tpot"),
}
_UNIT = re.compile(r"(?<!\s)\s*\(([^()]{0,80})\)\s*$")
_IN_MS = {"s": 1000.0, "seconds": 1000.0, "senconds": 1000.0, "ms": 1.0}
_PER_SECOND = frozenset({"tok/s", "tokens/s", "req/s"})
_DEFINITIONS = {"e2el": "client", "ttft": "first-chunk", "tpot": "request", "itl": "chunk"}


def _recognises(document: Document) -> str | None:
    value = document.value
    if document.kind is Kind.TEXT:
        head = document.text[:2000]
        is_report = "Performance Test Summary Report" in head and "Basic Information" in head
        return "evalscope.text" if is_report else None
    if document.kind is not Kind.JSON:
        return None
    if isinstance(value, list) and value and isinstance(value[0], dict):
        first = {_split(str(key))[0] for key in value[0]}
        is_table = {"percentiles", "latency"} <= first or {"percentile", "latency"} <= first
        return "evalscope.percentile" if is_table else None
    if not isinstance(value, dict):
        return None
    if {"parallel", "number", "outputs_dir", "dataset", "api"} <= set(value):
        return "evalscope.args"
    if {"n_samples", "wall_time_s", "rows", "last_window_s"} <= set(value):
        return "evalscope.workload"
    known = {_NAMES.get(_split(str(key))[0]) for key in value}
    own = {"duration", "concurrency", "completed", "failed", "e2el"} <= known
    return "evalscope.perf_summary" if own else None


def _split(key: str) -> tuple[str, str]:
    """The name of a figure in lower case, and its unit."""
    plain = key.strip().lower()
    if plain in _NAMES:
        return plain, ""
    unit = _UNIT.search(plain)
    return (_UNIT.sub("", plain), unit[1].strip()) if unit else (plain, "")


def _read(document: Document, found: str) -> FileReading:
    if found == "evalscope.perf_summary":
        return FileReading(found, TOOL, FileRole.RUNS, runs=(_read_summary(document),))
    if found == "evalscope.percentile":
        return FileReading(found, TOOL, FileRole.RUNS, runs=(_read_percentiles(document),))
    if found == "evalscope.args":
        return _read_arguments(document, found)
    if found == "evalscope.workload":
        return FileReading(
            found, TOOL, FileRole.SIDECAR, completes=(TOOL,), unmapped=Fields(document.value).rest()
        )
    return FileReading(
        found, TOOL, FileRole.ATTACHMENT, completes=(TOOL,),
        reason="The printed report of several runs, rounded; send benchmark_summary.json for one.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Figure:
    key: str
    unit: str
    value: float


class _Summary:
    """The figures of the summary under one name each; -1 does not apply and stays unmapped."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self._figures: dict[str, _Figure] = {}
        for key in fields.value:
            name, unit = _split(key)
            value = fields.value[key]
            if name in _NAMES and is_number(value):
                self._figures.setdefault(_NAMES[name], _Figure(key, unit, float(value)))

    def take(self, name: str) -> _Figure | None:
        figure = self._figures.get(name)
        if figure is None or figure.value == -1:
            return None
        self.fields.take(figure.key)
        return figure

    def has(self, beginning: str) -> bool:
        return any(key.strip().lower().startswith(beginning) for key in self.fields.value)

    def mark(self, name: str) -> None:
        self.fields.take(self._figures[name].key)

    def peek(self, name: str) -> float | None:
        figure = self._figures.get(name)
        return figure.value if figure else None

    def number(self, name: str) -> float | None:
        figure = self.take(name)
        return figure.value if figure else None

    def count(self, name: str) -> int | None:
        figure = self._figures.get(name)
        if figure is None or not figure.value.is_integer() or figure.value == -1:
            return None
        self.fields.take(figure.key)
        return int(figure.value)


def _read_summary(document: Document) -> RunReading:
    fields = Fields(document.value)
    summary = _Summary(fields)
    completed, failed = summary.count("completed"), summary.count("failed")
    if completed is None:
        raise ResultError(
            code="no-request-count",
            what=Phrase("The summary does not say how many requests succeeded"),
            place="$.Success Requests",
            accepted=Phrase("a whole number"),
        )
    total = summary.count("total")
    notices = [Notice(code) for code in ("no_model", "no_date", "rounded_values")]
    metrics = _summary_metrics(summary, notices) if completed != 0 else ()
    if completed == 0:
        notices.append(Notice("all_requests_failed"))
    load = _summary_load(summary, total)
    facts = {"tool.name": Fact("evalscope perf"), **_streaming(summary)}
    tokens = _summary_tokens(summary)
    kept, withheld = part_private(fields.rest(), ("Result DB path",))
    return RunReading(
        index=0, status=_status(completed, failed), facts=facts, load=load,
        requests=Counts(total=total, completed=completed, failed=failed), tokens=tokens,
        metrics=metrics, notices=(*notices, *non_finite_notices(fields)), unmapped=kept,
        withheld=withheld,
    )  # fmt: skip


def _status(completed: int, failed: int | None) -> RunStatus:
    if completed == 0:
        return RunStatus.FAILED
    return RunStatus.PARTIAL if failed else RunStatus.OK


def _streaming(summary: _Summary) -> dict[str, Fact]:
    """Whether answers were streamed, where all of them were sent alike."""
    streamed, plain = summary.peek("streaming"), summary.peek("plain")
    if streamed is None or plain is None or (streamed > 0) == (plain > 0):
        return {}
    summary.mark("streaming")
    summary.mark("plain")
    return {"load.streaming": Fact(streamed > 0, pointer="$.Stream Requests")}


def _summary_load(summary: _Summary, total: int | None) -> Load:
    is_unbounded = summary.peek("rate") == -1
    if is_unbounded:
        summary.mark("rate")
    rate = summary.number("rate")
    is_open = rate is not None and rate > 0
    return Load(
        mode=LoadMode.OPEN_LOOP if is_open else LoadMode.CLOSED_LOOP,
        request_rate=rate if is_open else None,
        request_rate_unbounded=True if is_unbounded else None,
        max_concurrency=summary.count("concurrency") or None,
        num_prompts=total,
        isl_mean=summary.number("isl"),
        osl_mean=summary.number("osl"),
    )


def _summary_tokens(summary: _Summary) -> Tokens:
    duration = summary.number("duration")
    return Tokens(duration_s=duration if duration and duration > 0 else None)


def _summary_metrics(summary: _Summary, notices: list[Notice]) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    only_plain = summary.peek("streaming") == 0 and (summary.peek("plain") or 0) > 0
    for name in ("ttft", "tpot", "itl", "e2el"):
        if only_plain and name != "e2el":
            # Without a stream the first token comes with the last; the figures stay unmapped.
            continue
        if name == "tpot" and _is_inverse_rate(summary):
            continue
        figure = summary.take(name)
        factor = _IN_MS.get(figure.unit) if figure else None
        value = scale(figure.value, factor) if figure and factor else None
        if figure and value is not None:
            found += measure(
                name, {"mean": value}, pointer=summary.fields.place(figure.key),
                definition=_definition(name, fields=summary.fields),
            )  # fmt: skip
    if only_plain and summary.peek("ttft") is not None:
        notices.append(Notice("ttft_dropped_not_streaming"))
    for name, metric in (
        ("request_throughput", "request_throughput"),
        ("output", "output_token_throughput"),
        ("all_tokens", "total_token_throughput"),
    ):
        figure = summary.take(name)
        if figure:
            found += measure(
                metric, {"value": figure.value}, pointer=summary.fields.place(figure.key),
                definition="successful",
            )  # fmt: skip
    if summary.peek("input") == 0:
        notices.append(Notice("input_throughput_zero_ignored"))
    return tuple(found)


def _is_inverse_rate(summary: _Summary) -> bool:
    """Whether what is called time per output token is the run's time by its output tokens, as up
    to 0.11: the inverse of the throughput, which says nothing of one request."""
    each, rate = summary.peek("tpot"), summary.peek("output")
    if each is None or rate is None or rate <= 0 or not summary.has("throughput(average"):
        return False
    # The file rounds the time to five digits.
    return abs(each - 1 / rate) <= 5.1e-6 + 2e-4 * each


def _definition(name: str, *, fields: Fields) -> str:
    """The definition; up to 0.17 the time per token was the mean gap between chunks."""
    if name == "tpot" and "Average package latency (s)" in fields:
        return "unstated"
    return _DEFINITIONS[name]


def _read_percentiles(document: Document) -> RunReading:
    """The percentiles, which complete the summary beside them.

    The part says nothing of failures, so by itself it is never more than partial.
    """
    rows = document.value if isinstance(document.value, list) else []
    stats: dict[str, dict[str, float]] = {}
    unmapped: dict[str, object] = {}
    in_seconds = False
    for i, row in enumerate(rows):
        cells = row if isinstance(row, dict) else {}
        label = next(
            (str(v) for k, v in cells.items() if _split(str(k))[0][:10] == "percentile"), ""
        )
        stat = stat_name(label)
        for key, value in cells.items():
            name, unit = _split(str(key))
            factor = _factor(name, unit)
            scaled = scale(value, factor) if factor is not None and is_number(value) else None
            if stat and scaled is not None:
                stats.setdefault(name, {})[stat] = scaled
                in_seconds = in_seconds or unit == "s"
            elif name[:10] != "percentile" or not stat:
                unmapped[f"$[{i}].{key}"] = value
        if not isinstance(row, dict):
            unmapped[f"$[{i}]"] = row
    columns = dict(_COLUMNS)
    if "itl" not in stats and "throughput" in stats:
        # Up to 0.16 the column of this name pooled the gaps between chunks.
        columns["tpot"] = columns["itl"]
    metrics = [
        one
        for name, found in stats.items()
        for one in measure(
            columns[name][0], found, pointer=f"$[*].{name}", definition=columns[name][1],
            method="nearest_rank",
        )
    ]  # fmt: skip
    return RunReading(
        index=0, status=RunStatus.PARTIAL, facts={"tool.name": Fact("evalscope perf")},
        metrics=tuple(metrics), complements=True, unmapped=unmapped,
        notices=(Notice("latency_in_seconds"),) if in_seconds else (),
    )  # fmt: skip


def _factor(name: str, unit: str) -> float | None:
    """The factor into the metric's unit; ``None`` for a column that is no metric."""
    if name not in _COLUMNS:
        return None
    is_rate = _COLUMNS[name][0].startswith("output_")
    return (1.0 if unit in _PER_SECOND else None) if is_rate else _IN_MS.get(unit)


def _read_arguments(document: Document, found: str) -> FileReading:
    arguments = Fields(document.value)
    stated: Mapping[str, str | bool | int | None] = {
        "model": arguments.text("model"),
        "tokenizer_path": arguments.text("tokenizer_path"),
        "dataset": arguments.text("dataset"),
        "api": arguments.text("api"),
        "stream": arguments.flag("stream"),
        "seed": arguments.integer("seed"),
    }
    names = {
        "model": "model.id", "tokenizer_path": "tokenizer.id", "dataset": "load.dataset",
        "api": "client.backend", "stream": "load.streaming", "seed": "load.seed",
    }  # fmt: skip
    facts = {
        names[key]: Fact(
            mask_text(value).text if isinstance(value, str) else value, pointer=f"$.{key}"
        )
        for key, value in stated.items()
        if value is not None
    }
    kept, withheld = part_private(arguments.rest(), ("query_template", "stop"))
    return FileReading(
        found, TOOL, FileRole.SIDECAR, facts=facts, completes=(TOOL,),
        notices=non_finite_notices(arguments), unmapped=kept, withheld=withheld,
    )  # fmt: skip


IMPORTER = Importer(
    tool=TOOL,
    formats=(
        "evalscope.perf_summary",
        "evalscope.percentile",
        "evalscope.args",
        "evalscope.workload",
        "evalscope.text",
    ),
    recognises=_recognises,
    read=_read,
)
