"""The OpenAPI description: problem details on every operation, names without the version."""

from typing import Any

from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from matrix.api.renderers import PROBLEM_TYPE

_ALWAYS = {400: "Something in the request is wrong.", 401: "The token is not valid.",
           403: "Role or scope is lacking.", 404: "There is no such thing.",
           406: "No offered media type is accepted.",
           429: "The limit of requests is reached."}  # fmt: skip
_WITH_BODY = {413: "The body is too large.", 415: "The body's media type is not taken."}


class Problem(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.CharField(help_text="Path of the page that explains the code.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(
        help_text="One sentence: what was wrong, the value seen, what is accepted."
    )
    code = serializers.CharField(help_text="Constant code of the kind of problem.")
    instance = serializers.CharField(required=False)
    parameter = serializers.CharField(required=False)
    value = serializers.CharField(required=False)
    nearest = serializers.ListField(child=serializers.CharField(), required=False)


class ProblemSchema(AutoSchema):
    """Adds the problem answers that every operation shares."""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        """The operation with its problem answers."""
        operation = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        for status, text in self._problems().items():
            if str(status) in operation["responses"]:
                continue
            answer = self._get_response_for_code(
                OpenApiResponse(Problem, description=text), str(status), media_types=[PROBLEM_TYPE]
            )
            operation["responses"][str(status)] = answer
        return operation

    def _problems(self) -> dict[int, str]:
        body = self.method in ("POST", "PUT", "PATCH")
        return {**_ALWAYS, **_WITH_BODY} if body else _ALWAYS


class WordExtension(OpenApiSerializerFieldExtension):
    """Writes a closed vocabulary where it stands.

    Several vocabularies share a field name (``kind``, ``level``), so the names that the generator
    would make up for them as components would change whenever one more is added.
    """

    target_class = "matrix.api.schemas.forms.Word"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        """A text with its allowed values."""
        return {"oneOf": [{"type": "string", "enum": list(self.target.choices)}]}


class BearerExtension(OpenApiAuthenticationExtension):
    """Names the token scheme."""

    target_class = "matrix.api.authentication.BearerToken"
    name = "bearerToken"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """How the token is sent."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "rp_…"}
