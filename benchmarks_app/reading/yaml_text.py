"""Reads YAML with the safe loader; Python tags become plain values and build nothing."""

from typing import Any

import yaml

from benchmarks_app.domain.errors import ResultError
from matrix.domain.phrases import Phrase

# A file with anchors stays small in memory and grows when walked; this is where that ends.
MOST_VALUES = 5_000_000


class _InertLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader; unknown tags give the plain list, mapping or text behind them.

    A merge (``<<``) stays the key that stands there: merging merges of merges copies each anchor
    again and again, so that forty short lines fill the memory.
    """

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leaves the keys as they are."""


def _plain(loader: Any, _suffix: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_scalar(node)


_InertLoader.add_multi_constructor("tag:yaml.org,2002:python/", _plain)
_InertLoader.add_multi_constructor("!", _plain)
_InertLoader.add_constructor(
    "tag:yaml.org,2002:merge", lambda loader, node: loader.construct_scalar(node)
)
_InertLoader.add_constructor(
    "tag:yaml.org,2002:value", lambda loader, node: loader.construct_scalar(node)
)
# Dates stay the text that stood there; each importer knows which clock it follows.
_InertLoader.add_constructor(
    "tag:yaml.org,2002:timestamp", lambda loader, node: loader.construct_scalar(node)
)


def parse_yaml(text: str) -> object:
    """The value of a YAML text, or ``None`` where the text is no YAML.

    **Raises**: ``ResultError`` for a document whose anchors would unfold without end.
    """
    try:
        value = yaml.load(text, Loader=_InertLoader)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return None
    if _unfolded(value, {}, 0) > MOST_VALUES:
        raise ResultError(
            code="too-large",
            what=Phrase("The YAML's anchors unfold to too many values"),
            accepted=Phrase("at most {most_values:,} values", most_values=MOST_VALUES),
        )
    return value


def _unfolded(value: object, known: dict[int, int], depth: int) -> int:
    """How many values a walk would meet; a ring counts as endless."""
    if not isinstance(value, (dict, list)):
        return 1
    if depth > 200:
        return MOST_VALUES + 1
    if id(value) in known:
        return known[id(value)]
    known[id(value)] = MOST_VALUES + 1
    inner = value.values() if isinstance(value, dict) else value
    known[id(value)] = 1 + sum(_unfolded(one, known, depth + 1) for one in inner)
    return known[id(value)]
