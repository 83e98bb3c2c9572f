"""What a sender says beside the bytes, and the upload that becomes of both."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.http import QueryDict
from rest_framework.request import Request

from benchmarks_app.api.bodies import (
    RawBody,
    announced_bytes,
    check_length,
    checked_pieces,
    name_of,
)
from benchmarks_app.api.permissions import WRITE_SCOPE, has_scope
from benchmarks_app.api.problems import InvalidUpload, NeedsScope
from benchmarks_app.domain.levels import RunClass
from benchmarks_app.pages.declared import read_lines, read_pairs, tool_names
from benchmarks_app.pages.upload_form import environment_facts, text_of
from benchmarks_app.services.receiving import Received, receive_upload
from matrix.api.base import check_parameters
from matrix.api.tables import one_of
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

# Said in the address beside a raw body, or in the fields of a form.
SAID = ("tool", "run_class", "publish", "declare")
RAW_PARAMETERS = ("name", *SAID)
FORM_FIELDS = (*SAID, "declared", "environment", "pasted")
REPEATABLE = frozenset({"declare"})
FILE_FIELDS = ("file", "files")


def receive(request: Request) -> Received:
    """The upload of a request. **Raises**: ``ResultError``, ``InvalidValue``, ``UploadProblem``."""
    length = announced_bytes(request)
    check_length(length)
    body: Any = request.data if length else None
    if isinstance(body, RawBody):
        return _receive_raw(request, body, length)
    if body is not None:
        return _receive_form(request, request.POST, request.FILES)
    raise InvalidUpload(
        Phrase(
            "The body is empty or its Content-Length is not stated; accepted: a "
            "file as the body, or a form with one or more parts named file."
        )
    )


def _receive_raw(request: Request, body: RawBody, length: int | None) -> Received:
    words = request.query_params
    name = name_of(request, body.media_type)
    return receive_upload(
        [(name, checked_pieces(request, body))],
        actor=request.user.get_username(),
        way="rest",
        declared=read_pairs(words.getlist("declare")),
        expected_bytes=length,
        **_said(request, words),
    )


def _receive_form(request: Request, fields: QueryDict, files: Any) -> Received:
    check_parameters(fields, accepted=FORM_FIELDS, repeatable=REPEATABLE)
    sent = [file for name in FILE_FIELDS for file in files.getlist(name)]
    try:
        unknown = sorted(set(files) - {*FILE_FIELDS, "environment"})
        if unknown or not sent:
            raise InvalidValue(
                name="part", value=", ".join(unknown)[:60] or "no part with a file",
                accepted=Phrase("one or more files as file, one as environment"),
            )  # fmt: skip
        text = fields.get("environment", "")
        if "environment" in files:
            text = text_of(files["environment"])
        return receive_upload(
            _pieces(sent),
            actor=request.user.get_username(),
            way="rest",
            declared={
                **environment_facts(text),
                **read_lines(fields.get("declared", "")),
                **read_pairs(fields.getlist("declare")),
            },
            pasted=fields.get("pasted", ""),
            **_said(request, fields),
        )
    finally:
        for file in [one for name in files for one in files.getlist(name)]:
            file.close()


def _pieces(sent: Iterable[Any]) -> Iterator[tuple[str, Iterable[bytes]]]:
    for file in sent:
        yield file.name or "upload", file.chunks()


def _said(request: Request, words: QueryDict) -> dict[str, Any]:
    tool = words.get("tool", "")
    if tool:
        one_of("tool", tool_names(), tool)
    run_class = words.get("run_class") or RunClass.MEASURED.value
    one_of("run_class", [one.value for one in RunClass], run_class)
    publish = words.get("publish", "")
    if publish not in ("", "0", "1", "true", "false"):
        raise InvalidValue(name="publish", value=publish[:60], accepted=Phrase("1 or 0"))
    wanted = publish in ("1", "true")
    if wanted and not has_scope(request, WRITE_SCOPE):
        raise NeedsScope(WRITE_SCOPE)
    return {"tool": tool, "run_class": run_class, "publish": wanted}
