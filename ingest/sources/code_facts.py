"""Facts that were read from a release's source code, as a page of JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ingest.contract import Page, UnexpectedPage
from matrix.domain.claims import Locator

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

FACTS_PATHS = (r"(.*/)?facts(-[^/]*)?\.json",)


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """One release's facts; a fact that the reader of the code did not resolve is ``None``.

    **Raises**: ``UnexpectedPage`` where a key holds another kind of value than asked for.
    """

    path: str
    data: dict[str, Json]

    def at(self, *keys: str) -> Json:
        """The value at a key path, or ``None`` where a key is missing."""
        value: Json = self.data
        for key in keys:
            if not isinstance(value, dict):
                return None
            value = value.get(key)
        return value

    def table(self, *keys: str) -> dict[str, Json]:
        """The object at a key path; empty where it is missing or not resolved."""
        value = self.at(*keys)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self._unexpected(keys, "an object", value)
        return value

    def items(self, *keys: str) -> list[Json]:
        """The list at a key path; empty where it is missing or not resolved."""
        value = self.at(*keys)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._unexpected(keys, "a list", value)
        return value

    def words(self, *keys: str) -> tuple[str, ...]:
        """The list of strings at a key path, in its own order, without repeats."""
        values = self.items(*keys)
        for value in values:
            if not isinstance(value, str):
                raise self._unexpected(keys, "a list of strings", value)
        return tuple(dict.fromkeys(str(value) for value in values))

    def _unexpected(self, keys: tuple[str, ...], expected: str, value: Json) -> UnexpectedPage:
        return UnexpectedPage(
            path=self.path,
            expected=f"{expected} at {' > '.join(keys)}",
            nearest=f"{type(value).__name__} {str(value)[:60]}",
        )


def read_facts(page: Page, *, framework: str, keys: tuple[str, ...]) -> CodeFacts:
    """The facts of a page.

    **Raises**: ``UnexpectedPage`` for text that is no JSON object, for facts of another framework
    and for facts without one of the keys that the caller reads.
    """
    try:
        data = json.loads(page.text)
    except ValueError as error:
        raise UnexpectedPage(
            path=page.path, expected="a JSON object of code facts", nearest=str(error)
        ) from error
    if not isinstance(data, dict):
        raise UnexpectedPage(
            path=page.path, expected="a JSON object of code facts", nearest=type(data).__name__
        )
    if data.get("framework") != framework:
        raise UnexpectedPage(
            path=page.path,
            expected=f"code facts of {framework}",
            nearest=f"facts of {data.get('framework')!r}",
        )
    missing = [key for key in keys if key not in data]
    if missing:
        raise UnexpectedPage(
            path=page.path,
            expected=f"the keys {', '.join(missing)}",
            nearest=", ".join(list(data)[:12]),
        )
    return CodeFacts(path=page.path, data=data)


def fact_locator(*keys: str) -> Locator:
    """Where a fact stands: its key path in the facts."""
    return Locator(path=keys)


def plain(value: Json) -> str:
    """A fact's value as text; lists are written as Python and JSON both write them."""
    return value if isinstance(value, str) else str(value)


def text_table(facts: CodeFacts, *keys: str) -> Mapping[str, str]:
    """An object of strings at a key path; other values are left out."""
    return {k: v for k, v in facts.table(*keys).items() if isinstance(v, str)}
