"""The values that a fetch takes and returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

DEFAULT_MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One page to ask for.

    **Shapes**: ``media_types`` are the content types that may come back, without parameters, at
    least one. ``etag`` and ``last_modified`` are those of the stored copy, exactly as the server
    sent them; with either, a 304 is an answer. ``accept`` overrides the Accept header, which is
    otherwise made from the media types. ``headers`` are further ones; they go to the host of
    ``url`` alone, never along a redirect to another.
    **Units**: ``max_bytes`` limits the body both as sent and decompressed.
    """

    url: str
    media_types: tuple[str, ...]
    etag: str = ""
    last_modified: str = ""
    max_bytes: int = DEFAULT_MAX_BYTES
    accept: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.media_types:
            raise ValueError(f"The request for {self.url} names no media type; name at least one.")

    @property
    def conditional(self) -> bool:
        """Whether the server may answer that nothing changed."""
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True)
class Redirect:
    """One step of the way: the status, and where it led. 301 and 308 say that a page moved."""

    status: int
    url: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it arrived.

    **Shapes**: ``body`` without transfer and content encoding, never empty; ``headers`` the kept
    ones in lower case; ``content_type`` the type without parameters, in lower case; ``charset``
    the one that the text really decodes with, empty for what is no text; ``decode_text`` makes
    the text.
    **Dates**: ``retrieved_at`` is the moment at which the whole answer was here, aware UTC.
    """

    body: bytes
    final_url: str
    status: int
    headers: Mapping[str, str]
    content_type: str
    charset: str
    etag: str
    last_modified: str
    retrieved_at: datetime
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class NotModified:
    """The server's word that the stored copy still stands.

    **Shapes**: ``etag`` and ``last_modified`` are the server's, else those that were asked with.
    **Dates**: ``retrieved_at`` is the moment of the answer, aware UTC.
    """

    final_url: str
    headers: Mapping[str, str]
    etag: str
    last_modified: str
    retrieved_at: datetime
    redirects: tuple[Redirect, ...] = ()
    status: int = 304
