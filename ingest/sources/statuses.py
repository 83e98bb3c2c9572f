"""Status words and symbols to statuses, by an explicit table per page and its own legend."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ingest.contract import StatementStatus
from ingest.reading.document import Cell

_VARIATION = re.compile("[\ufe0e\ufe0f]")


def plain_symbol(text: str) -> str:
    """The text without variation selectors and outer blanks."""
    return _VARIATION.sub("", text).strip()


@dataclass(frozen=True)
class StatusTable:
    """What each symbol or word of one page means; anything else is unknown to us.

    **Shapes**: keys are compared without variation selectors, in lower case. ``blank`` is what an
    empty cell means on this page; by default it states nothing and never means no.
    """

    words: Mapping[str, StatementStatus]
    blank: StatementStatus = StatementStatus.NOT_STATED

    def read(self, cell: Cell) -> StatementStatus | None:
        """The status of a cell, or ``None`` for a symbol that the table does not hold."""
        return self.read_text(cell.text)

    def read_text(self, text: str) -> StatementStatus | None:
        """The status of a text, or ``None`` for a symbol that the table does not hold."""
        plain = plain_symbol(text)
        if not plain:
            return self.blank
        return self.words.get(plain.lower())
