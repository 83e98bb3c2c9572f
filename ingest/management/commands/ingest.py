"""``manage.py ingest --source NAME --from DIR``: reads a capture folder into claims."""

import sys
from argparse import ArgumentParser
from collections import Counter
from dataclasses import replace
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from ingest.captures import BrokenCaptures, read_captures
from ingest.domain.run_rules import RuleRun, run_rules
from ingest.services import accept_readings
from ingest.sources import source_names, sources_named
from matrix.catalog_files import read_catalogue
from matrix.convert import load_catalogue
from matrix.domain.errors import InvalidClaim, UnknownName


class Command(BaseCommand):
    help = "Read a folder of captured pages and record what they state."

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = ", ".join(source_names())
        parser.add_argument(
            "--source", required=True, help=f"a source or framework; known: {names}"
        )
        parser.add_argument(
            "--from",
            dest="folder",
            type=Path,
            required=True,
            help="the capture folder of the framework, or the folder that holds it",
        )
        parser.add_argument(
            "--release", dest="versions", action="append", help="only this captured version"
        )
        parser.add_argument("--dry-run", action="store_true", help="read, but write nothing")

    def handle(self, *args: object, **options: object) -> None:
        try:
            sources = sources_named(str(options["source"]))
        except UnknownName as error:
            raise CommandError(str(error)) from error
        framework = sources[0].framework
        folder = _capture_folder(Path(str(options["folder"])), sources[0].folder or framework)
        catalogue = replace(load_catalogue(), placements=read_catalogue().placements)
        versions = options["versions"]
        try:
            captures = read_captures(
                folder,
                framework=framework,
                catalogue=catalogue,
                wanted=versions if isinstance(versions, list) else None,
            )
        except BrokenCaptures as error:
            raise CommandError("\n".join([str(error), *error.problems])) from error
        for label in captures.unplaced:
            self.stderr.write(f"no release or date is known for {label}: its pages make no claims")
        run = RuleRun()
        for number, (page, latest) in enumerate(
            run_rules(sources, captures.pages, catalogue.vocabulary), 1
        ):
            run = latest
            self._progress(number, len(captures.pages), page.version, page.path)
        if run.unexpected:
            lines = [str(error) for error in run.unexpected]
            raise CommandError(
                "\n".join([f"{len(lines)} pages have an unexpected shape; nothing written", *lines])
            )
        self._report_words(run)
        self.stdout.write(
            f"pages read: {run.pages_read}, without a rule: {run.pages_without_rule}, "
            f"findings: {sum(len(r.reading.findings) for r in run.readings)}"
        )
        if options["dry_run"]:
            self.stdout.write("dry run: nothing written")
            return
        try:
            summary = accept_readings(
                run.readings,
                framework=framework,
                history=catalogue.histories[framework],
                actor="ingest",
            )
        except InvalidClaim as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"claims new: {summary.new}, confirmed: {summary.confirmed}, "
            f"changed: {summary.changed}, gone: {summary.gone}, "
            f"words not understood: {len(run.unknown_words)}"
        )

    def _progress(self, number: int, total: int, version: str, path: str) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"\r[{number}/{total}] {version} {path[-50:]:<50}", ending="")
            if number == total:
                self.stderr.write("")
        elif number % 100 == 0 or number == total:
            self.stderr.write(f"[{number}/{total}] {version} {path}")

    def _report_words(self, run: RuleRun) -> None:
        words = Counter((source, w.axis, w.word) for source, _, w in run.unknown_words)
        for (source, axis, word), count in sorted(words.items(), key=lambda i: (-i[1], i[0])):
            self.stdout.write(f"not understood: {source} {axis} {word!r} ×{count}")


def _capture_folder(folder: Path, name: str) -> Path:
    """The framework's folder: the given one when it holds a manifest, else its child."""
    return folder if (folder / "manifest.jsonl").exists() else folder / name
