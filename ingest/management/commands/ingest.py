"""``manage.py ingest --source NAME --from DIR``: reads a capture folder into claims."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from ingest.captures import MANIFEST, BrokenCaptures, Captures, read_captures
from ingest.contract import Page, Source, UnknownWord
from ingest.domain.derive import unknown_releases
from ingest.domain.run_rules import RuleRun, run_rules
from ingest.services.accepting import NOTHING_WRITTEN
from ingest.services.folders import pages_to_read, take_folder
from ingest.services.taking import load_whole_catalogue
from ingest.sources import ALL_SOURCES, source_names, sources_named
from matrix.domain.catalogue import Catalogue
from matrix.domain.codec import locator_text
from matrix.domain.errors import InvalidClaim, UnknownName
from matrix.domain.versions import ReleaseHistory

_PROGRESS_EVERY_PAGES = 100
_LONGEST_PATH_SHOWN = 50


@dataclass(frozen=True, slots=True)
class _Run:
    """One framework's folder, read but not written."""

    framework: str
    history: ReleaseHistory
    sources: Sequence[Source]
    captures: Captures
    pages: Sequence[Page]
    read: RuleRun


class Command(BaseCommand):
    help = "Read a folder of captured pages and record what they state."

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = ", ".join(source_names())
        parser.add_argument(
            "--source",
            required=True,
            help=f'a source or framework, or "{ALL_SOURCES}"; known: {names}',
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
        parser.add_argument(
            "--skip-unexpected",
            action="store_true",
            help="write the rest when pages have an unexpected shape; the claims of a rule that "
            "could not read a page of a version stay as they are for that version",
        )
        parser.add_argument(
            "--again",
            action="store_true",
            help="read every page, also those that have not changed since they were read last",
        )
        parser.add_argument("--dry-run", action="store_true", help="read, but write nothing")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            sources = sources_named(options["source"])
        except UnknownName as error:
            raise CommandError(str(error)) from error
        catalogue = load_whole_catalogue()
        everything = options["source"] == ALL_SOURCES
        folders = self._folders(sources, options["folder"], everything=everything)
        runs = self._read_all(folders, catalogue, options["versions"], again=bool(options["again"]))
        refusals = [str(refusal) for run in runs for refusal in run.read.refusals]
        if refusals and not options["skip_unexpected"]:
            raise CommandError(
                "\n".join([f"{_pages(len(refusals))} of an unexpected shape; nothing written",
                           *refusals])
            )  # fmt: skip
        for line in refusals:
            self.stderr.write(f"skipped: {line}")
        self._report_reading(runs)
        if options["dry_run"]:
            self.stdout.write("dry run: nothing written")
            return
        self._write(runs, catalogue)

    def _folders(
        self, sources: Sequence[Source], folder: Path, *, everything: bool
    ) -> dict[tuple[Path, str], list[Source]]:
        """The sources by the capture folder that each reads and the framework it speaks about.

        **Raises**: ``CommandError`` when there is nothing to read.
        """
        found: dict[tuple[Path, str], list[Source]] = {}
        for source in sources:
            place = folder / (source.folder or source.framework)
            if not everything and (folder / MANIFEST).exists():
                place = folder
            if everything and not place.is_dir():
                self.stderr.write(f"{source.name}: no captures in {place}")
                continue
            found.setdefault((place, source.framework), []).append(source)
        if not found:
            raise CommandError(f"{folder} holds no captures of any source")
        return found

    def _read_all(
        self,
        folders: dict[tuple[Path, str], list[Source]],
        catalogue: Catalogue,
        versions: list[str] | None,
        *,
        again: bool,
    ) -> list[_Run]:
        """Every folder, read.

        **Raises**: ``CommandError`` listing the bad files of all folders.
        """
        runs = []
        problems: list[str] = []
        for (folder, framework), sources in folders.items():
            try:
                captures = read_captures(
                    folder, framework=framework, catalogue=catalogue, wanted=versions
                )
            except BrokenCaptures as error:
                problems += [f"{folder.name}: {problem}" for problem in error.problems]
                continue
            for label in captures.unplaced:
                self.stderr.write(
                    f"no release or date is known for {framework} {label}: it makes no claims"
                )
            runs.append(self._read(framework, sources, captures, catalogue, again=again))
        if problems:
            files = "file" if len(problems) == 1 else "files"
            raise CommandError(
                "\n".join([f"{len(problems)} bad capture {files}; nothing written", *problems])
            )
        return runs

    def _read(
        self,
        framework: str,
        sources: Sequence[Source],
        captures: Captures,
        catalogue: Catalogue,
        *,
        again: bool,
    ) -> _Run:
        """One folder; versions of which nothing is new are passed over."""
        pages = captures.pages if again else pages_to_read(captures.pages, sources, catalogue)
        run = RuleRun()
        for number, (page, latest) in enumerate(run_rules(sources, pages, catalogue.vocabulary), 1):
            run = latest
            self._progress(number, len(pages), f"{framework} {page.version}", page.path)
        return _Run(
            framework=framework,
            history=catalogue.histories.get(framework) or ReleaseHistory(framework, ()),
            sources=sources,
            captures=captures,
            pages=pages,
            read=run,
        )

    def _write(self, runs: Sequence[_Run], catalogue: Catalogue) -> None:
        """Record all runs or, when a data rule is broken, none."""
        total = NOTHING_WRITTEN
        try:
            with transaction.atomic():
                for run in runs:
                    taken = take_folder(
                        run.pages,
                        run.captures.files,
                        sources=run.sources,
                        catalogue=catalogue,
                        run=run.read,
                        actor="ingest",
                        now=timezone.now(),
                    )
                    total += taken.settlement.summary
                    for page, alarm in taken.outcome.notices:
                        self.stderr.write(f"notice: {page.version} {page.path}: {alarm.sentence}")
        except InvalidClaim as error:
            raise CommandError(_broken_rules(error)) from error
        words = sum(len(_grouped(run.read)) for run in runs)
        self.stdout.write(
            f"claims new: {total.new}, confirmed: {total.confirmed}, "
            f"changed: {total.changed}, gone: {total.gone}, "
            f"words not understood: {words}"
        )

    def _progress(self, number: int, total: int, version: str, path: str) -> None:
        if sys.stderr.isatty():
            shown = path[-_LONGEST_PATH_SHOWN:].ljust(_LONGEST_PATH_SHOWN)
            self.stderr.write(f"\r[{number}/{total}] {version} {shown}", ending="")
            if number == total:
                self.stderr.write("")
        elif number % _PROGRESS_EVERY_PAGES == 0 or number == total:
            self.stderr.write(f"[{number}/{total}] {version} {path}")

    def _report_reading(self, runs: Sequence[_Run]) -> None:
        """What was read, and everything that was not understood with one place of each."""
        for run in runs:
            read = run.read
            for (source, axis, word), (count, place) in sorted(
                _grouped(read).items(), key=lambda item: (-item[1][0], item[0])
            ):
                self.stdout.write(f"not understood: {source} {axis} {word!r} ×{count}, {place}")
            unknown = unknown_releases(read.readings, run.history)
            for version, count in sorted(unknown.items()):
                self.stdout.write(
                    f"not understood: {run.framework} release {version!r} ×{count}; "
                    "the catalogue does not know it"
                )
            self.stdout.write(
                f"{run.framework}: pages read: {read.pages_read}, "
                f"without a rule: {read.pages_without_rule}, "
                f"findings: {sum(len(r.reading.findings) for r in read.readings)}, "
                f"unchanged: {len(run.captures.pages) - len(run.pages)}"
            )


def _grouped(read: RuleRun) -> dict[tuple[str, str, str], tuple[int, str]]:
    """Each word that nothing maps, with how often it stands and its first place."""
    found: dict[tuple[str, str, str], tuple[int, str]] = {}
    for source, page, word in read.unknown_words:
        key = (source, word.axis, word.word)
        count, place = found.get(key, (0, _place(page.version, page.path, word)))
        found[key] = (count + 1, place)
    return found


def _place(version: str, path: str, word: UnknownWord) -> str:
    return f"first in {version} {path}, {locator_text(word.locator) or 'place unknown'}"


def _broken_rules(error: InvalidClaim) -> str:
    problems = error.facts.get("problems")
    lines = problems if isinstance(problems, list) else [str(error)]
    return "\n".join(["findings break the data rules; nothing written", *map(str, lines)])


def _pages(count: int) -> str:
    return "1 page is" if count == 1 else f"{count} pages are"
