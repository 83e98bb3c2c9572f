"""``manage.py load_catalog``: the shipped catalogue and claims into the database."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from matrix.catalog_files import CATALOG_FOLDER, BrokenCatalogFile
from matrix.catalog_loading import BrokenCatalogue, load_shipped
from matrix.claim_files import BrokenClaimFile
from matrix.domain.errors import InvalidClaim


class Command(BaseCommand):
    help = "Load the shipped catalogue and claims; does nothing when they are unchanged."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="folder", type=Path, default=CATALOG_FOLDER)
        parser.add_argument("--force", action="store_true", help="load even when unchanged")

    def handle(self, *args: object, **options: object) -> None:
        folder = options["folder"]
        assert isinstance(folder, Path)
        try:
            summary = load_shipped(
                folder, force=bool(options["force"]), progress=self._say_progress
            )
        except BrokenCatalogue as error:
            raise CommandError("\n".join([str(error), *error.problems])) from error
        except (BrokenCatalogFile, BrokenClaimFile, InvalidClaim) as error:
            raise CommandError(str(error)) from error
        if summary.skipped:
            self.stdout.write("shipped knowledge unchanged")
            return
        self.stdout.write(
            f"shipped knowledge loaded: {sum(summary.nodes.values())} catalogue rows, "
            f"{summary.releases} releases, claims {summary.claims_new} new / "
            f"{summary.claims_confirmed} confirmed / {summary.claims_withdrawn} withdrawn"
        )

    def _say_progress(self, text: str) -> None:
        self.stdout.write(f"  {text}")
