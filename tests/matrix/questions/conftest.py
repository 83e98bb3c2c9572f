"""The shipped catalogue, read once."""

import pytest

from matrix.catalog_files import read_catalogue
from matrix.domain.catalogue import Catalogue


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The catalogue of the repository, without a database."""
    return read_catalogue()
