"""What is wrong with entered lines: where it stands, the value seen, what is accepted."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from matrix.domain.errors import RunproofError

SHOWN_PROBLEMS = 200
LONGEST_ECHO = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong; ``line`` counts from 1 and is 0 where there is but one claim."""

    field: str
    what: str
    line: int = 0

    def __str__(self) -> str:
        place = f"line {self.line}, " if self.line else ""
        return f"{place}{self.field}: {self.what}" if self.field else f"{place}{self.what}"

    def at(self, line: int) -> "Problem":
        """The same problem at a line."""
        return replace(self, line=line)


class BrokenEntry(ValueError):
    """A claim that cannot be read: ``problems`` holds everything that is wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("; ".join(str(problem) for problem in self.problems[:20]))


class BrokenEntries(RunproofError):
    """Lines that cannot be recorded; nothing of the import was written."""

    def __init__(self, problems: Sequence[Problem], *, name: str = "") -> None:
        self.problems = sorted(problems, key=lambda problem: problem.line)
        count = len(self.problems)
        shown = [str(problem) for problem in self.problems[:SHOWN_PROBLEMS]]
        super().__init__(
            message=f"{name or 'The import'} has {count} problem{'s' * (count != 1)} and nothing "
            f"was recorded; the first: {shown[0] if shown else ''}.",
            code="invalid-import",
            facts={
                "count": count,
                "problems": [
                    {"line": p.line, "field": p.field, "problem": p.what}
                    for p in self.problems[:SHOWN_PROBLEMS]
                ],
            },
        )


def shown_value(value: object) -> str:
    """A value as a message shows it, never longer than a line."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= LONGEST_ECHO else f"{text[: LONGEST_ECHO - 1]}…"


def nearest_words(word: str, words: Iterable[str], *, limit: int = 3) -> tuple[str, ...]:
    """Accepted words that are spelled like the one seen."""
    return tuple(difflib.get_close_matches(word[:80], list(words), n=limit, cutoff=0.55))


def with_nearest(text: str, nearest: Sequence[str]) -> str:
    """The sentence with the nearest known names, where there are any."""
    return f"{text}; nearest: {', '.join(nearest)}" if nearest else text
