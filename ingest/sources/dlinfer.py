"""dlinfer: LMDeploy on Ascend, MetaX and Cambricon; README tables of two generations."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    PageRule,
    Reading,
    Source,
    StatementStatus,
    Vocabulary,
)
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines, read_patterns
from ingest.sources.plugin_pages import (
    NO_CARD_NAMED,
    matches_in,
    read_legend,
    require_findings,
    unexpected,
)
from ingest.sources.statuses import StatusTable
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit

_S = StatementStatus
_SIGNS = StatusTable(
    {
        "yes": _S.VALIDATED,
        "√": _S.VALIDATED,
        "no": _S.UNSUPPORTED,
        "x": _S.UNSUPPORTED,
        "-": _S.UNTESTED,
    }
)
_LEGEND = re.compile(r"‘(Yes|√)’代表测试通过，‘(No|X)’代表不支持，‘(-)’代表未测试")
_A2 = facet_of(Axis.HARDWARE, "Atlas 800T A2", "ascend-atlas-800t-a2")
_DUO = facet_of(Axis.HARDWARE, "Atlas 300I Duo", "ascend-atlas-300i-duo")
_A3 = facet_of(Axis.HARDWARE, "Atlas 800T A3", "ascend-atlas-800t-a3")
_C500 = facet_of(Axis.HARDWARE, "Maca C500", "metax-c500")
_CAMBRICON = facet_of(Axis.HARDWARE, "Cambricon", "cambricon")
_CARDS: Mapping[str, Facet] = {
    "atlas 800t a2": _A2,
    "华为atlas 800t a2": _A2,
    "atlas 300i duo": _DUO,
    "atlas 800t a3": _A3,
    "maca c500": _C500,
    "沐曦c500": _C500,
    "cambricon": _CAMBRICON,
    "寒武纪云端智能加速卡（开发中）": _CAMBRICON,
}
_EAGER = facet_of(FEATURE, "eager mode", "eager-mode")
_GRAPH = facet_of(FEATURE, "graph mode", "acl-graph")
_MODES = {"eager": (_EAGER, "true"), "graph": (_GRAPH, "false")}
_FORMATS: Mapping[str, tuple[str, ...]] = {
    "fp16/bf16": ("fp16", "bf16"),
    "bf/fp16": ("fp16", "bf16"),
    "fp16": ("fp16",),
    "bf16": ("bf16",),
    "w8a8": ("int8-w8a8",),
    "w4a16": ("int4-w4a16",),
}
_PRECISION = re.compile(r"([\w/]+)\((eager|graph)\)")
_MODELS: Mapping[str, tuple[str, ...]] = {
    "qwen2(.5)": ("qwen2", "qwen2.5"),
    "internvl(v1.5)": ("internvl-1.5",),
    "internvl1-5": ("internvl-1.5",),
    "internlm2.5-7b/20b": ("internlm2.5",),
    "internlm2-7b/20b": ("internlm2",),
    "internvl2-2b": ("opengvlab--internvl2-2b",),
    "llama3(.1)-8b": ("llama-3", "llama-3.1"),
    # Its sizes go up to 235B, which is a model with experts.
    "qwen3": ("qwen3", "qwen3-moe"),
    "mixtral": ("mixtral-8x7b",),
    "mixtral8x7b": ("mixtral-8x7b",),
    "qwen2(.5)-7b": ("qwen2", "qwen2.5"),
    "qwen2-57b-a14b": ("qwen2-moe",),
}
# Sizes that the older table writes into the model's name.
_SIZE = re.compile(r"-((?:\d+B/)?\d+B)$", re.IGNORECASE)


_INSTALLATION = "源码安装"
# The Atlas 800T A3 stands in a heading as well; a remark restricts it.
_PLATFORMS = (
    ("Atlas 800T A2", _A2),
    ("300I Duo", _DUO),
    ("沐曦C500", _C500),
    ("寒武纪", _CAMBRICON),
)


@dataclass(frozen=True, slots=True)
class _Column:
    """What a column of the table is about."""

    label: str
    card: Facet
    formats: tuple[str, ...]
    mode: str


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The model table, its legend, and what the text says of single cards."""
    collector = Collector(page, vocabulary)
    tables = [t for t in page.document.tables if any(fold_label(c) in _CARDS for c in t.columns)]
    if not tables:
        raise unexpected(page, expected='a table with a column "Atlas 800T A2"')
    for table in tables:
        _read_table(collector, table)
    for line, match in matches_in(page.document, _LEGEND):
        meanings = ("tested", "not supported", "not tested")
        read_legend(
            collector,
            "models",
            [(line, sign, meaning) for sign, meaning in zip(match.groups(), meanings, strict=True)],
        )
    _read_platforms(collector)
    _read_remarks(collector)
    _read_images(collector)
    return collector.reading()


def _read_platforms(collector: Collector) -> None:
    """Add the cards that have a section of their own on how to install for them."""
    for heading in collector.document.headings:
        if _INSTALLATION not in heading.path[:-1]:
            continue
        finding = collector.at_line(heading.line, heading.text)
        cards = [card for word, card in _PLATFORMS if word in heading.text]
        if not cards:
            collector.miss(Axis.HARDWARE, heading.text, finding.locator)
        for card in cards:
            wide = card is _CAMBRICON
            collector.state(
                "platform",
                [card],
                _S.SUPPORTED,
                replace(finding, conditions=(NO_CARD_NAMED,)) if wide else finding,
            )


def _read_table(collector: Collector, table: Table) -> None:
    """Add every cell; the first row of the body holds the precision of each column."""
    columns = _columns(table)
    body = table.rows[1:] if table.rows and _is_header(table.rows[0]) else table.rows
    sized = fold_label(table.rows[0][1].text) == "size" if table.rows else False
    for cells in body:
        row = one_line(cells[0].text)
        if not row:
            continue
        size = one_line(cells[1].text) if sized else _size_in(row)
        for index, column in columns.items():
            _read_cell(collector, table, cells[index], row=row, size=size, column=column)


def _is_header(cells: Sequence[Cell]) -> bool:
    texts = [one_line(cell.text) for cell in cells]
    return any(_PRECISION.fullmatch(text) or fold_label(text) in _FORMATS for text in texts)


def _size_in(row: str) -> str:
    match = _SIZE.search(row)
    return match.group(1) if match else ""


def _columns(table: Table) -> dict[int, _Column]:
    """The meaning of each column by its position.

    The older table leaves two cells of its first row blank: the card stands in the middle of its
    three columns.
    """
    first = table.rows[0] if table.rows else ()
    cards = [_CARDS.get(fold_label(one_line(name))) for name in table.columns]
    precisions = [one_line(cell.text) for cell in first]
    found: dict[int, _Column] = {}
    for index, precision in enumerate(precisions[: len(cards)]):
        match = _PRECISION.fullmatch(precision)
        word = match.group(1) if match else precision
        card = cards[index]
        if card is None and match:
            near = [c for c in cards[max(0, index - 1) : index + 2] if c is not None]
            card = near[0] if near else None
        if card is None:
            continue
        label = one_line(f"{card.word} {precision}")
        formats = _FORMATS.get(fold_label(word), ())
        found[index] = _Column(label, card, formats, match.group(2) if match else "")
    return found


def _read_cell(
    collector: Collector, table: Table, cell: Cell, *, row: str, size: str, column: _Column
) -> None:
    finding = collector.at_cell(table, cell, row=row, column=column.label)
    status = _SIGNS.read(cell)
    if status is None:
        collector.miss("status", cell.text, finding.locator)
        status = _S.NOT_STATED
    facets: list[Facet] = [column.card]
    if column.formats:
        facets.append(facet_of(Axis.QUANTIZATION, column.label, *column.formats))
    conditions: list[Condition] = []
    if size:
        conditions.append(_condition("model size", size))
    if column.mode:
        feature, value = _MODES[column.mode]
        if status is _S.UNSUPPORTED:
            facets.append(feature)
        else:
            conditions.append(
                Condition(kind=ConditionKind.FLAG, name="eager_mode", op="=", value=value)
            )
    if status is _S.UNSUPPORTED:
        finding = replace(finding, limit=Limit.FRAMEWORK)
    elif column.card is _CAMBRICON:
        conditions.append(NO_CARD_NAMED)
    finding = replace(finding, conditions=tuple(conditions))
    model = collector.facet(Axis.MODEL, row, finding.locator, table=_MODELS)
    for part in collector.split(model):
        done = collector.state("models", [part, *facets], status, finding)
        key = f"{done.statement}/{column.mode}" if column.mode else done.statement
        collector.findings[-1] = replace(done, statement=key)


def _condition(name: str, value: str) -> Condition:
    return Condition(kind=ConditionKind.OTHER, name=name, op="=", value=value)


def _read_remarks(collector: Collector) -> None:
    """Add what single sentences say of a card, each by its own pattern."""
    for pattern, facets, status, note in _REMARKS:
        for line, match in matches_in(collector.document, pattern):
            finding = replace(collector.at_line(line, match.group(0)), note=note)
            for group in facets:
                _state(collector, group, status, finding)
    for line, match in matches_in(collector.document, _BLOCK_SIZE):
        collector.value(
            FindingKind.REQUIREMENT,
            f"requirement/block-size/{match.group(1)}",
            _S.REQUIRES,
            replace(
                collector.at_line(line, match.group(0)),
                names={"hardware": match.group(1), "flag": "block_size"},
            ),
            value=match.group(2),
        )


def _state(
    collector: Collector, facets: Sequence[Facet], status: StatementStatus, finding: Finding
) -> None:
    if status is _S.UNSUPPORTED:
        finding = replace(finding, limit=Limit.FRAMEWORK)
    collector.state("remark", facets, status, finding)


_WHEELS = facet_of(FEATURE, "pip", "binary-wheels")
_BLOCK_SIZE = re.compile(
    r"(沐曦|寒武纪)环境下必须把`PytorchEnginConfig`中的`block_size`设为`(\d+)`"
)
_DEVICE_GRAPH = facet_of(FEATURE, "graph mode", "device-graphs")
_ALL_BUT_A3 = re.compile(r"图模式已经支持除了昇腾A3之外的所有硬件")
_Remark = tuple[re.Pattern[str], tuple[tuple[Facet, ...], ...], StatementStatus, str]
_REMARKS: tuple[_Remark, ...] = (
    (
        re.compile(r"Atlas 300I Duo目前只支持非eager模式"),
        ((_DUO, _EAGER),),
        _S.UNSUPPORTED,
        "runs in graph mode only",
    ),
    (
        re.compile(r"Atlas 800T A3目前只支持Qwen系列的算子模式下运行"),
        ((_A3,),),
        _S.PARTIAL,
        "only models of the Qwen family, and only in eager mode",
    ),
    (
        _ALL_BUT_A3,
        ((_A2, _GRAPH), (_DUO, _GRAPH), (_C500, _DEVICE_GRAPH)),
        _S.SUPPORTED,
        "",
    ),
    (
        _ALL_BUT_A3,
        ((_A3, _GRAPH),),
        _S.UNSUPPORTED,
        "graph mode runs on all cards but this one",
    ),
    (
        re.compile(r"图模式已经支持了Atlas 800T A2"),
        ((_A2, _GRAPH),),
        _S.SUPPORTED,
        "",
    ),
    (
        re.compile(r"只有华为的Atlas 800T A2与300I Duo支持pip安装"),
        ((_A2, _WHEELS), (_DUO, _WHEELS)),
        _S.SUPPORTED,
        "other cards need an installation from source",
    ),
    (
        re.compile(r"只有华为支持pip安装"),
        ((_A2, _WHEELS),),
        _S.SUPPORTED,
        "other cards need an installation from source",
    ),
    (
        re.compile(r"寒武纪云端智能加速卡（开发中）"),
        ((_CAMBRICON,),),
        _S.PLANNED,
        "in development",
    ),
)
_IMAGE = re.compile(r"docker pull (\S+/lmdeploy_dlinfer/(\w+):([\w.-]+))")
_IMAGE_CARDS = {"a3-latest": _A3, "a2-latest": _A2, "300i-duo-latest": _DUO}


def _read_images(collector: Collector) -> None:
    """Add the image of each platform."""
    for line, match in matches_in(collector.document, _IMAGE):
        card = _IMAGE_CARDS.get(match.group(3))
        hardware = card.word if card else {"maca": "C500", "camb": "Cambricon"}[match.group(2)]
        collector.value(
            FindingKind.ARTEFACT,
            f"image/{match.group(2)}/{match.group(3)}",
            _S.PUBLISHED,
            replace(
                collector.at_line(line, match.group(1).rsplit("/", 1)[-1]),
                names={"image": match.group(1), "hardware": hardware},
            ),
            value=f"{match.group(2)}:{match.group(3)}",
        )


_OFFLINE = re.compile(r"目前在华为Atlas 800T A2设备.*仅支持离线量化")
_PINS = (
    ("torch", _S.PINNED, re.compile(r"^torch==([\d.]+\d)")),
    ("torchvision", _S.PINNED, re.compile(r"^torchvision==([\d.]+\d)")),
    ("torch-npu", _S.PINNED, re.compile(r"^torch-npu==([\w.]+)")),
    ("amct-pytorch", _S.PINNED, re.compile(r"^amct_pytorch==([\w.]+)")),
)


def read_kv_quantization(page: Page, vocabulary: Vocabulary) -> Reading:
    """The quantised cache on Ascend: offline calibration, eager mode."""
    collector = Collector(page, vocabulary)
    for line, match in matches_in(page.document, _OFFLINE):
        collector.state(
            "kv-quantization",
            [facet_of(Axis.KV_DTYPE, "KV Cache INT8", "kv-int8"), _A2],
            _S.PARTIAL,
            replace(
                collector.at_line(line, match.group(0)),
                note="in eager mode, with scales that were calibrated offline",
            ),
        )
    require_findings(collector, expected="the sentence about the Atlas 800T A2")
    read_patterns(collector, _PINS, numbered_lines(page.document))
    return collector.reading()


SOURCE = Source(
    name="dlinfer-docs",
    framework="dlinfer",
    title="dlinfer documentation",
    rules=(
        PageRule("readme", (r"README\.md",), read_readme),
        PageRule("kv-quantization", (r"docs/quant/ascend_kv_quant\.md",), read_kv_quantization),
    ),
)
