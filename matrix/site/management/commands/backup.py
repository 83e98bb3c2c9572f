"""`manage.py backup FILE`: the whole installation as one file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from matrix.site.archives.errors import ArchiveError
from matrix.site.archives.writing import write_archive


class Command(BaseCommand):
    """Writes an archive from one snapshot of the database."""

    requires_system_checks = []
    help = "Writes the whole installation into FILE, while it goes on being used."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declares the options."""
        parser.add_argument("file", type=Path, help="a new file, such as runproof-2026-11-30.tar")

    def handle(self, *args: Any, **options: Any) -> None:
        """Writes and tells what was written."""
        try:
            written = write_archive(options["file"].absolute())
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{options['file']}: {written.rows} rows of {written.tables} tables, "
            f"{options['file'].stat().st_size} bytes"
        )
        self.stdout.write(f"content hash {written.content_hash}")
