"""`manage.py content_hash`: one hash of everything that a backup would hold."""

from typing import Any

from django.core.management.base import BaseCommand

from matrix.site.archives.writing import content_hash


class Command(BaseCommand):
    """Prints the hash of the content."""

    requires_system_checks = []
    help = "Prints one hash of all rows; equal before a backup and after its restore."

    def handle(self, *args: Any, **options: Any) -> None:
        """Reads every row once."""
        self.stdout.write(content_hash())
