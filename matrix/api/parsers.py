"""Bodies, read no further than their limit; JSON without its usual extensions."""

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from matrix.api.errors import MalformedJSON, TooLargeError
from matrix.api.renderers import NDJSON_TYPE
from matrix.domain.phrases import Phrase

LARGEST_BODY_BYTES = 16 * 2**20


class StrictJSON(BaseParser):
    """A JSON body of at most 16 MiB, in which no object names a member twice.

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
            return json.loads(
                data.decode("utf-8"),
                parse_constant=_refuse_constant,
                parse_float=_finite,
                object_pairs_hook=_one_of_each,
            )
        except UnicodeDecodeError as error:
            raise MalformedJSON(Phrase("byte {start} is no UTF-8", start=error.start)) from error
        except RecursionError as error:
            raise MalformedJSON(Phrase("it is nested too deeply")) from error
        except ValueError as error:
            raise MalformedJSON(str(error)[:200]) from error


def _one_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(Phrase("the member {twice!r} is named twice", twice=twice[:40]))
    return found


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
            what=Phrase("body"),
            seen=f"more than {LARGEST_BODY_BYTES} bytes",
            accepted=Phrase(
                "at most {largest_body_bytes} bytes", largest_body_bytes=LARGEST_BODY_BYTES
            ),
        )
    return data


def _refuse_constant(word: str) -> Any:
    raise ValueError(Phrase("{word} is no JSON number", word=word))


def _finite(digits: str) -> float:
    """The number; one such as 1e999, which would become infinite, is refused."""
    value = float(digits)
    if math.isinf(value):
        raise ValueError(
            Phrase("{digits} is beyond every number that is counted with", digits=digits[:20])
        )
    return value
