"""The Ascend page: devices, models × types, types × chips, limits in prose."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from ingest.sources.grids import GridCell, column_named, state_cell
from ingest.sources.llama_cpp.models import model_facet
from ingest.sources.llama_cpp.tables import (
    find_tables,
    read_os_table,
    read_status_table,
    read_value_columns,
    shape_of,
)
from ingest.sources.llama_cpp.words import SUPPORT_WORDS, type_facet
from ingest.sources.statuses import StatusTable
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit

_OLD_DEVICES = ("ascend npu", "status")
_NEW_DEVICES = ("device id", "product series", "product models", "chip model", "verified status")
_MODEL_SHAPES = (
    ("model name", "fp16", "q8_0", "q4_0"),
    ("model name", "fp16", "q4_0", "q8_0"),
)
_OLD_TYPES = ("datatype", "status")
_NEW_TYPES = ("datatype", "910b", "310p")

# The page has no legend: a tick works, an x does not, a dash was not tried.
_MODEL_SIGNS = StatusTable(
    {
        "√": StatementStatus.SUPPORTED,
        "x": StatementStatus.UNSUPPORTED,
        "-": StatementStatus.UNKNOWN,
    }
)
_CHIPS: Mapping[str, str] = {"910b": "ascend-a2", "310p": "ascend-310p"}
_CANN = facet_of(Axis.BACKEND, "CANN", "cann")
_ASCEND = facet_of(Axis.HARDWARE, "Ascend NPU", "ascend")
# Where the page names no chip a yes is one for the chips it was tried on; its table of types says
# that the 310P computes quantized matrices elsewhere, and the others are not in its device list.
_UNTRIED = frozenset({"ascend-310b", "ascend-310p", "ascend-910", "ascend-a5"})
_TRIED = replace(_ASCEND, exclude=_UNTRIED)
_PARTIAL_310P = "data layout only; quantized matrix multiplication does not run on this chip"
_ONLY_TYPES = re.compile(r"CANN backend only supports (?P<types>[A-Z0-9_/]+) models")
_NEWS_310P = re.compile(r"Support (?P<types>F16 and F32) data type model for Ascend 310P NPU")
_NEWS_TYPES = re.compile(r"Support (?P<types>`\w+`(?: and `\w+`)*) data type for Ascend NPU")
_FLASH = re.compile(r"the FA only supports the cases with FP16 KV tensors and NO logit softcap")
_MINIMUM = re.compile(r"minimum version required is (?P<version>[0-9A-Za-z.]+[0-9A-Za-z])")


def read_cann(page: Page, vocabulary: Vocabulary) -> Reading:
    """Everything the page states about Ascend."""
    collector = Collector(page, vocabulary)
    read_os_table(collector, page, _CANN)
    for table in find_tables(page, (_OLD_DEVICES, _NEW_DEVICES), "the table of Ascend devices"):
        _read_devices(collector, table)
    for table in find_tables(page, _MODEL_SHAPES, "the table of models and types"):
        _read_models(collector, table)
    for table in find_tables(page, (_OLD_TYPES, _NEW_TYPES), "the table of data types"):
        _read_types(collector, table)
    _read_prose(collector)
    return collector.reading()


def _read_devices(collector: Collector, table: Table) -> None:
    if shape_of(table) == _OLD_DEVICES:
        read_status_table(
            collector,
            table,
            "device",
            row=lambda cell, at: [collector.facet(Axis.HARDWARE, cell.text, at)],
            columns={"status": [_CANN]},
        )
        return
    last = len(_NEW_DEVICES) - 1
    for cells in table.rows:
        cell = cells[last]
        draft = collector.at_cell(table, cell, row=cells[0].text, column=table.columns[last])
        model, series, chip = cells[2].text, cells[1].text, cells[3].text
        known = model or f"Ascend {chip}"
        device = collector.facet(Axis.HARDWARE, known, draft.locator)
        # A row without a product names its series; two series share one chip.
        named = device if model else replace(device, key=fold_label(series))
        state_cell(
            collector,
            "device",
            GridCell(
                table=table,
                row=cells[0],
                column=table.columns[last],
                cell=cell,
                facets=[named, _CANN],
                status=SUPPORT_WORDS.read(cell),
                finding=replace(draft, names={"hardware": known, "series": series}),
            ),
        )
    read_value_columns(collector, table, "device", list(table.columns[1:last]))


def _read_models(collector: Collector, table: Table) -> None:
    header = collector.at_line(table.line, "").locator
    columns: dict[str, Sequence[Facet]] = {
        fold_label(name): [type_facet(collector, name, header), _ASCEND, _CANN]
        for name in table.columns[1:]
    }

    def refine(cell: GridCell) -> None:
        if cell.status is StatementStatus.UNSUPPORTED:
            cell.change(limit=Limit.FRAMEWORK, note="marked as not working on Ascend")
        elif cell.status is StatementStatus.SUPPORTED:
            cell.facets = [_TRIED if facet == _ASCEND else facet for facet in cell.facets]

    read_status_table(
        collector,
        table,
        "model-type",
        row=lambda cell, at: [model_facet(collector, cell.text, at, links=cell.links)],
        columns=columns,
        statuses=_MODEL_SIGNS,
        refine=refine,
    )


def _read_types(collector: Collector, table: Table) -> None:
    columns: dict[str, Sequence[Facet]] = {"status": [_ASCEND, _CANN]}
    for word, slug in _CHIPS.items():
        if column_named(table, word) is not None:
            columns[word] = [facet_of(Axis.HARDWARE, word, slug), _CANN]

    def refine(cell: GridCell) -> None:
        if cell.status is StatementStatus.PARTIAL:
            cell.change(note=_PARTIAL_310P)
        elif cell.status is StatementStatus.SUPPORTED:
            cell.facets = [_TRIED if facet == _ASCEND else facet for facet in cell.facets]

    read_status_table(
        collector,
        table,
        "type",
        row=lambda cell, at: [type_facet(collector, cell.text, at)],
        columns=columns,
        refine=refine,
    )


def _read_prose(collector: Collector) -> None:
    for number, line in enumerate(collector.document.source_lines, 1):
        if match := _ONLY_TYPES.search(line):
            _state_only(collector, number, match)
        if match := _NEWS_310P.search(line):
            draft = collector.at_line(number, match[0])
            types = facet_of(Axis.QUANTIZATION, match["types"], "fp16", "fp32")
            chip = facet_of(Axis.HARDWARE, "Ascend 310P", "ascend-310p")
            collector.state("news", [types, chip, _CANN], StatementStatus.SUPPORTED, draft)
        if match := _NEWS_TYPES.search(line):
            draft = collector.at_line(number, match[0])
            for word in re.findall(r"`(\w+)`", match["types"]):
                facets = [type_facet(collector, word, draft.locator), _TRIED, _CANN]
                collector.state("news", facets, StatementStatus.SUPPORTED, draft)
        if match := _FLASH.search(line):
            _state_flash(collector, number, match)
        if match := _MINIMUM.search(line):
            draft = replace(collector.at_line(number, match[0]), names={"package": "CANN"})
            collector.value(
                FindingKind.REQUIREMENT,
                "cann-minimum",
                StatementStatus.REQUIRES,
                draft,
                value=match["version"],
            )


def _state_only(collector: Collector, number: int, match: re.Match[str]) -> None:
    """ "Only these types": supported for them, refused for every other GGUF type."""
    draft = collector.at_line(number, match[0])
    facets = [type_facet(collector, w, draft.locator) for w in match["types"].split("/")]
    named = frozenset().union(*(facet.slugs for facet in facets))
    types = Facet(axis=Axis.QUANTIZATION, word=match["types"], slugs=named, key="named")
    others = Facet(
        axis=Axis.QUANTIZATION,
        word="other GGUF types",
        slugs=frozenset({"gguf"}),
        exclude=frozenset(slug for slug in named if slug.startswith("gguf-")),
        key="others",
    )
    collector.state("only-types", [types, _TRIED, _CANN], StatementStatus.SUPPORTED, draft)
    refused = replace(draft, limit=Limit.FRAMEWORK, note=f"only {match['types']} are supported")
    collector.state("only-types", [others, _ASCEND, _CANN], StatementStatus.UNSUPPORTED, refused)


def _state_flash(collector: Collector, number: int, match: re.Match[str]) -> None:
    draft = replace(
        collector.at_line(number, match[0]),
        note="only with a 16-bit KV cache and without logit soft-capping",
        conditions=(
            Condition(kind=ConditionKind.FLAG, name="--cache-type-k", op="=", value="f16"),
        ),
    )
    flash = facet_of(FEATURE, "Flash Attention", "flash-attention")
    collector.state("flash-attention", [flash, _ASCEND, _CANN], StatementStatus.PARTIAL, draft)
