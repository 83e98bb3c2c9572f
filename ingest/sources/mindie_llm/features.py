"""feature/README.md: the features, and two matrices of which go together."""

import re
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.mindie_llm.words import (
    EVERY_NPU,
    FAMILIES,
    FEATURES,
    KV_SCHEMES,
    MOE_ONLY,
    PAIR_SIGNS,
    SCHEMES,
    SERVERS,
)
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, Limit

_ONLY = re.compile(r"[（(]\s*仅支持\s*([^（()）]+?)\s*[)）]")
_LEGEND = {"完全兼容": "compatible", "不兼容": "incompatible", "待定": "open"}
_LEGEND_LINE = re.compile(r"^(✅|❌|❔)\s*=\s*(\S+)$")
_EPLB = "eplb"
_EXTRA = "the row has a cell too many, so its columns cannot be told"


def read_features(page: Page, vocabulary: Vocabulary) -> Reading:
    """The list of features, the matrices and their legend."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        labels = [fold_label(name) for name in table.columns]
        if labels[:2] == ["大类", "特性"]:
            for cells in table.rows:
                _read_listed(collector, table, cells)
        elif labels[0] == "特性":
            _read_matrix(collector, table)
    if not any(f.statement.startswith("feature-pair") for f in collector.findings):
        raise UnexpectedPage(
            path=page.path,
            expected='a matrix whose first column is "特性"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    _read_legend(collector)
    return collector.reading("features")


def _part(collector: Collector, word: str, at: Locator) -> Facet:
    """A feature or a scheme, with what a bracket restricts taken off."""
    plain = one_line(_ONLY.sub("", word))
    slug = SCHEMES.get(fold_label(plain))
    if slug:
        axis = Axis.KV_DTYPE if slug in KV_SCHEMES else Axis.QUANTIZATION
        return facet_of(axis, plain, slug)
    return collector.facet(FEATURE, plain, at, table=FEATURES)


def _read_listed(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add a feature of the list; being listed is what the page calls support."""
    word = one_line(cells[1].text)
    finding = collector.at_cell(table, cells[1], row=word, column=table.columns[1])
    finding = replace(finding, links=tuple(link.target for link in cells[2].links))
    part = _part(collector, word, finding.locator)
    place = facet_of(Axis.HARDWARE, "Ascend NPU", *SERVERS)
    collector.state("feature-hardware", [part, place], StatementStatus.SUPPORTED, finding)


def _read_matrix(collector: Collector, table: Table) -> None:
    """Add the lower triangle of one family's matrix."""
    heading = fold_label(table.heading[-1]) if table.heading else ""
    word = heading.split(" ")[0]
    families = FAMILIES.get(word)
    if families is None:
        raise UnexpectedPage(
            path=collector.page.path,
            expected=f"a matrix under a heading of {' or '.join(FAMILIES)}",
            nearest=heading or "a matrix without heading",
        )
    model = facet_of(Axis.MODEL, word, *families, key=word)
    for position, cells in enumerate(table.rows, 1):
        crooked = len(cells) > len(table.columns)
        for index in range(1, len(table.columns)):
            _read_pair(collector, table, model, cells, index, upper=index > position)
            if crooked:
                last = replace(collector.findings[-1], scope=None, note=_EXTRA)
                collector.findings[-1] = last


def _read_pair(
    collector: Collector,
    table: Table,
    model: Facet,
    cells: tuple[Cell, ...],
    index: int,
    *,
    upper: bool,
) -> None:
    """Add one pair; a cell that the triangle leaves out repeats the other half."""
    row, column, cell = cells[0], table.columns[index], cells[index]
    finding = collector.at_cell(table, cell, row=row.text, column=column)
    status = PAIR_SIGNS.read(cell)
    if status is None:
        collector.miss("status", cell.text, finding.locator)
        status = StatementStatus.NOT_STATED
    if upper and status is StatementStatus.NOT_STATED:
        status = StatementStatus.INHERITS
    one = _part(collector, row.text, finding.locator)
    other = _part(collector, column, finding.locator)
    refused = status is StatementStatus.UNSUPPORTED
    place = facet_of(Axis.HARDWARE, "Ascend NPU", *(EVERY_NPU if refused else SERVERS))
    if _ONLY.search(row.text) or _ONLY.search(column) or _EPLB in {one.key_part, other.key_part}:
        model = _narrow(model)
    finding = replace(
        finding,
        limit=Limit.FRAMEWORK if refused else None,
        note="for Qwen MoE models only" if model.slugs == set(MOE_ONLY) else "",
    )
    collector.state(f"feature-pair-{model.word}", [one, other, model, place], status, finding)
    same = one.slugs == other.slugs
    if same or (one.axis == other.axis and one.axis != FEATURE):
        # Neither a feature with itself nor a scheme with a scheme is a joint use of two features.
        collector.findings[-1] = replace(collector.findings[-1], scope=None)


def _narrow(model: Facet) -> Facet:
    """The families of a matrix for a pair that only its mixture-of-experts models have."""
    kept = model.slugs & set(MOE_ONLY)
    return replace(model, slugs=kept) if kept else model


def _read_legend(collector: Collector) -> None:
    """Add each line of the legend; **Raises** ``UnexpectedPage`` for another meaning."""
    for item in collector.document.items:
        match = _LEGEND_LINE.match(one_line(item.text))
        if not match:
            continue
        meaning = _LEGEND.get(match.group(2))
        if meaning is None:
            raise UnexpectedPage(
                path=collector.page.path,
                expected=f"a legend of {', '.join(_LEGEND)}",
                nearest=one_line(item.text),
            )
        collector.value(
            FindingKind.LEGEND,
            f"legend/feature-pairs/{match.group(1)}",
            StatementStatus.LEGEND,
            replace(collector.at_line(item.line, item.text), names={"sign": match.group(1)}),
            value=meaning,
        )
