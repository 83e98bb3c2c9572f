"""model_support_list.md: models by product and card count, with schemes and features."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.contract import (
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Item, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.mindie_llm.words import (
    COLOURS,
    EVERY_NPU,
    FEATURES,
    FUNCTIONAL_ONLY,
    SCHEMES,
    SIGNS,
    Place,
    read_places,
)
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, Limit, NumberAxis

_MODEL, _STATE, _LENGTH, _HARDWARE = "模型", "support", "最大上下文长度", "硬件规格"
_LINKS = frozenset({"readme 链接", "hugging face 链接", "modelscope 链接"})
_SIZE = re.compile(r"\d+(?:\.\d+)?B\b", re.IGNORECASE)
_LEGEND = {
    "充分验证支持": "validated",
    "仅功能支持": "functional-only",
    "支持该列的特性": "supported",
    "不支持该列特性": "unsupported",
}
_LEGEND_LINE = re.compile(r"^(●|✅|❌)\s*[：:]\s*(\S+)$")
_CSS = re.compile(r"color:\s*(#?\w+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Row:
    """One row, its model resolved and its products apart."""

    table: Table
    cells: tuple[Cell, ...]
    models: tuple[Facet, ...]
    status: StatementStatus | None
    places: tuple[Place, ...]

    @property
    def name(self) -> str:
        """The model as the page shows it."""
        return one_line(self.cells[0].text)

    @property
    def held(self) -> tuple[str, ...]:
        """The products on which the row says that the model runs."""
        return tuple(place.slug for place in self.places if place.counts and place.slug)


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every row of every model table; the state of a model is in a colour."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        labels = [fold_label(name) for name in table.columns]
        if labels[0] != _MODEL:
            continue
        if labels[1] != _STATE or _HARDWARE not in labels:
            raise UnexpectedPage(
                path=page.path,
                expected='model tables with the columns "Support" and "硬件规格"',
                nearest=", ".join(table.columns[:6]),
            )
        for cells in table.rows:
            _read_row(collector, _row_of(collector, table, cells, labels))
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='model tables with the columns "模型", "Support" and "硬件规格"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    _read_legend(collector)
    return collector.reading("models")


def _row_of(collector: Collector, table: Table, cells: tuple[Cell, ...], labels: list[str]) -> _Row:
    name = one_line(cells[0].text)
    at = collector.at_cell(table, cells[0], row=name, column=table.columns[0]).locator
    status = COLOURS.get((cells[1].colour or "").rstrip(";").strip())
    if status is None:
        collector.miss("status", f"{cells[1].text} {cells[1].colour or 'without colour'}", at)
    return _Row(
        table=table,
        cells=cells,
        models=tuple(_models(collector, name, cells, labels, at)),
        status=status,
        places=tuple(read_places(cells[labels.index(_HARDWARE)].text)),
    )


def _models(
    collector: Collector, name: str, cells: tuple[Cell, ...], labels: list[str], at: Locator
) -> list[Facet]:
    """The models of a row: its name, narrowed by the checkpoints that the row links.

    A name that only a family has ("Bloom-7B") means the linked checkpoint.
    """
    linked: set[str] = set()
    for label in ("hugging face 链接", "modelscope 链接"):
        if label in labels:
            text = one_line(cells[labels.index(label)].text)
            linked |= set(_checkpoints(collector, text))
    slugs = collector.vocabulary.find(str(Axis.MODEL), name)
    family = bool(slugs) and not any("--" in slug for slug in slugs)
    if linked and (not slugs or (family and _SIZE.search(name))):
        return collector.split(facet_of(Axis.MODEL, name, *linked))
    if len(slugs) > 1 and linked.intersection(slugs):
        return collector.split(facet_of(Axis.MODEL, name, *linked.intersection(slugs)))
    return collector.split(collector.facet(Axis.MODEL, name, at))


def _checkpoints(collector: Collector, text: str) -> tuple[str, ...]:
    """The checkpoint that a link's text names, on whichever hub."""
    whole = collector.vocabulary.find(str(Axis.MODEL), text)
    found = whole or collector.vocabulary.find(str(Axis.MODEL), text.rsplit("/", 1)[-1])
    return tuple(slug for slug in found if "--" in slug)


def _read_row(collector: Collector, row: _Row) -> None:
    """Add what a row says: the state, each product, each scheme and feature, the context."""
    for model in row.models:
        for place in row.places:
            _state_place(collector, row, model, place)
        for index, label in _marked(row.table):
            _state_mark(collector, row, model, index, label)
    for index, name in enumerate(row.table.columns):
        label = fold_label(name)
        if label in {_LENGTH, _STATE} or label in _LINKS:
            _state_value(collector, row, index, label)


def _marked(table: Table) -> Iterator[tuple[int, str]]:
    """The columns that hold a tick or a cross."""
    others = {_MODEL, _STATE, _LENGTH, _HARDWARE, *_LINKS}
    for index, name in enumerate(table.columns):
        if fold_label(name) not in others:
            yield index, fold_label(name)


def _state_place(collector: Collector, row: _Row, model: Facet, place: Place) -> None:
    """Add that the model runs, does not run, or is untested on one product."""
    labels = [fold_label(name) for name in row.table.columns]
    index = labels.index(_HARDWARE)
    finding = collector.at_cell(
        row.table, row.cells[index], row=row.name, column=row.table.columns[index]
    )
    if not place.known:
        collector.miss(Axis.HARDWARE, f"{place.word} {place.said}".strip(), finding.locator)
    hardware = Facet(Axis.HARDWARE, place.word, frozenset({place.slug} if place.known else ()))
    status, note = row.status or StatementStatus.NOT_STATED, place.note
    if place.refused:
        status = StatementStatus.UNSUPPORTED
        finding = replace(finding, limit=Limit.FRAMEWORK)
    elif place.pending:
        status = StatementStatus.UNTESTED
    elif status is StatementStatus.PARTIAL:
        note = "; ".join(filter(None, (FUNCTIONAL_ONLY, note)))
    span = place.range
    collector.state(
        "model-hardware",
        [model, hardware],
        status,
        replace(finding, raw=f"{place.word}：{place.said}", note=note),
        numbers={NumberAxis.HARDWARE_COUNT: span} if span and place.known else None,
    )


def _state_mark(collector: Collector, row: _Row, model: Facet, index: int, label: str) -> None:
    """Add a scheme or feature of the model; a yes holds where the row lets the model run."""
    cell, name = row.cells[index], row.table.columns[index]
    finding = collector.at_cell(row.table, cell, row=row.name, column=name)
    status = SIGNS.read(cell)
    if status is None:
        collector.miss("status", cell.text, finding.locator)
        status = StatementStatus.NOT_STATED
    if label in SCHEMES:
        area = "model-quantization-hardware"
        part = facet_of(Axis.QUANTIZATION, name, SCHEMES[label])
    else:
        area = "model-feature-hardware"
        part = collector.facet(FEATURE, name, finding.locator, table=FEATURES)
    refused = status is StatementStatus.UNSUPPORTED
    if refused:
        finding = replace(finding, limit=Limit.FRAMEWORK)
    slugs = EVERY_NPU if refused or not row.held else row.held
    place = facet_of(Axis.HARDWARE, "Ascend NPU", *slugs)
    if row.status is StatementStatus.PARTIAL and status is StatementStatus.SUPPORTED:
        finding = replace(finding, note=FUNCTIONAL_ONLY)
    collector.state(area, [model, part, place], status, finding)


def _state_value(collector: Collector, row: _Row, index: int, label: str) -> None:
    """Add the state as the page shows it, the longest context, and where links lead."""
    cell = row.cells[index]
    finding = collector.at_cell(row.table, cell, row=row.name, column=row.table.columns[index])
    text = one_line(cell.text)
    value, status = text, StatementStatus.VALUE if text else StatementStatus.NOT_STATED
    if label == _STATE:
        value = cell.colour or ""
        status = row.status or StatementStatus.NOT_STATED
    elif text == "❌":
        status = StatementStatus.NONE
    links = tuple(link.target for link in cell.links)
    collector.value(
        FindingKind.VALUE,
        f"{label.replace(' ', '-')}/{fold_label(row.name)}",
        status,
        replace(finding, names={"model": row.name}, links=links),
        value=value,
    )


def _read_legend(collector: Collector) -> None:
    """Add each line of the legend.

    **Raises**: ``UnexpectedPage`` for a meaning that is not known, or a colour that moved.
    """
    for item in collector.document.items:
        match = _LEGEND_LINE.match(one_line(item.text))
        if not match:
            continue
        sign, said = match.groups()
        meaning = _LEGEND.get(said)
        if meaning is None or not _colour_fits(item, meaning):
            raise UnexpectedPage(
                path=collector.page.path,
                expected=f"a legend of {', '.join(_LEGEND)}",
                nearest=one_line(item.raw)[:80],
            )
        collector.value(
            FindingKind.LEGEND,
            f"legend/models/{meaning}",
            StatementStatus.LEGEND,
            replace(collector.at_line(item.line, item.text), names={"sign": sign}),
            value=meaning,
        )


def _colour_fits(item: Item, meaning: str) -> bool:
    """Whether the dot of a legend line has the colour that stands for its meaning."""
    colour = _CSS.search(item.raw)
    if colour is None:
        return meaning in {"supported", "unsupported"}
    wanted = {
        "validated": StatementStatus.VALIDATED,
        "functional-only": StatementStatus.PARTIAL,
    }.get(meaning)
    return COLOURS.get(colour.group(1).lower()) is wanted
