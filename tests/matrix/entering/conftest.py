"""The catalogue of the entered world, read once."""

from datetime import date
from pathlib import Path

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.catalogue import Catalogue
from matrix.entering.claims import ClaimReader
from tests.matrix.entering.entered_world import write_world

TODAY = date(2026, 1, 10)


@pytest.fixture(scope="session")
def entered_catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """The small catalogue."""
    folder: Path = tmp_path_factory.mktemp("entered")
    return read_catalogue(write_world(folder))


@pytest.fixture
def reader(entered_catalogue: Catalogue) -> ClaimReader:
    """Reads claims on a fixed day."""
    return ClaimReader(entered_catalogue, today=TODAY)
