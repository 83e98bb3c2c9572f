"""`manage.py database`: looks after the embedded PostgreSQL server."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from matrix.site.embedded_postgres import (
    DATABASE,
    PORT,
    USER,
    EmbeddedPostgres,
)
from matrix.site.postgres_programs import EmbeddedPostgresError


class Command(BaseCommand):
    """Starts, stops or describes the server; does nothing to one that DATABASE_URL names."""

    help = "Starts, stops or describes the embedded PostgreSQL server."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declares what to do."""
        parser.add_argument("action", choices=["status", "start", "stop", "address"])
        parser.add_argument(
            "--force", action="store_true", help="stop even while somebody is connected"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Does it and says what the state is."""
        folder = settings.DATABASES["default"].get("EMBEDDED_DATA_DIR")
        if folder is None:
            raise CommandError(
                "DATABASE_URL names a server, so there is no embedded one to handle."
            )
        server = EmbeddedPostgres(Path(folder))
        try:
            self.stdout.write(act(server, options["action"], force=options["force"]))
        except EmbeddedPostgresError as error:
            raise CommandError(str(error)) from error


def act(server: EmbeddedPostgres, action: str, *, force: bool) -> str:
    """Carries the action out; returns the line to print.

    **Raises** CommandError when a stop was asked for and somebody is connected.
    """
    if action == "start":
        return "started" if server.ensure_running() else "already running"
    if action == "stop":
        outcome = server.stop(even_if_used=force)
        if outcome == "in use":
            raise CommandError(
                f"The embedded PostgreSQL has {server.client_count()} connections; end them or "
                "use --force."
            )
        return outcome
    if action == "address":
        return f"postgres://{USER}@:{PORT}/{DATABASE}?host={server.socket_dir}"
    return "running" if server.is_answering() else "not running"
