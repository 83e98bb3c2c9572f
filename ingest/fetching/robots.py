"""The robots.txt of each host, kept for a day."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ingest.domain.robots_rules import MOST_CHARACTERS, RobotsRules, read_robots
from ingest.fetching.content import read_body
from ingest.fetching.errors import FailureCode, FetchFailed
from ingest.fetching.location import Location
from ingest.fetching.transport import Answer

MOST_BYTES = 4 * 1024 * 1024
# **Source**: RFC 9309, section 2.4: not longer than a day.
KEEP_FOR = timedelta(hours=24)
# A robots.txt that cannot be read closes the host; it is asked for again after this time.
KEEP_FAILURE_FOR = timedelta(minutes=10)
ALLOW_ALL = RobotsRules()


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """The rules of a host, or why they could not be read (``problem``, empty otherwise)."""

    rules: RobotsRules = ALLOW_ALL
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Kept:
    answer: RobotsAnswer
    until: datetime


class RobotsCache:
    """What the threads of one process know of robots.txt files."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str, int], _Kept] = {}

    def answer_for(
        self, location: Location, *, now: datetime, load: Callable[[], RobotsAnswer]
    ) -> RobotsAnswer:
        """Returns the kept answer of a location's host, loaded where it is missing or too old.

        Two threads may load the same file at once; the later one is kept, and both are right.
        """
        key = (location.scheme, location.host, location.port)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and now < kept.until:
            return kept.answer
        answer = load()
        until = now + (KEEP_FAILURE_FOR if answer.problem else KEEP_FOR)
        with self._lock:
            self._kept[key] = _Kept(answer, until)
        return answer


def read_robots_answer(answer: Answer, *, url: str) -> RobotsAnswer:
    """Returns what a robots.txt says by its status and first half million bytes.

    The standard: a file that is not there (4xx) allows everything, a server in trouble (5xx)
    nothing. A 429 does not come here: it is a limit for the page as well.
    **Raises** FetchFailed where a compressed file is no whole stream or too large.
    """
    if answer.status == 200:
        return RobotsAnswer(
            read_robots(_read_beginning(answer, url=url).decode("utf-8", "replace"))
        )
    if 400 <= answer.status < 500:
        return RobotsAnswer()
    return RobotsAnswer(problem=f"status {answer.status}")


def _read_beginning(answer: Answer, *, url: str) -> bytes:
    encoding = answer.headers.get("content-encoding", "")
    if encoding:
        return read_body(answer.chunks, url=url, encoding=encoding, max_bytes=MOST_BYTES)
    body = bytearray()
    for chunk in answer.chunks:
        body += chunk
        if len(body) >= MOST_CHARACTERS:
            break
    return bytes(body)


def check_robots(answer: RobotsAnswer, location: Location, *, agent: str) -> float:
    """Returns the seconds between two requests that the file wants, if it allows the address.

    **Raises** FetchFailed: robots-disallow, robots-unreachable.
    """
    if answer.problem:
        raise FetchFailed(
            FailureCode.ROBOTS_UNREACHABLE,
            retry_after_seconds=KEEP_FAILURE_FOR.total_seconds(),
            url=location.url,
            host=location.host,
            problem=answer.problem,
        )
    if not answer.rules.allows(agent, location.target):
        raise FetchFailed(
            FailureCode.ROBOTS_DISALLOW, url=location.url, host=location.host, agent=agent
        )
    return answer.rules.delay_seconds(agent)
