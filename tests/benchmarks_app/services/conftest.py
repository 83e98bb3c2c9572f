"""Each test has a catalogue of its own, which no other test's may stand in for."""

from collections.abc import Iterator

import pytest

from matrix.index import forget_knowledge


@pytest.fixture(autouse=True)
def _fresh_catalogue() -> Iterator[None]:
    forget_knowledge()
    yield
    forget_knowledge()
