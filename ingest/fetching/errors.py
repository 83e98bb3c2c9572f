"""What can go wrong on the way to a page: constant codes, facts, one sentence each."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class FailureCode(StrEnum):
    """Why a fetch ended without a page."""

    BAD_URL = "bad-url"
    BAD_HEADER = "bad-header"
    CREDENTIALS_IN_URL = "credentials-in-url"
    HOST_NOT_ALLOWED = "host-not-allowed"
    SCHEME_NOT_ALLOWED = "scheme-not-allowed"
    PORT_NOT_ALLOWED = "port-not-allowed"
    NAME_NOT_FOUND = "name-not-found"
    ADDRESS_REFUSED = "address-refused"
    ROBOTS_DISALLOW = "robots-disallow"
    ROBOTS_UNREACHABLE = "robots-unreachable"
    RATE_LIMITED = "rate-limited"
    CONNECTION_FAILED = "connection-failed"
    TLS_FAILED = "tls-failed"
    TIMED_OUT = "timed-out"
    TOO_SLOW = "too-slow"
    BAD_ANSWER = "bad-answer"
    HTTP_STATUS = "http-status"
    UNASKED_NOT_MODIFIED = "unasked-not-modified"
    REDIRECT_REFUSED = "redirect-refused"
    TOO_MANY_REDIRECTS = "too-many-redirects"
    WRONG_MEDIA_TYPE = "wrong-media-type"
    UNKNOWN_ENCODING = "unknown-encoding"
    BAD_ENCODING = "bad-encoding"
    TOO_LARGE = "too-large"
    DECOMPRESSION_TOO_LARGE = "decompression-too-large"
    TRUNCATED = "truncated"
    EMPTY_BODY = "empty-body"
    BAD_CHARSET = "bad-charset"
    BLOCKED_PAGE = "blocked-page"


@dataclass(frozen=True, slots=True)
class _Kind:
    """The sentence of a code, and whether trying again soon cannot help."""

    sentence: str
    hopeless: bool


_KINDS: Mapping[FailureCode, _Kind] = MappingProxyType(
    {
        FailureCode.BAD_URL: _Kind(
            "The address {url} cannot be used: {problem}; accepted is https://host/path in ASCII.",
            hopeless=True,
        ),
        FailureCode.BAD_HEADER: _Kind(
            "The request for {url} carries the header {header}: {problem}.", hopeless=True
        ),
        FailureCode.CREDENTIALS_IN_URL: _Kind(
            "The address {url} holds a name or password before its host; accepted are addresses"
            " without.",
            hopeless=True,
        ),
        FailureCode.HOST_NOT_ALLOWED: _Kind(
            "The host {host} of {url} is not registered; nearest registered: {accepted}.",
            hopeless=True,
        ),
        FailureCode.SCHEME_NOT_ALLOWED: _Kind(
            "The address {url} asks for {seen}; accepted for {host} is {accepted}.", hopeless=True
        ),
        FailureCode.PORT_NOT_ALLOWED: _Kind(
            "The address {url} asks for port {seen}; accepted for {host}: {accepted}.",
            hopeless=True,
        ),
        FailureCode.NAME_NOT_FOUND: _Kind(
            "The name {host} of {url} was not resolved: {problem}; accepted is a host with an"
            " address.",
            hopeless=False,
        ),
        FailureCode.ADDRESS_REFUSED: _Kind(
            "The host {host} of {url} resolves to {seen}, {problem}; accepted are public"
            " addresses only.",
            hopeless=True,
        ),
        FailureCode.ROBOTS_DISALLOW: _Kind(
            "The robots.txt of {host} keeps {agent} away from {url}; accepted are pages that it"
            " allows.",
            hopeless=True,
        ),
        FailureCode.ROBOTS_UNREACHABLE: _Kind(
            "The robots.txt of {host} could not be read ({problem}), so {url} is left alone until"
            " it can.",
            hopeless=False,
        ),
        FailureCode.RATE_LIMITED: _Kind(
            "The host {host} takes no request for {url} yet: {problem}; accepted is one in"
            " {wait_seconds} s.",
            hopeless=False,
        ),
        FailureCode.CONNECTION_FAILED: _Kind(
            "The connection for {url} failed: {problem}; accepted is a whole answer.",
            hopeless=False,
        ),
        FailureCode.TLS_FAILED: _Kind(
            "No trusted connection to {host} for {url}: {problem}; accepted is TLS with a"
            " certificate of that name.",
            hopeless=False,
        ),
        FailureCode.TIMED_OUT: _Kind(
            "The server of {url} sent nothing for {seen_seconds} s; accepted are pauses up to"
            " that.",
            hopeless=False,
        ),
        FailureCode.TOO_SLOW: _Kind(
            "The answer for {url} was not complete after {seen_seconds} s; accepted is at most"
            " that.",
            hopeless=False,
        ),
        FailureCode.BAD_ANSWER: _Kind(
            "The answer for {url} is not readable HTTP: {problem}; accepted is HTTP/1.x with at"
            " most 100 headers.",
            hopeless=False,
        ),
        FailureCode.HTTP_STATUS: _Kind(
            "The server answered {url} with status {seen}; accepted are 200, redirects, and 304"
            " where asked.",
            hopeless=False,
        ),
        FailureCode.UNASKED_NOT_MODIFIED: _Kind(
            "The server answered {url} with 304 although the request had no condition; accepted"
            " is 200.",
            hopeless=False,
        ),
        FailureCode.REDIRECT_REFUSED: _Kind(
            "The address {url} leads on to {target}, which is refused: {problem}", hopeless=True
        ),
        FailureCode.TOO_MANY_REDIRECTS: _Kind(
            "The address {url} leads on more than {accepted} times, last to {target}; accepted"
            " are {accepted} redirects.",
            hopeless=True,
        ),
        FailureCode.WRONG_MEDIA_TYPE: _Kind(
            "The answer for {url} is of type {seen}; accepted: {accepted}.", hopeless=True
        ),
        FailureCode.UNKNOWN_ENCODING: _Kind(
            "The answer for {url} is encoded as {seen}; accepted: {accepted}.", hopeless=True
        ),
        FailureCode.BAD_ENCODING: _Kind(
            "The answer for {url} says {seen} but does not decompress: {problem}; accepted is one"
            " whole stream.",
            hopeless=False,
        ),
        FailureCode.TOO_LARGE: _Kind(
            "The answer for {url} has {seen_bytes} bytes or more; accepted are at most"
            " {accepted_bytes}.",
            hopeless=True,
        ),
        FailureCode.DECOMPRESSION_TOO_LARGE: _Kind(
            "The answer for {url} decompresses from {seen_bytes} bytes to {decompressed_bytes} or"
            " more; accepted are at most {accepted_bytes} and {accepted_ratio} times its size.",
            hopeless=True,
        ),
        FailureCode.TRUNCATED: _Kind(
            "The answer for {url} ends early: {problem}; accepted is the whole of it.",
            hopeless=False,
        ),
        FailureCode.EMPTY_BODY: _Kind(
            "The answer for {url} has no content; accepted is at least one byte.", hopeless=False
        ),
        FailureCode.BAD_CHARSET: _Kind(
            "The text of {url} is not {seen}: {problem}; accepted: {accepted}.", hopeless=True
        ),
        FailureCode.BLOCKED_PAGE: _Kind(
            "The answer for {url} is no page but {problem}; accepted is the page itself.",
            hopeless=True,
        ),
    }
)

Fact = str | int | float


class FetchFailed(Exception):
    """Says why no page came, and whether asking again can help.

    **Shapes**: ``code`` is one of FailureCode as text; ``facts`` are the values of the sentence,
    fit for JSON; ``hopeless`` means that the same request soon will fail the same way, so a retry
    is a waste, although a later poll may ask again.
    **Units**: ``retry_after_seconds`` is the least wait that the server or our own limit wants,
    ``None`` where nobody said.
    """

    def __init__(
        self,
        code: FailureCode,
        *,
        hopeless: bool | None = None,
        retry_after_seconds: float | None = None,
        **facts: Fact,
    ) -> None:
        kind = _KINDS[code]
        super().__init__(kind.sentence.format(**facts))
        self.code = str(code)
        self.facts: dict[str, Fact] = dict(facts)
        self.hopeless = kind.hopeless if hopeless is None else hopeless
        self.retry_after_seconds = retry_after_seconds

    @property
    def sentence(self) -> str:
        """The one sentence for people."""
        return str(self)
