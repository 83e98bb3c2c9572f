"""One request to one checked address: the only module that knows requests and urllib3.

The connection goes to addresses that were resolved and checked before, never through a second
look-up, while name, Host header and certificate stay those of the host. There is no proxy, no
cookie, no saved login, no redirect and no retry; each exchange has a connection of its own, so
nothing outlives the check that let it through.
"""

import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from http.client import IncompleteRead
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, InvalidChunkLength

from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.location import Location
from ingest.fetching.meter import Meter, MeteredSocket, MeteredTlsSocket

CHUNK_BYTES = 64 * 1024
# More addresses than that are tried by nobody; the time is better spent on a later attempt.
MOST_ADDRESSES = 4
_NETWORK = (ConnectionError, socket.gaierror)


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and headers of an answer, and its body still to be read.

    **Shapes**: ``headers`` with lower-case names, repeated ones joined by a comma; ``chunks``
    without transfer encoding, the content encoding still on.
    """

    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]


@dataclass(frozen=True, slots=True)
class Route:
    """Where an exchange goes: addresses that passed the check, and the meter of its reads."""

    addresses: tuple[str, ...]
    connect_seconds: float
    meter: Meter


@contextmanager
def exchange(
    location: Location,
    *,
    headers: Mapping[str, str],
    route: Route,
    ca_file: str = "",
    content: bytes | None = None,
) -> Iterator[Answer]:
    """Sends one GET, or a POST of the content, and gives its answer while the connection is open.

    **Raises** FetchFailed, also while the body is read: connection-failed, tls-failed, timed-out,
    too-slow, too-large, truncated, bad-answer.
    """
    # Made by hand, because what was checked is what is to be sent: the usual way of making one
    # spells some addresses anew.
    prepared = requests.PreparedRequest()
    prepared.method = "GET" if content is None else "POST"
    prepared.url = location.url
    prepared.prepare_headers(dict(headers))
    if content is not None:
        prepared.prepare_body(content, None)
    adapter = _RoutedAdapter(location, route=route, ca_file=ca_file)
    try:
        with adapter.send(prepared, stream=True) as response:
            yield Answer(
                status=response.status_code,
                headers={name.lower(): value for name, value in response.headers.items()},
                chunks=response.raw.stream(CHUNK_BYTES, decode_content=False),
            )
    except (requests.RequestException, HTTPError, OSError) as error:
        raise _explain(error, location=location, meter=route.meter) from error
    finally:
        adapter.close()


class _RoutedAdapter(HTTPAdapter):
    """Sends over a pool of one connection that takes the route."""

    def __init__(self, location: Location, *, route: Route, ca_file: str) -> None:
        super().__init__(max_retries=0)
        common: dict[str, Any] = {"port": location.port, "maxsize": 1, "route": route}
        self._pool = (
            _RoutedTlsPool(location.host, ssl_context=_make_tls_context(ca_file), **common)
            if location.scheme == "https"
            else _RoutedPool(location.host, **common)
        )

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> HTTPConnectionPool:
        """Returns the one pool, whatever the request says."""
        return self._pool

    def cert_verify(self, *args: Any, **kwargs: Any) -> None:
        """Leaves the pool alone: its context has its certificates and demands one already."""

    def close(self) -> None:
        """Ends the connection."""
        self._pool.close()
        super().close()


@lru_cache(maxsize=4)
def _make_tls_context(ca_file: str) -> ssl.SSLContext:
    """Returns the context that checks certificates against a file; reading one takes a while."""
    context = ssl.create_default_context(cafile=ca_file or DEFAULT_CA_BUNDLE_PATH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.sslsocket_class = MeteredTlsSocket
    return context


class _RoutedConnection(HTTPConnection):
    def __init__(self, *args: Any, route: Route, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._route = route

    def _new_conn(self) -> socket.socket:
        return open_socket(self._route, self.port)


class _RoutedTlsConnection(HTTPSConnection):
    def __init__(self, *args: Any, route: Route, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._route = route

    def _new_conn(self) -> socket.socket:
        return open_socket(self._route, self.port)

    def connect(self) -> None:
        super().connect()
        if isinstance(self.sock, MeteredTlsSocket):
            self.sock.meter = self._route.meter


class _RoutedPool(HTTPConnectionPool):
    ConnectionCls = _RoutedConnection


class _RoutedTlsPool(HTTPSConnectionPool):
    ConnectionCls = _RoutedTlsConnection


def open_socket(route: Route, port: int) -> socket.socket:
    """Returns a socket to the first of the checked addresses that takes the connection.

    **Raises** FetchFailed: connection-failed, timed-out, too-slow.
    """
    meter = route.meter
    failure = FetchFailed(FailureCode.CONNECTION_FAILED, url=meter.url, problem="no address")
    for address in route.addresses[:MOST_ADDRESSES]:
        wait_seconds = meter.next_wait_seconds(route.connect_seconds)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with ExitStack() as undo:
            opened = undo.enter_context(MeteredSocket(family, socket.SOCK_STREAM))
            try:
                opened.settimeout(wait_seconds)
                opened.connect((address, port))
            except TimeoutError:
                failure = FetchFailed(
                    FailureCode.TIMED_OUT, url=meter.url, seen_seconds=round(wait_seconds, 3)
                )
                continue
            except OSError as error:
                problem = f"{address} port {port}: {_say(error)}"
                failure = FetchFailed(FailureCode.CONNECTION_FAILED, url=meter.url, problem=problem)
                continue
            opened.meter = meter
            # The TLS handshake has this time for all of it; later reads set their own.
            opened.settimeout(meter.next_wait_seconds())
            undo.pop_all()
            return opened
    raise failure


def _explain(error: Exception, *, location: Location, meter: Meter) -> FetchFailed:
    """Returns the failure that a library's error means; the innermost cause says it best."""
    causes = _list_causes(error)
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return meter.explain_timeout()
    for cause in causes:
        if isinstance(cause, ssl.SSLError):
            return _explain_tls(cause, location=location)
        if isinstance(cause, IncompleteRead | InvalidChunkLength):
            return FetchFailed(
                FailureCode.TRUNCATED, url=location.url, problem=_say_what_misses(cause)
            )
    if any("prematurely" in str(cause) for cause in causes):
        problem = "its end has not been sent"
        return FetchFailed(FailureCode.TRUNCATED, url=location.url, problem=problem)
    network = [cause for cause in causes if isinstance(cause, _NETWORK)]
    if network:
        problem = _say(network[-1])
        return FetchFailed(FailureCode.CONNECTION_FAILED, url=location.url, problem=problem)
    return FetchFailed(FailureCode.BAD_ANSWER, url=location.url, problem=_say(causes[-1]))


def _explain_tls(cause: ssl.SSLError, *, location: Location) -> FetchFailed:
    wrong_certificate = isinstance(cause, ssl.SSLCertVerificationError)
    words = cause.verify_message if isinstance(cause, ssl.SSLCertVerificationError) else ""
    return FetchFailed(
        FailureCode.TLS_FAILED,
        # A certificate is renewed or a clock set right within days, not within minutes.
        hopeless=wrong_certificate,
        url=location.url,
        host=location.host,
        problem=words or _say(cause),
    )


def _say_what_misses(cause: IncompleteRead | InvalidChunkLength) -> str:
    expected = getattr(cause, "expected", None)
    return f"{expected} bytes are missing" if expected else "its last piece has not been sent"


def _list_causes(error: BaseException) -> list[BaseException]:
    """Returns an error and what lies behind it, outermost first."""
    causes: list[BaseException] = []
    waiting: list[object] = [error]
    while waiting:
        cause = waiting.pop(0)
        if isinstance(cause, BaseException) and cause not in causes:
            causes.append(cause)
            waiting += [cause.__cause__, cause.__context__, getattr(cause, "reason", None)]
            waiting += cause.args
    return causes


def _say(error: BaseException) -> str:
    """Returns a library's words on one short line."""
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(words.split())[:200] or type(error).__name__
