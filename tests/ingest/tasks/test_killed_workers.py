"""A worker that is killed in the middle of anything loses nothing and repeats nothing."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from django.db import connection, transaction

from ingest.models import FeedState, PageRecord, Retrieval, ReviewItem, RuleRecord, Snapshot
from matrix.catalog_loading import load_shipped
from matrix.models import AuditEntry, Claim, Observation
from tests.ingest.capture_folders import QUANTIZATION_PAGE
from tests.ingest.pipeline.code_host import CodeHost, RunningHost, tag_feed
from tests.ingest.pipeline.test_poll_tags import page
from tests.ingest.tasks.brokers import BROKERS, Worker, wait_until, why_missing
from tests.matrix.shipped_folder import write_catalogue

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE_SECONDS = 90.0
FEED = tag_feed("").name


@pytest.fixture(scope="module", params=sorted(BROKERS))
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The address of a broker of each kind that is installed."""
    if reason := why_missing(request.param):
        pytest.skip(reason)
    with BROKERS[request.param](tmp_path_factory.mktemp(request.param)) as url:
        yield url


@pytest.fixture
def host() -> Iterator[CodeHost]:
    held = CodeHost()
    running = RunningHost(held)
    yield held
    running.close()


@pytest.fixture
def start(
    broker: str, host: CodeHost, tmp_path: Path, transactional_db: None
) -> Iterator[Callable[[], Worker]]:
    """Starts workers on the broker; loads the small catalogue first."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    load_shipped(write_catalogue(folder))
    workers: list[Worker] = []

    def run() -> Worker:
        workers.append(Worker(broker, host.url, tmp_path))
        return workers[-1]

    yield run
    for worker in workers:
        worker.kill()


def hand_out(broker: str) -> None:
    """Puts the task into the queue once."""
    app = Celery("sender", broker=broker)
    app.send_task("ingest.poll_feed", args=[FEED])
    app.close()


def is_done() -> bool:
    state = FeedState.objects.filter(name=FEED).first()
    return state is not None and state.last_success_at is not None


def finish(start: Callable[[], Worker]) -> None:
    """A new worker is given the task again, by the broker alone, and ends it."""
    start()
    wait_until(is_done, seconds=PATIENCE_SECONDS, what="the end of the poll")


def check_everything_once() -> None:
    assert Claim.objects.count() == 12
    assert Observation.objects.count() == 12
    assert AuditEntry.objects.filter(action="accept-readings").count() == 1
    assert (Snapshot.objects.count(), Retrieval.objects.count()) == (1, 1)
    assert (PageRecord.objects.count(), RuleRecord.objects.count()) == (1, 1)
    assert PageRecord.objects.get().state == "accepted"
    assert not ReviewItem.objects.exists()
    assert FeedState.objects.get().cursor["done"] == ["0.12.0"]


def test_killed_while_it_fetches(broker: str, host: CodeHost, start: Any) -> None:
    host.trees["v0.12.0"] = {QUANTIZATION_PAGE: page()}
    release, reached = threading.Event(), threading.Event()

    def hold(path: str) -> None:
        if path.startswith("/raw"):
            reached.set()
            release.wait(PATIENCE_SECONDS)

    host.before = hold
    worker = start()
    hand_out(broker)
    assert reached.wait(PATIENCE_SECONDS), worker.log.read_text()
    worker.kill()
    release.set()
    assert (Retrieval.objects.count(), Claim.objects.count()) == (0, 0)
    finish(start)
    check_everything_once()


def test_killed_while_it_reads(broker: str, host: CodeHost, start: Any) -> None:
    # So long a page that its reader is still at it when the worker dies.
    long = page() + "".join(f"\n- item {number} of *many*\n" for number in range(40_000))
    host.trees["v0.12.0"] = {QUANTIZATION_PAGE: long}
    worker = start()
    hand_out(broker)
    wait_until(PageRecord.objects.exists, seconds=PATIENCE_SECONDS, what="the fetch of the page")
    time.sleep(0.3)
    worker.kill()
    assert (Retrieval.objects.count(), RuleRecord.objects.count()) == (1, 0)
    finish(start)
    check_everything_once()
    assert [path for path in host.asked if path.startswith("/raw")] == [
        f"/raw/example/engine/v0.12.0/{QUANTIZATION_PAGE}"
    ]


def test_killed_while_it_accepts(broker: str, host: CodeHost, start: Any) -> None:
    host.trees["v0.12.0"] = {QUANTIZATION_PAGE: page()}
    worker = start()
    with transaction.atomic():
        # Readers pass, writers of claims wait: the worker stops inside its transaction.
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE matrix_claim IN SHARE ROW EXCLUSIVE MODE")
        hand_out(broker)
        wait_until(_waits_for_a_lock, seconds=PATIENCE_SECONDS, what="the wait for the lock")
        worker.kill()
    assert (Claim.objects.count(), AuditEntry.objects.filter(action="accept-readings").count()) == (
        0,
        0,
    )
    finish(start)
    check_everything_once()


def _waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database "
            "WHERE datname = current_database() AND NOT granted"
        )
        return bool(cursor.fetchone()[0])
