"""From the bytes of an answer to the page: caps, compression, characters."""

import codecs
import re
import zlib
from collections.abc import Iterable

from ingest.fetching.errors import FailureCode, FetchFailed

ACCEPT_ENCODING = "gzip, deflate"
# Tables of ticks compress well, but not like this; below the floor no ratio matters.
MOST_RATIO = 200
RATIO_FLOOR_BYTES = 2 * 1024 * 1024
_STEP_BYTES = 64 * 1024
_META_BYTES = 1_024

# Only these: other names of Python's codecs are no character sets, or run code of their own.
_CHARSETS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "windows-1252": "cp1252",
    "utf-16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5",
    "shift_jis": "shift_jis",
    "euc-jp": "euc_jp",
    "euc-kr": "euc_kr",
}
_ONE_BYTE = ("cp1252",)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(
    rb"""<meta[^<>]{0,200}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([A-Za-z0-9_-]{1,40})""", re.IGNORECASE
)
_PARAMETER = re.compile(r""";\s*charset\s*=\s*["']?([^\s;"']{1,60})""", re.IGNORECASE)


def read_body(chunks: Iterable[bytes], *, url: str, encoding: str, max_bytes: int) -> bytes:
    """Returns the decompressed body, reading no more than the caps allow.

    **Raises** FetchFailed: too-large, decompression-too-large, unknown-encoding, bad-encoding,
    truncated.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return _read_plain(chunks, url=url, max_bytes=max_bytes)
    if name not in ("gzip", "x-gzip", "deflate"):
        raise FetchFailed(
            FailureCode.UNKNOWN_ENCODING, url=url, seen=name[:80], accepted=ACCEPT_ENCODING
        )
    inflater = _Inflater(url=url, name=name, max_bytes=max_bytes)
    for chunk in chunks:
        inflater.take(chunk)
    return inflater.finish()


def _read_plain(chunks: Iterable[bytes], *, url: str, max_bytes: int) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            raise FetchFailed(
                FailureCode.TOO_LARGE, url=url, seen_bytes=len(body), accepted_bytes=max_bytes
            )
    return bytes(body)


class _Inflater:
    """Decompresses in small steps, so that a bomb is seen before it goes off."""

    def __init__(self, *, url: str, name: str, max_bytes: int) -> None:
        self._url = url
        self._name = name
        self._max_bytes = max_bytes
        self._taken_bytes = 0
        self._body = bytearray()
        self._stream: zlib._Decompress | None = None
        self._ended = False

    def take(self, chunk: bytes) -> None:
        """Decompresses one more piece."""
        self._taken_bytes += len(chunk)
        data = chunk
        while data and not self._ended:
            if self._stream is None:
                if self._body and not data.startswith(b"\x1f"):
                    # Padding and strays behind the last gzip member belong to nothing.
                    self._ended = True
                    return
                self._stream = self._open(data)
            try:
                self._body += self._stream.decompress(data, _STEP_BYTES)
            except zlib.error as error:
                raise self._bad(str(error)) from None
            data = self._stream.unconsumed_tail
            self._check_size(unused_bytes=len(data))
            if self._stream.eof:
                data = self._stream.unused_data
                self._stream = None
                self._ended = self._name == "deflate"

    def finish(self) -> bytes:
        """Returns the body once its streams have ended."""
        if self._stream is not None:
            # What a full step left inside the decompressor comes out piece by piece.
            while not self._stream.eof:
                rest = self._stream.decompress(self._stream.unconsumed_tail, _STEP_BYTES)
                if not rest:
                    raise FetchFailed(
                        FailureCode.TRUNCATED,
                        url=self._url,
                        problem=f"its {self._name} stream has no end",
                    )
                self._body += rest
                self._check_size()
        return bytes(self._body)

    def _open(self, data: bytes) -> "zlib._Decompress":
        if self._name != "deflate":
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
        # Some servers send the bare stream under this name; a zlib header gives itself away.
        has_header = data[0] & 0x0F == 8 and (len(data) < 2 or (data[0] * 256 + data[1]) % 31 == 0)
        return zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)

    def _check_size(self, *, unused_bytes: int = 0) -> None:
        size = len(self._body)
        used_bytes = self._taken_bytes - unused_bytes
        too_dense = size > RATIO_FLOOR_BYTES and size > MOST_RATIO * used_bytes
        if size > self._max_bytes or too_dense:
            raise FetchFailed(
                FailureCode.DECOMPRESSION_TOO_LARGE,
                url=self._url,
                seen_bytes=used_bytes,
                decompressed_bytes=size,
                accepted_bytes=self._max_bytes,
                accepted_ratio=MOST_RATIO,
            )

    def _bad(self, problem: str) -> FetchFailed:
        return FetchFailed(
            FailureCode.BAD_ENCODING, url=self._url, seen=self._name, problem=problem
        )


def read_media_type(content_type: str) -> str:
    """Returns a Content-Type without its parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


def is_text(media_type: str) -> bool:
    """Whether pages of the type are made of characters."""
    return media_type.startswith("text/") or media_type.endswith(("json", "xml", "yaml"))


def decode_text(body: bytes, content_type: str, *, url: str = "the page") -> str:
    """Returns the text of a page, without byte order mark; every byte must fit.

    A mark decides, then the header, then the page's own meta element, then UTF-8.
    **Raises** FetchFailed: bad-charset.
    """
    return decode_with_charset(body, content_type, url=url)[0]


def decode_with_charset(body: bytes, content_type: str, *, url: str) -> tuple[str, str]:
    """Returns the text as ``decode_text`` does, and the character set that it is in."""
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return _decode(body[len(mark) :], charset, named=charset, url=url), charset
    named = _named_charset(body, content_type)
    charset = _CHARSETS.get(named.lower(), "")
    if not charset:
        raise _bad_charset(url, named, "that name is not known")
    if charset in _ONE_BYTE and not body.isascii() and _is_utf8(body):
        # A one-byte set takes nearly any bytes, and would turn every sign of a table into another.
        raise _bad_charset(url, named, "its bytes are UTF-8 with signs beyond ASCII")
    return _decode(body, charset, named=named, url=url), charset


def _named_charset(body: bytes, content_type: str) -> str:
    header = _PARAMETER.search(content_type)
    if header:
        return header[1]
    if read_media_type(content_type) in ("text/html", "application/xhtml+xml"):
        meta = _META.search(body[:_META_BYTES])
        # A meta element that can be read is not in UTF-16, whatever it says.
        if meta and not meta[1].lower().startswith(b"utf-16"):
            return meta[1].decode("ascii")
    return "utf-8"


def _decode(body: bytes, charset: str, *, named: str, url: str) -> str:
    try:
        text = body.decode(charset, "strict")
    except UnicodeDecodeError as error:
        raise _bad_charset(url, named, f"byte {error.start} does not fit") from None
    if "\0" in text:
        raise _bad_charset(url, named, f"character {text.index(chr(0))} is a null")
    return text


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    return True


def _bad_charset(url: str, named: str, problem: str) -> FetchFailed:
    return FetchFailed(
        FailureCode.BAD_CHARSET,
        url=url,
        seen=named[:60],
        problem=problem,
        accepted="UTF-8, UTF-16 with a mark, or what header or meta element rightly name",
    )
