"""Reads GuideLLM's CSV: one row a benchmark, under one row of headers or under three.

**Shapes**: lists of percentiles and whole settings stand as JSON inside cells. **Dates**: local
texts without a zone.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmarks_app.contract import Counts, Fact, FileReading, FileRole, Notice, RunReading, Tokens
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.importers.guidellm.alignment import align_row
from benchmarks_app.importers.guidellm.distributions import (
    NEW_SOURCES,
    OLD_SOURCES,
    Distributions,
    Source,
    read_distributions,
)
from benchmarks_app.importers.guidellm.runs import Parts, build_run
from benchmarks_app.importers.guidellm.settings import (
    TOOL,
    Settings,
    named_strategy,
    read_arguments,
    read_data,
    read_model,
    read_specification,
    read_strategy,
    read_tokenizer,
    withhold_backend,
)
from benchmarks_app.reading.document import Document
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.json_text import parse_json
from benchmarks_app.reading.private import part_private
from benchmarks_app.reading.tables import Row, read_csv
from matrix.domain.phrases import Phrase

# Key of a distribution → its label in the three header rows, and that in the one header row.
_LABELS: Mapping[str, tuple[str, str]] = {
    "request_latency": ("Request Latency / Successful Sec", "Request latency"),
    "time_to_first_token_ms": ("Time to First Token / Successful ms", "Time to first token ms"),
    "time_per_output_token_ms": (
        "Time per Output Token / Successful ms", "Time per output token ms"),
    "inter_token_latency_ms": ("Inter Token Latency / Successful ms", "Inter token latency ms"),
    "requests_per_second": ("Server Throughput / Successful Requests/Sec", "Requests per second"),
    "request_concurrency": ("Server Throughput / Successful Concurrency", "Request concurrency"),
    "output_tokens_per_second": (
        "Token Throughput / Successful Output Tokens/Sec", "Output tokens per second"),
    "prompt_tokens_per_second": ("Token Throughput / Successful Input Tokens/Sec", ""),
    "tokens_per_second": ("Token Throughput / Successful Total Tokens/Sec", "Tokens per second"),
    "prompt_token_count": ("Token Metrics / Successful Input Tokens", "Prompt token count"),
    "output_token_count": ("Token Metrics / Successful Output Tokens", "Output token count"),
}  # fmt: skip
# The list begins with the least and ends with the greatest value, and lacks the median.
_LEVELS = ("min", "p001", "p01", "p05", "p10", "p25", "p75", "p90", "p95", "p99", "max")
# What the single header row names its lists of percentiles after.
_OLD_LEVELS: Mapping[str, str] = {
    "min": "min", "max": "max", "0.1": "p001", "1": "p01", "5": "p05", "10": "p10", "25": "p25",
    "50": "p50", "75": "p75", "90": "p90", "95": "p95", "99": "p99", "99.9": "p999",
}  # fmt: skip
_LIST_LABEL = re.compile(r"(?P<label>.*) \[(?P<levels>min, [\d., ]+max)\]")
_STATS = {"Mean": "mean", "Median": "median", "Std Dev": "std_dev"}
_VERSION_IN_CELL = "the table names it in the cell of its metadata alone"
_SHIFTED = "the row does not fit the header, so that most of its columns have no name"
_MODEL_IN_CELL = "the table names it in the cell of its worker alone"


@dataclass(slots=True)
class _Line:
    """One benchmark: its cells by label, and the objects inside its cells."""

    row: Row
    cells: Fields
    inner: list[Fields] = field(default_factory=list)
    shifted: bool = False

    def parsed(self, label: str) -> Fields:
        """The object in a cell; a cell that is none is withheld, for it may hold anything."""
        text = self.cells.peek(label)
        place = self.cells.place(label)
        if not isinstance(text, str) or not text.lstrip().startswith("{"):
            return Fields(None, place)
        try:
            value = parse_json(text.encode(), place=place)
        except ResultError:
            self.cells.withhold(label)
            return Fields(None, place)
        self.cells.take(label)
        found = Fields(value, place)
        self.inner.append(found)
        return found

    def unmapped(self) -> dict[str, object]:
        """What nobody took, of the cells and of what is in them."""
        rest = self.cells.rest()
        for one in self.inner:
            rest |= one.rest()
        return rest

    def withheld(self) -> tuple[str, ...]:
        """The places of what nobody may see."""
        inner = (place for one in self.inner for place in one.withheld())
        return (*self.cells.withheld(), *inner)


def read_one_header(document: Document, form: str) -> FileReading:
    """The runs of a table of 0.2 or 0.3, which names the load and the model in cells of JSON."""
    rows = read_csv(document.text)
    labels = _unique(rows[0].cells)
    lines = _lines(rows[1:], labels)
    runs = tuple(_old_run(line, index) for index, line in enumerate(lines))
    return FileReading(format=form, tool=TOOL, role=FileRole.RUNS, runs=runs)


def read_three_headers(document: Document, form: str) -> FileReading:
    """The runs of a table of 0.4 and later."""
    rows = read_csv(document.text)
    if len(rows) < 3 or len({len(row.cells) for row in rows[:3]}) != 1:
        raise ResultError(
            code="broken-csv", what=Phrase("The table lacks one of its three rows of headers"),
            place="line 1", accepted=Phrase("three rows of headers of one length"),
        )  # fmt: skip
    heads = zip(*(row.cells for row in rows[:3]), strict=True)
    labels = _unique(" / ".join(part.strip() for part in head if part.strip()) for head in heads)
    lines = _lines(rows[3:], labels)
    runs = tuple(_new_run(line, index) for index, line in enumerate(lines))
    return FileReading(format=form, tool=TOOL, role=FileRole.RUNS, runs=runs)


def _unique(labels: Iterable[str]) -> list[str]:
    """The labels; one that stands twice is told apart by a number."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for label in labels:
        seen[label] += 1
        found.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return found


def _lines(rows: Sequence[Row], labels: Sequence[str]) -> list[_Line]:
    """The benchmarks; blank cells are absent.

    **Raises**: ``ResultError`` for a row that does not fit, and for a table without rows.
    """
    found = []
    for row in rows:
        if any(row.cells):
            value, shifted = align_row(labels, row)
            found.append(_Line(row, Fields(value, f"line {row.line}"), shifted=shifted))
    if not found:
        raise ResultError(
            code="no-runs", what=Phrase("The table has no rows below its headers"), place="line 1",
            accepted=Phrase("one row a benchmark"),
        )  # fmt: skip
    return found


def _old_run(line: _Line, index: int) -> RunReading:
    cells = line.cells
    args, worker = line.parsed("Args"), line.parsed("Worker")
    loader = line.parsed("Request Loader")
    withhold_backend(worker)
    facts = _dates(line, "Start Time", "End Time")
    facts |= read_tokenizer(loader, "processor")
    notices = [Notice("tool_version_unknown")]
    model = worker.text("backend_model")
    if model:
        # No column names the model; what the cell of the worker says is kept as it stands.
        named = read_model(Fields({"model": model}, worker.pointer), "model")[0]
        facts["model.raw"] = Fact(named["model.id"].value, pointer=worker.place("backend_model"))
    notices.append(Notice("no_model", _MODEL_IN_CELL if model else ""))
    data = read_data(loader, "data")
    stated = args.child("strategy")
    name = cells.text("Name") or ""
    strategy = stated if "type_" in stated else named_strategy(name, {}, None)
    load = read_strategy(
        strategy,
        replace(
            data.load,
            num_prompts=args.integer("max_number"),
            duration_target_s=args.number("max_duration"),
        ),
    )
    counts = _counts(cells, "{} Requests")
    return _run(line, index, Settings({**facts, **data.facts}, load, tuple(notices)), counts,
                duration="Duration", sources=OLD_SOURCES, identity="Id")  # fmt: skip


def _new_run(line: _Line, index: int) -> RunReading:
    cells = line.cells
    backend = line.parsed("Run Info / Backend")
    withhold_backend(backend)
    facts, notices = read_model(backend, "model")
    arguments = line.parsed("Runtime Info / Arguments")
    if "spec" in arguments:
        settings = read_specification(arguments.child("spec"))
    else:
        settings = read_arguments(arguments)
    requests = line.parsed("Run Info / Requests")
    stated = requests.peek("data")
    if isinstance(stated, str) and "prompt_tokens" not in stated:
        requests.withhold("data")
    version = line.parsed("Runtime Info / Metadata").text("guidellm_version")
    if version:
        place = cells.place("Runtime Info / Metadata")
        facts["tool.version"] = Fact(version, pointer=place)
    about = Notice("tool_version_unknown", _VERSION_IN_CELL if version else "")
    profile = line.parsed("Run Info / Profile").value
    number = cells.number_text("Run Info / Run Index")
    name = cells.text("Benchmark / Strategy") or ""
    strategy = named_strategy(name, profile, int(number) if number is not None else None)
    facts |= _dates(line, "Timings / Start Time", "Timings / End Time")
    merged = Settings(
        {**settings.facts, **facts},
        read_strategy(strategy, settings.load),
        (*(notices or settings.notices), about),
    )
    counts = _counts(cells, "Request Counts / {}")
    return _run(line, index, merged, counts, duration="Timings / Duration / Sec",
                sources=NEW_SOURCES, identity="Benchmark / ID")  # fmt: skip


def _run(
    line: _Line,
    index: int,
    settings: Settings,
    counts: Counts,
    *,
    duration: str,
    sources: tuple[Source, ...],
    identity: str,
) -> RunReading:
    nothing = counts.completed == 0
    old = sources is OLD_SOURCES
    objects = {} if nothing else _objects(line, old=old)
    found: Distributions = read_distributions(objects, sources)
    notices = settings.notices
    if line.shifted:
        notices = (*notices, Notice("contradicts_itself", _SHIFTED))
    load = replace(
        settings.load,
        isl_mean=_mean(objects, "prompt_token_count"),
        osl_mean=_mean(objects, "output_token_count"),
    )
    line.inner += objects.values()
    run = build_run(
        Parts(
            index=index,
            pointer=f"line {line.row.line}",
            counts=counts,
            # A median column beside the list of percentiles is how this table is made.
            distributions=replace(found, median_for_p50=False),
            facts={"tool.name": Fact(TOOL), **settings.facts},
            load=load,
            tokens=Tokens(duration_s=line.cells.number_text(duration)),
            notices=notices,
            identity=line.cells.text(identity) or "",
        )
    )
    unmapped, private = part_private(line.unmapped())
    return replace(run, unmapped=unmapped, withheld=(*line.withheld(), *private))


def _objects(line: _Line, *, old: bool) -> dict[str, Fields]:
    """The distributions of successful requests, put together from their columns."""
    lists = _old_lists(line.cells) if old else {}
    found = {}
    for key, labels in _LABELS.items():
        label = labels[1] if old else labels[0]
        if not label:
            continue
        value: dict[str, object] = {}
        for printed, name in _STATS.items():
            column = f"Successful {label} {printed.lower()}" if old else f"{label} / {printed}"
            number = line.cells.number_text(column)
            if number is not None:
                value[name] = number
        column, levels = lists.get(label, ("", ())) if old else (f"{label} / Percentiles", _LEVELS)
        value |= _percentiles(line.cells, column, levels)
        if value:
            found[key] = Fields(value, line.cells.place(f"Successful {label}" if old else label))
    return found


def _old_lists(cells: Fields) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Label → column and levels of each list of percentiles of successful requests."""
    found = {}
    for column in cells.value:
        match = _LIST_LABEL.fullmatch(column)
        if match and match["label"].startswith("Successful "):
            levels = tuple(_OLD_LEVELS.get(one.strip(), "") for one in match["levels"].split(","))
            found[match["label"].removeprefix("Successful ")] = (column, levels)
    return found


def _percentiles(cells: Fields, column: str, levels: Sequence[str]) -> dict[str, object]:
    """The list in a cell by its levels; a list of another length stays in the rest."""
    text = cells.peek(column)
    if not isinstance(text, str) or not text.startswith("["):
        return {}
    try:
        values = parse_json(text.encode(), place=cells.place(column))
    except ResultError:
        return {}
    if not isinstance(values, list) or len(values) != len(levels):
        return {}
    cells.take(column)
    pairs: dict[str, object] = dict(zip(levels, values, strict=True))
    found: dict[str, object] = {name: pairs.pop(name) for name in ("min", "max") if name in pairs}
    return {**found, "percentiles": pairs}


def _mean(objects: Mapping[str, Fields], key: str) -> float | None:
    one = objects.get(key)
    return one.number("mean") if one else None


def _counts(cells: Fields, label: str) -> Counts:
    numbers = {
        name: cells.number_text(label.format(name))
        for name in ("Total", "Successful", "Errored", "Incomplete")
    }
    whole = {
        name: int(number)
        for name, number in numbers.items()
        if number is not None and number.is_integer()
    }
    return Counts(
        total=whole.get("Total"),
        completed=whole.get("Successful"),
        failed=whole.get("Errored"),
        incomplete=whole.get("Incomplete"),
    )


def _dates(line: _Line, start: str, end: str) -> dict[str, Fact]:
    stated = (("run.started_at_local", start), ("run.finished_at_local", end))
    found = ((fact, name, line.cells.text(name)) for fact, name in stated)
    return {fact: Fact(text, pointer=line.cells.place(name)) for fact, name, text in found if text}
