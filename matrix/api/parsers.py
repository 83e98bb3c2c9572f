"""Bodies, read no further than their limit; JSON without its usual extensions."""

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from matrix.api.errors import MalformedJSON, TooLargeError
from matrix.api.renderers import NDJSON_TYPE

LARGEST_BODY_BYTES = 16 * 2**20


class StrictJSON(BaseParser):
    """A JSON body of at most 16 MiB.

    **Raises**: ``TooLargeError``, ``MalformedJSON``.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The parsed body."""
        data = _read_body(stream)
        try:
            return json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
        except UnicodeDecodeError as error:
            raise MalformedJSON(f"byte {error.start} is no UTF-8") from error
        except RecursionError as error:
            raise MalformedJSON("it is nested too deeply") from error
        except ValueError as error:
            raise MalformedJSON(str(error)[:200]) from error


class _LineBytes(BaseParser):
    """A body of lines, left to whoever knows what they hold, with the form that they are in.

    **Raises**: ``TooLargeError``.
    """

    form = ""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The form and the bytes."""
        return self.form, _read_body(stream)


class NDJSONBytes(_LineBytes):
    """Lines of JSON."""

    media_type = NDJSON_TYPE
    form = "jsonl"


class CSVBytes(_LineBytes):
    """A table with a line of names."""

    media_type = "text/csv"
    form = "csv"


def _read_body(stream: IO[Any]) -> bytes:
    data: bytes = stream.read(LARGEST_BODY_BYTES + 1)
    if len(data) > LARGEST_BODY_BYTES:
        raise TooLargeError(
            what="body", seen=f"more than {LARGEST_BODY_BYTES} bytes",
            accepted=f"at most {LARGEST_BODY_BYTES} bytes",
        )  # fmt: skip
    return data


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number")
