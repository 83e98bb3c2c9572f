"""The small catalogue, and headers of accounts with and without the role."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.catalog_loading import load_shipped
from matrix.index import forget_knowledge
from tests.matrix.api.rows import bearer, make_user
from tests.matrix.shipped_folder import write_catalogue


@pytest.fixture(autouse=True)
def catalogue(db: None, tmp_path: Path) -> Iterator[Path]:
    """The small shipped folder, loaded."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    forget_knowledge()
    load_shipped(write_catalogue(folder))
    yield folder
    forget_knowledge()


@pytest.fixture
def curator() -> dict[str, str]:
    """The header of a curator who may read and write."""
    return bearer(make_user("carla", "curator"), "read", "write")
