"""Tables of two profiles paired, and what happened to each: moved, renamed, gone or new."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.domain.drift_profile import TableProfile

# Version numbers and years in headings change with every release.
_NUMBERS = re.compile(r"[\d.]+")
# With fewer columns in common than this share two tables are not the same.
_SAME_TABLE = 0.5


@dataclass(frozen=True, slots=True)
class TableDrift:
    """What happened to one table; ``code`` is one of the drift codes."""

    code: str
    sentence: str
    quarantines: bool
    facts: Mapping[str, str | int] = field(default_factory=dict)


def find_table_drift(
    before: Sequence[TableProfile], now: Sequence[TableProfile]
) -> Iterator[TableDrift]:
    """Yields what happened to the tables that were read, and tables that are new."""
    left = list(now)
    read = [table for table in before if table.findings]
    unread = [table for table in before if not table.findings]
    pairs: list[tuple[TableProfile, TableProfile]] = []
    for how in (_is_same, _is_moved, _is_renamed):
        for table in list(read):
            match = next((other for other in left if how(table, other)), None)
            if match is not None:
                pairs.append((table, match))
                read.remove(table)
                left.remove(match)
    for old, new in pairs:
        yield from _compare(old, new)
    for table in read:
        yield _gone(table)
    for table in unread:
        match = next((other for other in left if _is_same(table, other)), None)
        if match is not None:
            left.remove(match)
    for table in left:
        yield _new(table)


def _place(table: TableProfile) -> tuple[str, ...]:
    """Returns the headings over a table without numbers, and without the page's title."""
    headings = table.heading[1:] if len(table.heading) > 1 else table.heading
    parts = (*headings, *table.tabs)
    return tuple(_NUMBERS.sub("", part).strip() for part in parts)


def _is_same(old: TableProfile, new: TableProfile) -> bool:
    return old.columns == new.columns and _place(old) == _place(new)


def _is_moved(old: TableProfile, new: TableProfile) -> bool:
    return old.columns == new.columns


def _is_renamed(old: TableProfile, new: TableProfile) -> bool:
    shared = len(set(old.columns) & set(new.columns))
    alike = shared >= _SAME_TABLE * max(1, len(set(old.columns)))
    return _place(old) == _place(new) and (alike or len(old.columns) == len(new.columns))


def _compare(old: TableProfile, new: TableProfile) -> Iterator[TableDrift]:
    if _place(old) != _place(new):
        before, now = _say(old), _say(new)
        yield TableDrift(
            "table-moved",
            f"The table of “{before}” now stands under “{now}”.",
            True,
            {"before": before, "now": now},
        )
    reshaped = new.rows == old.rows and new.columns == old.columns and new.shape != old.shape
    if new.irregular > old.irregular or reshaped:
        yield TableDrift(
            "table-irregular",
            f"{new.irregular} rows of the table of “{_say(new)}” have more or fewer cells than its"
            f" header, or others than before; there were {old.irregular}.",
            True,
            {"before": old.irregular, "now": new.irregular},
        )
    gone = [name for name in old.columns if name not in new.columns]
    added = [name for name in new.columns if name not in old.columns]
    if gone or added:
        names = f"{', '.join(gone) or 'none'} → {', '.join(added) or 'none'}"
        yield TableDrift(
            "header-renamed",
            f"The columns of the table of “{_say(old)}” changed: {names}.",
            bool(gone),
            {"gone": ", ".join(gone), "added": ", ".join(added)},
        )
    elif old.columns != new.columns:
        yield TableDrift(
            "header-renamed",
            f"The columns of the table of “{_say(old)}” stand in another order.",
            False,
            {"gone": "", "added": ""},
        )
    if not new.findings:
        yield TableDrift(
            "table-gone",
            f"Nothing is read of the table of “{_say(new)}”; {old.findings} statements were.",
            True,
            {"findings": old.findings},
        )
    elif not gone and _had_more_statements(old, new):
        yield TableDrift(
            "coverage-moved",
            f"The table of “{_say(old)}” has {new.rows} rows, of which {new.findings} statements"
            f" are read; they were {old.findings} of {old.rows} rows.",
            True,
            {"before": old.findings, "now": new.findings},
        )


def _had_more_statements(old: TableProfile, new: TableProfile) -> bool:
    """Whether clearly fewer statements are read of each row than before."""
    if not old.rows or not new.rows or new.findings >= old.findings:
        return False
    return new.findings / new.rows < 0.8 * old.findings / old.rows


def _say(table: TableProfile) -> str:
    return " > ".join(table.heading) or "the top of the page"


def _gone(table: TableProfile) -> TableDrift:
    return TableDrift(
        "table-gone",
        f"The table of “{_say(table)}”, of which {table.findings} statements were read,"
        " is no longer there.",
        True,
        {"findings": table.findings, "columns": ", ".join(table.columns)},
    )


def _new(table: TableProfile) -> TableDrift:
    return TableDrift(
        "new-table",
        f"There is a new table under “{_say(table)}”; {table.findings} statements are read of it.",
        False,
        {"findings": table.findings, "columns": ", ".join(table.columns)},
    )
