"""The small world with its index, and a draft in it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from matrix import dossiers
from matrix.index import forget_knowledge
from matrix.models import Dossier
from tests.matrix.api.rows import make_world

Change = Callable[..., Dossier]
WORDS = {"framework": "vllm", "version": "0.6.0", "hardware": "Turing", "quantization": "awq"}


@pytest.fixture
def world(db: None) -> Iterator[None]:
    """The rows of the small world; no other test's index is left in memory."""
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


@pytest.fixture
def draft(world: None) -> Dossier:
    """A draft with one candidate, a checked knock-out and a weighted criterion."""
    made = dossiers.open_dossier(
        title="An engine", actor="ada", need={"required_features": ["lora"], "currency": "usd"}
    )
    made = change(made, "put_candidate", name="vLLM on Turing", words=WORDS)
    made = change(made, "put_criterion", name="runs", kind="knock-out", check_code="verdict")
    return change(made, "put_criterion", name="care", kind="weighted", weight_percent=100)


def change(dossier: Dossier, service: str, *, actor: str = "ada", **fields: Any) -> Dossier:
    """The dossier after a change from its newest edition."""
    edition = Dossier.objects.values_list("edition", flat=True).get(pk=dossier.pk)
    found: Dossier = getattr(dossiers, service)(dossier.uid, edition=edition, actor=actor, **fields)
    return found


@pytest.fixture
def frozen(draft: Dossier) -> Dossier:
    """The draft decided and frozen."""
    change(draft, "put_candidate", key="1", is_chosen=True)
    change(draft, "change_dossier", decision="vLLM on what we have.")
    return change(draft, "freeze_dossier", actor="curator")
