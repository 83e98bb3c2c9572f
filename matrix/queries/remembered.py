"""Values worked out once for one immutable object, such as the catalogue of a revision."""

import weakref
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class RememberedFor(Generic[_Value]):
    """Remembers values of the newest owner only, and forgets them with it.

    Owners are told apart by identity: a revision number may come back with other content after a
    restore. Two threads may work out the same value, which does no harm.
    """

    def __init__(self) -> None:
        self._held: tuple[Callable[[], object], dict[Hashable, _Value]] = (lambda: None, {})

    def get(self, owner: object, key: Hashable, work_out: Callable[[], _Value]) -> _Value:
        """The remembered value of a key, worked out when there is none."""
        held_owner, values = self._held
        if held_owner() is not owner:
            values = {}
            self._held = (weakref.ref(owner), values)
        if key not in values:
            values[key] = work_out()
        return values[key]
