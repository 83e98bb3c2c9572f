"""supported_features.md and feature_matrix.md: features, and which of them go together."""

import re
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    Vocabulary,
)
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.grids import require_table
from ingest.sources.vllm_ascend.legends import FEATURE_LEGEND, PAIR_LEGEND, read_legend
from ingest.sources.vllm_ascend.words import (
    EVERY_NPU,
    FEATURE_STATES,
    NAMED_TWICE,
    PAIR_SIGNS,
)
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, Limit

_POSITIVE = frozenset(
    {StatementStatus.SUPPORTED, StatementStatus.EXPERIMENTAL, StatementStatus.PARTIAL}
)
_NOTES = (
    (re.compile(r"Make TP >\s*4 work with graph mode"), "TP above 4 with graph mode is open"),
    (re.compile(r"doesn't support pooling"), "not in this release; a later one has it"),
    (re.compile(r"CI needed"), "not yet covered by continuous tests"),
    (re.compile(r"Basic support"), "basic support"),
    (re.compile(r"vLLM should support this feature first"), "waits for upstream vLLM"),
)
_W8A8 = re.compile(r"W8A8 available")
# What the numbered remarks below the matrix say, in own words; numbers move between versions.
_REMARKS = (
    (re.compile(r"dcp supports dp while pcp does not", re.I), "decode context parallel only"),
    (re.compile(r"Flashcomm is only enabled on the prefill", re.I), "in the prefill stage only"),
    (re.compile(r"Layer sharding is only enabled on the prefill", re.I), "in the prefill only"),
    (re.compile(r"Lmhead TP is only enabled in the pure dp", re.I), "with data parallel alone"),
    (re.compile(r"MLAPO is only supported on the decode", re.I), "in the decode stage only"),
)


def read_features(page: Page, vocabulary: Vocabulary) -> Reading:
    """The features of the list, each with its state."""
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=("Feature", "Status", "Next Step"))
    for cells in table.rows:
        _read_feature(collector, table, cells)
    read_legend(collector, "features", FEATURE_LEGEND)
    return collector.reading("features")


def _read_feature(collector: Collector, table: Table, cells: tuple[Cell, ...]) -> None:
    """Add the state of one feature and what its last column says."""
    columns = [table.column(label) for label in ("Feature", "Status", "Next Step")]
    name, state, step = cells[columns[0]].text, cells[columns[1]], cells[columns[2]]
    finding = collector.at_cell(table, state, row=name, column=table.columns[columns[1]])
    status = FEATURE_STATES.read_text(one_line(state.text))
    if status is None:
        collector.miss("status", one_line(state.text), finding.locator)
        status = StatementStatus.NOT_STATED
    note = next((ours for said, ours in _NOTES if said.search(step.text)), "")
    finding = replace(finding, note=note, footnotes=(one_line(step.text),) if step.text else ())
    feature = collector.facet(FEATURE, name, finding.locator)
    place = facet_of(
        Axis.HARDWARE, "Ascend NPU", *(NAMED_TWICE if status in _POSITIVE else EVERY_NPU)
    )
    collector.state("feature-hardware", [feature, place], status, finding)
    after = collector.at_cell(table, step, row=name, column=table.columns[columns[2]])
    collector.value(
        FindingKind.VALUE,
        f"next-step/{feature.key_part}",
        StatementStatus.VALUE if step.text else StatementStatus.NOT_STATED,
        replace(after, names={"feature": name}),
        value=one_line(step.text)[:80],
    )
    if _W8A8.search(step.text) and status is StatementStatus.SUPPORTED:
        scheme = facet_of(Axis.QUANTIZATION, "W8A8", "int8-w8a8")
        collector.state("quantization-hardware", [scheme, place], status, after)


def read_pairs(page: Page, vocabulary: Vocabulary) -> Reading:
    """Feature × feature, the lower triangle of a symmetric table."""
    collector = Collector(page, vocabulary)
    table = require_table(page, columns=("Feature", "Async Scheduling", "TP"))
    for position, cells in enumerate(table.rows, 1):
        row = cells[0]
        for index, name in enumerate(table.columns):
            if index:
                _read_pair(collector, table, row, name, cells[index], upper=index > position)
    read_legend(collector, "feature-pairs", PAIR_LEGEND)
    return collector.reading()


def _read_pair(
    collector: Collector, table: Table, row: Cell, column: str, cell: Cell, *, upper: bool
) -> None:
    """Add one pair; blanks of the upper half repeat the lower, the diagonal is no pair."""
    finding = collector.at_cell(table, cell, row=row.text, column=column)
    status = PAIR_SIGNS.read(cell)
    if status is None:
        collector.miss("status", cell.text, finding.locator)
        status = StatementStatus.NOT_STATED
    if upper and status is StatementStatus.NOT_STATED:
        status = StatementStatus.INHERITS
    one = _part(collector, row.text, finding.locator)
    other = _part(collector, column, finding.locator)
    place = facet_of(
        Axis.HARDWARE, "Ascend NPU", *(NAMED_TWICE if status in _POSITIVE else EVERY_NPU)
    )
    note = next((ours for f in finding.footnotes for said, ours in _REMARKS if said.search(f)), "")
    finding = replace(finding, note=note)
    if status is StatementStatus.UNSUPPORTED:
        finding = replace(finding, limit=Limit.FRAMEWORK)
    collector.state("feature-pair", [one, other, place], status, finding)
    same = fold_label(row.text) == fold_label(column)
    both_schemes = one.axis == other.axis == Axis.QUANTIZATION
    if same or both_schemes:
        # Neither a feature with itself nor a scheme with a scheme is a joint use of two features.
        collector.findings[-1] = replace(collector.findings[-1], scope=None)


def _part(collector: Collector, word: str, at: Locator) -> Facet:
    """A feature, or the scheme of a "Quantization …" row or column."""
    plain = one_line(word)
    if plain.startswith("Quantization "):
        return collector.facet(Axis.QUANTIZATION, plain, at)
    return collector.facet(FEATURE, plain, at)
