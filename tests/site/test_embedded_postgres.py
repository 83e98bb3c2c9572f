"""The private server's life-cycle, on real servers in folders of their own."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from matrix.site.embedded_postgres import (
    DATABASE,
    EmbeddedPostgres,
)
from matrix.site.postgres_programs import (
    EmbeddedPostgresError,
    make_private_folder,
    programs_folder,
)

START = (
    "import sys; from pathlib import Path; "
    "from matrix.site.embedded_postgres import EmbeddedPostgres; "
    "print(EmbeddedPostgres(Path(sys.argv[1])).ensure_running())"
)
REPOSITORY = Path(__file__).resolve().parents[2]


@contextmanager
def open_folder() -> Iterator[Path]:
    """Returns a short folder that other accounts can pass; pytest's own is closed to them."""
    path = Path(tempfile.mkdtemp(prefix="rp-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@contextmanager
def stopped_afterwards(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    """Returns the server of the folder, which is not started yet."""
    embedded = EmbeddedPostgres(data_dir)
    try:
        yield embedded
    finally:
        embedded.stop(even_if_used=True)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Returns a folder of this test."""
    with open_folder() as path:
        yield path


@pytest.fixture
def new_server(folder: Path) -> Iterator[EmbeddedPostgres]:
    """Returns a server without a data folder."""
    with stopped_afterwards(folder / "postgres") as embedded:
        yield embedded


@pytest.fixture(scope="module")
def _shared_server() -> Iterator[EmbeddedPostgres]:
    with open_folder() as path, stopped_afterwards(path / "postgres") as embedded:
        yield embedded


@pytest.fixture
def server(_shared_server: EmbeddedPostgres) -> EmbeddedPostgres:
    """Returns a running server; the tests share its data folder, which saves making one each."""
    _shared_server.ensure_running()
    return _shared_server


def start_elsewhere(data_dir: Path) -> str:
    """Starts the server from a new process; returns what it printed."""
    return subprocess.run(
        [sys.executable, "-c", START, str(data_dir)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def test_processes_that_start_it_at_once_share_one_server(new_server: EmbeddedPostgres) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(start_elsewhere, [new_server.data_dir] * 4))
    assert sorted(outcomes) == ["False", "False", "False", "True"]
    assert new_server.is_answering()


def test_a_later_start_takes_less_than_two_seconds_and_keeps_the_data(
    server: EmbeddedPostgres,
) -> None:
    with server.connect(DATABASE) as connection:
        connection.execute("CREATE TABLE kept (number integer)")
    assert server.stop(even_if_used=True) == "stopped"
    begun = time.monotonic()
    assert server.ensure_running() is True
    assert time.monotonic() - begun < 2
    with server.connect(DATABASE) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_it_outlives_the_process_that_started_it(new_server: EmbeddedPostgres) -> None:
    assert start_elsewhere(new_server.data_dir) == "True"
    assert new_server.ensure_running() is False


def test_it_comes_back_after_its_process_was_killed(server: EmbeddedPostgres) -> None:
    process = server.process()
    assert process is not None
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert not server.is_answering()
    assert server.ensure_running() is True


def test_a_note_that_names_another_running_process_is_stale(server: EmbeddedPostgres) -> None:
    server.stop(even_if_used=True)
    note = server.data_dir / "postmaster.pid"
    note.write_text(f"{os.getpid()}\n{server.data_dir}\n")
    assert server.process() is None
    assert server.ensure_running() is True


def test_a_start_that_was_killed_midway_is_begun_anew(new_server: EmbeddedPostgres) -> None:
    (new_server.data_dir / "building" / "base").mkdir(parents=True)
    assert new_server.ensure_running() is True
    assert not (new_server.data_dir / "building").exists()


def test_a_clone_in_a_deep_folder_has_its_socket_in_a_short_one(folder: Path) -> None:
    deep = folder.joinpath(*(["a-folder-with-a-long-name"] * 6))
    deep.mkdir(parents=True)
    with stopped_afterwards(deep / "postgres") as server:
        assert server.socket_dir != server.data_dir
        assert server.ensure_running() is True
        assert stat_mode(server.socket_dir) == 0o700
    shutil.rmtree(server.socket_dir)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is kept from its own closed folders")
def test_root_may_have_its_clone_in_a_folder_closed_to_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in root's home: the programs and the data lie below, and neither is open to the account.
    wheel = programs_folder().parents[1]
    shutil.copytree(wheel, folder / wheel.name, ignore=shutil.ignore_patterns("include", "*.pyc"))
    libraries = wheel.with_name(f"{wheel.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    folder.chmod(0o700)
    with stopped_afterwards(folder / "postgres") as server:
        assert programs_folder().is_relative_to(folder)
        assert server.ensure_running() is True
        process = server.process()
        assert process is not None
        assert process.uids().effective != 0
        assert stat_mode(folder) == 0o700


def test_only_its_owner_reaches_the_data_and_the_socket(server: EmbeddedPostgres) -> None:
    assert stat_mode(server.data_dir) == 0o700
    with server.connect(DATABASE) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_a_polite_stop_leaves_a_server_that_somebody_uses(server: EmbeddedPostgres) -> None:
    with server.connect(DATABASE):
        assert server.stop(even_if_used=False) == "in use"
    assert server.stop(even_if_used=False) == "stopped"
    assert server.stop(even_if_used=False) == "not running"


def test_a_folder_laid_by_a_stranger_is_refused(folder: Path) -> None:
    laid = folder / "laid"
    laid.symlink_to(folder)
    with pytest.raises(EmbeddedPostgresError, match="remove it"):
        make_private_folder(laid, None)


def test_a_failed_start_says_what_the_server_said(new_server: EmbeddedPostgres) -> None:
    new_server.ensure_running()
    new_server.stop(even_if_used=True)
    with (new_server.data_dir / "postgresql.conf").open("a") as settings:
        settings.write("no_such_setting = 1\n")
    with pytest.raises(EmbeddedPostgresError, match="no_such_setting"):
        new_server.ensure_running()


def test_connecting_to_a_stopped_server_fails_at_once(server: EmbeddedPostgres) -> None:
    server.stop(even_if_used=True)
    begun = time.monotonic()
    with pytest.raises(psycopg.OperationalError):
        server.connect(DATABASE)
    assert time.monotonic() - begun < 1


def stat_mode(path: Path) -> int:
    """Returns the permission bits."""
    return path.stat().st_mode & 0o777
