"""Reads the words of a request into a question; nothing is guessed and nothing is left out."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from matrix.asking.errors import MissingParameter, RepeatedParameter, UnknownParameter
from matrix.asking.names import (
    AS_OF,
    CELL_PARAMETERS,
    FEATURE,
    FRAMEWORK,
    KNOWN_AT,
    NODE_PARAMETERS,
    NUMBER_PARAMETERS,
    OVER,
    OVER_AXES,
    OVER_KIND,
    OVER_PARENT,
    QUESTION_PARAMETERS,
    REPEATABLE,
    ROOT_OF_AXIS,
    SETTING,
    SPELLINGS_OF_AXIS,
    VERSION,
)
from matrix.domain.aliases import NameTable, normalise_name
from matrix.domain.catalogue import AREA_OF_AXIS, Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.errors import AmbiguousName, InvalidValue, UnknownName, UnknownVersion
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.phrases import Phrase
from matrix.domain.versions import LATEST

Words = Mapping[str, Sequence[str]]
# The words that claims use on an axis without catalogue.
WordsOfAxis = Callable[[Axis], frozenset[str]]

# No source that we read speaks for a day before this one.
FIRST_DAY = date(2022, 1, 1)
LONGEST_WORD = 200
MOST_REPEATED = 64
LARGEST_NUMBER = 100_000_000
# Looking for near names costs milliseconds; a batch of wrong names must not cost minutes.
NEAREST_LOOKUPS = 25
# A table this small is shown whole where no name is near.
MOST_LISTED = 8

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,9}")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Over:
    """The axis that a list runs over, and which of its nodes: of one kind, below one node."""

    axis: str
    kind: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A cell, the two dates it is asked for, and the axis a list runs over, if any.

    **Dates**: ``as_of`` is of the valid clock, ``known_at`` of the recorded clock.
    """

    cell: Cell
    as_of: date
    known_at: date | None = None
    over: Over | None = None


class QuestionReader:
    """Reads questions against one catalogue on one day.

    **Raises** on ``read``: ``UnknownParameter``, ``MissingParameter``, ``RepeatedParameter``,
    ``InvalidValue``, ``UnknownName``, ``AmbiguousName``, ``UnknownVersion``, ``NotReleasedYet``.
    **Dates**: ``today`` is the last day that can be asked for; the caller's clock, never ours.
    """

    def __init__(self, catalogue: Catalogue, *, today: date, words_of_axis: WordsOfAxis) -> None:
        self.catalogue = catalogue
        self.today = today
        self._words_of_axis = words_of_axis
        self._lookups_left = NEAREST_LOOKUPS

    def read(self, words: Words, *, accepted: Sequence[str] = QUESTION_PARAMETERS) -> Question:
        """The question of the words; a blank value leaves its axis open."""
        single, lists = self._sorted_words(words, accepted)
        as_of = self.read_day(AS_OF, single.get(AS_OF)) or self.today
        known_at = self.read_day(KNOWN_AT, single.get(KNOWN_AT))
        over = self._read_over(single)
        cell = self._read_cell(
            single, lists, needs_framework=over is None or over.axis != FRAMEWORK
        )
        if over is not None:
            self._check_left_open(over, cell)
        if cell.framework:
            self._check_version(cell, as_of)
        return Question(cell=cell, as_of=as_of, known_at=known_at, over=over)

    def read_day(self, name: str, text: str | None) -> date | None:
        """The day of a date parameter, or ``None`` when it is not given."""
        if not text:
            return None
        day = None
        if _DAY.fullmatch(text):
            try:
                day = date.fromisoformat(text)
            except ValueError:
                day = None
        if day is None or not FIRST_DAY <= day <= self.today:
            raise InvalidValue(
                name=name,
                value=text,
                accepted=Phrase(
                    "a day as YYYY-MM-DD from {first_day} to {today}",
                    first_day=FIRST_DAY,
                    today=self.today,
                ),
            )
        return day

    def resolve(self, parameter: str, word: str) -> str:
        """The slug of a word given for a parameter (``framework``, ``feature`` or an axis)."""
        if parameter in (FRAMEWORK, FEATURE):
            return self._one(parameter, self._table(parameter), word, (word,))
        return self._node(NODE_PARAMETERS[parameter], word)

    # -- words --------------------------------------------------------------------------------

    def _sorted_words(
        self, words: Words, accepted: Sequence[str]
    ) -> tuple[dict[str, str], dict[str, list[str]]]:
        single: dict[str, str] = {}
        lists: dict[str, list[str]] = {}
        for name, values in words.items():
            if name not in accepted:
                raise UnknownParameter(name=name, accepted=accepted)
            checked = [check_text(name, value) for value in values]
            given = [value for value in checked if value]
            if name in REPEATABLE:
                if len(given) > MOST_REPEATED:
                    raise InvalidValue(
                        name=name,
                        value=f"{len(given)} values",
                        accepted=Phrase("at most {most_repeated}", most_repeated=MOST_REPEATED),
                    )
                lists[name] = given
            elif len(values) > 1:
                raise RepeatedParameter(name=name, values=values)
            elif given:
                single[name] = given[0]
        return single, lists

    # -- cell ---------------------------------------------------------------------------------

    def _read_cell(
        self, single: Mapping[str, str], lists: Mapping[str, list[str]], *, needs_framework: bool
    ) -> Cell:
        word = single.get(FRAMEWORK)
        if not word and needs_framework:
            known = ", ".join(sorted(self.catalogue.area("framework"))[:12])
            raise MissingParameter(
                name=FRAMEWORK, accepted=Phrase("a framework such as {known}", known=known)
            )
        version = single.get(VERSION)
        nodes = {
            axis: self._node(axis, single[name])
            for name, axis in NODE_PARAMETERS.items()
            if name in single
        }
        numbers: dict[NumberAxis, float] = {
            axis: _read_number(name, single[name])
            for name, axis in NUMBER_PARAMETERS.items()
            if name in single
        }
        return Cell(
            framework=self.resolve(FRAMEWORK, word) if word else "",
            version=None if version == LATEST else version,
            nodes=nodes,
            features=frozenset(self.resolve(FEATURE, name) for name in lists.get(FEATURE, ())),
            numbers=numbers,
            settings=_read_settings(lists.get(SETTING, ())),
        )

    def _table(self, name: str) -> NameTable:
        return self.catalogue.vocabulary.table(name)

    def _node(self, axis: Axis, word: str) -> str:
        if axis not in AREA_OF_AXIS:
            return self._free_word(axis, word)
        patterns = SPELLINGS_OF_AXIS.get(axis, ("{}",))
        spellings = tuple(pattern.format(word) for pattern in patterns)
        root = ROOT_OF_AXIS.get(axis)
        return self._one(axis.value, self._table(AREA_OF_AXIS[axis]), word, spellings, root=root)

    def _one(
        self,
        parameter: str,
        table: NameTable,
        word: str,
        spellings: Sequence[str],
        *,
        root: str | None = None,
    ) -> str:
        """The one slug that a spelling of the word means, below ``root`` where one is given."""
        for spelling in spellings:
            found = table.find(spelling) or table.ambiguous.get(normalise_name(spelling), ())
            slugs = [
                slug for slug in found if root is None or self._is_below(parameter, slug, root)
            ]
            if len(slugs) > 1:
                ambiguous = AmbiguousName(axis=parameter, value=word, nodes=slugs)
                ambiguous.facts["parameter"] = parameter
                raise ambiguous
            if slugs:
                return slugs[0]
        near = self._nearest(parameter, table, spellings[-1], root)
        unknown = UnknownName(axis=parameter, value=word, nearest=near)
        unknown.facts["parameter"] = parameter
        raise unknown

    def _is_below(self, parameter: str, slug: str, root: str) -> bool:
        return root in self.catalogue.trees.tree(Axis(parameter)).up(slug)

    def _nearest(
        self, parameter: str, table: NameTable, word: str, root: str | None
    ) -> tuple[str, ...]:
        if self._lookups_left <= 0:
            return ()
        self._lookups_left -= 1
        names = table.nearest(word, limit=5 if root is None else 20)
        if not names and len(table.names) <= MOST_LISTED:
            names = tuple(sorted(table.names))
        if root is None:
            return names
        slugs = {name: table.find(name) for name in names}
        below = [n for n, s in slugs.items() if s and self._is_below(parameter, s[0], root)]
        return tuple(below[:5])

    def _free_word(self, axis: Axis, word: str) -> str:
        """A word of an axis without catalogue: one that some claim uses, as claims write it."""
        known = self._words_of_axis(axis)
        slug = normalise_name(word)
        if slug in known:
            return slug
        table = NameTable(axis=axis.value, names={name: (name,) for name in known})
        return self._one(axis.value, table, word, (word,))

    # -- versions and lists -------------------------------------------------------------------

    def _check_version(self, cell: Cell, as_of: date) -> None:
        history = self.catalogue.histories[cell.framework]
        if cell.version is None:
            return
        if history.find(cell.version) is None and self._lookups_left <= 0:
            raise UnknownVersion(framework=cell.framework, value=cell.version, nearest=())
        try:
            history.asked_rank(cell.version, as_of=as_of)
        except UnknownVersion:
            self._lookups_left -= 1
            raise

    def _read_over(self, single: Mapping[str, str]) -> Over | None:
        axis = single.get(OVER)
        if axis is None:
            for name in (OVER_KIND, OVER_PARENT):
                if name in single:
                    raise UnknownParameter(name=name, accepted=(*CELL_PARAMETERS, AS_OF, KNOWN_AT))
            return None
        if axis not in OVER_AXES:
            raise InvalidValue(
                name=OVER, value=axis, accepted=Phrase("one of {names}", names=", ".join(OVER_AXES))
            )
        kind = single.get(OVER_KIND, "")
        parent = single.get(OVER_PARENT, "")
        if axis == VERSION and (kind or parent):
            name = OVER_KIND if kind else OVER_PARENT
            raise InvalidValue(
                name=name, value=kind or parent, accepted=Phrase("nothing over versions")
            )
        kinds = sorted({node.kind for node in self.catalogue.area(axis).values()})
        if kind and kind not in kinds:
            raise InvalidValue(
                name=OVER_KIND,
                value=kind,
                accepted=Phrase("one of {names}", names=", ".join(kinds)),
            )
        return Over(axis, kind=kind, parent=self.resolve(axis, parent) if parent else "")

    def _check_left_open(self, over: Over, cell: Cell) -> None:
        given: dict[str, object] = {
            FRAMEWORK: cell.framework,
            VERSION: cell.version,
            **{axis.value: slug for axis, slug in cell.nodes.items()},
        }
        if given.get(over.axis):
            raise InvalidValue(
                name=over.axis,
                value=given[over.axis],
                accepted=Phrase(
                    "nothing, because over={axis} asks for all of them", axis=over.axis
                ),
            )
        if over.axis == FRAMEWORK and cell.version:
            raise InvalidValue(
                name=VERSION,
                value=cell.version,
                accepted=Phrase(
                    "nothing over frameworks: each is asked at its newest stable release"
                ),
            )


def check_text(name: str, value: object) -> str:
    """The value without surrounding blanks.

    **Raises**: ``InvalidValue`` for what is no short text.
    """
    if not isinstance(value, str):
        raise InvalidValue(name=name, value=f"a {type(value).__name__}", accepted=Phrase("text"))
    if len(value) > LONGEST_WORD:
        raise InvalidValue(
            name=name,
            value=f"{value[:20]}… ({len(value)} characters)",
            accepted=Phrase("at most {longest_word} characters", longest_word=LONGEST_WORD),
        )
    if _UNPRINTABLE.search(value):
        raise InvalidValue(
            name=name, value=ascii(value), accepted=Phrase("text without control characters")
        )
    return value.strip()


def _read_number(name: str, text: str) -> int:
    if _NUMBER.fullmatch(text) and 1 <= int(text) <= LARGEST_NUMBER:
        return int(text)
    raise InvalidValue(
        name=name,
        value=text,
        accepted=Phrase("a whole number from 1 to {largest_number}", largest_number=LARGEST_NUMBER),
    )


def _read_settings(texts: Sequence[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise InvalidValue(
                name=SETTING, value=text, accepted=Phrase("name:value, such as --enforce-eager:1")
            )
        if name.strip() in settings:
            raise RepeatedParameter(name=f"setting {name.strip()}", values=[name, text])
        settings[name.strip()] = value.strip()
    return settings
