"""Filtered lists over one table, page by page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request

from matrix.api.base import Endpoint, question_reader, sorted_query
from matrix.api.pagination import PAGE_PARAMETERS, CursorPages
from matrix.asking import QuestionReader
from matrix.domain.catalogue import Catalogue
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge, current_knowledge

# Turns the value of a parameter into its canonical form, or raises what is wrong with it.
Check = Callable[[QuestionReader, Catalogue, str], str]


def one_of(name: str, words: Sequence[str], value: str) -> str:
    """The value when it is one of the words. **Raises**: ``InvalidValue`` naming them."""
    if value in words:
        return value
    raise InvalidValue(
        name=name, value=value, accepted=Phrase("one of {names}", names=", ".join(words))
    )


def checked_day(name: str) -> Check:
    """A check that the value is a day that can be asked for."""

    def check(reader: QuestionReader, catalogue: Catalogue, value: str) -> str:
        reader.read_day(name, value)
        return value

    return check


def checked_name(name: str) -> Check:
    """A check that the value names a node; its result is the node's slug."""

    def check(reader: QuestionReader, catalogue: Catalogue, value: str) -> str:
        return reader.resolve(name, value)

    return check


class TableEndpoint(Endpoint, GenericAPIView[Any]):
    """A filtered list over one table, page by page.

    ``checks`` name the parameters whose values must be known; an unknown one is an error, where
    an empty list would look like an answer. **Queries**: revision, page and what a row shows.
    """

    filter_backends = [DjangoFilterBackend]
    filterset_class: Any = None
    pagination_class = CursorPages
    page_ordering: tuple[str, ...] = ("pk",)
    checks: Mapping[str, Check] = {}

    def accepted_parameters(self) -> Sequence[str]:
        """The filters and those of paging."""
        return (*self.filterset_class.base_filters, *self.accepted, *PAGE_PARAMETERS)

    def table_answer(
        self, request: Request, build: Callable[[Knowledge, Sequence[Any]], list[Any]]
    ) -> HttpResponse:
        """One page of the list, built from its rows."""
        knowledge = current_knowledge()
        reader = question_reader(knowledge)

        def page() -> dict[str, Any]:
            rows = self._filtered(request, reader)
            found = self.paginate_queryset(rows) or []
            pages = self.paginator
            assert isinstance(pages, CursorPages)
            return {
                "revision": knowledge.revision,
                "next": pages.get_next_link(),
                "previous": pages.get_previous_link(),
                "results": build(knowledge, found),
            }

        return self.answer(
            request,
            page,
            depends_on=[knowledge.revision, reader.today, sorted_query(request),
                        request.get_host()],
        )  # fmt: skip

    def _filtered(self, request: Request, reader: QuestionReader) -> Any:
        words: dict[str, str] = {
            name: str(value)
            for name, value in request.query_params.items()
            if name in self.filterset_class.base_filters and value
        }
        for name, check in self.checks.items():
            if name in words:
                words[name] = check(reader, reader.catalogue, words[name])
        found = self.filterset_class(words, queryset=self.get_queryset(), request=request)
        if not found.is_valid():
            for name, problems in found.errors.items():
                raise InvalidValue(
                    name=name, value=words.get(name, "")[:60], accepted=accepted_by(found, name)
                    or str(problems[0]),
                )  # fmt: skip
        return found.qs


def accepted_by(filterset: Any, name: str) -> str:
    """What a filter takes, in words."""
    field = filterset.filters[name].field
    choices = [value for value, _ in getattr(field, "choices", ()) if value]
    if choices:
        return "one of " + ", ".join(str(value) for value in choices)
    if getattr(field, "input_formats", None):
        return "a day as YYYY-MM-DD"
    longest = getattr(field, "max_length", None)
    return f"text of at most {longest} characters without control characters" if longest else ""
