"""The small shipped folder, a dated code host on loopback, and polls at moments of its clock."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.domain.feeds import Feed
from ingest.fetching.policy import FetchPolicy
from ingest.fetching.session import FetchSession
from ingest.services.polling import PollResult, poll_feed
from matrix.catalog_loading import load_shipped
from tests.ingest.releases.dated_host import DatedHost, RunningDatedHost
from tests.matrix.shipped_folder import write_catalogue

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def folder(db: None, tmp_path: Path) -> Path:
    """The small shipped folder, loaded."""
    load_shipped(write_catalogue(tmp_path))
    return tmp_path


@pytest.fixture
def host() -> Iterator[DatedHost]:
    """A code host that listens and stands at the tests' moment."""
    held = DatedHost(now=NOW)
    running = RunningDatedHost(held)
    yield held
    running.close()


@pytest.fixture
def poll(host: DatedHost) -> Callable[[Feed], PollResult]:
    """Polls a feed at the moment of the host's clock, with the real fetcher."""

    def run(feed: Feed) -> PollResult:
        session = FetchSession(
            policy=FetchPolicy(loopback=True, idle_seconds=5.0), clock=lambda: host.now
        )
        return poll_feed(feed, fetcher=session.fetch, now=host.now)

    return run
