"""Words of an address to a selection of runs; a wrong word is an error and never left out."""

from collections.abc import Mapping, Sequence

from django.db.models import QuerySet

from benchmarks_app.filters import NODE_FILTERS, RunFilters
from benchmarks_app.models import Run
from matrix.asking import RepeatedParameter, UnknownParameter
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge
from matrix.pages.asked import reader_for

FILTER_FIELDS = tuple(RunFilters.base_filters)
_RESOLVED = (*NODE_FILTERS, "framework")


def single_words(words: Mapping[str, Sequence[str]], *, accepted: Sequence[str]) -> dict[str, str]:
    """The words of an address, each given once and none unknown; blank ones are left out.

    **Raises**: ``UnknownParameter``, ``RepeatedParameter``, ``InvalidValue``.
    """
    found = {}
    for name, values in words.items():
        if name not in accepted:
            raise UnknownParameter(name=name, accepted=accepted)
        if len(values) > 1:
            raise RepeatedParameter(name=name, values=values)
        text = (values or [""])[0].strip()
        if "\x00" in text:
            raise InvalidValue(
                name=name, value=text[:60], accepted=Phrase("text without control signs")
            )
        if text:
            found[name] = text
    return found


def selected_runs(words: Mapping[str, str], knowledge: Knowledge) -> QuerySet[Run]:
    """The public runs that the filters let through; names of nodes may be written as people do.

    **Raises**: ``RunproofError`` that names the field, the value and what is accepted.
    """
    reader = reader_for(knowledge)
    given = {
        name: reader.resolve(name, value) if name in _RESOLVED else value
        for name, value in words.items()
        if name in FILTER_FIELDS
    }
    filters = RunFilters(data=given, queryset=Run.objects.public())
    if not filters.is_valid():
        for name, errors in filters.errors.items():
            said = str(errors[0]).rstrip(".")
            raise InvalidValue(name=name, value=given.get(name, ""), accepted=said)
    runs: QuerySet[Run] = filters.qs
    return runs
