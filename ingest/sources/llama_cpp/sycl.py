"""The SYCL page: Intel GPUs, other vendors and their removal, types, verified releases."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import Collector, Facet, facet_of
from ingest.sources.grids import GridCell
from ingest.sources.llama_cpp.tables import (
    find_tables,
    read_os_table,
    read_status_table,
    read_value_columns,
    shape_of,
)
from ingest.sources.llama_cpp.words import LEFT_OUT, type_facet
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, Limit

_INTEL = ("intel gpu", "status", "verified model")
_NVIDIA = ("nvidia gpu", "status", "verified model")
_AMD = ("amd gpu", "status", "verified model")
_RELEASES = "recommended release"
_INTEL_GPU = Facet(Axis.HARDWARE, "Intel GPU", frozenset({"intel"}), LEFT_OUT["sycl"])
_SYCL = facet_of(Axis.BACKEND, "SYCL", "sycl")
_MOBILE = re.compile(r"\s*\*?\(Mobile\)\*?$", re.IGNORECASE)
_REMOVED = re.compile(r"Remove support for Nvidia & AMD GPU")
_NEWS_TYPES = re.compile(r"Support data types: (?P<types>GGML_TYPE_\w+(?:, GGML_TYPE_\w+)*)")
_NONE = "NA"
_AMD_NOTE = "highly experimental; not with 16-bit computation, wave size 32 only"
# GPUs with a wave size of 64 are outside of what the AMD remark allows.
_WAVE_64 = ("amd-cdna", "amd-gcn4", "amd-gcn5")


def read_sycl(page: Page, vocabulary: Vocabulary) -> Reading:
    """Everything the page states about SYCL devices and types."""
    collector = Collector(page, vocabulary)
    read_os_table(collector, page, _SYCL)
    tables = find_tables(page, (_INTEL, _NVIDIA, _AMD), "the table of verified Intel GPUs")
    for table in tables:
        _read_devices(collector, table)
    for table in page.document.tables:
        if _RELEASES in " ".join(table.heading).lower():
            read_value_columns(collector, table, "verified-release", list(table.columns[1:]))
    _read_prose(collector)
    return collector.reading()


def _read_devices(collector: Collector, table: Table) -> None:
    def row(cell: Cell, at: Locator) -> Sequence[Facet]:
        if shape_of(table) == _AMD:
            amd = Facet(
                axis=Axis.HARDWARE,
                word=cell.text,
                slugs=frozenset({"amd"}),
                exclude=frozenset(_WAVE_64),
                key=fold_label(cell.text),
            )
            return [amd]
        # A mobile part is stated as the page states it, under its own key.
        name = _MOBILE.sub("", cell.text)
        facet = collector.facet(Axis.HARDWARE, name, at)
        return [replace(facet, word=cell.text, key=fold_label(cell.text))]

    def refine(cell: GridCell) -> None:
        if shape_of(table) == _AMD:
            cell.change(note=_AMD_NOTE)

    read_status_table(
        collector, table, "device", row=row, columns={"status": [_SYCL]}, refine=refine
    )


def _read_prose(collector: Collector) -> None:
    for number, line in enumerate(collector.document.source_lines, 1):
        if match := _REMOVED.search(line):
            _state_removed(collector, number, match)
        if match := _NEWS_TYPES.search(line):
            draft = collector.at_line(number, match[0])
            for word in match["types"].split(", "):
                types = type_facet(collector, word, draft.locator)
                collector.state(
                    "news",
                    [types, _INTEL_GPU, _SYCL],
                    StatementStatus.SUPPORTED,
                    draft,
                )
    for part in collector.document.paragraphs_under("Other Vendor GPU"):
        if part.text.strip() == _NONE:
            draft = collector.at_line(part.line, part.text)
            collector.value(FindingKind.VALUE, "device/other-vendors", StatementStatus.NONE, draft)


def _state_removed(collector: Collector, number: int, match: re.Match[str]) -> None:
    draft = replace(
        collector.at_line(number, match[0]),
        open_ended=True,
        limit=Limit.FRAMEWORK,
        note="removed because the compiler plug-ins for these vendors cannot be had any more",
    )
    for slug in ("nvidia", "amd"):
        collector.state(
            "removed",
            [facet_of(Axis.HARDWARE, slug, slug), _SYCL],
            StatementStatus.REMOVED,
            draft,
        )
