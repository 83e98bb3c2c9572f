"""Grid, simple and csv tables of reStructuredText."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

from ingest.reading.document import Cell, Table
from ingest.reading.grid import Spanning, build_table, expand_spans
from ingest.reading.inline import Inline
from ingest.reading.lines import Line

_BORDER = re.compile(r"[=\s]+$")
_WIDE = "\ufdd0"
_MOST_FIELDS = 200_000


def read_grid_table(
    lines: Sequence[Line], at: int, *, reader: Callable[[str], Inline]
) -> tuple[Table, int] | None:
    """Return the grid table whose top border is at index `at`, and the index after it."""
    end = at
    indent = len(lines[at][1]) - len(lines[at][1].lstrip(" "))
    while end < len(lines) and lines[end][1].strip()[:1] in ("+", "|"):
        end += 1
    rows = [_widen(text[indent:].rstrip()) for _, text in lines[at:end]]
    width = len(rows[0])
    rows = [row.ljust(width)[:width] for row in rows]
    borders = [y for y, row in enumerate(rows) if row.startswith("+") or "+-" in row or "+=" in row]
    edges = sorted({x for y in borders for x, char in enumerate(rows[y]) if char == "+"})
    if len(borders) < 2 or len(edges) < 2 or len(borders) * len(edges) > _MOST_FIELDS:
        return None
    split = next((i for i, y in enumerate(borders) if "=" in rows[y] and "-" not in rows[y]), 0)
    grid = _merge_cells(rows, borders, edges, numbers=[number for number, _ in lines[at:end]])
    spans = [
        [
            Spanning(_make_cell(raw, line, reader), columns=columns, rows=height)
            for raw, line, columns, height in row
        ]
        for row in grid
    ]
    expanded = expand_spans(spans)
    head = split or 1
    table = build_table(expanded[:head], expanded[head:], line=lines[at][0], syntax="rst-grid")
    return table, end


def _merge_cells(
    rows: list[str], borders: list[int], edges: list[int], *, numbers: list[int]
) -> list[list[tuple[str, int, int, int]]]:
    """Return (raw, line, columns, rows) of each cell by the row it starts in.

    Two elementary fields belong to one cell where no drawn border parts them.
    """
    taken: set[tuple[int, int]] = set()
    result: list[list[tuple[str, int, int, int]]] = []
    for y in range(len(borders) - 1):
        row: list[tuple[str, int, int, int]] = []
        for x in range(len(edges) - 1):
            if (y, x) in taken:
                continue
            right = x + 1
            while right < len(edges) - 1 and not _parted_right(rows, borders, edges, y, right):
                right += 1
            low = y + 1
            while low < len(borders) - 1 and not _parted_below(rows, borders[low], edges, x, right):
                low += 1
            taken.update((j, i) for j in range(y, low) for i in range(x, right))
            top, bottom = borders[y] + 1, borders[low]
            left, stop = edges[x] + 1, edges[right]
            parts = [text[left:stop].replace(_WIDE, "").strip() for text in rows[top:bottom]]
            row.append(("\n".join(parts).strip(), numbers[min(top, bottom)], right - x, low - y))
        result.append(row)
    return result


def _parted_right(rows: list[str], borders: list[int], edges: list[int], y: int, x: int) -> bool:
    """Return whether a vertical line stands at edge `x` through the row field `y`."""
    return all(row[edges[x]] in "|+" for row in rows[borders[y] + 1 : borders[y + 1]])


def _parted_below(rows: list[str], y: int, edges: list[int], x: int, right: int) -> bool:
    """Return whether a horizontal line stands at row `y` between two edges."""
    piece = rows[y][edges[x] + 1 : edges[right]]
    return bool(piece) and not piece.strip("-=+")


def _widen(text: str) -> str:
    """Return text with a filler after each character that takes two columns."""
    if text.isascii():
        return text
    return "".join(
        char + _WIDE if unicodedata.east_asian_width(char) in "WF" else char for char in text
    )


def read_simple_table(
    lines: Sequence[Line], at: int, *, reader: Callable[[str], Inline]
) -> tuple[Table, int] | None:
    """Return the simple table whose top border is at index `at`, and the index after it."""
    border = _widen(lines[at][1].rstrip())
    spans = [match.span() for match in re.finditer("=+", border)]
    borders = [at]
    end = at + 1
    while end < len(lines):
        text = lines[end][1].rstrip()
        if text and _BORDER.match(text):
            borders.append(end)
            if end + 1 >= len(lines) or not lines[end + 1][1].strip() or len(borders) == 3:
                break
        end += 1
    if len(borders) < 2:
        return None
    body_start = borders[1] + 1 if len(borders) > 2 else borders[0] + 1
    head = lines[at + 1 : borders[1]] if len(borders) > 2 else []
    header = _read_simple_rows(head, spans, reader)
    body = _read_simple_rows(lines[body_start : borders[-1]], spans, reader)
    if not header and body:
        header, body = body[:1], body[1:]
    return build_table(header, body, line=lines[at][0], syntax="rst-simple"), borders[-1] + 1


def _read_simple_rows(
    lines: Sequence[Line], spans: Sequence[tuple[int, int]], reader: Callable[[str], Inline]
) -> list[list[Cell]]:
    """Return the rows of a simple table; a line with a blank first field continues the row."""
    rows: list[tuple[int, list[list[str]]]] = []
    for number, text in lines:
        wide = _widen(text.rstrip())
        if not wide.strip() or not wide.strip("- "):
            continue
        fields = [
            wide[start : spans[i + 1][0] if i + 1 < len(spans) else len(wide)]
            .replace(_WIDE, "")
            .strip()
            for i, (start, _) in enumerate(spans)
        ]
        if rows and not fields[0]:
            for parts, part in zip(rows[-1][1], fields, strict=True):
                parts.append(part)
        else:
            rows.append((number, [[part] for part in fields]))
    return [
        [_make_cell("\n".join(parts).strip(), number, reader) for parts in fields]
        for number, fields in rows
    ]


def read_csv_table(
    content: Sequence[Line],
    options: Mapping[str, str],
    *,
    line: int,
    caption: str | None,
    reader: Callable[[str], Inline],
) -> Table:
    """Return the table of a csv-table directive's own rows."""
    delimiter = options.get("delim", ",")
    delimiter = {"tab": "\t", "space": " "}.get(delimiter, delimiter[:1] or ",")
    kept = [(number, text) for number, text in content if text.strip()]
    rows: list[list[Cell]] = []
    source = csv.reader(
        [text for _, text in kept], delimiter=delimiter, skipinitialspace=True, strict=False
    )
    try:
        for fields in source:
            number = kept[min(source.line_num, len(kept)) - 1][0]
            rows.append([_make_cell(field.strip(), number, reader) for field in fields])
    except csv.Error as error:
        return build_table(
            rows[:1], rows[1:], line=line, syntax="rst-csv", irregular=f"not readable: {error}"
        )
    header: list[list[Cell]] = []
    if options.get("header"):
        fields = next(csv.reader([options["header"]], skipinitialspace=True), [])
        header = [[_make_cell(field.strip(), line, reader) for field in fields]]
    count = options.get("header-rows", "")
    taken = int(count) if count.isascii() and count.isdigit() and len(count) < 3 else 0
    taken = taken or (0 if header else 1)
    return build_table(
        [*header, *rows[:taken]], rows[taken:], line=line, syntax="rst-csv", caption=caption
    )


def _make_cell(raw: str, line: int, reader: Callable[[str], Inline]) -> Cell:
    """Return one cell."""
    if not raw:
        return Cell("", "", line)
    shown = reader(raw)
    return Cell(
        text=shown.text,
        raw=raw,
        line=line,
        marks=shown.marks,
        links=shown.links,
        titles=shown.titles,
        colour=shown.colour,
    )
