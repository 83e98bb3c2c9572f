"""What tasks do without a broker: what is due is polled once, and only what may help is retried."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery.exceptions import Retry, SoftTimeLimitExceeded
from django.conf import settings
from django.utils import timezone

from ingest import tasks
from ingest.domain.feeds import Feed, registry
from ingest.models import FeedState
from ingest.services.polling import FeedFailed
from ingest.services.states import FeedBusy, FeedError, hand_out
from matrix.site.celery import app
from tests.ingest.pipeline.code_host import site_feed, tag_feed

pytestmark = pytest.mark.django_db
FEEDS = (tag_feed("http://127.0.0.1:9"), site_feed("http://127.0.0.1:9", "README.md"))


@pytest.fixture
def polled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The feeds that were polled, by name; polling itself is left out."""
    names: list[str] = []

    class Result:
        changed = True

    def note(feed: Feed, **_: Any) -> Result:
        names.append(feed.name)
        return Result()

    monkeypatch.setattr(registry, "FEEDS", FEEDS)
    monkeypatch.setattr(tasks, "poll_feed", note)
    yield names


def fails_with(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    values = {"code": "timed-out", "sentence": "It was slow.", "facts": {}, "hopeless": False}
    error = FeedError(**{**values, **changes})

    def fail(feed: Feed, **_: Any) -> None:
        raise FeedFailed(feed, error)

    monkeypatch.setattr(registry, "FEEDS", FEEDS)
    monkeypatch.setattr(tasks, "poll_feed", fail)


def run_as_worker(name: str, *, retries: int = 0) -> Any:
    """Runs the task as a worker would, which may retry."""
    task = tasks.poll_feed_task
    task.push_request(retries=retries, is_eager=False, called_directly=False, args=(name,))
    try:
        return task.run(name)
    finally:
        task.pop_request()


def test_everything_due_is_polled_and_not_due_again_at_once(polled: list[str]) -> None:
    assert tasks.poll_due_feeds() == 2
    assert polled == [feed.name for feed in FEEDS]
    assert tasks.poll_due_feeds() == 0


def test_a_feed_is_handed_out_once_by_two_beats(polled: list[str]) -> None:
    now = timezone.now()
    assert [len(hand_out(FEEDS[:1], now=now)), len(hand_out([], now=now))] == [1, 0]
    due = FeedState.objects.get().next_due_at
    assert due is not None and due - now > timedelta(minutes=5)


def test_a_hopeless_error_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_with(monkeypatch, code="host-not-allowed", hopeless=True)
    assert run_as_worker(FEEDS[0].name) == "host-not-allowed"


def test_another_error_is_tried_again_after_a_growing_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fails_with(monkeypatch)
    waits = []
    for retries in range(3):
        monkeypatch.setattr(tasks.poll_feed_task, "apply_async", lambda *a, **k: None)
        with pytest.raises(Retry) as retry:
            run_as_worker(FEEDS[0].name, retries=retries)
        waits.append(retry.value.when)
    assert 15 <= waits[0] <= 30
    assert 30 <= waits[1] <= 60
    assert 60 <= waits[2] <= 120


def test_what_a_server_asks_for_is_the_least_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_with(monkeypatch, retry_after_seconds=200.0)
    monkeypatch.setattr(tasks.poll_feed_task, "apply_async", lambda *a, **k: None)
    with pytest.raises(Retry) as retry:
        run_as_worker(FEEDS[0].name)
    assert retry.value.when == 200.0


def test_a_long_wait_is_left_to_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_with(monkeypatch, retry_after_seconds=3_000.0)
    assert run_as_worker(FEEDS[0].name) == "timed-out"


def test_the_fifth_failure_is_left_to_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_with(monkeypatch)
    assert run_as_worker(FEEDS[0].name, retries=4) == "timed-out"


def test_a_busy_feed_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(feed: Feed, **_: Any) -> None:
        raise FeedBusy(feed.name, "another")

    monkeypatch.setattr(registry, "FEEDS", FEEDS)
    monkeypatch.setattr(tasks, "poll_feed", busy)
    assert run_as_worker(FEEDS[0].name) == "busy"


def test_a_fault_of_ours_stands_with_the_feed_and_is_let_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def crash(feed: Feed, **_: Any) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(registry, "FEEDS", FEEDS)
    monkeypatch.setattr(tasks, "poll_feed", crash)
    with pytest.raises(ZeroDivisionError):
        run_as_worker(FEEDS[0].name)
    state = FeedState.objects.get()
    assert (state.error_code, state.failures_in_row) == ("poll-crashed", 1)
    assert "ZeroDivisionError: division by zero" in state.error_sentence


def test_a_poll_that_takes_too_long_is_no_fault_and_goes_on_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def exceed(feed: Feed, **_: Any) -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(registry, "FEEDS", FEEDS)
    monkeypatch.setattr(tasks, "poll_feed", exceed)
    assert run_as_worker(FEEDS[0].name) == "time-limit"
    state = FeedState.objects.get()
    assert state.error_code == "time-limit"
    assert state.next_due_at is not None
    assert state.next_due_at - timezone.now() < timedelta(minutes=6)


def test_tasks_are_acknowledged_late_and_limited_in_time() -> None:
    assert settings.CELERY_TASK_ACKS_LATE
    assert settings.CELERY_TASK_REJECT_ON_WORKER_LOST
    assert 0 < settings.CELERY_TASK_SOFT_TIME_LIMIT < settings.CELERY_TASK_TIME_LIMIT


def test_beat_asks_for_due_feeds_every_minute() -> None:
    entry = settings.CELERY_BEAT_SCHEDULE["poll-due-feeds"]
    assert (entry["task"], entry["schedule"]) == ("ingest.poll_due_feeds", 60.0)
    assert entry["task"] in app.tasks
