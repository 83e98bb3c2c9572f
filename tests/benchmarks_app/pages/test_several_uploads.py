"""Uploads beside each other: what of one shows in another, and how they are listed."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks_app.models import Run
from matrix.index import forget_knowledge
from tests.benchmarks_app.pages.test_uploading_pages import file, sent, signed_in, text_of
from tests.benchmarks_app.result_files import result
from tests.matrix.api.rows import make_world


@pytest.fixture(autouse=True)
def _world(db: None, monkeypatch: Any) -> Iterator[None]:
    """The small world; what follows a commit happens at once."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda act, **_options: act())
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


def test_a_draft_of_another_upload_is_published_by_its_sender_and_by_nobody_else() -> None:
    ada = signed_in("ada", "contributor")
    sent(ada)
    bob = signed_in("bob", "contributor")
    address = sent(bob, file("again.json", result() + b" "))
    shown = text_of(bob.get(address))
    assert "ada or a curator states, publishes or discards it." in shown
    assert "Publish the draft" not in shown and "Where it ran" not in shown
    bob.post(f"{address}publish/", {"run": "all"})
    assert Run.objects.get().state == "draft"
    other = sent(ada, file("third.json", result() + b"  "))
    shown = text_of(ada.get(other))
    assert "Publish the draft" in shown and "Discard" not in shown
    ada.post(f"{other}publish/", {"run": "all"})
    assert Run.objects.get().state == "published"


def test_uploads_are_listed_by_the_names_of_their_files() -> None:
    ada = signed_in("ada", "contributor")
    sent(ada, file("b.json"), file("a.txt", b"nothing"))
    shown = text_of(ada.get("/benchmarks/uploads/"))
    assert ">a.txt</a>" in shown and "and 1 more" in shown
