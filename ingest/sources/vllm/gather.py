"""Collects what one page states: findings, words nobody knows, and how much was looked at."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ingest.contract import (
    Finding,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    UnknownWord,
    Vocabulary,
)
from ingest.reading.document import Cell, Document, Table
from ingest.reading.errors import TableMissing
from ingest.sources.scopes import cell_locator
from ingest.sources.vllm.words import NEVER_LISTED
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis, ConditionKind

# Prose findings keep a fragment of the page only: the symbol, the numbers, the names.
FRAGMENT_LENGTH = 80


@dataclass(slots=True)
class Gatherer:
    """One page's findings while its rule reads it."""

    page: Page
    vocabulary: Vocabulary
    findings: list[Finding] = field(default_factory=list)
    unknown_words: list[UnknownWord] = field(default_factory=list)
    complete_lists: list[str] = field(default_factory=list)
    seen: int = 0

    @property
    def document(self) -> Document:
        """The structure of the page."""
        return self.page.document

    def add(self, *findings: Finding) -> None:
        """Keep findings; each counts as one statement looked at."""
        self.findings.extend(leave_out_never_listed(finding) for finding in findings)
        self.seen += len(findings)

    def report(self, axis: str, word: str, locator: Locator) -> None:
        """Put a word that nothing maps on the review list."""
        self.unknown_words.append(UnknownWord(axis=axis, word=word, locator=locator))

    def find(self, axis: str, word: str, locator: Locator) -> frozenset[str]:
        """The slugs of a word; a word that no vocabulary maps is reported."""
        slugs = frozenset(self.vocabulary.find(axis, word))
        if not slugs:
            self.report(axis, word, locator)
        return slugs

    def find_all(self, axis: str, words: Iterable[str], locator: Locator) -> frozenset[str]:
        """The slugs of several words; those that no vocabulary maps are reported."""
        return frozenset().union(*(self.find(axis, word, locator) for word in words))

    def reading(self) -> Reading:
        """What the rule returns."""
        return Reading(
            findings=tuple(self.findings),
            unknown_words=tuple(self.unknown_words),
            complete_lists=tuple(self.complete_lists),
            seen=self.seen,
        )

    def unexpected(self, *, expected: str, nearest: str = "") -> UnexpectedPage:
        """The error for a page that does not hold what its rule is there for."""
        headings = ", ".join(heading.text for heading in self.document.headings[:8])
        return UnexpectedPage(
            path=self.page.path, expected=expected, nearest=nearest or f"headings {headings}"
        )

    def table(self, *, heading: str | None = None, columns: Sequence[str]) -> Table:
        """The table with these columns; **Raises** ``UnexpectedPage`` with the nearest one."""
        try:
            return self.document.table(heading=heading, columns=columns)
        except TableMissing as missing:
            raise self.unexpected(expected=missing.expected, nearest=missing.nearest) from missing

    def of_cell(
        self, table: Table, cell: Cell, *, row: str, column: str, finding: Finding
    ) -> Finding:
        """A finding with the locator, source text, links and footnotes of a table cell."""
        notes = tuple(
            note.text for mark in cell.marks for note in self.document.resolve_mark(mark, cell.line)
        )
        return replace(
            finding,
            raw=cell.raw,
            locator=cell_locator(table, cell, row=row, column=column),
            links=tuple(link.target for link in cell.links),
            footnotes=(*finding.footnotes, *notes),
        )

    def line_locator(self, line: int, line_end: int | None = None) -> Locator:
        """Where a prose statement stands."""
        return Locator(heading=self.document.heading_at(line), line=line, line_end=line_end)


_POSITIVE = frozenset(
    {StatementStatus.SUPPORTED, StatementStatus.PARTIAL, StatementStatus.EXPERIMENTAL}
)


def leave_out_never_listed(finding: Finding) -> Finding:
    """The finding without the generations that a vendor's bare name would cover.

    A no may cover them, and a plug-in knows its own hardware.
    """
    scope = finding.scope
    hardware = scope.nodes.get(Axis.HARDWARE) if scope else None
    if scope is None or hardware is None or finding.status not in _POSITIVE:
        return finding
    lacking = frozenset().union(*(NEVER_LISTED.get(node, ()) for node in hardware.include))
    if not lacking or any(c.kind is ConditionKind.PLUGIN for c in finding.conditions):
        return finding
    narrowed = replace(hardware, exclude=hardware.exclude | lacking)
    return replace(finding, scope=replace(scope, nodes={**scope.nodes, Axis.HARDWARE: narrowed}))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the page that matched, with what it held."""

    number: int
    text: str
    match: re.Match[str]

    @property
    def fragment(self) -> str:
        """The matched words, cut to what a finding may keep."""
        return " ".join(self.match.group(0).split())[:FRAGMENT_LENGTH]


def find_lines(document: Document, pattern: re.Pattern[str]) -> list[Line]:
    """Lines of the page outside code blocks in which the pattern is found."""
    code: set[int] = set()
    for block in document.code_blocks:
        code.update(range(block.line, block.line + block.text.count("\n") + 2))
    found = []
    for number, text in enumerate(document.source_lines, start=1):
        if number in code:
            continue
        match = pattern.search(text)
        if match:
            found.append(Line(number=number, text=text, match=match))
    return found
