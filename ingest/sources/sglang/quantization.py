"""Quantization pages: method × platform, GEMM backends × hardware, validated environments."""

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
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.grids import GridCell, column_named, state_cell, tables_with
from ingest.sources.sglang.words import (
    BELOW,
    CEILINGS,
    FLOORS,
    LOWEST,
    OTHER_LOADERS,
    PLATFORM_WORDS,
    floor_of,
    method,
    nvidia_of,
)
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Execution, Limit, Tier

_AREA = "quantization-hardware"
_COLUMN = re.compile(r"^(NVIDIA|AMD|Ascend)\s+\w+(?:\s*\((.*)\))?$", re.IGNORECASE)
_VALUE = re.compile(r"^(Yes|No|WIP|Partial|Experimental)(?:\s*\((.*)\))?$", re.IGNORECASE)
_PARTS = {
    "compressed-tensors": "FP8 is not among the schemes that run there",
    "auto-round": "only part of the schemes run there",
    "torchao": "int4 weight-only does not run there",
}
_GEMM_SCHEMES = {"fp8": ("fp8-w8a8-block",), "fp4": ("nvfp4",)}
_TOOLKITS = re.compile(r"(CUDA|cuDNN)\s+([\d.]+)\+")


def read_quantization(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of quantization.md; pages before the platform table state nothing in tables."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if table.has_columns(("Method", "NVIDIA GPUs")):
            _read_platforms(collector, table)
        elif table.has_columns(("Backend", "Hardware", "Description")):
            _read_gemm(collector, table)
        elif table.has_columns(("Quantization Method", "Validated Hardware Environment")):
            _read_validated(collector, table)
    under = any(h.text == "Platform Compatibility" for h in page.document.headings)
    if under and not tables_with(page, "Method", "NVIDIA GPUs"):
        raise UnexpectedPage(
            path=page.path,
            expected='a table with columns "Method" and "NVIDIA GPUs" under Platform Compatibility',
            nearest="; ".join(", ".join(t.columns[:5]) for t in page.document.tables[:4]),
        )
    return collector.reading()


def _read_platforms(collector: Collector, table: Table) -> None:
    """Add the cells of method × vendor; the header names the vendor's products it speaks about."""
    notes = column_named(table, "Notes")
    header = Locator(heading=table.heading, line=table.line, table=table.index)
    for cells in table.rows:
        note = one_line(cells[notes].text) if notes is not None and len(cells) > notes else ""
        for name, cell in zip(table.columns[1:], cells[1:], strict=False):
            match = _COLUMN.match(one_line(name))
            if fold_label(name) == "notes":
                continue
            if not match:
                collector.miss("column", name, header)
                continue
            finding = collector.at_cell(table, cell, row=cells[0].text, column=name)
            if note:
                finding = replace(finding, footnotes=(*finding.footnotes, note))
            found = GridCell(
                table=table,
                row=cells[0],
                column=name,
                cell=cell,
                facets=[method(cells[0].text, finding.locator, collector)],
                status=None,
                finding=finding,
            )
            _read_platform(collector, found, note)


def _read_platform(collector: Collector, found: GridCell, note: str) -> None:
    """Add one cell, with the products or capabilities that its parentheses name."""
    cell = found.cell
    match = _VALUE.match(one_line(cell.text))
    found.status = PLATFORM_WORDS.read_text(match.group(1)) if match else None
    inside = (match.group(2) or "") if match else ""
    if not cell.text:
        found.status = StatementStatus.NOT_STATED
    word = fold_label(found.row.text)
    if "diffusion" in word:
        found.facets.append(facet_of(FEATURE, "diffusion", "diffusion-generation"))
    vendor = fold_label(found.column).split()[0]
    if vendor == "nvidia":
        _state_nvidia(collector, found, word, inside)
        return
    found.facets.append(_products(collector, found.finding.locator, found.column, inside))
    _describe(found, word, note)
    state_cell(collector, _AREA, found)


def _state_nvidia(collector: Collector, found: GridCell, word: str, inside: str) -> None:
    """Add an NVIDIA cell: whole vendor above the method's floor, or what the cell names.

    "Yes (SM80-SM90 via Marlin; SM100+ native FP4)" is two statements with different execution.
    """
    if not inside:
        exclude = frozenset[str]()
        if found.status is StatementStatus.SUPPORTED:
            exclude = BELOW[FLOORS.get(word, LOWEST)] | CEILINGS.get(word, frozenset())
            found.change(note="stated for the vendor as a whole; cards out of range are left out")
            found.facets = [
                replace(facet, exclude=OTHER_LOADERS[word])
                if word in OTHER_LOADERS and facet.axis is Axis.QUANTIZATION
                else facet
                for facet in found.facets
            ]
        found.facets.append(
            Facet(Axis.HARDWARE, found.column, frozenset({"nvidia"}), exclude, key="nvidia")
        )
        if found.status is StatementStatus.UNSUPPORTED:
            found.change(limit=Limit.FRAMEWORK)
        state_cell(collector, _AREA, found)
        return
    facets, finding = list(found.facets), found.finding
    for part in inside.split(";"):
        slugs = nvidia_of(part)
        hardware = Facet(Axis.HARDWARE, part.strip(), slugs)
        if not slugs:
            collector.miss(Axis.HARDWARE, part.strip(), finding.locator)
        found.facets = [*facets, hardware]
        found.finding = finding
        if "marlin" in part.lower():
            found.change(
                execution=Execution.WEIGHT_ONLY, note="through the weight-only Marlin kernels"
            )
        elif "native" in part.lower():
            found.change(execution=Execution.NATIVE)
        state_cell(collector, _AREA, found)
    _state_below(collector, facets, finding, inside)


def _state_below(collector: Collector, facets: list[Facet], finding: Finding, inside: str) -> None:
    """Add the no that a stated floor implies: "SM90+" refuses everything below 9.0."""
    if ";" in inside or (floor := floor_of(inside)) is None:
        return
    below = Facet(Axis.HARDWARE, f"below SM{floor}", BELOW[floor], key=f"below-sm{floor}")
    collector.state(
        _AREA,
        [*facets, below],
        StatementStatus.UNSUPPORTED,
        replace(
            finding,
            limit=Limit.HARDWARE,
            note=f"below the stated floor of compute capability {floor / 10:g}",
        ),
    )


def _products(collector: Collector, at: Locator, column: str, inside: str) -> Facet:
    """The AMD or Ascend products that a cell names, else those that its header names."""
    match = _COLUMN.match(one_line(column))
    header = (match.group(2) or "") if match else ""
    head = re.split(r"\bfor\b", inside)[0]
    words = [word.strip() for word in re.split(r"[/,]", head or header) if word.strip()]
    slugs: set[str] = set()
    for word in words or [column]:
        found = collector.vocabulary.find(Axis.HARDWARE, word)
        if not found:
            collector.miss(Axis.HARDWARE, word, at)
            return Facet(Axis.HARDWARE, head or column)
        slugs.update(found)
    vendor = fold_label(column).split()[0]
    return Facet(Axis.HARDWARE, head or column, frozenset(slugs), key=vendor if not head else "")


def _describe(found: GridCell, word: str, note: str) -> None:
    """Add what the cell and the notes column demand: conditions, tiers, what part is meant."""
    if found.status is StatementStatus.PARTIAL:
        base = word.split(" ")[0]
        found.change(note=_PARTS.get(base, "only part of it; the page does not say which"))
    elif found.status is StatementStatus.EXPERIMENTAL:
        found.change(tier=Tier.EXPERIMENTAL)
    elif found.status is StatementStatus.UNSUPPORTED:
        found.change(limit=Limit.FRAMEWORK)
    amd = fold_label(found.column).startswith("amd")
    if amd and found.status is StatementStatus.SUPPORTED and "Requires CDNA3/CDNA4" in note:
        variable = Condition(ConditionKind.ENV, "SGLANG_USE_AITER", "=", "1")
        found.change(conditions=(variable,), note="runs on AITER; CDNA3 and CDNA4 only")
    cann_floor = re.search(r"requires CANN\s*(?:≥|>=)\s*([\w.]+)", note)
    if cann_floor and not amd and found.status is StatementStatus.SUPPORTED:
        cann = Condition(ConditionKind.TOOLKIT, "CANN", ">=", cann_floor.group(1))
        found.change(conditions=(cann,))


def _read_gemm(collector: Collector, table: Table) -> None:
    """Add GEMM backend × hardware rows; the heading says for which weights they are."""
    heading = fold_label(table.heading[-1]) if table.heading else ""
    kind = "fp4" if "fp4-gemm" in heading else "fp8" if "fp8-gemm" in heading else ""
    for cells in table.rows:
        row, cell = cells[0], cells[1]
        finding = collector.at_cell(table, cell, row=row.text, column=table.columns[1])
        facets = []
        if fold_label(row.text) != "auto":
            facets.append(collector.facet(FEATURE, row.text, finding.locator, table=_KERNELS))
        if kind:
            facets.append(facet_of(Axis.QUANTIZATION, kind, *_GEMM_SCHEMES[kind]))
        hardware = _gemm_hardware(collector, cell, finding.locator)
        conditions = tuple(
            Condition(ConditionKind.TOOLKIT, name, ">=", version)
            for name, version in _TOOLKITS.findall(cell.text)
        )
        done = collector.state(
            f"gemm-backend-{kind or 'unknown'}-{fold_label(row.text)}",
            [*facets, hardware],
            StatementStatus.SUPPORTED,
            replace(finding, conditions=conditions),
        )
        if fold_label(row.text) == "auto" or fold_label(cell.text) == "all":
            # A choice made for the user, and "all" cards: too vague to claim a card by.
            collector.findings[-1] = replace(done, kind=FindingKind.VALUE)


_KERNELS = {
    "deep_gemm": ("kernel-deepgemm",),
    "flashinfer_trtllm": ("kernel-flashinfer-trtllm",),
    "flashinfer_cutlass": ("kernel-cutlass",),
    "flashinfer_deepgemm": ("kernel-deepgemm",),
    "cutlass": ("kernel-cutlass",),
    "triton": ("kernel-triton",),
    "aiter": ("kernel-aiter",),
    "marlin": ("kernel-marlin",),
}


def _gemm_hardware(collector: Collector, cell: Cell, at: Locator) -> Facet:
    """The hardware of a GEMM row: capabilities, "ROCm", or both vendors for "All"."""
    text = one_line(cell.text)
    if fold_label(text) == "all":
        exclude = BELOW[LOWEST]
        return Facet(Axis.HARDWARE, text, frozenset({"nvidia", "amd"}), exclude, key="all")
    if fold_label(text) == "rocm":
        return facet_of(Axis.HARDWARE, text, "amd")
    slugs = nvidia_of(text)
    if not slugs:
        collector.miss(Axis.HARDWARE, text, at)
    return Facet(Axis.HARDWARE, text, slugs)


def _read_validated(collector: Collector, table: Table) -> None:
    """Add methods with the hardware on which the page says they were validated."""
    index = [fold_label(name) for name in table.columns].index("validated hardware environment")
    for cells in table.rows:
        cell = cells[index]
        finding = collector.at_cell(table, cell, row=cells[0].text, column=table.columns[index])
        for word in [part.strip() for part in cell.text.split("\n") if part.strip()]:
            plain = re.sub(r"^Nvidia | GPUs?$| processors?$", "", word, flags=re.IGNORECASE)
            collector.state(
                _AREA,
                [
                    method(cells[0].text, finding.locator, collector),
                    collector.facet(Axis.HARDWARE, plain, finding.locator),
                ],
                StatementStatus.SUPPORTED,
                replace(finding, note="validated on this hardware"),
            )
