"""Servers that end with their test, and a limit on how long one test may take."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.ingest.fetching.hostile import HostileServer, Script

LONGEST_SECONDS = 3.0


@pytest.fixture(autouse=True)
def _bounded_time() -> Iterator[None]:
    """Fails a test that a server could hold for longer than the limits say."""
    started = time.monotonic()
    yield
    assert time.monotonic() - started < LONGEST_SECONDS


@pytest.fixture
def serve(_bounded_time: None) -> Iterator[Callable[..., HostileServer]]:
    """Returns what starts a server with a script."""
    with ExitStack() as servers:

        def start(script: Script, **options: Any) -> HostileServer:
            server = HostileServer(script, **options)
            servers.callback(server.close)
            return server

        yield start
