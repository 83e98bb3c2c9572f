"""The small world and a client that reads it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matrix.index import forget_knowledge
from tests.matrix.api.rows import make_price, make_world
from tests.matrix.dossier_rows import make_frozen_dossier

Ask = Callable[..., Any]


@pytest.fixture
def world(db: None) -> Iterator[None]:
    """The rows of the small world; no other test's index is left in memory."""
    forget_knowledge()
    make_world()
    make_frozen_dossier()
    make_price()
    yield
    forget_knowledge()


@pytest.fixture
def ask(world: None, client: Client) -> Ask:
    """Asks ``verdicts/`` with parameters; returns the answer."""

    def get(**words: Any) -> Any:
        return client.get(reverse("api-verdicts"), words)

    return get


@pytest.fixture
def batch(world: None, client: Client) -> Ask:
    """Posts cells to the batch; returns the answer."""

    def post(body: Any, **headers: str) -> Any:
        return client.post(
            reverse("api-verdicts-batch"), body, content_type="application/json", headers=headers
        )

    return post
