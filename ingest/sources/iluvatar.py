"""DeepSparkInference: Iluvatar's examples, model × engine, and the SDK of each release.

The pages name no card; what they list is therefore bound to "a card of the vendor" and to the
SDK. Engines that serve no language models are kept as values.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

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
from ingest.sources.collecting import Collector, facet_of, one_line
from ingest.sources.grids import column_named
from ingest.sources.plugin_pages import NO_CARD_NAMED, require_findings, whole_row
from ingest.sources.statuses import StatusTable
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind

_S = StatementStatus
_SIGNS = StatusTable({"✅": _S.SUPPORTED, "supported": _S.SUPPORTED, "-": _S.NOT_STATED})
_HARDWARE = facet_of(Axis.HARDWARE, "Iluvatar CoreX", "iluvatar")
# Engines for language models; the page spells TensorRT-LLM in two ways.
_SERVING: Mapping[str, str] = {
    "vllm": "vllm",
    "trt-llm": "tensorrt-llm",
    "tensorrt-llm": "tensorrt-llm",
    "tgi": "tgi",
    "lmdeploy": "lmdeploy",
    "fastdeploy": "fastdeploy",
    "transformers": "transformers",
}
_NO_ENGINES = frozenset({"model", "models", "prec.", "precision", "ixuca sdk", "engine"})
# Speech, vision and diffusion models are no language models, whatever engine runs them.
_TEXT_SECTIONS = ("大语言模型", "LLM", "Large Language Model", "多模态", "Multimodal")
_MODELS: Mapping[str, tuple[str, ...]] = {
    "chatglm-3-6b": ("zai-org--chatglm3-6b",),
    "chatglm-3-6b-32k": ("zai-org--chatglm3-6b-32k",),
    "llama-3.2": ("llama-3.2-vision",),
    "llava": ("llava-1.5",),
    "minicpm-o-2": ("openbmb--minicpm-o-2_6",),
    "qwen1.5-14b": ("qwen1.5",),
    "qwen1.5-72b": ("qwen1.5",),
    "qwen3-235b-a22b-thinking": ("qwen--qwen3-235b-a22b-thinking-2507",),
    "qwen3-30b-a3b-thinking": ("qwen--qwen3-30b-a3b-thinking-2507",),
    "qwen3-next-80b-a3b": ("qwen3-next",),
    "stablelm2-1.6b": ("stabilityai--stablelm-2-1_6b",),
    "xlmroberta": ("xlmrobertamodel",),
}
# Rows whose size the catalogue has no node for.
_SIZES = {"qwen1.5-14b": "14B", "qwen1.5-72b": "72B"}
_ROW = re.compile(r"\s+")


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every table of examples: one column for each engine, or an engine column."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if fold_label(table.columns[0]) not in {"model", "models"}:
            continue
        if table.has_columns(("Engine", "Supported")):
            _read_engine_rows(collector, table)
        else:
            _read_engine_columns(collector, table)
    require_findings(collector, expected='tables with "Model" and engines')
    _read_containers(collector)
    return collector.reading()


def _read_containers(collector: Collector) -> None:
    """Add the container installers and the SDK that each belongs to."""
    for table in collector.document.tables:
        if not table.has_columns(("Docker Installer", "IXUCA SDK")):
            continue
        for cells in table.rows:
            name = one_line(cells[table.column("Docker Installer")].text)
            sdk = cells[table.column("IXUCA SDK")]
            collector.value(
                FindingKind.ARTEFACT,
                f"image/{name}",
                _S.PUBLISHED,
                replace(
                    collector.at_cell(table, sdk, row=name, column="IXUCA SDK"),
                    names={"image": name, "sdk": sdk.text},
                ),
                value=name,
            )


def _read_engine_rows(collector: Collector, table: Table) -> None:
    """The shape since 25.12: one row for each model and engine."""
    engine, said = table.column("Engine"), table.column("Supported")
    for cells in table.rows:
        _read_cell(
            collector, table, cells, cells[said], cells[0].text, engine=cells[engine].text,
            column=table.columns[said],
        )  # fmt: skip


def _read_engine_columns(collector: Collector, table: Table) -> None:
    """The older shape: one column for each engine; a blank model means the one above."""
    row = ""
    for cells in table.rows:
        row = cells[0].text or row
        for index, name in enumerate(table.columns):
            if fold_label(name) not in _NO_ENGINES and index < len(cells):
                _read_cell(collector, table, cells, cells[index], row, engine=name, column=name)


def _read_cell(
    collector: Collector,
    table: Table,
    cells: tuple[Cell, ...],
    cell: Cell,
    row: str,
    *,
    engine: str,
    column: str,
) -> None:
    finding = collector.at_cell(table, cell, row=row, column=column)
    sdk, precision = (
        _text_of(table, cells, "ixuca sdk"),
        _text_of(table, cells, "prec.", "precision"),
    )
    names = {"engine": one_line(engine), "sdk": sdk, "precision": precision}
    finding = replace(
        finding,
        raw=cell.text[:40],
        names={key: word for key, word in names.items() if word},
        links=tuple(link.target for link in cell.links),
    )
    finding = whole_row(finding, cells[0], cell)
    status = _SIGNS.read(cell)
    serving = _SERVING.get(fold_label(one_line(engine)))
    text = any(part in heading for part in _TEXT_SECTIONS for heading in table.heading)
    if serving and text:
        _state(collector, finding, status, row, serving=serving, sdk=sdk)
        return
    if status is None and cell.text and not cell.links and not any(map(str.isdigit, cell.text)):
        # A link to the example or a figure says that there is one; another sign says nothing yet.
        collector.miss("status", finding.raw, finding.locator)
        status = _S.NOT_STATED
    key = "/".join(fold_label(part) for part in (row, engine, precision) if part)
    collector.value(
        FindingKind.VALUE,
        f"example/{key}",
        status or _S.SUPPORTED if cell.text else _S.NOT_STATED,
        replace(finding, names={**finding.names, "model": row}),
        value=cell.text,
    )


def _text_of(table: Table, cells: tuple[Cell, ...], *labels: str) -> str:
    """The text of the row's cell in the first of these columns that the table has."""
    for label in labels:
        index = column_named(table, label)
        if index is not None and index < len(cells):
            return one_line(cells[index].text)
    return ""


def _state(
    collector: Collector,
    finding: Finding,
    status: StatementStatus | None,
    row: str,
    *,
    serving: str,
    sdk: str,
) -> None:
    if status is None:
        collector.miss("status", finding.raw, finding.locator)
        status = _S.NOT_STATED
    conditions = [
        NO_CARD_NAMED,
        Condition(kind=ConditionKind.PACKAGE, name="engine of the SDK", op="=", value=serving),
    ]
    if sdk:
        # "dev-only" stands where the released SDK does not have it yet.
        conditions.append(
            Condition(kind=ConditionKind.TOOLKIT, name="IXUCA SDK", op="=", value=sdk)
        )
    if size := _SIZES.get(fold_label(row)):
        conditions.append(
            Condition(kind=ConditionKind.OTHER, name="model size", op="=", value=size)
        )
    model = collector.facet(Axis.MODEL, _ROW.sub(" ", row), finding.locator, table=_MODELS)
    done = replace(finding, conditions=tuple(conditions))
    for part in collector.split(model):
        collector.state(f"models-{serving}", [part, _HARDWARE], status, done)


def read_releases(page: Page, vocabulary: Vocabulary) -> Reading:
    """The table of releases with the SDK that belongs to each."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if not table.has_columns(("Release Version", "IXUCA SDK")):
            continue
        for cells in table.rows:
            version = one_line(cells[table.column("Release Version")].text)
            cell = cells[table.column("IXUCA SDK")]
            finding = collector.at_cell(table, cell, row=version, column="IXUCA SDK")
            collector.value(
                FindingKind.PAIRING,
                f"pairing/ixuca-sdk/{version}",
                _S.SUPPORTED,
                replace(
                    finding,
                    names={"deepspark-inference": version, "sdk": cell.text},
                    release=version,
                ),
                value=cell.text.removeprefix("v"),
            )
    if not collector.findings:
        _read_sdk_lines(collector)
    require_findings(collector, expected='a table "Release Version | IXUCA SDK"')
    return collector.reading()


_SDK = re.compile(r"DeepSparkInference ([\d.]+\d) ?对应天数软件栈 ?([\d.]+\d) ?版本")


def _read_sdk_lines(collector: Collector) -> None:
    """Add the sentence of older pages that names the SDK of each release."""
    for number, line in enumerate(collector.document.source_lines, start=1):
        for match in _SDK.finditer(line):
            collector.value(
                FindingKind.PAIRING,
                f"pairing/ixuca-sdk/{match.group(1)}",
                _S.SUPPORTED,
                replace(
                    collector.at_line(number, match.group(0)),
                    names={"deepspark-inference": match.group(1), "sdk": match.group(2)},
                    release=match.group(1),
                ),
                value=match.group(2),
            )


SOURCE = Source(
    name="deepspark-inference-readme",
    framework="deepspark-inference",
    title="DeepSparkInference README",
    rules=(
        PageRule("models", (r"README(?:_en)?\.md",), read_models),
        PageRule("releases", (r"RELEASE\.md",), read_releases),
    ),
    folder="iluvatar",
)
