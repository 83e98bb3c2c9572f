"""Pages of processor backends: AMD ZenDNN and SpacemiT RISC-V."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.contract import (
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import Collector, Facet, facet_of
from ingest.sources.llama_cpp.tables import (
    find_tables,
    read_os_table,
    read_status_table,
    read_value_columns,
)
from ingest.sources.llama_cpp.words import SUPPORT_WORDS, type_facet
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, Execution

_ZENDNN = facet_of(Axis.BACKEND, "ZenDNN", "zendnn")
_CPU = facet_of(Axis.BACKEND, "CPU", "cpu")
_AMD = facet_of(Axis.HARDWARE, "AMD CPU", "cpu-x86-amd")
_TRADEMARKS = re.compile("[™®]")
_FALL_BACK = re.compile(r"Other quantization formats fall back to the standard CPU backend")

_CORES = ("x60", "x100", "a100")
_TICK = StatusTable({":heavy_check_mark:": StatementStatus.SUPPORTED})


def read_zendnn(page: Page, vocabulary: Vocabulary) -> Reading:
    """AMD processors and the types that ZenDNN computes."""
    collector = Collector(page, vocabulary)
    read_os_table(collector, page, _ZENDNN)
    shape = ("cpu family", "status", "notes")
    for table in find_tables(page, (shape,), "the table of AMD processors"):
        read_status_table(
            collector,
            table,
            "device",
            row=lambda cell, at: [_processor(collector, cell, at)],
            columns={"status": [_ZENDNN]},
        )
    for table in find_tables(page, (("datatype", "status", "notes"),), "the table of data types"):
        read_status_table(
            collector,
            table,
            "type",
            row=lambda cell, at: [type_facet(collector, cell.text, at)],
            columns={"status": [_AMD, _ZENDNN]},
        )
        _read_fall_back(collector, table)
    for table in page.document.tables:
        if fold_label(table.columns[0]) == "operation":
            _read_operations(collector, table)
    return collector.reading()


def _read_operations(collector: Collector, table: Table) -> None:
    """The operations that the backend computes: a status each, no claim about any scheme."""
    first = len(collector.findings)
    read_value_columns(collector, table, "operation", list(table.columns[1:]))
    for index, found in enumerate(collector.findings[first:], first):
        status = SUPPORT_WORDS.read_text(found.value)
        if fold_label(found.locator.column) == "status" and status is not None:
            collector.findings[index] = replace(found, status=status)


def _processor(collector: Collector, cell: Cell, at: Locator) -> Facet:
    """A processor series, with or without the trade marks in its name."""
    if collector.vocabulary.find(Axis.HARDWARE.value, cell.text):
        return collector.facet(Axis.HARDWARE, cell.text, at)
    plain = " ".join(_TRADEMARKS.sub("", cell.text).split())
    return replace(collector.facet(Axis.HARDWARE, plain, at), word=cell.text)


def _read_fall_back(collector: Collector, table: Table) -> None:
    """Types outside of the table, which the page says are left to the plain CPU code."""
    named = {
        slug
        for cells in table.rows
        for slug in type_facet(
            collector, cells[0].text, collector.at_line(cells[0].line, "").locator
        ).slugs
        if slug.startswith("gguf-")
    }
    for number, line in enumerate(collector.document.source_lines, 1):
        if match := _FALL_BACK.search(line):
            others = Facet(
                axis=Axis.QUANTIZATION,
                word="other GGUF types",
                slugs=frozenset({"gguf"}),
                exclude=frozenset(named),
                key="others",
            )
            draft = replace(
                collector.at_line(number, match[0]),
                execution=Execution.CPU_FALLBACK,
                note="computed by the plain CPU code, not by ZenDNN",
            )
            collector.state("type", [others, _AMD, _ZENDNN], StatementStatus.PARTIAL, draft)


def read_spacemit(page: Page, vocabulary: Vocabulary) -> Reading:
    """Types that the matrix units of SpacemiT cores compute; older pages have no table.

    The core named A100 is SpacemiT's, whatever else carries that name.
    """
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if fold_label(table.columns[0]) != "quantization type":
            continue
        columns: dict[str, Sequence[Facet]] = {}
        for label in table.columns[1:]:
            core = fold_label(label)
            if core in _CORES:
                columns[core] = [facet_of(Axis.HARDWARE, label, f"spacemit-{core}"), _CPU]
            else:
                collector.miss(Axis.HARDWARE, label, collector.at_line(table.line, "").locator)
        read_status_table(
            collector,
            table,
            "type",
            row=lambda cell, at: [type_facet(collector, cell.text, at)],
            columns=columns,
            statuses=_TICK,
        )
    if "spacemit" not in page.text.lower():
        raise UnexpectedPage(
            path=page.path, expected="a page about SpacemiT", nearest=page.document.title
        )
    return collector.reading()
