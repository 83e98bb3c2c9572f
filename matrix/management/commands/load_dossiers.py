"""``manage.py load_dossiers``: the demonstration dossiers that are shipped."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from matrix.domain.errors import RunproofError
from matrix.dossiers.shipping import SHIPPED_FOLDER, load_shipped_dossiers


class Command(BaseCommand):
    """Loading again writes nothing; a shipped file that cannot be read is a fault and fails."""

    help = "Load the demonstration dossiers that are shipped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declares where they are."""
        parser.add_argument("--folder", type=Path, default=SHIPPED_FOLDER)

    def handle(self, *args: Any, **options: Any) -> None:
        """Opens, fills, freezes and signs each, and says how many there are."""
        try:
            loaded = load_shipped_dossiers(options["folder"])
        except (RunproofError, OSError, KeyError, TypeError, ValueError) as error:
            raise CommandError(f"The shipped dossiers could not be loaded: {error}") from error
        new = sum(is_new for _, is_new in loaded)
        self.stdout.write(f"Demonstration dossiers: {len(loaded)}, {new} of them new.")
