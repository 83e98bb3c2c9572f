"""Tables written as HTML or MDX tags, read from the source text with exact places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ingest.reading.document import Cell, Table
from ingest.reading.grid import MOST_COLUMNS, Spanning, build_table, expand_spans
from ingest.reading.inline import Inline
from ingest.reading.lines import Fragment
from ingest.reading.tags import Tag, match_tag

_RAW_TEXT = frozenset({"script", "style", "svg", "template"})
_MOST_ROWS_SPANNED = 65_000


def iter_tags(text: str, *, start: int = 0) -> Iterator[Tag]:
    """Yield the tags of a text in order, without comments and the insides of scripts and icons."""
    position = start
    absent: set[str] = set()
    while (position := text.find("<", position)) >= 0:
        if text.startswith("<!--", position) and "-->" not in absent:
            end = text.find("-->", position + 4)
            if end < 0:
                absent.add("-->")
                position += 4
            else:
                position = end + 3
            continue
        tag = match_tag(text, position)
        if tag is None:
            position += 1
            continue
        yield tag
        position = tag.end
        closing = f"</{tag.name}"
        if tag.name in _RAW_TEXT and not tag.closing and not tag.self_closing:
            end = -1 if closing in absent else text.find(closing, position)
            if end < 0:
                absent.add(closing)
            else:
                position = end


def pair_tables(tags: Sequence[Tag]) -> tuple[dict[int, int], set[int]]:
    """Return the index of the closing tag per `<table>` index, and the tables that hold tables.

    **Shapes** a table that is never closed is absent from the first.
    """
    partners: dict[int, int] = {}
    outer: set[int] = set()
    waiting: list[int] = []
    for index, tag in enumerate(tags):
        if tag.name != "table":
            continue
        if not tag.closing:
            if waiting:
                outer.add(waiting[-1])
            waiting.append(index)
        elif waiting:
            partners[waiting.pop()] = index
    return partners, outer


@dataclass(slots=True)
class _Rows:
    """The rows of one table under construction."""

    fragment: Fragment
    reader: Callable[[str], Inline]
    rows: list[list[Spanning]] = field(default_factory=list)
    in_head: list[bool] = field(default_factory=list)
    head: bool = False
    row_open: bool = False
    cell: Tag | None = None
    caption: str | None = None
    caption_start: int | None = None

    def take(self, tag: Tag) -> None:
        """Account for one tag inside the table."""
        name = tag.name
        if name in ("td", "th"):
            self.close_cell(tag.start)
            if not tag.closing:
                self._open_row()
                self.cell = tag
        elif name in ("tr", "thead", "tbody", "tfoot"):
            self.close_cell(tag.start)
            self.row_open = False
            if name == "tr" and not tag.closing:
                self._open_row()
            elif name != "tr":
                self.head = name == "thead" and not tag.closing
        elif name == "caption":
            if not tag.closing:
                self.caption_start = tag.end
            elif self.caption_start is not None:
                raw = self.fragment.text[self.caption_start : tag.start]
                self.caption = self.reader(raw).text

    def _open_row(self) -> None:
        if not self.row_open:
            self.rows.append([])
            self.in_head.append(self.head)
            self.row_open = True

    def close_cell(self, end: int) -> None:
        """Finish the open cell, if any, at offset `end`."""
        tag, self.cell = self.cell, None
        if tag is None:
            return
        raw = self.fragment.text[tag.end : end].strip()
        shown = self.reader(raw)
        attributes = tag.attributes() if tag.attributes_text else {}
        title = attributes.get("title")
        cell = Cell(
            text=shown.text,
            raw=raw,
            line=self.fragment.line_at(tag.start),
            marks=shown.marks,
            links=shown.links,
            titles=((title,) if title else ()) + shown.titles,
            is_header=tag.name == "th",
            colour=shown.colour or (tag.colour() if tag.name == "td" else None),
        )
        self.rows[-1].append(
            Spanning(
                cell,
                columns=_read_span(attributes.get("colspan"), MOST_COLUMNS),
                rows=_read_span(attributes.get("rowspan"), _MOST_ROWS_SPANNED),
            )
        )


def read_tag_table(
    fragment: Fragment,
    tags: Sequence[Tag],
    *,
    end: int,
    closed: bool,
    syntax: str,
    reader: Callable[[str], Inline],
) -> Table | None:
    """Return the table of these tags (its own first), which ends at offset `end`, or None.

    **Shapes** header rows are those of `<thead>`, else the leading rows of only `<th>`, else
    the first row. A table without any cell is None.
    """
    rows = _Rows(fragment, reader)
    for tag in tags[1:]:
        rows.take(tag)
    rows.close_cell(end)
    kept = [at for at, row in enumerate(rows.rows) if row]
    if not kept:
        return None
    expanded = expand_spans([rows.rows[at] for at in kept])
    count = sum(1 for at in kept if rows.in_head[at])
    if not count:
        for row in expanded[:-1] or expanded:
            if not all(cell.is_header for cell in row):
                break
            count += 1
    header = expanded[: max(1, count)]
    told = None if closed else "the table is not closed in the source"
    return build_table(
        header,
        [[_keep_row_header(cell) for cell in row] for row in expanded[len(header) :]],
        line=fragment.line_at(tags[0].start),
        syntax=syntax,
        caption=rows.caption,
        irregular=told,
    )


def _keep_row_header(cell: Cell) -> Cell:
    """Return a body cell; a header cell that spans from above stays a header only if written so."""
    return replace(cell, is_header=False) if cell.spanned and not cell.text else cell


def _read_span(text: str | None, most: int) -> int:
    """Return a colspan or rowspan as a count from 1 to `most`; 0 spans all that is left."""
    if not text or not text.strip().isascii() or not text.strip().isdigit():
        return 1
    value = int(text.strip()[:9])
    return most if value == 0 else min(value, most)
