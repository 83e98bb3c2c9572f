"""Good answers, and answers that are not one."""

import socket
from collections.abc import Callable
from datetime import UTC

import pytest

from ingest.fetching.errors import FetchFailed
from ingest.fetching.request import Fetched, FetchRequest, NotModified
from tests.ingest.fetching.hostile import (
    PAGE,
    HostileServer,
    answer,
    ask,
    header_of,
    quick_policy,
    quick_session,
    rule,
    said,
    saying,
    wish,
)

Serve = Callable[..., HostileServer]


def test_a_page_comes_with_its_validators_and_the_headers_that_are_kept(serve: Serve) -> None:
    server = serve(
        saying(
            answer(
                ETag='W/"a1"',
                Last_Modified="Mon, 30 Nov 2026 10:00:00 GMT",
                Set_Cookie="a=b",
                Link="<https://docs.test/2>; rel=next",
            )
        )
    )
    page = ask(server)
    assert (page.body, page.status, page.content_type, page.charset) == (
        PAGE,
        200,
        "text/html",
        "utf-8",
    )
    assert page.final_url == f"http://docs.test:{server.port}/page"
    assert (page.etag, page.last_modified) == ('W/"a1"', "Mon, 30 Nov 2026 10:00:00 GMT")
    assert set(page.headers) == {"content-type", "etag", "last-modified", "link"}
    assert page.retrieved_at.tzinfo is UTC
    assert page.redirects == ()


def test_a_request_says_who_asks_and_carries_nothing_else(serve: Serve) -> None:
    server = serve(saying(answer()))
    policy = quick_policy(rule(server.port), contact="mailto:ops@runproof.example")
    ask(server, "/page?x=1&y=%C3%A9", policy=policy)
    head, *lines = server.requests[0].decode().split("\r\n")
    assert head == "GET /page?x=1&y=%C3%A9 HTTP/1.1"
    assert sorted(line for line in lines if line) == [
        "Accept-Encoding: gzip, deflate",
        "Accept: text/html",
        "Connection: close",
        f"Host: docs.test:{server.port}",
        "User-Agent: Runproof (+mailto:ops@runproof.example)",
    ]


def test_proxies_and_logins_of_the_environment_are_not_used(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert ask(serve(saying(answer()))).body == PAGE


def test_an_unchanged_page_is_not_fetched_again(serve: Serve) -> None:
    server = serve(saying(answer(b"", status="304 Not Modified", ETag='"a2"')))
    session = quick_session(quick_policy(rule(server.port)))
    same = session.fetch(wish(server, etag='"a1"', last_modified="Sun, 29 Nov 2026 10:00:00 GMT"))
    assert isinstance(same, NotModified)
    assert (same.etag, same.last_modified, same.status) == (
        '"a2"',
        "Sun, 29 Nov 2026 10:00:00 GMT",
        304,
    )
    assert header_of(server.requests[0], "If-None-Match") == '"a1"'
    assert header_of(server.requests[0], "If-Modified-Since") == "Sun, 29 Nov 2026 10:00:00 GMT"


def test_a_304_that_nobody_asked_for_is_no_answer(serve: Serve) -> None:
    server = serve(saying(answer(b"", status="304 Not Modified")))
    with pytest.raises(FetchFailed) as failure:
        ask(server)
    said(failure.value, "unasked-not-modified", "/page", "304", "accepted is 200", hopeless=False)


def test_an_etag_that_could_not_be_sent_back_is_not_kept(serve: Serve) -> None:
    page = ask(serve(saying(answer(ETag='"caf\xe9"', Last_Modified="x" * 600))))
    assert (page.etag, page.last_modified) == ("", "")


@pytest.mark.parametrize(
    ("status", "hopeless"),
    [
        ("400 Bad Request", True),
        ("401 Unauthorized", True),
        ("403 Forbidden", True),
        ("404 Not Found", True),
        ("410 Gone", True),
        ("451 Unavailable", True),
        ("408 Request Timeout", False),
        ("500 Oops", False),
        ("502 Bad Gateway", False),
        ("206 Partial Content", False),
        ("204 No Content", False),
        ("300 Multiple Choices", True),
    ],
)
def test_a_status_that_is_no_page_is_named(serve: Serve, status: str, hopeless: bool) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(answer(b"", status=status))))
    said(failure.value, "http-status", status[:3], "accepted are 200", hopeless=hopeless)
    assert failure.value.facts["seen"] == int(status[:3])


@pytest.mark.parametrize("kind", ["application/octet-stream", "image/png", None, "nonsense"])
def test_another_type_than_the_wanted_is_refused(serve: Serve, kind: str | None) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(answer(Content_Type=kind))))
    said(failure.value, "wrong-media-type", kind or "none", "accepted: text/html.", hopeless=True)


def test_a_listed_type_is_taken_whatever_its_parameters_and_case(serve: Serve) -> None:
    data = b'{"archived": true}'
    server = serve(saying(answer(data, Content_Type="Application/JSON ; charset=UTF-8")))
    page = ask(server, media_types=("application/json",))
    assert (page.body, page.content_type, page.charset) == (data, "application/json", "utf-8")


def test_bytes_of_a_listed_binary_type_are_not_read_as_text(serve: Serve) -> None:
    data = b"\x00\xff\xfe"
    server = serve(saying(answer(data, Content_Type="application/octet-stream")))
    page = ask(server, media_types=("application/octet-stream",))
    assert (page.body, page.charset) == (data, "")


def test_a_request_without_a_media_type_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="names no media type"):
        FetchRequest(url="https://docs.test/", media_types=())


def test_a_challenge_with_status_200_is_no_page(serve: Serve) -> None:
    body = (
        b"<!DOCTYPE html><html><head><title>Just a moment...</title></head>"
        b"<body>Checking your browser before you go on.</body></html>"
    )
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(answer(body))))
    said(failure.value, "blocked-page", "no page but a browser check", hopeless=True)


def test_a_challenge_with_status_403_is_called_one(serve: Serve) -> None:
    server = serve(saying(answer(b"", status="403 Forbidden", cf_mitigated="challenge")))
    with pytest.raises(FetchFailed) as failure:
        ask(server)
    said(failure.value, "blocked-page", "browser check", hopeless=True)


def test_an_empty_page_is_no_page(serve: Serve) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(answer(b""))))
    said(failure.value, "empty-body", "no content", "at least one byte", hopeless=False)


def test_an_http_1_0_answer_without_length_ends_with_the_connection(serve: Serve) -> None:
    page = ask(serve(saying(answer(version="1.0", Content_Length=None))))
    assert page.body == PAGE


def test_a_closed_connection_without_an_answer_is_a_failed_connection(serve: Serve) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(lambda connection, request: None))
    said(failure.value, "connection-failed", "Remote end closed", hopeless=False)


def test_a_reset_connection_is_a_failed_connection(serve: Serve) -> None:
    def reset(connection: socket.socket, request: bytes) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()

    with pytest.raises(FetchFailed) as failure:
        ask(serve(reset))
    said(failure.value, "connection-failed", "reset", hopeless=False)


def test_a_reset_in_the_middle_of_a_page_is_a_failed_connection(serve: Serve) -> None:
    def reset(connection: socket.socket, request: bytes) -> None:
        connection.sendall(answer()[:-20])
        # The first bytes are to be read before the reset throws the rest away.
        server.pause(0.1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()

    server = serve(reset)
    with pytest.raises(FetchFailed) as failure:
        ask(server)
    said(failure.value, "connection-failed", "reset", hopeless=False)


def test_a_port_where_nobody_listens_is_a_failed_connection(serve: Serve) -> None:
    server = serve(saying(answer()))
    server.close()
    with pytest.raises(FetchFailed) as failure:
        ask(server)
    said(failure.value, "connection-failed", "127.0.0.1", "refused", hopeless=False)


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"\x00\xff\x80 200 OK\r\n\r\n",
        b"HTTP/1.1 " + b"2" * 70_000 + b"\r\n\r\n",
    ],
)
def test_bytes_that_are_no_http_are_called_that(serve: Serve, data: bytes) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(data)))
    assert failure.value.code in ("bad-answer", "connection-failed")
    assert failure.value.hopeless is False
    assert "http://docs.test" in str(failure.value)


@pytest.mark.parametrize(
    "flood",
    [b"".join(b"X-%d: y\r\n" % number for number in range(5_000)), b"X: " + b"y" * 100_000],
)
def test_a_flood_of_headers_is_no_answer(serve: Serve, flood: bytes) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(b"HTTP/1.1 200 OK\r\n" + flood + b"\r\n\r\n" + PAGE)))
    said(failure.value, "bad-answer", "header", "at most 100", hopeless=False)


def test_headers_with_stray_bytes_do_no_harm(serve: Serve) -> None:
    data = answer(Server="a\x00b\x07\xff", Link="\x1b[31m")
    page = ask(serve(saying(data)))
    assert page.body == PAGE
    assert page.headers["server"] == "a\ufffdb\ufffd\xff"
    assert page.headers["link"] == "\ufffd[31m"


def test_two_different_lengths_are_no_answer(serve: Serve) -> None:
    data = answer().replace(b"Content-Type", b"Content-Length: 5\r\nContent-Type", 1)
    with pytest.raises(FetchFailed) as failure:
        ask(serve(saying(data)))
    said(failure.value, "bad-answer", "Content-Length", hopeless=False)


def test_a_fetched_page_can_be_asked_for_again_by_its_own_validators(serve: Serve) -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        known = header_of(request, "If-None-Match") == '"a1"'
        connection.sendall(answer(b"", status="304 Not Modified") if known else answer(ETag='"a1"'))

    server = serve(script)
    session = quick_session(quick_policy(rule(server.port)))
    first = session.fetch(wish(server))
    assert isinstance(first, Fetched)
    second = session.fetch(wish(server, etag=first.etag, last_modified=first.last_modified))
    assert isinstance(second, NotModified)
    assert second.etag == '"a1"'
