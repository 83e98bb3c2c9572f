"""List-tables of MyST and reST: a bullet list of bullet lists becomes one Table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ingest.reading.document import Cell, Table
from ingest.reading.grid import build_table
from ingest.reading.inline import Inline
from ingest.reading.lines import Line, indent_of

_BULLET = re.compile(r"[*+-](?:\s{1,8}|$)")
_NESTED_BULLET = re.compile(r"\A(?:[*+-]|\d{1,3}[.)])\s{1,8}")


def split_bullets(lines: Sequence[Line], *, loose: bool = False) -> list[list[Line]]:
    """Return the items of a bullet list, each dedented to its content.

    **Shapes** the first bullet sets the level; with `loose` a deeper bullet with nothing beside
    it counts too, as pages indent the cells of a row carelessly. Lines before the first bullet
    are dropped; a less indented line that is no bullet ends the list.
    """
    items: list[list[Line]] = []
    level = -1
    width = 0
    for number, text in lines:
        indent = indent_of(text)
        content = text[indent:]
        match = _BULLET.match(content)
        bare = loose and len(content.rstrip()) == 1 and level < indent < level + 8
        if match and (level < 0 or indent == level or bare):
            level = level if level >= 0 else indent
            width = indent + len(match.group())
            items.append([(number, content[match.end() :])])
        elif level >= 0:
            if content and indent <= level:
                break
            items[-1].append((number, text[min(width, indent) :]))
    return items


def read_list_table(
    lines: Sequence[Line],
    *,
    options: Mapping[str, str],
    line: int,
    syntax: str,
    caption: str | None,
    reader: Callable[[str], Inline],
) -> Table:
    """Return the table of a list-table directive that starts at `line`."""
    stubs = _read_count(options.get("stub-columns"), 0)
    rows: list[list[Cell]] = []
    for item in split_bullets(lines):
        cells = [_make_cell(cell, reader) for cell in split_bullets(item, loose=True)]
        for index in range(min(stubs, len(cells))):
            cells[index] = replace(cells[index], is_header=True)
        if cells:
            rows.append(cells)
    count = _read_count(options.get("header-rows"), 0)
    if not count and rows and "header-rows" not in options:
        # Without a stated header the first row still names the columns for a reader of the page.
        irregular: str | None = "no header row is stated; the first row is taken as the header"
        count = 1
    else:
        irregular = None if rows[count:] else "the directive has no rows below its header"
    return build_table(
        rows[:count], rows[count:], line=line, syntax=syntax, caption=caption, irregular=irregular
    )


def _read_count(text: str | None, default: int) -> int:
    """Return an option as a small count."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 4 else default


def _make_cell(lines: Sequence[Line], reader: Callable[[str], Inline]) -> Cell:
    """Return one cell; each bullet of a list within it starts a new line of its text.

    **Shapes** the cell's line is that of its first word, so line n of `raw` is n lines below.
    """
    kept = [at for at, (_, text) in enumerate(lines) if text.strip()]
    if not kept:
        return Cell("", "", lines[0][0])
    first, rest = lines[kept[0]], lines[kept[0] + 1 : kept[-1] + 1]
    level = min((indent_of(text) for _, text in rest if text.strip()), default=0)
    raw = "\n".join([first[1].strip(), *(text[level:].rstrip() for _, text in rest)])
    shown = [reader(_NESTED_BULLET.sub("", part, count=1)) for part in _split_blocks(raw)]
    return Cell(
        text="\n".join(part.text for part in shown if part.text),
        raw=raw,
        line=first[0],
        marks=tuple(dict.fromkeys(mark for part in shown for mark in part.marks)),
        links=tuple(link for part in shown for link in part.links),
        titles=tuple(title for part in shown for title in part.titles),
        colour=next((part.colour for part in shown if part.colour), None),
    )


def _split_blocks(raw: str) -> list[str]:
    """Return the parts of a cell, one for each bullet and one for the text before them."""
    parts: list[str] = []
    for text in raw.split("\n"):
        if not parts or _NESTED_BULLET.match(text.lstrip(" ")):
            parts.append(text.strip())
        else:
            parts[-1] += "\n" + text.strip()
    return parts
