"""The grid of the explorer as CSV and JSON: exactly the rows, columns and cells of the page."""

import csv
import io
from typing import Any

from matrix.grids import GridCell
from matrix.pages.explorer import Explorer

# A spreadsheet would run a text that starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def cell_word(cell: GridCell) -> str:
    """The level of a cell, or why it is not asked."""
    if cell.level is not None:
        return cell.level.value
    return f"not-asked:{cell.absent.value}" if cell.absent else "not-asked"


def grid_csv(explorer: Explorer) -> str:
    """One line per row; the first two columns are the row's group and name."""
    text = io.StringIO()
    writer = csv.writer(text)
    state = explorer.state
    writer.writerow([f"{state.rows} group", state.rows, *map(safe_text, _column_names(explorer))])
    for node, cells in zip(explorer.rows.nodes, explorer.cells, strict=True):
        writer.writerow(
            [safe_text(node.group_name), safe_text(node.name), *(cell_word(cell) for cell in cells)]
        )
    return text.getvalue()


def _column_names(explorer: Explorer) -> list[str]:
    return [node.name for node in explorer.columns.nodes]


def safe_text(text: str) -> str:
    """The text as a spreadsheet shows it, never as a formula."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def grid_plain(explorer: Explorer, *, revision: int) -> dict[str, Any]:
    """The grid as plain data with everything needed to ask it again."""
    state = explorer.state
    question = state.question
    return {
        "rows": {"axis": state.rows, "level": state.rows_level, **_part(explorer, "rows")},
        "columns": {
            "axis": state.columns,
            "level": state.columns_level,
            **_part(explorer, "columns"),
        },
        "framework": question.cell.framework or None,
        "version": explorer.version or None,
        "pinned": {axis.value: slug for axis, slug in question.cell.nodes.items()},
        "features": sorted(question.cell.features),
        "as_of": question.as_of.isoformat(),
        "known_at": question.known_at.isoformat() if question.known_at else None,
        "revision": revision,
        "cells": [[_cell_plain(cell) for cell in line] for line in explorer.cells],
    }


def _part(explorer: Explorer, name: str) -> dict[str, Any]:
    part = explorer.rows if name == "rows" else explorer.columns
    return {
        "first": part.first,
        "last": part.last,
        "total": part.total,
        "nodes": [
            {"slug": node.slug, "name": node.name, "group": node.group or None}
            for node in part.nodes
        ],
    }


def _cell_plain(cell: GridCell) -> dict[str, Any]:
    return {
        "level": cell.level.value if cell.level else None,
        "not_asked": cell.absent.value if cell.absent else None,
        "conflicting": cell.conflicting,
        "stale": cell.stale,
    }
