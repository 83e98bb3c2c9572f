"""The NIXL connector's matrix: model type × capability of prefill/decode disaggregation.

**Source**: docs "NixlConnector Compatibility Matrix" (0.24 on).
"""

from dataclasses import replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.statuses import StatusTable
from ingest.sources.vllm.gather import Gatherer
from ingest.sources.vllm.words import fold
from matrix.domain.claims import Locator

SYMBOLS = StatusTable(
    words={
        "✅": StatementStatus.SUPPORTED,
        "🟠": StatementStatus.PARTIAL,
        "❌": StatementStatus.UNSUPPORTED,
        "❔": StatementStatus.UNKNOWN,
        "🚧": StatementStatus.WORK_IN_PROGRESS,
    }
)
_MODEL_TYPES: dict[str, str] = {
    "dense transformers": "decoder-only",
    "mla (e.g. deepseek-v2/v3)": "mla",
    "sparse mla (e.g. deepseek-v3.2)": "sparse-mla",
    "hybrid ssm / mamba": "hybrid-ssm",
    "moe": "moe",
    "multimodal": "multimodal",
    "encoder-decoder": "encoder-decoder",
}
_CAPABILITIES: dict[str, tuple[str, ...]] = {
    "basic pd": (),
    "spec decode": ("speculative-decoding",),
    "hetero tp": ("hetero-tp",),
    "cross-layer blocks": ("cross-layer-blocks",),
    "swa": ("sliding-window",),
    "host buffer": ("kv-offload",),
    "hetero block size": ("hetero-block-size",),
}
# Footnotes of the page in own words, by what they speak of.
_NOTES: tuple[tuple[str, str], ...] = (
    ("integer multiple", "where one tensor-parallel size is a whole multiple of the other"),
    ("homogeneous TP", "needs the same tensor-parallel size on both sides"),
    ("same speculation configuration", "both sides need the same speculation settings"),
    ("compatible speculation", "both sides need compatible speculation settings"),
    ("HND", "needs FLASH_ATTN or FLASHINFER and the HND cache layout"),
    ("BLHNC", "needs the BLHNC cache layout"),
    ("HMA is not required", "not for hybrid models; prefill block size below decode's"),
    ("head-splitting", "works without head splitting: one read per rank"),
    ("remote block sizes", "hybrid models need equal block sizes on both sides"),
)


def read_nixl(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of the model type × capability table.

    **Raises**: ``UnexpectedPage`` when the table is missing.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    table = gather.table(columns=("Model type", "Basic PD", "Spec Decode"))
    for row in table.rows:
        label = row[0].text
        if fold(label) not in _MODEL_TYPES:
            locator = Locator(heading=table.heading, row=label, line=row[0].line)
            gather.report("feature", label, locator)
        for column, cell in zip(table.columns[1:], row[1:], strict=False):
            _read_cell(gather, table, cell, label=label, column=column)
    for column in table.columns[1:]:
        if fold(column) not in _CAPABILITIES:
            gather.report("feature", column, Locator(heading=table.heading, line=table.line))
    return gather.reading()


def _read_cell(gather: Gatherer, table: Table, cell: Cell, *, label: str, column: str) -> None:
    kind, wanted = _MODEL_TYPES.get(fold(label)), _CAPABILITIES.get(fold(column))
    status = SYMBOLS.read(cell)
    if status is None:
        locator = Locator(heading=table.heading, row=label, column=column, line=cell.line)
        gather.report("status", cell.text, locator)
    scope = None
    if kind and wanted is not None and status:
        scope = scope_of(features=("nixl", kind, *wanted))
    finding = Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("nixl", kind or fold(label), fold(column)),
        status=status or StatementStatus.UNKNOWN,
        raw=cell.raw,
        locator=Locator(),
        names={"model_type": label, "feature": column},
        scope=scope,
    )
    finding = gather.of_cell(table, cell, row=label, column=column, finding=finding)
    gather.add(replace(finding, note=_note(finding)))


def _note(finding: Finding) -> str:
    for words, note in _NOTES:
        if any(words in text for text in finding.footnotes):
            return note
    if finding.status is StatementStatus.PARTIAL:
        return "partial by the page's legend"
    return ""
