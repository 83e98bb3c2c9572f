"""The port, the static files and the whole of `manage.py serve`."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.site.serving import NoFreePortError, find_free_port, is_port_free
from matrix.site.storage import is_own_file

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def taken_port() -> Iterator[int]:
    """Returns a port that somebody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield int(listener.getsockname()[1])


def test_a_free_port_is_taken_as_wanted() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert find_free_port("127.0.0.1", port) == port


def test_a_taken_port_gives_the_next_free_one(taken_port: int) -> None:
    assert not is_port_free("127.0.0.1", taken_port)
    assert taken_port < find_free_port("127.0.0.1", taken_port) < taken_port + 50


def test_the_last_port_taken_is_an_error_with_the_way_out() -> None:
    with pytest.raises(NoFreePortError, match="PORT"):
        find_free_port("127.0.0.1", 65_536)


def test_a_host_of_another_machine_is_an_error_and_no_taken_port() -> None:
    with pytest.raises(OSError, match="assign"):
        is_port_free("192.0.2.1", 8000)


def test_scripts_of_packages_are_told_from_ours() -> None:
    assert not is_own_file("plotly/plotly.min.js")
    assert not is_own_file("django_htmx/htmx.min.js")


def test_serve_goes_from_nothing_to_an_answering_address_and_ends_cleanly(tmp_path: Path) -> None:
    environ = os.environ | {"RUNPROOF_VAR_DIR": str(tmp_path / "var"), "PYTHONUNBUFFERED": "1"}
    environ.pop("DATABASE_URL", None)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        environ["PORT"] = str(probe.getsockname()[1])
    command = [sys.executable, "manage.py", "serve", "--without-catalog"]
    serving = subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # As in a terminal, where Ctrl-C reaches the server's whole process group.
        start_new_session=True,
    )
    assert serving.stdout is not None
    with serving, serving.stdout as lines:
        printed = ""
        for line in lines:
            printed += line
            if found := re.search(r"Runproof is at (http://127\.0\.0\.1:\d+/)", line):
                break
        assert found, printed
        with urllib.request.urlopen(f"{found[1]}api/v1/schema/", timeout=30) as answer:
            assert answer.status == 200
        os.killpg(serving.pid, signal.SIGINT)
        printed += lines.read()
        assert serving.wait(30) == 0, printed
    assert printed.rstrip().endswith("Database: stopped"), printed
    assert printed.count("Runproof has ended.") == 1
    # With hashed names, and each import of our modules pointing at one.
    assert (tmp_path / "var" / "static" / "staticfiles.json").exists()
