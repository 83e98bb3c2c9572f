"""Performance overview: measured token rates as values, one table a model (since 2025)."""

import re
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.domain.published_runs import OUTPUT, PER_GPU, PER_SYSTEM
from ingest.reading.document import Cell, Table
from ingest.sources.collecting import Collector, one_line

_LENGTHS = "Sequence Length (ISL/OSL)"
_COLUMN = re.compile(r"^(.*?)\s+((?:TP|DEP|EP|PP)\d+(?:,\s*(?:TP|DEP|EP|PP)\d+)*)\s*\((\w+)\)$")
_VERSION = re.compile(r"generated using version (\d+(?:\.\d+)+)", re.IGNORECASE)
_NUMBER = re.compile(r"^[\d,]+(?:\.\d+)?$")
_BOARD = re.compile(r"^(\w+) GPUs? \((\w+)\)$")
_KEYS = ("model", "hardware", "precision", "layout", "lengths", "batch", "metric")
_PIVOT_KEYS = ("gpu", "precision", "tp")


def read_performance(page: Page, vocabulary: Vocabulary) -> Reading:
    """The measured rates of perf-overview.md; blank cells were not measured and say nothing."""
    collector = Collector(page, vocabulary)
    tables = [t for t in page.document.tables if t.columns and t.columns[0] == _LENGTHS]
    for table in tables:
        _read_model_table(collector, table)
    pivots = [t for t in page.document.tables if _is_pivot(t)]
    for table in pivots:
        _read_pivot(collector, table)
    flat = [t for t in page.document.tables if t.has_columns(("Model", "Batch Size", "TP (1)"))]
    for table in flat:
        _read_flat(collector, table)
    if not tables and not pivots and not flat:
        raise UnexpectedPage(
            path=page.path,
            expected=f'a table with the column "{_LENGTHS}" or a pivot with GPU and Precision',
            nearest="; ".join(", ".join(t.columns[:3]) for t in page.document.tables[:3]),
        )
    return collector.reading()


def _read_model_table(collector: Collector, table: Table) -> None:
    """Add the cells of a table whose heading is the model and whose columns are hardware."""
    model, _, board = table.heading[-1].partition(" - ") if table.heading else ("", "", "")
    for cells in table.rows:
        for name, cell in zip(table.columns[1:], cells[1:], strict=False):
            match = _COLUMN.match(one_line(name))
            names = {"model": model, "lengths": cells[0].text, "basis": PER_GPU, "counts": OUTPUT}
            if match:
                hardware, layout, precision = match.groups()
                names |= {"hardware": board or hardware, "layout": layout, "precision": precision}
                if board:
                    names["count"] = hardware
            _add(collector, table, cell, row=cells[0].text, column=name, names=names)


def _is_pivot(table: Table) -> bool:
    """Whether a table is the one of 2024, whose header is written in its first rows."""
    first = {one_line(cell.text).lower() for cells in table.rows[:3] for cell in cells}
    return set(_PIVOT_KEYS) <= first


def _read_pivot(collector: Collector, table: Table) -> None:
    """Add the cells of the pivot table; a blank model or length repeats the one above."""
    gpu, precision = table.rows[0], table.rows[1]
    model = lengths = ""
    for cells in table.rows[3:]:
        model = one_line(cells[0].text) or model
        lengths = one_line(cells[1].text) or lengths
        for index, cell in enumerate(cells[3:], start=3):
            names = {
                "model": model,
                "lengths": lengths,
                "layout": f"TP{cells[2].text}",
                "hardware": gpu[index].text,
                "precision": precision[index].text,
                "basis": PER_SYSTEM,
            }
            _add(
                collector,
                table,
                cell,
                row=f"{model} {lengths}",
                column=gpu[index].text,
                names=names,
            )


def _read_flat(collector: Collector, table: Table) -> None:
    """Add the rows of the tables up to 0.9: one a GPU, named with its precision in the heading."""
    heading = table.heading[-1] if table.heading else ""
    match = _BOARD.match(heading)
    hardware, precision = match.groups() if match else (heading, "")
    model = ""
    for cells in table.rows:
        model = one_line(cells[0].text) or model
        lengths = "/".join(one_line(cell.text) for cell in cells[3:-1])
        names = {
            "model": model,
            "hardware": hardware,
            "precision": precision,
            "layout": f"TP{cells[2].text}",
            "lengths": lengths,
            "batch": cells[1].text,
            "metric": table.columns[-1],
            "basis": PER_GPU if "/GPU" in table.columns[-1] else PER_SYSTEM,
            "counts": OUTPUT if "out tok" in table.columns[-1] else "",
        }
        _add(collector, table, cells[-1], row=model, column=table.columns[-1], names=names)


def _add(
    collector: Collector, table: Table, cell: Cell, *, row: str, column: str, names: dict[str, str]
) -> None:
    """Add one measured rate in output tokens per second (and per GPU where the page says so)."""
    text = one_line(cell.text)
    measured = bool(_NUMBER.match(text))
    finding = collector.at_cell(table, cell, row=row, column=column)
    release = ""
    for part in collector.document.paragraphs:
        if match := _VERSION.search(part.text):
            release = match.group(1)
    key = "/".join(names.get(part, "") for part in _KEYS)
    collector.value(
        FindingKind.BENCHMARK,
        f"benchmark/{key}",
        StatementStatus.VALUE if measured else StatementStatus.NOT_STATED,
        replace(finding, names=names, release=release),
        value=text.replace(",", "") if measured else "",
    )
