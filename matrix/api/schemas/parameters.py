"""Query parameters, and the form of pages."""

from functools import cache
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers

from matrix.api.schemas.forms import Word
from matrix.asking import NUMBER_PARAMETERS, OVER_AXES
from matrix.asking.names import NODE_PARAMETERS
from matrix.domain.catalogue import NODE_AREAS
from matrix.queries.changes import ChangeKind, Clock


def _query(name: str, text: str, **options: Any) -> OpenApiParameter:
    return OpenApiParameter(name, location=OpenApiParameter.QUERY, description=text, **options)


AS_OF_PARAMETER = _query(
    "as_of", "Answer with what sources had stated by this day; today when left out.",
    type=OpenApiTypes.DATE,
)  # fmt: skip
KNOWN_AT_PARAMETER = _query(
    "known_at", "Answer with what was recorded here by this day.", type=OpenApiTypes.DATE
)
PAGE_DOCS = [
    _query("cursor", "From the next or previous address of a page."),
    _query("page_size", "Rows of a page, 1 to 1000; 100 when left out.", type=OpenApiTypes.INT),
]
QUESTION_DOCS = [
    _query("framework", "Slug or known name. Required but over frameworks."),
    _query("version", "A release or `latest`, the newest stable one on as_of."),
    *(_query(name, "Slug or known name of a node.") for name in NODE_PARAMETERS),
    *(_query(name, "A number from 1 on.", type=OpenApiTypes.INT) for name in NUMBER_PARAMETERS),
    _query("feature", "Slug or known name; repeatable.", type=OpenApiTypes.STR, many=True),
    _query("setting", "name:value of a flag, variable or build option; repeatable.",
           type=OpenApiTypes.STR, many=True),
    AS_OF_PARAMETER,
    KNOWN_AT_PARAMETER,
    _query("over", "Gives short verdicts over this axis.", enum=list(OVER_AXES)),
    _query("kind", "With over: only nodes of this kind."),
    _query("parent", "With over: only nodes below this one."),
    *PAGE_DOCS,
]  # fmt: skip
ALIAS_PARAMETERS = [
    _query("area", "One area of the catalogue.", enum=list(NODE_AREAS)),
    _query("kind", "One kind of name.",
           enum=["slug", "name", "same", "moved", "split", "ambiguous"]),
    _query("q", "Part of the name."),
    *PAGE_DOCS,
]  # fmt: skip
CHANGE_PARAMETERS = [
    _query("from", "The first of the two days.", type=OpenApiTypes.DATE, required=True),
    _query("to", "The second one; today when left out.", type=OpenApiTypes.DATE),
    _query("framework", "Slug or known name."),
    _query("clock", "`valid`: by what sources said; `recorded`: by what we wrote down.",
           enum=[c.value for c in Clock]),
    _query("change", "One kind of change.", enum=[k.value for k in ChangeKind]),
    *PAGE_DOCS,
]  # fmt: skip


@cache
def paged(
    name: str,
    row: type[serializers.Serializer[Any]],
    *,
    counted: bool = True,
    dated: bool = False,
) -> Any:
    """The form of a page of rows; a dated one says between which days it looks, by which clock."""
    fields: dict[str, Any] = {
        "revision": serializers.IntegerField(),
        "next": serializers.CharField(allow_null=True),
        "previous": serializers.CharField(allow_null=True),
        "results": row(many=True),
    }
    if counted:
        fields["count"] = serializers.IntegerField()
    if dated:
        fields["from"] = serializers.DateField()
        fields["to"] = serializers.DateField()
        fields["clock"] = Word(choices=[c.value for c in Clock])
    return inline_serializer(name, fields=fields)


def table_schema(
    operation_id: str, row: type[serializers.Serializer[Any]], *more: OpenApiParameter
) -> Any:
    """Describes a list over a table: its filters, its paging and the form of its pages."""
    return extend_schema(
        operation_id=operation_id,
        parameters=[*more, *PAGE_DOCS],
        filters=True,
        responses=paged(f"{row.__name__}Page", row, counted=False),
    )
