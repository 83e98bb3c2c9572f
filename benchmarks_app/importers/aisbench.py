"""AISBench: common figures (JSON), percentiles (CSV), and vLLM-Ascend's nightly file of tasks.

**Units**: each value is a text with its unit ("27.3 ms"). **Source**: "Prefill Token Throughput" is
input tokens by the sum of all waits for the first token, no wall clock, and stays unmapped.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

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
from benchmarks_app.importers.aisbench_nightly import is_nightly, read_nightly
from benchmarks_app.importers.aisbench_values import read_quantity
from benchmarks_app.importers.taking import measure
from benchmarks_app.reading.distributions import stat_name
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.tables import Row, read_csv
from matrix.domain.phrases import Phrase

TOOL = "aisbench"
_HEADER = "Performance Parameters,Stage,"
_MEANT = ("Benchmark Duration", "Request Throughput", "Total Requests")
_RATES = {
    "Request Throughput": ("request_throughput", "req/s"),
    "Output Token Throughput": ("output_token_throughput", "token/s"),
    "Input Token Throughput": ("input_token_throughput", "token/s"),
    "Total Token Throughput": ("total_token_throughput", "token/s"),
}
# The name changed with the versions.
_GENERATED = ("Total Generated Tokens", "Total generated tokens", "Total Output Tokens")
_COLUMNS = {
    "E2EL": ("e2el", "client"),
    "TTFT": ("ttft", "first-chunk"),
    "TPOT": ("tpot", "request"),
    "ITL": ("itl", "chunk"),
    "OutputTokenThroughput": ("output_token_throughput_per_request", "whole-request"),
}


def _recognises(document: Document) -> str | None:
    value = document.value
    if document.kind is Kind.TEXT:
        is_table = document.text.lstrip().startswith(_HEADER)
        return "aisbench.percentiles_csv" if is_table else None
    if document.kind is not Kind.JSON or not isinstance(value, dict):
        return None
    if is_nightly(value):
        return "aisbench.nightly"
    staged = all(isinstance(value.get(name), dict) and value[name] for name in _MEANT)
    return "aisbench.common" if staged else None


def _read(document: Document, found: str) -> FileReading:
    if found == "aisbench.nightly":
        return read_nightly(document.value, found, TOOL)
    runs = _read_common(document.value) if found == "aisbench.common" else _read_table(document)
    return FileReading(found, TOOL, FileRole.RUNS, runs=tuple(runs))


class _Stage:
    """The figures of one stage of the common file; what nobody takes stays in ``rest``."""

    def __init__(self, value: Mapping[str, object], stage: str) -> None:
        self._cells = {
            name: inner[stage]
            for name, inner in value.items()
            if isinstance(inner, dict) and stage in inner
        }
        self._stage = stage
        self._taken: set[str] = set()

    def place(self, name: str) -> str:
        return f"$.{name}.{self._stage}"

    def number(self, name: str, unit: str) -> float | None:
        value = read_quantity(self._cells.get(name), unit)
        if value is not None:
            self._taken.add(name)
        return value

    def count(self, name: str) -> int | None:
        value = read_quantity(self._cells.get(name), "")
        if value is None or not value.is_integer():
            return None
        self._taken.add(name)
        return int(value)

    def rest(self) -> dict[str, object]:
        return {self.place(n): v for n, v in self._cells.items() if n not in self._taken}


def _read_common(value: object) -> list[RunReading]:
    """One run a stage: ``total`` of all requests, or ``stable`` of those at full concurrency."""
    if not isinstance(value, dict):
        return []
    counted = value.get("Success Requests")
    stages = list(counted) if isinstance(counted, dict) and counted else ["total"]
    stages = [one for one in stages if one in value["Total Requests"]] or ["total"]
    runs = [_read_stage(_Stage(value, stage), stage, i) for i, stage in enumerate(stages)]
    others: dict[str, object] = {}
    for name, inner in value.items():
        if not isinstance(inner, dict):
            others[f"$.{name}"] = inner
        else:
            others |= {f"$.{name}.{key}": v for key, v in inner.items() if key not in stages}
    return [replace(runs[0], unmapped={**runs[0].unmapped, **others}), *runs[1:]]


def _read_stage(cells: _Stage, stage: str, index: int) -> RunReading:
    completed, failed = cells.count("Success Requests"), cells.count("Failed Requests")
    if completed is None:
        raise ResultError(
            code="no-request-count",
            what=Phrase("The file does not say how many requests succeeded"),
            place=cells.place("Success Requests"),
            accepted=Phrase("a whole number"),
        )
    total = cells.count("Total Requests")
    duration = cells.number("Benchmark Duration", "ms")
    tokens = Tokens(
        input_total=cells.count("Total Input Tokens"),
        output_total=_first_count(cells, _GENERATED),
        duration_s=duration / 1000 if duration else None,
    )
    metrics: list[Measurement] = []
    for name, (metric, unit) in _RATES.items():
        rate = cells.number(name, unit)
        if rate is not None:
            metrics += measure(
                metric, {"value": rate}, pointer=cells.place(name), definition="successful"
            )
    busy = cells.number("Concurrency", "")
    if busy is not None:
        metrics += measure(
            "achieved_concurrency", {"value": busy}, pointer=cells.place("Concurrency")
        )
    limit = cells.count("Max Concurrency") or None
    notices = [Notice(code) for code in ("values_are_strings_with_units", "no_model", "no_date")]
    if completed == 0:
        notices.append(Notice("all_requests_failed"))
    facts = {"tool.name": Fact("AISBench")}
    if stage != "total":
        facts["scenario"] = Fact(f"stage {stage}", pointer=cells.place("Total Requests"))
    return RunReading(
        index=index, status=_status(completed, failed), pointer=f"$.*.{stage}", facts=facts,
        load=Load(mode=LoadMode.CLOSED_LOOP, max_concurrency=limit, num_prompts=total),
        requests=Counts(total=total, completed=completed, failed=failed), tokens=tokens,
        metrics=tuple(metrics), notices=tuple(notices), unmapped=cells.rest(),
    )  # fmt: skip


def _first_count(cells: _Stage, names: Iterable[str]) -> int | None:
    """The first stated count of names for the same."""
    counts = (cells.count(name) for name in names)
    return next((count for count in counts if count is not None), None)


def _status(completed: int, failed: int | None) -> RunStatus:
    if completed == 0:
        return RunStatus.FAILED
    return RunStatus.PARTIAL if failed else RunStatus.OK


def _read_table(document: Document) -> list[RunReading]:
    """One run a stage out of the table of percentiles, which completes the common figures."""
    rows = [row for row in read_csv(document.text) if any(row.cells)]
    header = rows[0].cells if rows else ()
    stages = {row.cells[1]: None for row in rows[1:] if len(row.cells) > 1}
    if not stages:
        raise ResultError(
            code="no-rows", what=Phrase("The table holds no rows"), place="line 2",
            accepted=Phrase("rows of E2EL, TTFT, TPOT and so on"),
        )  # fmt: skip
    runs = [
        _read_rows([r for r in rows[1:] if r.cells[1:2] == (stage,)], header, stage, i)
        for i, stage in enumerate(stages)
    ]
    short = {f"line {row.line}": row.cells[0] for row in rows[1:] if len(row.cells) < 2}
    return [replace(runs[0], unmapped={**runs[0].unmapped, **short}), *runs[1:]]


def _read_rows(rows: list[Row], header: tuple[str, ...], stage: str, index: int) -> RunReading:
    metrics: list[Measurement] = []
    unmapped: dict[str, object] = {}
    completed: int | None = None
    lengths: dict[str, float] = {}
    for row in rows:
        name = row.cells[0]
        metric, definition = _COLUMNS.get(name, ("", ""))
        stats, count = _cells(row, header, bool(metric), unmapped)
        if name == "E2EL":
            completed = count
        if name in ("InputTokens", "OutputTokens") and "mean" in stats:
            lengths[name] = stats["mean"]
        if metric and count != 0:
            metrics += measure(
                metric, stats, pointer=f"line {row.line}", definition=definition, method="linear"
            )
    whole = next((one for one in metrics if one.metric == "e2el"), None)
    # A request that took no time at all is one that failed and was counted with zeros.
    has_zeros = whole is not None and whole.stats.get("min") == 0
    notices = [Notice(code) for code in ("values_are_strings_with_units", "no_model", "no_date")]
    if has_zeros:
        notices.append(Notice("min_zero_suspicious"))
    status = RunStatus.PARTIAL if has_zeros else RunStatus.OK
    facts = {"tool.name": Fact("AISBench")}
    if stage != "total":
        facts["scenario"] = Fact(f"stage {stage}", pointer=f"line {rows[0].line}")
    return RunReading(
        index=index, status=RunStatus.FAILED if completed == 0 else status,
        pointer=f"line {rows[0].line}", facts=facts, requests=Counts(completed=completed),
        load=Load(isl_mean=lengths.get("InputTokens"), osl_mean=lengths.get("OutputTokens")),
        metrics=tuple(metrics), notices=tuple(notices), unmapped=unmapped, complements=True,
    )  # fmt: skip


def _cells(
    row: Row, header: tuple[str, ...], is_metric: bool, unmapped: dict[str, object]
) -> tuple[dict[str, float], int | None]:
    """Statistics and the number of values of one row; cells that are neither are put aside."""
    unit = "token/s" if row.cells[0].endswith("Throughput") else "ms"
    is_length = row.cells[0].endswith("Tokens")
    stats: dict[str, float] = {}
    count: int | None = None
    for name, cell in zip(header[2:], row.cells[2:], strict=False):
        stat = stat_name(name)
        value = read_quantity(cell, unit if is_metric else "")
        if name == "N" and value is not None and value.is_integer():
            count = int(value)
        elif stat and value is not None and (is_metric or (is_length and stat == "mean")):
            stats[stat] = value
        elif cell:
            unmapped[f"line {row.line}, {name}"] = cell
    for number, cell in enumerate(row.cells[len(header) :]):
        unmapped[f"line {row.line}, cell {len(header) + number + 1}"] = cell
    if not is_metric and count is not None:
        unmapped[f"line {row.line}, N"] = count
    return stats, count


IMPORTER = Importer(
    tool=TOOL,
    formats=("aisbench.common", "aisbench.percentiles_csv", "aisbench.nightly"),
    recognises=_recognises,
    read=_read,
)
