"""robots.txt as servers give it, and as they fail to."""

import socket
from collections.abc import Callable
from datetime import timedelta

import pytest

from ingest.fetching.errors import FetchFailed
from ingest.fetching.gate import ProcessGate
from ingest.fetching.request import Fetched
from ingest.fetching.session import FetchSession
from tests.ingest.fetching.hostile import (
    NOW,
    HostileServer,
    answer,
    by_path,
    gzipped,
    header_of,
    quick_policy,
    quick_session,
    rule,
    said,
    wish,
)
from tests.ingest.fetching.test_limits import SteppingClock

Serve = Callable[..., HostileServer]
CLOSED = b"User-agent: *\nDisallow: /\n"


def session_for(server: HostileServer, **changes: object) -> FetchSession:
    """Returns a session that honours the server's robots.txt."""
    policy = quick_policy(rule(server.port, obeys_robots=True), code_host_token="t0ken")
    return quick_session(policy, **changes)


def robots(body: bytes, *, status: str = "200 OK", **headers: str) -> HostileServer:
    return by_path(
        {
            "/robots.txt": answer(body, status=status, Content_Type="text/plain", **headers),
            "/page": answer(),
            "/private/page": answer(),
        }
    )


def test_a_page_that_robots_txt_keeps_closed_is_not_asked_for(serve: Serve) -> None:
    server = serve(robots(b"User-agent: *\nDisallow: /private\n"))
    session = session_for(server)
    with pytest.raises(FetchFailed) as failure:
        session.fetch(wish(server, "/private/page"))
    said(failure.value, "robots-disallow", "Runproof", "/private/page", hopeless=True)
    assert isinstance(session.fetch(wish(server)), Fetched)
    assert [sent.split(b" ")[1] for sent in server.requests] == [b"/robots.txt", b"/page"]


def test_a_group_of_our_own_name_counts_before_the_one_for_all(serve: Serve) -> None:
    server = serve(robots(CLOSED + b"\nUser-agent: RunProof\nDisallow: /private\n"))
    assert isinstance(session_for(server).fetch(wish(server)), Fetched)


def test_robots_txt_is_asked_for_with_our_name_and_no_secret(serve: Serve) -> None:
    server = serve(robots(b""))
    policy = quick_policy(
        rule(server.port, obeys_robots=True, sends_token=True), code_host_token="t0ken"
    )
    quick_session(policy).fetch(wish(server, headers=(("X-Api", "k3y"),)))
    first, second = server.requests
    assert header_of(first, "User-Agent") == "Runproof"
    assert b"t0ken" not in first and b"k3y" not in first
    assert b"t0ken" in second and b"k3y" in second


def test_a_host_made_for_programs_is_not_asked_for_robots_txt(serve: Serve) -> None:
    server = serve(robots(CLOSED))
    session = quick_session(quick_policy(rule(server.port)))
    assert isinstance(session.fetch(wish(server)), Fetched)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", ["404 Not Found", "401 No", "403 Forbidden", "410 Gone"])
def test_a_missing_robots_txt_allows_everything(serve: Serve, status: str) -> None:
    server = serve(robots(CLOSED, status=status))
    assert isinstance(session_for(server).fetch(wish(server)), Fetched)


@pytest.mark.parametrize("status", ["500 Oops", "503 Busy", "302 Found", "204 No Content"])
def test_a_robots_txt_in_trouble_closes_the_host_for_a_while(serve: Serve, status: str) -> None:
    server = serve(robots(b"", status=status))
    session = session_for(server)
    for _ in range(2):
        with pytest.raises(FetchFailed) as failure:
            session.fetch(wish(server))
        said(failure.value, "robots-unreachable", f"status {status[:3]}", hopeless=False)
        assert failure.value.retry_after_seconds == 600
    assert len(server.requests) == 1


def test_a_robots_txt_that_is_cut_off_closes_the_host(serve: Serve) -> None:
    server = serve(by_path({"/robots.txt": answer(CLOSED)[:-5]}))
    with pytest.raises(FetchFailed) as failure:
        session_for(server).fetch(wish(server))
    said(failure.value, "robots-unreachable", "truncated", hopeless=False)


def test_a_robots_txt_that_leads_to_a_foreign_host_closes_the_host(serve: Serve) -> None:
    server = serve(
        by_path({"/robots.txt": answer(b"", status="302 F", Location="http://evil.example/")})
    )
    with pytest.raises(FetchFailed) as failure:
        session_for(server).fetch(wish(server))
    said(failure.value, "robots-unreachable", "redirect-refused", hopeless=False)


def test_a_limit_met_at_robots_txt_is_the_limit_and_is_not_kept(serve: Serve) -> None:
    clock = SteppingClock()
    server = serve(robots(b"", status="429 Slow Down", **{"Retry-After": "120"}))
    session = session_for(
        server, clock=clock.read, sleep=clock.sleep, gate=ProcessGate(clock=clock.read)
    )
    with pytest.raises(FetchFailed) as failure:
        session.fetch(wish(server))
    said(failure.value, "rate-limited", "429", hopeless=False)
    assert failure.value.retry_after_seconds == 120


def test_a_host_that_is_down_is_called_down(serve: Serve) -> None:
    server = serve(robots(b""))
    server.close()
    with pytest.raises(FetchFailed) as failure:
        session_for(server).fetch(wish(server))
    said(failure.value, "connection-failed", "/robots.txt", hopeless=False)


def test_a_redirected_robots_txt_is_read(serve: Serve) -> None:
    server = serve(
        by_path(
            {
                "/robots.txt": answer(b"", status="301 Moved", Location="/r.txt"),
                "/r.txt": answer(CLOSED),
                "/page": answer(),
            }
        )
    )
    with pytest.raises(FetchFailed, match=r"keeps Runproof away"):
        session_for(server).fetch(wish(server))


def test_of_a_huge_robots_txt_the_beginning_counts(serve: Serve) -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        if b"GET /page " in request:
            connection.sendall(answer())
            return
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private\n")
        while not servers[0].stopping.is_set():
            connection.sendall(b"# nothing to see here\n" * 4_000)

    servers: list[HostileServer] = []
    servers.append(serve(script))
    session = session_for(servers[0])
    assert isinstance(session.fetch(wish(servers[0])), Fetched)
    with pytest.raises(FetchFailed) as failure:
        session.fetch(wish(servers[0], "/private/x"))
    assert failure.value.code == "robots-disallow"


def test_a_compressed_robots_txt_is_unpacked(serve: Serve) -> None:
    server = serve(robots(gzipped(CLOSED), Content_Encoding="gzip"))
    with pytest.raises(FetchFailed) as failure:
        session_for(server).fetch(wish(server))
    assert failure.value.code == "robots-disallow"


def test_a_redirect_to_a_closed_page_is_refused(serve: Serve) -> None:
    server = serve(
        by_path(
            {
                "/robots.txt": answer(b"User-agent: *\nDisallow: /private\n"),
                "/page": answer(b"", status="302 Found", Location="/private/page"),
            }
        )
    )
    with pytest.raises(FetchFailed) as failure:
        session_for(server).fetch(wish(server))
    said(failure.value, "redirect-refused", "robots.txt", "/private/page", hopeless=True)


def test_robots_txt_is_kept_for_a_day_and_a_failure_for_minutes(serve: Serve) -> None:
    pages = {"/robots.txt": answer(b""), "/page": answer()}
    server = serve(by_path(pages))
    clock = SteppingClock()
    session = session_for(
        server, clock=clock.read, sleep=clock.sleep, gate=ProcessGate(clock=clock.read)
    )
    for hours in (0, 23, 25):
        clock.now = NOW + timedelta(hours=hours)
        session.fetch(wish(server))
    asked = [sent.split(b" ")[1] for sent in server.requests]
    assert asked == [b"/robots.txt", b"/page", b"/page", b"/robots.txt", b"/page"]


def test_a_crawl_delay_longer_than_our_own_is_kept(serve: Serve) -> None:
    server = serve(robots(b"User-agent: *\nCrawl-delay: 7\nDisallow: /private\n"))
    clock = SteppingClock()
    policy = quick_policy(
        rule(server.port, obeys_robots=True, interval_seconds=1.0), longest_wait_seconds=60.0
    )
    session = quick_session(
        policy, clock=clock.read, sleep=clock.sleep, gate=ProcessGate(clock=clock.read)
    )
    for _ in range(3):
        session.fetch(wish(server))
    assert clock.slept == [1.0, 7.0, 7.0]
