"""`manage.py restore FILE`: an archive into an empty database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from matrix.site.archives.errors import ArchiveError
from matrix.site.archives.migrating import bring_up_to_date, prepare_tables
from matrix.site.archives.reading import restore_archive, verify_archive


class Command(BaseCommand):
    """Verifies an archive whole, then reads it in one transaction."""

    requires_system_checks = []
    help = "Reads FILE into the database, which must be empty; all of it or nothing."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declares the options."""
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--verify-only", action="store_true", help="verify the file and touch no database"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Restores and tells what was read."""
        path = options["file"].absolute()
        try:
            manifest = verify_archive(path)
            self.stdout.write(f"{options['file']}: whole, written {manifest.created_at}")
            if options["verify_only"]:
                self.stdout.write(f"content hash {manifest.content_hash}")
                return
            prepare_tables(manifest.migrations)
            restored = restore_archive(path, manifest)
            bring_up_to_date()
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"restored {restored.rows} rows of {restored.tables} tables")
        self.stdout.write(f"content hash {restored.content_hash}")
