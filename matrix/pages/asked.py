"""Requests to questions: today's reader, and the words of an address without blanks."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial

from django.http import QueryDict
from django.utils import timezone

from matrix.asking import CELL_PARAMETERS, QuestionReader
from matrix.index import Knowledge
from matrix.queries import words_of_axis

Words = dict[str, list[str]]
DATE_PARAMETERS = ("as_of", "known_at")
PAGE_PARAMETERS = (*CELL_PARAMETERS, *DATE_PARAMETERS)


def today() -> date:
    """The day on which a page is read, UTC."""
    return timezone.now().date()


def reader_for(knowledge: Knowledge) -> QuestionReader:
    """Reads questions against the knowledge, today."""
    return QuestionReader(
        knowledge.catalogue, today=today(), words_of_axis=partial(words_of_axis, knowledge)
    )


def words_of(query: QueryDict, *, split: Sequence[str] = ("feature",)) -> Words:
    """The words of an address; ``split`` names fields in which a comma parts several values."""
    words: Words = {}
    for name, values in query.lists():
        given = [str(value) for value in values]
        if name in split:
            given = [part.strip() for value in given for part in value.split(",")]
        words[name] = given
    return words


def without_blanks(words: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The same words as pairs, blank ones left out."""
    return [(name, value) for name, values in words.items() for value in values if value.strip()]


def has_blanks(query: QueryDict) -> bool:
    """Whether a form was sent with fields left empty, so that its address can be shorter."""
    return any(not str(value).strip() for _, values in query.lists() for value in values)
