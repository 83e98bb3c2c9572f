"""compatibility_matrix.md: which vLLM version was validated with which Gaudi software."""

import re
from dataclasses import replace

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import Collector, one_line
from ingest.sources.statuses import StatusTable
from ingest.sources.vllm_gaudi.words import BOTH, cards_facet, plain

_UNTESTED = "may still work, but they have not been thoroughly tested"
_LATEST = re.compile(
    r"latest validated release is vLLM v?([\d.]+\d) on Intel Gaudi software version ([\d.]+\d)"
)
_NAMED = re.compile(r"supported vLLM versions for (Intel Gaudi 2) and (Intel Gaudi 3)")
_NUMBER = re.compile(r"\d+\.\d+\.\d+")


def read_matrix(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every pair of versions; what a cross means is what the page says above the table."""
    collector = Collector(page, vocabulary)
    untested = _read_sentences(collector)
    signs = StatusTable(
        {
            "✅": StatementStatus.SUPPORTED,
            "✅ beta": StatementStatus.EXPERIMENTAL,
            "❌": StatementStatus.UNTESTED if untested else StatementStatus.UNSUPPORTED,
        }
    )
    tables = [t for t in page.document.tables if _orientation(t)]
    for table in tables:
        for cells in table.rows:
            _read_row(collector, table, cells, signs)
    if not tables:
        raise UnexpectedPage(
            path=page.path,
            expected="a table of vLLM versions by Gaudi software versions",
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    return collector.reading()


def _orientation(table: Table) -> str:
    """Which versions stand in the first column; empty for another table."""
    first, rest = fold_label(plain(table.columns[0])), [plain(n) for n in table.columns[1:]]
    if first == "vllm version" and any("Gaudi software" in name for name in rest):
        return "vllm"
    if first == "intel gaudi software" and any(name.startswith("vLLM") for name in rest):
        return "gaudi"
    return ""


def _read_row(
    collector: Collector, table: Table, cells: tuple[Cell, ...], signs: StatusTable
) -> None:
    """Add the pairs of one row."""
    row = _NUMBER.search(cells[0].text)
    for column, cell in list(zip(table.columns, cells, strict=False))[1:]:
        number = _NUMBER.search(column)
        finding = collector.at_cell(table, cell, row=cells[0].text, column=column)
        status = signs.read_text(one_line(cell.text))
        if row is None or number is None or status is None:
            collector.miss("pairing", f"{cells[0].text} {column} {cell.text}", finding.locator)
            status = StatementStatus.NOT_STATED
        pair = (one_line(cells[0].text), one_line(column))
        if row is not None and number is not None:
            pair = (row.group(0), number.group(0))
        vllm, software = pair if _orientation(table) == "vllm" else pair[::-1]
        collector.value(
            FindingKind.PAIRING,
            f"pairing/{vllm}/gaudi-software-{software}",
            status,
            replace(finding, names={"vllm": vllm, "gaudi_software": software}),
            value=f"vllm {vllm}, gaudi software {software}",
        )


def _read_sentences(collector: Collector) -> bool:
    """Whether a cross means "not tested"; adds that, the cards and the newest validated pair."""
    untested = False
    for text in collector.document.paragraphs:
        flat = plain(text.text)
        if _UNTESTED in flat:
            untested = True
            collector.value(
                FindingKind.LEGEND,
                "legend/compatibility/❌",
                StatementStatus.LEGEND,
                replace(collector.at_line(text.line, _UNTESTED), names={"sign": "❌"}),
                value="untested",
            )
        if match := _LATEST.search(flat):
            vllm, software = match.groups()
            collector.value(
                FindingKind.PAIRING,
                "pairing/latest-validated",
                StatementStatus.VALIDATED,
                replace(
                    collector.at_line(text.line, match.group(0)),
                    names={"vllm": vllm, "gaudi_software": software},
                ),
                value=f"vllm {vllm}, gaudi software {software}",
            )
        if match := _NAMED.search(flat):
            for word, slug in zip(match.groups(), BOTH, strict=True):
                collector.state(
                    "platform",
                    [cards_facet(word, slug)],
                    StatementStatus.SUPPORTED,
                    collector.at_line(text.line, match.group(0)),
                )
    return untested
