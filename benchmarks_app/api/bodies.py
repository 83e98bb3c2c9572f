"""Bodies of uploads: parts of a form, or the bytes of one file, neither held in memory."""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.http.request import UnreadablePostError
from django.utils.http import parse_header_parameters
from rest_framework.parsers import BaseParser, DataAndFiles
from rest_framework.request import Request

from benchmarks_app.api.problems import problem_of_result
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.services.receiving import TooLarge, upload_limit_bytes
from matrix.api.negotiation import AcceptHeader
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

MULTIPART = "multipart/form-data"
PIECE_BYTES = 2**20
# Boundaries and field names around the files of a form.
FORM_OVERHEAD_BYTES = 2**20
_EXTENSIONS: Mapping[str, str] = {
    "application/json": ".json", "application/x-ndjson": ".jsonl", "application/jsonl": ".jsonl",
    "text/csv": ".csv", "application/yaml": ".yaml", "text/markdown": ".md",
    "application/zip": ".zip", "application/gzip": ".gz", "text/plain": ".txt",
}  # fmt: skip
_SHA256_FIELD = re.compile(r"(?:^|,)\s*sha-256=:(?P<value>[A-Za-z0-9+/=]{1,64}):\s*(?:,|$)")


class CountedStream:
    """A stream that knows how many bytes came through it, and their digest."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes. **Raises**: ``EOFError`` for a sender that broke off."""
        try:
            data = self._stream.read(size)
        except UnreadablePostError as error:
            raise EOFError(str(error)) from error
        self.count += len(data)
        self._digest.update(data)
        return data

    def pieces(self) -> Iterator[bytes]:
        """What is left, piece by piece."""
        while piece := self.read(PIECE_BYTES):
            yield piece

    @property
    def sha256(self) -> str:
        """The digest of what came through."""
        return self._digest.hexdigest()


@dataclass(frozen=True, slots=True)
class RawBody:
    """A body that is the bytes of one file, not read yet."""

    stream: CountedStream
    media_type: str


class FormParts(BaseParser):
    """``multipart/form-data`` whose files lie in temporary files.

    Where a session sends it, the check against forgery has it parsed before the view begins, so
    that limits and digests are looked at here and their errors are problems already.
    """

    media_type = MULTIPART

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Fields and files. **Raises**: ``UploadProblem``."""
        request: HttpRequest = (parser_context or {})["request"]
        try:
            return _parse_form(request, stream, media_type)
        except ResultError as error:
            raise problem_of_result(error) from error


def _parse_form(request: HttpRequest, stream: IO[Any], media_type: str | None) -> Any:
    """The form. **Raises**: ``ResultError`` for one that is too large, cut off or differs."""
    announced = announced_bytes(request)
    check_length(announced)
    counted: Any = CountedStream(stream)
    meta = {**request.META, "CONTENT_TYPE": media_type}
    handlers = [TemporaryFileUploadHandler(request)]
    try:
        fields, files = MultiPartParser(meta, counted, handlers, "utf-8").parse()
    except (MultiPartParserError, EOFError) as error:
        raise cut_off(counted.count, announced) from error
    if announced and counted.count < announced:
        raise cut_off(counted.count, announced)
    check_digest(request, counted.sha256)
    return DataAndFiles(fields, files)


def check_length(announced: int | None) -> None:
    """Returns when a body of that length may be read. **Raises**: ``TooLarge``."""
    limit = upload_limit_bytes()
    if announced is not None and announced > limit + FORM_OVERHEAD_BYTES:
        raise TooLarge(what=Phrase("The body"), place="", size_bytes=announced, limit_bytes=limit)


class FileBytes(BaseParser):
    """The bytes of one file, of whatever media type; left unread for the one who stores them."""

    media_type = "application/octet-stream"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The body."""
        named = (media_type or "").partition(";")[0].strip().lower()
        return RawBody(CountedStream(stream), named)


class FormOrFile(AcceptHeader):
    """A form by its media type; every other body is a file."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """The parser of the body."""
        named = (request.content_type or "").partition(";")[0].strip().lower()
        wanted = FormParts if named == MULTIPART else FileBytes
        return next((parser for parser in parsers if isinstance(parser, wanted)), None)


def announced_bytes(request: Request | HttpRequest) -> int | None:
    """The length that the sender announced, or ``None``."""
    text = str(request.META.get("CONTENT_LENGTH") or "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def cut_off(count: int, announced: int | None) -> ResultError:
    """The error of a body that ended before its announced length."""
    wanted = f" of {announced} announced" if announced is not None else ""
    return ResultError(
        code="cut-off",
        what=Phrase(
            "The body ended after {count} bytes{wanted}; nothing of it was kept",
            count=count,
            wanted=wanted,
        ),
        accepted=Phrase("all bytes of the files, sent again"),
    )


def checked_pieces(request: Request, body: RawBody) -> Iterator[bytes]:
    """The bytes of a raw body; at its end the digest that the sender gave is compared.

    **Raises**: ``ResultError``, which keeps the receiver from storing anything.
    """
    yield from body.stream.pieces()
    check_digest(request, body.stream.sha256)


def check_digest(request: Request | HttpRequest, sha256: str) -> None:
    """Returns when the body is what the sender's digest says, or none was given."""
    given = given_digest(request)
    if given and given != sha256:
        raise ResultError(
            code="digest-differs",
            what=Phrase(
                "The body has the SHA-256 {sha256}, but its header says {given}",
                sha256=sha256,
                given=given,
            ),
            accepted=Phrase("the bytes that were hashed, sent again"),
        )


def given_digest(request: Request | HttpRequest) -> str:
    """The SHA-256 of the body that a header states, in hexadecimal; blank where none does.

    **Raises**: ``InvalidValue``.
    """
    plain = request.META.get("HTTP_X_CONTENT_SHA256", "").strip().lower()
    if plain:
        if re.fullmatch(r"[0-9a-f]{64}", plain):
            return str(plain)
        raise InvalidValue(
            name="X-Content-SHA256", value=plain[:80], accepted=Phrase("64 hexadecimal digits")
        )
    field = request.META.get("HTTP_CONTENT_DIGEST", "")
    if not field:
        return ""
    found = _SHA256_FIELD.search(field)
    try:
        digest = base64.b64decode(found["value"], validate=True) if found else b""
    except binascii.Error:
        digest = b""
    if len(digest) != 32:
        raise InvalidValue(
            name="Content-Digest",
            value=field[:80],
            accepted=Phrase("sha-256=:…: with the base64 of 32 bytes"),
        )
    return digest.hex()


def name_of(request: Request, media_type: str) -> str:
    """The file's name: from the address, else the header, else one that fits the media type."""
    named = request.query_params.get("name", "")
    if not named:
        header = request.META.get("HTTP_CONTENT_DISPOSITION", "")[:2_000]
        _kind, parameters = parse_header_parameters(header) if header else ("", {})
        named = str(parameters.get("filename", ""))
    if len(named) > 400:
        raise InvalidValue(name="name", value=named[:60], accepted=Phrase("up to 400 characters"))
    return named or f"upload{_EXTENSIONS.get(media_type, '')}"
