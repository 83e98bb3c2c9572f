"""A raw server on loopback that answers with exactly the bytes a test wants, and quick limits.

Its certificate for docs.test is made anew for each run of the tests; no key is kept anywhere.
"""

import gzip
import re
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import trustme

from ingest.fetching.errors import FetchFailed
from ingest.fetching.gate import ProcessGate
from ingest.fetching.hosts import HostKind, HostRule
from ingest.fetching.policy import FetchPolicy
from ingest.fetching.request import Fetched, FetchRequest
from ingest.fetching.robots import RobotsCache
from ingest.fetching.session import FetchSession

_AUTHORITY = trustme.CA()


def _authority_file() -> Path:
    """The authority's certificate as a file, which a fetch policy names."""
    path = Path(tempfile.mkdtemp(prefix="docs-test-")) / "authority.pem"
    _AUTHORITY.cert_pem.write_to_path(path)
    return path


CERTIFICATE = _authority_file()
_SERVED = _AUTHORITY.issue_cert("docs.test")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PAGE = b"<!doctype html><html><head><title>Hardware</title></head><body><p>Ampere</p></body></html>"
HTML = "text/html; charset=utf-8"

# Takes the connection and the request's bytes; closing is the server's business.
Script = Callable[[socket.socket, bytes], None]


class HostileServer:
    """Runs a script for each connection, in threads that end with the server."""

    def __init__(self, script: Script, *, tls: bool = False, family: int = socket.AF_INET) -> None:
        self.requests: list[bytes] = []
        self.stopping = threading.Event()
        self._script = script
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if tls else None
        if self._context:
            _SERVED.configure_cert(self._context)
        self._listener = socket.create_server(
            ("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), family=family
        )
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._listen, daemon=True)]
        self._threads[0].start()

    def close(self) -> None:
        """Ends the threads and waits for them."""
        self.stopping.set()
        with suppress(OSError):
            socket.create_connection(self._listener.getsockname()[:2], timeout=1).close()
        for thread in list(self._threads):
            thread.join(timeout=2)
        self._listener.close()

    def pause(self, seconds: float) -> bool:
        """Waits like a slow server; returns whether to go on."""
        return not self.stopping.wait(seconds)

    def _listen(self) -> None:
        while not self.stopping.is_set():
            connection, _ = self._listener.accept()
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(2)
        # A client that hangs up in the middle is what many of these scripts provoke.
        with suppress(OSError):
            if self._context:
                connection = self._context.wrap_socket(connection, server_side=True)
            request = self._read_request(connection)
            if request:
                self.requests.append(request)
                self._script(connection, request)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
            # Unread bytes would turn the close into a reset.
            connection.settimeout(0.2)
            connection.recv(65_536)
        connection.close()

    @staticmethod
    def _read_request(connection: socket.socket) -> bytes:
        """The head and the body that it announces, which may come in several pieces."""
        request = b""
        while True:
            head, end, body = request.partition(b"\r\n\r\n")
            if end and len(body) >= _announced_bytes(head):
                return request
            piece = connection.recv(65_536)
            if not piece:
                return request
            request += piece


def _announced_bytes(head: bytes) -> int:
    found = re.search(rb"(?im)^content-length: *(\d+)", head)
    return int(found[1]) if found else 0


def answer(
    body: bytes = PAGE, *, status: str = "200 OK", version: str = "1.1", **headers: str | None
) -> bytes:
    """Returns a whole answer; underscores in header names stand for dashes, None leaves one out."""
    named: dict[str, str | None] = {
        "Content-Type": HTML,
        "Content-Length": str(len(body)),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    lines = [f"{name}: {value}\r\n" for name, value in named.items() if value is not None]
    return f"HTTP/{version} {status}\r\n{''.join(lines)}\r\n".encode("latin-1") + body


def gzipped(body: bytes) -> bytes:
    """Returns the body as one gzip member."""
    return gzip.compress(body, mtime=0)


def saying(data: bytes) -> Script:
    """Returns the script that sends these bytes and ends."""
    return lambda connection, request: connection.sendall(data)


def by_path(pages: Mapping[str, bytes]) -> Script:
    """Returns the script that sends the bytes of each path, 404 for others."""

    def script(connection: socket.socket, request: bytes) -> None:
        path = request.split(b" ")[1].decode()
        connection.sendall(pages.get(path, answer(b"no", status="404 Not Found")))

    return script


def header_of(request: bytes, name: str) -> str | None:
    """Returns one header of a request as it was sent, None where it was not."""
    for line in request.decode("latin-1").split("\r\n")[1:]:
        key, _, value = line.partition(":")
        if key.lower() == name.lower():
            return value.strip()
    return None


def rule(port: int, host: str = "docs.test", **changes: Any) -> HostRule:
    """Returns the rule of a test host, without TLS and without robots."""
    base = HostRule(host, HostKind.DOCUMENTATION, 0.0, obeys_robots=False, port=port, scheme="http")
    return replace(base, **changes)


def quick_policy(*rules: HostRule, **changes: Any) -> FetchPolicy:
    """Returns limits that only a stuck server meets; the rules' hosts are the only ones."""
    base = FetchPolicy(
        hosts=rules,
        loopback=True,
        connect_seconds=1.5,
        idle_seconds=1.5,
        total_seconds=2.0,
        longest_wait_seconds=0.5,
    )
    return replace(base, **changes)


def impatient_policy(*rules: HostRule, **changes: Any) -> FetchPolicy:
    """Returns limits that a slow server is to meet soon."""
    return quick_policy(*rules, **{"idle_seconds": 0.3, "total_seconds": 0.8, **changes})


def quick_session(policy: FetchPolicy, **changes: Any) -> FetchSession:
    """Returns a session that finds every name at 127.0.0.1 and never sleeps long."""
    parts: dict[str, Any] = {
        "gate": ProcessGate(),
        "robots": RobotsCache(),
        "resolver": lambda host, port: ["127.0.0.1"],
        "policy": policy,
        **changes,
    }
    return FetchSession(**parts)


def ask(
    server: HostileServer, path: str = "/page", *, policy: FetchPolicy | None = None, **changes: Any
) -> Fetched:
    """Returns the page of a server that is asked as docs.test."""
    request = wish(server, path, **changes)
    result = quick_session(policy or quick_policy(rule(server.port))).fetch(request)
    assert isinstance(result, Fetched)
    return result


def wish(server: HostileServer, path: str = "/page", **changes: Any) -> FetchRequest:
    """Returns a request for a page of the server."""
    values = {"url": f"http://docs.test:{server.port}{path}", "media_types": ("text/html",)}
    return FetchRequest(**{**values, **changes})


def said(failure: FetchFailed, code: str, *words: str, hopeless: bool) -> None:
    """Asserts the code, the words of the sentence, and whether a retry could help."""
    assert (failure.code, failure.hopeless) == (code, hopeless), str(failure)
    sentence = str(failure)
    assert [word for word in words if word not in sentence] == [], sentence
    assert sentence[0].isupper() and sentence.endswith("."), sentence
    assert "\n" not in sentence
