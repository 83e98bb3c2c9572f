"""Compile-time fusions × GPU architecture, and MoE kernels × quantization type.

**Source**: docs design pages "fusions" (0.18 on) and "moe_kernel_features" (0.13 on). A dash in
the fusion matrix means "not available on that platform"; a listed scheme means that it is.
"""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer
from ingest.sources.vllm.words import fold
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

_FUSION_COLUMNS: dict[str, str] = {
    "sm100 (blackwell)": "nvidia-sm-100",
    "sm90 (hopper)": "nvidia-hopper",
    "sm89 (ada)": "nvidia-ada",
    "sm80 (ampere)": "nvidia-ampere",
    "rocm": "amd",
}
_ABSENT = frozenset({"—", "–"})


def read_fusions(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the fusion support matrix.

    **Raises**: ``UnexpectedPage`` when the matrix is missing.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    table = gather.table(heading="Support Matrix", columns=("Fusion", "SM90 (Hopper)", "ROCm"))
    for row in table.rows:
        label = row[0].text
        locator = Locator(heading=table.heading, row=label, line=row[0].line)
        features = gather.find("feature", label, locator)
        for column, cell in zip(table.columns[1:], row[1:], strict=False):
            _read_fusion(gather, table, cell, label=label, column=column, features=features)
    for column in table.columns[1:]:
        if fold(column) not in _FUSION_COLUMNS:
            gather.report("hardware", column, Locator(heading=table.heading, line=table.line))
    for overview in gather.document.tables:
        if overview.has_columns(("Fusion", "Default at", "Fullgraph")):
            _read_overview(gather, overview)
    return gather.reading()


def _read_overview(gather: Gatherer, table: Table) -> None:
    """Add the overview's cells: flag, level, speed-up and needs of a fusion, as values.

    "Only" a platform in the level says where a fusion is on by default, not where it runs.
    """
    for row in table.rows:
        label = row[0].text
        for column, cell in zip(table.columns[1:], row[1:], strict=False):
            finding = Finding(
                kind=FindingKind.VALUE,
                statement=statement_key(
                    "fusion-overview", fold(label).replace(" ", "-"), fold(column)
                ),
                status=StatementStatus.VALUE if cell.text else StatementStatus.NOT_STATED,
                raw=cell.raw,
                locator=Locator(),
                names={"fusion": label, "column": column},
                value=" ".join(cell.text.split()),
            )
            gather.add(gather.of_cell(table, cell, row=label, column=column, finding=finding))


def _read_fusion(
    gather: Gatherer,
    table: Table,
    cell: Cell,
    *,
    label: str,
    column: str,
    features: frozenset[str],
) -> None:
    hardware = _FUSION_COLUMNS.get(fold(column))
    status, note = StatementStatus.SUPPORTED, f"for {' '.join(cell.text.split())}"
    if cell.text in _ABSENT:
        status, note = StatementStatus.UNSUPPORTED, ""
    elif not cell.text:
        status, note = StatementStatus.NOT_STATED, ""
    elif cell.marks or "untested" in cell.text:
        status = StatementStatus.PARTIAL
        why = "untested" if "untested" in cell.text else "with the condition of a footnote"
        note = f"{note.split(' (untested')[0]}, {why}"
    finding = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("fusion", fold(label).replace(" ", "-"), hardware or fold(column)),
        status=status,
        raw=cell.raw,
        locator=Locator(),
        names={"fusion": label, "hardware": column},
        scope=scope_of({Axis.HARDWARE: hardware}, features=features)
        if hardware and features
        else None,
        note=note[:140],
        value="" if cell.text in _ABSENT else cell.text,
    )
    gather.add(gather.of_cell(table, cell, row=label, column=column, finding=finding))


_NO = frozenset({"n", "no"})
_YES = frozenset({"y", "yes"})


def read_moe_kernels(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the MoE tables: which kernel or all-to-all back end takes which types.

    The rows name kernels, not hardware, so nothing here becomes a claim; the pairings are kept.

    **Raises**: ``UnexpectedPage`` when no table has a ``Quant. types`` column.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    tables = [t for t in gather.document.tables if t.has_columns(("Quant. types",))]
    if not tables:
        raise gather.unexpected(expected="tables with the column “Quant. types”")
    for table in gather.document.tables:
        for row in table.rows:
            for column, cell in zip(table.columns[1:], row[1:], strict=False):
                _read_moe_cell(gather, table, cell, label=row[0].text, column=column)
    return gather.reading()


def _read_moe_cell(gather: Gatherer, table: Table, cell: Cell, *, label: str, column: str) -> None:
    word = fold(cell.text)
    status = StatementStatus.VALUE
    if word in _YES:
        status = StatementStatus.SUPPORTED
    elif word in _NO:
        status = StatementStatus.UNSUPPORTED
    elif word in {"n/a", "n/a / n/a"}:
        status = StatementStatus.NOT_APPLICABLE
    elif not word and not cell.marks:
        status = StatementStatus.NOT_STATED
    values = [part for part in re.split(r"[,\s]+", cell.text) if part]
    area = fold(table.columns[0])
    finding = Finding(
        kind=FindingKind.PAIRING,
        statement=statement_key("moe", area, fold(label).replace(" ", "-"), fold(column)),
        status=status,
        raw=cell.raw,
        locator=Locator(),
        names={"kernel": label, "column": column},
        value=", ".join(values),
    )
    gather.add(gather.of_cell(table, cell, row=label, column=column, finding=finding))
