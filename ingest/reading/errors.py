"""Errors of the structural readers: each has a constant code, facts, and one sentence."""

from __future__ import annotations

from collections.abc import Iterable


class ReadingError(ValueError):
    """Base of everything a reader can refuse.

    **Shapes** `code` is constant per class; `facts` holds what the message says, for machines.
    """

    code = "reading-error"

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.facts: dict[str, object] = facts


def _name_all(names: Iterable[str], *, limit: int = 8) -> str:
    """Return up to `limit` names in quotes, joined with commas."""
    listed = [f"“{name[:80]}”" for name in names]
    more = len(listed) - limit
    return ", ".join(listed[:limit]) + (f" and {more} more" if more > 0 else "")


class UndecodablePage(ReadingError):
    """The bytes of a page are not text in UTF-8 (or UTF-16 with a byte order mark)."""

    code = "undecodable-page"

    def __init__(self, *, offset: int, found: str) -> None:
        super().__init__(
            f"The page is not valid UTF-8: at byte {offset} stands {found};"
            " accepted is UTF-8 with or without byte order mark.",
            offset=offset,
            found=found,
        )


class OversizedPage(ReadingError):
    """A page has more parts than any documentation page can have."""

    code = "oversized-page"

    def __init__(self, *, what: str, found: int, most: int) -> None:
        super().__init__(
            f"The page has {found} {what}; at most {most} are read.",
            what=what,
            found=found,
            most=most,
        )


class ColumnMissing(ReadingError):
    """A table has no column of the wanted label."""

    code = "column-missing"

    def __init__(self, *, wanted: str, columns: tuple[str, ...], nearest: str | None) -> None:
        hint = f"; the nearest is “{nearest}”" if nearest else ""
        super().__init__(
            f"The table has no column “{wanted}”{hint}; its columns are {_name_all(columns)}.",
            wanted=wanted,
            columns=columns,
            nearest=nearest,
        )
        self.wanted = wanted
        self.columns = columns
        self.nearest = nearest


class TableMissing(ReadingError):
    """A page has no table under the wanted heading with the wanted columns.

    **Shapes** `expected` and `nearest` are sentences without a full stop, for people.
    """

    code = "table-missing"

    def __init__(self, *, expected: str, nearest: str) -> None:
        super().__init__(
            f"The page has no {expected}; nearest: {nearest}.", expected=expected, nearest=nearest
        )
        self.expected = expected
        self.nearest = nearest
