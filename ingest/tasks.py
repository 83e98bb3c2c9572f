"""Background work of ingest: each task takes names, may run twice, and is acknowledged late."""

import random
from typing import Any

from celery import Task, shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.utils import timezone

from ingest.fetching.backoff import delay_seconds
from ingest.queries_feeds import due_feeds, feed_named
from ingest.services.fetchers import open_fetcher
from ingest.services.polling import FeedFailed, note_crash, note_time_limit, poll_feed
from ingest.services.rechecks import open_rechecks
from ingest.services.rereading import reparse
from ingest.services.states import FeedBusy, hand_out
from ingest.webhooks.collecting import collect_news
from ingest.webhooks.sending import drop_settled, send_due

# A feed that fails this often in a row waits for its next turn by the clock.
_MOST_RETRIES = 4
# A broker would hand out again what waits longer; the feed's next due date sees to that instead.
_LONGEST_WAIT_SECONDS = 300.0
# What one turn sends: each may take its full time without the task reaching its own limit.
_MOST_MESSAGES = 20


@shared_task(name="ingest.poll_due_feeds", ignore_result=True)
def poll_due_feeds() -> int:
    """Hands every feed whose time has come to a worker; returns how many.

    What was handed on is not due again for some minutes, however long the queue is; should its
    task be lost, it is due again after them.
    """
    feeds = hand_out(due_feeds(timezone.now()), now=timezone.now())
    for feed in feeds:
        poll_feed_task.delay(feed.name)
    return len(feeds)


@shared_task(bind=True, name="ingest.poll_feed", max_retries=_MOST_RETRIES, ignore_result=True)
def poll_feed_task(self: "Task[Any, Any]", name: str) -> str:
    """Polls one feed; returns how that ended in a word.

    A worker that dies leaves everything it kept; the task comes back and goes on from there. What
    the feed's state says that failed is tried again after a growing wait, unless that is hopeless.
    """
    feed = feed_named(name)
    try:
        result = poll_feed(feed, fetcher=open_fetcher(), now=timezone.now())
    except FeedBusy:
        return "busy"
    except FeedFailed as failed:
        if failed.error.hopeless or self.request.is_eager:
            return failed.error.code
        wait = delay_seconds(self.request.retries + 1, random=random.random)
        wait = max(wait, failed.error.retry_after_seconds or 0.0)
        if wait > _LONGEST_WAIT_SECONDS or self.request.retries >= _MOST_RETRIES:
            return failed.error.code
        raise self.retry(exc=failed, countdown=wait) from failed
    except SoftTimeLimitExceeded:
        limit = settings.CELERY_TASK_SOFT_TIME_LIMIT
        note_time_limit(feed, limit_seconds=limit, now=timezone.now())
        return "time-limit"
    except Exception as error:
        note_crash(feed, error, now=timezone.now())
        raise
    return "changed" if result.changed else "unchanged"


@shared_task(name="ingest.reparse", ignore_result=True)
def reparse_task() -> int:
    """Reads kept pages again where anything is newer; returns how many items wait after it."""
    return reparse(actor="reparse", now=timezone.now()).opened


@shared_task(name="ingest.open_rechecks", ignore_result=True)
def open_rechecks_task() -> int:
    """Puts claims that are due for a re-check into the review queue; returns the new items."""
    return open_rechecks(now=timezone.now()).opened


@shared_task(name="ingest.deliver_webhooks", ignore_result=True)
def deliver_webhooks_task() -> int:
    """Puts news on its way to receivers and sends what is due; returns how many took theirs."""
    collect_news(now=timezone.now())
    sent = send_due(clock=timezone.now, most=_MOST_MESSAGES)
    drop_settled(now=timezone.now())
    return sent.delivered
