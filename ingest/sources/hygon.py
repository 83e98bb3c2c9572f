"""Hygon DCU cookbook: models × engine × card, launch recipes, images.

The cookbook speaks about Hygon's builds of two engines, which are two frameworks here; rows of
other engines are kept as values.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ingest.contract import (
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
from ingest.sources.plugin_pages import find_signs, read_legend, require_findings, unexpected
from ingest.sources.statuses import StatusTable
from matrix.domain.coordinates import Condition, NumberRange
from matrix.domain.levels import Axis, ConditionKind, NumberAxis

_S = StatementStatus
_SIGNS = StatusTable({"✅": _S.VALIDATED, "🚧": _S.PLANNED, "-": _S.UNTESTED})
_LEGEND = {
    "✅": ("已验证", "validated"),
    "🚧": ("开发中", "in development"),
    "`-`": ("暂未验证", "not validated yet"),
}
_CARDS = ("K100_AI", "BW1000", "BW1100")
_ENGINES = {"vllm": "hygon-das-vllm", "sglang": "hygon-das-sglang"}
_MODELS: Mapping[str, tuple[str, ...]] = {
    "qwen2-72b": ("qwen2",),
    "bge": ("bge",),
}
_SIZES = {"qwen2-72b": "72B"}
_FORMATS: Mapping[str, tuple[str, ...]] = {
    "bf16": ("bf16",),
    "fp16": ("fp16",),
    "fp8 w8a8": ("fp8-w8a8",),
    "int8 w8a8": ("int8-w8a8",),
    "int4 w4a8": ("int8-w4a8",),
    "w4a8": ("int8-w4a8",),
    "w8a8": ("int8-w8a8",),
    "int4": ("int4",),
    "awq": ("awq",),
    "gptq": ("gptq",),
}
# What the project's quantised checkpoints add to the name of the model.
_ADDED = re.compile(r"-(?:Channel-|W4A8|quantized\.).*$", re.IGNORECASE)
_SPLIT = re.compile(r"PP(\d+)\+TP(\d+)")
_PD = re.compile(r"\d+P\d+D")
_PULL = re.compile(r"docker pull (\S+)/([\w-]+:[\w.-]+)")
_TAG_PARTS = re.compile(r"(\d+\.\d+\.\d+\w*).*-dtk([\d.]+)-py([\d.]+)$")


def read_models(engine: str, page: Page, vocabulary: Vocabulary) -> Reading:
    """The model table's rows of one engine; the first engine's reading also keeps the others."""
    collector = Collector(page, vocabulary)
    tables = [t for t in page.document.tables if t.has_columns(_CARDS)]
    if not tables:
        raise unexpected(page, expected="a table with columns " + ", ".join(_CARDS))
    for table in tables:
        for cells in table.rows:
            _read_row(collector, table, cells, engine)
    read_legend(collector, "models", find_signs(page.document, _LEGEND))
    return collector.reading()


def _read_row(collector: Collector, table: Table, cells: tuple[Cell, ...], engine: str) -> None:
    row, framework = cells[1].text, fold_label(cells[2].text)
    other = framework not in _ENGINES
    if framework != engine and not (other and engine == "vllm"):
        return
    for name in _CARDS:
        cell = cells[table.column(name)]
        finding = collector.at_cell(table, cell, row=row, column=name)
        finding = replace(
            finding,
            names={"framework": cells[2].text},
            links=tuple(link.target for link in cell.links),
        )
        status = _SIGNS.read(cell)
        if status is None:
            collector.miss("status", cell.text, finding.locator)
            status = _S.NOT_STATED
        if other:
            collector.value(
                FindingKind.VALUE,
                f"models-{framework.replace(' ', '-')}/{fold_label(row)}/{fold_label(name)}",
                status,
                replace(finding, names={**finding.names, "model": row, "hardware": name}),
                value=cell.text,
            )
            continue
        if size := _SIZES.get(fold_label(row)):
            finding = replace(finding, conditions=(_size(size),))
        card = collector.facet(Axis.HARDWARE, name, finding.locator)
        model = collector.facet(Axis.MODEL, row, finding.locator, table=_MODELS)
        for part in collector.split(model):
            collector.state("models", [part, card], status, finding)


def _size(size: str) -> Condition:
    return Condition(kind=ConditionKind.OTHER, name="model size", op="=", value=size)


def read_recipes(engine: str, page: Page, vocabulary: Vocabulary) -> Reading:
    """The recipes of a model's page: checkpoint, format, engine version, card and card count."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if table.has_columns(("模型权重", "量化方式", "推荐硬件", "卡数")):
            for cells, checkpoint in _carried(table):
                _read_recipe(collector, table, cells, checkpoint, engine)
    require_findings(collector, expected='a table "模型权重 | 量化方式 | … | 推荐硬件 | 卡数"')
    return collector.reading()


def _carried(table: Table) -> Iterator[tuple[tuple[Cell, ...], str]]:
    """Each row with its checkpoint: a blank first cell means the one above."""
    checkpoint = ""
    for cells in table.rows:
        checkpoint = one_line(cells[0].text) or checkpoint
        yield cells, checkpoint


def _read_recipe(
    collector: Collector, table: Table, cells: tuple[Cell, ...], checkpoint: str, engine: str
) -> None:
    scheme, version, card, count, layout = (one_line(cell.text) for cell in cells[1:6])
    finding = collector.at_cell(table, cells[3], row=checkpoint, column=table.columns[3])
    number = int(count.rstrip("xX ")) if count.rstrip("xX ").isdigit() else 0
    numbers = {NumberAxis.HARDWARE_COUNT: NumberRange(number, number)} if number else {}
    facets = [
        _model(collector, checkpoint, finding.locator.line or 0),
        collector.facet(Axis.QUANTIZATION, scheme, finding.locator, table=_FORMATS),
        collector.facet(Axis.HARDWARE, card, finding.locator),
    ]
    if _PD.fullmatch(layout):
        facets.append(facet_of(FEATURE, layout, "disaggregated-prefill"))
    if split := _SPLIT.fullmatch(layout):
        pipeline, tensor = int(split.group(1)), int(split.group(2))
        numbers[NumberAxis.PIPELINE_PARALLEL] = NumberRange(pipeline, pipeline)
        numbers[NumberAxis.TENSOR_PARALLEL] = NumberRange(tensor, tensor)
    version = version.strip("[]")
    condition = Condition(kind=ConditionKind.PACKAGE, name=engine, op="=", value=version)
    done = collector.state(
        "recipe",
        facets,
        _S.SUPPORTED,
        replace(
            finding,
            raw=card,
            names={"engine version": version, "cards": count, "layout": layout},
            conditions=(condition,),
            links=tuple(link.target for link in cells[0].links),
        ),
        numbers=numbers,
    )
    collector.value(
        FindingKind.DEPLOYMENT,
        f"deployment/{fold_label(checkpoint)}/{scheme}/{card}/{version}/{count}/{layout}",
        _S.SUPPORTED,
        replace(
            finding,
            raw=card,
            names={"model": checkpoint, "quant": scheme, "hw": card, "count": count},
        ),
        value=f"cards={number}" if number else "",
    )
    key = f"{done.statement}/{version}/{count.rstrip('xX ')}/{fold_label(layout)}"
    collector.findings[-2] = replace(done, statement=key)


def _model(collector: Collector, checkpoint: str, line: int) -> Facet:
    """The model of a checkpoint; a quantised one of the project's own stands for its model."""
    at = collector.at_line(line, checkpoint).locator
    own = collector.vocabulary.find(Axis.MODEL, checkpoint)
    if own:
        return facet_of(Axis.MODEL, checkpoint, *own)
    bare = _ADDED.sub("", checkpoint)
    for word in (bare, bare.split("/")[-1]):
        if known := collector.vocabulary.find(Axis.MODEL, word):
            return facet_of(Axis.MODEL, checkpoint, *known)
    return collector.facet(Axis.MODEL, checkpoint, at)


def read_images(engine: str, page: Page, vocabulary: Vocabulary) -> Reading:
    """The recommended image of each engine version, with the toolkit in its tag."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if not table.has_columns(("框架", "版本号", "推荐镜像")):
            continue
        for cells in table.rows:
            match = _PULL.search(cells[2].raw)
            if fold_label(cells[0].text) != engine or match is None:
                continue
            parts = _TAG_PARTS.search(match.group(2))
            names = {"framework": f"{cells[0].text} {cells[1].text}", "image": match.group(2)}
            if parts:
                names |= {"dtk": parts.group(2), "python": parts.group(3)}
            finding = collector.at_cell(table, cells[2], row=cells[1].text, column=table.columns[2])
            collector.value(
                FindingKind.ARTEFACT,
                f"image/{engine}/{fold_label(cells[1].text)}",
                _S.PUBLISHED,
                replace(finding, raw=match.group(2), names=names),
                value=match.group(2),
            )
    require_findings(collector, expected=f'a row of {engine} under "框架 | 版本号 | 推荐镜像"')
    return collector.reading()


_DEPLOYMENT = r"docs/model-deployment/"


def _source(engine: str, title: str) -> Source:
    return Source(
        name=f"hygon-cookbook-{engine}",
        framework=_ENGINES[engine],
        title=title,
        rules=(
            PageRule("models", (r"README\.md",), lambda p, v: read_models(engine, p, v)),
            PageRule(
                "recipes",
                (rf"{_DEPLOYMENT}{engine}/[\w.-]+\.md",),
                lambda p, v: read_recipes(engine, p, v),
            ),
            PageRule(
                "images",
                (_DEPLOYMENT + r"docker_images\.md",),
                lambda p, v: read_images(engine, p, v),
            ),
        ),
        folder="hygon-dcu",
    )


VLLM_SOURCE = _source("vllm", "Hygon DCU cookbook, vLLM")
SGLANG_SOURCE = _source("sglang", "Hygon DCU cookbook, SGLang")
