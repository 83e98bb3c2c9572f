"""Redirects: every step is checked like the first, and takes no secret along."""

import socket
from collections.abc import Callable

import pytest

from ingest.fetching.errors import FetchFailed
from ingest.fetching.request import Fetched, Redirect
from tests.ingest.fetching.hostile import (
    CERTIFICATE,
    PAGE,
    HostileServer,
    answer,
    ask,
    by_path,
    header_of,
    quick_policy,
    quick_session,
    rule,
    said,
    wish,
)

Serve = Callable[..., HostileServer]


def leading_to(target: str, status: str = "302 Found") -> bytes:
    return answer(b"", status=status, Location=target)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_on_the_same_host_is_followed_and_told(serve: Serve, status: int) -> None:
    server = serve(
        by_path({"/page": leading_to("new?x=1", f"{status} Moved"), "/new?x=1": answer()})
    )
    page = ask(server)
    assert page.body == PAGE
    assert page.final_url == f"http://docs.test:{server.port}/new?x=1"
    assert page.redirects == (Redirect(status, page.final_url),)


def test_a_redirect_to_a_registered_host_is_followed(serve: Serve) -> None:
    there = serve(by_path({"/new": answer()}))
    here = serve(by_path({"/page": leading_to(f"http://new.test:{there.port}/new")}))
    policy = quick_policy(rule(here.port), rule(there.port, "new.test"))
    assert ask(here, policy=policy).final_url == f"http://new.test:{there.port}/new"
    assert header_of(there.requests[0], "Host") == f"new.test:{there.port}"


def test_an_address_beyond_ascii_is_followed_in_escapes(serve: Serve) -> None:
    place = "/página".encode().decode("latin-1")
    server = serve(by_path({"/page": leading_to(place), "/p%C3%A1gina": answer()}))
    assert ask(server).body == PAGE


@pytest.mark.parametrize(
    ("target", "because", "words"),
    [
        ("http://169.254.169.254/latest/meta-data/", "host-not-allowed", "169.254.169.254"),
        ("http://[fd00:ec2::254]/", "host-not-allowed", "fd00:ec2::254"),
        ("https://evil.example/", "host-not-allowed", "evil.example"),
        ("//evil.example/", "host-not-allowed", "evil.example"),
        ("http://docs.test:22/", "port-not-allowed", "22"),
        ("gopher://docs.test/", "scheme-not-allowed", "gopher"),
        ("file:///etc/passwd", "scheme-not-allowed", "file"),
        ("javascript:alert(1)", "bad-url", "javascript"),
        ("http://user:secret@docs.test/", "credentials-in-url", "…@"),
        ("http://[::1", "bad-url", "[::1"),
        ("http://secure.test:443/", "scheme-not-allowed", "https"),
    ],
)
def test_a_redirect_to_where_no_request_may_go_is_refused(
    serve: Serve, target: str, because: str, words: str
) -> None:
    server = serve(by_path({"/page": leading_to(target)}))
    policy = quick_policy(rule(server.port), rule(443, "secure.test", scheme="https"))
    with pytest.raises(FetchFailed) as failure:
        ask(server, policy=policy)
    said(failure.value, "redirect-refused", "/page leads on to", words, hopeless=True)
    assert failure.value.facts["because"] == because
    assert "secret" not in str(failure.value)
    assert len(server.requests) == 1


def test_a_redirect_from_https_to_http_is_refused(serve: Serve) -> None:
    server = serve(by_path({"/page": leading_to("http://docs.test/page")}), tls=True)
    policy = quick_policy(rule(server.port, scheme="https"), ca_file=str(CERTIFICATE))
    with pytest.raises(FetchFailed) as failure:
        ask(server, policy=policy, url=f"https://docs.test:{server.port}/page")
    said(failure.value, "redirect-refused", "asks for http", "is https", hopeless=True)


def test_a_redirect_to_a_name_with_a_private_address_is_refused(serve: Serve) -> None:
    server = serve(by_path({"/page": leading_to("http://inner.test/")}))
    policy = quick_policy(rule(server.port), rule(80, "inner.test"))
    session = quick_session(
        policy,
        resolver=lambda host, port: ["127.0.0.1" if host == "docs.test" else "169.254.169.254"],
    )
    with pytest.raises(FetchFailed) as failure:
        session.fetch(wish(server))
    said(failure.value, "redirect-refused", "169.254.169.254", "metadata", hopeless=True)
    assert failure.value.facts["because"] == "address-refused"


def test_redirects_in_a_ring_end(serve: Serve) -> None:
    server = serve(by_path({"/page": leading_to("/b"), "/b": leading_to("/page")}))
    with pytest.raises(FetchFailed) as failure:
        ask(server)
    said(failure.value, "too-many-redirects", "more than 5 times", "5 redirects", hopeless=True)
    assert len(server.requests) == 6


def test_five_redirects_are_followed(serve: Serve) -> None:
    pages = {f"/{step}": leading_to(f"/{step + 1}") for step in range(5)}
    server = serve(by_path({**pages, "/5": answer()}))
    assert len(ask(server, "/0").redirects) == 5


@pytest.mark.parametrize("data", [answer(b"", status="302 Found"), leading_to("")])
def test_a_redirect_to_nowhere_is_a_status(serve: Serve, data: bytes) -> None:
    with pytest.raises(FetchFailed) as failure:
        ask(serve(by_path({"/page": data})))
    said(failure.value, "http-status", "302", hopeless=True)


def test_the_body_of_a_redirect_is_not_read(serve: Serve) -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        if b"GET /new " in request:
            connection.sendall(answer())
        else:
            connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: /new\r\n\r\n" + b"x" * 100_000)
            servers[0].pause(1)

    servers: list[HostileServer] = []
    servers.append(serve(script))
    assert ask(servers[0]).body == PAGE


def test_the_token_goes_to_the_code_host_alone(serve: Serve) -> None:
    there = serve(by_path({"/new": answer()}))
    here = serve(by_path({"/page": leading_to(f"http://new.test:{there.port}/new")}))
    policy = quick_policy(
        rule(here.port, sends_token=True), rule(there.port, "new.test"), code_host_token="t0ken"
    )
    ask(here, policy=policy)
    assert header_of(here.requests[0], "Authorization") == "Bearer t0ken"
    assert header_of(there.requests[0], "Authorization") is None
    assert b"t0ken" not in there.requests[0]
    assert "t0ken" not in repr(policy)


def test_the_token_does_not_go_to_a_host_that_a_feed_names_first(serve: Serve) -> None:
    there = serve(by_path({"/new": answer()}))
    here = serve(by_path({"/page": leading_to(f"http://code.test:{there.port}/new")}))
    policy = quick_policy(
        rule(here.port), rule(there.port, "code.test", sends_token=True), code_host_token="t0ken"
    )
    ask(here, policy=policy)
    assert header_of(here.requests[0], "Authorization") is None
    assert header_of(there.requests[0], "Authorization") == "Bearer t0ken"


def test_headers_of_a_request_stay_with_its_host(serve: Serve) -> None:
    there = serve(by_path({"/new": answer()}))
    here = serve(
        by_path({"/page": leading_to("/b"), "/b": leading_to(f"http://new.test:{there.port}/new")})
    )
    session = quick_session(quick_policy(rule(here.port), rule(there.port, "new.test")))
    request = wish(here, headers=(("Authorization", "Bearer s3cret"), ("X-Api", "k3y")))
    page = session.fetch(request)
    assert isinstance(page, Fetched)
    assert [header_of(sent, "Authorization") for sent in here.requests] == ["Bearer s3cret"] * 2
    assert b"s3cret" not in there.requests[0]
    assert b"k3y" not in there.requests[0]
    assert "s3cret" not in repr(request)


def test_an_own_authorization_goes_before_the_token(serve: Serve) -> None:
    server = serve(by_path({"/page": answer()}))
    policy = quick_policy(rule(server.port, sends_token=True), code_host_token="t0ken")
    ask(server, policy=policy, headers=(("authorization", "Bearer 0wn"),))
    assert header_of(server.requests[0], "Authorization") == "Bearer 0wn"
    assert server.requests[0].lower().count(b"authorization") == 1
