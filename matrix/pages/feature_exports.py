"""The overview of features as CSV and JSON: one line or object for each cell of the page."""

import csv
import io
from typing import Any

from matrix.exports import safe_text
from matrix.pages.features import FeatureCell, FeatureColumn, FeaturesPage

CSV_COLUMNS = (
    "group", "feature", "name", "framework", "version", "level", "since", "conditions",
    "depends_on", "note", "evidence_on", "evidence_release", "evidence_url", "as_of",
)  # fmt: skip


def features_csv(page: FeaturesPage) -> str:
    """One line per feature and framework; several conditions stand between semicolons."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    for section in page.sections:
        for row in section.rows:
            for column, cell in zip(page.columns, row.cells, strict=True):
                values = (
                    section.code, row.slug, row.name, column.slug, _version(column),
                    cell.level.value, cell.since, "; ".join(cell.conditions),
                    "; ".join(cell.depends_on), "; ".join(cell.notes), _day(cell), cell.release,
                    cell.evidence_url, page.as_of.isoformat(),
                )  # fmt: skip
                writer.writerow([safe_text(value) for value in values])
    return text.getvalue()


def features_plain(page: FeaturesPage) -> dict[str, Any]:
    """The overview as plain data, with everything needed to ask it again."""
    return {
        "as_of": page.as_of.isoformat(),
        "revision": page.revision,
        "frameworks": [
            {"slug": column.slug, "name": column.name, "version": _version(column) or None}
            for column in page.columns
        ],
        "groups": [
            {
                "code": section.code,
                "features": [
                    {
                        "slug": row.slug,
                        "name": row.name,
                        "cells": {
                            column.slug: _cell_plain(cell)
                            for column, cell in zip(page.columns, row.cells, strict=True)
                        },
                    }
                    for row in section.rows
                ],
            }
            for section in page.sections
        ],
    }


def _cell_plain(cell: FeatureCell) -> dict[str, Any]:
    return {
        "level": cell.level.value,
        "since": cell.since or None,
        "conditions": list(cell.conditions),
        "depends_on": list(cell.depends_on),
        "notes": list(cell.notes),
        "stale": cell.stale,
        "conflicting": cell.conflicting,
        "evidence_on": _day(cell) or None,
        "evidence_release": cell.release or None,
        "evidence_url": cell.evidence_url or None,
    }


def _version(column: FeatureColumn) -> str:
    return column.release.version if column.release else ""


def _day(cell: FeatureCell) -> str:
    return cell.stated_on.isoformat() if cell.stated_on else ""
