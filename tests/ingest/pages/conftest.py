"""The small catalogue, a code host that listens, and browsers with and without a curator."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from ingest.fetching.policy import FetchPolicy
from ingest.fetching.session import open_session
from matrix.catalog_loading import load_shipped
from matrix.index import forget_knowledge
from tests.ingest.pages.review_world import Fill, filler
from tests.ingest.pipeline.code_host import CodeHost, RunningHost
from tests.matrix.api.rows import make_user
from tests.matrix.shipped_folder import write_catalogue


@pytest.fixture
def catalogue(db: None, tmp_path: Path) -> Iterator[Path]:
    """The small shipped folder, loaded."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    forget_knowledge()
    load_shipped(write_catalogue(folder))
    yield folder
    forget_knowledge()


@pytest.fixture
def fill(catalogue: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fill]:
    """Publishes releases and back-fills them with the real fetcher."""
    held = CodeHost()
    running = RunningHost(held)
    fetcher = open_session(policy=FetchPolicy(loopback=True, idle_seconds=5.0)).fetch
    yield filler(held, fetcher, monkeypatch)
    running.close()


@pytest.fixture
def curator(catalogue: Path, client: Client) -> Client:
    """A browser in which a curator is signed in."""
    client.force_login(make_user("carla", "curator"))
    return client


@pytest.fixture
def reader(catalogue: Path) -> Any:
    """A browser of nobody in particular."""
    return Client()
