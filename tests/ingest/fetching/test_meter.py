"""What one exchange may still take."""

import pytest

from ingest.fetching.errors import FetchFailed
from ingest.fetching.meter import Meter
from tests.ingest.fetching.hostile import said


class Seconds:
    """A monotonic clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def meter_at(clock: Seconds) -> Meter:
    return Meter(
        url="https://docs.test/", total_seconds=10, idle_seconds=4, most_bytes=100, clock=clock
    )


def test_a_wait_is_never_longer_than_what_is_left() -> None:
    clock = Seconds()
    meter = meter_at(clock)
    assert meter.next_wait_seconds() == 4
    assert meter.next_wait_seconds(2) == 2
    clock.now += 7
    assert meter.next_wait_seconds() == 3


def test_a_server_that_always_has_a_byte_ready_is_left_all_the_same() -> None:
    clock = Seconds()
    meter = meter_at(clock)
    clock.now += 10
    with pytest.raises(FetchFailed) as failure:
        meter.next_wait_seconds()
    said(failure.value, "too-slow", "after 10 s", hopeless=False)


def test_a_silence_before_the_end_is_told_from_the_end() -> None:
    clock = Seconds()
    meter = meter_at(clock)
    clock.now += 4
    said(meter.explain_timeout(), "timed-out", "nothing for 4 s", hopeless=False)
    clock.now += 6
    said(meter.explain_timeout(), "too-slow", "after 10 s", hopeless=False)


def test_everything_that_arrives_is_counted() -> None:
    meter = meter_at(Seconds())
    assert (meter.count(60), meter.count(40)) == (60, 40)
    with pytest.raises(FetchFailed) as failure:
        meter.count(1)
    said(failure.value, "too-large", "101 bytes", "at most 100", hopeless=True)
