"""Supported model pages: family tables with example checkpoints, and the bullet lists of 2024."""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.contract import (
    Finding,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Item, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.sglang.words import MODELS
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind

_EXAMPLES = ("example huggingface identifier", "example model", "example identifier")
_CHECKPOINT = re.compile(r"[\w.-]+/[\w.-]+")
_ARCHITECTURE = re.compile(r"\b[A-Z]\w+(?:For\w+|Model)\b")
_BACKENDS_ONLY = re.compile(r"only supports? attention-backend\s+(\w+) and (\w+)", re.IGNORECASE)
_SOON = re.compile(r"\bcoming soon\b", re.IGNORECASE)
_LISTS = ("generative models", "embedding models", "reward models")


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of a page of model tables; the tables are examples, not complete lists."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        index = _example_column(table)
        if index is not None:
            for cells in table.rows:
                _read_family(collector, table, cells, index)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="a table of model families with example checkpoints",
            nearest="; ".join(", ".join(t.columns[:3]) for t in page.document.tables[:3]),
        )
    return collector.reading()


def read_model_bullets(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of supported_models.md of 2024: families as bullets, commands below them."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        if item.heading and fold_label(item.heading[-1]) in _LISTS:
            finding = collector.at_line(item.line, item.raw)
            if item.depth == 0:
                for family in _bullet_models(collector, item, finding):
                    for facet in collector.split(family):
                        collector.state("model", [facet], StatementStatus.SUPPORTED, finding)
            elif match := re.search(r"--model-path ([\w.-]+/[\w.-]+)", item.text):
                _state_checkpoint(collector, match.group(1), finding)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='bullets under "Generative Models"',
            nearest="; ".join(h.text for h in page.document.headings[:5]),
        )
    return collector.reading()


def read_classifiers(page: Page, vocabulary: Vocabulary) -> Reading:
    """The architectures that the classification page lists."""
    collector = Collector(page, vocabulary)
    tasks = {"Classification Models": "classification", "Reward Models": "reward"}
    for item in page.document.items:
        task = next(
            (slug for name, slug in tasks.items() if any(name in h for h in item.heading)), ""
        )
        match = _ARCHITECTURE.match(item.text)
        if task and match:
            finding = collector.at_line(item.line, item.raw)
            model = collector.facet(Axis.MODEL, match.group(), finding.locator)
            collector.state(
                "model-task",
                [model, facet_of(FEATURE, task, task)],
                StatementStatus.SUPPORTED,
                finding,
            )
    return collector.reading()


def _example_column(table: Table) -> int | None:
    """Where a table of families keeps its example checkpoints."""
    names = [fold_label(name) for name in table.columns]
    if not names or not names[0].startswith("model family"):
        return None
    return next((names.index(name) for name in _EXAMPLES if name in names), None)


def _read_family(collector: Collector, table: Table, cells: tuple[Cell, ...], index: int) -> None:
    """Add a family, its architectures and its examples; "coming soon" is planned."""
    row, example = cells[0], cells[index]
    rest = " ".join(one_line(cell.text) for cell in cells[index + 1 :])
    status = StatementStatus.PLANNED if _SOON.search(rest) else StatementStatus.SUPPORTED
    conditions: tuple[Condition, ...] = ()
    if match := _BACKENDS_ONLY.search(rest):
        value = " or ".join(match.groups())
        conditions = (Condition(ConditionKind.FLAG, "attention-backend", "=", value),)
    video = any(fold_label(name) == "video notes" for name in table.columns)
    feature = [facet_of(FEATURE, "video", "multimodal-video")] if video else []
    area = "model-video" if video else "model"
    finding = replace(
        collector.at_cell(table, row, row=row.text, column=table.columns[0]), conditions=conditions
    )
    for family in _family(collector, row.text, finding):
        for facet in collector.split(family):
            collector.state(area, [facet, *feature], status, finding)
    at_example = replace(
        collector.at_cell(table, example, row=row.text, column=table.columns[index]),
        conditions=conditions,
    )
    for name in dict.fromkeys(_CHECKPOINT.findall(example.text)):
        checkpoint = collector.facet(Axis.MODEL, name, at_example.locator)
        collector.state(area, [checkpoint, *feature], status, replace(at_example, raw=name))


def _family(collector: Collector, text: str, finding: Finding) -> Iterator[Facet]:
    """The models of a row label such as "GLM-4.5V (106B) / GLM-4.1V(9B)".

    The label is looked up whole, then without what stands in parentheses, then by its parts.
    A label that means nothing is listed once.
    """
    whole = one_line(text)
    known = False
    for name in _ARCHITECTURE.findall(whole):
        if collector.vocabulary.find(Axis.MODEL, name):
            known = True
            yield collector.facet(Axis.MODEL, name, finding.locator)
    short = one_line(re.sub(r"\s*\([^)]*\)", "", whole)).strip(" /")
    for names in ([whole], [short], [part.strip() for part in re.split(r"\s*/\s*|, ", short)]):
        found = [name for name in names if collector.vocabulary.find(Axis.MODEL, name)]
        if found:
            for name in found:
                yield collector.facet(Axis.MODEL, name, finding.locator)
            return
    if not known:
        yield collector.facet(Axis.MODEL, whole, finding.locator)


def _bullet_models(collector: Collector, item: Item, finding: Finding) -> Iterator[Facet]:
    """The models of a bullet such as "Llama / Llama 2 / Llama 3"."""
    first = ""
    for name in [part.strip() for part in item.text.split(" / ") if part.strip()]:
        # "LLaVA 1.5 / 1.6 / NeXT": a bare number or word continues the first name.
        full = name
        known = collector.vocabulary.find(Axis.MODEL, name)
        if first and not known and name.split()[0] != first.split()[0]:
            full = f"{first.rsplit(' ', 1)[0]} {name}"
        first = first or name
        plain = re.sub(r" embedding models$", "", full)
        embedding = plain != full
        yield collector.facet(
            Axis.MODEL, full if embedding else plain, finding.locator, table=MODELS
        )


def _state_checkpoint(collector: Collector, name: str, finding: Finding) -> None:
    checkpoint = collector.facet(Axis.MODEL, name, finding.locator)
    collector.state("model", [checkpoint], StatementStatus.SUPPORTED, replace(finding, raw=name))
