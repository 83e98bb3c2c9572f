"""The media types that answers come in; the bytes are made by the views."""

import json
from typing import Any

from rest_framework.renderers import BaseRenderer

PROBLEM_TYPE = "application/problem+json"
NDJSON_TYPE = "application/x-ndjson"


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def json_bytes(data: Any) -> bytes:
    """Compact UTF-8 JSON; a lone surrogate, which UTF-8 lacks, becomes its escape."""
    return _encode(data).encode("utf-8", "backslashreplace")


class PlainJSON(BaseRenderer):
    """JSON."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        return json_bytes(data)


class LinesOfJSON(PlainJSON):
    """One JSON object a line."""

    media_type = NDJSON_TYPE
    format = "ndjson"


class PageForBrowsers(BaseRenderer):
    """Stands for HTML in content negotiation: a browser is sent to the page of the answer."""

    media_type = "text/html"
    format = "html"
    charset = "utf-8"

    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        return b""


class SchemaJSON(PlainJSON):
    """JSON Schema."""

    media_type = "application/schema+json"
    format = "schema"
