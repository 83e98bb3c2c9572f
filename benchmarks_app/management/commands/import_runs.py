"""Imports result files and folders from disk; the files of one folder form one upload."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmarks_app.domain.levels import RunClass, RunState, UploadState
from benchmarks_app.models import Upload
from benchmarks_app.services.environment import read_environment_json
from benchmarks_app.services.importing import import_upload, needs_reading, runs_of_upload
from benchmarks_app.services.publishing import publish_runs
from benchmarks_app.services.receiving import read_pieces, receive_upload
from matrix.domain.errors import RunproofError

_LARGEST_ENVIRONMENT_BYTES = 1024 * 1024
_ARCHIVES = (".zip", ".gz")


@dataclass(slots=True)
class Imported:
    """What became of one folder or file."""

    name: str
    runs: int = 0
    known: int = 0
    attached: int = 0
    rejected: list[str] = field(default_factory=list)


class Command(BaseCommand):
    """``manage.py import_runs PATH…``."""

    help = "Imports benchmark results: files, and folders with all that lies below them."

    def add_arguments(self, parser: CommandParser) -> None:
        """The paths and what is said of them."""
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--publish", action="store_true", help="publish the runs at once")
        parser.add_argument(
            "--declare", action="append", default=[], metavar="KEY=VALUE",
            help="a fact of all runs, such as accelerator.driver=550.54 (repeatable)",
        )  # fmt: skip
        parser.add_argument("--environment", type=Path, help="a JSON file of facts of all runs")
        parser.add_argument(
            "--class", dest="run_class", default=RunClass.MEASURED.value,
            choices=[one.value for one in RunClass], help="what kind of evidence they are",
        )  # fmt: skip
        parser.add_argument("--tool", default="", help="the tool that wrote the files")
        parser.add_argument("--actor", default="command-line", help="who stands in the record")

    def handle(self, *args: Any, **options: Any) -> None:
        """Imports every folder and prints a table. **Raises**: ``CommandError``."""
        groups = list(_groups(options["paths"]))
        declared = _declared(options["declare"], options["environment"])
        results = []
        for number, (name, files) in enumerate(groups, 1):
            self._progress(f"{number}/{len(groups)} {name} ({len(files)} files)")
            results.append(_import(name, files, declared, options))
        self._progress("")
        self._print(results)
        bad = sum(len(one.rejected) for one in results)
        if bad:
            raise CommandError(f"{bad} of the files or folders were rejected.", returncode=1)

    def _progress(self, text: str) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"\r\033[K{text[:100]}", ending="")

    def _print(self, results: Sequence[Imported]) -> None:
        width = max((len(one.name) for one in results), default=4)
        self.stdout.write(f"{'folder':<{width}}  runs  known  attached  rejected")
        for one in results:
            numbers = f"{one.runs:>4}  {one.known:>5}  {one.attached:>8}  {len(one.rejected):>8}"
            self.stdout.write(f"{one.name:<{width}}  {numbers}")
        for one in results:
            for sentence in one.rejected:
                self.stdout.write(f"rejected: {sentence}")
        runs, known = sum(one.runs for one in results), sum(one.known for one in results)
        attached = sum(one.attached for one in results)
        self.stdout.write(
            f"runs: {runs} new, {known} known, {attached} attached, "
            f"{sum(len(one.rejected) for one in results)} rejected"
        )


def _groups(paths: Sequence[Path]) -> Iterator[tuple[str, list[tuple[str, Path]]]]:
    """Folders with their files as (name, path); a file that was named alone stands alone."""
    alone: list[tuple[str, list[tuple[str, Path]]]] = []
    for path in paths:
        if path.is_file():
            alone.append((path.name, [(path.name, path)]))
        elif path.is_dir():
            yield from _folders(path)
        else:
            raise CommandError(f"{path} is not there; accepted: files and folders.")
    yield from alone


def _folders(top: Path) -> Iterator[tuple[str, list[tuple[str, Path]]]]:
    for folder, inner, names in os.walk(top):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        here = Path(folder)
        files = [here / name for name in sorted(names) if not name.startswith(".")]
        files = [path for path in files if path.is_file() and not path.is_symlink()]
        name = str(here.relative_to(top.parent)) if top.name else str(here)
        # An archive holds the files of a run by itself.
        packed = [path for path in files if path.suffix.lower() in _ARCHIVES]
        plain = [path for path in files if path not in packed]
        if plain:
            yield name, [(f"{here.name}/{path.name}", path) for path in plain]
        for path in packed:
            yield f"{name}/{path.name}", [(path.name, path)]


def _declared(pairs: Sequence[str], environment: Path | None) -> dict[str, object]:
    found: dict[str, object] = {}
    if environment is not None:
        if not environment.is_file() or environment.stat().st_size > _LARGEST_ENVIRONMENT_BYTES:
            raise CommandError(f"{environment} is no file of up to 1 MiB.")
        try:
            facts, unknown = read_environment_json(environment.read_text(encoding="utf-8"))
        except (RunproofError, UnicodeDecodeError) as error:
            raise CommandError(f"{environment}: {error}") from error
        if unknown:
            raise CommandError(f"{environment} names no facts with {', '.join(unknown[:5])}.")
        found.update(facts)
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign:
            raise CommandError(f"--declare {pair} has no '='; accepted: KEY=VALUE.")
        found[name.strip()] = value
    return found


def _import(
    name: str,
    files: Sequence[tuple[str, Path]],
    declared: dict[str, object],
    options: dict[str, Any],
) -> Imported:
    found = Imported(name)
    try:
        received = receive_upload(
            _opened(files),
            actor=options["actor"],
            way="command",
            declared=declared,
            tool=options["tool"],
            run_class=options["run_class"],
            publish=options["publish"],
        )
    except RunproofError as error:
        found.rejected.append(f"{name}: {error}")
        return found
    fresh = needs_reading(received.upload)
    _count(found, import_upload(received.upload.uid), fresh=fresh, options=options)
    return found


def _opened(files: Sequence[tuple[str, Path]]) -> Iterator[tuple[str, Iterator[bytes]]]:
    for name, path in files:
        with path.open("rb") as stream:
            yield name, read_pieces(stream)


def _count(found: Imported, upload: Upload, *, fresh: bool, options: dict[str, Any]) -> None:
    if upload.state in (UploadState.REJECTED.value, UploadState.FAILED.value):
        found.rejected.append(f"{found.name}: {upload.error_sentence}")
        return
    runs = runs_of_upload(upload)
    own = [run for run in runs if run.upload_id == upload.pk]
    drafts = [run for run in own if run.state == RunState.DRAFT.value]
    if options["publish"] and not fresh and drafts:
        publish_runs(drafts, actor=options["actor"])
        runs = runs_of_upload(upload)
    found.runs = len(own) if fresh else 0
    found.known = len(runs) - found.runs
    found.attached = sum(1 for run in runs if run.claim_uid)
    for row in upload.files.exclude(error_code=""):
        found.rejected.append(f"{row.name}: {row.reason}")
