"""Attention backend pages: backend × capability, with numbers and remarks in the cells."""

import re
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
from ingest.reading.document import Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.grids import Grid, GridCell, read_grid
from ingest.sources.sglang.words import (
    ATTENTION_COLUMNS,
    BACKEND_HARDWARE,
    SYMBOLS,
    attention_backend,
    nvidia_of,
)
from ingest.sources.statuses import plain_symbol
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit

_NUMBERS = re.compile(r"^\d+(?:(?:,| or|, or)\s*\d+)*$")
_REMARK = re.compile(r"^(✅|❌|⚠)\s*(.*)$", re.DOTALL)
_PAGE_SIZE_ONLY = re.compile(r"page_size\s*=\s*(\d+) only")
_PREFILL_ONLY = re.compile(r"^(FlashAttention 4) is prefill-only")
_DECODE_ONLY = re.compile(r"^(TRTLLM MLA) only implements decode operations")
_PAGE_SIZES = re.compile(r"^(.+?): page_size\s*(?:=|∈)\s*(.+?)(?:\s*\((.*)\))?\.?$")
_GDN_ROW = re.compile(r"^(.+?)\s*\((CUDA|AMD/ROCm|NPU|CPU)(?:,\s*(.*?)| only)?\)$")
_GDN_HARDWARE = {"CUDA": "nvidia", "AMD/ROCm": "amd", "NPU": "ascend", "CPU": "cpu"}
_SPEC_COLUMN = "spec decoding (target verify)"
_PHASES = {"decode": "decode", "prefill / extend": "prefill", _SPEC_COLUMN: "verify"}


def read_attention(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of attention_backend.md in all its layouts since 0.4.6."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        names = {fold_label(name) for name in table.columns}
        if "backend" in names and names & set(ATTENTION_COLUMNS):
            read_grid(collector, table, _grid(collector, table))
        elif {"backend", "decode", _SPEC_COLUMN} <= names:
            _read_gdn(collector, table)
        elif "sub-backend" in names:
            _read_phases(collector, table)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with "Backend" and columns such as "Sliding Window"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:4]),
        )
    for item in page.document.items:
        _read_note(collector, item.line, one_line(item.text))
    return collector.reading()


def read_attention_on(
    collector: Collector, table: Table, hardware: str, condition: Condition
) -> None:
    """Add a backend × capability table that speaks about one platform only."""
    base = _grid(collector, table)
    place = facet_of(Axis.HARDWARE, hardware, hardware)

    def column(name: str, at: Locator) -> list[Facet] | None:
        facets = base.column(name, at)
        return [*facets, place] if facets is not None else None

    def refine(found: GridCell) -> None:
        _refine(found)
        found.change(conditions=(*found.finding.conditions, condition))

    grid = replace(base, area=f"attention-{hardware}", column=column, refine=refine)
    read_grid(collector, table, grid)


def _grid(collector: Collector, table: Table) -> Grid:
    """How to read a backend × capability table; the MLA table speaks about MLA models only."""
    mla = any("MLA Backends" in part for part in table.heading)

    def column(name: str, at: Locator) -> list[Facet] | None:
        word = fold_label(name)
        if word == "native page sizes":
            return [facet_of(FEATURE, name, "paged-kv")]
        axis, slug = ATTENTION_COLUMNS.get(word, (FEATURE, ""))
        facet = facet_of(axis, name, slug) if slug else collector.facet(axis, name, at)
        return [facet, facet_of(FEATURE, "MLA", "mla")] if mla else [facet]

    return Grid(
        area="attention-mla" if mla else "attention",
        row=lambda cell, at: [attention_backend(cell.text, at, collector)],
        column=column,
        statuses=SYMBOLS,
        refine=_refine_where_it_runs,
    )


def _refine_where_it_runs(found: GridCell) -> None:
    """Restrict a cell to the hardware that its backend is built for."""
    _refine(found)
    for facet in found.facets:
        for slug in facet.slugs if facet.axis is Axis.ATTENTION_BACKEND else ():
            if slug in BACKEND_HARDWARE:
                found.narrow[Axis.HARDWARE] = BACKEND_HARDWARE[slug]


def _refine(found: GridCell) -> None:
    """Read numbers ("16, 32 or 64") and remarks ("⚠️ (page_size=1 only)") of a cell."""
    text = plain_symbol(one_line(found.cell.text))
    if fold_label(found.column) == "native page sizes":
        # The column lists sizes; it neither grants nor refuses anything.
        found.change(kind=FindingKind.VALUE, value=text)
        found.status = StatementStatus.VALUE if _NUMBERS.match(text) else SYMBOLS.read_text(text)
        return
    if _NUMBERS.match(text):
        found.status = StatementStatus.PARTIAL
        size = Condition(ConditionKind.FLAG, "page-size", "=", text)
        found.change(value=text, conditions=(size,), note=f"page size {text} only")
        return
    match = _REMARK.match(text)
    if match and match.group(2):
        _read_remark(found, match.group(1), match.group(2))
    if found.status is StatementStatus.UNSUPPORTED:
        found.change(limit=Limit.FRAMEWORK)


def _read_remark(found: GridCell, symbol: str, remark: str) -> None:
    """A symbol with words beside it: a warning sign is partial, the words are its condition."""
    words = remark.strip("() ")
    if symbol == "⚠":
        found.status = StatementStatus.PARTIAL
        size = _PAGE_SIZE_ONLY.search(words)
        if size:
            found.change(
                conditions=(Condition(ConditionKind.FLAG, "page-size", "=", size.group(1)),)
            )
        found.change(note=f"restricted: {words}"[:140])
        return
    found.status = SYMBOLS.read_text(symbol)
    if words == "required":
        found.change(note="this backend needs it")
    elif found.status is StatementStatus.SUPPORTED:
        found.status = StatementStatus.PARTIAL
        found.change(note=f"restricted: {words}"[:140])


def _read_gdn(collector: Collector, table: Table) -> None:
    """Add the kernels of linear attention layers by phase; only the last column is a feature."""
    for cells in table.rows:
        row = cells[0]
        match = _GDN_ROW.match(one_line(row.text))
        for name, cell in zip(table.columns[1:], cells[1:], strict=False):
            finding = collector.at_cell(table, cell, row=row.text, column=name)
            text = plain_symbol(one_line(cell.text))
            status = SYMBOLS.read_text(text[:1]) if text else StatementStatus.NOT_STATED
            facets = [facet_of(FEATURE, "GDN", "linear-attention")]
            if match:
                facets += _gdn_facets(collector, match, finding.locator)
            else:
                collector.miss(Axis.ATTENTION_BACKEND, row.text, finding.locator)
                facets.append(Facet(Axis.ATTENTION_BACKEND, row.text))
            spec = fold_label(name) == _SPEC_COLUMN
            if spec:
                facets.append(facet_of(FEATURE, name, "speculative-decoding"))
            if spec and len(text) > 1 and status is StatementStatus.SUPPORTED:
                status = StatementStatus.PARTIAL
                finding = replace(finding, note="linear chains only; trees fall back to Triton")
            if status is None:
                collector.miss("status", cell.text, finding.locator)
                status = StatementStatus.NOT_STATED
                facets.append(Facet("status", cell.text))
            done = collector.state(
                f"attention-gdn-{_PHASES.get(fold_label(name), fold_label(name))}",
                facets,
                status,
                finding,
            )
            if not spec:
                # A phase is no feature: the cell is kept as a value and makes no claim.
                collector.findings[-1] = replace(done, kind=FindingKind.VALUE)


def _gdn_facets(collector: Collector, match: re.Match[str], at: Locator) -> list[Facet]:
    """The backend and the hardware that a row such as "Triton (AMD/ROCm)" names."""
    backend, where, capabilities = match.groups()
    slugs = nvidia_of(capabilities or "") or frozenset({_GDN_HARDWARE[where]})
    return [
        collector.facet(Axis.ATTENTION_BACKEND, backend, at),
        Facet(Axis.HARDWARE, where, slugs),
    ]


def _read_phases(collector: Collector, table: Table) -> None:
    """Add sub-backend × phase cells as values; the phases are chosen by flags, not features."""
    for cells in table.rows:
        for name, cell in zip(table.columns[1:], cells[1:], strict=False):
            if fold_label(name) == "notes":
                continue
            finding = collector.at_cell(table, cell, row=cells[0].text, column=name)
            status = SYMBOLS.read(cell)
            if status is None:
                collector.miss("status", cell.text, finding.locator)
            collector.value(
                FindingKind.VALUE,
                f"attention-dsa/{fold_label(cells[0].text)}/{fold_label(name)}",
                status or StatementStatus.NOT_STATED,
                finding,
                value=one_line(cell.text),
            )


def _read_note(collector: Collector, line: int, text: str) -> None:
    """Add what a note below the tables states about one backend."""
    if match := _PREFILL_ONLY.search(text):
        backend = facet_of(FEATURE, match.group(1), "flash-attention-4")
        _state_phase(collector, collector.at_line(line, text), backend, "prefill")
    elif match := _DECODE_ONLY.search(text):
        backend = facet_of(FEATURE, match.group(1), "trtllm-mla")
        _state_phase(collector, collector.at_line(line, text), backend, "decode")
    elif match := _PAGE_SIZES.match(text):
        name, sizes, remark = match.groups()
        finding = collector.at_line(line, text)
        backend = attention_backend(name, finding.locator, collector)
        collector.value(
            FindingKind.VALUE,
            f"attention-page-size/{backend.key_part}",
            StatementStatus.VALUE,
            replace(finding, names={"attention_backend": name}),
            value=sizes.strip("{} "),
        )
        if remark and "only" in remark and (slugs := nvidia_of(remark.replace("SM12x", "SM120"))):
            flag = re.search(r"requires `?--kv-cache-dtype (\w+)", remark)
            conditions = (
                (Condition(ConditionKind.FLAG, "kv-cache-dtype", "=", flag.group(1)),)
                if flag
                else ()
            )
            collector.state(
                "attention-hardware",
                [
                    replace(backend, axis=FEATURE),
                    Facet(Axis.HARDWARE, remark, slugs, key="stated"),
                ],
                StatementStatus.SUPPORTED,
                replace(finding, conditions=conditions),
            )


def _state_phase(collector: Collector, finding: Finding, backend: Facet, phase: str) -> None:
    """Add that a backend serves one phase only."""
    collector.state(
        "attention-phase",
        [backend],
        StatementStatus.PARTIAL,
        replace(
            finding,
            note=f"{phase} only; the other phase needs another backend",
        ),
    )
