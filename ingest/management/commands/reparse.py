"""``manage.py reparse``: reads kept pages again where parsers, words or releases are newer."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ingest.services.rereading import reparse
from ingest.sources import ALL_SOURCES, sources_named
from matrix.domain.errors import InvalidClaim, UnknownName


class Command(BaseCommand):
    help = "Read the kept pages again; what that changes goes through the same review."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--source", default=ALL_SOURCES, help="a source or framework; all of them by default"
        )

    def handle(self, *args: object, **options: Any) -> None:
        try:
            settled = reparse(
                actor="reparse",
                now=timezone.now(),
                sources=sources_named(options["source"]),
                progress=self._say_progress,
            )
        except (UnknownName, InvalidClaim) as error:
            raise CommandError(str(error)) from error
        done = settled.summary
        self.stdout.write(
            f"claims new: {done.new}, confirmed: {done.confirmed}, changed: {done.changed}, "
            f"gone: {done.gone}, to review: {settled.opened}"
        )

    def _say_progress(self, line: str) -> None:
        self.stderr.write(line)
