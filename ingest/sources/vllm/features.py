"""Feature × feature and feature × hardware: the compatibility matrix of every release.

**Source**: docs "Compatibility Matrix"; a page of its own to 0.9, a section of the features
README from 0.10 on. The lower triangle is filled; the upper one states nothing.
"""

import re
from dataclasses import replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.statuses import StatusTable
from ingest.sources.vllm.gather import Gatherer, find_lines
from ingest.sources.vllm.words import FEATURE_WORDS, HARDWARE_COLUMNS, fold
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

SYMBOLS = StatusTable(
    words={
        "✅": StatementStatus.SUPPORTED,
        "🟠": StatementStatus.PARTIAL,
        "❌": StatementStatus.UNSUPPORTED,
        "✗": StatementStatus.UNSUPPORTED,
        "❔": StatementStatus.UNKNOWN,
        "?": StatementStatus.UNKNOWN,
    }
)

# What the footnotes of the partial cells say, in own words.
_NOTES: tuple[tuple[str, str], ...] = (
    ("last-token", "only pooling models that pool the last token (or all, causally)"),
    ("language backbone", "adapters apply to the language backbone only"),
)


def read_feature_pairs(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the feature × feature table, blanks of the upper triangle included.

    **Raises**: ``UnexpectedPage`` when the table is missing.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    table = gather.table(heading="Feature x Feature", columns=("Feature", "CP", "APC", "LoRA"))
    for row in table.rows:
        for column, cell in zip(table.columns[1:], row[1:], strict=False):
            _read_pair(gather, table, cell, row=row[0].text, column=column)
    _report_unknown(gather, table, known=FEATURE_WORDS, axis="feature")
    return gather.reading()


def read_feature_hardware(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the feature × hardware table.

    **Raises**: ``UnexpectedPage`` when the table is missing.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    table = gather.table(
        heading="Feature x Hardware", columns=("Feature", "Volta", "Turing", "Ampere")
    )
    for row in table.rows:
        for column, cell in zip(table.columns[1:], row[1:], strict=False):
            _read_on_hardware(gather, table, cell, row=row[0].text, column=column)
    _report_unknown(gather, table, known=HARDWARE_COLUMNS, axis="hardware")
    gather.add(*_read_pointers(gather))
    return gather.reading()


_POINTER = re.compile(
    r"(?:for features supported on|feature support on) (?P<hardware>AWS Neuron|Google TPU)"
    r"|features supported on (?P<other>AWS Neuron) hardware"
)


def _read_pointers(gather: Gatherer) -> list[Finding]:
    """Hardware whose features the page leaves to another document."""
    return [
        Finding(
            kind=FindingKind.POLICY,
            statement=statement_key("feature-pointer", fold(hardware).replace(" ", "-")),
            status=StatementStatus.MOVED,
            raw=line.fragment,
            locator=gather.line_locator(line.number),
            names={"hardware": hardware},
            note="the features on this hardware are documented elsewhere",
        )
        for line in find_lines(gather.document, _POINTER)
        if (hardware := line.match.group("hardware") or line.match.group("other"))
    ]


def _report_unknown(
    gather: Gatherer, table: Table, *, known: dict[str, str] | dict[str, tuple[str, ...]], axis: str
) -> None:
    for column in table.columns[1:]:
        if fold(column) not in known:
            locator = Locator(heading=table.heading, column=column, line=table.line)
            gather.report(axis, column, locator)
    for row in table.rows:
        if fold(row[0].text) not in FEATURE_WORDS:
            locator = Locator(heading=table.heading, row=row[0].text, line=row[0].line)
            gather.report("feature", row[0].text, locator)


def _read_pair(gather: Gatherer, table: Table, cell: Cell, *, row: str, column: str) -> None:
    first, second = FEATURE_WORDS.get(fold(row)), FEATURE_WORDS.get(fold(column))
    pair = frozenset((*(first or (fold(row),)), *(second or (fold(column),))))
    # Each pair has two cells; the blank one of the upper triangle must not share the other's key.
    blank = "" if cell.text else "/blank"
    status = _read_status(gather, table, cell, row=row, column=column)
    finding = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("feature-feature", pair) + blank,
        status=status or StatementStatus.UNKNOWN,
        raw=cell.raw,
        locator=Locator(),
        names={"feature": row, "with": column},
        scope=scope_of(features=pair) if first and second and status else None,
    )
    gather.add(_with_note(gather.of_cell(table, cell, row=row, column=column, finding=finding)))


def _read_on_hardware(gather: Gatherer, table: Table, cell: Cell, *, row: str, column: str) -> None:
    feature, hardware = FEATURE_WORDS.get(fold(row)), HARDWARE_COLUMNS.get(fold(column))
    status = _read_status(gather, table, cell, row=row, column=column)
    note = ""
    nodes = hardware
    if hardware == "cpu" and status in {StatementStatus.SUPPORTED, StatementStatus.PARTIAL}:
        # A yes for "CPU" is no promise for every instruction set; the refusals hold for all.
        nodes, note = "cpu-x86", "the page says CPU; read as x86 where it says yes"
    scope = None
    if feature and nodes and status:
        scope = scope_of({Axis.HARDWARE: nodes}, features=feature)
    finding = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("feature-hardware", feature or fold(row), hardware or fold(column)),
        status=status or StatementStatus.UNKNOWN,
        raw=cell.raw,
        locator=Locator(),
        names={"feature": row, "hardware": column},
        scope=scope,
        note=note,
    )
    gather.add(_with_note(gather.of_cell(table, cell, row=row, column=column, finding=finding)))


def _read_status(
    gather: Gatherer, table: Table, cell: Cell, *, row: str, column: str
) -> StatementStatus | None:
    status = SYMBOLS.read(cell)
    if status is None:
        locator = Locator(heading=table.heading, row=row, column=column, line=cell.line)
        gather.report("status", cell.text, locator)
    elif status is StatementStatus.SUPPORTED and cell.marks:
        return StatementStatus.PARTIAL
    return status


def _with_note(finding: Finding) -> Finding:
    """A partial finding says which part, from its footnote or its tracking link."""
    if finding.status is not StatementStatus.PARTIAL:
        return finding
    for words, note in _NOTES:
        if any(words in text for text in finding.footnotes):
            return replace(finding, note=note)
    where = " (see the tracking link)" if finding.links else ""
    return replace(finding, note=f"partial by the page's legend{where}")
