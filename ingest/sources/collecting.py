"""A page's findings as they are collected: one place that resolves words and builds findings.

Every statement is put together from *facets*: a word of the page and what it means. A facet that
no table and no vocabulary maps leaves the finding without a scope, so that it waits for review.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnknownWord,
    Vocabulary,
)
from ingest.reading.document import Cell, Document, Table, fold_label
from ingest.sources.scopes import statement_key
from matrix.domain.claims import Locator
from matrix.domain.coordinates import NodeSet, NumberRange, Scope
from matrix.domain.levels import Axis, EvidenceKind, NumberAxis

FEATURE = "feature"  # The facet axis of features, which a scope joins instead of offering a choice.
RAW_LIMIT = 80
PARTIAL_NOTE = "partial by the page's own words; which part is not stated"


@dataclass(frozen=True, slots=True)
class Facet:
    """One word of a statement and the slugs it means on an axis; no slugs while unknown.

    **Shapes**: ``axis`` is an ``Axis`` or ``FEATURE``; ``known`` is false for a word to be
    listed for review.
    """

    axis: Axis | str
    word: str
    slugs: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()
    key: str = ""

    @property
    def known(self) -> bool:
        """Whether the word means something."""
        return bool(self.slugs or self.exclude)

    @property
    def key_part(self) -> str:
        """What stands for the facet in a statement key: its slugs, or the folded word."""
        return self.key or "+".join(sorted(self.slugs)) or fold_label(self.word)


def facet_of(axis: Axis | str, word: str, *slugs: str, key: str = "") -> Facet:
    """A facet whose meaning the source itself knows."""
    return Facet(axis=axis, word=word, slugs=frozenset(slugs), key=key)


@dataclass(slots=True)
class Collector:
    """What one rule has read from one page so far."""

    page: Page
    vocabulary: Vocabulary
    findings: list[Finding] = field(default_factory=list)
    unknown: list[UnknownWord] = field(default_factory=list)
    evidence: EvidenceKind = EvidenceKind.DOCUMENTATION
    plain: bool = False  # A file that is no page of prose: its lines stand under no heading.

    @property
    def document(self) -> Document:
        """The structure of the page."""
        return self.page.document

    def facet(
        self,
        axis: Axis | str,
        word: str,
        at: Locator,
        *,
        table: Mapping[str, Iterable[str]] | None = None,
    ) -> Facet:
        """A facet by the source's own table first, the vocabulary second; else listed as unknown.

        **Shapes**: keys of ``table`` are folded labels (lower case, single spaces).
        """
        own = (table or {}).get(fold_label(word))
        slugs = frozenset(own) if own else frozenset(self.vocabulary.find(str(axis), word))
        if not slugs:
            self.miss(axis, word, at)
        return Facet(axis=axis, word=word, slugs=slugs)

    @staticmethod
    def split(facet: Facet) -> list[Facet]:
        """One facet for each meaning, so that each has a statement of its own."""
        if len(facet.slugs) < 2:
            return [facet]
        return [replace(facet, slugs=frozenset({slug})) for slug in sorted(facet.slugs)]

    def miss(self, axis: Axis | str, word: str, at: Locator) -> None:
        """List a word or symbol that nothing maps, once for a page."""
        if word and not any((u.axis, u.word) == (str(axis), word) for u in self.unknown):
            self.unknown.append(UnknownWord(axis=str(axis), word=word, locator=at))

    def state(
        self,
        area: str,
        facets: Sequence[Facet],
        status: StatementStatus,
        finding: Finding,
        *,
        numbers: Mapping[NumberAxis, NumberRange] | None = None,
        narrow: Mapping[Axis, NodeSet] | None = None,
    ) -> Finding:
        """Add a compatibility finding built from facets.

        **Shapes**: ``finding`` is a draft from ``draft`` that carries place, raw text, notes and
        conditions; ``narrow`` holds what a footnote or remark restricts the statement to.
        """
        scope = scope_from(facets, numbers=numbers, narrow=narrow)
        note = finding.note
        if status is StatementStatus.PARTIAL and not note:
            note = PARTIAL_NOTE
        names: dict[str, str] = {}
        for part in facets:
            axis = str(part.axis)
            names[axis if axis not in names else f"{axis} {len(names) + 1}"] = part.word
        done = replace(
            finding,
            statement=statement_key(area, *(part.key_part for part in facets)),
            status=status,
            names={**names, **finding.names},
            scope=scope,
            note=note,
        )
        self.findings.append(done)
        return done

    def draft(self, at: Locator, raw: str) -> Finding:
        """A finding with its place and raw text, to be completed by ``state`` or ``value``."""
        return Finding(
            kind=FindingKind.COMPATIBILITY,
            statement="",
            status=StatementStatus.NOT_STATED,
            raw=raw,
            locator=at,
            evidence=self.evidence,
        )

    def at_line(self, line: int, raw: str, *, line_end: int | None = None) -> Finding:
        """The draft of a finding read from prose: the place and a short fragment."""
        if self.plain:
            return self.draft(Locator(line=line, line_end=line_end), shorten(raw))
        return self.draft(line_locator(self.document, line, line_end), shorten(raw))

    def at_cell(self, table: Table, cell: Cell, *, row: str, column: str) -> Finding:
        """The draft of a finding read from a table cell, with its footnotes' texts."""
        at = table_cell_locator(table, cell, row, column)
        return replace(self.draft(at, cell.raw), footnotes=footnotes_of(self.document, cell))

    def value(
        self,
        kind: FindingKind,
        statement: str,
        status: StatementStatus,
        finding: Finding,
        *,
        value: str = "",
    ) -> Finding:
        """Add a finding that is no claim: a pin, a range, a policy, a legend, a measurement."""
        done = replace(
            finding, kind=kind, statement=statement, status=status, value=value or finding.value
        )
        self.findings.append(done)
        return done

    def reading(self, *complete_lists: str) -> Reading:
        """Everything collected, as the contract wants it."""
        return Reading(
            findings=tuple(self.findings),
            unknown_words=tuple(self.unknown),
            complete_lists=complete_lists,
            seen=len(self.findings),
        )


def scope_from(
    facets: Sequence[Facet],
    *,
    numbers: Mapping[NumberAxis, NumberRange] | None = None,
    narrow: Mapping[Axis, NodeSet] | None = None,
) -> Scope | None:
    """The scope of the facets, or ``None`` when one of them is unknown."""
    if not all(part.known for part in facets):
        return None
    include: dict[Axis, frozenset[str]] = {}
    exclude: dict[Axis, frozenset[str]] = {}
    features: set[str] = set()
    for part in facets:
        if isinstance(part.axis, Axis):
            include[part.axis] = include.get(part.axis, frozenset()) | part.slugs
            exclude[part.axis] = exclude.get(part.axis, frozenset()) | part.exclude
        else:
            features |= part.slugs
    nodes = {axis: NodeSet(include=include[axis], exclude=exclude[axis]) for axis in include}
    nodes.update(narrow or {})
    return Scope(nodes=nodes, features=frozenset(features), numbers=numbers or {})


def line_locator(document: Document, line: int, line_end: int | None = None) -> Locator:
    """Where a line of prose stands."""
    return Locator(heading=document.heading_at(line), line=line, line_end=line_end)


def table_cell_locator(table: Table, cell: Cell, row: str, column: str) -> Locator:
    """Where a table cell stands; row and column as the page shows them, in one line."""
    return Locator(
        heading=table.heading,
        row=one_line(row),
        column=one_line(column),
        line=cell.line,
        table=table.index,
        tabs=table.tabs,
    )


def one_line(text: str) -> str:
    """The text with every run of blanks and line breaks as one space."""
    return " ".join(text.split())


def shorten(text: str) -> str:
    """The text in one line, cut at the length that may be kept of a page."""
    flat = one_line(text)
    return flat if len(flat) <= RAW_LIMIT else flat[: RAW_LIMIT - 1] + "…"


def footnotes_of(document: Document, cell: Cell) -> tuple[str, ...]:
    """The texts of the footnotes that a cell points at, in the order of its marks."""
    notes = (document.footnote(mark, cell.line) for mark in cell.marks)
    return tuple(note.text for note in notes if note is not None)
