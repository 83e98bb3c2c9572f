"""What a rule saw on a page, small enough to keep: the base that a later page is compared with.

A profile holds counts, short labels and check sums, none of the page's sentences.
"""

import csv
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ingest.contract import Finding, FindingKind, Page, Reading
from ingest.domain.block_pages import blocked_by
from ingest.domain.drift_legend import count_signs, read_legend
from ingest.domain.statements import STANCES, stance_of
from matrix.domain.levels import SupportLevel

# Other files (code facts, CSV, build files) have no headings, tables or legends.
_PROSE = frozenset({".md", ".mdx", ".rst", ".html", ".htm", ".txt"})
_VARIATION = re.compile("[\ufe0e\ufe0f]")
_EDGES = " \t>*+-|#`"
_AROUND_PIPES = re.compile(r"\s*\|\s*")
_RAGGED = re.compile(r"(\d+) rows have")
LABEL_LENGTH = 60

# How a finding counts when pages are compared.
YES, PARTLY, NO, NO_CLAIM, WAITING, OTHER = "y", "p", "n", "-", "w", "v"
_LETTERS = {
    SupportLevel.SUPPORTED: YES,
    SupportLevel.PARTIAL: PARTLY,
    SupportLevel.UNSUPPORTED: NO,
}


@dataclass(frozen=True, slots=True)
class Said:
    """One statement: its key, what it says, and the line or row that says it.

    **Shapes**: ``key``, ``meaning`` and ``anchor`` are check sums of eight hexadecimal digits;
    ``anchor`` is empty where the statement has no line. ``stance`` is one of the letters above.
    """

    key: str
    stance: str
    meaning: str
    anchor: str


@dataclass(frozen=True, slots=True)
class TableProfile:
    """One table: where it stands, its header, and what was read from it.

    **Shapes**: ``heading``, ``tabs`` and ``columns`` are folded labels, cut at 60 characters;
    ``statuses`` counts findings by status; ``rows`` counts rows of the body;
    ``irregular`` counts rows with more or fewer cells than the header;
    where there are any, ``shape`` is the check sum of all widths.
    """

    heading: tuple[str, ...]
    tabs: tuple[str, ...]
    columns: tuple[str, ...]
    rows: int
    statuses: Mapping[str, int]
    irregular: int = 0
    shape: str = ""

    @property
    def findings(self) -> int:
        """How many findings stand in this table."""
        return sum(self.statuses.values())


@dataclass(frozen=True, slots=True)
class PageProfile:
    """Everything about one rule's reading of one page that a later reading is compared by.

    **Shapes**: ``counts`` is keyed by "area|kind|status". ``lists`` holds the length of each
    enumeration that claims to be complete. ``legend`` maps a sign to the check sum of its words;
    ``last_line`` is the check sum of the last line with text.
    ``lines`` are check sums of all lines and rows of the page; they are used for the newer page
    of a comparison only and are not stored.
    """

    rule: str
    path: str
    blocked: str = ""
    text_lines: int = 0
    text_length: int = 0
    headings: int = 0
    last_line: str = ""
    tables: tuple[TableProfile, ...] = ()
    legend: Mapping[str, str] = field(default_factory=dict)
    signs: Mapping[str, int] = field(default_factory=dict)
    unresolved_marks: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    unknown_words: Mapping[str, int] = field(default_factory=dict)
    unknown_signs: tuple[str, ...] = ()
    lists: Mapping[str, int] = field(default_factory=dict)
    seen: int = 0
    said: tuple[Said, ...] = ()
    lines: frozenset[str] = frozenset()

    @property
    def findings(self) -> int:
        """How many findings the rule read."""
        return sum(self.counts.values())

    @property
    def waiting(self) -> int:
        """How many findings wait for a word to be known."""
        return sum(item.stance == WAITING for item in self.said)


def profile_page(page: Page, rule_name: str, reading: Reading) -> PageProfile:
    """Returns the profile of what a rule read from a page."""
    counts = Counter(_count_key(finding) for finding in reading.findings)
    unknown = Counter(word.axis for word in reading.unknown_words)
    signs = {w.word for w in reading.unknown_words if w.axis == "status"}
    rows = dict(_row_anchors(page)) if _is_prose(page) else {}
    lines = page.text.splitlines()
    return PageProfile(
        rule=rule_name,
        path=page.path,
        blocked=blocked_by(page.text) or "",
        text_lines=sum(bool(line.strip()) for line in lines),
        text_length=len(page.text),
        headings=len(page.document.headings) if _is_prose(page) else 0,
        last_line=_line_sum(next((line for line in reversed(lines) if line.strip()), "")),
        tables=_profile_tables(page, reading.findings),
        legend=read_legend(page) if _is_prose(page) else {},
        signs=count_signs(page.text),
        unresolved_marks=_unresolved(page) if _is_prose(page) else (),
        counts=counts,
        unknown_words=unknown,
        unknown_signs=tuple(sorted(signs)),
        lists=dict.fromkeys(reading.complete_lists, _stated(reading.findings)),
        seen=reading.seen,
        said=tuple(_said(finding, lines, rows) for finding in reading.findings),
        lines=frozenset({*map(_line_sum, lines), *rows.values()}),
    )


def _is_prose(page: Page) -> bool:
    return PurePosixPath(page.path).suffix.lower() in _PROSE


def _stated(findings: Iterable[Finding]) -> int:
    return sum(finding.kind is FindingKind.COMPATIBILITY for finding in findings)


def area_of(statement: str) -> str:
    """Returns the area of a statement key, its first part."""
    return statement.partition("/")[0]


def _count_key(finding: Finding) -> str:
    area = area_of(finding.statement)
    if finding.locator.path:
        # Code facts: what stands under one key comes and goes together.
        area = f"{area} ({finding.locator.path[0]})"
    return f"{area}|{finding.kind}|{finding.status}"


def fold(text: str) -> str:
    """Returns a label as labels are compared: one line, case folded, cut."""
    return " ".join(_VARIATION.sub("", text).split()).casefold()[:LABEL_LENGTH]


def check_sum(text: str) -> str:
    """Returns the check sum of a text as eight hexadecimal digits."""
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"


def _line_sum(line: str) -> str:
    """Returns the check sum of a line without what layout alone decides.

    **Shapes**: padding, list marks, fences of cells and variation selectors do not count.
    """
    plain = " ".join(_VARIATION.sub("", line).split()).strip(_EDGES)
    return check_sum(_AROUND_PIPES.sub("|", plain).casefold())


def _row_anchors(page: Page) -> Iterator[tuple[int, str]]:
    """Yields (line, check sum of the row) for the cells of rows that take several lines."""
    for table in page.document.tables:
        for row in table.rows:
            if len({cell.line for cell in row}) < 2:
                continue
            anchor = check_sum("|".join(fold(cell.text) for cell in row))
            for cell in row:
                yield cell.line, anchor


def _said(finding: Finding, lines: Sequence[str], rows: Mapping[int, str]) -> Said:
    line = finding.locator.line
    anchor = ""
    if line is not None and line in rows:
        anchor = rows[line]
    elif line is not None and 0 < line <= len(lines):
        anchor = _line_sum(lines[line - 1])
    return Said(
        key=check_sum(f"{finding.kind}|{finding.statement}"),
        stance=_letter(finding),
        meaning=check_sum(_meaning(finding)),
        anchor=anchor,
    )


def _letter(finding: Finding) -> str:
    if finding.kind is not FindingKind.COMPATIBILITY:
        # Values say yes and no in the same words ("this package runs on Linux").
        says = STANCES.get(finding.status)
        return _LETTERS.get(says.level, OTHER) if says else OTHER
    if finding.scope is None:
        return WAITING
    stance = stance_of(finding)
    return _LETTERS.get(stance.level, NO_CLAIM) if stance else NO_CLAIM


def _meaning(finding: Finding) -> str:
    """Returns what a finding says in one line: all that a claim would take over from it."""
    scope = finding.scope
    parts: list[str] = [finding.status, finding.value, finding.note, finding.since]
    if scope is not None:
        parts += sorted(
            f"{axis}={sorted(nodes.include)}-{sorted(nodes.exclude)}"
            for axis, nodes in scope.nodes.items()
        )
        parts += sorted(scope.features)
        parts += sorted(f"{axis}{span}" for axis, span in scope.numbers.items())
    parts += sorted(str(condition) for condition in finding.conditions)
    parts += [str(finding.execution), str(finding.limit), str(finding.tier), finding.release]
    return "\n".join(parts)


def _profile_tables(page: Page, findings: Sequence[Finding]) -> tuple[TableProfile, ...]:
    if page.path.lower().endswith(".csv"):
        return _profile_csv(page.text, findings)
    if not _is_prose(page):
        return ()
    lines = page.text.splitlines()
    statuses: dict[int, Counter[str]] = {}
    at_line = {
        cell.line: table.index
        for table in page.document.tables
        for row in table.rows
        for cell in row
    }
    for finding in findings:
        index = finding.locator.table
        if index is None and finding.locator.line is not None:
            index = at_line.get(finding.locator.line)
        if index is not None:
            statuses.setdefault(index, Counter())[finding.status.value] += 1
    return tuple(
        TableProfile(
            heading=tuple(fold(part) for part in table.heading),
            tabs=tuple(fold(part) for part in table.tabs),
            columns=tuple(fold(name) for name in table.columns),
            rows=len(table.rows),
            statuses=statuses.get(table.index, Counter()),
            irregular=_count_irregular(table.irregular),
            shape=_shape(lines, {row[0].line for row in table.rows}) if table.irregular else "",
        )
        for table in page.document.tables
    )


def _profile_csv(text: str, findings: Iterable[Finding]) -> tuple[TableProfile, ...]:
    """Returns a CSV file as one table; all its findings stand in it."""
    header, *rows = [row for row in csv.reader(io.StringIO(text)) if row] or [[]]
    return (
        TableProfile(
            heading=(),
            tabs=(),
            columns=tuple(fold(name) for name in header),
            rows=len(rows),
            statuses=Counter(finding.status.value for finding in findings),
            irregular=sum(len(row) != len(header) for row in rows),
        ),
    )


def _shape(lines: Sequence[str], numbers: Iterable[int]) -> str:
    """Returns the check sum of how many cells the rows at these lines have."""
    widths = sorted(
        lines[number - 1].strip(" |").count("|") for number in numbers if number <= len(lines)
    )
    return check_sum(" ".join(map(str, widths)))


def _count_irregular(told: str | None) -> int:
    if told is None:
        return 0
    return sum(map(int, _RAGGED.findall(told))) or 1


def _unresolved(page: Page) -> tuple[str, ...]:
    """Returns the marks in table cells and list items that no footnote of the page defines."""
    document = page.document
    marked = [
        (mark, cell.line)
        for table in document.tables
        for row in table.rows
        for cell in row
        for mark in cell.marks
    ]
    marked += [(mark, item.line) for item in document.items for mark in item.marks]
    return tuple(sorted({mark for mark, line in marked if not document.resolve_mark(mark, line)}))
