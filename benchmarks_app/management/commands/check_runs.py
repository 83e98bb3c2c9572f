"""Imports result files and compares the values with hand-checked ones."""

import json
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchmarks_app.checking import check_file
from benchmarks_app.domain.expected import Result
from matrix.domain.errors import RunproofError


class Command(BaseCommand):
    """Prints each value that differs; the last line counts all of them.

    Sidecars in the folder of a file complete its runs, as they do in an upload of the folder.
    """

    help = "Import each named result file and compare the normalised values."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The expectations, the folder of the files, and a part of it."""
        parser.add_argument("expected", type=Path, help="JSON Lines, one object a file")
        parser.add_argument("--files", type=Path, required=True, help="the folder of the files")
        parser.add_argument("--only", default="", help="only files whose name begins so")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compares each file in the order of the expectations."""
        counts: Counter[Result] = Counter()
        for number, line in enumerate(_lines(options["expected"]), 1):
            if not line.strip():
                continue
            wanted = _expectation(line, number)
            if not wanted["file"].startswith(options["only"]):
                continue
            try:
                compared = check_file(wanted, options["files"])
            except (OSError, RunproofError) as error:
                raise CommandError(f"{wanted['file']}: {error}") from error
            for one in compared:
                counts[one.result] += 1
                if one.result is not Result.RIGHT:
                    self.stdout.write(
                        f"{one.result.value}: {wanted['file']}: {one.place}: "
                        f"expected {one.expected!r}, read {one.seen!r}"
                    )
        self.stdout.write(
            f"values: {counts.total()} checked, {counts[Result.RIGHT]} right, "
            f"{counts[Result.WRONG]} wrong, {counts[Result.MISSING]} missing"
        )
        if not counts.total():
            raise CommandError("No expectation was compared.")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def _expectation(line: str, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise CommandError(
            f"Line {number} is no JSON ({error.msg}); accepted: an object."
        ) from error
    if not isinstance(found, dict) or not isinstance(found.get("file"), str):
        raise CommandError(f"Line {number} names no file; accepted: an object with 'file'.")
    return found
