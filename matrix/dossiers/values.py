"""Reads the values of a dossier's fields, each into what is stored; every wrong one is named."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import partial
from typing import Any

from django.utils import timezone

from matrix.asking import MissingParameter, QuestionReader, cell_words
from matrix.domain.dossier_checks import read_threshold
from matrix.domain.errors import InvalidValue, RunproofError
from matrix.domain.need import (
    LARGEST_TOKENS,
    LONGEST_NOTE,
    read_count,
    read_need,
    read_number,
    read_text,
)
from matrix.domain.phrases import Phrase
from matrix.domain.scorecard import CHECKS, MOST_POINTS, CriterionKind
from matrix.dossiers.errors import InvalidDossier, problem_of
from matrix.index import current_knowledge
from matrix.memory_asking import LAYOUT_NAMES, OPTION_NAMES
from matrix.memory_settings import read_options
from matrix.queries.words import words_of_axis

LONGEST_TITLE = 200
LONGEST_NAME = 120
MOST_WORDS = 60
LONGEST_TEXT = 20_000
LAST_YEAR = 2100

Reader = Callable[[Any], Any]


def read_fields(given: Mapping[str, Any], readers: Mapping[str, Reader]) -> dict[str, Any]:
    """The stored values of the given fields. **Raises**: ``InvalidDossier`` with every problem."""
    problems, values = [], {}
    for name, value in given.items():
        try:
            values[name] = _reader_of(name, readers)(value)
        except RunproofError as error:
            problems.append(problem_of(error, field=str(error.facts.get("parameter") or name)))
    if problems:
        raise InvalidDossier(problems)
    return values


def _reader_of(name: str, readers: Mapping[str, Reader]) -> Reader:
    if name not in readers:
        accepted = Phrase("the fields {names}", names=", ".join(readers))
        raise InvalidValue(name=name[:60], value="given", accepted=accepted)
    return readers[name]


def needed_text(name: str, value: object, *, longest: int) -> str:
    """A text that is not blank. **Raises**: ``InvalidValue``."""
    text = read_text(name, value, longest=longest)
    if not text:
        raise InvalidValue(name=name, value="", accepted=Phrase("a text that is not blank"))
    return text


# Characters that begin another line or turn the direction of what stands around a name.
_NOT_IN_A_LINE = re.compile(
    r"[\n\r\t\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def line_text(name: str, value: object, *, longest: int) -> str:
    """A text of one line that may be blank: a title, a name. **Raises**: ``InvalidValue``."""
    text = read_text(name, value, longest=longest)
    if _NOT_IN_A_LINE.search(text):
        raise InvalidValue(
            name=name, value=ascii(text[:60])[1:-1], accepted=Phrase("one line of plain text")
        )
    return text


def needed_line(name: str, value: object, *, longest: int) -> str:
    """A text of one line that is not blank. **Raises**: ``InvalidValue``."""
    return line_text(name, needed_text(name, value, longest=longest), longest=longest)


def free_text(name: str, value: object) -> str:
    """A text that may be blank. **Raises**: ``InvalidValue``."""
    return read_text(name, value, longest=LONGEST_TEXT)


def past_day(name: str, value: object) -> date | None:
    """A day up to today. **Raises**: ``InvalidValue``."""
    today = timezone.now().date()
    day = _day(name, value)
    if day is not None and not date(2022, 1, 1) <= day <= today:
        raise InvalidValue(
            name=name,
            value=day.isoformat(),
            accepted=Phrase("a day from 2022-01-01 to {today}", today=today),
        )
    return day


def later_day(name: str, value: object, *, after: date | None = None) -> date | None:
    """A day that may lie ahead. **Raises**: ``InvalidValue``."""
    day = _day(name, value)
    if day is not None and (day.year > LAST_YEAR or (after is not None and day <= after)):
        accepted = Phrase("a day up to the year {year}", year=LAST_YEAR)
        if after:
            accepted = Phrase("a day after {day}", day=after)
        raise InvalidValue(name=name, value=day.isoformat(), accepted=accepted)
    return day


def _day(name: str, value: object) -> date | None:
    if value is None or value == "":
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        if not isinstance(value, str) or len(value) != len("2026-01-01"):
            raise ValueError
        return date.fromisoformat(value)
    except ValueError:
        accepted = Phrase("a day as YYYY-MM-DD")
        raise InvalidValue(name=name, value=str(value)[:60], accepted=accepted) from None


def past_moment(name: str, value: object) -> datetime | None:
    """A moment up to now, with its zone. **Raises**: ``InvalidValue``."""
    if value is None or value == "":
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value)[:40])
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or moment > timezone.now():
        accepted = Phrase("a moment up to now such as 2026-11-30T12:00:00Z")
        raise InvalidValue(name=name, value=str(value)[:60], accepted=accepted)
    return moment


def checked_need(value: object) -> dict[str, Any]:
    """The need as it is stored: its names of models, hardware and features as slugs."""
    need = read_need(value)
    assert isinstance(value, Mapping)
    plain = {key: item for key, item in value.items() if item not in (None, "")}
    reader = todays_reader()
    named = {"models": "model", "required_features": "feature"}
    for field, area in named.items():
        if field in plain:
            names = getattr(need, field)
            plain[field] = [
                _slug(reader, area, word, f"need.{field}.{at}") for at, word in enumerate(names)
            ]
    if "hardware" in plain:
        plain["hardware"] = [
            {"hardware": _slug(reader, "hardware", one.hardware, f"need.hardware.{at}.hardware"),
             "count": one.count}
            for at, one in enumerate(need.hardware)
        ]  # fmt: skip
    if need.currency:
        plain["currency"] = need.currency
    return plain


def _slug(reader: QuestionReader, area: str, word: str, field: str) -> str:
    try:
        return reader.resolve(area, word)
    except RunproofError as error:
        error.facts["parameter"] = field
        raise


def todays_reader() -> QuestionReader:
    """Reads names and questions against the current knowledge."""
    knowledge = current_knowledge()
    return QuestionReader(
        knowledge.catalogue,
        today=timezone.now().date(),
        words_of_axis=partial(words_of_axis, knowledge),
    )


def checked_words(value: object) -> list[list[str]]:
    """A question as canonical [parameter, value] pairs. **Raises**: the error of the question."""
    pairs = _pairs(value)
    words: dict[str, list[str]] = {}
    for name, word in pairs:
        if name in ("as_of", "known_at"):
            accepted = Phrase("the dates of the dossier, which hold for all its candidates")
            raise InvalidValue(name=f"words.{name}", value=word, accepted=accepted)
        words.setdefault(name, []).append(word)
    if not words.get("framework"):
        raise MissingParameter(name="framework", accepted=Phrase("the framework of the candidate"))
    question = todays_reader().read(words)
    if question.over is not None:
        raise InvalidValue(name="words.over", value=question.over.axis, accepted=Phrase("one cell"))
    return [[name, word] for name, word in cell_words(question.cell)]


def _pairs(value: object) -> list[tuple[str, str]]:
    accepted = Phrase("a list of [parameter, value] pairs, or an object of them")
    if isinstance(value, Mapping):
        value = [
            [name, word]
            for name, words in value.items()
            for word in (words if isinstance(words, (list, tuple)) else [words])
        ]
    if not isinstance(value, (list, tuple)) or not 0 < len(value) <= MOST_WORDS:
        raise InvalidValue(name="words", value=str(value)[:60], accepted=accepted)
    pairs = []
    for item in value:
        good = isinstance(item, (list, tuple)) and len(item) == 2
        if not good or not all(isinstance(word, (str, int)) for word in item):
            raise InvalidValue(name="words", value=str(item)[:60], accepted=accepted)
        pairs.append((str(item[0]), str(item[1])))
    return pairs


_LAYOUT_COUNTS = (*LAYOUT_NAMES, "context_tokens", "sequences")


def checked_layout(value: object) -> dict[str, Any]:
    """The layout as it is stored. **Raises**: ``InvalidValue``."""
    plain = _members("layout", value, (*_LAYOUT_COUNTS, *OPTION_NAMES))
    for name, item in plain.items():
        if name in _LAYOUT_COUNTS:
            read_count(f"layout.{name}", item, largest=LARGEST_TOKENS)
        else:
            _check_option(name, item)
    return plain


def _check_option(name: str, item: object) -> None:
    """Returns when an estimate can take the setting. **Raises**: ``InvalidValue``."""
    if not isinstance(item, (str, int, float)) or len(str(item)) > LONGEST_NAME:
        raise InvalidValue(
            name=f"layout.{name}", value=str(item)[:60], accepted=Phrase("one value")
        )
    try:
        read_options({name: str(item)}, (name,))
    except InvalidValue as error:
        raise InvalidValue(
            name=f"layout.{name}",
            value=ascii(str(item)[:60])[1:-1],
            accepted=str(error.facts["accepted"]),
        ) from error


def checked_effort(value: object) -> dict[str, Any]:
    """Stated engineering cost as it is stored. **Raises**: ``InvalidValue``."""
    counts = ("conversion_steps", "image_rebuilds_per_release")
    days = ("person_days_to_adopt", "person_days_per_quarter")
    plain = _members("effort", value, (*counts, *days, "note"))
    for name, item in plain.items():
        if name in counts:
            read_count(f"effort.{name}", item, largest=10_000, least=0)
        elif name in days:
            read_number(f"effort.{name}", item, largest=100_000.0, least=-1e-9)
        else:
            plain[name] = read_text(f"effort.{name}", item, longest=LONGEST_NOTE)
    return plain


def _members(name: str, value: object, known: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidValue(name=name, value=str(value)[:60], accepted=Phrase("an object"))
    for key in value:
        if key not in known:
            accepted = Phrase("the members {names}", names=", ".join(known))
            raise InvalidValue(name=f"{name}.{str(key)[:60]}", value="given", accepted=accepted)
    return {key: item for key, item in value.items() if item is not None and item != ""}


def checked_criterion(given: Mapping[str, Any]) -> dict[str, Any]:
    """The stored values of a criterion. **Raises**: ``InvalidDossier`` with every problem."""
    later: Mapping[str, Reader] = {"threshold": lambda v: v, "weight_percent": lambda v: v}
    values = read_fields(
        given,
        {
            **later,
            "name": lambda v: needed_line("name", v, longest=LONGEST_TITLE),
            "kind": lambda v: one_of("kind", v, tuple(kind.value for kind in CriterionKind)),
            "check_code": lambda v: one_of("check_code", v or "", ("", *CHECKS)),
            "note": partial(free_text, "note"),
        },
    )
    is_weighted = values["kind"] == CriterionKind.WEIGHTED.value
    code = values["check_code"]
    rest = read_fields(
        {name: values[name] for name in later},
        {
            "threshold": lambda v: _threshold(code, v or {}),
            "weight_percent": lambda v: _weight(v, is_weighted=is_weighted),
        },
    )
    return values | rest


def _threshold(code: str, value: object) -> dict[str, Any]:
    if not code:
        if value:
            accepted = Phrase("nothing without an automatic check")
            raise InvalidValue(name="threshold", value=str(value)[:60], accepted=accepted)
        return {}
    threshold = read_threshold(code, value)
    if "feature" in threshold:
        word = threshold["feature"]
        threshold["feature"] = _slug(todays_reader(), "feature", word, "threshold.feature")
    return threshold


def _weight(value: object, *, is_weighted: bool) -> int:
    if is_weighted:
        return read_count("weight_percent", value, largest=100)
    if value not in (0, None, ""):
        accepted = Phrase("0, because a knock-out has no weight")
        raise InvalidValue(name="weight_percent", value=str(value)[:60], accepted=accepted)
    return 0


def one_of(name: str, value: object, words: tuple[str, ...]) -> str:
    """The value when it is one of the words. **Raises**: ``InvalidValue``."""
    if value not in words:
        listed = ", ".join(word or "(blank)" for word in words)
        accepted = Phrase("one of {names}", names=listed)
        raise InvalidValue(name=name, value=str(value)[:60], accepted=accepted)
    return str(value)


def checked_points(value: object) -> int | None:
    """Points from 0 to 4, or none. **Raises**: ``InvalidValue``."""
    if value is None or value == "":
        return None
    return read_count("points", value, largest=MOST_POINTS, least=0)


def yes_or_no(name: str, value: object) -> bool:
    """A truth value. **Raises**: ``InvalidValue``."""
    if not isinstance(value, bool):
        raise InvalidValue(name=name, value=str(value)[:60], accepted=Phrase("true or false"))
    return value


def checked_passes(value: object) -> bool | None:
    """Yes, no or not said. **Raises**: ``InvalidValue``."""
    if value is None or isinstance(value, bool):
        return value
    raise InvalidValue(name="passes", value=str(value)[:60], accepted=Phrase("true, false or null"))
