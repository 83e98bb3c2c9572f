"""Reads the CSV summary of GenAI-Perf and AIPerf: tables one below the other.

**Shapes**: a table of latencies ("Metric,avg,min,…"), one of single numbers ("Metric,Value"), and
with AIPerf one of GPU telemetry ("Endpoint,GPU_Index,…"), parted by blank lines.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks_app.importers.nvidia_metrics import table_objects
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.tables import Row, read_csv

_NAMED = ("time to first token", "request latency", "request throughput", "request count")


@dataclass(frozen=True, slots=True)
class Telemetry:
    """One metric of one GPU as a row of the table of GPUs tells it."""

    row: Row
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SummaryTables:
    """The tables of a file. ``unmapped`` are rows of no known table, by line."""

    objects: Mapping[str, Fields]
    telemetry: tuple[Telemetry, ...]
    unmapped: Mapping[str, object]


def is_summary_table(text: str) -> bool:
    """Whether a text is such a summary, of either tool."""
    head = text[:4000].lower()
    if not head.lstrip().startswith(("metric,avg", "metric,value")):
        return False
    return any(name in text.lower() for name in _NAMED)


def starts_with_high_percentiles(text: str) -> bool:
    """Whether the percentiles fall, as only GenAI-Perf writes them; AIPerf's rise."""
    header = text.lstrip().partition("\n")[0].strip().lower().split(",")
    levels = [float(one[1:]) for one in header if one[:1] == "p" and one[1:].isdigit()]
    if len(levels) < 2:
        # A file of single numbers alone: the tools differ in how they write the rate's unit.
        return "(per sec)" in text.lower()
    return levels == sorted(levels, reverse=True)


def read_summary_tables(text: str) -> SummaryTables:
    """The metric objects of all tables.

    **Raises**: ``ResultError`` naming the line of broken CSV.
    """
    header: tuple[str, ...] = ()
    objects: dict[str, Fields] = {}
    telemetry: list[Telemetry] = []
    unmapped: dict[str, object] = {}
    for row in read_csv(text):
        if not any(cell.strip() for cell in row.cells):
            header = ()
        elif row.cells[0].strip() in ("Metric", "Endpoint"):
            header = tuple(cell.strip() for cell in row.cells)
        elif header[:1] == ("Metric",) and len(row.cells) <= len(header):
            found = table_objects((row,), header)
            known = {key for key in found if key in objects}
            if known:
                unmapped[f"line {row.line}"] = list(row.cells)
            else:
                objects |= found
        elif header[:1] == ("Endpoint",) and len(row.cells) == len(header):
            telemetry.append(Telemetry(row, dict(zip(header, row.cells, strict=True))))
        else:
            unmapped[f"line {row.line}"] = list(row.cells)
    return SummaryTables(objects, tuple(telemetry), unmapped)
