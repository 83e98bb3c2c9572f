"""Supported models: the architecture list and the model × feature matrices with footnotes."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.contract import (
    Finding,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Footnote, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, footnotes_of, one_line
from ingest.sources.grids import Grid, GridCell, read_grid
from ingest.sources.tensorrt_llm.words import (
    FEATURE_WORDS,
    FEATURES,
    MODALITIES,
    PRECISIONS,
    feature,
    precision,
    read_sm_numbers,
    sm_slugs,
)
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition, NodeSet
from matrix.domain.levels import Axis, ConditionKind, Limit

_ROW_LABELS = ("model architecture/feature", "model")
_CHECKPOINT = re.compile(r"`([\w.-]+/[\w.-]+)\s*`(?:\s*\[\^(\w+)\])?")
_ONLY_SM = re.compile(r"can only be enabled on ((?:SM\d+/?)+)", re.IGNORECASE)
_KV_DTYPES = re.compile(r"in (BF16/FP8) KV cache dtype", re.IGNORECASE)
_ONLY_BLACKWELL = re.compile(r"is only supported on Blackwell GPUs", re.IGNORECASE)
_AUTODEPLOY = re.compile(r"^(Text-only s|S)upport(ed)? via the AutoDeploy", re.IGNORECASE)
_TRANSFORMERS = re.compile(r"Requires transformers\s*>=\s*([\d.]+)", re.IGNORECASE)


def read_supported_models(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of supported-models.md and of the model table in support-matrix.md."""
    collector = Collector(page, vocabulary)
    lists = [t for t in page.document.tables if t.has_columns(("Architecture", "Model"))]
    if not lists:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with columns "Architecture" and "Model"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables),
        )
    for table in lists:
        _read_architectures(collector, table)
    for table in page.document.tables:
        if fold_label(table.columns[0]) in _ROW_LABELS and _knows_columns(table):
            read_grid(collector, table, _feature_grid(collector))
            _read_modalities(collector, table)
    _state_footnotes(collector)
    return collector.reading("models")


def _read_architectures(collector: Collector, table: Table) -> None:
    """Add the architectures of the list and the checkpoints it gives as examples."""
    for row, cells in table.records():
        finding = collector.at_cell(table, row, row=row.text, column=table.columns[0])
        model = collector.facet(Axis.MODEL, row.text, finding.locator)
        noted = replace(finding, names={"family": one_line(cells["Model"].text)})
        notes = footnotes_of(collector.document, row)
        _state_model(collector, model, noted, notes)
        example = cells.get("HuggingFace Example")
        if example is None:
            continue
        for name, mark in _CHECKPOINT.findall(example.raw):
            at_example = collector.at_cell(
                table, example, row=row.text, column="HuggingFace Example"
            )
            own = collector.document.footnote(mark, example.line) if mark else None
            checkpoint = collector.facet(Axis.MODEL, name, at_example.locator)
            draft = replace(at_example, raw=name, names={"family": one_line(cells["Model"].text)})
            _state_model(
                collector, checkpoint, draft, (*notes, *((own.text,) if own is not None else ()))
            )
    _read_row_modality(collector, table)


def _state_model(
    collector: Collector, model: Facet, finding: Finding, notes: Sequence[str]
) -> None:
    """Add one listed model with what its footnotes demand."""
    draft = replace(finding, footnotes=tuple(notes))
    conditions: list[Condition] = []
    narrow: dict[Axis, NodeSet] = {}
    note = ""
    for text in notes:
        if _AUTODEPLOY.search(text):
            conditions.append(Condition(ConditionKind.FLAG, "backend", "=", "autodeploy"))
            note = "through the AutoDeploy backend" + (
                ", text only" if text.startswith("Text-only") else ""
            )
        if match := _TRANSFORMERS.search(text):
            conditions.append(
                Condition(ConditionKind.PACKAGE, "transformers", ">=", match.group(1))
            )
        if _ONLY_BLACKWELL.search(text):
            narrow[Axis.HARDWARE] = NodeSet(include=frozenset({"nvidia-blackwell"}))
            note = "only on Blackwell (SM100 and newer)"
        if "dequantized on load" in text:
            note = "the published MXFP8 checkpoint is expanded to BF16 at load"
    collector.state(
        "model",
        [model],
        StatementStatus.SUPPORTED,
        replace(draft, conditions=tuple(conditions), note=note),
        narrow=narrow,
    )


def _feature_grid(collector: Collector) -> Grid:
    """How to read a model × feature (or visual model × precision and feature) table."""

    def row(cell: Cell, at: Locator) -> list[Facet]:
        word = re.sub(r"\s*\(.*\)$", "", cell.text) if cell.text.endswith(")") else cell.text
        return [replace(collector.facet(Axis.MODEL, word, at), word=cell.text)]

    def column(name: str, at: Locator) -> list[Facet] | None:
        if fold_label(name) == "modality":
            return None
        if fold_label(name) in PRECISIONS:
            return [precision(name, at, collector)]
        return [feature(name, at, collector)]

    return Grid(
        area="model-feature",
        row=row,
        column=column,
        statuses=FEATURE_WORDS,
        refine=lambda found: _refine_feature(collector, found),
    )


def _refine_feature(collector: Collector, found: GridCell) -> None:
    """Turn the footnotes of a cell and of its row into narrower scopes, conditions and notes."""
    notes = _notes_of(collector, found)
    texts = tuple(note.text for note in notes)
    found.change(footnotes=texts)
    row_notes = footnotes_of(collector.document, found.row)
    if found.status is StatementStatus.UNSUPPORTED:
        found.change(limit=Limit.FRAMEWORK)
        if any("not applicable" in text for text in texts):
            found.change(limit=Limit.MODEL, note="the model's design leaves nothing to split here")
        return
    if found.status is not StatementStatus.SUPPORTED:
        return
    for text in (*texts, *row_notes):
        if match := _ONLY_SM.search(text):
            numbers = read_sm_numbers(match.group(1))
            found.narrow[Axis.HARDWARE] = NodeSet(include=sm_slugs(numbers))
            found.change(note="only on the compute capabilities that the footnote lists")
        if match := _KV_DTYPES.search(text):
            dtypes = match.group(1).lower()
            found.change(conditions=(Condition(ConditionKind.DTYPE, "kv cache", "=", dtypes),))
        if _ONLY_BLACKWELL.search(text):
            found.narrow[Axis.HARDWARE] = NodeSet(include=frozenset({"nvidia-blackwell"}))
            found.change(note="only on Blackwell (SM100 and newer)")


def _notes_of(collector: Collector, found: GridCell) -> list[Footnote]:
    """The footnotes that a cell means.

    The visual generation table marks cells with ``[^1]`` while its own note is ``[^vg1]``: the
    rendered link goes to another table's note. A section's own note whose name ends with the
    mark is the one that is meant.
    """
    document = collector.document
    section = document.heading_at(found.cell.line)
    notes = []
    for mark in found.cell.marks:
        own = [n for n in document.footnotes if n.heading == section and n.mark == mark]
        meant = [
            n
            for n in document.footnotes
            if n.heading == section and re.fullmatch(rf"[a-z]+{re.escape(mark)}", n.mark)
        ]
        resolved = document.footnote(mark, found.cell.line) if own or not meant else meant[0]
        if resolved is not None:
            notes.append(resolved)
    return notes


def _read_modalities(collector: Collector, table: Table) -> None:
    """Add what the modality column states: "L + I + V" is image and video beside language."""
    names = [fold_label(name) for name in table.columns]
    if "modality" not in names:
        return
    index = names.index("modality")
    for cells in table.rows:
        row, cell = cells[0], cells[index]
        finding = collector.at_cell(table, cell, row=row.text, column=table.columns[index])
        word = re.sub(r"\s*\(.*\)$", "", row.text)
        model = replace(collector.facet(Axis.MODEL, word, finding.locator), word=row.text)
        texts = footnotes_of(collector.document, cell)
        for letter in re.findall(r"[A-Z]", cell.text):
            slug = MODALITIES.get(letter.lower())
            if slug is None:
                continue
            audio = letter == "A" and any("Audio" in text for text in texts)
            collector.state(
                "model-modality",
                [model, facet_of(FEATURE, letter, slug)],
                StatementStatus.PARTIAL if audio else StatementStatus.SUPPORTED,
                replace(finding, note="audio only on part of the family" if audio else ""),
            )


def _read_row_modality(collector: Collector, table: Table) -> None:
    """Read the modality column of an architecture list; there "V" stands for vision."""
    names = [fold_label(name) for name in table.columns]
    if "modality" not in names:
        return
    text = " ".join(item.text for item in collector.document.items)
    vision = "V: Video" not in text
    index = names.index("modality")
    for cells in table.rows:
        row, cell = cells[0], cells[index]
        finding = collector.at_cell(table, cell, row=row.text, column=table.columns[index])
        model = collector.facet(Axis.MODEL, row.text, finding.locator)
        letters = re.findall(r"[A-Z]", cell.text)
        for letter in letters:
            slug = MODALITIES.get(letter.lower())
            if letter == "V" and vision:
                slug = "multimodal-image"
            if slug is not None:
                collector.state(
                    "model-modality",
                    [model, facet_of(FEATURE, letter, slug)],
                    StatementStatus.SUPPORTED,
                    finding,
                )


def _state_footnotes(collector: Collector) -> None:
    """Add what footnotes state about hardware, at their own line."""
    for note in collector.document.footnotes:
        finding = collector.at_line(note.line, note.text)
        if match := _ONLY_SM.search(note.text):
            word = note.text.split(" for ", 1)[0]
            slug = FEATURES.get(fold_label(word))
            if slug is None:
                continue
            allowed = sm_slugs(read_sm_numbers(match.group(1)))
            mla = [facet_of(FEATURE, word, slug), facet_of(FEATURE, "MLA", "mla")]
            _state_floor(collector, f"feature-hardware-{slug}", mla, allowed, finding)
        elif _ONLY_BLACKWELL.search(note.text):
            name = note.text.split(" is only", 1)[0].strip()
            model = collector.facet(Axis.MODEL, name, finding.locator)
            allowed = frozenset({"nvidia-blackwell", "nvidia-rubin"})
            _state_floor(collector, "model-hardware", [model], allowed, finding)


def _state_floor(
    collector: Collector, area: str, facets: list[Facet], allowed: frozenset[str], finding: Finding
) -> None:
    """Add a yes for the allowed hardware and a no for the vendor's other hardware."""
    draft = replace(finding, note="")
    collector.state(
        area,
        [*facets, Facet(Axis.HARDWARE, "stated", allowed, key="stated")],
        StatementStatus.SUPPORTED,
        draft,
    )
    collector.state(
        area,
        [
            *facets,
            Facet(Axis.HARDWARE, "other", frozenset({"nvidia"}), exclude=allowed, key="other"),
        ],
        StatementStatus.UNSUPPORTED,
        replace(draft, limit=Limit.FRAMEWORK, note="only on the hardware that the footnote lists"),
    )


def _knows_columns(table: Table) -> bool:
    """Whether a table has columns of features or precisions that are known."""
    known = sum(
        fold_label(name) in FEATURES or fold_label(name) in PRECISIONS for name in table.columns
    )
    return known >= 3
