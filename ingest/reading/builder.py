"""Collects the parts of a page in page order and finishes them into a Document."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ingest.reading.document import (
    Cell,
    CodeBlock,
    Document,
    Footnote,
    Heading,
    Include,
    Item,
    Paragraph,
    Table,
)
from ingest.reading.inline import Inline, split_marks

InlineReader = Callable[[str], Inline]

_LEADING_MARK = re.compile(
    r"\s{0,8}(?:<sup>\s{0,4}(?P<sup>[^<>]{1,24})</sup>"
    r"|(?P<stars>(?:\\\*){1,4}|\*{1,3}(?=[^\s*]))"
    r"|(?P<sign>[†‡]{1,2}|\^(?=\s))"
    r"|\\?\[\^?(?P<number>\d{1,3})\\?\](?![(\[:])"
    r"|\((?P<paren>\d{1,2})\)(?=\s)"
    r"|(?P<digits>[¹²³⁴⁵⁶⁷⁸⁹]{1,2}))"
    r"[:.]?\s{0,8}(?P<rest>\S.*)",
    re.DOTALL,
)
_DIGITS = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹", "123456789")
_PAREN_NOTES = re.compile(r"\s?((?:\(\d{1,2}\)){1,4})$")
_LINE_BREAK = re.compile(r"(?:<\s?/?br\s?/?>|\n)")


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the page's nesting a block stands.

    **Shapes** `kind`/`label`/`title` are those of paragraphs here; `depth` counts containers,
    `list_depth` only lists.
    """

    tabs: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    kind: str = "paragraph"
    label: str | None = None
    title: str | None = None
    depth: int = 0
    list_depth: int = 0
    in_list: bool = False


@dataclass(slots=True)
class PendingItem:
    """A list item whose text is still to come."""

    line: int
    ordered: bool
    checked: bool | None


@dataclass(slots=True)
class PageBuilder:
    """A page under construction."""

    syntax: str
    front_matter: dict[str, str] = field(default_factory=dict)
    path: list[tuple[int, str]] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    code_blocks: list[CodeBlock] = field(default_factory=list)
    footnotes: list[Footnote] = field(default_factory=list)
    includes: list[Include] = field(default_factory=list)
    path_changes: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    lead: str = ""
    paren_notes: set[str] = field(default_factory=set)

    @property
    def heading(self) -> tuple[str, ...]:
        """Return the heading path in force."""
        return tuple(text for _, text in self.path)

    def add_heading(self, shown: Inline, *, level: int, line: int) -> None:
        """Add a heading and make it the path's last part."""
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        self.path.append((level, shown.text))
        self.headings.append(Heading(text=shown.text, level=level, line=line, path=self.heading))
        self.path_changes.append((line, self.heading))
        self.lead = ""

    def restore_path(self, path: list[tuple[int, str]], *, line: int) -> None:
        """Return to the heading path in force before a container that ended above `line`."""
        if path != self.path:
            self.path = path
            self.path_changes.append((line, self.heading))

    def add_paragraph(self, shown: Inline, *, raw: str, line: int, place: Place) -> None:
        """Add a paragraph unless nothing of it is visible."""
        if not shown.text and not shown.marks:
            return
        self.paragraphs.append(
            Paragraph(
                text=shown.text,
                raw=raw,
                line=line,
                heading=self.heading,
                links=shown.links,
                kind=place.kind,
                label=place.label,
                title=place.title,
                tabs=place.tabs,
                marks=shown.marks,
            )
        )
        self.lead = shown.text

    def add_item(
        self,
        shown: Inline,
        *,
        raw: str,
        line: int,
        place: Place,
        checked: bool | None,
        ordered: bool,
    ) -> None:
        """Add a list item unless nothing of it is visible."""
        self.lead = shown.text
        if not shown.text and not shown.marks:
            return
        self.items.append(
            Item(
                text=shown.text,
                raw=raw,
                line=line,
                depth=place.list_depth,
                heading=self.heading,
                parents=place.parents,
                links=shown.links,
                marks=shown.marks,
                checked=checked,
                ordered=ordered,
                tabs=place.tabs,
            )
        )

    def add_code(self, text: str, *, line: int, language: str, place: Place) -> None:
        """Add a code block."""
        self.code_blocks.append(
            CodeBlock(
                text=text, line=line, heading=self.heading, language=language, tabs=place.tabs
            )
        )
        self.lead = ""

    def add_include(self, target: str, *, line: int, place: Place) -> None:
        """Add a reference to text kept elsewhere."""
        self.includes.append(
            Include(target=target, line=line, heading=self.heading, tabs=place.tabs)
        )

    def add_footnote(self, mark: str, text: str, *, line: int) -> None:
        """Add a footnote definition."""
        self.footnotes.append(Footnote(mark=mark, text=text, line=line, heading=self.heading))

    def add_table(self, table: Table, *, place: Place) -> None:
        """Add a table; its heading, tabs, position and lead are filled in here."""
        self.tables.append(
            replace(
                table,
                heading=self.heading,
                tabs=place.tabs,
                index=len(self.tables),
                lead=self.lead,
            )
        )
        self.lead = ""

    def note_definitions(self, raw: str, *, line: int, reader: InlineReader) -> None:
        """Add the footnotes that a paragraph or item defines by starting with their marks.

        **Shapes** one definition a line, or one for each part after a forced break; a line
        without a mark continues the definition above it.
        """
        if not _LEADING_MARK.match(raw):
            return
        parts: list[tuple[str, str, int]] = []
        number = line
        position = 0
        for end in [*(match for match in _LINE_BREAK.finditer(raw)), None]:
            piece = raw[position : end.start() if end else len(raw)]
            match = _LEADING_MARK.match(piece)
            mark = self._read_mark(match) if match else ""
            if match and mark and not _closes_emphasis(match):
                parts.append((mark, match.group("rest"), number))
            elif parts:
                last = parts[-1]
                parts[-1] = (last[0], f"{last[1]}\n{piece}", last[2])
            if end:
                position = end.end()
                number += end.group().count("\n")
        for mark, text, at in parts:
            self.add_footnote(mark, reader(text.strip()).text, line=at)

    def _read_mark(self, match: re.Match[str]) -> str:
        """Return the mark a definition starts with, or "" when it is no mark."""
        if match.group("sup"):
            return "".join(split_marks(match.group("sup")))
        if match.group("stars"):
            return match.group("stars").replace("\\", "")
        if match.group("digits"):
            return match.group("digits").translate(_DIGITS)
        if match.group("paren"):
            self.paren_notes.add(match.group("paren"))
        return match.group("sign") or match.group("number") or match.group("paren") or ""

    def finish(self, source_lines: Sequence[str]) -> Document:
        """Return the finished page."""
        title = self.front_matter.get("title", "") or next(
            (heading.text for heading in self.headings), ""
        )
        tops = [heading for heading in self.headings if heading.level == 1]
        if tops and tops[0] is self.headings[0]:
            title = tops[0].text
        return Document(
            title=title,
            front_matter=dict(self.front_matter),
            headings=tuple(self.headings),
            tables=tuple(self._with_paren_marks(table) for table in self.tables),
            items=tuple(self.items),
            paragraphs=tuple(self.paragraphs),
            code_blocks=tuple(self.code_blocks),
            footnotes=tuple(sorted(self.footnotes, key=lambda note: note.line)),
            source_lines=tuple(source_lines),
            syntax=self.syntax,
            includes=tuple(self.includes),
            path_changes=tuple(self.path_changes),
        )

    def _with_paren_marks(self, table: Table) -> Table:
        """Return the table with "(1)(2)" at the end of cell lines read as marks.

        Only numbers that the page defines as "(1) …" are marks; any other stays text.
        """
        if "1" not in self.paren_notes:
            return table
        rows = tuple(tuple(self._with_paren_cell(cell) for cell in row) for row in table.rows)
        return replace(table, rows=rows)

    def _with_paren_cell(self, cell: Cell) -> Cell:
        """Return the cell without its "(1)" notes, which become marks."""
        if "(" not in cell.text:
            return cell
        marks = list(cell.marks)
        lines = []
        for line in cell.text.split("\n"):
            parts = []
            for part in line.split(", "):
                match = _PAREN_NOTES.search(part)
                numbers = re.findall(r"\d+", match.group(1)) if match else []
                if match and numbers and self.paren_notes.issuperset(numbers):
                    marks.extend(numbers)
                    part = part[: match.start()]
                parts.append(part)
            lines.append(", ".join(parts))
        return replace(cell, text="\n".join(lines), marks=tuple(dict.fromkeys(marks)))


def _closes_emphasis(match: re.Match[str]) -> bool:
    """Return whether leading asterisks are emphasis because the same run closes later."""
    stars = match.group("stars")
    if not stars or "\\" in stars:
        return False
    return stars in match.group("rest")
