"""A catalogue with monthly releases, a code host on loopback, and a session that may ask it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.domain.feeds import Feed
from ingest.fetching.policy import FetchPolicy
from ingest.fetching.session import open_session
from ingest.services.poll_context import Fetcher
from ingest.services.polling import PollResult, poll_feed
from matrix.catalog_loading import load_shipped
from tests.ingest.pipeline.code_host import CodeHost, RunningHost
from tests.matrix.shipped_folder import write_catalogue

NOW = datetime(2026, 1, 10, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def catalogue(db: None, tmp_path: Path) -> Path:
    """The small shipped folder, loaded."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    load_shipped(write_catalogue(folder))
    return folder


@pytest.fixture
def host() -> Iterator[CodeHost]:
    """A code host that listens."""
    held = CodeHost()
    running = RunningHost(held)
    yield held
    running.close()


@pytest.fixture
def fetcher() -> Fetcher:
    """The real fetcher, allowed to ask this machine."""
    return open_session(policy=FetchPolicy(loopback=True, idle_seconds=5.0)).fetch


@pytest.fixture
def poll(fetcher: Fetcher) -> Callable[..., PollResult]:
    """Polls a feed with the real fetcher at a moment of the test's own."""

    def run(feed: Feed, now: datetime = NOW) -> PollResult:
        return poll_feed(feed, fetcher=fetcher, now=now)

    return run
