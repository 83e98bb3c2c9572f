"""``manage.py export_knowledge``: writes the recorded claims as the shipped files."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from matrix.catalog_aliases import write_aliases
from matrix.catalog_files import CATALOG_FOLDER
from matrix.claim_files import write_claims
from matrix.entering.curated import CURATED_PARSER
from matrix.index import stored_claims
from matrix.models import CuratedAlias
from matrix.pin_files import write_pins
from matrix.queries.published import recorded_pins


class Command(BaseCommand):
    help = "Write all standing claims but the curated ones, with their evidence, as sorted JSONL."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", dest="folder", type=Path, default=CATALOG_FOLDER)

    def handle(self, *args: object, **options: object) -> None:
        folder = Path(str(options["folder"]))
        # Curated claims stand in files of their own, which people write.
        standing = (
            claim
            for claim in stored_claims()
            if claim.superseded_at is None
            and claim.withdrawn_at is None
            and not claim.parser.startswith(CURATED_PARSER)
        )
        counts = write_claims(folder, standing)
        for framework, count in counts.items():
            self.stdout.write(f"{framework}: {count} claims")
        aliases = write_aliases(folder, CuratedAlias.objects.all())
        if aliases:
            self.stdout.write(f"curated aliases: {aliases}")
        pins = write_pins(folder, recorded_pins())
        if pins:
            self.stdout.write(f"requirements of releases: {sum(pins.values())}")
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        self.stdout.write(f"{folder.name}: {size / 2**20:.1f} MiB in all")
