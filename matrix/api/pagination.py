"""Pages by opaque cursors, over tables and over computed lists."""

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

from matrix.asking import InvalidCursor
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

PAGE_SIZE = 100
LARGEST_PAGE_SIZE = 1_000
CURSOR = "cursor"
PAGE_SIZE_NAME = "page_size"
PAGE_PARAMETERS = (CURSOR, PAGE_SIZE_NAME)

_Item = TypeVar("_Item")


def read_page_size(request: Request) -> int:
    """The page size asked for. **Raises**: ``InvalidValue``."""
    text = request.query_params.get(PAGE_SIZE_NAME, "")
    if not text:
        return PAGE_SIZE
    if re.fullmatch(r"[0-9]{1,4}", text) and 1 <= int(text) <= LARGEST_PAGE_SIZE:
        return int(text)
    raise InvalidValue(
        name=PAGE_SIZE_NAME,
        value=text[:60],
        accepted=Phrase(
            "a number from 1 to {largest_page_size}", largest_page_size=LARGEST_PAGE_SIZE
        ),
    )


class CursorPages(CursorPagination):
    """Pages over a table; a view's ``page_ordering`` decides the order."""

    ordering = "pk"
    page_size = PAGE_SIZE
    max_page_size = LARGEST_PAGE_SIZE
    page_size_query_param = PAGE_SIZE_NAME
    cursor_query_param = CURSOR

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> Any:
        """The order of the view, which must be total."""
        return getattr(view, "page_ordering", (self.ordering,))

    def get_page_size(self, request: Request) -> int:
        """The page size; a wrong one is an error, not ignored."""
        return read_page_size(request)

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        """The rows of the page. **Raises**: ``InvalidCursor`` for a position of another type."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValidationError, ValueError) as error:
            raise InvalidCursor(request.query_params.get(CURSOR, "")) from error

    def decode_cursor(self, request: Request) -> Any:
        """The cursor. **Raises**: ``InvalidCursor``."""
        text = request.query_params.get(CURSOR)
        if text is None:
            return None
        try:
            cursor = super().decode_cursor(request)
        except NotFound as error:
            raise InvalidCursor(text) from error
        if cursor is not None and "\x00" in str(cursor.position):
            raise InvalidCursor(text)
        return cursor


class ListPage(NamedTuple):
    """A page of a computed list and the addresses of its neighbours."""

    items: Sequence[Any]
    next: str | None
    previous: str | None


def page_of(request: Request, items: Sequence[_Item], *, keys: Sequence[str]) -> ListPage:
    """The page of a list that the request's cursor names.

    A cursor holds the key of its first item, so that new items elsewhere do not shift pages.
    **Shapes**: ``keys`` is parallel to ``items``, without repetition.
    """
    size = read_page_size(request)
    start = 0
    if text := request.query_params.get(CURSOR):
        try:
            start = keys.index(_decode(text))
        except ValueError as error:
            raise InvalidCursor(text) from error
    end = start + size
    following = keys[end] if end < len(keys) else None
    before = keys[max(0, start - size)] if start > 0 else None
    return ListPage(
        items=items[start:end],
        next=_address(request, following) if following is not None else None,
        previous=_address(request, before) if before is not None else None,
    )


def _decode(text: str) -> str:
    try:
        return base64.urlsafe_b64decode(text.encode("ascii")).decode("utf-8")
    except (binascii.Error, UnicodeError) as error:
        raise ValueError(str(error)) from error


def _address(request: Request, key: str) -> str:
    pairs = [(n, v) for n, values in request.query_params.lists() for v in values if n != CURSOR]
    pairs.append((CURSOR, base64.urlsafe_b64encode(key.encode()).decode("ascii")))
    return str(request.build_absolute_uri(f"{request.path}?{urlencode(pairs)}"))
