"""``manage.py import_claims``: claims that people wrote, from JSONL or CSV files."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from matrix.catalog_files import CATALOG_FOLDER, read_catalogue
from matrix.domain.claims import Claim
from matrix.entering.claims import DEFAULT_SOURCE, ClaimReader
from matrix.entering.curated import CURATED_SOURCE, overlap_problems, read_entries
from matrix.entering.importing import ImportSummary, import_lines
from matrix.entering.lines import read_lines
from matrix.entering.problems import BrokenEntries
from matrix.entering.wording import claim_sentence

FORMS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}
STANDARD_INPUT = "-"


class Command(BaseCommand):
    help = (
        "Record claims from files that people wrote: each file wholly or not at all, and the same "
        "line only once. The format is described in docs/data-guidelines.md."
    )
    # With --check no database is wanted; without it the queries say themselves what is missing.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files", nargs="+", metavar="FILE", help=".jsonl or .csv; - reads JSONL"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="list all problems, write nothing"
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="like --dry-run, against the shipped files alone: needs no database",
        )
        parser.add_argument("--show", action="store_true", help="print how each line reads")
        parser.add_argument("--actor", default="import_claims", help="who is named in the record")
        parser.add_argument("--source", default=DEFAULT_SOURCE, help="where a line names none")

    def handle(self, *args: object, **options: object) -> None:
        files = options["files"]
        assert isinstance(files, list)
        reader = None
        if options["check"]:
            reader = ClaimReader(read_catalogue(CATALOG_FOLDER), today=timezone.now().date())
        broken = 0
        for name in files:
            try:
                if reader is not None:
                    self._check(name, reader, show=bool(options["show"]))
                else:
                    self._import(name, options)
            except BrokenEntries as error:
                broken += 1
                for problem in error.problems:
                    self.stdout.write(f"{name}, {problem}")
                count = len(error.problems)
                words = "1 problem" if count == 1 else f"{count} problems"
                self.stdout.write(f"{name}: {words}; nothing recorded")
        if broken:
            raise CommandError(f"{broken} of {len(files)} files have problems")

    def _check(self, name: str, reader: ClaimReader, *, show: bool) -> None:
        """Reads a file as a curated one, beside nothing but the shipped catalogue."""
        data, form = _read_file(name)
        entries, problems = read_lines(data, form=form)
        source = f"{CURATED_SOURCE}{Path(name).stem}"[:80]
        written, found = read_entries(entries, reader, source=source, parser="")
        found += overlap_problems(written, (), reader)
        if show:
            self._show([(item.line, item.claim) for item in written])
        if problems or found:
            raise BrokenEntries([*problems, *found], name=name)
        self.stdout.write(f"{name}: {len(written)} claims, no problems")

    def _import(self, name: str, options: dict[str, object]) -> None:
        data, form = _read_file(name)
        summary = import_lines(
            data,
            form=form,
            actor=str(options["actor"])[:150],
            source=str(options["source"]),
            dry_run=bool(options["dry_run"]),
            name=Path(name).name,
        )
        if options["show"] or options["dry_run"]:
            self._show([(item.line, item.claim) for item in summary.planned()])
        self._say(name, summary, dry_run=bool(options["dry_run"]))

    def _show(self, claims: list[tuple[int, Claim]]) -> None:
        for line, claim in claims:
            self.stdout.write(f"  line {line}: {claim_sentence(claim)}")

    def _say(self, name: str, summary: ImportSummary, *, dry_run: bool) -> None:
        for item in summary.superseding:
            assert item.ends is not None
            self.stdout.write(
                f"  line {item.line} takes the place of {item.ends.uid}: "
                f"{claim_sentence(item.ends.claim)}"
            )
        for line in summary.withdrawn:
            self.stdout.write(f"  line {line} was withdrawn here by a person; it stays withdrawn")
        self.stdout.write(
            f"{name}: {summary.lines} lines: {len(summary.new)} new, {len(summary.superseding)} "
            f"superseding, {summary.unchanged} unchanged, {len(summary.withdrawn)} withdrawn"
            + ("; dry run, nothing recorded" if dry_run else "")
        )


def _read_file(name: str) -> tuple[bytes, str]:
    """The bytes of a file and the form in which its name says they are."""
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read(), "jsonl"
    path = Path(name)
    form = FORMS.get(path.suffix.lower())
    if form is None:
        accepted = ", ".join(FORMS)
        raise CommandError(f"{name} ends with {path.suffix!r}; accepted: {accepted}")
    try:
        return path.read_bytes(), form
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}") from error
