"""Sending out to addresses that people enter."""

import socket
from collections.abc import Callable
from typing import Any

import pytest

from ingest.fetching import Delivered, FetchFailed, check_delivery_url, deliver
from tests.ingest.fetching.hostile import (
    CERTIFICATE,
    HostileServer,
    answer,
    header_of,
    impatient_policy,
    quick_policy,
    said,
    saying,
)

Serve = Callable[..., HostileServer]


def send(server: HostileServer, **changes: Any) -> Delivered:
    """Returns the receiver's word, asked as hook.test."""
    options = {
        "policy": quick_policy(),
        "resolver": lambda host, port: ["127.0.0.1"],
        **changes,
    }
    return deliver(f"http://hook.test:{server.port}/in", b'{"a": 1}', **options)


def test_the_content_arrives_with_its_headers(serve: Serve) -> None:
    server = serve(saying(answer(b"", status="204 No Content")))
    assert send(server, headers=(("X-Signature", "v1=ab"),)) == Delivered(204)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /in HTTP/1.1\r\n")
    assert header_of(head, "Content-Type") == "application/json"
    assert header_of(head, "Content-Length") == "8"
    assert header_of(head, "X-Signature") == "v1=ab"
    assert header_of(head, "User-Agent") == "Runproof"
    assert body == b'{"a": 1}'


@pytest.mark.parametrize(
    ("status", "hopeless"),
    [("404 No", True), ("410 Gone", True), ("302 Found", True), ("500 Oops", False)],
)
def test_a_receiver_that_does_not_take_it_is_named(
    serve: Serve, status: str, hopeless: bool
) -> None:
    server = serve(saying(answer(b"", status=status, Location="http://hook.test/other")))
    with pytest.raises(FetchFailed) as failure:
        send(server)
    said(failure.value, "http-status", status[:3], hopeless=hopeless)
    assert len(server.requests) == 1


def test_a_receiver_may_ask_for_a_pause(serve: Serve) -> None:
    server = serve(saying(answer(b"", status="429 Slow", **{"Retry-After": "77"})))
    with pytest.raises(FetchFailed) as failure:
        send(server)
    said(failure.value, "http-status", "429", hopeless=False)
    assert failure.value.retry_after_seconds == 77


@pytest.mark.parametrize("address", ["10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "fd00::1"])
def test_nothing_is_sent_inside(address: str) -> None:
    with pytest.raises(FetchFailed) as failure:
        deliver(
            "https://hook.test/in",
            b"{}",
            policy=quick_policy(loopback=False),
            resolver=lambda host, port: [address],
        )
    said(failure.value, "address-refused", address, hopeless=True)


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://hook.example/in", "scheme-not-allowed"),
        ("ftp://hook.example/in", "scheme-not-allowed"),
        ("https://hook.example:25/in", "port-not-allowed"),
        ("https://user:secret@hook.example/in", "credentials-in-url"),
        ("https://hook.example/a b", "bad-url"),
    ],
)
def test_an_address_that_can_never_be_sent_to_is_refused_when_it_is_entered(
    url: str, code: str, settings: Any
) -> None:
    settings.FETCH_LOOPBACK = False
    with pytest.raises(FetchFailed) as failure:
        check_delivery_url(url)
    assert (failure.value.code, failure.value.hopeless) == (code, True)
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize("url", ["https://hook.example/in", "https://hook.example:8443/in?a=b"])
def test_an_address_that_may_be_sent_to_passes(url: str) -> None:
    check_delivery_url(url)


def test_a_header_that_would_change_the_request_is_refused(serve: Serve) -> None:
    server = serve(saying(answer()))
    with pytest.raises(FetchFailed) as failure:
        send(server, headers=(("X-A", "b\r\nX-C: d"),))
    said(failure.value, "bad-header", "X-A", hopeless=True)
    assert server.requests == []


def test_an_answer_without_end_is_not_waited_for(serve: Serve) -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not servers[0].stopping.is_set():
            connection.sendall(b"x" * 50_000)

    servers: list[HostileServer] = []
    servers.append(serve(script))
    assert send(servers[0]) == Delivered(200)


def test_a_receiver_that_trickles_is_left(serve: Serve) -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        while servers[0].pause(0.05):
            connection.sendall(b"H")

    servers: list[HostileServer] = []
    servers.append(serve(script))
    with pytest.raises(FetchFailed) as failure:
        send(servers[0], policy=impatient_policy())
    said(failure.value, "too-slow", "0.8 s", hopeless=False)


def test_a_receiver_is_known_by_its_certificate(serve: Serve) -> None:
    server = serve(saying(answer()), tls=True)
    with pytest.raises(FetchFailed) as failure:
        deliver(
            f"https://hook.test:{server.port}/in",
            b"{}",
            policy=quick_policy(ca_file=str(CERTIFICATE)),
            resolver=lambda host, port: ["127.0.0.1"],
        )
    said(failure.value, "tls-failed", "hook.test", hopeless=True)
    assert server.requests == []


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "10.0.0.7", "127.0.0.1", "[::1]", "[fd00::1]", "[::ffff:10.0.0.1]"]
)
def test_an_address_inside_is_refused_when_it_is_entered(host: str) -> None:
    with pytest.raises(FetchFailed) as failure:
        check_delivery_url(f"https://{host}/in")
    said(failure.value, "address-refused", hopeless=True)


def test_a_name_is_not_looked_up_when_it_is_entered() -> None:
    check_delivery_url("https://no-such-name.invalid/in")
