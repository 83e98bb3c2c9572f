"""Models validated on one hardware: the TPU, CPU and XPU lists with their legend below.

**Source**: docs "hardware supported models" (0.9 on). The architecture strings of these pages
are informal; the model column is what counts. A blank cell was not validated.
"""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.statuses import StatusTable
from ingest.sources.vllm.gather import Gatherer
from ingest.sources.vllm.words import fold
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

SYMBOLS = StatusTable(
    words={
        "✅": StatementStatus.SUPPORTED,
        "🟨": StatementStatus.PARTIAL,
        "❌": StatementStatus.UNSUPPORTED,
    }
)

# The file's name says the platform; where the page lists validated hardware, that list is it.
_PLATFORMS: dict[str, tuple[str, str]] = {
    "tpu": ("tpu", "google-tpu"),
    "cpu": ("cpu", "cpu-x86"),
    "xpu": ("xpu", "intel"),
}
_DTYPES: dict[str, tuple[str, ...]] = {
    "fp16": ("fp16",),
    "bf16": ("bf16",),
    "dynamic fp8": ("fp8",),
    "online fp8": ("fp8",),
    "fp8": ("fp8",),
    "compressed_tensors fp8": ("fp8",),
    "mxfp4": ("mxfp4",),
    "int4": ("int4",),
}
_STATUS_COLUMN = "supported"
_DTYPE_COLUMN = "dtype"


def read_hardware_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the model tables of one hardware page, and its validated hardware.

    **Raises**: ``UnexpectedPage`` when no table has the columns ``Model`` and ``Architecture``.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    name = page.path.rsplit("/", 1)[-1].removesuffix(".md")
    platform, default = _PLATFORMS.get(name, (name, ""))
    tables = [t for t in gather.document.tables if t.has_columns(("Model", "Architecture"))]
    if not tables or not default:
        raise gather.unexpected(expected="tables with the columns “Model” and “Architecture”")
    hardware = _read_validated(gather, platform=platform) or frozenset({default})
    for table in tables:
        for row in table.rows:
            _read_row(gather, table, row, platform=platform, hardware=hardware)
    return gather.reading()


def _read_validated(gather: Gatherer, *, platform: str) -> frozenset[str]:
    """The nodes of the "Validated Hardware" table; each row is a finding."""
    nodes: set[str] = set()
    for table in gather.document.tables_under("Validated Hardware"):
        if not table.has_columns(("Hardware",)):
            continue
        for row in table.rows:
            label = row[0].text
            locator = Locator(heading=table.heading, row=label, line=row[0].line)
            found = gather.find("hardware", label, locator)
            nodes |= found
            finding = Finding(
                kind=FindingKind.COMPATIBILITY,
                statement=statement_key("validated-hardware", platform, found or fold(label)),
                status=StatementStatus.SUPPORTED,
                raw=row[0].raw,
                locator=locator,
                names={"hardware": label},
                scope=scope_of({Axis.HARDWARE: found}) if found else None,
                note="listed as validated hardware",
            )
            gather.add(
                gather.of_cell(table, row[0], row=label, column=table.columns[0], finding=finding)
            )
    return frozenset(nodes)


def _read_row(
    gather: Gatherer,
    table: Table,
    row: tuple[Cell, ...],
    *,
    platform: str,
    hardware: frozenset[str],
) -> None:
    label = row[0].text
    architecture = row[table.column("Architecture")].text
    locator = Locator(heading=table.heading, row=label, line=row[0].line)
    # "meta-llama/Llama-4-*" means whatever has the architecture beside it.
    models = gather.find("model", architecture if "*" in label else label, locator)
    key = models or fold(label)
    for column, cell in zip(table.columns[1:], row[1:], strict=False):
        name = fold(column)
        if name == "architecture":
            findings = [_architecture(gather, cell, platform=platform, model=label)]
        elif name == _DTYPE_COLUMN:
            findings = _dtype_values(
                gather, cell, label=label, models=models, platform=platform, hardware=hardware
            )
        elif name == _STATUS_COLUMN or name in _DTYPES:
            findings = [
                _validated_cell(
                    gather, table, cell, label=label, models=models, platform=platform,
                    hardware=hardware, column=column,
                )
            ]  # fmt: skip
        else:
            findings = [_other(cell, platform=platform, key=key, column=column, model=label)]
        for finding in findings:
            gather.add(gather.of_cell(table, cell, row=label, column=column, finding=finding))


def _architecture(gather: Gatherer, cell: Cell, *, platform: str, model: str) -> Finding:
    """The architecture string: informal unless it is a class that the catalogue knows."""
    known = gather.vocabulary.find("model", cell.text)
    return Finding(
        kind=FindingKind.VALUE,
        statement=statement_key("model-architecture", platform, fold(model)),
        status=StatementStatus.VALUE if known else StatementStatus.INFORMAL_NAME,
        raw=cell.raw,
        locator=Locator(),
        names={"model": model, "architecture": cell.text, "hardware": platform},
        value=cell.text,
    )


def _validated_cell(
    gather: Gatherer,
    table: Table,
    cell: Cell,
    *,
    label: str,
    models: frozenset[str],
    platform: str,
    hardware: frozenset[str],
    column: str,
) -> Finding:
    status = SYMBOLS.read(cell)
    if status is None:
        locator = Locator(heading=table.heading, row=label, column=column, line=cell.line)
        gather.report("status", cell.text, locator)
    schemes = _schemes(fold(column), label)
    nodes: dict[Axis, frozenset[str] | tuple[str, ...]] = {
        Axis.MODEL: models,
        Axis.HARDWARE: hardware,
    }
    if schemes:
        nodes[Axis.QUANTIZATION] = schemes
    notes = {
        StatementStatus.PARTIAL: "runs and is correct, not yet optimised",
        StatementStatus.UNSUPPORTED: "fails the accuracy test or does not run",
    }
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key(
            "model-hardware", platform, models or fold(label), schemes or "listed"
        ),
        status=status or StatementStatus.UNKNOWN,
        raw=cell.raw,
        locator=Locator(),
        names={"model": label, "hardware": platform, "dimension": column},
        scope=scope_of(nodes) if models and status else None,
        note=notes.get(status, "") if status else "",
    )


def _schemes(word: str, model: str) -> tuple[str, ...]:
    """What a dtype word means for this checkpoint; a GPTQ checkpoint's Int4 is GPTQ."""
    if word == "int4" and "gptq" in model.lower():
        return ("gptq",)
    return _DTYPES.get(word, ())


def _dtype_values(
    gather: Gatherer,
    cell: Cell,
    *,
    label: str,
    models: frozenset[str],
    platform: str,
    hardware: frozenset[str],
) -> list[Finding]:
    """One finding per value of a cell such as ``BF16/Online FP8``; a blank states nothing."""
    findings = []
    for word in re.split(r"\s*[/,]\s*", cell.text) if cell.text else [""]:
        schemes = _schemes(fold(word), label)
        if word and not schemes:
            gather.report("quantization", word, Locator(row=label, line=cell.line))
        scope = None
        if models and schemes:
            scope = scope_of(
                {Axis.MODEL: models, Axis.HARDWARE: hardware, Axis.QUANTIZATION: schemes}
            )
        online = "online" in fold(word)
        findings.append(
            Finding(
                kind=FindingKind.COMPATIBILITY,
                statement=statement_key(
                    "model-hardware", platform, models or fold(label), schemes or fold(word) or "-"
                ),
                status=StatementStatus.SUPPORTED if word else StatementStatus.NOT_STATED,
                raw=cell.raw,
                locator=Locator(),
                names={"model": label, "hardware": platform, "dimension": "Dtype", "dtype": word},
                scope=scope,
                note="quantised to FP8 while loading" if online else "",
            )
        )
    return findings


def _other(
    cell: Cell, *, platform: str, key: frozenset[str] | str, column: str, model: str
) -> Finding:
    """A cell beside the support statement, such as the recipe link; a dash means none."""
    status = StatementStatus.VALUE
    if cell.text in {"—", "–"}:
        status = StatementStatus.NONE
    elif not cell.text:
        status = StatementStatus.NOT_STATED
    return Finding(
        kind=FindingKind.DEPLOYMENT,
        statement=statement_key("model-hardware-cell", platform, key, fold(column)),
        status=status,
        raw=cell.raw,
        locator=Locator(),
        names={"model": model, "hardware": platform, "dimension": column},
        value=cell.text,
    )
