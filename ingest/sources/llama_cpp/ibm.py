"""IBM Z and LinuxONE: machines, the zDNN accelerator, and which types are accelerated."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Paragraph, Table, fold_label
from ingest.sources.collecting import Collector, Facet, facet_of
from ingest.sources.grids import GridCell, known_share
from ingest.sources.llama_cpp.tables import find_tables, nearest_shape, read_status_table
from ingest.sources.llama_cpp.words import type_facet
from ingest.sources.statuses import StatusTable
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit

_ZDNN = facet_of(Axis.BACKEND, "zDNN", "zdnn")
_CPU = facet_of(Axis.BACKEND, "CPU", "cpu")
_IBM = facet_of(Axis.HARDWARE, "IBM Z", "cpu-s390x")
_WITH_ZDNN = facet_of(Axis.HARDWARE, "IBM z17", "cpu-z17")
_SPYRE = facet_of(Axis.HARDWARE, "Spyre", "ibm-spyre")

# Appendix A of the IBM Z page: what runs at all. Appendix B: what is accelerated.
_HARDWARE_SIGNS = StatusTable({"✅": StatementStatus.SUPPORTED, "🚫": StatementStatus.UNSUPPORTED})
_SIMD_SIGNS = StatusTable(
    {
        "✅": StatementStatus.SUPPORTED,
        "🚫": StatementStatus.NO_ACCELERATION,
        "❓": StatementStatus.UNKNOWN,
    }
)
_SIMD_COLUMNS: Mapping[str, Sequence[Facet]] = {
    "vx/vxe/vxe2": (_CPU, _IBM),
    "nnpa": (_CPU, _IBM, facet_of("instruction set", "NNPA")),
    "zdnn": (_ZDNN, _IBM),
    "spyre": (_SPYRE,),
}
_NNPA = Condition(kind=ConditionKind.BUILD_OPTION, name="GGML_NNPA", op="=", value="ON")
_OLDER = re.compile(r"older systems, such as (?:IBM )?(?P<machine>z\d+)")
_SINCE = re.compile(r"^_?Only available (?:in|with) (?:IBM )?(?P<machine>z\d+)")
_NO_SUPPORT = re.compile(r"No support currently available")


def read_zdnn(page: Page, vocabulary: Vocabulary) -> Reading:
    """IBM machines and the types that the zDNN accelerator computes."""
    collector = Collector(page, vocabulary)
    levels = ("hardware level", "status", "verified")

    def machine(cell: Cell, at: Locator) -> Sequence[Facet]:
        name = cell.text.split("/")[0].strip()
        return [replace(collector.facet(Axis.HARDWARE, name, at), word=cell.text)]

    def refine(cell: GridCell) -> None:
        if cell.status is StatementStatus.UNSUPPORTED:
            cell.change(limit=Limit.HARDWARE, note="the accelerator library does not run on it")

    for table in find_tables(page, (levels,), "the table of hardware levels"):
        read_status_table(
            collector, table, "device", row=machine, columns={"status": [_ZDNN]}, refine=refine
        )
    for table in find_tables(page, (("data type", "status"),), "the table of data types"):
        read_status_table(
            collector,
            table,
            "type",
            row=lambda cell, at: [type_facet(collector, cell.text, at)],
            columns={"status": [_WITH_ZDNN, _ZDNN]},
        )
    return collector.reading()


def read_ibm_z(page: Page, vocabulary: Vocabulary) -> Reading:
    """The two appendices: which machines run, and which types are accelerated."""
    collector = Collector(page, vocabulary)
    shape = ("", "support", "minimum compiler version")
    for table in find_tables(page, (shape,), "Appendix A, the hardware support matrix"):
        read_status_table(
            collector,
            table,
            "device",
            row=lambda cell, at: _ibm_row(collector, cell, at),
            columns={"support": [_CPU]},
            statuses=_HARDWARE_SIGNS,
        )
    matrices = [t for t in page.document.tables if known_share(t, list(_SIMD_COLUMNS)) >= 2]
    if not matrices:
        raise UnexpectedPage(
            path=page.path,
            expected="Appendix B, the SIMD support matrix",
            nearest=nearest_shape(page, {tuple(_SIMD_COLUMNS)}),
        )
    for table in matrices:
        _read_simd(collector, table)
    for part in page.document.paragraphs_under("IBM Accelerators"):
        _read_accelerator(collector, part)
    return collector.reading()


def _read_accelerator(collector: Collector, part: Paragraph) -> None:
    """One accelerator's section: from which machine on it works, and what older ones do."""
    section = part.heading[-1] if part.heading else ""
    draft = collector.at_line(part.line, part.text)
    if "SIMD" in section and (match := _OLDER.search(part.text)):
        older = collector.facet(Axis.HARDWARE, match["machine"], draft.locator)
        note = "not accelerated; runs by scalar code"
        collector.state(
            "simd-machine",
            [older, _CPU],
            StatementStatus.NO_ACCELERATION,
            replace(draft, note=note),
        )
    accelerators = {"zDNN": [_IBM, _ZDNN], "Spyre": [_SPYRE]}
    for word, facets in accelerators.items():
        if word in section:
            _state_accelerator(collector, part, draft, facets)


def _state_accelerator(
    collector: Collector, part: Paragraph, draft: Finding, facets: list[Facet]
) -> None:
    if _NO_SUPPORT.search(part.text):
        note = "no support for this accelerator yet"
        draft = replace(draft, limit=Limit.FRAMEWORK, note=note)
        collector.state("accelerator", facets, StatementStatus.UNSUPPORTED, draft)
    elif "WIP" in "".join(part.heading[-1:]) and (match := _SINCE.search(part.text)):
        machine = collector.facet(Axis.HARDWARE, match["machine"], draft.locator)
        note = f"work in progress; from {match['machine']} on"
        collector.state(
            "accelerator",
            [machine, *facets[1:]],
            StatementStatus.WORK_IN_PROGRESS,
            replace(draft, note=note),
        )


def _ibm_row(collector: Collector, cell: Cell, at: Locator) -> Sequence[Facet]:
    if fold_label(cell.text) == "ibm zdnn":
        return [replace(_IBM, word=cell.text, key="zdnn")]
    return [collector.facet(Axis.HARDWARE, cell.text, at)]


def _read_simd(collector: Collector, table: Table) -> None:
    for label in table.columns[1:]:
        if fold_label(label) not in _SIMD_COLUMNS:
            collector.miss("column", label, collector.at_line(table.line, label).locator)

    def row(cell: Cell, at: Locator) -> Sequence[Facet]:
        if "->" in cell.text:
            return [Facet(axis="conversion", word=cell.text)]
        return [type_facet(collector, cell.text, at)]

    def refine(cell: GridCell) -> None:
        if fold_label(cell.column) == "nnpa":
            cell.facets[:] = [f for f in cell.facets if f.axis != "instruction set"]
            cell.facets.append(facet_of(Axis.HARDWARE, cell.column, "cpu-s390x", key="nnpa"))
            cell.change(conditions=(_NNPA,))
        if cell.status is StatementStatus.NO_ACCELERATION:
            cell.change(note="not accelerated; runs by scalar code")
        if "->" in cell.row.text:
            # A conversion between types is no quantization of a model.
            cell.change(kind=FindingKind.VALUE)

    read_status_table(
        collector,
        table,
        "simd",
        row=row,
        columns=_SIMD_COLUMNS,
        statuses=_SIMD_SIGNS,
        refine=refine,
    )
