"""Markdown in the dialects documentation uses, scanned block by block with exact lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.reading import markdown_blocks as blocks
from ingest.reading.builder import PageBuilder, Place
from ingest.reading.document import Document, fold_label
from ingest.reading.lines import Line, normalise_newlines, number_lines
from ingest.reading.markdown_scan import BlockScan, MarkdownPage
from ingest.reading.pipes import read_pipe_table, starts_table

DIALECTS = ("gfm", "myst", "mkdocs", "mdx")
_REFERENCE = re.compile(r"\s{0,3}\[([^\]^\[\n][^\]\[\n]{0,200})\]:\s{0,10}<?([^\s<>]{1,4000})>?")
_FRONT_KEY = re.compile(r"(\s{0,8})([A-Za-z_][\w.-]{0,60})\s?:\s{0,20}(.*)")
_MOST_FRONT_LINES = 400


def scan_blocks(scan: BlockScan) -> None:
    """Add the blocks of one container to the page."""
    at = 0
    while at < len(scan.lines):
        text = scan.lines[at][1]
        content = text.lstrip(" ")
        if not content.strip():
            scan.flush()
            at += 1
            continue
        following = _read_block(scan, at, len(text) - len(content), content)
        if following is None:
            scan.text.append(scan.lines[at])
            following = at + 1
        at = following
    scan.flush()


def _read_block(scan: BlockScan, at: int, indent: int, content: str) -> int | None:
    """Return the index after the block that starts at `at`, or None for paragraph text."""
    for starts, read in blocks.READERS:
        if content[0] in starts:
            following = read(scan, at, indent, content)
            if following is not None:
                return following
    if starts_table(scan.lines, at):
        scan.flush()
        table, following = read_pipe_table(
            scan.lines,
            at,
            reader=scan.page.read,
            code_first=scan.page.dialect in ("mkdocs", "myst"),
        )
        scan.item = None
        scan.builder.add_table(table, place=scan.place)
        return following
    if indent >= 4 and not scan.text and not scan.place.in_list:
        return blocks.read_indented_code(scan, at)
    return None


def read_markdown(text: str, *, dialect: str = "gfm") -> Document:
    """Return the model of a Markdown page.

    **Shapes** `dialect` is "gfm", "myst", "mkdocs" or "mdx"; every dialect reads the containers
    of all, the name decides references, code spans in tables and comments.
    **Raises** ValueError for another dialect.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"The dialect “{dialect}” is unknown; known are {', '.join(DIALECTS)}.")
    text = normalise_newlines(text)
    source_lines = text.split("\n")
    lines = number_lines(text)
    front, start = read_front_matter(lines)
    builder = PageBuilder(syntax=dialect, front_matter=front)
    if front.get("title"):
        builder.path.append((1, front["title"]))
    refs: dict[str, str] = {}
    for _, line in lines:
        if "]:" in line and (match := _REFERENCE.match(line)):
            refs.setdefault(fold_label(match.group(1)), match.group(2))
    page = MarkdownPage(builder, dialect, refs, scan_blocks)
    page.scan(lines[start:], Place())
    return builder.finish(source_lines)


def read_front_matter(lines: Sequence[Line]) -> tuple[dict[str, str], int]:
    """Return the front matter's values and the index of the first line after it.

    **Shapes** a key below another is "outer.inner"; a list or nested block value is "".
    """
    if not lines or lines[0][1].rstrip() != "---":
        return {}, 0
    values: dict[str, str] = {}
    outer = ""
    for index in range(1, min(len(lines), _MOST_FRONT_LINES)):
        text = lines[index][1].rstrip()
        if text in ("---", "..."):
            return values, index + 1
        match = _FRONT_KEY.fullmatch(text)
        if match:
            indent, key, value = match.groups()
            if not indent:
                outer = key
            name = f"{outer}.{key}" if indent else key
            values[name] = value.strip().strip("\"'")
    return {}, 0
