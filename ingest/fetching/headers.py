"""What a request says about itself, and to whom."""

import re
from collections.abc import Mapping

from ingest.fetching.content import ACCEPT_ENCODING
from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.hosts import HostRule
from ingest.fetching.location import Location, show_url
from ingest.fetching.policy import FetchPolicy
from ingest.fetching.request import FetchRequest

# The caller may not set what is set here, nor what would frame the request anew.
_OWN_HEADERS = (
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "cookie",
    "expect",
    "host",
    "if-modified-since",
    "if-none-match",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
)
_NAME = re.compile(r"[A-Za-z0-9-]{1,60}")
_VALUE = re.compile(r"[ -~]{0,8192}")
LONGEST_VALIDATOR = 512


def check_headers(request: FetchRequest) -> None:
    """Raises FetchFailed (bad-header) where a request's own headers cannot be sent as they are."""
    check_further_headers(request.headers, url=request.url)
    named = (
        ("Accept", request.accept),
        ("If-None-Match", request.etag),
        ("If-Modified-Since", request.last_modified),
    )
    for name, value in named:
        _check_form(name, value, url=request.url)


def check_further_headers(headers: tuple[tuple[str, str], ...], *, url: str) -> None:
    """Raises FetchFailed (bad-header) where a caller's headers would change the request itself."""
    for name, value in headers:
        if name.lower() in _OWN_HEADERS:
            raise _refuse(name, "it is set by the fetcher", url=url)
        _check_form(name, value, url=url)


def _check_form(name: str, value: str, *, url: str) -> None:
    if not _NAME.fullmatch(name):
        raise _refuse(name, "its name is not made of letters, digits and dashes", url=url)
    if not _VALUE.fullmatch(value):
        raise _refuse(name, "its value is not printable ASCII on one line", url=url)


def _refuse(name: str, problem: str, *, url: str) -> FetchFailed:
    """Returns the failure; the value is not part of it, because it may be a token."""
    return FetchFailed(
        FailureCode.BAD_HEADER, url=show_url(url), header=ascii(name[:60]), problem=problem
    )


def make_headers(
    request: FetchRequest,
    *,
    start: Location,
    here: Location,
    rule: HostRule,
    policy: FetchPolicy,
) -> Mapping[str, str]:
    """Returns the headers for one step of a request's way.

    The code host's token goes to the host that it is for, the request's own headers to the host
    that the request names; along a redirect to another host neither goes.
    """
    headers = _make_common(policy, accept=request.accept or ", ".join(request.media_types))
    if request.etag:
        headers["If-None-Match"] = request.etag
    if request.last_modified:
        headers["If-Modified-Since"] = request.last_modified
    if rule.sends_token and policy.code_host_token:
        headers["Authorization"] = f"Bearer {policy.code_host_token}"
    if (here.scheme, here.host, here.port) == (start.scheme, start.host, start.port):
        headers |= {name.title(): value for name, value in request.headers}
    return headers


def make_robots_headers(policy: FetchPolicy) -> Mapping[str, str]:
    """Returns the headers for a robots.txt: nothing secret."""
    return _make_common(policy, accept="text/plain, */*;q=0.1")


def _make_common(policy: FetchPolicy, *, accept: str) -> dict[str, str]:
    return {
        "User-Agent": policy.user_agent,
        "Accept": accept,
        "Accept-Encoding": ACCEPT_ENCODING,
        "Connection": "close",
    }


def clean_validator(text: str) -> str:
    """Returns an ETag or date that may be sent back, empty text where a server sent a strange one.

    A kept one that cannot be sent would spoil every later request for the page.
    """
    return text if len(text) <= LONGEST_VALIDATOR and _VALUE.fullmatch(text) else ""
