"""The quantization tool's page: bits per weight and other measured values per type."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.contract import FindingKind, Page, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import Collector, one_line
from ingest.sources.llama_cpp.tables import nearest_shape, shape_of
from ingest.sources.llama_cpp.words import type_facet
from matrix.domain.claims import Locator
from matrix.domain.coordinates import NodeSet, Scope
from matrix.domain.levels import Axis

_BY_TYPE = ("quantization", "bits per weight (bpw)")
_OUTDATED = ("model", "measure")
_BY_MEASURE = "measure"
_SIZES = ("model", "original size")


def read_quantize(page: Page, vocabulary: Vocabulary) -> Reading:
    """One value a cell; a table that the page calls outdated is read as stale."""
    collector = Collector(page, vocabulary)
    read = 0
    for table in page.document.tables:
        shape = shape_of(table)
        if shape == _BY_TYPE:
            _read_by_type(collector, table)
        elif shape[:2] == _OUTDATED:
            _read_outdated(collector, table)
        elif shape[:1] == (_BY_MEASURE,):
            _read_by_measure(collector, table)
        elif shape[:2] == _SIZES:
            _read_sizes(collector, table)
            continue
        else:
            continue
        read += 1
    if not read:
        raise UnexpectedPage(
            path=page.path,
            expected="a table of bits per weight by type",
            nearest=nearest_shape(page, {_BY_TYPE, (_BY_MEASURE,)}),
        )
    return collector.reading()


def _model_of(table: Table) -> str:
    """The model that a table speaks about: a bold line above it, or its heading."""
    lead = table.lead.strip().strip("*")
    return lead if lead and len(lead) <= 40 else (table.heading[-1] if table.heading else "")


def _read_by_type(collector: Collector, table: Table) -> None:
    model = _model_of(table)
    for cells in table.rows:
        place = (cells[0].text, table.columns[1])
        _state(collector, table, cells[1], place, (model, "bits/weight", cells[0].text))


def _read_by_measure(collector: Collector, table: Table) -> None:
    model = _model_of(table)
    for cells in table.rows:
        for label, cell in zip(table.columns[1:], cells[1:], strict=False):
            _state(collector, table, cell, (cells[0].text, label), (model, cells[0].text, label))


def _read_outdated(collector: Collector, table: Table) -> None:
    status = StatementStatus.VALUE
    if "outdated" in table.lead.lower():
        status = StatementStatus.STALE
    for cells in table.rows:
        for label, cell in zip(table.columns[2:], cells[2:], strict=False):
            facts = (cells[0].text, cells[1].text, label)
            _state(collector, table, cell, (cells[0].text, label), facts, status=status)


def _read_sizes(collector: Collector, table: Table) -> None:
    for cells in table.rows:
        for label, cell in zip(table.columns[1:], cells[1:], strict=False):
            draft = collector.at_cell(table, cell, row=cells[0].text, column=label)
            draft = replace(draft, names={"model": cells[0].text, "measure": one_line(label)})
            statement = f"size/{fold_label(cells[0].text)}/{fold_label(label)}"
            collector.value(
                FindingKind.VALUE, statement, StatementStatus.VALUE, draft, value=cell.text
            )


def _state(
    collector: Collector,
    table: Table,
    cell: Cell,
    place: tuple[str, str],
    facts: Sequence[str],
    *,
    status: StatementStatus = StatementStatus.VALUE,
) -> None:
    model, measure, type_name = facts
    draft = collector.at_cell(table, cell, row=place[0], column=place[1])
    plain = cell.text.strip()
    if plain in {"", "-"}:
        status = StatementStatus.NOT_STATED
    draft = replace(
        draft,
        names={"model": model, "quantization": type_name, "measure": measure},
        scope=_scope(collector, type_name, draft.locator),
    )
    statement = f"measured/{fold_label(model)}/{fold_label(measure)}/{fold_label(type_name)}"
    known = {finding.statement for finding in collector.findings}
    if statement in known:
        # One type stands in two tables of the page; the second is kept beside the first.
        statement += f"/{table.index}"
    collector.value(FindingKind.VALUE, statement, status, draft, value=plain)


def _scope(collector: Collector, type_name: str, at: Locator) -> Scope | None:
    facet = type_facet(collector, type_name, at)
    if not facet.known:
        return None
    return Scope(nodes={Axis.QUANTIZATION: NodeSet(include=facet.slugs)})
