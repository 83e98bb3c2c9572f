"""Quantization × hardware: the support table of every release since 0.6.2.

**Source**: docs "Supported Hardware" of the quantization section; a page of its own to 0.9, a
section of the folder's README from 0.10 on. The legend under the table fixes the symbols.
"""

import re
from dataclasses import dataclass, replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.statuses import StatusTable
from ingest.sources.vllm.gather import Gatherer, find_lines
from ingest.sources.vllm.words import AMD_WITH_FP8, HARDWARE_COLUMNS, fold
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Execution, Limit

AREA = "quantization-hardware"


@dataclass(frozen=True, slots=True)
class Implementation:
    """A row of the table: the schemes it speaks of and how they are executed.

    ``kernel`` restricts the statement to one kernel family, because the same schemes have other
    kernels in rows of their own.
    """

    key: str
    schemes: tuple[str, ...]
    kernel: str = ""
    execution: Execution = Execution.UNSTATED


def _plain(slug: str) -> Implementation:
    return Implementation(key=slug, schemes=(slug,))


_WEIGHT_ONLY_SCHEMES = ("awq", "gptq", "fp8-w8a16")
_MARLIN = Implementation(
    key="marlin",
    schemes=_WEIGHT_ONLY_SCHEMES,
    kernel="kernel-marlin",
    execution=Execution.WEIGHT_ONLY,
)
_MARLIN_FP4 = Implementation(
    key="marlin",
    schemes=(*_WEIGHT_ONLY_SCHEMES, "mxfp4-w4a16", "nvfp4-w4a16"),
    kernel="kernel-marlin",
    execution=Execution.WEIGHT_ONLY,
)
_GPTQ_BITBLAS = Implementation(
    key="gptq-bitblas", schemes=("gptq-bitblas",), kernel="kernel-bitblas"
)

ROWS: dict[str, Implementation] = {
    "awq": _plain("awq"),
    "gptq": _plain("gptq"),
    "marlin (gptq/awq/fp8)": _MARLIN,
    "marlin (gptq/awq/fp8/fp4)": _MARLIN_FP4,
    "int8 (w8a8)": _plain("int8-w8a8"),
    "llm-compressor int8 (w8a8)": _plain("int8-w8a8"),
    "llm-compressor int8 (w4a8)": _plain("int8-w4a8"),
    "fp8 (w8a8)": _plain("fp8-w8a8"),
    "llm-compressor fp8 (w8a8)": _plain("fp8-w8a8"),
    "bitblas": _plain("bitblas"),
    "bitblas (gptq)": _GPTQ_BITBLAS,
    "aqlm": _plain("aqlm"),
    "bitsandbytes": _plain("bitsandbytes"),
    "deepspeedfp": _plain("deepspeedfp"),
    "gguf": _plain("gguf"),
    "inc (w8a8)": _plain("inc-w8a8"),
    "squeezellm": _plain("squeezellm"),
}

SYMBOLS = StatusTable(
    words={
        "✅": StatementStatus.SUPPORTED,
        "❌": StatementStatus.UNSUPPORTED,
        "✗": StatementStatus.UNSUPPORTED,
        "?": StatementStatus.UNKNOWN,
        "❔": StatementStatus.UNKNOWN,
    }
)

# Marlin is a row of its own with a floor of its own, so the plain rows do not speak for it.
_LOADERS: dict[str, str] = {"awq": "awq-marlin", "gptq": "gptq-marlin"}


def read_quantization_hardware(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the implementation × hardware table.

    **Raises**: ``UnexpectedPage`` when the table or its base columns are missing.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    if _is_contents_page(gather):
        return gather.reading()
    table = gather.table(columns=("Implementation", "Volta", "Turing", "Ampere"))
    for row in table.rows:
        label = row[0].text
        implementation = ROWS.get(fold(label)) or _named(gather, label)
        if implementation is None:
            locator = Locator(heading=table.heading, row=label, line=row[0].line)
            gather.report("quantization", label, locator)
        for column, cell in zip(table.columns[1:], row[1:], strict=False):
            _read_cell(gather, table, cell, label=label, column=column, of=implementation)
    for column in table.columns[1:]:
        if fold(column) not in HARDWARE_COLUMNS:
            locator = Locator(heading=table.heading, column=column, line=table.line)
            gather.report("hardware", column, locator)
    gather.add(*_read_moved(gather))
    return gather.reading()


def _named(gather: Gatherer, label: str) -> Implementation | None:
    """What the catalogue's own names say about a row that the table above does not know."""
    slugs = gather.vocabulary.find(Axis.QUANTIZATION, label)
    return Implementation(key="+".join(slugs), schemes=slugs) if slugs else None


_GAUDI_MOVED = re.compile(
    r"Intel Gaudi quantization support has been migrated to \[(?P<to>[^\]]+)\]"
)
_TPU_MOVED = re.compile(r"quantization support on Google TPU, please refer to the \[(?P<to>\S+)")


def _read_moved(gather: Gatherer) -> list[Finding]:
    """Hardware whose column went away because its quantization moved to a plug-in."""
    found = []
    for pattern, hardware, plugin in (
        (_GAUDI_MOVED, "intel-gaudi", "vllm-gaudi"),
        (_TPU_MOVED, "google-tpu", "tpu-inference"),
    ):
        for line in find_lines(gather.document, pattern):
            found.append(
                Finding(
                    kind=FindingKind.COMPATIBILITY,
                    statement=statement_key("quantization-moved", hardware),
                    status=StatementStatus.VIA_PLUGIN,
                    raw=line.fragment,
                    locator=gather.line_locator(line.number),
                    names={"hardware": hardware, "plugin": line.match.group("to")},
                    scope=scope_of(
                        {Axis.HARDWARE: hardware, Axis.QUANTIZATION: ()},
                        exclude={Axis.QUANTIZATION: "none"},
                    ),
                    note=f"quantization on this hardware moved to the plug-in {plugin}",
                    conditions=(Condition(kind=ConditionKind.PLUGIN, name=plugin),),
                )
            )
    return found


def _is_contents_page(gather: Gatherer) -> bool:
    """Whether this README only points to the page of its own that holds the table."""
    links = (link.target for item in gather.document.items for link in item.links)
    return not gather.document.tables and any("supported_hardware" in link for link in links)


def _read_cell(
    gather: Gatherer,
    table: Table,
    cell: Cell,
    *,
    label: str,
    column: str,
    of: Implementation | None,
) -> None:
    status = SYMBOLS.read(cell)
    hardware = HARDWARE_COLUMNS.get(fold(column))
    if status is None:
        locator = Locator(heading=table.heading, row=label, column=column, line=cell.line)
        gather.report("status", cell.text, locator)
    elif cell.marks and status is StatementStatus.SUPPORTED:
        status = StatementStatus.PARTIAL
    positive = status in {StatementStatus.SUPPORTED, StatementStatus.PARTIAL}
    scope = None
    if of and hardware and status:
        # The column says "AMD GPU"; FP8 units are in some AMD GPUs only.
        fp8 = _needs_fp8_units(of, hardware, positive=positive)
        scope = scope_of(
            {Axis.QUANTIZATION: of.schemes, Axis.HARDWARE: AMD_WITH_FP8 if fp8 else hardware},
            features=of.kernel or (),
            exclude={Axis.QUANTIZATION: _LOADERS.get(of.key, ()) if positive else ()},
        )
    finding = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key(AREA, of.key if of else fold(label), hardware or fold(column)),
        status=status or StatementStatus.UNKNOWN,
        raw=cell.raw,
        locator=Locator(),
        names={"quantization": label, "hardware": column},
        scope=scope,
        execution=of.execution if of and positive else Execution.UNSTATED,
        limit=Limit.HARDWARE if status is StatementStatus.UNSUPPORTED else None,
        note="supported with the restriction of a footnote" if cell.marks else "",
    )
    finding = gather.of_cell(table, cell, row=label, column=column, finding=finding)
    loader = finding
    if any(_NO_MXFP4.search(note) for note in finding.footnotes) and of and hardware:
        # What the footnote takes away is neither AWQ nor GPTQ.
        loader = replace(finding, status=StatementStatus.SUPPORTED, note="")
        finding = replace(finding, note="every scheme of the row but MXFP4")
        gather.add(_refuse_mxfp4(gather, cell, hardware=hardware))
    gather.add(finding)
    if of and of.key == _MARLIN.key and hardware and scope:
        gather.add(
            replace(
                loader,
                statement=statement_key(AREA, "marlin-loader", hardware),
                scope=scope_of({Axis.QUANTIZATION: _LOADERS.values(), Axis.HARDWARE: hardware}),
            )
        )


def _needs_fp8_units(of: Implementation | None, hardware: str | None, *, positive: bool) -> bool:
    return positive and hardware == "amd" and of is not None and of.key == "fp8-w8a8"


_NO_MXFP4 = re.compile(r"(\w+) does not support (?:Marlin )?MXFP4", re.IGNORECASE)


def _refuse_mxfp4(gather: Gatherer, cell: Cell, *, hardware: str) -> Finding:
    """The footnote of the Marlin row as a statement of its own: no MXFP4 on that hardware."""
    line = find_lines(gather.document, _NO_MXFP4)[-1]
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key(AREA, "marlin-mxfp4", hardware),
        status=StatementStatus.UNSUPPORTED,
        raw=line.fragment,
        locator=gather.line_locator(line.number),
        names={"quantization": "Marlin MXFP4", "hardware": line.match.group(1)},
        scope=scope_of(
            {Axis.QUANTIZATION: "mxfp4-w4a16", Axis.HARDWARE: hardware}, features="kernel-marlin"
        ),
        limit=Limit.HARDWARE,
        note=f"no Marlin kernel for MXFP4 (mark {cell.marks[0]} of the Marlin row)",
    )
