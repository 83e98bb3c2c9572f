"""Attention back ends: capability ranges, data types and abilities of each.

**Source**: docs "Attention Backend Feature Support" (0.18 on). From 0.33 on the tables are made
when the pages are built, so the file in the repository holds markers in their place.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.statuses import StatusTable
from ingest.sources.vllm.gather import Gatherer
from ingest.sources.vllm.words import (
    NVIDIA_ARCHITECTURES,
    architectures_in_range,
    fold,
    nodes_in_capabilities,
)
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, Limit

SYMBOLS = StatusTable(words={"✅": StatementStatus.SUPPORTED, "❌": StatementStatus.UNSUPPORTED})
_CAPABILITY = "compute cap."
_ABILITIES: dict[str, str] = {
    "sink": "sink-attention",
    "sparse": "sparse-attention",
    "mm prefix": "mm-prefix-attention",
    "non-causal": "non-causal-attention",
    "dcp": "decode-context-parallel",
}
_VERSIONS: dict[tuple[str, str], str] = {
    ("flash_attn", "fa2"): "flash-attention-2",
    ("flash_attn", "fa3"): "flash-attention-3",
    ("flash_attn", "fa4"): "flash-attention-4",
    ("flashinfer", "trtllm"): "trtllm-mha",
    ("flashinfer", "trtllm-gen"): "trtllm-mha",
    ("flashinfer", "xqa"): "xqa",
}
# The same words name another back end in the table of the MLA prefill phase.
_PREFILL: dict[str, str] = {
    "flash_attn": "flash-attn-mla",
    "flashattention": "flash-attn-mla",
    "flashinfer": "flashinfer-mla",
    "cudnn": "cudnn-attention",
    "trt-llm ragged": "trtllm-mla",
    "trtllm_ragged": "trtllm-mla",
    "tokenspeed_mla": "tokenspeed-mla",
}


@dataclass(frozen=True, slots=True)
class Backend:
    """One row: the feature of its label, and the feature of its version where there is one."""

    label: str
    variant: str
    feature: str
    own_feature: str
    area: str


def read_attention_backends(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the back-end tables, or that the tables are made at build time.

    **Raises**: ``UnexpectedPage`` when there is neither a table nor a marker for one.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    tables = [t for t in gather.document.tables if t.has_columns(("Backend", "Compute Cap."))]
    markers = [i for i in gather.document.includes if i.target.startswith("gen:table")]
    if not tables and not markers:
        raise gather.unexpected(expected="tables with the columns “Backend” and “Compute Cap.”")
    for marker in markers:
        gather.add(
            Finding(
                kind=FindingKind.VALUE,
                statement=statement_key("attention-table", marker.target.removeprefix("gen:")),
                status=StatementStatus.NOT_STATED,
                raw=marker.target,
                locator=gather.line_locator(marker.line),
                names={"table": marker.target},
                value="generated-at-build",
            )
        )
    for table in tables:
        _read_table(gather, table)
    return gather.reading()


def _read_table(gather: Gatherer, table: Table) -> None:
    rows = [(_backend(gather, table, first, cells), cells) for first, cells in table.records()]
    for backend, cells in rows:
        alone = sum(other.label == backend.label for other, _ in rows) == 1
        for column, cell in list(cells.items())[1:]:
            _read_cell(gather, table, cell, backend=backend, column=column)
            if fold(column) in _ABILITIES:
                reached = architectures_in_range(cells["Compute Cap."].text)
                _read_ability(
                    gather, table, cell, backend=backend, column=column,
                    reached=None if alone or backend.own_feature else reached,
                )  # fmt: skip
        if backend.own_feature:
            ranges = [cells["Compute Cap."]]
            _read_reach(gather, table, ranges, backend=backend, feature=backend.own_feature)
    for label in dict.fromkeys(backend.label for backend, _ in rows):
        same = [(backend, cells) for backend, cells in rows if backend.label == label]
        ranges = [cells["Compute Cap."] for _, cells in same]
        _read_reach(gather, table, ranges, backend=same[0][0], feature=same[0][0].feature)


def _backend(gather: Gatherer, table: Table, first: Cell, cells: Mapping[str, Cell]) -> Backend:
    label = first.text
    variant = cells["Version"].text if "Version" in cells else ""
    prefill = any("prefill" in part.lower() for part in table.heading)
    feature = _PREFILL.get(fold(label), "") if prefill else ""
    if not prefill:
        found = gather.vocabulary.find("feature", label)
        feature = found[0] if len(found) == 1 else ""
    if not feature:
        locator = Locator(heading=table.heading, row=label, line=first.line)
        gather.report("feature", label, locator)
    section = fold(table.heading[-1]).split(" (")[0] if table.heading else ""
    return Backend(
        label=label,
        variant=variant,
        feature=feature,
        own_feature="" if prefill else _VERSIONS.get((fold(label), fold(variant)), ""),
        area=section.replace(" ", "-"),
    )


def _key(backend: Backend, column: str) -> str:
    return statement_key(
        "attention", backend.area, fold(backend.label), fold(backend.variant) or "-", fold(column)
    )


def _read_cell(
    gather: Gatherer, table: Table, cell: Cell, *, backend: Backend, column: str
) -> None:
    """A cell that states a value: data types, block and head sizes, the capability range."""
    if fold(column) in _ABILITIES:
        return
    status = StatementStatus.VALUE if cell.text else StatementStatus.NOT_STATED
    if fold(column) == _CAPABILITY and architectures_in_range(cell.text) is not None:
        status = StatementStatus.RANGE
    finding = Finding(
        kind=FindingKind.VALUE,
        statement=_key(backend, column),
        status=status,
        raw=cell.raw,
        locator=Locator(),
        names={"backend": backend.label, "variant": backend.variant, "feature": column},
        value=cell.text,
    )
    gather.add(gather.of_cell(table, cell, row=backend.label, column=column, finding=finding))


def _read_ability(
    gather: Gatherer,
    table: Table,
    cell: Cell,
    *,
    backend: Backend,
    column: str,
    reached: set[str] | None,
) -> None:
    """A yes or no to one ability; a row among several of its label speaks for its range only."""
    status = SYMBOLS.read(cell)
    if status is None:
        locator = Locator(heading=table.heading, row=backend.label, column=column, line=cell.line)
        gather.report("status", cell.text, locator)
    feature = backend.own_feature or backend.feature
    scope = None
    if feature and status:
        nodes = {Axis.HARDWARE: nodes_in_capabilities(reached)} if reached else {}
        scope = scope_of(nodes, features=(feature, _ABILITIES[fold(column)]))
    finding = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=_key(backend, column),
        status=status or StatementStatus.UNKNOWN,
        raw=cell.raw,
        locator=Locator(),
        names={"backend": backend.label, "variant": backend.variant, "feature": column},
        scope=scope,
    )
    gather.add(gather.of_cell(table, cell, row=backend.label, column=column, finding=finding))


def _read_reach(
    gather: Gatherer, table: Table, ranges: list[Cell], *, backend: Backend, feature: str
) -> None:
    """The architectures that a back end reaches by any of its rows, and those it refuses.

    "Any" and "N/A" are no ranges: where one row says so, nothing is stated about hardware.
    """
    reached: set[str] = set()
    for cell in ranges:
        nodes = architectures_in_range(cell.text)
        if nodes is None or not feature:
            return
        reached |= nodes
    everything = {node for _, node, _ in NVIDIA_ARCHITECTURES}
    for key, status, nodes in (
        ("reached", StatementStatus.SUPPORTED, reached),
        ("refused", StatementStatus.UNSUPPORTED, everything - reached),
    ):
        if not nodes:
            continue
        refused = status is StatementStatus.UNSUPPORTED
        hardware = nodes_in_capabilities(nodes)
        finding = Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key(f"attention-{key}", backend.area, feature),
            status=status,
            raw=ranges[0].raw,
            locator=Locator(),
            names={"backend": backend.label, "variant": backend.variant, "hardware": key},
            scope=scope_of({Axis.HARDWARE: hardware}, features=feature),
            limit=Limit.HARDWARE if refused else None,
            note="outside the stated compute-capability range" if refused else "",
        )
        gather.add(
            gather.of_cell(
                table, ranges[0], row=backend.label, column="Compute Cap.", finding=finding
            )
        )
