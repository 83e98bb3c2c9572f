"""The way from a request to a page: allow-list, robots, turn, addresses, exchange, redirects."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.gate import HostGate, ProcessGate, read_clock
from ingest.fetching.headers import check_headers, make_headers, make_robots_headers
from ingest.fetching.hosts import HostRule
from ingest.fetching.location import Location, join_location, parse_location, show_url
from ingest.fetching.meter import Meter
from ingest.fetching.policy import AGENT_NAME, FetchPolicy, read_policy
from ingest.fetching.reading import find_pause, read_answer
from ingest.fetching.request import Fetched, FetchRequest, NotModified, Redirect
from ingest.fetching.resolving import Resolver, resolve_checked, resolve_host
from ingest.fetching.robots import (
    MOST_BYTES,
    RobotsAnswer,
    RobotsCache,
    check_robots,
    read_robots_answer,
)
from ingest.fetching.transport import Answer, Route, exchange

# What HTTP itself adds: headers, chunk sizes, trailers.
OVERHEAD_BYTES = 256 * 1024
_REDIRECTS = (301, 302, 303, 307, 308)
# With these the page would fail as its robots.txt did, and they say more than "no robots.txt".
_SHARED_WITH_PAGE = (
    FailureCode.RATE_LIMITED,
    FailureCode.ADDRESS_REFUSED,
    FailureCode.NAME_NOT_FOUND,
    FailureCode.CONNECTION_FAILED,
    FailureCode.TLS_FAILED,
    FailureCode.TIMED_OUT,
)

Result = TypeVar("Result")
# Makes the result out of the answer at the end of the way, its address, and the redirects.
Reader = Callable[[Answer, Location, tuple[Redirect, ...]], Result]

# One for the process: a limit for each session would be no limit at all.
_PROCESS_GATE = ProcessGate()
_PROCESS_ROBOTS = RobotsCache()


@dataclass(frozen=True, slots=True)
class FetchSession:
    """Everything that fetches share; safe for all threads of a process.

    **Dates**: ``clock`` gives now, aware UTC; time-outs run on the monotonic clock instead.
    """

    gate: HostGate = _PROCESS_GATE
    policy: FetchPolicy = field(default_factory=read_policy)
    resolver: Resolver = resolve_host
    robots: RobotsCache = _PROCESS_ROBOTS
    clock: Callable[[], datetime] = read_clock
    sleep: Callable[[float], None] = time.sleep

    def fetch(self, request: FetchRequest) -> Fetched | NotModified:
        """Returns the page, or the word that the stored copy still stands.

        Sleeps until the host's turn, at most as long as the policy says; tries once.
        **Raises** FetchFailed, and nothing else, for whatever a server or network does.
        """
        check_headers(request)

        def read(
            answer: Answer, here: Location, steps: tuple[Redirect, ...]
        ) -> Fetched | NotModified:
            return read_answer(
                answer, request=request, final_url=here.url, redirects=steps, clock=self.clock
            )

        start = parse_location(request.url)
        trip = _Trip(
            session=self,
            max_bytes=request.max_bytes,
            make_headers=lambda here, rule: make_headers(
                request, start=start, here=here, rule=rule, policy=self.policy
            ),
        )
        return trip.travel(request.url, read)


def open_session(
    *, gate: HostGate | None = None, policy: FetchPolicy | None = None
) -> FetchSession:
    """Returns a session with this installation's settings; the gate of this process by default."""
    return FetchSession(gate=gate or _PROCESS_GATE, policy=policy or read_policy())


def fetch(
    request: FetchRequest,
    *,
    gate: HostGate,
    resolver: Resolver = resolve_host,
    robots: RobotsCache = _PROCESS_ROBOTS,
    policy: FetchPolicy | None = None,
) -> Fetched | NotModified:
    """Returns what a session made of these parts fetches; see FetchSession.fetch."""
    session = FetchSession(
        gate=gate, resolver=resolver, robots=robots, policy=policy or read_policy()
    )
    return session.fetch(request)


@dataclass(frozen=True, slots=True)
class _Hop:
    """One checked step of the way."""

    here: Location
    rule: HostRule
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Trip:
    """One request with all its redirects."""

    session: FetchSession
    max_bytes: int
    make_headers: Callable[[Location, HostRule], Mapping[str, str]]
    obeys_robots: bool = True

    def travel(self, url: str, read: Reader[Result]) -> Result:
        """Returns what the reader makes of the last answer."""
        policy = self.session.policy
        steps: tuple[Redirect, ...] = ()
        hop = self._check(url)
        while True:
            with self._exchange(hop) as answer:
                self._heed_limits(hop.here, answer)
                target = answer.headers.get("location", "")
                if answer.status not in _REDIRECTS or not target:
                    return read(answer, hop.here, steps)
            url = join_location(hop.here, target)
            steps = (*steps, Redirect(answer.status, url))
            if len(steps) > policy.most_redirects:
                raise FetchFailed(
                    FailureCode.TOO_MANY_REDIRECTS,
                    url=hop.here.url,
                    target=show_url(url),
                    accepted=policy.most_redirects,
                )
            hop = self._check_redirect(url, hop.here)

    def _check(self, url: str) -> _Hop:
        """Returns a step that may be taken now, after the wait for its turn."""
        session = self.session
        here = parse_location(url)
        rule = session.policy.find_rule(here)
        interval_seconds = rule.interval_seconds
        if self.obeys_robots and rule.obeys_robots:
            answer = session.robots.answer_for(
                here, now=session.clock(), load=lambda: _load_robots(session, here)
            )
            delay_seconds = check_robots(answer, here, agent=AGENT_NAME)
            interval_seconds = max(interval_seconds, delay_seconds)
        _wait_for_turn(session, here, interval_seconds=interval_seconds)
        addresses = resolve_checked(
            here, resolver=session.resolver, loopback=session.policy.loopback
        )
        return _Hop(here, rule, addresses)

    def _check_redirect(self, url: str, source: Location) -> _Hop:
        try:
            return self._check(url)
        except FetchFailed as failure:
            if not failure.hopeless:
                raise
            raise FetchFailed(
                FailureCode.REDIRECT_REFUSED,
                url=source.url,
                target=show_url(url),
                problem=str(failure),
                because=failure.code,
            ) from failure

    def _exchange(self, hop: _Hop) -> AbstractContextManager[Answer]:
        policy = self.session.policy
        meter = Meter(
            url=hop.here.url,
            total_seconds=policy.total_seconds,
            idle_seconds=policy.idle_seconds,
            most_bytes=self.max_bytes + self.max_bytes // 4 + OVERHEAD_BYTES,
        )
        return exchange(
            hop.here,
            headers=self.make_headers(hop.here, hop.rule),
            route=Route(hop.addresses, policy.connect_seconds, meter),
            ca_file=policy.ca_file,
        )

    def _heed_limits(self, here: Location, answer: Answer) -> None:
        """Tells the gate what the host says about its limits; raises rate-limited."""
        now = self.session.clock()
        pause_seconds = find_pause(answer, now=now)
        if pause_seconds is None:
            return
        until = now + timedelta(seconds=pause_seconds)
        self.session.gate.note_retry_after(here.authority, until)
        if answer.status in (403, 429):
            raise _rate_limited(here, f"it answered with {answer.status}", pause_seconds)


def _wait_for_turn(session: FetchSession, here: Location, *, interval_seconds: float) -> None:
    waited_seconds = 0.0
    while True:
        seconds = session.gate.wait_turn(here.authority, interval_seconds=interval_seconds)
        if seconds <= 0:
            return
        waited_seconds += seconds
        if waited_seconds > session.policy.longest_wait_seconds:
            problem = f"its turn lies beyond {session.policy.longest_wait_seconds:g} s"
            raise _rate_limited(here, problem, seconds)
        session.sleep(seconds)


def _rate_limited(here: Location, problem: str, seconds: float) -> FetchFailed:
    return FetchFailed(
        FailureCode.RATE_LIMITED,
        retry_after_seconds=seconds,
        url=here.url,
        host=here.host,
        problem=problem,
        wait_seconds=round(seconds, 1),
    )


def _load_robots(session: FetchSession, here: Location) -> RobotsAnswer:
    """Returns the rules of a host from its server, or why there are none."""

    def read(answer: Answer, here: Location, steps: tuple[Redirect, ...]) -> RobotsAnswer:
        return read_robots_answer(answer, url=here.url)

    trip = _Trip(
        session=session,
        max_bytes=MOST_BYTES,
        make_headers=lambda here, rule: make_robots_headers(session.policy),
        obeys_robots=False,
    )
    try:
        return trip.travel(f"{here.scheme}://{here.authority}/robots.txt", read)
    except FetchFailed as failure:
        if failure.code in _SHARED_WITH_PAGE:
            raise
        return RobotsAnswer(problem=failure.code)
