"""Features: speculative decoding, several GPUs, tool calls, multimodal input."""

import re
from collections.abc import Mapping
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
from ingest.reading.document import Cell, Item, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, shorten
from ingest.sources.grids import require_table
from ingest.sources.llama_cpp.models import model_facet
from ingest.sources.llama_cpp.tables import read_value_columns
from matrix.domain.coordinates import Condition, Scope
from matrix.domain.levels import ConditionKind

_SPECULATIVE: Mapping[str, str] = {
    "draft": "draft-model",
    "draft-simple": "draft-model",
    "draft-eagle3": "eagle3",
    "draft-dflash": "dflash",
    "draft-dspark": "dspark",
    "draft-mtp": "mtp",
    "ngram-cache": "ngram",
    "ngram-simple": "ngram",
    "ngram-map-k": "ngram",
    "ngram-map-k4v": "ngram",
    "ngram-mod": "ngram",
}
_SPLIT_MODES: Mapping[str, str] = {
    "layer": "pipeline-parallel",
    "row": "row-split",
    "tensor": "tensor-parallel",
}
_MODE_NAME = re.compile(r"^(\w+)")
_TOOLS = facet_of(FEATURE, "function calling", "tool-calling")
_JINJA = Condition(kind=ConditionKind.FLAG, name="--jinja")
_ALL_MODELS = re.compile(r"Function calling is supported for all models")
_INPUTS = re.compile(r"Currently, we support (?P<inputs>.*?) input\.(?P<rest>.*)$")
_BOLD = re.compile(r"\*\*(\w+)\*\*")
_HF_MODEL = re.compile(r"-hf (?P<model>[\w.-]+/[\w.-]+)")
_MEDIA = ("image", "audio", "video")


def read_speculative(page: Page, vocabulary: Vocabulary) -> Reading:
    """The kinds of speculative decoding, and the EAGLE-3 drafts that the page names."""
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=("Type", "Description"))
    for name, cell in ((cells[0], cells[1]) for cells in table.rows):
        draft = collector.at_cell(table, cell, row=name.text, column=table.columns[1])
        _state_kind(collector, name, cell, replace(draft, raw=shorten(cell.raw)))
    for item in page.document.items_under("EAGLE-3"):
        if item.links:
            _state_draft(collector, item)
    return collector.reading()


def _state_kind(collector: Collector, name: Cell, cell: Cell, draft: Finding) -> None:
    word = fold_label(name.text)
    if word == "none":
        collector.value(
            FindingKind.VALUE, "speculative/none", StatementStatus.NOT_APPLICABLE, draft
        )
        return
    slug = _SPECULATIVE.get(word)
    if slug is None:
        collector.miss(FEATURE, name.text, draft.locator)
    slugs = frozenset({slug}) if slug else frozenset()
    facet = Facet(axis=FEATURE, word=name.text, slugs=slugs, key=word)
    status = StatementStatus.SUPPORTED
    if "experimental" in cell.text.lower():
        status = StatementStatus.EXPERIMENTAL
        draft = replace(draft, note=f"{name.text} is marked as experimental")
    condition = Condition(kind=ConditionKind.FLAG, name="--spec-type", op="=", value=word)
    collector.state("speculative", [facet], status, replace(draft, conditions=(condition,)))


def _state_draft(collector: Collector, item: Item) -> None:
    draft = replace(
        collector.at_line(item.line, item.text),
        names={"draft": item.text},
        scope=Scope(features=frozenset({"eagle3"})),
    )
    collector.value(
        FindingKind.PAIRING,
        f"eagle3-draft/{fold_label(item.text)}",
        StatementStatus.SUPPORTED,
        draft,
        value=item.text,
    )


def read_multi_gpu(page: Page, vocabulary: Vocabulary) -> Reading:
    """The ways of splitting a model over GPUs, by the words of the page itself."""
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=("Mode", "What it does"))
    for cells in table.rows:
        label = _MODE_NAME.match(cells[0].text)
        word = label[1].lower() if label else ""
        draft = collector.at_cell(table, cells[1], row=cells[0].text, column=table.columns[1])
        draft = replace(draft, raw=shorten(cells[1].raw))
        if word == "none":
            collector.value(
                FindingKind.VALUE, "split-mode/none", StatementStatus.NOT_APPLICABLE, draft
            )
            continue
        slug = _SPLIT_MODES.get(word)
        if slug is None:
            collector.miss(FEATURE, cells[0].text, draft.locator)
        facet = Facet(
            axis=FEATURE,
            word=cells[0].text,
            slugs=frozenset({slug}) if slug else frozenset(),
            key=word,
        )
        text = cells[1].text.lower()
        status = StatementStatus.SUPPORTED
        if text.startswith("deprecated"):
            status = StatementStatus.DEPRECATED
            draft = replace(draft, note="superseded by the tensor split mode")
        elif text.startswith("experimental"):
            status = StatementStatus.EXPERIMENTAL
            draft = replace(draft, note="the tensor split mode is marked as experimental")
        flag = Condition(kind=ConditionKind.FLAG, name="--split-mode", op="=", value=word)
        conditions = () if word == "layer" else (flag,)
        collector.state("split-mode", [facet], status, replace(draft, conditions=conditions))
    return collector.reading()


def read_function_calling(page: Page, vocabulary: Vocabulary) -> Reading:
    """Tool calls: for every model, by native formats and by templates."""
    collector = Collector(page, vocabulary)
    for number, line in enumerate(page.document.source_lines, 1):
        if match := _ALL_MODELS.search(line):
            draft = replace(collector.at_line(number, match[0]), conditions=(_JINJA,))
            collector.state("tool-calls", [_TOOLS], StatementStatus.SUPPORTED, draft)
    formats = [
        item
        for item in page.document.items
        if item.parents and item.parents[-1].startswith("Native tool call formats")
    ]
    if not formats:
        raise UnexpectedPage(
            path=page.path,
            expected="the list of native tool call formats",
            nearest=", ".join(h.text for h in page.document.headings[:6]),
        )
    for item in formats:
        _state_format(collector, item)
    for table in page.document.tables:
        if table.has_columns(("Template", "Format")):
            read_value_columns(collector, table, "tool-template", ["Format"])
    return collector.reading()


def _state_format(collector: Collector, item: Item) -> None:
    """One native format; a value, because a format is no model."""
    name = item.text.split(" (", 1)[0].strip()
    status = StatementStatus.SUPPORTED
    if "WIP" in item.text:
        status = StatementStatus.WORK_IN_PROGRESS
    draft = replace(
        collector.at_line(item.line, item.text),
        names={"format": name},
        scope=Scope(features=frozenset({"tool-calling"})),
    )
    collector.value(FindingKind.VALUE, f"tool-format/{fold_label(name)}", status, draft)


def read_multimodal(page: Page, vocabulary: Vocabulary) -> Reading:
    """The kinds of input, and the ready-made models that the page names."""
    collector = Collector(page, vocabulary)
    for number, line in enumerate(page.document.source_lines, 1):
        if match := _INPUTS.search(line):
            for word in _BOLD.findall(match["inputs"]):
                _state_input(collector, number, word.lower(), match["rest"].lower())
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected="the sentence that names the kinds of input",
            nearest=page.document.title,
        )
    for block in page.document.code_blocks:
        for offset, line in enumerate(block.text.splitlines(), 1):
            if line.startswith("(tool_name)") and (match := _HF_MODEL.search(line)):
                _state_model(collector, block.line + offset, match["model"])
    return collector.reading()


def _state_input(collector: Collector, number: int, word: str, rest: str) -> None:
    draft = collector.at_line(number, word)
    if word not in _MEDIA:
        collector.miss(FEATURE, word, draft.locator)
        return
    facet = facet_of(FEATURE, word, f"multimodal-{word}")
    status = StatementStatus.SUPPORTED
    if f"{word} is highly experimental" in rest:
        status = StatementStatus.EXPERIMENTAL
        draft = replace(draft, note=f"{word} input is highly experimental")
    collector.state("input", [facet], status, draft)


def _state_model(collector: Collector, number: int, name: str) -> None:
    """A ready-made model; the repository name is the model's with "-GGUF" behind it."""
    draft = collector.at_line(number, name)
    if any(f.locator.line == number for f in collector.findings):
        return
    bare = name.split("/", 1)[-1].removesuffix("-GGUF")
    facet = model_facet(collector, bare, draft.locator)
    known = {finding.statement for finding in collector.findings}
    if f"ready-made/{facet.key_part}" in known:
        return
    collector.state("ready-made", [facet], StatementStatus.SUPPORTED, draft)
