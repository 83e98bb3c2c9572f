"""How soon readers see a write: their own process's at once, another one's after the set time."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from matrix import index
from matrix.models import KnowledgeRevision
from matrix.services import raise_revision
from tests.matrix.api.rows import make_world

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)


class _Clock:
    """Stands for the time of the machine; moves when told to."""

    seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds

    def perf_counter(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    """A clock that the index reads."""
    clock = _Clock()
    monkeypatch.setattr(index, "time", clock)
    return clock


@pytest.fixture(autouse=True)
def _world(clock: _Clock) -> Iterator[None]:
    """The small world, committed."""
    index.forget_knowledge()
    make_world()
    yield
    index.forget_knowledge()


def ask(client: Client) -> tuple[int, int]:
    """The revision of a verdict, and how many queries it took."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(reverse("api-verdicts"), {"framework": "vllm"})
    return answer.json()["revision"], len(queries)


def write_elsewhere() -> None:
    """Raises the revision as another process does: nothing here is told of it."""
    KnowledgeRevision.objects.update(number=F("number") + 1)


def test_within_the_time_an_answer_costs_no_query(client: Client, clock: _Clock) -> None:
    revision, _ = ask(client)
    ask(client)
    clock.seconds += 0.19
    assert ask(client) == (revision, 0)
    clock.seconds += 0.02
    assert ask(client) == (revision, 1)


def test_another_process_s_write_is_seen_after_the_time(client: Client, clock: _Clock) -> None:
    revision, _ = ask(client)
    ask(client)
    write_elsewhere()
    assert ask(client) == (revision, 0)
    clock.seconds += 0.2
    assert ask(client)[0] == revision + 1


def test_a_write_of_this_process_is_seen_at_once(client: Client) -> None:
    revision, _ = ask(client)
    ask(client)
    with transaction.atomic():
        raise_revision()
        assert index.current_knowledge().revision == revision + 1
    assert ask(client)[0] == revision + 1


def test_a_write_that_is_taken_back_leaves_no_trace(client: Client) -> None:
    revision, _ = ask(client)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        raise_revision()
        raise ZeroDivisionError
    assert ask(client)[0] == revision


def test_a_check_that_ran_beside_a_write_is_not_believed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision, _ = ask(client)
    index.note_write()
    genuine = index.current_revision

    def read_then_write() -> int:
        number = genuine()
        with transaction.atomic():
            raise_revision()
        return number

    monkeypatch.setattr(index, "current_revision", read_then_write)
    assert index.current_knowledge().revision == revision
    monkeypatch.setattr(index, "current_revision", genuine)
    assert ask(client)[0] == revision + 1


def test_a_time_of_nothing_asks_at_every_request(client: Client, settings: Any) -> None:
    settings.MATRIX_REVISION_CHECK_SECONDS = 0
    ask(client)
    write_elsewhere()
    revision, _ = ask(client)
    assert ask(client) == (revision, 1)
    write_elsewhere()
    assert ask(client)[0] == revision + 1
