"""Supported models: model × precision for two engines on CUDA, and on other platforms."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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
from ingest.sources.collecting import Collector, Facet, facet_of, one_line, table_cell_locator
from ingest.sources.lmdeploy.notes import mark_note, read_notes
from ingest.sources.lmdeploy.words import (
    ASCEND_ONLY,
    COLUMNS,
    CUDA,
    CUDA_INT4,
    EAGER,
    GRAPH,
    MXFP4_MODELS,
    MXFP4_W4A16,
    ORIGINAL_LLAVA,
    PYTORCH,
    SIGNS,
    TURBOMIND,
    TURBOMIND_W4A16,
    engine_chosen,
    models_of,
)
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, Limit

_MODE = re.compile(r"\((eager|graph)\)$")
_LEGEND = re.compile(r'^"-" means (.+?)\.?$')


@dataclass(slots=True)
class _Platform:
    """One table as it is read: what its columns say and on what."""

    table: Table
    engine: str
    rows: Sequence[Sequence[Cell]]
    labels: Sequence[str]  # precision words of the columns
    hardware: Sequence[Facet | None]
    yes: set[tuple[str, str]] = field(default_factory=set)  # (model word, precision) that are yes

    @property
    def area(self) -> str:
        """The area of the table's statements: two engines may state the same."""
        return f"model-precision-{self.engine or 'other'}"


def read_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of supported_models.md: every cell of its tables, its legend and notes."""
    collector = Collector(page, vocabulary)
    platforms = [p for table in page.document.tables if (p := _platform(collector, table))]
    if not {TURBOMIND, PYTORCH} <= {platform.engine for platform in platforms}:
        raise UnexpectedPage(
            path=page.path,
            expected='tables with "Model", "FP16/BF16", "KV INT8" for TurboMind and PyTorch',
            nearest="; ".join(", ".join(t.columns[:6]) for t in page.document.tables[:3]),
        )
    for platform in platforms:
        _note_agreements(platform)
    both = _cuda_agreements(platforms)
    for platform in platforms:
        _read_rows(collector, platform, both)
    read_notes(collector)
    for text in page.document.paragraphs:
        if match := _LEGEND.match(one_line(text.text)):
            collector.value(
                FindingKind.LEGEND,
                "legend/models/-",
                StatementStatus.LEGEND,
                collector.at_line(text.line, text.text),
                value=match.group(1),
            )
    return collector.reading("models")


def _platform(collector: Collector, table: Table) -> _Platform | None:
    """The table's platform, or ``None`` for a table of another kind."""
    columns = [fold_label(name) for name in table.columns]
    if columns[:1] == ["model"] and "kv int8" in columns:
        engine = PYTORCH if "w8a8" in columns else TURBOMIND
        hardware: list[Facet | None] = [CUDA if name in COLUMNS else None for name in columns]
        return _Platform(table, engine, table.rows, columns, hardware)
    if columns[:1] == ["model"] and any(_MODE.search(name) for name in columns):
        hardware = [ASCEND_ONLY if _precision(name) in COLUMNS else None for name in columns]
        return _Platform(table, "", table.rows, columns, hardware)
    first = [fold_label(cell.text) for cell in table.rows[0]] if table.rows else []
    if first[:1] != ["model"]:
        return None
    at = table_cell_locator(table, table.rows[0][0], "Model", "")
    hardware = [
        collector.facet(Axis.HARDWARE, name, at) if name else None for name in table.columns
    ]
    return _Platform(table, "", table.rows[1:], first, hardware)


def _precision(label: str) -> str:
    return _MODE.sub("", label).strip()


def _note_agreements(platform: _Platform) -> None:
    """Keep which precisions a row says yes to in each of its columns."""
    for cells in platform.rows:
        for label, cell in zip(platform.labels, cells, strict=False):
            if SIGNS.read(cell) is StatementStatus.SUPPORTED and not cell.marks:
                platform.yes.add((_bare(cells[0].text), label))


def _bare(name: str) -> str:
    """A model's name as two tables may write it: "GLM-4" and "GLM4"."""
    return re.sub(r"[^a-z0-9.]", "", name.lower())


def _cuda_agreements(platforms: Sequence[_Platform]) -> set[tuple[str, str]]:
    """What both engines say yes to: there the choice of engine does not matter."""
    engines = [platform.yes for platform in platforms if platform.engine]
    return set.intersection(*engines) if len(engines) > 1 else set()


def _read_rows(collector: Collector, platform: _Platform, both: set[tuple[str, str]]) -> None:
    table = platform.table
    seen: Counter[tuple[str, str]] = Counter()
    for cells in platform.rows:
        name, size = cells[0].text, cells[1].text
        seen[name, size] += 1
        # A model that stands there twice may be said to be both; each row speaks for itself.
        again = f"-{seen[name, size]}" if seen[name, size] > 1 else ""
        at = table_cell_locator(table, cells[0], name, "Model")
        models = _models(collector, name, size, at)
        for index, (label, cell) in enumerate(zip(platform.labels, cells, strict=False)):
            hardware = platform.hardware[index]
            precision = _column(platform, label, name)
            if hardware is None or precision is None:
                continue
            column = _column_words(table, index, label)
            finding = collector.at_cell(table, cell, row=name, column=column)
            finding = replace(
                finding,
                names={"size": one_line(size), "engine": platform.engine or PYTORCH},
                conditions=_conditions(platform, index, name, both),
            )
            if hardware is CUDA and precision.word == "W4A16" and precision is not MXFP4_W4A16:
                hardware = CUDA_INT4
            for model in models:
                facets = [model, precision, hardware]
                _state(collector, platform.area + again, facets, (cells[0], cell), finding)


def _models(collector: Collector, name: str, size: str, at: Locator) -> list[Facet]:
    """The models of a row, each with a statement of its own."""
    own = models_of(name, size)
    if own:
        return collector.split(facet_of(Axis.MODEL, name, *own))
    return collector.split(collector.facet(Axis.MODEL, name, at))


def _column(platform: _Platform, label: str, model: str) -> Facet | None:
    """What a column says: a precision, or ``None`` for the sizes and types."""
    precision = COLUMNS.get(_precision(label))
    if precision is COLUMNS["w4a16"]:
        if fold_label(model) in MXFP4_MODELS:
            return MXFP4_W4A16
        if platform.engine == TURBOMIND:
            return TURBOMIND_W4A16
    return precision


def _column_words(table: Table, index: int, label: str) -> str:
    """The column's own words; below a header of machines both lines name it."""
    header = table.columns[index]
    shown = table.rows[0][index].text if fold_label(header) != label else header
    return f"{header} {shown}" if shown != header else header


def _conditions(
    platform: _Platform, index: int, model: str, both: set[tuple[str, str]]
) -> tuple[Condition, ...]:
    """The choices a cell depends on: the engine on CUDA, eager or graph mode elsewhere."""
    label = platform.labels[index]
    if platform.engine:
        chosen = (_bare(model), label) in both
        return () if chosen else (engine_chosen(platform.engine),)
    mode = _MODE.search(label)
    if mode is None:
        return ()
    other = label.replace(mode.group(1), "graph" if mode.group(1) == "eager" else "eager")
    here = platform.hardware[index]
    twin = any(
        name == other and machine == here
        for name, machine in zip(platform.labels, platform.hardware, strict=True)
    )
    word = _bare(model)
    if twin and {(word, label), (word, other)} <= platform.yes:
        return ()
    return (EAGER if mode.group(1) == "eager" else GRAPH,)


def _state(
    collector: Collector,
    area: str,
    facets: list[Facet],
    cells: tuple[Cell, Cell],
    finding: Finding,
) -> None:
    """Add one cell; a star makes a yes partial, and what the row's mark says is kept."""
    row, cell = cells
    status = SIGNS.read(cell)
    note = mark_note(collector.document, row, starred="*" in cell.marks)
    limit = None
    if status is StatementStatus.UNSUPPORTED:
        limit = Limit.FRAMEWORK
        if "llava" in fold_label(row.text):
            facets[0] = facet_of(Axis.MODEL, row.text, *ORIGINAL_LLAVA, key="llava-original")
    if status is StatementStatus.SUPPORTED and "*" in cell.marks:
        status = StatementStatus.PARTIAL
    if note.narrow is not None and facets[1].axis is Axis.QUANTIZATION:
        kept = facets[1].slugs & note.narrow
        facets[1] = replace(facets[1], slugs=kept) if kept else facets[1]
    footnotes = (*finding.footnotes, *note.texts)
    done = replace(finding, note=note.said if status in _NOTED else "", footnotes=footnotes)
    if status is None:
        collector.miss("status", cell.text, finding.locator)
        collector.state(area, facets, StatementStatus.NOT_STATED, done)
        collector.findings[-1] = replace(collector.findings[-1], scope=None)
        return
    collector.state(area, facets, status, replace(done, limit=limit))


_NOTED = frozenset({StatementStatus.SUPPORTED, StatementStatus.PARTIAL})


def read_reward_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The reward models and the engine that runs each."""
    collector = Collector(page, vocabulary)
    tables = [t for t in page.document.tables if "supported inference engine" in _folded(t)]
    if not tables:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with "Model" and "Supported Inference Engine"',
            nearest="; ".join(", ".join(t.columns) for t in page.document.tables[:3]),
        )
    for table in tables:
        for row, cells in table.records():
            cell = cells["Supported Inference Engine"]
            finding = collector.at_cell(
                table, cell, row=row.text, column="Supported Inference Engine"
            )
            engines = [word for word in re.split(r"[,/]\s*", fold_label(cell.text)) if word]
            conditions = tuple(engine_chosen(word) for word in engines) if engines else ()
            for model in collector.split(collector.facet(Axis.MODEL, row.text, finding.locator)):
                collector.state(
                    "reward-model",
                    [model, facet_of("feature", "reward model", "reward"), CUDA],
                    StatementStatus.SUPPORTED if engines else StatementStatus.NOT_STATED,
                    replace(
                        finding,
                        names={"size": one_line(cells["Size"].text)},
                        conditions=conditions if len(engines) == 1 else (),
                    ),
                )
    return collector.reading()


def _folded(table: Table) -> list[str]:
    return [fold_label(name) for name in table.columns]
