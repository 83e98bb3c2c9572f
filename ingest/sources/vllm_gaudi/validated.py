"""validated_models.md: what was validated, as lists of layouts, number types and cards."""

import re
from dataclasses import dataclass, replace
from itertools import product

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Table
from ingest.sources.collecting import Collector, Facet, one_line
from ingest.sources.vllm_gaudi.words import DATATYPES, card_of, cards_facet, plain, split_list
from matrix.domain.levels import Axis

_COLUMNS = ("Model", "Tensor parallelism [x HPU]", "Datatype", "Validated AI accelerator")
_OPEN = "not listed may work but have not been extensively tested"
_PENDING = "currently in progress"
_PAIRS_OPEN = "the row lists number types and cards, not which pairs of them were validated"


@dataclass(frozen=True, slots=True)
class _Row:
    """One row, its three lists apart.

    **Shapes**: ``cells`` stand in the order of ``_COLUMNS``.
    """

    table: Table
    cells: tuple[Cell, ...]
    model: str
    layouts: tuple[str, ...]
    types: tuple[str, ...]
    cards: tuple[str, ...]
    status: StatementStatus

    @property
    def certain(self) -> bool:
        """Whether every combination was validated: at most one list has several entries."""
        return sum(len(part) > 1 for part in (self.layouts, self.types, self.cards)) <= 1


def read_validated(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every row as a deployment, and what it says of its model on its cards."""
    collector = Collector(page, vocabulary)
    tables = [table for table in page.document.tables if table.has_columns(_COLUMNS)]
    if not tables:
        raise UnexpectedPage(
            path=page.path,
            expected=f"a table with the columns {', '.join(_COLUMNS)}",
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    for table in tables:
        for cells in table.rows:
            _read_row(collector, _row_of(table, cells))
    for text in page.document.paragraphs:
        if _OPEN in one_line(text.text):
            collector.value(
                FindingKind.LEGEND,
                "legend/validated/unlisted",
                StatementStatus.LEGEND,
                replace(collector.at_line(text.line, _OPEN), names={"sign": "not listed"}),
                value="untested",
            )
    return collector.reading("models")


def _row_of(table: Table, cells: tuple[Cell, ...]) -> _Row:
    pending = _PENDING in one_line(table.lead)
    # In the order of ``_COLUMNS``, wherever the page has them.
    ordered = tuple(cells[table.column(label)] for label in _COLUMNS)
    return _Row(
        table=table,
        cells=ordered,
        model=one_line(ordered[0].text),
        layouts=tuple(split_list(ordered[1].text)),
        types=tuple(split_list(ordered[2].text)),
        cards=tuple(split_list(ordered[3].text)),
        # A table of what is being validated states that it is not yet.
        status=StatementStatus.UNTESTED if pending else StatementStatus.VALIDATED,
    )


def _read_row(collector: Collector, row: _Row) -> None:
    """Add the deployments of a row and the statements that follow from it."""
    _add_deployments(collector, row)
    finding = collector.at_cell(row.table, row.cells[3], row=row.model, column=_COLUMNS[3])
    layouts = _layout_note(row.layouts)
    finding = replace(
        finding, note=layouts, links=tuple(link.target for link in row.cells[0].links)
    )
    model = collector.facet(Axis.MODEL, row.model, finding.locator)
    cards = _cards(collector, row)
    collector.state("model-hardware", [model, cards], row.status, finding)
    for word in row.types:
        draft = collector.at_cell(row.table, row.cells[2], row=row.model, column=_COLUMNS[2])
        slug = DATATYPES.get(word.casefold())
        if slug is None:
            collector.miss(Axis.QUANTIZATION, word, draft.locator)
        scheme = Facet(Axis.QUANTIZATION, word, frozenset({slug} if slug else ()))
        status, note = row.status, layouts
        open_pairs = len(row.types) > 1 and len(row.cards) > 1
        if open_pairs and status is StatementStatus.VALIDATED:
            status, note = StatementStatus.PARTIAL, _PAIRS_OPEN
        collector.state(
            "model-quantization-hardware",
            [model, scheme, cards],
            status,
            replace(draft, note=note),
        )


def _cards(collector: Collector, row: _Row) -> Facet:
    """The cards of a row; an unknown one leaves the statement for review."""
    finding = collector.at_cell(row.table, row.cells[3], row=row.model, column=_COLUMNS[3])
    slugs = [card_of(word) for word in row.cards]
    for word, slug in zip(row.cards, slugs, strict=True):
        if not slug:
            collector.miss(Axis.HARDWARE, word, finding.locator)
    known = slugs if all(slugs) else []
    return cards_facet(plain(row.cells[3].text), *known)


def _layout_note(layouts: tuple[str, ...]) -> str:
    if not layouts or layouts == ("1",):
        return "validated on one card" if layouts else ""
    return f"validated with tensor parallel {re.sub(', (?=[^,]+$)', ' or ', ', '.join(layouts))}"


def _add_deployments(collector: Collector, row: _Row) -> None:
    """Add the row as it stands, and each combination where all of them are certain."""
    finding = collector.at_cell(row.table, row.cells[1], row=row.model, column=_COLUMNS[1])
    choices = [(", ".join(row.layouts), ", ".join(row.types), ", ".join(row.cards))]
    if row.certain:
        choices += [
            choice for choice in product(row.layouts, row.types, row.cards) if choice not in choices
        ]
    for layout, scheme, card in choices:
        collector.value(
            FindingKind.DEPLOYMENT,
            f"deployment/{row.model}/{scheme}/{card}/tp={layout}",
            row.status,
            replace(finding, names={"model": row.model, "hw": card, "quant": scheme}),
            value=f"tp={layout}",
        )
