"""Quantization guides: which GPU generations run which scheme, and TurboQuant's limits."""

import re
from collections.abc import Sequence
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
from ingest.reading.document import Item, fold_label
from ingest.sources.capabilities import nvidia_below, nvidia_node
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.lmdeploy.words import PYTORCH, TURBOMIND, architectures_of, engine_chosen
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, Limit

INT4 = facet_of(Axis.QUANTIZATION, "AWQ/GPTQ INT4", "awq-w4a16", "gptq-w4a16")
KV = facet_of(Axis.KV_DTYPE, "int4/int8 kv", "kv-int4", "kv-int8")
TURBOQUANT = facet_of(Axis.KV_DTYPE, "TurboQuant", "kv-turboquant")
_W8A8 = {
    "int8": facet_of(Axis.QUANTIZATION, "INT8", "int8-w8a8"),
    "fp8": facet_of(Axis.QUANTIZATION, "FP8", "fp8-w8a8"),
}
_GENERATION = re.compile(r"\(sm[\s_-]?\d[^)]*\)\s*:")
_SINCE = re.compile(r"Since v([\d.]+), LMDeploy has supported")
_FLOOR = re.compile(r"nvidia GPU models with \w+ architecture \(sm(\d)(\d)\) and above", re.I)
_ONLY_PYTORCH = re.compile(r"TurboQuant currently only supports PyTorch engine")
_LIMITS = (
    (re.compile(r"Does not support Multi-head Latent Attention"), "mla"),
    (re.compile(r"Does not support speculative decoding"), "speculative-decoding"),
)
_TESTED = re.compile(r"Tested on (\w+) with (\S+) model")


def read_generations(
    collector: Collector,
    items: Sequence[Item],
    area: str,
    facets: Sequence[Facet],
    *,
    conditions: tuple[Condition, ...] = (),
    since: str = "",
    note: str = "",
) -> int:
    """Add one statement for each listed generation ("Ampere(sm80,sm86): …"); how many it were."""
    found = 0
    for item in items:
        if not _GENERATION.search(item.text):
            continue
        slugs = architectures_of(item.text)
        draft = collector.at_line(item.line, item.text)
        word = one_line(item.text.split(":")[0])
        if not slugs:
            collector.miss(Axis.HARDWARE, word, draft.locator)
        cards = one_line(item.text.split(":", 1)[1])
        finding = replace(
            draft, names={"cards": cards}, conditions=conditions, since=since, note=note
        )
        hardware = Facet(Axis.HARDWARE, word, frozenset(slugs))
        collector.state(area, [*facets, hardware], StatementStatus.SUPPORTED, finding)
        found += 1
    return found


def _unexpected(page: Page, expected: str) -> UnexpectedPage:
    return UnexpectedPage(
        path=page.path,
        expected=expected,
        nearest="; ".join(item.text[:60] for item in page.document.items[:4]) or "no list at all",
    )


def read_w4a16(page: Page, vocabulary: Vocabulary) -> Reading:
    """The generations on which TurboMind runs 4-bit AWQ and GPTQ weights."""
    collector = Collector(page, vocabulary)
    chosen = (engine_chosen(TURBOMIND),)
    if not read_generations(
        collector, page.document.items, "quantization-hardware", [INT4], conditions=chosen
    ):
        raise _unexpected(page, 'a list such as "Turing(sm75): 20 series, T4"')
    _read_measured(collector)
    return collector.reading()


def read_w8a8(page: Page, vocabulary: Vocabulary) -> Reading:
    """The generations on which the PyTorch engine runs INT8 and FP8; 0.6 names none."""
    collector = Collector(page, vocabulary)
    chosen = (engine_chosen(PYTORCH),)
    for name, facet in _W8A8.items():
        items = [i for i in page.document.items if name in map(fold_label, i.parents)]
        read_generations(collector, items, "quantization-hardware", [facet], conditions=chosen)
    for number, line in enumerate(page.document.source_lines, start=1):
        if match := re.search(r"triton>=([\d.]+)", line):
            collector.value(
                FindingKind.REQUIREMENT,
                "requirement/triton",
                StatementStatus.RANGE,
                replace(
                    collector.at_line(number, match.group(0)), names={"triton": match.group(1)}
                ),
                value=f">={match.group(1)}",
            )
    if not collector.findings:
        raise _unexpected(page, 'a list of generations below "INT8", or "triton>=…"')
    return collector.reading()


def read_kv_quant(page: Page, vocabulary: Vocabulary) -> Reading:
    """INT4/INT8 KV cache: since when and on which generations; TurboQuant from 0.13 on."""
    collector = Collector(page, vocabulary)
    whole = " ".join(one_line(text.text) for text in page.document.paragraphs)
    match = _SINCE.search(whole)
    since = match.group(1) if match else ""
    if not read_generations(collector, page.document.items, "kv-hardware", [KV], since=since):
        raise _unexpected(page, 'a list such as "Turing architecture (sm75): 20 series, T4"')
    for item in page.document.items:
        _read_floor(collector, item)
        _read_limit(collector, item)
    for text in page.document.paragraphs:
        if (match := _TESTED.search(one_line(text.text))) and "TurboQuant" in text.heading:
            _read_tested(collector, text.line, match)
    _read_measured(collector)
    return collector.reading()


def _read_floor(collector: Collector, item: Item) -> None:
    match = _FLOOR.search(item.text)
    if match is None:
        return
    floor = float(f"{match.group(1)}.{match.group(2)}")
    finding = replace(
        collector.at_line(item.line, match.group(0)),
        limit=Limit.HARDWARE,
        note=f"below the stated floor of compute capability {floor:g}",
    )
    below = Facet(Axis.HARDWARE, f"below sm{match.group(1)}{match.group(2)}", nvidia_below(floor))
    collector.state("kv-floor", [KV, below], StatementStatus.UNSUPPORTED, finding)


def _read_limit(collector: Collector, item: Item) -> None:
    """Add what TurboQuant cannot do."""
    draft = replace(collector.at_line(item.line, item.text), limit=Limit.FRAMEWORK)
    if _ONLY_PYTORCH.search(item.text):
        yes = replace(draft, limit=None, conditions=(engine_chosen(PYTORCH),))
        no = replace(draft, conditions=(engine_chosen(TURBOMIND),))
        collector.state("turboquant-engine", [TURBOQUANT], StatementStatus.SUPPORTED, yes)
        collector.state("turboquant-engine-no", [TURBOQUANT], StatementStatus.UNSUPPORTED, no)
    for pattern, slug in _LIMITS:
        if pattern.search(item.text):
            facets = [TURBOQUANT, facet_of(FEATURE, slug, slug)]
            collector.state("turboquant-feature", facets, StatementStatus.UNSUPPORTED, draft)


def _read_tested(collector: Collector, line: int, match: re.Match[str]) -> None:
    draft = collector.at_line(line, match.group(0))
    finding = replace(
        draft, conditions=(engine_chosen(PYTORCH),), note="the page gives measured throughput"
    )
    hardware = collector.facet(Axis.HARDWARE, match.group(1), draft.locator)
    model = collector.facet(Axis.MODEL, match.group(2), draft.locator)
    facets = [TURBOQUANT, model, hardware]
    collector.state("turboquant-tested", facets, StatementStatus.VALIDATED, finding)


def _read_measured(collector: Collector) -> None:
    """Add every number of the tables that measure speed or accuracy, as a value."""
    for table in collector.document.tables:
        for cells in table.rows:
            row = cells[0].text
            for column, cell in list(zip(table.columns, cells, strict=False))[1:]:
                if not re.search(r"\d", cell.text):
                    continue
                name = "/".join(fold_label(part) for part in (row, column))
                collector.value(
                    FindingKind.BENCHMARK,
                    f"measured/{table.index}/{cell.line}/{name}",
                    StatementStatus.VALUE,
                    replace(
                        collector.at_cell(table, cell, row=row, column=column),
                        names={"metric": one_line(row), "variant": one_line(column)},
                    ),
                    value=one_line(cell.text),
                )


def read_llm_compressor(page: Page, vocabulary: Vocabulary) -> Reading:
    """Checkpoints of llm-compressor on TurboMind, one row for each compute capability."""
    collector = Collector(page, vocabulary)
    wanted = ("Compute Capability", "Micro-architecture", "GPUs")
    tables = [table for table in page.document.tables if table.has_columns(wanted)]
    if not tables:
        raise _unexpected(page, "a table with " + ", ".join(wanted))
    container = facet_of(Axis.CONTAINER, "llm-compressor", "compressed-tensors")
    for table in tables:
        for row, cells in table.records():
            finding = collector.at_cell(table, row, row=row.text, column=table.columns[0])
            _state_capability(collector, row.text, one_line(cells["GPUs"].text), container, finding)
    return collector.reading()


def _state_capability(
    collector: Collector, text: str, cards: str, container: Facet, finding: Finding
) -> None:
    number = re.fullmatch(r"\d+\.\d", text.strip())
    slug = nvidia_node(float(text)) if number else None
    if slug is None:
        collector.miss(Axis.HARDWARE, text, finding.locator)
    hardware = Facet(Axis.HARDWARE, text, frozenset({slug} if slug else ()))
    collector.state(
        "llm-compressor",
        [INT4, container, hardware],
        StatementStatus.SUPPORTED,
        replace(finding, names={"cards": cards}, conditions=(engine_chosen(TURBOMIND),)),
    )
