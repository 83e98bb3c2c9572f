"""What a change of a page is: the new text, and what the page then says by its own words."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from ingest.contract import Page, Reading
from matrix.domain.claims import Locator


class Effect(StrEnum):
    """What a change does to what the page says."""

    NOTHING = "nothing"  # Another spelling of the same page: the same must be read.
    SILENCE = "silence"  # The touched places say neither yes nor no any more.
    RESTATED = "restated"  # The touched places say something else in the page's own words.
    REPEATED = "repeated"  # The page says something twice.
    REMOVAL = "removal"  # What stands at the touched places is no longer said; nothing is new.
    ADDITION = "addition"  # The page says more; everything else is said as before.
    DAMAGE = "damage"  # The page is broken or means something else: not even a part may be lost.


@dataclass(frozen=True, slots=True)
class Change:
    """One changed page.

    **Shapes**: ``rows``, ``columns`` and ``lines`` name the touched places by the labels or the
    texts of lines that findings cite; with both rows and columns only their crossings are touched.
    """

    kind: str
    text: str
    effect: Effect
    rows: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()
    paths: frozenset[tuple[str, ...]] = frozenset()

    def touches(self, at: Locator, line: str) -> bool:
        """Returns whether a finding at that place and line stands at a touched place."""
        row, column = at.row, at.column
        if at.path[:2] in self.paths:
            return True
        if self.lines and one_line(line) in self.lines:
            return True
        named = bool(self.rows or self.columns)
        in_row = not self.rows or one_line(row) in self.rows
        in_column = not self.columns or one_line(column) in self.columns
        return named and in_row and in_column


@dataclass(frozen=True, slots=True)
class Subject:
    """A page to be changed and what its rule reads from it."""

    page: Page
    reading: Reading

    @property
    def lines(self) -> list[str]:
        """The lines of the page."""
        return self.page.text.split("\n")


Changer = Callable[[Subject], Iterable[Change]]


def one_line(text: str) -> str:
    """Returns the text as it is compared: case folded, every run of blanks as one space."""
    return " ".join(text.split()).casefold()
