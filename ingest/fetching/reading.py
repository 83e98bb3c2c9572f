"""What an answer means: a page, an unchanged copy, or one of many ways of being no page."""

from collections.abc import Callable, Mapping
from datetime import datetime

from ingest.domain.block_pages import blocked_by
from ingest.fetching.backoff import read_limit_pause, read_retry_after
from ingest.fetching.content import decode_with_charset, is_text, read_body, read_media_type
from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.headers import clean_validator
from ingest.fetching.request import Fetched, FetchRequest, NotModified, Redirect
from ingest.fetching.transport import Answer

# What a snapshot keeps beside its bytes.
KEPT_HEADERS = (
    "content-disposition",
    "content-language",
    "content-type",
    "date",
    "docker-content-digest",
    "etag",
    "last-modified",
    "link",
    "retry-after",
    "server",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-repo-commit",
)
LONGEST_HEADER = 4_096
# A host that is busy and does not say for how long.
DEFAULT_PAUSE_SECONDS = 60.0
_PASSING_STATUSES = (408, 421, 425, 429)
_MARKUP = ("text/html", "application/xhtml+xml")


def find_pause(answer: Answer, *, now: datetime) -> float | None:
    """Returns for how many seconds a host wants to be left alone; None where it does not.

    Retry-After counts with a refusal (403, 429, 503), a used-up quota with any answer.
    """
    if answer.status in (403, 429, 503):
        asked = answer.headers.get("retry-after", "")
        seconds = read_retry_after(asked, now=now) if asked else None
        if seconds is not None:
            return seconds
    seconds = read_limit_pause(answer.headers, now=now)
    return DEFAULT_PAUSE_SECONDS if seconds is None and answer.status == 429 else seconds


def read_answer(
    answer: Answer,
    *,
    request: FetchRequest,
    final_url: str,
    redirects: tuple[Redirect, ...],
    clock: Callable[[], datetime],
) -> Fetched | NotModified:
    """Returns the page or the word that nothing changed.

    **Raises** FetchFailed for everything else.
    """
    if answer.status == 304:
        return _read_not_modified(
            answer, request=request, final_url=final_url, redirects=redirects, clock=clock
        )
    if answer.status != 200:
        if "challenge" in answer.headers.get("cf-mitigated", "").lower():
            raise FetchFailed(FailureCode.BLOCKED_PAGE, url=final_url, problem="a browser check")
        pause_seconds = find_pause(answer, now=clock())
        raise refuse_status(answer.status, url=final_url, pause_seconds=pause_seconds)
    media_type = read_media_type(answer.headers.get("content-type", ""))
    if media_type not in request.media_types:
        raise FetchFailed(
            FailureCode.WRONG_MEDIA_TYPE,
            url=final_url,
            seen=media_type[:80] or "none",
            accepted=", ".join(request.media_types),
        )
    body = _read_whole(answer, url=final_url, max_bytes=request.max_bytes)
    return Fetched(
        body=body,
        final_url=final_url,
        status=answer.status,
        headers=keep_headers(answer.headers),
        content_type=media_type,
        charset=_check_text(body, answer, media_type=media_type, url=final_url),
        etag=clean_validator(answer.headers.get("etag", "")),
        last_modified=clean_validator(answer.headers.get("last-modified", "")),
        retrieved_at=clock(),
        redirects=redirects,
    )


def keep_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Returns the headers that are kept, cut to length and without control characters."""
    return {
        name: "".join(sign if sign.isprintable() else "�" for sign in value[:LONGEST_HEADER])
        for name, value in headers.items()
        if name in KEPT_HEADERS
    }


def _read_not_modified(
    answer: Answer,
    *,
    request: FetchRequest,
    final_url: str,
    redirects: tuple[Redirect, ...],
    clock: Callable[[], datetime],
) -> NotModified:
    if not request.conditional:
        raise FetchFailed(FailureCode.UNASKED_NOT_MODIFIED, url=final_url)
    return NotModified(
        final_url=final_url,
        headers=keep_headers(answer.headers),
        etag=clean_validator(answer.headers.get("etag", "")) or request.etag,
        last_modified=clean_validator(answer.headers.get("last-modified", ""))
        or request.last_modified,
        retrieved_at=clock(),
        redirects=redirects,
    )


def refuse_status(status: int, *, url: str, pause_seconds: float | None) -> FetchFailed:
    """Returns the failure of a status that is no page; some pass, others stay."""
    passing = status in _PASSING_STATUSES or status >= 500 or status < 300
    return FetchFailed(
        FailureCode.HTTP_STATUS,
        hopeless=not passing,
        retry_after_seconds=pause_seconds,
        url=url,
        seen=status,
    )


def _read_whole(answer: Answer, *, url: str, max_bytes: int) -> bytes:
    stated = answer.headers.get("content-length", "")
    if stated.isascii() and stated.isdigit() and int(stated[:18]) > max_bytes:
        raise FetchFailed(
            FailureCode.TOO_LARGE, url=url, seen_bytes=int(stated[:18]), accepted_bytes=max_bytes
        )
    encoding = answer.headers.get("content-encoding", "")
    body = read_body(answer.chunks, url=url, encoding=encoding, max_bytes=max_bytes)
    if not body:
        raise FetchFailed(FailureCode.EMPTY_BODY, url=url)
    return body


def _check_text(body: bytes, answer: Answer, *, media_type: str, url: str) -> str:
    """Returns the character set of a text, empty for other types.

    **Raises** FetchFailed: bad-charset, blocked-page.
    """
    if not is_text(media_type):
        return ""
    text, charset = decode_with_charset(body, answer.headers.get("content-type", ""), url=url)
    blocked = blocked_by(text) if media_type in _MARKUP else None
    if blocked:
        raise FetchFailed(FailureCode.BLOCKED_PAGE, url=url, problem=blocked)
    return charset
