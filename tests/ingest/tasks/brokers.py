"""Real brokers on loopback ports of their own, and real workers on them."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from django.db import connection

REPOSITORY = Path(__file__).resolve().parents[3]
REDIS_INSTALL_LINE = "apt-get install --yes redis-server"
RABBITMQ_INSTALL_LINE = "apt-get install --yes rabbitmq-server"
RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"
LONGEST_START_SECONDS = 60.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], object], *, seconds: float, what: str) -> None:
    """Waits for a condition. **Raises**: ``TimeoutError`` naming it."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not happen within {seconds} s")
        time.sleep(0.05)


def _listens(port: int, greeting: bytes = b"") -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as client:
            if greeting:
                client.sendall(greeting)
                return bool(client.recv(1))
            return True
    except OSError:
        return False


@contextmanager
def _running(
    command: list[str], port: int, folder: Path, environ: Mapping[str, str], greeting: bytes = b""
) -> Iterator[None]:
    with (folder / "broker.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, env=dict(environ), start_new_session=True
        )
        try:
            wait_until(
                lambda: _listens(port, greeting), seconds=LONGEST_START_SECONDS, what=command[0]
            )
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@contextmanager
def redis_broker(folder: Path) -> Iterator[str]:
    """The address of a Redis that ends with the block."""
    port = free_port()
    command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", ""]
    with _running(command, port, folder, os.environ):
        yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def rabbitmq_broker(folder: Path) -> Iterator[str]:
    """The address of a RabbitMQ that ends with the block."""
    port, between = free_port(), free_port()
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "RABBITMQ_NODENAME": f"test{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(between),
        "ERL_EPMD_PORT": str(free_port()),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "rabbitmq.pid"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
        "LANG": "C.UTF-8",
    }
    hello = b"AMQP\x00\x00\x09\x01"
    with _running([RABBITMQ], port, folder, environ, greeting=hello):
        yield f"amqp://guest:guest@127.0.0.1:{port}//"


BROKERS = {"redis": redis_broker, "rabbitmq": rabbitmq_broker}


def why_missing(name: str) -> str:
    """Why a broker cannot be started here; empty where it can."""
    if name == "redis":
        found, line = bool(shutil.which("redis-server")), REDIS_INSTALL_LINE
    else:
        found, line = Path(RABBITMQ).exists(), RABBITMQ_INSTALL_LINE
    return "" if found else f"{name} is not installed: {line}"


def database_url() -> str:
    """The address of the database that this test writes to."""
    values = connection.settings_dict
    host, port = str(values["HOST"]), str(values["PORT"] or "")
    user, password = quote(str(values["USER"])), quote(str(values["PASSWORD"]))
    name = quote(str(values["NAME"]))
    if host.startswith("/"):
        where = f"postgres://{user}:{password}@/{name}?host={quote(host, safe='')}"
        return f"{where}&port={port}" if port else where
    return f"postgres://{user}:{password}@{host}:{port}/{name}"


class Worker:
    """A worker process with its children, which dies as a whole and without a word."""

    def __init__(self, broker: str, host_url: str, folder: Path) -> None:
        self.log = folder / "worker.log"
        environ = {
            **os.environ,
            "CELERY_BROKER_URL": broker,
            "DATABASE_URL": database_url(),
            "RUNPROOF_FETCH_LOOPBACK": "1",
            "RUNPROOF_VAR_DIR": str(folder),
            "TEST_HOST_URL": host_url,
            "PYTHONPATH": str(REPOSITORY),
        }
        command = [sys.executable, "-m", "celery", "-A", "tests.ingest.tasks.worker_app", "worker"]
        command += ["--concurrency", "1", "--loglevel", "INFO", "--without-gossip"]
        command += ["--without-mingle", "--without-heartbeat"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=REPOSITORY, env=environ, start_new_session=True
            )

    def kill(self) -> None:
        """Ends the worker and its children at once, as a power cut would."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
