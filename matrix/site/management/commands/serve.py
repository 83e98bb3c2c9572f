"""`manage.py serve`: from an empty clone to a served address in one command."""

import os
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from matrix.site.embedded_postgres import EmbeddedPostgres
from matrix.site.env import read_integer, read_text
from matrix.site.postgres_programs import EmbeddedPostgresError
from matrix.site.serving import (
    NoFreePortError,
    ProductionServer,
    find_free_port,
    fingerprint_static_sources,
)
from matrix.site.translations import compile_translations


class Command(BaseCommand):
    """Prepares what is missing, then serves until it is interrupted."""

    help = "Starts the database, migrates, loads the shipped knowledge and serves the site."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declares the options; each default comes from the environment."""
        parser.add_argument("--host", default=read_text("RUNPROOF_HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=read_integer("PORT", 8000, maximum=65_535))
        parser.add_argument(
            "--workers", type=int, default=read_integer("RUNPROOF_WORKERS", 1, minimum=1)
        )
        parser.add_argument(
            "--threads", type=int, default=read_integer("RUNPROOF_THREADS", 8, minimum=1)
        )

        parser.add_argument(
            "--without-catalog",
            action="store_true",
            help="leave the shipped knowledge out; for an installation that keeps only its own",
        )
        parts = parser.add_mutually_exclusive_group()
        parts.add_argument(
            "--prepare-database",
            action="store_true",
            help="bring tables and shipped knowledge up to date, then end (a container of its own)",
        )
        parts.add_argument(
            "--prepared",
            action="store_true",
            help="serve at once; database, translations and static files were prepared before",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the steps in order, each with a line that says what was done in what time."""
        serving = {name: options[name] for name in ("host", "port", "workers", "threads")}
        if options["prepared"]:
            self.serve(**serving)
            return
        database = settings.DATABASES["default"]
        embedded = None
        if "EMBEDDED_DATA_DIR" in database:
            embedded = EmbeddedPostgres(Path(database["EMBEDDED_DATA_DIR"]))
        started = self.step("Database", lambda: start_database(embedded))
        this_process = os.getpid()
        try:
            self.step("Tables", migrate)
            if not options["without_catalog"]:
                self.step("Knowledge", lambda: call_command("load_catalog", stdout=self.stdout))
                self.step("Runs", lambda: call_command("load_runs", stdout=self.stdout))
                self.step("Dossiers", self.load_dossiers)
            if options["prepare_database"]:
                return
            self.step("Languages", compile_languages)
            self.step("Static files", collect_static_files)
            self.serve(**serving)
        finally:
            # The server's workers are forks that leave through here as well.
            if embedded and started == "started" and os.getpid() == this_process:
                self.stop_database(embedded)

    def step(self, title: str, action: Callable[[], str | None]) -> str | None:
        """Runs one step and reports it; returns the word the step ended with.

        **Raises** CommandError, one sentence, where the step cannot be done.
        """
        self.stdout.write(f"{title} …")
        self.stdout.flush()
        begun = time.monotonic()
        try:
            outcome = action()
        except EmbeddedPostgresError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{title}: {outcome or 'ready'} ({time.monotonic() - begun:.1f} s)")
        self.stdout.flush()
        return outcome

    def load_dossiers(self) -> str | None:
        """Loads the demonstration; knowledge of one's own may not answer it, which is no fault."""
        try:
            call_command("load_dossiers", stdout=self.stdout)
        except CommandError as error:
            return f"left out: {error}"
        return None

    def serve(self, *, host: str, port: int, workers: int, threads: int) -> None:
        """Serves until interrupted; prints the address once the first worker answers."""
        try:
            free = find_free_port(host, port)
        except (NoFreePortError, OSError) as error:
            raise CommandError(f"Cannot listen on {host}: {error}") from error
        if free != port:
            self.stdout.write(f"Port {port} is taken, so port {free} is used.")
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{free}/"

        def say_address() -> None:
            self.stdout.write(f"Runproof is at {address}  (Ctrl-C ends it)")
            self.stdout.flush()

        # The server forks: a shared connection would mix up answers, a shared buffer print twice.
        connections.close_all()
        self.stdout.flush()
        server = ProductionServer(
            host=host, port=free, workers=workers, threads=threads, on_ready=say_address
        )
        with ended_quietly():
            server.run()
        self.stdout.write("Runproof has ended.")

    def stop_database(self, embedded: EmbeddedPostgres) -> None:
        """Stops the server that this command started, unless somebody else uses it."""
        connections.close_all()
        outcome = embedded.stop(even_if_used=False)
        hint = "; left running, `make stop` ends it" if outcome == "in use" else ""
        self.stdout.write(f"Database: {outcome}{hint}")


@contextmanager
def ended_quietly() -> Iterator[None]:
    """Turns the exit by which Gunicorn ends into a plain return.

    A failed start stays an exit, and so does that of a worker, which is a fork of this process.
    """
    this_process = os.getpid()
    try:
        yield
    except SystemExit as leaving:
        if os.getpid() != this_process or leaving.code not in (None, 0):
            raise


def start_database(embedded: EmbeddedPostgres | None) -> str:
    """Makes the database answer; returns "started" only if this call started the server."""
    if embedded is None:
        connections["default"].ensure_connection()
        return "the server that DATABASE_URL names answers"
    return "started" if embedded.ensure_running() else "already running"


def migrate() -> str:
    """Brings the tables up to date; returns what was done."""
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connections["default"])
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return "up to date"
    call_command("migrate", interactive=False, verbosity=0)
    return f"{len(plan)} migrations applied"


def compile_languages() -> str:
    """Makes the translations ready; a checkout holds only their sources."""
    return "compiled" if compile_translations() else "unchanged"


def collect_static_files() -> str:
    """Copies the static files under hashed names, unless no source file changed since."""
    if settings.DEBUG:
        return "served from their sources"
    mark = Path(settings.STATIC_ROOT).with_suffix(".fingerprint")
    wanted = fingerprint_static_sources()
    if mark.exists() and mark.read_text() == wanted:
        return "unchanged"
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)
    # What no page of ours asks for is the half of all bytes.
    unused = ["redoc", "widgetbundle.js"]
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=unused)
    mark.write_text(wanted)
    return "collected"
