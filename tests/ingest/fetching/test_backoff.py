"""How long to wait after a failure."""

import random

import pytest

from ingest.fetching.backoff import delay_seconds, read_limit_pause, read_retry_after
from tests.ingest.fetching.hostile import NOW


def test_a_delay_doubles_up_to_its_cap() -> None:
    delays = [delay_seconds(n, base=10, cap=100, random=lambda: 1.0) for n in (1, 2, 3, 4, 5, 6)]
    assert delays == [10, 20, 40, 80, 100, 100]


def test_half_of_a_delay_is_drawn() -> None:
    assert delay_seconds(2, base=10, cap=100, random=lambda: 0.0) == 10
    draw = random.Random(7).random
    delays = {delay_seconds(3, base=10, cap=100, random=draw) for _ in range(50)}
    assert len(delays) == 50
    assert all(20 <= delay < 40 for delay in delays)


@pytest.mark.parametrize(("attempt", "seconds"), [(0, 10.0), (-3, 10.0), (10_000, 100.0)])
def test_a_strange_number_of_attempts_gives_a_delay_all_the_same(
    attempt: int, seconds: float
) -> None:
    assert delay_seconds(attempt, base=10, cap=100, random=lambda: 1.0) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        (" 17 ", 17),
        ("99999999999999999999", 86_400),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30),
        ("Monday, 30-Nov-26 12:00:30 GMT", 30),
        ("Mon Nov 30 12:00:30 2026", 30),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("Mon, 30 Nov 2099 11:00:00 GMT", 86_400),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("Mon, 99 Nov 2026 12:00:30 GMT", None),
    ],
)
def test_a_retry_after_is_seconds_or_a_date(text: str, seconds: float | None) -> None:
    assert read_retry_after(text, now=NOW) == seconds


@pytest.mark.parametrize(
    ("remaining", "reset", "seconds"),
    [
        ("0", str(int(NOW.timestamp()) + 90), 90),
        ("0", str(int(NOW.timestamp()) - 90), 0),
        ("0", "90", 90),
        ("0", "tomorrow", None),
        ("0", "", None),
        ("1", "90", None),
        ("", "90", None),
    ],
)
def test_a_quota_counts_when_nothing_of_it_is_left(
    remaining: str, reset: str, seconds: float | None
) -> None:
    headers = {"x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset}
    assert read_limit_pause(headers, now=NOW) == seconds
