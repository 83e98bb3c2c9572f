"""TLS to the checked address, with the certificate of the name."""

import socket
from collections.abc import Callable

import pytest

from ingest.fetching.errors import FetchFailed
from ingest.fetching.request import Fetched
from tests.ingest.fetching.hostile import (
    CERTIFICATE,
    PAGE,
    HostileServer,
    answer,
    ask,
    gzipped,
    impatient_policy,
    rule,
    said,
    saying,
)

Serve = Callable[..., HostileServer]


def ask_by_tls(
    server: HostileServer,
    host: str = "docs.test",
    *,
    ca_file: str = str(CERTIFICATE),
    idle_seconds: float = 0.6,
) -> Fetched:
    """Returns the page of a server that is asked by https."""
    policy = impatient_policy(
        rule(server.port, host, scheme="https"), ca_file=ca_file, idle_seconds=idle_seconds
    )
    return ask(server, policy=policy, url=f"https://{host}:{server.port}/page")


def test_the_certificate_of_the_name_is_accepted_at_the_checked_address(serve: Serve) -> None:
    server = serve(saying(answer(gzipped(PAGE), Content_Encoding="gzip")), tls=True)
    page = ask_by_tls(server)
    assert page.body == PAGE
    assert page.final_url == f"https://docs.test:{server.port}/page"


def test_a_certificate_of_another_name_is_refused(serve: Serve) -> None:
    server = serve(saying(answer()), tls=True)
    with pytest.raises(FetchFailed) as failure:
        ask_by_tls(server, "other.test")
    said(failure.value, "tls-failed", "other.test", "match", hopeless=True)
    assert server.requests == []


def test_a_certificate_that_nobody_vouches_for_is_refused(serve: Serve) -> None:
    server = serve(saying(answer()), tls=True)
    with pytest.raises(FetchFailed) as failure:
        ask_by_tls(server, ca_file="")
    said(failure.value, "tls-failed", "issuer certificate", hopeless=True)
    assert server.requests == []


def test_a_port_without_tls_is_not_spoken_to_in_clear(serve: Serve) -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(answer())

    server = serve(script)
    server._read_request = lambda connection: connection.recv(65_536)  # type: ignore[method-assign]
    with pytest.raises(FetchFailed) as failure:
        ask_by_tls(server)
    said(failure.value, "tls-failed", "docs.test", hopeless=False)
    assert all(b"GET" not in sent for sent in server.requests)


def test_a_handshake_without_an_answer_ends(serve: Serve) -> None:
    # The server waits for a blank line of a request, and so never answers the greeting.
    server = serve(saying(b""))
    with pytest.raises(FetchFailed) as failure:
        ask_by_tls(server)
    said(failure.value, "timed-out", "nothing for 0.6 s", hopeless=False)


@pytest.mark.parametrize("drop", [b"p", b""])
def test_slow_pages_end_under_tls_as_well(serve: Serve, drop: bytes) -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while servers[0].pause(0.05):
            connection.sendall(drop or b"")

    servers: list[HostileServer] = []
    servers.append(serve(script, tls=True))
    with pytest.raises(FetchFailed) as failure:
        ask_by_tls(servers[0])
    assert failure.value.code == ("too-slow" if drop else "timed-out")


def test_an_endless_body_is_cut_under_tls_as_well(serve: Serve) -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while not servers[0].stopping.is_set():
            connection.sendall(b"p" * 100_000)

    servers: list[HostileServer] = []
    servers.append(serve(script, tls=True))
    with pytest.raises(FetchFailed) as failure:
        ask_by_tls(servers[0])
    said(failure.value, "too-large", hopeless=True)


def test_a_page_cut_off_under_tls_is_truncated(serve: Serve) -> None:
    server = serve(saying(answer()[:-10]), tls=True)
    with pytest.raises(FetchFailed) as failure:
        ask_by_tls(server)
    assert failure.value.code in ("truncated", "tls-failed")
    assert failure.value.hopeless is False
