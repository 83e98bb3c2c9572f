"""What is wrong with entered lines: where it stands, the value seen, what is accepted."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from matrix.domain.errors import RunproofError
from matrix.domain.phrases import Phrase, join_phrases

SHOWN_PROBLEMS = 200
LONGEST_ECHO = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong; ``line`` counts from 1 and is 0 where there is but one claim."""

    field: str
    what: str
    line: int = 0

    def __str__(self) -> str:
        if self.line and self.field:
            return Phrase(
                "line {line}, {field}: {what}", line=self.line, field=self.field, what=self.what
            )
        if self.line:
            return Phrase("line {line}, {what}", line=self.line, what=self.what)
        if self.field:
            return join_phrases(": ", [self.field, self.what])
        return self.what

    def at(self, line: int) -> "Problem":
        """The same problem at a line."""
        return replace(self, line=line)


class BrokenEntry(ValueError):
    """A claim that cannot be read: ``problems`` holds everything that is wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__(join_phrases("; ", map(str, self.problems[:20])))


class BrokenEntries(RunproofError):
    """Lines that cannot be recorded; nothing of the import was written."""

    def __init__(self, problems: Sequence[Problem], *, name: str = "") -> None:
        self.problems = sorted(problems, key=lambda problem: problem.line)
        count = len(self.problems)
        shown = [str(problem) for problem in self.problems[:SHOWN_PROBLEMS]]
        super().__init__(
            message=_summary(count, name=name, first=shown[0] if shown else ""),
            code="invalid-import",
            facts={
                "count": count,
                "problems": [
                    {"line": p.line, "field": p.field, "problem": p.what}
                    for p in self.problems[:SHOWN_PROBLEMS]
                ],
            },
        )


def _summary(count: int, *, name: str, first: str) -> Phrase:
    what = name or Phrase("The import")
    if count == 1:
        return Phrase(
            "{what} has 1 problem and nothing was recorded; the first: {first}.",
            what=what, first=first,
        )  # fmt: skip
    return Phrase(
        "{what} has {count} problems and nothing was recorded; the first: {first}.",
        what=what, count=count, first=first,
    )  # fmt: skip


def shown_value(value: object) -> str:
    """A value as a message shows it, never longer than a line."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= LONGEST_ECHO else f"{text[: LONGEST_ECHO - 1]}…"


def nearest_words(word: str, words: Iterable[str], *, limit: int = 3) -> tuple[str, ...]:
    """Accepted words that are spelled like the one seen."""
    return tuple(difflib.get_close_matches(word[:80], list(words), n=limit, cutoff=0.55))


def with_nearest(text: str, nearest: Sequence[str]) -> str:
    """The sentence with the nearest known names, where there are any."""
    return (
        Phrase("{text}; nearest: {names}", text=text, names=", ".join(nearest)) if nearest else text
    )


def with_rule(what: str, rule: str) -> Phrase:
    """The sentence with the data rule that it breaks."""
    return Phrase("{what} ({rule})", what=what, rule=rule)
