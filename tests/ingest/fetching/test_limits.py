"""Turns at a host, and what hosts say about their limits."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from ingest.fetching.errors import FetchFailed
from ingest.fetching.gate import ProcessGate
from ingest.fetching.request import Fetched
from ingest.fetching.session import FetchSession
from tests.ingest.fetching.hostile import (
    NOW,
    HostileServer,
    answer,
    quick_policy,
    quick_session,
    rule,
    said,
    saying,
    wish,
)

Serve = Callable[..., HostileServer]


class SteppingClock:
    """A clock that only a sleep moves."""

    def __init__(self) -> None:
        self.now = NOW
        self.slept: list[float] = []

    def read(self) -> datetime:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += timedelta(seconds=seconds)


def session_at(clock: SteppingClock, server: HostileServer, **changes: object) -> FetchSession:
    """Returns a session whose gate and sleeps follow the clock."""
    policy = quick_policy(rule(server.port, **changes), longest_wait_seconds=60.0)
    return quick_session(
        policy, gate=ProcessGate(clock=clock.read), clock=clock.read, sleep=clock.sleep
    )


def test_requests_to_one_host_keep_their_distance(serve: Serve) -> None:
    clock, server = SteppingClock(), serve(saying(answer()))
    session = session_at(clock, server, interval_seconds=2.0)
    for _ in range(3):
        session.fetch(wish(server))
    assert clock.slept == [2.0, 2.0]


def test_requests_to_two_hosts_do_not_wait_for_each_other() -> None:
    clock = SteppingClock()
    gate = ProcessGate(clock=clock.read)
    assert gate.wait_turn("a.example", interval_seconds=5) == 0
    assert gate.wait_turn("b.example", interval_seconds=5) == 0
    assert gate.wait_turn("a.example", interval_seconds=5) == 5


def test_a_wait_that_is_told_takes_no_turn() -> None:
    clock = SteppingClock()
    gate = ProcessGate(clock=clock.read)
    gate.wait_turn("a.example", interval_seconds=5)
    assert [gate.wait_turn("a.example", interval_seconds=5) for _ in range(3)] == [5, 5, 5]
    clock.sleep(5)
    assert gate.wait_turn("a.example", interval_seconds=5) == 0


def test_an_earlier_retry_after_changes_nothing() -> None:
    clock = SteppingClock()
    gate = ProcessGate(clock=clock.read)
    gate.note_retry_after("a.example", NOW + timedelta(seconds=30))
    gate.note_retry_after("a.example", NOW + timedelta(seconds=10))
    assert gate.wait_turn("a.example", interval_seconds=1) == 30


def test_one_turn_goes_to_one_thread() -> None:
    gate = ProcessGate()
    ready, taken = threading.Barrier(16), []

    def take() -> None:
        ready.wait()
        taken.append(gate.wait_turn("a.example", interval_seconds=60))

    threads = [threading.Thread(target=take) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seconds == 0 for seconds in taken) == [False] * 15 + [True]


@pytest.mark.parametrize(
    ("status", "headers", "code", "seconds"),
    [
        ("429 Slow Down", {"Retry-After": "120"}, "rate-limited", 120),
        ("429 Slow Down", {"Retry-After": "Mon, 30 Nov 2026 12:05:00 GMT"}, "rate-limited", 300),
        ("429 Slow Down", {}, "rate-limited", 60),
        ("429 Slow Down", {"Retry-After": "soon"}, "rate-limited", 60),
        ("429 Slow Down", {"Retry-After": "9" * 30}, "rate-limited", 86_400),
        ("403 Forbidden", {"Retry-After": "90"}, "rate-limited", 90),
        ("503 Busy", {"Retry-After": "45"}, "http-status", 45),
        ("503 Busy", {"Retry-After": "Mon, 30 Nov 2026 12:01:00 GMT"}, "http-status", 60),
        (
            "403 Forbidden",
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1796041800"},
            "rate-limited",
            1_800,
        ),
        (
            "403 Forbidden",
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1796030000"},
            "rate-limited",
            0,
        ),
        (
            "429 Slow Down",
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "40"},
            "rate-limited",
            40,
        ),
    ],
)
def test_a_host_that_asks_for_a_pause_gets_it(
    serve: Serve, status: str, headers: dict[str, str], code: str, seconds: float
) -> None:
    clock = SteppingClock()
    server = serve(saying(answer(b"", status=status, **headers)))
    session = session_at(clock, server)
    with pytest.raises(FetchFailed) as failure:
        session.fetch(wish(server))
    said(failure.value, code, status[:3], hopeless=False)
    assert failure.value.retry_after_seconds == seconds
    assert session.gate.wait_turn(f"docs.test:{server.port}", interval_seconds=0) == seconds


def test_a_forbidden_page_is_not_taken_for_a_limit(serve: Serve) -> None:
    data = answer(
        b"",
        status="403 Forbidden",
        **{"X-RateLimit-Remaining": "57", "X-RateLimit-Reset": "1796041800"},
    )
    clock, server = SteppingClock(), serve(saying(data))
    session = session_at(clock, server)
    with pytest.raises(FetchFailed) as failure:
        session.fetch(wish(server))
    said(failure.value, "http-status", "403", hopeless=True)
    assert session.gate.wait_turn(f"docs.test:{server.port}", interval_seconds=0) == 0


def test_the_last_request_of_a_quota_holds_the_next_one_back(serve: Serve) -> None:
    data = answer(**{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1796040900"})
    clock, server = SteppingClock(), serve(saying(data))
    session = session_at(clock, server)
    assert isinstance(session.fetch(wish(server)), Fetched)
    with pytest.raises(FetchFailed) as failure:
        session.fetch(wish(server))
    said(failure.value, "rate-limited", "beyond 60 s", "accepted is one in 900", hopeless=False)
    assert failure.value.retry_after_seconds == 900
    assert len(server.requests) == 1
    assert clock.slept == []


def test_a_retry_after_of_zero_closes_nothing(serve: Serve) -> None:
    clock, server = (
        SteppingClock(),
        serve(saying(answer(b"", status="503 Busy", **{"Retry-After": "0"}))),
    )
    session = session_at(clock, server)
    with pytest.raises(FetchFailed) as failure:
        session.fetch(wish(server))
    assert failure.value.retry_after_seconds == 0
    assert session.gate.wait_turn(f"docs.test:{server.port}", interval_seconds=0) == 0


def test_a_pause_that_comes_during_a_wait_is_heeded(serve: Serve) -> None:
    clock, server = SteppingClock(), serve(saying(answer()))
    session = session_at(clock, server, interval_seconds=2.0)
    session.fetch(wish(server))
    late = FetchSession(
        gate=session.gate,
        policy=session.policy,
        resolver=session.resolver,
        robots=session.robots,
        clock=clock.read,
        sleep=lambda seconds: (
            clock.sleep(seconds),
            session.gate.note_retry_after(
                f"docs.test:{server.port}", NOW + timedelta(seconds=1_000)
            ),
        )[0],
    )
    with pytest.raises(FetchFailed) as failure:
        late.fetch(wish(server))
    assert failure.value.code == "rate-limited"
    assert len(server.requests) == 1


def test_many_threads_may_share_a_session(serve: Serve) -> None:
    server = serve(saying(answer()))
    session = quick_session(quick_policy(rule(server.port), total_seconds=2.0, idle_seconds=2.0))
    pages: list[object] = []
    threads = [
        threading.Thread(target=lambda: pages.append(session.fetch(wish(server))))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pages) == 12
    assert all(isinstance(page, Fetched) for page in pages)
