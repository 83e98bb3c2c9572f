"""Supported models: which architectures are listed, per task, with LoRA, PP and V1 columns.

**Source**: docs "Supported Models" of every release; the pooling tables moved to pages of their
own in 0.24. A second table under one heading lists what runs by the Transformers backend only.
"""

import re
from dataclasses import dataclass

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Cell, Table
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer
from ingest.sources.vllm.model_cells import (
    FLAG_FEATURES,
    FLAG_SYMBOLS,
    checkpoints_in,
    modalities_in,
)
from ingest.sources.vllm.model_notes import read_model_notes
from ingest.sources.vllm.words import fold
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Tier

# Words of a heading, most telling first, to the task whose models its table lists. A pooling
# task is a feature of the statement: the same architecture may generate without restriction.
_TASKS: tuple[tuple[str, str, str], ...] = (
    ("realtime", "realtime-transcription", "transcription"),
    ("transcription", "transcription", "transcription"),
    ("token classification", "token-classification", "classification"),
    ("token reward", "token-reward", "reward"),
    ("process reward", "process-reward", "reward"),
    ("reward", "reward", "reward"),
    ("classification", "classification", "classification"),
    ("sentence pair scoring", "scoring", "reranking"),
    ("cross-encoder", "scoring", "reranking"),
    ("scoring", "scoring", "reranking"),
    ("reranker", "scoring", "reranking"),
    ("token embedding", "token-embedding", "embeddings"),
    ("embedding", "embedding", "embeddings"),
    ("late interaction", "token-embedding", "embeddings"),
    ("any-to-any", "generation", ""),
    ("text generation", "generation", ""),
    ("generative", "generation", ""),
    ("specific model examples", "specific", "pooling"),
)
_KNOWN_COLUMNS = frozenset(
    {
        "architecture", "models", "example hf models", "inputs", "lora", "pp", "v1",
        "plugin repository", "backbone", "score template (see note)",
    }
)  # fmt: skip
_PLUGIN_HEADING = "plugins"
_VIA_TRANSFORMERS = re.compile(r"only via the .{0,4}Transformers", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelTable:
    """One table and what its place on the page says about all its rows."""

    table: Table
    task: str
    feature: str
    listed: StatementStatus


def read_supported_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """Every cell of every architecture table, and the notes that restrict rows.

    **Raises**: ``UnexpectedPage`` when no table has an ``Architecture`` column.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    tables = [t for t in gather.document.tables if t.has_columns(("Architecture",))]
    if not tables:
        raise gather.unexpected(expected="tables with the column “Architecture”")
    for table in tables:
        placed = _place(gather, table)
        for row in table.rows:
            _read_row(gather, placed, row)
        _report_columns(gather, table)
    gather.add(*read_model_notes(gather))
    if any(table.has_columns(("LoRA", "PP")) for table in tables):
        gather.complete_lists.append("models")
    return gather.reading()


def _place(gather: Gatherer, table: Table) -> ModelTable:
    """The task and the kind of listing that the headings above a table state."""
    headings = [fold(part) for part in reversed(table.heading)]
    if headings and headings[0].startswith(_PLUGIN_HEADING):
        return ModelTable(table=table, task="plugin", feature="", listed=StatementStatus.VIA_PLUGIN)
    listed = StatementStatus.SUPPORTED
    if _VIA_TRANSFORMERS.search(table.lead):
        listed = StatementStatus.VIA_TRANSFORMERS
    for heading in headings:
        for words, task, feature in _TASKS:
            if words in heading:
                modal = "-multimodal" if table.has_columns(("Inputs",)) else ""
                return ModelTable(table=table, task=task + modal, feature=feature, listed=listed)
    locator = Locator(heading=table.heading, line=table.line)
    gather.report("task", " > ".join(table.heading), locator)
    return ModelTable(table=table, task="unplaced", feature="", listed=StatementStatus.UNKNOWN)


def _report_columns(gather: Gatherer, table: Table) -> None:
    for column in table.columns:
        if fold(column) not in _KNOWN_COLUMNS:
            locator = Locator(heading=table.heading, column=column, line=table.line)
            gather.report("column", column, locator)


def _read_row(gather: Gatherer, placed: ModelTable, row: tuple[Cell, ...]) -> None:
    label = row[0].text
    locator = Locator(heading=placed.table.heading, row=label, line=row[0].line)
    names = [name.removesuffix("(see note)").strip() for name in label.split(",")]
    wildcard = any("*" in name for name in names)
    models: dict[str, frozenset[str]] = {}
    for name in names:
        if name and name not in {"etc.", "etc"} and not wildcard:
            models[name] = gather.find("model", name, locator)
    together = {label: frozenset[str]().union(*models.values())}
    for column, cell in zip(placed.table.columns, row, strict=False):
        reader = _READERS.get(fold(column), _read_other)
        each = models if reader in _PER_ARCHITECTURE and models else together
        for name, slugs in each.items():
            reader(gather, placed, cell, row=label, column=column, name=name, slugs=slugs)


def _listing(
    gather: Gatherer,
    placed: ModelTable,
    cell: Cell,
    *,
    row: str,
    column: str,
    name: str,
    slugs: frozenset[str],
) -> None:
    """The architecture and family cells: the row itself says that the model is listed."""
    scope = None
    if slugs:
        scope = scope_of({Axis.MODEL: slugs}, features=placed.feature or ())
    # A wildcard row takes over what the original model has: it names nothing to claim.
    wildcard = "*" in name
    via = placed.listed is StatementStatus.VIA_TRANSFORMERS
    finding = Finding(
        kind=FindingKind.VALUE if wildcard else FindingKind.COMPATIBILITY,
        statement=statement_key("models", placed.task, slugs or fold(name)),
        status=StatementStatus.INHERITS if wildcard else placed.listed,
        raw=cell.raw,
        locator=Locator(),
        names={"architecture": row, "task": placed.task},
        scope=scope,
        note="by the Transformers modelling backend only" if via else "",
        conditions=_plugin_of(gather, placed, row=row),
        tier=Tier.UNOFFICIAL if placed.task == "plugin" else Tier.OFFICIAL,
    )
    gather.add(gather.of_cell(placed.table, cell, row=row, column=column, finding=finding))


def _plugin_of(gather: Gatherer, placed: ModelTable, *, row: str) -> tuple[Condition, ...]:
    """The plug-in that a row of the plug-in table needs."""
    if placed.task != "plugin":
        return ()
    index = placed.table.column("Plugin Repository")
    for cells in placed.table.rows:
        if cells[0].text == row and cells[index].links:
            link = cells[index].links[0]
            return (Condition(kind=ConditionKind.PLUGIN, name=link.text, link=link.target),)
    return ()


def _read_flag(
    gather: Gatherer,
    placed: ModelTable,
    cell: Cell,
    *,
    row: str,
    column: str,
    name: str,
    slugs: frozenset[str],
) -> None:
    """A LoRA, PP or V1 cell; a blank states nothing."""
    feature = FLAG_FEATURES[fold(column)]
    status, note = FLAG_SYMBOLS.read(cell), ""
    if not cell.text and cell.marks:
        status = StatementStatus.INHERITS
    elif status is StatementStatus.SUPPORTED and cell.marks:
        status, note = StatementStatus.PARTIAL, "only some checkpoints, by a note of the page"
    elif status is StatementStatus.PARTIAL:
        note = "available with known issues or limits"
    if status is None:
        locator = Locator(heading=placed.table.heading, row=row, column=column, line=cell.line)
        gather.report("status", cell.text, locator)
    scope = None
    if slugs and status:
        wanted = {feature, placed.feature} - {""}
        scope = scope_of({Axis.MODEL: slugs}, features=wanted)
    finding = Finding(
        kind=FindingKind.VALUE if "*" in name else FindingKind.COMPATIBILITY,
        statement=statement_key("model-feature", placed.task, slugs or fold(name), feature),
        status=status or StatementStatus.UNKNOWN,
        raw=cell.raw,
        locator=Locator(),
        names={"architecture": row, "feature": column, "task": placed.task},
        scope=scope,
        note=note,
    )
    gather.add(gather.of_cell(placed.table, cell, row=row, column=column, finding=finding))


def _read_inputs(
    gather: Gatherer,
    placed: ModelTable,
    cell: Cell,
    *,
    row: str,
    column: str,
    name: str,
    slugs: frozenset[str],
) -> None:
    """The modalities of a multimodal row; a starred or bracketed one holds for some variants."""
    modalities = modalities_in(cell.raw)
    if not modalities:
        _read_other(gather, placed, cell, row=row, column=column, name=name, slugs=slugs)
    for modality in modalities:
        wanted = {modality.feature, placed.feature} - {""}
        finding = Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key(
                "model-input", placed.task, slugs or fold(name), modality.feature
            ),
            status=StatementStatus.PARTIAL if modality.some_variants else StatementStatus.SUPPORTED,
            raw=cell.raw,
            locator=Locator(),
            names={"architecture": row, "input": modality.word, "task": placed.task},
            scope=scope_of({Axis.MODEL: slugs}, features=wanted) if slugs else None,
            note="some variants of the model only" if modality.some_variants else "",
            value=modality.extras,
        )
        gather.add(gather.of_cell(placed.table, cell, row=row, column=column, finding=finding))


def _read_examples(
    gather: Gatherer,
    placed: ModelTable,
    cell: Cell,
    *,
    row: str,
    column: str,
    name: str,
    slugs: frozenset[str],
) -> None:
    """The example checkpoints: each is listed; one with "(see note)" holds as its note says."""
    examples = checkpoints_in(cell.text)
    if not examples:
        _read_other(gather, placed, cell, row=row, column=column, name=name, slugs=slugs)
    for example in examples:
        where = Locator(heading=placed.table.heading, row=row, column=column, line=cell.line)
        known = gather.find("model", example.name, where)
        listed = placed.listed
        if example.noted and listed is StatementStatus.SUPPORTED:
            listed = StatementStatus.PARTIAL
        finding = Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key("models", placed.task, known or fold(example.name))
            + ("/with-note" if example.noted else ""),
            status=listed,
            raw=cell.raw,
            locator=Locator(),
            names={"architecture": row, "model": example.name, "task": placed.task},
            scope=scope_of({Axis.MODEL: known}, features=placed.feature or ()) if known else None,
            note="holds with a note of the page" if example.noted else "",
        )
        gather.add(gather.of_cell(placed.table, cell, row=row, column=column, finding=finding))


def _read_other(
    gather: Gatherer,
    placed: ModelTable,
    cell: Cell,
    *,
    row: str,
    column: str,
    name: str,
    slugs: frozenset[str],
) -> None:
    """A cell that states no support of its own: kept as a value."""
    blank = not cell.text
    finding = Finding(
        kind=FindingKind.VALUE,
        statement=statement_key("model-cell", placed.task, slugs or fold(name), fold(column)),
        status=StatementStatus.NOT_STATED if blank else StatementStatus.VALUE,
        raw=cell.raw,
        locator=Locator(),
        names={"architecture": row, "column": column, "task": placed.task},
        value=cell.text,
    )
    gather.add(gather.of_cell(placed.table, cell, row=row, column=column, finding=finding))


_READERS = {
    "architecture": _listing,
    "models": _listing,
    "inputs": _read_inputs,
    "example hf models": _read_examples,
    "lora": _read_flag,
    "pp": _read_flag,
    "v1": _read_flag,
}
_PER_ARCHITECTURE = (_listing, _read_flag, _read_inputs)
