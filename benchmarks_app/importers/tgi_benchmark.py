"""Text Generation Inference's text-generation-benchmark: its printed tables.

**Source**: the tool's tables of steps by batch size; see docs/benchmark-formats.md. The
percentiles of its decode rows come from lists that it does not sort, so they are not taken over.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks_app.contract import (
    Fact,
    FileReading,
    FileRole,
    Importer,
    Load,
    Measurement,
    Notice,
    RunReading,
)
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.taking import Scalar, measure
from benchmarks_app.reading.document import Document
from benchmarks_app.reading.tables import PipeTable, Row, read_pipe_tables
from matrix.domain.phrases import Phrase
from matrix.domain.redaction import mask_text

_TOOL, _FORMAT = "tgi_benchmark", "tgi_benchmark.md"
_STEPS = re.compile(
    r"^[^\S\n]*\|\s*Step\s*\|\s*Batch Size\s*\|\s*Average\s*\|\s*Lowest\s*\|", re.MULTILINE
)
_STATS = {
    "Average": "mean", "Lowest": "min", "Highest": "max", "p50": "p50", "p90": "p90",
    "p99": "p99",
}  # fmt: skip
_SPREAD = frozenset({"mean", "min", "max"})
_LATENCY = {
    "Prefill": "prefill_latency",
    "Decode (token)": "decode_step_latency",
    "Decode (total)": "decode_latency",
}
_RATE = {"Prefill": "prefill_throughput", "Decode": "decode_throughput"}
_VALUE = re.compile(r"^(?P<number>\d{1,15}(?:\.\d{1,15})?)\s*(?P<unit>ms|tokens/secs)$")
_SHARDS = re.compile(
    r"^#+\s*(?:Num Shards:\s*(?P<shards>\d{1,5})|.*\(TP\)\s*-\s*(?P<gpus>\d{1,5})\s*GPUs?)\s*$"
)
# Lines that people copy from the launcher's arguments above the tables.
_ARGUMENT = re.compile(r"^-\s*(?P<name>[a-z_]\w*):\s*(?P<value>\S.*?)\s*$")
_HOSTS = frozenset({"master_addr", "hostname", "host"})
_SAMPLING = (
    "Temperature", "Top K", "Top P", "Typical P", "Repetition Penalty", "Frequency Penalty",
    "Watermark", "Do Sample", "Top N Tokens",
)  # fmt: skip


@dataclass(slots=True)
class _Context:
    """What stands above a table of steps."""

    facts: dict[str, Fact] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    heading: dict[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class _Batch:
    """The rows of one batch size."""

    line: int
    latencies: dict[str, dict[str, float]] = field(default_factory=dict)
    rates: dict[str, dict[str, float]] = field(default_factory=dict)
    unmapped: dict[str, object] = field(default_factory=dict)


def recognises(document: Document) -> str | None:
    """The format of a text that holds the tool's tables."""
    return _FORMAT if document.text and _STEPS.search(document.text) else None


def read(document: Document, found: str) -> FileReading:
    """A run for each batch size of each pair of tables.

    **Raises**: ``ResultError`` naming the line of a row that is cut off or holds no number.
    """
    lines = document.text.splitlines()
    runs: list[RunReading] = []
    context = _Context()
    batches: dict[int, _Batch] = {}
    before = 0
    for table in read_pipe_tables(document.text):
        _read_lines(context, lines[before : table.line - 1], before)
        before = table.rows[-1].line if table.rows else table.line + 1
        if table.header[:2] == ("Parameter", "Value"):
            runs += _runs(batches, context, len(runs))
            batches = {}
            context.parameters = {r.cells[0]: r.cells[1] for r in table.rows if len(r.cells) == 2}
        elif table.header[:2] == ("Step", "Batch Size"):
            if "p50" in table.header:  # The first of a pair of tables.
                runs += _runs(batches, context, len(runs))
                batches = {}
            _read_steps(table, batches)
            if "p50" not in table.header:
                runs += _runs(batches, context, len(runs))
                batches = {}
    runs += _runs(batches, context, len(runs))
    return FileReading(format=found, tool=_TOOL, role=FileRole.RUNS, runs=tuple(runs))


def _read_lines(context: _Context, lines: Sequence[str], before: int) -> None:
    for number, line in enumerate(lines, before + 1):
        place = f"line {number}"
        shards = _SHARDS.match(line)
        if shards:
            count = int(shards["shards"] or shards["gpus"])
            context.facts["parallelism.tp"] = Fact(count, pointer=place)
        elif line.startswith("#"):
            # What people wrote above a pair of tables tells it from the next pair.
            context.heading = {place: mask_text(line.strip("# ")).text}
        argument = _ARGUMENT.match(line)
        if not argument or argument["name"] in _HOSTS or argument["value"] == "None":
            continue
        name, value = argument["name"], mask_text(argument["value"].strip("\"'")).text
        if name == "quantize":
            context.facts["quantization.weights"] = Fact(value, pointer=place)
        elif name == "revision":
            context.facts["model.revision"] = Fact(value, pointer=place)
        elif name != "model_id":
            context.facts[f"server_param.{name}"] = Fact(value, pointer=place)


def _read_steps(table: PipeTable, batches: dict[int, _Batch]) -> None:
    for row in _without_blanks(table.rows):
        place = f"line {row.line}"
        if len(row.cells) != len(table.header):
            raise _broken(
                place,
                Phrase(
                    "The row has {count} cells under {count_2} names",
                    count=len(row.cells),
                    count_2=len(table.header),
                ),
            )
        step = row.cells[0]
        if not re.fullmatch(r"\d{1,9}", row.cells[1]):
            raise _broken(
                place,
                Phrase("The batch size {cells!r} is no whole number", cells=row.cells[1][:40]),
            )
        batch = batches.setdefault(int(row.cells[1]), _Batch(row.line))
        _read_row(table, row, step, batch)


def _without_blanks(rows: Sequence[Row]) -> list[Row]:
    """The rows with each blank cell as the one above it: the tool merges equal neighbours."""
    found: list[Row] = []
    for row in rows:
        above = found[-1].cells if found else ()
        if len(above) == len(row.cells):
            cells = tuple(own or upper for own, upper in zip(row.cells, above, strict=True))
            found.append(Row(row.line, cells))
        else:
            found.append(row)
    return found


def _read_row(table: PipeTable, row: Row, step: str, batch: _Batch) -> None:
    is_latency = "p50" in table.header
    known = _LATENCY if is_latency else _RATE
    stats: dict[str, float] = {}
    for name, cell in zip(table.header[2:], row.cells[2:], strict=True):
        place = f"line {row.line}"
        found = _VALUE.match(cell)
        if not found or (found["unit"] == "ms") != is_latency:
            raise _broken(
                place,
                Phrase(
                    "The value {cell!r} under {name} has no number and unit",
                    cell=cell[:40],
                    name=name,
                ),
            )
        stat = _STATS.get(name)
        # A decode row's percentiles come from an unsorted list.
        if stat is None or step not in known or (step != "Prefill" and stat not in _SPREAD):
            batch.unmapped[f"{place}, {step}, {name}"] = cell
        else:
            stats[stat] = float(found["number"])
    if step in known:
        (batch.latencies if is_latency else batch.rates)[known[step]] = stats


def _runs(batches: Mapping[int, _Batch], context: _Context, index: int) -> list[RunReading]:
    return [
        _run(size, batch, context, index + at) for at, (size, batch) in enumerate(batches.items())
    ]


def _run(size: int, batch: _Batch, context: _Context, index: int) -> RunReading:
    place = f"line {batch.line}"
    parameters = dict(context.parameters)
    facts = {
        "tool.name": Fact("text-generation-benchmark"),
        "framework.name": Fact("TGI"),
        **context.facts,
    }
    model = parameters.pop("Model", "")
    if model and model != "None":
        facts["model.id"] = Fact(mask_text(model).text, pointer=place)
    load, rest = _load(size, parameters)
    metrics = _metrics(batch, place)
    codes = ("tgi_decode_percentiles_unreliable", "rounded_values", "no_date")
    return RunReading(
        index=index,
        status=RunStatus.OK if metrics else RunStatus.SUSPECT,
        pointer=place,
        facts=facts,
        load=load,
        metrics=metrics,
        notices=tuple(Notice(code, pointer=place) for code in codes),
        unmapped={
            **context.heading,
            **batch.unmapped,
            **{f"Parameter, {n}": v for n, v in rest.items()},
        },
    )


def _load(size: int, parameters: dict[str, str]) -> tuple[Load, dict[str, str]]:
    extra: dict[str, Scalar] = {}
    for name in _SAMPLING:
        value = parameters.pop(name, "None")
        if value != "None":
            extra[name.lower().replace(" ", "_")] = value
    runs = parameters.pop("N Runs", "")
    if re.fullmatch(r"\d{1,9}", runs):
        extra["n_runs"] = int(runs)
    warmups = parameters.pop("Warmups", None)
    return Load(
        mode=LoadMode.OFFLINE_BATCH,
        batch_size=size,
        isl_target=_number(parameters, "Sequence Length"),
        osl_target=_number(parameters, "Decode Length"),
        warmup=warmups,
        extra=extra,
    ), parameters


def _number(parameters: dict[str, str], name: str) -> float | None:
    if re.fullmatch(r"\d{1,15}", parameters.get(name, "")):
        return float(parameters.pop(name))
    return None


def _metrics(batch: _Batch, place: str) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    for metric, stats in batch.latencies.items():
        found += measure(metric, stats, pointer=place)
    for metric, stats in batch.rates.items():
        # Its prefill rate counts the first tokens generated, not the tokens of the prompt.
        definition = "first-tokens" if metric == "prefill_throughput" else ""
        found += measure(metric, stats, pointer=place, definition=definition)
    return tuple(found)


def _broken(place: str, what: str) -> ResultError:
    return ResultError(
        code="broken-table",
        what=what,
        place=place,
        accepted=Phrase("whole rows with values such as 14.70 ms or 68.05 tokens/secs"),
    )


IMPORTER = Importer(tool=_TOOL, formats=(_FORMAT,), recognises=recognises, read=read)
