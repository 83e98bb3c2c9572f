"""The samples of a run as lines of JSON or a table, so that anybody can make statistics again."""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from benchmarks_app.api import schemas
from benchmarks_app.api.runs import find_run
from benchmarks_app.contract import Floats
from benchmarks_app.domain.sample_codec import decode
from benchmarks_app.models import SampleSet
from matrix.api.base import Endpoint, entity_tag, is_known, mark_cacheable
from matrix.api.errors import NoSuchThing
from matrix.api.renderers import NDJSON_TYPE, LinesOfJSON, json_bytes
from matrix.api.tables import one_of
from matrix.domain.phrases import Phrase

CSV_TYPE = "text/csv"
FORMATS = ("ndjson", "csv")
PARTS = ("requests", "pooled", "repeats")
LINES_AT_ONCE = 1_000


class SampleTable(BaseRenderer):
    """A table of samples."""

    media_type = CSV_TYPE
    format = "csv"
    charset = "utf-8"

    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        """Nothing: the view writes the lines."""
        return b""


class RunSamples(Endpoint):
    """What a run's tool recorded of each request."""

    renderer_classes = [LinesOfJSON, SampleTable]
    accepted = ("format", "part")

    @extend_schema(
        operation_id="benchmark_runs_samples",
        parameters=schemas.SAMPLE_PARAMETERS,
        responses={(200, NDJSON_TYPE): OpenApiTypes.STR, (200, CSV_TYPE): OpenApiTypes.STR},
    )
    def get(self, request: Request, uid: str) -> HttpResponse | StreamingHttpResponse:
        """One line a request; of other parts one line a value. Unknown values are null or blank.

        **Units**: as the names say; ``start_s`` counts from the first request on.
        """
        words = request.query_params
        wanted = words.get("format", "")
        if wanted:
            one_of("format", FORMATS, wanted)
        as_csv = wanted == "csv" or (not wanted and request.accepted_media_type == CSV_TYPE)
        part = words.get("part") or "requests"
        one_of("part", PARTS, part)
        run = find_run(request, uid)
        tag = entity_tag([request.path, run.digest, run.version, run.state, as_csv, part])
        if is_known(request, tag):
            return mark_cacheable(HttpResponse(status=304), tag)
        columns = _columns(run.pk, uid, part)
        lines = _csv_lines(columns, part) if as_csv else _json_lines(columns, part)
        media_type = CSV_TYPE if as_csv else NDJSON_TYPE
        response = StreamingHttpResponse(lines, content_type=media_type)
        ending = "csv" if as_csv else "ndjson"
        response["Content-Disposition"] = f'attachment; filename="{run.uid}-{part}.{ending}"'
        return mark_cacheable(response, tag)


def _columns(pk: int, uid: str, part: str) -> Mapping[str, Floats]:
    """The columns of a part. **Raises**: ``NoSuchThing`` where nothing was recorded."""
    row = SampleSet.objects.filter(run_id=pk).first()
    columns = getattr(decode(bytes(row.encoded)), part) if row is not None else {}
    if not columns:
        raise NoSuchThing(what=Phrase("run with samples of {part}", part=part), value=uid)
    return dict(columns)


def _json_lines(columns: Mapping[str, Floats], part: str) -> Iterator[bytes]:
    waiting = []
    for row in _rows(columns, part):
        waiting.append(json_bytes(row))
        if len(waiting) == LINES_AT_ONCE:
            yield b"\n".join(waiting) + b"\n"
            waiting = []
    if waiting:
        yield b"\n".join(waiting) + b"\n"


def _csv_lines(columns: Mapping[str, Floats], part: str) -> Iterator[bytes]:
    names = list(columns) if part == "requests" else ["metric", "value"]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    for number, row in enumerate(_rows(columns, part), 1):
        writer.writerow(["" if row[name] is None else row[name] for name in names])
        if number % LINES_AT_ONCE == 0:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def _rows(columns: Mapping[str, Floats], part: str) -> Iterator[dict[str, Any]]:
    """The rows of columns of one length, or the values of columns that differ in length."""
    if part != "requests":
        for name, values in columns.items():
            for value in values.tolist():
                yield {"metric": name, "value": _plain(name, value)}
        return
    lists = [values.tolist() for values in columns.values()]
    names = list(columns)
    for row in zip(*lists, strict=True):
        yield {name: _plain(name, value) for name, value in zip(names, row, strict=True)}


def _plain(name: str, value: float) -> float | int | bool | None:
    if not math.isfinite(value):
        return None
    if name == "ok":
        return value == 1.0
    return int(value) if name.endswith("_tokens") and value.is_integer() else value
