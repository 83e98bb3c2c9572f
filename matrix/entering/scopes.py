"""Reads a scope written in names that people use; an unknown name is a problem, never a guess."""

import re
from collections.abc import Mapping
from typing import Any

from matrix.asking.names import ROOT_OF_AXIS, SPELLINGS_OF_AXIS
from matrix.domain.aliases import NameTable, normalise_name
from matrix.domain.catalogue import AREA_OF_AXIS, Catalogue
from matrix.domain.coordinates import NodeSet, NumberRange, Scope
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.phrases import Phrase
from matrix.entering.fields import Fields, texts_of
from matrix.entering.problems import Problem, nearest_words, shown_value, with_nearest

FEATURES = "features"
_SHORT_NUMBERS: Mapping[str, NumberAxis] = {
    "count": NumberAxis.HARDWARE_COUNT,
    "tp": NumberAxis.TENSOR_PARALLEL,
    "pp": NumberAxis.PIPELINE_PARALLEL,
    "ep": NumberAxis.EXPERT_PARALLEL,
    "dp": NumberAxis.DATA_PARALLEL,
    "context": NumberAxis.CONTEXT_TOKENS,
}
# An axis that a source names in full ("any model"), unlike one that it leaves out.
EVERY = "*"
_SPAN = re.compile(r"(?P<op>>=|<=|=)?\s*(?P<low>\d{1,9})(?:\s*(?:-|\.\.|…)\s*(?P<high>\d{1,9}))?")
# Looking for near names costs milliseconds; a file of wrong names must not cost minutes.
NEAREST_LOOKUPS = 100


class NameReader:
    """Names to slugs of one catalogue, with the nearest names where one is not known."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._lookups_left = NEAREST_LOOKUPS

    def area(self, area: str, word: str, path: str, problems: list[Problem]) -> str:
        """The one slug that a word means in an area, or an empty text and a problem."""
        table = self.catalogue.vocabulary.table(area)
        slugs = table.find(word) or table.ambiguous.get(normalise_name(word), ())
        if len(slugs) == 1:
            return slugs[0]
        problems.append(Problem(path, self._refusal(area, table, word, slugs)))
        return ""

    def axis(self, axis: Axis, word: str, path: str, problems: list[Problem]) -> tuple[str, ...]:
        """The slugs that a word means on an axis: several where it covers all of them."""
        area = AREA_OF_AXIS.get(axis)
        if area is None:
            return _free_word(word, path, problems)
        table = self.catalogue.vocabulary.table(area)
        root = ROOT_OF_AXIS.get(axis)
        unclear: tuple[str, ...] = ()
        for pattern in SPELLINGS_OF_AXIS.get(axis, ("{}",)):
            spelling = pattern.format(word)
            found = self._below(axis, table.find(spelling), root)
            if found:
                return found
            one_of = self._below(axis, table.ambiguous.get(normalise_name(spelling), ()), root)
            if len(one_of) == 1:
                return one_of
            unclear = unclear or one_of
        problems.append(Problem(path, self._refusal(axis.value, table, word, unclear)))
        return ()

    def _below(self, axis: Axis, slugs: tuple[str, ...], root: str | None) -> tuple[str, ...]:
        if root is None:
            return slugs
        tree = self.catalogue.trees.tree(axis)
        return tuple(slug for slug in slugs if root in tree.up(slug))

    def _refusal(self, what: str, table: NameTable, word: str, slugs: tuple[str, ...]) -> str:
        """Why a word names no single node, with those it may mean or the nearest names."""
        if slugs:
            return Phrase(
                "is {value}, which means several; accepted: {names}",
                value=shown_value(word),
                names=", ".join(slugs),
            )
        nearest: tuple[str, ...] = ()
        if self._lookups_left > 0:
            self._lookups_left -= 1
            nearest = table.nearest(word[:100], limit=4)
        text = Phrase(
            "is {value}; accepted: a known {what}",
            value=shown_value(word),
            what=what.replace("_", " "),
        )
        return with_nearest(text, nearest)


def _free_word(word: str, path: str, problems: list[Problem]) -> tuple[str, ...]:
    slug = normalise_name(word)
    if 0 < len(slug) <= 80 and slug.isprintable():
        return (slug,)
    problems.append(
        Problem(
            path,
            Phrase(
                "is {shown_value}; accepted: up to 80 characters", shown_value=shown_value(word)
            ),
        )
    )
    return ()


def read_scope(given: Any, names: NameReader, problems: list[Problem]) -> Scope:
    """The scope of a line; an empty one when nothing is restricted."""
    if given is None:
        return Scope()
    if not isinstance(given, Mapping):
        problems.append(
            Problem(
                "scope",
                Phrase(
                    "is {shown_value}; accepted: an object of axes", shown_value=shown_value(given)
                ),
            )
        )
        return Scope()
    axes = {axis.value: axis for axis in Axis}
    numbers = {number.value: number for number in NumberAxis} | dict(_SHORT_NUMBERS)
    fields = Fields(given, problems, path="scope")
    nodes: dict[Axis, NodeSet] = {}
    spans: dict[NumberAxis, NumberRange] = {}
    features: set[str] = set()
    for name in fields.given:
        path = fields.place(name)
        if name in (FEATURES, "feature"):
            features |= _features(fields.raw(name), path, names, problems)
        elif name in axes:
            found = _node_set(axes[name], fields.raw(name), path, names, problems)
            if found is not None:
                nodes[axes[name]] = found
        elif name in numbers:
            span = _span(fields.raw(name), path, problems)
            if span is not None:
                spans[numbers[name]] = span
        else:
            known = [*axes, FEATURES, *numbers]
            what = Phrase("is no known axis; accepted: {names}", names=", ".join(known))
            problems.append(Problem(path[:80], with_nearest(what, nearest_words(name, known))))
    return Scope(nodes=nodes, features=frozenset(features), numbers=spans)


def _features(value: Any, path: str, names: NameReader, problems: list[Problem]) -> set[str]:
    words = texts_of(value, path, problems, longest=160)
    return {slug for word in words if (slug := names.area("feature", word, path, problems))}


def _node_set(
    axis: Axis, value: Any, path: str, names: NameReader, problems: list[Problem]
) -> NodeSet | None:
    """The nodes of an axis; the word ``*`` says "every one of them" where a source says so."""
    if value == EVERY:
        return NodeSet()
    if not isinstance(value, Mapping):
        value = {"include": value}
    fields = Fields(value, problems, path=path)
    sides: dict[str, frozenset[str]] = {}
    for side in ("include", "exclude"):
        words = fields.texts(side, longest=160, most=400)
        where = path if side == "include" else fields.place(side)
        sides[side] = frozenset(
            slug for word in words for slug in names.axis(axis, word, where, problems)
        )
    fields.refuse_unknown()
    if not sides["include"] and not sides["exclude"]:
        if not any(fields.has(side) for side in sides):
            problems.append(
                Problem(
                    path,
                    Phrase(
                        "names nothing; accepted: a name, * for every one, or leave the axis out"
                    ),
                )
            )
        return None
    return NodeSet(include=sides["include"], exclude=sides["exclude"])


def _span(value: Any, path: str, problems: list[Problem]) -> NumberRange | None:
    span = None
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        span = NumberRange(minimum=value, maximum=value)
    elif isinstance(value, str):
        span = _span_of_text(value)
    elif isinstance(value, Mapping):
        fields = Fields(value, problems, path=path)
        low, high = fields.whole("min"), fields.whole("max")
        fields.refuse_unknown()
        if low is None and high is None and not fields.given:
            problems.append(Problem(path, Phrase("is empty; accepted: min, max or both")))
        span = NumberRange(minimum=low, maximum=high)
    if span is None or (span.minimum or 0) > (span.maximum or 10**9) or span.minimum == 0:
        problems.append(
            Problem(
                path,
                Phrase(
                    'is {shown_value}; accepted: 2, "2-8", ">=2", "<=8" or min/max',
                    shown_value=shown_value(value),
                ),
            )
        )
        return None
    return span


def _span_of_text(text: str) -> NumberRange | None:
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        return None
    low, high = int(found["low"]), found["high"]
    if high is not None:
        return None if found["op"] else NumberRange(minimum=low, maximum=int(high))
    if found["op"] == ">=":
        return NumberRange(minimum=low)
    return NumberRange(maximum=low) if found["op"] == "<=" else NumberRange(low, low)
