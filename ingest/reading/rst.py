"""reStructuredText pages, scanned block by block with exact lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingest.reading import directives as names
from ingest.reading.builder import InlineReader, PageBuilder, Place
from ingest.reading.document import Document
from ingest.reading.htmlpage import HtmlWalker
from ingest.reading.inline_rst import read_inline_rst
from ingest.reading.lines import (
    Fragment,
    Line,
    dedent,
    indent_of,
    normalise_newlines,
    number_lines,
    take_indented,
)
from ingest.reading.listtable import read_list_table
from ingest.reading.rst_tables import read_csv_table, read_grid_table, read_simple_table

_DIRECTIVE = re.compile(r"\.\. ([\w:.+-]{1,60})::(?:\s+(.*))?$", re.DOTALL)
_FOOTNOTE = re.compile(r"\.\. \[(\d{1,3}|#[\w.-]{0,40}|\*)\](?:\s+(.*))?$", re.DOTALL)
_BULLET = re.compile(r"([-*+•]|\d{1,3}[.)]|#\.)(\s+|$)(.*)", re.DOTALL)
_ADORNMENT = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_FIELD = re.compile(r":[A-Za-z][\w -]{0,60}:(?:\s|$)")
_SIMPLE_BORDER = re.compile(r"={2,}(?:\s+={2,})+\s*$")
_DEEPEST = 24


def read_rst(text: str) -> Document:
    """Return the model of a reStructuredText page."""
    text = normalise_newlines(text)
    builder = PageBuilder(syntax="rst")
    scan_rst(builder, number_lines(text), Place())
    return builder.finish(text.split("\n"))


def scan_rst(builder: PageBuilder, lines: Sequence[Line], place: Place) -> None:
    """Add the blocks of reST lines to a page under construction."""
    levels: dict[tuple[str, bool], int] = {}
    base = builder.path[-1][0] if builder.path else 0
    _RstScan(builder, list(lines), place, levels, base).run()


def add_csv_table(
    builder: PageBuilder,
    content: Sequence[Line],
    options: Mapping[str, str],
    *,
    line: int,
    caption: str,
    place: Place,
    reader: InlineReader,
) -> None:
    """Add a csv-table directive; one that names a file is an include."""
    target = options.get("file") or options.get("url")
    if target:
        builder.add_include(target, line=line, place=place)
        return
    builder.add_table(
        read_csv_table(content, options, line=line, caption=caption or None, reader=reader),
        place=place,
    )


@dataclass(slots=True)
class _RstScan:
    """One pass over the lines of one container."""

    builder: PageBuilder
    lines: list[Line]
    place: Place
    levels: dict[tuple[str, bool], int]
    base: int
    text: list[Line] = field(default_factory=list)
    item: tuple[int, bool] | None = None

    def run(self) -> None:
        """Scan all lines."""
        at = 0
        while at < len(self.lines):
            text = self.lines[at][1]
            if not text.strip():
                self._flush()
                at += 1
                continue
            following = self._read_block(at, text, text.strip())
            if following is None:
                self.text.append(self.lines[at])
                following = at + 1
            at = following
        self._flush()

    def _read_block(self, at: int, text: str, content: str) -> int | None:
        if self.place.depth > _DEEPEST:
            return None
        if content.startswith(".. ") or content == "..":
            return self._read_explicit(at, text, content)
        if not self.text:
            table = self._read_table(at, content)
            if table is not None:
                return table
        heading = self._read_heading(at, text, content)
        if heading is not None:
            return heading
        if self.text:
            return None
        if _FIELD.match(content):
            return take_indented(self.lines, at + 1, indent_of(text) + 1)
        if _BULLET.match(content):
            return self._read_item(at, text, content)
        if indent_of(text) > 0:
            end = take_indented(self.lines, at, indent_of(text))
            place = replace(self.place, kind="blockquote")
            self._scan_inside(dedent(self.lines[at:end], indent_of(text)), place)
            return end
        return None

    def _read_table(self, at: int, content: str) -> int | None:
        """Read a grid or simple table."""
        if content.startswith("+-") and content.endswith("+"):
            read = read_grid_table(self.lines, at, reader=read_inline_rst)
        elif content.startswith("==") and _SIMPLE_BORDER.match(content):
            read = read_simple_table(self.lines, at, reader=read_inline_rst)
        else:
            return None
        if read is None:
            return None
        self.builder.add_table(read[0], place=self.place)
        return read[1]

    def _read_heading(self, at: int, text: str, content: str) -> int | None:
        """Read a section title by its underline, with or without an overline."""
        if indent_of(text) and not self.text:
            return self._read_overlined(at, content) if _is_adornment(content) else None
        if not _is_adornment(content):
            return None
        if self.text:
            if len(self.text) == 1 and len(content) >= min(4, len(self.text[0][1].strip())):
                line, title = self.text[0]
                self.text = []
                self._add_heading(title.strip(), line, (content[0], False))
                return at + 1
            return None
        return self._read_overlined(at, content)

    def _read_overlined(self, at: int, content: str) -> int | None:
        following = [line[1].strip() for line in self.lines[at + 1 : at + 3]]
        if len(following) == 2 and following[0] and following[1] == content:
            self._add_heading(following[0], self.lines[at + 1][0], (content[0], True))
            return at + 3
        return at + 1 if len(content) >= 4 else None

    def _add_heading(self, title: str, line: int, style: tuple[str, bool]) -> None:
        level = self.levels.setdefault(style, self.base + len(self.levels) + 1)
        self.builder.add_heading(read_inline_rst(title), level=level, line=line)

    def _read_item(self, at: int, text: str, content: str) -> int:
        match = _BULLET.match(content)
        marker, gap, rest = match.groups() if match else ("", "", content)
        indent = indent_of(text)
        width = indent + len(marker) + (len(gap) if rest else 1)
        end = take_indented(self.lines, at + 1, indent + 1)
        number = self.lines[at][0]
        inner = [(number, rest), *dedent(self.lines[at + 1 : end], width)]
        self._scan_inside(inner, self.place, item=(number, marker not in ("-", "*", "+", "•")))
        self.builder.lead = ""
        return max(end, at + 1)

    def _read_explicit(self, at: int, text: str, content: str) -> int:
        """Read a directive, a footnote, or drop a target or comment."""
        self._flush()
        number = self.lines[at][0]
        indent = indent_of(text)
        end = take_indented(self.lines, at + 1, indent + 1)
        footnote = _FOOTNOTE.match(content)
        if footnote:
            body = [
                footnote.group(2) or "",
                *(line.strip() for _, line in self.lines[at + 1 : end]),
            ]
            mark = footnote.group(1).lstrip("#") or "#"
            shown = read_inline_rst("\n".join(body).strip())
            self.builder.add_footnote(mark, shown.text, line=number)
            return end
        directive = _DIRECTIVE.match(content)
        if directive is None:
            return max(end, at + 1)
        name = directive.group(1)
        if name == "list-table" and not any(
            line.lstrip().startswith(("*", "-")) for _, line in self.lines[at + 1 : end]
        ):
            # Some pages forget to indent the rows; the list that follows is still the table.
            while end < len(self.lines) and self.lines[end][1].lstrip(" ")[:1] in ("", "*", "-"):
                end = max(take_indented(self.lines, end + 1, 1), end + 1)
        body_lines = self.lines[at + 1 : end]
        widths = [indent_of(line) for _, line in body_lines if line.strip()]
        inner = dedent(body_lines, min(widths, default=0))
        self._read_directive(name, (directive.group(2) or "").strip(), inner, line=number)
        return max(end, at + 1)

    def _read_directive(self, name: str, argument: str, inner: list[Line], *, line: int) -> None:
        builder, place = self.builder, self.place
        options, content = names.take_options(inner)
        if name in names.INCLUDE_DIRECTIVES:
            builder.add_include(argument, line=line, place=place)
        elif name == "list-table":
            table = read_list_table(
                content,
                options=options,
                line=line,
                syntax="rst-list-table",
                caption=read_inline_rst(argument).text or None,
                reader=read_inline_rst,
            )
            builder.add_table(table, place=place)
        elif name == "csv-table":
            add_csv_table(
                builder,
                content,
                options,
                line=line,
                caption=argument,
                place=place,
                reader=read_inline_rst,
            )
        elif name in names.CODE_DIRECTIVES:
            text = "\n".join(text for _, text in content)
            builder.add_code(text, line=line, language=argument, place=place)
        elif name == "raw" and argument == "html":
            HtmlWalker(builder, Fragment.join(content), place).walk()
        elif name in names.ADMONITIONS:
            place = replace(place, kind="admonition", label=name, title=None)
            self._scan_inside([(line, argument), *content] if argument else content, place)
            builder.lead = ""
        elif name in names.TAB_DIRECTIVES:
            label = read_inline_rst(argument).text
            tabs = (*place.tabs, label) if label else place.tabs
            self._scan_inside(content, replace(place, tabs=tabs))
        elif name not in names.SKIPPED_DIRECTIVES:
            self._scan_inside(content, place)

    def _scan_inside(
        self, lines: Sequence[Line], place: Place, *, item: tuple[int, bool] | None = None
    ) -> None:
        place = replace(place, depth=place.depth + 1)
        _RstScan(self.builder, list(lines), place, self.levels, self.base, item=item).run()

    def _flush(self) -> None:
        if not self.text:
            return
        line = self.text[0][0]
        raw = "\n".join(text.strip() for _, text in self.text)
        self.text = []
        shown = read_inline_rst(raw)
        if self.item is not None:
            (line, ordered), self.item = self.item, None
            self.builder.add_item(
                shown, raw=raw, line=line, place=self.place, checked=None, ordered=ordered
            )
            self.place = replace(
                self.place,
                parents=(*self.place.parents, shown.text),
                list_depth=self.place.list_depth + 1,
                in_list=True,
            )
        else:
            self.builder.add_paragraph(shown, raw=raw, line=line, place=self.place)
        self.builder.note_definitions(raw, line=line, reader=read_inline_rst)


def _is_adornment(content: str) -> bool:
    """Return whether a line is one punctuation character repeated."""
    return len(content) >= 2 and content[0] in _ADORNMENT and not content.strip(content[0])
