"""``manage.py lint_knowledge``: every breach of the data rules in the shipped files."""

from argparse import ArgumentParser
from itertools import groupby
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from matrix.catalog_files import CATALOG_FOLDER, BrokenCatalogFile, read_catalogue
from matrix.claim_files import BrokenClaimFile, read_claims
from matrix.domain.data_rules import Breach
from matrix.domain.lint import lint_knowledge
from matrix.entering.curated import read_curated


class Command(BaseCommand):
    help = "Check the shipped catalogue and claims against the rules of docs/data-guidelines.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="folder", type=Path, default=CATALOG_FOLDER)

    def handle(self, *args: object, **options: object) -> None:
        folder = Path(str(options["folder"]))
        try:
            catalogue = read_catalogue(folder)
            claims = read_claims(folder)
        except (BrokenCatalogFile, BrokenClaimFile) as error:
            raise CommandError("\n".join(error.problems)) from error
        today = timezone.now().date()
        curated, problems = read_curated(folder, catalogue, today=today)
        if problems:
            raise CommandError("\n".join(problems))
        claims += curated
        breaches = lint_knowledge(catalogue, claims, today=today)
        self._show(breaches)
        nodes = sum(len(area) for area in catalogue.nodes.values())
        count = f"lint: {nodes} catalogue rows, {len(claims)} claims, {len(breaches)} breaches"
        if breaches:
            raise CommandError(count)
        self.stdout.write(count)

    def _show(self, breaches: list[Breach]) -> None:
        """One block a source, so that whoever wrote the source finds all of its breaches."""
        by_group = sorted(breaches, key=lambda b: (b.group, b.rule, b.where))
        for group, found in groupby(by_group, key=lambda b: b.group):
            listed = list(found)
            self.stdout.write(f"{group}: {len(listed)}")
            for breach in listed:
                self.stdout.write(f"  {breach}")
