"""Reads the fields of one object that a person wrote; collects problems instead of stopping."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Any, TypeVar

from matrix.asking import FIRST_DAY
from matrix.domain.phrases import Phrase
from matrix.entering.problems import Problem, nearest_words, shown_value, with_nearest

Word = TypeVar("Word", bound=StrEnum)

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_YES, _NO = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


class Fields:
    """One object of a line, read field by field; what nobody asks for is a problem in the end.

    ``path`` is where the object stands (``evidence[0]``); blank values count as not given.
    """

    def __init__(
        self, given: Mapping[str, Any], problems: list[Problem], *, path: str = ""
    ) -> None:
        self.given = {key: value for key, value in given.items() if not _is_blank(value)}
        self.problems = problems
        self.path = path
        self._known: set[str] = set()

    def place(self, name: str) -> str:
        """The whole path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def refuse(self, name: str, what: str) -> None:
        """Notes what is wrong with a field."""
        self.problems.append(Problem(self.place(name), what))

    def has(self, name: str) -> bool:
        """Whether the field says something."""
        return name in self.given

    def raw(self, name: str) -> Any:
        """The value as it was written, or ``None``."""
        self._known.add(name)
        return self.given.get(name)

    def text(self, name: str, *, longest: int, required: bool = False, default: str = "") -> str:
        """Text without surrounding blanks; numbers are taken as they are written."""
        value = self.raw(name)
        if value is None:
            if required:
                self.refuse(name, Phrase("is missing"))
            return default
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = f"{value}"
        if not isinstance(value, str):
            self.refuse(name, Phrase("is {value}; accepted: text", value=shown_value(value)))
            return default
        text = value.strip()
        if _UNPRINTABLE.search(text):
            self.refuse(
                name,
                Phrase(
                    "is {value}; accepted: text without control characters", value=shown_value(text)
                ),
            )
            return default
        if len(text) > longest:
            self.refuse(
                name,
                Phrase(
                    "has {count} characters; accepted: up to {longest}",
                    count=len(text),
                    longest=longest,
                ),
            )
            return default
        return text

    def word(
        self,
        name: str,
        words: type[Word],
        *,
        also: Mapping[str, Word] | None = None,
        accepted: Sequence[Word] = (),
        required: bool = False,
    ) -> Word | None:
        """One word of a closed vocabulary, or ``None`` when it is not given or not known."""
        text = self.text(name, longest=80, required=required)
        if not text:
            return None
        spelled = text.lower().replace("_", "-").replace(" ", "-")
        choices = list(accepted or words)
        for choice in choices:
            if choice.value == spelled:
                return choice
        if also and spelled in also:
            return also[spelled]
        names = [choice.value for choice in choices]
        what = Phrase(
            "is {value}; accepted: {names}",
            value=shown_value(text),
            names=", ".join([*names, *(also or ())]),
        )
        self.refuse(name, with_nearest(what, nearest_words(spelled, names)))
        return None

    def day(self, name: str, *, today: date, required: bool = False) -> date | None:
        """A day, not before any source can speak and not after today."""
        text = self.text(name, longest=40, required=required)
        if not text:
            return None
        day = read_day(text)
        if day is None or not FIRST_DAY <= day <= today:
            self.refuse(
                name,
                Phrase(
                    "is {value}; accepted: a day as YYYY-MM-DD from {first_day} to {today}",
                    value=shown_value(text),
                    first_day=FIRST_DAY,
                    today=today,
                ),
            )
            return None
        return day

    def flag(self, name: str) -> bool:
        """True or false; not given is false."""
        value = self.raw(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        spelled = str(value).strip().lower()
        if spelled not in _YES | _NO:
            self.refuse(
                name, Phrase("is {value}; accepted: true or false", value=shown_value(value))
            )
        return spelled in _YES

    def whole(self, name: str, *, least: int = 1) -> int | None:
        """A whole number."""
        value = self.raw(name)
        if value is None:
            return None
        if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
            value = int(value.strip()[:12])
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10**8:
            self.refuse(
                name,
                Phrase(
                    "is {value}; accepted: a whole number from {least} on",
                    value=shown_value(value),
                    least=least,
                ),
            )
            return None
        return value

    def texts(self, name: str, *, longest: int, most: int = 64) -> tuple[str, ...]:
        """A text or a list of texts."""
        return texts_of(self.raw(name), self.place(name), self.problems, longest=longest, most=most)

    def objects(self, name: str, *, most: int = 64) -> list[tuple[str, Mapping[str, Any]]]:
        """An object or a list of objects, each with its path."""
        value = self.raw(name)
        if value is None:
            return []
        listed = value if isinstance(value, list) else [value]
        if len(listed) > most:
            self.refuse(
                name,
                Phrase(
                    "holds {count} entries; accepted: up to {most}", count=len(listed), most=most
                ),
            )
            return []
        found = []
        for position, item in enumerate(listed):
            path = (
                f"{self.place(name)}[{position}]" if isinstance(value, list) else self.place(name)
            )
            if isinstance(item, Mapping):
                found.append((path, item))
            else:
                self.problems.append(
                    Problem(
                        path,
                        Phrase(
                            "is {shown_value}; accepted: an object with fields",
                            shown_value=shown_value(item),
                        ),
                    )
                )
        return found

    def refuse_unknown(self, also: Iterable[str] = ()) -> None:
        """Notes every field that nothing has asked for."""
        known = sorted({*self._known, *also})
        for name in self.given:
            if name not in known:
                shown = str(name)[:60]
                what = Phrase("is no known field; accepted: {names}", names=", ".join(known))
                self.refuse(shown, with_nearest(what, nearest_words(shown, known)))


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def read_day(text: str) -> date | None:
    """The day of a text as YYYY-MM-DD, or ``None``."""
    if not _DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def texts_of(
    value: Any, path: str, problems: list[Problem], *, longest: int, most: int = 64
) -> tuple[str, ...]:
    """The texts of a value that is one text or a list of texts."""
    if value is None:
        return ()
    listed = value if isinstance(value, list) else [value]
    if len(listed) > most:
        problems.append(
            Problem(
                path,
                Phrase(
                    "holds {count} entries; accepted: up to {most}", count=len(listed), most=most
                ),
            )
        )
        return ()
    found = []
    for position, item in enumerate(listed):
        inner = Fields({"item": item}, [], path="")
        text = inner.text("item", longest=longest, required=True)
        place = f"{path}[{position}]" if isinstance(value, list) else path
        problems += [Problem(place, problem.what) for problem in inner.problems]
        if text:
            found.append(text)
    return tuple(found)
