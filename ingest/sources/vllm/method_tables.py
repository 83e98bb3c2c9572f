"""Tables and lists of method pages: ModelOpt formats, online schemes, the b12x kernels.

**Source**: docs pages ``modelopt`` (0.18 on), ``online`` (0.24 on) and ``b12x`` (0.33). Formats
without hardware are pairings and claim nothing: a list of formats is no promise for every GPU.
"""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import FRAGMENT_LENGTH, Gatherer, find_lines
from ingest.sources.vllm.words import fold
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind

_FORMAT = re.compile(r"^(?P<algorithm>[A-Z0-9_]+)(?: \(ModelOpt may emit \w+\))?: ")
_B12X_HARDWARE = re.compile(r"NVIDIA SM120 and SM121 GPUs")
_B12X_SCHEMES: dict[str, tuple[str, ...]] = {
    "linear": ("fp8-w8a8-tensor", "fp8-w8a8-block", "mxfp8", "nvfp4", "mxfp4"),
    "moe": ("mxfp4", "nvfp4"),
}


def read_method_tables(page: Page, vocabulary: Vocabulary) -> Reading:
    """Formats, schemes and kernels that a method page tabulates; older pages have none."""
    gather = Gatherer(page=page, vocabulary=vocabulary)
    for item in gather.document.items_under("Supported ModelOpt checkpoint formats"):
        match = _FORMAT.match(item.text)
        if match:
            word = match.group("algorithm")
            gather.add(
                Finding(
                    kind=FindingKind.PAIRING,
                    statement=statement_key("modelopt-format", word.lower()),
                    status=StatementStatus.SUPPORTED,
                    raw=item.text[:FRAGMENT_LENGTH],
                    locator=gather.line_locator(item.line),
                    names={"container": "ModelOpt", "quantization": word},
                )
            )
    _read_online(gather)
    if find_lines(gather.document, _B12X_HARDWARE):
        _read_b12x(gather)
    return gather.reading()


def _read_online(gather: Gatherer) -> None:
    """The scheme table of online quantization, cell by cell."""
    for table in gather.document.tables:
        if not table.has_columns(("Scheme", "Weight recipe")):
            continue
        for row in table.rows:
            for column, cell in zip(table.columns[1:], row[1:], strict=False):
                finding = Finding(
                    kind=FindingKind.PAIRING,
                    statement=statement_key("online-scheme", fold(row[0].text), fold(column)),
                    status=StatementStatus.VALUE if cell.text else StatementStatus.NOT_STATED,
                    raw=cell.raw,
                    locator=gather.line_locator(cell.line),
                    names={"quantization": row[0].text, "column": column},
                    value=cell.text,
                )
                gather.add(
                    gather.of_cell(table, cell, row=row[0].text, column=column, finding=finding)
                )


def _read_b12x(gather: Gatherer) -> None:
    """The optional kernels for SM120 and SM121: which schemes each back end takes."""
    condition = Condition(kind=ConditionKind.PACKAGE, name="b12x")
    for table in gather.document.tables:
        if not table.has_columns(("Backend", "Supported configurations")):
            continue
        for row in table.rows:
            label = row[0].text
            schemes = _B12X_SCHEMES.get(fold(label))
            scope = None
            if schemes:
                scope = scope_of(
                    {
                        Axis.QUANTIZATION: schemes,
                        Axis.HARDWARE: ("nvidia-sm-120", "nvidia-sm-121"),
                    },
                    features="kernel-b12x",
                )
            finding = Finding(
                kind=FindingKind.COMPATIBILITY if schemes else FindingKind.PAIRING,
                statement=statement_key("b12x", fold(label)),
                status=StatementStatus.SUPPORTED,
                raw=row[1].raw,
                locator=gather.line_locator(row[1].line),
                names={"kernel": f"b12x {label}", "hardware": "SM120 and SM121"},
                scope=scope,
                conditions=(condition,),
                note="optional kernels, with the package b12x",
            )
            gather.add(
                gather.of_cell(table, row[1], row=label, column=table.columns[1], finding=finding)
            )
