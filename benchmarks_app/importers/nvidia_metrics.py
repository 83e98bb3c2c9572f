"""Reads the metric objects that GenAI-Perf and AIPerf share: unit, mean, percentiles.

**Source**: both tools write one object a metric, ``{unit, avg, p1…p99, min, max, std}``; their
CSV tables hold the same under printed names. "Inter token latency" is what others call TPOT.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks_app.contract import Measurement
from benchmarks_app.domain.metrics import METRICS, Unit
from benchmarks_app.reading.fields import Fields, is_number
from benchmarks_app.reading.tables import Row


@dataclass(frozen=True, slots=True)
class Source:
    """What a metric object means. ``scalar`` objects hold one number of the whole run."""

    key: str
    metric: str
    definition: str
    scalar: bool = False


# Means of one request each; percentiles are numpy's.
_COMMON = (
    Source("request_latency", "e2el", "client"),
    Source("time_to_first_token", "ttft", "first-output"),
    Source("time_to_second_token", "ttst", "second-chunk"),
    Source("inter_token_latency", "tpot", "request"),
    Source("output_token_throughput_per_user", "output_token_throughput_per_user", "inverse-tpot"),
)
GENAI_PERF_SOURCES: tuple[Source, ...] = (
    *_COMMON,
    Source(
        "output_token_throughput_per_request",
        "output_token_throughput_per_request",
        "whole-request",
    ),
    # It counts every request that was answered, an answer with an error too.
    Source("request_throughput", "request_throughput", "all", scalar=True),
    Source("output_token_throughput", "output_token_throughput", "all", scalar=True),
    Source("request_goodput", "goodput", "successful", scalar=True),
)
AIPERF_SOURCES: tuple[Source, ...] = (
    *_COMMON,
    Source("inter_chunk_latency", "itl", "chunk"),
    Source("e2e_output_token_throughput", "output_token_throughput_per_request", "whole-request"),
    Source("request_throughput", "request_throughput", "successful", scalar=True),
    Source("output_token_throughput", "output_token_throughput", "successful", scalar=True),
    Source("input_token_throughput", "input_token_throughput", "successful", scalar=True),
    Source("total_token_throughput", "total_token_throughput", "successful", scalar=True),
    Source("goodput", "goodput", "successful", scalar=True),
    Source("effective_concurrency", "achieved_concurrency", "mean-in-flight", scalar=True),
)
_TOKEN_RATES = {"tokens/sec": 1.0, "tokens/s": 1.0, "tokens/sec/user": 1.0, "per sec": 1.0}
_SCALES: Mapping[Unit, Mapping[str, float]] = {
    Unit.MILLISECONDS: {"ms": 1.0, "s": 1e3, "sec": 1e3, "us": 1e-3, "µs": 1e-3, "ns": 1e-6},
    Unit.SECONDS: {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    Unit.REQUESTS_PER_SECOND: {"requests/sec": 1.0, "requests/s": 1.0, "per sec": 1.0},
    Unit.TOKENS_PER_SECOND: _TOKEN_RATES,
    Unit.TOKENS_PER_SECOND_PER_USER: _TOKEN_RATES,
    Unit.REQUESTS: {"requests": 1.0, "count": 1.0},
}
_PLAIN_STATS: Mapping[str, str] = {
    "avg": "mean", "std": "std", "min": "min", "max": "max", "count": "count", "sum": "sum",
}  # fmt: skip
_PERCENTILE = re.compile(r"p\d{1,2}(?:\.\d+)?")
# Names that older versions and the tables use for the same.
_ALIASES: Mapping[str, str] = {
    "num_output_token": "output_sequence_length",
    "num_input_token": "input_sequence_length",
    "total_input_sequence_length": "total_isl",
    "total_output_sequence_length": "total_osl",
    "error_input_sequence_length": "error_isl",
    "total_error_input_sequence_length": "total_error_isl",
    "request_goodput": "request_goodput",
}
_LABEL = re.compile(r"\A(?P<name>.*?)(?:\((?P<unit>[^()]*)\))?\Z", re.DOTALL)


def metric_objects(report: Fields) -> dict[str, Fields]:
    """The metric objects of a report by their present name; every other field stays."""
    return {
        _ALIASES.get(key, key): report.child(key)
        for key, value in report.value.items()
        if isinstance(value, dict) and isinstance(value.get("unit"), str)
    }


def table_objects(rows: Iterable[Row], header: Sequence[str]) -> dict[str, Fields]:
    """The rows of a printed table as metric objects; blank cells are absent.

    ``header`` is that of the table; a column "Value" is the mean of one number.
    """
    found = {}
    for row in rows:
        label = _LABEL.match(row.cells[0].strip())
        name, unit = (label["name"].rstrip(), label["unit"] or "") if label else (row.cells[0], "")
        key = re.sub(r"\W+", "_", name.strip().lower()).strip("_")
        columns = ("avg" if column == "Value" else column for column in header[1:])
        value: dict[str, object] = {"unit": unit or "count"}
        cells = zip(columns, row.cells[1:], strict=False)
        value |= {column: cell.strip() for column, cell in cells if cell.strip() not in _BLANK}
        found[_ALIASES.get(key, key)] = Fields(value, f"line {row.line}, {name}")
    return found


_BLANK = frozenset({"", "N/A", "None", "nan"})


def read_measurements(
    objects: Mapping[str, Fields], sources: Iterable[Source], *, as_text: bool = False
) -> tuple[Measurement, ...]:
    """The measurements of the objects whose unit is known; others stay in the rest.

    ``as_text`` reads numbers that are written as texts too.
    """
    found = []
    for source in sources:
        one = objects.get(source.key)
        scale = _scale(one, METRICS[source.metric].unit) if one else None
        if one is None or scale is None:
            continue
        stats = _stats(one, scale, scalar=source.scalar, as_text=as_text)
        if stats:
            one.take("unit")
            found.append(
                Measurement(
                    metric=source.metric,
                    definition=f"{source.metric}/{source.definition}",
                    stats=stats,
                    pointer=one.pointer,
                    percentile_method="unknown" if source.scalar else "linear",
                )
            )
    return tuple(found)


def take_mean(objects: Mapping[str, Fields], key: str, *, unit: Unit | None = None) -> float | None:
    """The mean of one object, in ``unit`` where one is asked for; the rest of it stays."""
    one = objects.get(key)
    scale = (_scale(one, unit) if unit else 1.0) if one else None
    if one is None or scale is None:
        return None
    value = one.number_text("avg")
    if value is not None:
        one.take("unit")
    return None if value is None else value * scale


def take_count(objects: Mapping[str, Fields], key: str) -> int | None:
    """The mean of an object that counts; a fraction of one is no count and stays."""
    one = objects.get(key)
    if one is None:
        return None
    value = one.peek("avg")
    number = float(value) if isinstance(value, str) and _is_whole(value) else value
    if not is_number(number) or not float(number).is_integer():
        return None
    one.take("avg")
    one.take("unit")
    return int(number)


def time_scale(unit: object) -> float | None:
    """The factor from a unit of time to milliseconds, ``None`` for any other."""
    return _SCALES[Unit.MILLISECONDS].get(unit.strip().lower()) if isinstance(unit, str) else None


def _is_whole(text: str) -> bool:
    return bool(re.fullmatch(r"\d{1,15}(?:\.0+)?", text))


def _scale(one: Fields, unit: Unit) -> float | None:
    stated = one.peek("unit")
    return _SCALES[unit].get(stated.strip().lower()) if isinstance(stated, str) else None


def _stats(one: Fields, scale: float, *, scalar: bool, as_text: bool) -> dict[str, float]:
    """The statistics in the canonical unit; a scalar keeps its mean alone."""
    read = one.number_text if as_text else one.number
    if scalar:
        value = read("avg")
        return {"value": value * scale} if value is not None and is_number(value * scale) else {}
    names = {key: name for key, name in _PLAIN_STATS.items() if key in one}
    names |= {key: key for key in one.value if _PERCENTILE.fullmatch(key)}
    found = {}
    for key, name in names.items():
        value = read(key)
        scaled = value if value is None or name == "count" else value * scale
        if is_number(scaled):
            found[name] = scaled
    return found
