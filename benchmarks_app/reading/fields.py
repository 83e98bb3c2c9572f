"""Takes fields out of a parsed object and remembers what nobody took.

Whatever an importer does not take, or finds in another type than it can use, stays in ``rest``
under its place, so that no field is ever dropped.
"""

import math
from collections.abc import Iterator, Mapping
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a finite number; booleans are none."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        # JSON knows integers without end; beyond this one no float comes near them.
        return value.bit_length() < 1024
    return isinstance(value, float) and math.isfinite(value)


def _text_keys(value: dict[object, object]) -> Mapping[str, object]:
    """The object itself where all keys are texts; YAML lets numbers and dates be keys."""
    if all(isinstance(key, str) for key in value):
        return value  # type: ignore[return-value]
    return {str(key): inner for key, inner in value.items()}


class Fields:
    """One object of a document with its place; each taken field is marked.

    ``number`` and its kin return ``None`` for what is absent, null or of another type; the latter
    stays in ``rest``. Infinite, NaN and endless numbers are noted in ``non_finite`` and stay there
    too.
    """

    def __init__(self, value: object, pointer: str = "$") -> None:
        self.pointer = pointer
        self.value: Mapping[str, object] = _text_keys(value) if isinstance(value, dict) else {}
        self.non_finite: list[str] = []
        self._taken: set[str] = set()
        self._children: list[Fields] = []
        self._inner: dict[str, Fields] = {}
        self._lists: dict[str, list[Fields]] = {}
        self._withheld: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self.value

    def place(self, name: str) -> str:
        """Where a field stands."""
        return f"{self.pointer}.{name}"

    def peek(self, name: str) -> object:
        """A field without marking it as taken."""
        return self.value.get(name)

    def take(self, name: str) -> object:
        """A field of any type; marked as taken even when it is null."""
        if name in self.value:
            self._taken.add(name)
        return self.value.get(name)

    def number(self, name: str) -> float | None:
        """A finite number."""
        value = self.value.get(name)
        if value is None:
            self._mark(name)
            return None
        if is_number(value):
            self._taken.add(name)
            return float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            self.non_finite.append(self.place(name))
        return None

    def number_text(self, name: str) -> float | None:
        """A finite number, also one written as a text ("12.5"), for tools known to do so."""
        value = self.value.get(name)
        if isinstance(value, str):
            try:
                number = float(value.strip().replace(",", ""))
            except ValueError:
                return None
            if math.isfinite(number):
                self._taken.add(name)
                return number
            return None
        return self.number(name)

    def integer(self, name: str) -> int | None:
        """A whole number; 3.0 counts as 3, 3.5 stays in the rest."""
        value = self.value.get(name)
        if is_number(value) and float(value).is_integer():
            self._taken.add(name)
            return int(value)
        if value is None:
            self._mark(name)
        return None

    def text(self, name: str) -> str | None:
        """A text that is not blank; a blank one is taken and unknown."""
        value = self.value.get(name)
        if isinstance(value, str) or value is None:
            self._mark(name)
            return value.strip() or None if isinstance(value, str) else None
        return None

    def flag(self, name: str) -> bool | None:
        """A boolean."""
        value = self.value.get(name)
        if isinstance(value, bool) or value is None:
            self._mark(name)
            return value
        return None

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """A list of numbers as an array, null and non-finite entries as NaN; ``None`` for any
        other list."""
        value = self.value.get(name)
        if not isinstance(value, list):
            return None
        try:
            found = np.array(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            return None
        if found.ndim != 1:
            return None
        found[~np.isfinite(found)] = np.nan
        self._taken.add(name)
        return found

    def child(self, name: str) -> "Fields":
        """An object inside, empty where there is none; what is not taken of it joins the rest.

        Asked for again, it is the same object, so that what was taken of it stays taken.
        """
        if name in self._inner:
            return self._inner[name]
        value = self.value.get(name)
        inner = Fields(value, self.place(name))
        if isinstance(value, dict):
            self._taken.add(name)
            self._children.append(inner)
            self._inner[name] = inner
        elif value is None:
            self._mark(name)
        return inner

    def children(self, name: str) -> "list[Fields]":
        """The objects of a list; a list that holds anything else gives none and joins the rest."""
        if name in self._lists:
            return self._lists[name]
        value = self.value.get(name)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            return []
        found = [Fields(one, f"{self.place(name)}[{i}]") for i, one in enumerate(value)]
        self._taken.add(name)
        self._children += found
        self._lists[name] = found
        return found

    def withhold(self, *names: str) -> None:
        """Marks fields whose content nobody may see: prompts, answers, hosts, keys."""
        for name in names:
            if name in self.value:
                self._taken.add(name)
                self._withheld.append(self.place(name))

    def ignore(self, *names: str) -> None:
        """Marks fields that repeat, in the same file, what was taken elsewhere."""
        self._taken.update(name for name in names if name in self.value)

    def rest(self) -> dict[str, object]:
        """Every field that nobody took, by place."""
        return dict(self._rest())

    def withheld(self) -> tuple[str, ...]:
        """The places of withheld fields, of inner objects too."""
        inner = (place for child in self._children for place in child.withheld())
        return (*self._withheld, *inner)

    def all_non_finite(self) -> tuple[str, ...]:
        """The places of infinite and NaN numbers that were asked for, of inner objects too."""
        inner = (place for child in self._children for place in child.all_non_finite())
        return (*self.non_finite, *inner)

    def _mark(self, name: str) -> None:
        if name in self.value:
            self._taken.add(name)

    def _rest(self) -> Iterator[tuple[str, object]]:
        for name, value in self.value.items():
            if name not in self._taken:
                yield self.place(name), value
        for child in self._children:
            yield from child._rest()
