"""The one model of a page that every reader fills and every source reads."""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.reading.errors import ColumnMissing, TableMissing


def fold_label(text: str) -> str:
    """Return `text` as labels are compared: case-folded, whitespace as single spaces."""
    return " ".join(text.split()).casefold()


@dataclass(frozen=True, slots=True)
class Link:
    """One link: the visible text and the target as written."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell.

    **Shapes** `text` is visible text: whitespace as single spaces, a forced line break as a
    newline, footnote marks, markup and the variation selectors U+FE0E/U+FE0F removed. `raw` is
    the source between the delimiters, stripped. `line` is 1-based in the page. `colour` is the
    CSS colour as written (lower case) where the page colours the cell's text.
    """

    text: str
    raw: str
    line: int
    marks: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    titles: tuple[str, ...] = ()
    is_header: bool = False
    spanned: bool = False
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table with spans expanded and short rows padded on the right.

    **Shapes** every row has at least `len(columns)` cells; a row that is longer in the source
    stays longer. `irregular` says in words what the source's shape got wrong, else None.
    """

    heading: tuple[str, ...]
    tabs: tuple[str, ...]
    index: int
    line: int
    syntax: str
    columns: tuple[str, ...]
    header_cells: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    lead: str = ""
    caption: str | None = None
    irregular: str | None = None

    def column(self, label: str) -> int:
        """Return the index of the first column labelled `label` (case and spacing ignored).

        **Raises** ColumnMissing with the nearest label.
        """
        wanted = fold_label(label)
        for index, name in enumerate(self.columns):
            if fold_label(name) == wanted:
                return index
        raise ColumnMissing(
            wanted=label, columns=self.columns, nearest=find_nearest(label, self.columns)
        )

    def has_columns(self, labels: Sequence[str]) -> bool:
        """Return whether every label names a column."""
        names = {fold_label(name) for name in self.columns}
        return all(fold_label(label) in names for label in labels)

    def records(self) -> Iterator[tuple[Cell, dict[str, Cell]]]:
        """Yield each row as (first cell, cells by column label).

        **Shapes** a repeated label gets " (2)", " (3)" …; cells beyond the header are left out.
        """
        keys = number_duplicates(self.columns)
        for row in self.rows:
            if row:
                yield row[0], dict(zip(keys, row, strict=False))


@dataclass(frozen=True, slots=True)
class Item:
    """One list item; `parents` are the texts of the enclosing items, outermost first."""

    text: str
    raw: str
    line: int
    depth: int
    heading: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    marks: tuple[str, ...] = ()
    checked: bool | None = None
    ordered: bool = False
    tabs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph.

    **Shapes** `kind` is "paragraph", "admonition" or "blockquote"; an admonition has a lower-case
    `label` ("note", "warning", "caution", …) and perhaps a `title`.
    """

    text: str
    raw: str
    line: int
    heading: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    kind: str = "paragraph"
    label: str | None = None
    title: str | None = None
    tabs: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """One code block, its text without the fence or the indentation."""

    text: str
    line: int
    heading: tuple[str, ...] = ()
    language: str = ""
    tabs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Footnote:
    """One definition of a footnote mark, whatever way the page writes it."""

    mark: str
    text: str
    line: int
    heading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading; `path` ends with its own text."""

    text: str
    level: int
    line: int
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Include:
    """One reference to text kept elsewhere, such as a snippet marker."""

    target: str
    line: int
    heading: tuple[str, ...] = ()
    tabs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One page: its parts in page order, with 1-based lines of the original text."""

    title: str
    front_matter: dict[str, str]
    headings: tuple[Heading, ...]
    tables: tuple[Table, ...]
    items: tuple[Item, ...]
    paragraphs: tuple[Paragraph, ...]
    code_blocks: tuple[CodeBlock, ...]
    footnotes: tuple[Footnote, ...]
    source_lines: tuple[str, ...]
    syntax: str
    includes: tuple[Include, ...] = ()
    path_changes: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def table(self, *, heading: str | None = None, columns: Sequence[str] = ()) -> Table:
        """Return the first table whose heading path holds `heading` and that has `columns`.

        **Shapes** `heading` is matched as a part of any heading on the path, case ignored.
        **Raises** TableMissing with the nearest table of the page.
        """
        for table in self.tables:
            if under(table.heading, heading) and table.has_columns(columns):
                return table
        raise TableMissing(
            expected=_say_wanted(heading, columns), nearest=self._nearest_table(heading, columns)
        )

    def tables_under(self, heading: str) -> tuple[Table, ...]:
        """Return the tables under a heading that holds `heading`."""
        return tuple(table for table in self.tables if under(table.heading, heading))

    def items_under(self, heading: str) -> tuple[Item, ...]:
        """Return the list items under a heading that holds `heading`."""
        return tuple(item for item in self.items if under(item.heading, heading))

    def paragraphs_under(self, heading: str) -> tuple[Paragraph, ...]:
        """Return the paragraphs under a heading that holds `heading`."""
        return tuple(text for text in self.paragraphs if under(text.heading, heading))

    def footnote(self, mark: str, near_line: int) -> Footnote | None:
        """Return the definition that `mark` at `near_line` means, or None.

        **Shapes** the order is: next below in the same section, last above in the same section,
        next below in the page, last above in the page.
        """
        section = self.heading_at(near_line)
        known = [note for note in self.footnotes if note.mark == mark]
        same = [note for note in known if note.heading == section]
        for pool in (same, known):
            below = [note for note in pool if note.line >= near_line]
            if below:
                return min(below, key=lambda note: note.line)
            if pool:
                return max(pool, key=lambda note: note.line)
        return None

    def resolve_mark(self, mark: str, near_line: int) -> tuple[Footnote, ...]:
        """Return the definitions of `mark`; a compound like "E+" resolves by its characters.

        **Shapes** empty when the mark, or any character of a compound, has no definition.
        """
        whole = self.footnote(mark, near_line)
        if whole is not None:
            return (whole,)
        parts = [self.footnote(char, near_line) for char in mark] if 1 < len(mark) <= 4 else []
        found = tuple(note for note in parts if note is not None)
        return found if found and len(found) == len(parts) else ()

    def heading_at(self, line: int) -> tuple[str, ...]:
        """Return the heading path in force at a line of the page."""
        at = bisect_right(self.path_changes, line, key=lambda change: change[0])
        if at:
            return self.path_changes[at - 1][1]
        return (self.front_matter["title"],) if self.front_matter.get("title") else ()

    def snippet_at(self, line: int) -> str | None:
        """Return the name of the snippet section (`--8<-- [start:name]`) open at a line."""
        open_names: list[str] = []
        for include in self.includes:
            if include.line > line:
                break
            kind, _, name = include.target.strip("[]").partition(":")
            if kind == "start" and include.target.startswith("["):
                open_names.append(name)
            elif kind == "end" and name in open_names:
                open_names.remove(name)
        return open_names[-1] if open_names else None

    def _nearest_table(self, heading: str | None, columns: Sequence[str]) -> str:
        """Return a description of the table closest to what was wanted."""
        if not self.tables:
            tops = ", ".join(f"“{part.text[:60]}”" for part in self.headings[:6])
            return f"no table at all on the page (headings: {tops or 'none'})"
        wanted = {fold_label(label) for label in columns}

        def closeness(table: Table) -> tuple[int, float]:
            shared = len(wanted & {fold_label(name) for name in table.columns})
            ratio = max(
                (
                    difflib.SequenceMatcher(None, fold_label(part), fold_label(heading)).ratio()
                    for part in table.heading
                    if heading
                ),
                default=0.0,
            )
            return shared, ratio

        best = max(self.tables[:500], key=closeness)
        names = ", ".join(f"“{name[:40]}”" for name in best.columns[:16])
        where = " > ".join(part[:80] for part in best.heading) or "the top of the page"
        return f"the table at line {best.line} under “{where}” with columns {names}"


def under(path: tuple[str, ...], heading: str | None) -> bool:
    """Return whether a heading path has a part that holds `heading` (None matches all)."""
    if heading is None:
        return True
    wanted = fold_label(heading)
    return any(wanted in fold_label(part) for part in path)


def find_nearest(wanted: str, names: Sequence[str]) -> str | None:
    """Return the name most like `wanted`, or None when nothing is close."""
    folded = {fold_label(name)[:200]: name for name in names}
    close = difflib.get_close_matches(fold_label(wanted)[:200], list(folded), n=1, cutoff=0.4)
    return folded[close[0]] if close else None


def number_duplicates(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels with " (2)", " (3)" … added to repeats."""
    seen: dict[str, int] = {}
    numbered = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        numbered.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return tuple(numbered)


def _say_wanted(heading: str | None, columns: Sequence[str]) -> str:
    """Return what was looked for, as part of a sentence."""
    where = f" under a heading with “{heading}”" if heading else ""
    names = ", ".join(f"“{label}”" for label in columns)
    return f"table{where}" + (f" with the columns {names}" if names else "")
