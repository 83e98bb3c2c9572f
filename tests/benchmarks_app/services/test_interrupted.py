"""Imports that are cut off: nothing is half-written, nothing that was received is lost."""

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, connections

from benchmarks_app.models import Measurement, Run, RunFile, Upload
from benchmarks_app.services.handing import hand_over
from benchmarks_app.services.importing import UploadBusy, _hold, import_upload
from benchmarks_app.tasks import import_upload_task, import_waiting_task
from tests.benchmarks_app.services.samples import encoded, result, send
from tests.matrix.api.rows import make_world

pytestmark = pytest.mark.django_db(transaction=True)

# Ends the connection of whoever writes the first value, in the middle of the transaction.
END_CONNECTION = "PERFORM pg_terminate_backend(pg_backend_pid());"
WAIT = "PERFORM pg_sleep(8);"


@pytest.fixture(autouse=True)
def _world() -> None:
    make_world()


@pytest.fixture
def trap() -> "Callable[[str], None]":
    """A function that sets a trap at the first value written."""
    yield _set_trap  # type: ignore[misc]
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER IF EXISTS a_trap ON benchmarks_measurement")


def _set_trap(body: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION a_trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"{body} RETURN NEW; END $$; "
            "CREATE TRIGGER a_trap BEFORE INSERT ON benchmarks_measurement "
            "FOR EACH STATEMENT EXECUTE FUNCTION a_trap()"
        )


def _drop_trap() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER a_trap ON benchmarks_measurement")


def nothing_written() -> bool:
    """Whether no row of a run exists."""
    return not any(model.objects.exists() for model in (Run, Measurement, RunFile))


def test_a_database_that_goes_away_leaves_nothing_and_the_upload_is_read_later(
    trap: Callable[[str], None],
) -> None:
    upload = send(("run.json", encoded(result()))).upload
    trap(END_CONNECTION)
    with pytest.raises(DatabaseError):
        import_upload(upload.uid)
    connection.close()
    assert nothing_written()
    upload.refresh_from_db()
    assert (upload.state, upload.error_code) == ("failed", "reading-failed")
    _drop_trap()
    assert import_upload(upload.uid).state == "read"
    assert Run.objects.count() == 1


def test_a_killed_worker_leaves_nothing_and_the_next_one_reads_everything(
    trap: Callable[[str], None],
) -> None:
    upload = send(("run.json", encoded(result()))).upload
    trap(WAIT)
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            import_upload(upload.uid)
        finally:
            os._exit(1)
    try:
        assert _wait_for(lambda: _is_writing())
        with pytest.raises(UploadBusy):
            import_upload(upload.uid)
        assert Upload.objects.get().state == "reading"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert _wait_for(lambda: not _is_writing())
    assert nothing_written()
    assert Upload.objects.get().state == "reading"
    _drop_trap()
    Upload.objects.update(received_at="2026-01-01T00:00:00Z")
    assert import_waiting_task() == 1
    assert Upload.objects.get().state == "read"
    assert Run.objects.count() == 1


def _is_writing() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND query LIKE %s AND state = 'active'",
            ["COPY benchmarks_measurement%"],
        )
        row = cursor.fetchone()
    return bool(row and row[0])


def _wait_for(condition: Callable[[], bool]) -> bool:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_two_senders_at_once_get_one_upload() -> None:
    data = encoded(result()) * 3
    received = []

    def sender(name: str) -> None:
        try:
            received.append(send(("a.jsonl", data), actor=name))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=sender, args=(f"sender-{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.is_new for one in received].count(True) == 1
    upload = Upload.objects.get()
    assert upload.receipts.count() == 4
    assert upload.files.count() == 1


def test_without_a_broker_an_upload_is_read_when_it_is_committed() -> None:
    upload = send(("run.json", encoded(result()))).upload
    hand_over(upload)
    upload.refresh_from_db()
    assert (upload.state, upload.run_count) == ("read", 1)


def test_a_sender_of_bytes_that_are_being_read_is_told_so() -> None:
    upload = send(("run.json", encoded(result()))).upload
    held, go_on = threading.Event(), threading.Event()

    def read_slowly() -> None:
        try:
            with _hold(upload):
                held.set()
                go_on.wait(30)
        finally:
            connections.close_all()

    reader = threading.Thread(target=read_slowly)
    reader.start()
    try:
        assert held.wait(30)
        hand_over(upload)
        upload.refresh_from_db()
        assert upload.state == "received"
    finally:
        go_on.set()
        reader.join()


def test_a_failure_while_reading_at_once_keeps_what_was_received(
    trap: Callable[[str], None],
) -> None:
    upload = send(("run.json", encoded(result()))).upload
    trap("RAISE EXCEPTION 'full';")
    hand_over(upload)
    upload.refresh_from_db()
    assert (upload.state, upload.error_code) == ("failed", "reading-failed")
    assert nothing_written()


def test_the_task_names_how_it_ended() -> None:
    good = send(("run.json", encoded(result()))).upload
    bad = send(("bad.json", b"{")).upload
    assert import_upload_task.apply(args=[good.uid]).get() == "read"
    assert import_upload_task.apply(args=[good.uid]).get() == "read"
    assert import_upload_task.apply(args=[bad.uid]).get() == "rejected"
    assert import_upload_task.apply(args=["nosuchupload"]).get() == "unknown"
    assert Run.objects.count() == 1
