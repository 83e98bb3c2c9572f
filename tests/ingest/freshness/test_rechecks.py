"""Claims that nobody repeated for too long reach the review queue, page by page."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from celery import current_app
from django.conf import settings
from django.core.management import call_command

from ingest.models import ReviewItem
from ingest.services.rechecks import open_rechecks
from ingest.services.reviewing import accept_items
from ingest.tasks import deliver_webhooks_task, open_rechecks_task
from matrix.index import forget_knowledge
from matrix.services import add_claims, withdraw_claim
from matrix.site.celery import app
from tests import builders
from tests.matrix.api.rows import make_world

# The world's claims that may fall due were seen last at 0.6.0, 0.7.0 and 0.8.0.
SEEN = builders.released_on("0.6.0")


def at(days_after_seen: int) -> datetime:
    """A moment so many days after 0.6.0."""
    day = SEEN + timedelta(days=days_after_seen)
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def world(db: None) -> Iterator[None]:
    """The small world."""
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


def test_an_item_is_opened_on_the_day_and_not_before() -> None:
    assert open_rechecks(now=at(89)).opened == 0
    done = open_rechecks(now=at(90))
    assert (done.claims, done.pages, done.opened) == (1, 1, 1)
    item = ReviewItem.objects.get()
    assert (item.kind, item.state, item.code) == ("due-recheck", "open", "recheck-due")
    assert (item.framework, item.source, item.rule, item.release) == (
        "vllm", "test", "rule", "0.6.0",
    )  # fmt: skip
    assert item.new["claims"] == ["turing"]
    assert "1 claim last seen" in item.sentence


def test_claims_of_one_page_share_an_item() -> None:
    add_claims(
        [
            builders.claim("supported", about=builders.scope(quantization="fp8"), uid=f"n{n:02}")
            for n in range(30)
        ],
        shipped=False,
    )
    done = open_rechecks(now=at(90))
    assert (done.claims, done.opened) == (31, 1)
    item = ReviewItem.objects.get()
    assert (item.new["claims_count"], len(item.new["claims"])) == (31, 20)


def test_running_it_again_opens_nothing() -> None:
    open_rechecks(now=at(95))
    again = open_rechecks(now=at(96))
    assert (again.opened, again.obsolete) == (0, 0)


def test_what_is_no_longer_due_is_set_aside() -> None:
    open_rechecks(now=at(90))
    withdraw_claim("turing", actor="ann", reason="was wrong")
    done = open_rechecks(now=at(91))
    assert (done.claims, done.obsolete) == (0, 1)
    item = ReviewItem.objects.get()
    assert (item.state, item.decided_by) == ("obsolete", "open_rechecks")


def test_a_checked_page_comes_back_only_when_the_limit_has_passed_once_more() -> None:
    open_rechecks(now=at(90))
    accept_items([ReviewItem.objects.get().pk], actor="ann", now=at(91))
    withdraw_claim("awq-on-turing", actor="ann", reason="was wrong")
    withdraw_claim("fp8-on-volta-later", actor="ann", reason="was wrong")
    assert open_rechecks(now=at(179)).opened == 0
    assert open_rechecks(now=at(180)).opened == 1
    assert ReviewItem.objects.filter(state="open").count() == 1


def test_by_command_and_by_task() -> None:
    out = io.StringIO()
    call_command("open_rechecks", stdout=out)
    assert "claims due: 3, pages: 3, items opened: 3" in out.getvalue()
    assert open_rechecks_task() == 0


def test_the_beat_names_tasks_that_exist() -> None:
    app.loader.import_default_modules()
    planned = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert planned >= {open_rechecks_task.name, deliver_webhooks_task.name}
    assert planned <= set(current_app.tasks)
