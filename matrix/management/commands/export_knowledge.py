"""``manage.py export_knowledge``: writes the recorded claims as the shipped files."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from matrix.catalog_files import CATALOG_FOLDER
from matrix.claim_files import write_claims
from matrix.index import stored_claims


class Command(BaseCommand):
    help = "Write all standing claims with their evidence as sorted JSONL files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", dest="folder", type=Path, default=CATALOG_FOLDER)

    def handle(self, *args: object, **options: object) -> None:
        folder = Path(str(options["folder"]))
        standing = (
            claim
            for claim in stored_claims()
            if claim.superseded_at is None and claim.withdrawn_at is None
        )
        counts = write_claims(folder, standing)
        for framework, count in counts.items():
            self.stdout.write(f"{framework}: {count} claims")
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        self.stdout.write(f"{folder.name}: {size / 2**20:.1f} MiB in all")
