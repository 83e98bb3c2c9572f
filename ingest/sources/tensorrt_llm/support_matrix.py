"""The support matrix: hardware, operating systems, software pins, precisions, model lists."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Cell, Item, Table, fold_label
from ingest.sources.collecting import (
    FEATURE,
    Collector,
    Facet,
    facet_of,
    one_line,
    table_cell_locator,
)
from ingest.sources.tensorrt_llm.quantization import (
    apply_notes,
    numbered_notes,
    read_readme_precision,
)
from ingest.sources.tensorrt_llm.words import (
    ARCHITECTURES,
    architecture_row,
    device,
    models,
    precision,
)
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit, Tier

_BULLET = re.compile(r"^\s*[-*]\s+")
_MARK = re.compile(r"\s*(?:\((\d)\)|\[\^([\w-]+)\])")
_SYSTEMS = {
    "linux x86_64": "linux-x86-64",
    "linux aarch64": "linux-aarch64",
    "windows": "windows",
}
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]*\)")
_EXPERIMENTAL = re.compile(r"\s*\(experimental\)", re.IGNORECASE)
_TENSORRT_BACKEND = "tensorrt backend"
_PINS = ("container", "tensorrt")
_MODEL_ROWS = ("models", "model list", "multi-modal models")


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a table cell or one list item: its text without marks, and its place."""

    text: str
    raw: str
    line: int
    marks: tuple[str, ...] = ()


def read_support_matrix(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of support-matrix.md in every layout since 2024."""
    collector = Collector(page, vocabulary)
    seen: set[str] = set()
    for table in page.document.tables:
        for label, cell in _labelled_cells(table):
            seen.add(label)
            _read_row(collector, table, label, cell)
    if "gpu model architectures" not in seen:
        raise UnexpectedPage(
            path=page.path,
            expected='a list-table with a row "GPU Model Architectures"',
            nearest=", ".join(sorted(seen)),
        )
    for item in page.document.items:
        if _is_model_list(item):
            _state_models(collector, _entry_of(item), _engine_of(item.heading), heading=item)
    _read_unlisted(collector)
    return collector.reading("models")


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of the README of 2023 and 2024: devices, precisions, models."""
    collector = Collector(page, vocabulary)
    for item in page.document.items_under("Devices"):
        _state_devices(collector, _entry_of(item))
    read_readme_precision(collector)
    for item in page.document.items_under("Models"):
        if item.heading and fold_label(item.heading[-1]) == "models":
            _state_models(collector, _entry_of(item), "", heading=item)
    _read_unlisted(collector)
    return collector.reading("models") if collector.findings else collector.reading()


def read_hardware_page(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of supported-hardware.md: an architecture and its devices on each line."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        family, _, rest = item.text.partition(":")
        names = [name.strip() for name in re.split(r"[,/]", rest) if name.strip()]
        for name in (family.strip(), *names):
            finding = collector.at_line(item.line, item.text)
            hardware = device(name, finding.locator, collector)
            done = collector.state("platform", [hardware], StatementStatus.SUPPORTED, finding)
            if names and name == family.strip():
                # Where devices are listed, the family is their heading and no further claim.
                collector.findings[-1] = replace(done, kind=FindingKind.VALUE)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path, expected="a list of GPU architectures", nearest="no list item"
        )
    return collector.reading()


def _labelled_cells(table: Table) -> Iterator[tuple[str, Cell]]:
    """Each row of a two-column list-table as (label, value cell).

    A page of 2024 indents its model list so that label and values fall into one header cell.
    """
    for cells in [table.header_cells, *table.rows]:
        if len(cells) == 2 and cells[0].text:
            yield fold_label(_MARK.sub("", cells[0].text)), cells[1]
        elif len(cells) == 1 and "\n" in cells[0].text:
            label, _, values = cells[0].text.partition("\n")
            raw = cells[0].raw.split("- ", 1)[-1]
            yield fold_label(label.rstrip(" -")), replace(cells[0], text=values, raw="- " + raw)


def _read_row(collector: Collector, table: Table, label: str, cell: Cell) -> None:
    """Add what one labelled row states."""
    for entry in entries_of(collector, cell):
        at = replace(table_cell_locator(table, cell, label, "Compatibility"), line=entry.line)
        finding = collector.draft(at, entry.raw)
        if label == "operating system":
            _state_systems(collector, entry, finding)
        elif label == "gpu model architectures":
            _state_devices(collector, entry, finding)
        elif label in _PINS:
            collector.value(
                FindingKind.REQUIREMENT,
                f"requirement/{label}",
                StatementStatus.PINNED,
                replace(finding, names={label: entry.text}),
                value=entry.text,
            )
        elif label == "precision":
            _state_precisions(collector, entry, finding)
        elif label in _MODEL_ROWS:
            _state_models(collector, entry, _engine_of(table.heading), finding=finding)


def entries_of(collector: Collector, cell: Cell) -> list[Entry]:
    """The values of a cell, one for each bullet, each with the line it stands on."""
    raws = [line for line in cell.raw.split("\n") if line.strip()]
    texts = [line for line in cell.text.split("\n") if line.strip()]
    if len(raws) != len(texts):
        raws, texts = [one_line(cell.raw)], [one_line(cell.text)]
    entries = []
    line = cell.line
    source = collector.document.source_lines
    for raw, text in zip(raws, texts, strict=True):
        wanted = _BULLET.sub("", raw).strip()
        for number in range(line, min(line + 200, len(source)) + 1):
            if wanted in source[number - 1]:
                line = number
                break
        entries.append(_entry(text, wanted, line))
    return entries


def _entry(text: str, raw: str, line: int) -> Entry:
    marks = tuple(number or name for number, name in _MARK.findall(raw))
    # In 2024 Markdown links stand inside reST cells, where they are plain text.
    plain = _LINK.sub(r"\1", _MARK.sub("", text))
    return Entry(text=plain.strip(), raw=raw, line=line, marks=marks)


def _entry_of(item: Item) -> Entry:
    """The entry of a list item."""
    found = _entry(item.text, item.raw, item.line)
    return replace(found, marks=tuple(dict.fromkeys((*found.marks, *item.marks))))


def _state_systems(collector: Collector, entry: Entry, finding: Finding) -> None:
    """Add the operating systems of the hardware table."""
    text = fold_label(entry.text)
    for name, slug in _SYSTEMS.items():
        if name in text:
            # A system says nothing about a card, so it is no claim about the platform.
            collector.value(
                FindingKind.REQUIREMENT,
                f"requirement/os/{slug}",
                StatementStatus.SUPPORTED,
                replace(finding, names={"os": name}),
                value=name,
            )


def _state_devices(collector: Collector, entry: Entry, finding: Finding | None = None) -> None:
    """Add the devices or architectures of one entry ("A100/A30" are two)."""
    draft = finding or collector.at_line(entry.line, entry.raw)
    plain = _EXPERIMENTAL.sub("", entry.text).strip()
    trial = plain != entry.text
    for name in [part.strip() for part in plain.split("/") if part.strip()]:
        collector.state(
            "platform",
            [device(name, draft.locator, collector)],
            StatementStatus.EXPERIMENTAL if trial else StatementStatus.SUPPORTED,
            replace(draft, tier=Tier.EXPERIMENTAL if trial else Tier.OFFICIAL),
        )


def _state_precisions(collector: Collector, entry: Entry, finding: Finding) -> None:
    """Add one line "Ampere (SM80, SM86) - FP32, …, INT4(3)" with its notes as refusals."""
    name, _, rest = re.sub(r"\s+[-–—]\s+", "\t", entry.text, count=1).partition("\t")
    marked = re.sub(r"^.*?\s+[-–—]\s+", "", entry.raw)
    hardware = architecture_row(name.strip(), finding.locator, collector)
    notes = numbered_notes(collector.document)
    for word, raw in zip(rest.split(","), marked.split(","), strict=False):
        marks = [number or label for number, label in _MARK.findall(raw)]
        texts = [notes[mark] for mark in marks if mark in notes]
        scheme = precision(word.strip(), finding.locator, collector)
        area = "quantization-hardware"
        facets, done = apply_notes(collector, area, [hardware, scheme], (finding, texts))
        collector.state(area, facets, StatementStatus.SUPPORTED, done)


def _state_models(
    collector: Collector,
    entry: Entry,
    engine: str,
    *,
    finding: Finding | None = None,
    heading: Item | None = None,
) -> None:
    """Add the models that one entry of a model list names."""
    draft = finding or collector.at_line(entry.line, entry.raw)
    marks = [*entry.marks, *(_heading_marks(heading) if heading else ())]
    notes = numbered_notes(collector.document)
    texts = tuple(notes[mark] for mark in dict.fromkeys(marks) if mark in notes)
    conditions = tuple(found for text in texts for found in _conditions_of(text))
    word = re.split(r"\s+family\b", entry.text)[0].strip()
    for model in models(word, draft.locator, collector):
        facets = [model]
        if engine:
            facets.append(facet_of(FEATURE, "TensorRT backend", engine))
        collector.state(
            "model",
            facets,
            StatementStatus.SUPPORTED,
            replace(draft, footnotes=texts, conditions=conditions),
        )


def _conditions_of(text: str) -> list[Condition]:
    """What a note of a model list demands."""
    if re.search(r"only supports bfloat16", text, re.IGNORECASE):
        return [Condition(ConditionKind.DTYPE, "dtype", "=", "bfloat16")]
    if match := re.search(r"not supported with the transformers ([\d.]+)\+", text):
        return [Condition(ConditionKind.PACKAGE, "transformers", "<", match.group(1))]
    return []


def _heading_marks(item: Item) -> tuple[str, ...]:
    marks = _MARK.findall(" ".join(item.heading))
    return tuple(number or name for number, name in marks)


def _is_model_list(item: Item) -> bool:
    """Whether an item stands in a model list under "Models (TensorRT Backend)"."""
    return any(_TENSORRT_BACKEND in fold_label(part) for part in item.heading)


def _engine_of(heading: tuple[str, ...]) -> str:
    """The engine that a heading restricts a list to, or an empty string."""
    return (
        "engine-tensorrt" if any(_TENSORRT_BACKEND in fold_label(part) for part in heading) else ""
    )


def _read_unlisted(collector: Collector) -> None:
    """Add what the page says about hardware that it does not list."""
    for text in collector.document.paragraphs:
        flat = one_line(text.text)
        if "expected to work on GPUs based on the" in flat:
            named = flat.split("based on the", 1)[1].split("architectures", 1)[0]
            slugs = {
                slug
                for word, slug in ARCHITECTURES.items()
                if re.search(rf"\b{word}\b", named, re.IGNORECASE)
            }
            collector.state(
                "platform-unlisted",
                [Facet(Axis.HARDWARE, one_line(named), frozenset(slugs), key="expected")],
                StatementStatus.PARTIAL,
                replace(
                    collector.at_line(text.line, "expected to work on GPUs based on"),
                    note="unlisted GPUs of these architectures are only expected to work",
                    tier=Tier.UNOFFICIAL,
                ),
            )
        elif "architecture is not listed" in flat and "community support" in flat:
            collector.state(
                "platform-unlisted",
                [Facet(Axis.HARDWARE, "not listed", frozenset({"nvidia"}), key="community")],
                StatementStatus.UNTESTED,
                replace(
                    collector.at_line(text.line, "not listed … community support"),
                    note="architectures that are not listed are left to the community",
                    limit=Limit.FRAMEWORK,
                ),
            )
