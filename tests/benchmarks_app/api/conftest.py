"""The small world, and headers of accounts that may upload and of those that may not."""

from collections.abc import Iterator

import pytest

from matrix.index import forget_knowledge
from tests.matrix.api.rows import bearer, make_user, make_world


@pytest.fixture
def world(db: None) -> Iterator[None]:
    """The rows of the small world; no other test's index is left in memory."""
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


@pytest.fixture
def ada(world: None) -> dict[str, str]:
    """The header of a contributor whose token may write."""
    return bearer(make_user("ada", "contributor"), "read", "write")


@pytest.fixture
def machine(world: None) -> dict[str, str]:
    """The header of a token that only uploads."""
    return bearer(make_user("ci", "contributor"), "upload")


@pytest.fixture
def curator(world: None) -> dict[str, str]:
    """The header of a curator."""
    return bearer(make_user("carla", "curator"), "read", "write")


@pytest.fixture
def reader(world: None) -> dict[str, str]:
    """The header of an account without any right to write."""
    return bearer(make_user("rita", "reader"), "read", "write")
