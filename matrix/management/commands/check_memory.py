"""``manage.py check_memory``: the memory estimate against measured rows, figure by figure."""

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from matrix.catalog_files import CATALOG_FOLDER, read_catalogue
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.truth_compare import (
    QUANTITIES,
    REASONS,
    TOLERANCES,
    Comparison,
    Outcome,
    compare_row,
)
from matrix.domain.memory.truth_peers import compare_peers
from matrix.domain.memory.truth_sums import Summary, summarize
from matrix.memory_truth import KnownShapes, Row

_LARGEST_FILE_BYTES = 256 * 2**20
_UNWARNED = 0.03
# What a row with values of other kinds than its format has can raise on the way.
_BROKEN_ROWS = (LookupError, TypeError, ValueError, AttributeError, AssertionError, ArithmeticError)


class Command(BaseCommand):
    # It reads files and the shipped catalogue only: no page, no database.
    requires_system_checks = ()
    help = "Compare the memory estimate with measured rows; the last lines are one a quantity."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--list", action="store_true", help="list each row outside")
        parser.add_argument("--peers", type=Path, help="JSON list of other estimators' errors")

    def handle(self, *args: object, **options: object) -> None:
        files = options["files"]
        assert isinstance(files, list)
        rows = [row for file in files for row in self._rows(file)]
        shapes = KnownShapes([row for _, row in rows], read_catalogue(CATALOG_FOLDER))
        outcomes = [self._outcome(name, row, shapes) for name, row in rows]
        found = [one for outcome in outcomes if outcome for one in outcome.comparisons]
        if options["list"]:
            self._list(found)
        if isinstance(options["peers"], Path):
            self._show_peers(options["peers"], shapes)
        self._show_rest([outcome for outcome in outcomes if outcome])
        self._show_unwarned(found)
        for quantity in QUANTITIES:
            self.stdout.write(_line(summarize(quantity, found)))

    def _rows(self, file: Path) -> Iterator[tuple[str, Row]]:
        """The rows of a file with a name that finds each; a broken line is said, then left out."""
        try:
            if file.stat().st_size > _LARGEST_FILE_BYTES:
                raise CommandError(f"{file} has more than {_LARGEST_FILE_BYTES} bytes.")
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}.") from error
        for number, line in enumerate(text.splitlines(), start=1):
            name = f"{file.name}:{number}"
            if not line.strip():
                continue
            try:
                row = json.loads(line, parse_constant=_refuse_constant)
            except (ValueError, RecursionError) as error:
                # No JSON, a number of thousands of digits, or brackets without end.
                self.stdout.write(f"not read: {name}: {error}")
                continue
            if isinstance(row, dict):
                yield name, row
            else:
                self.stdout.write(f"not read: {name}: a row is a JSON object")

    def _outcome(self, name: str, row: Row, shapes: KnownShapes) -> Outcome | None:
        try:
            return compare_row(row, name=_title(name, row), shape_of=shapes.of)
        except MemoryInputError as error:
            self.stdout.write(f"not read: {name}: {error.message}")
        except _BROKEN_ROWS as error:
            what = f"it states no {error}" if isinstance(error, KeyError) else f"{error}"
            self.stdout.write(f"not read: {name}: not what its format has: {what}")
        return None

    def _list(self, found: Sequence[Comparison]) -> None:
        for one in found:
            tolerance = TOLERANCES[one.quantity]
            outside = not one.is_exact and abs(one.error) > tolerance
            if outside or (one.quantity != "kv" and one.error < -_UNWARNED):
                warned = ", warned" if one.is_warned else ""
                self.stdout.write(
                    f"outside: {one.quantity} {100 * one.error:+.2f} % "
                    f"({one.predicted_bytes} for {one.measured_bytes}{warned}) {one.row}: "
                    f"{one.reason}: {REASONS.get(one.reason, one.reason)}"
                )

    def _show_peers(self, file: Path, shapes: KnownShapes) -> None:
        try:
            text = file.read_text(encoding="utf-8")
            lines = text.splitlines()
            rows = json.loads(text) if text.startswith("[") else [json.loads(x) for x in lines]
            compared = compare_peers(rows, shape_of=shapes.of)
        except (OSError, ValueError) as error:
            raise CommandError(f"{file} cannot be read: {error}.") from error
        except (KeyError, TypeError) as error:
            raise CommandError(f"{file} has rows of another format: {error!r}.") from error
        for line in compared:
            self.stdout.write(
                f"peer: {line.peer}, {line.what}: {line.rows} rows, median "
                f"{100 * line.median:.2f} %, worst {100 * line.worst:.2f} %, no answer "
                f"{line.no_answer}; here on the same: {line.own_rows} rows, median "
                f"{100 * line.own_median:.2f} %, worst {100 * line.own_worst:.2f} %"
            )

    def _show_rest(self, outcomes: Sequence[Outcome]) -> None:
        refusals = [outcome for outcome in outcomes if outcome.is_refusal]
        foreseen = sum(outcome.is_foreseen for outcome in refusals)
        self.stdout.write(f"refusals: {len(refusals)} rows, {foreseen} foreseen")
        unknown = Counter(why for outcome in outcomes for why in outcome.unknown)
        for (quantity, why), count in sorted(unknown.items()):
            self.stdout.write(f"not estimated: {quantity}, {count} rows: {why}")
        self.stdout.write(f"not estimated in all: {sum(unknown.values())} figures")

    def _show_unwarned(self, found: Sequence[Comparison]) -> None:
        low = [one for one in found if one.quantity == "total" and one.error < -_UNWARNED]
        unwarned = sum(not one.is_warned for one in low)
        self.stdout.write(
            f"totals more than {100 * _UNWARNED:.0f} % too low: {len(low)} rows, "
            f"{unwarned} without a warning"
        )


def _refuse_constant(word: str) -> object:
    raise ValueError(f"{word} is no number of JSON")


def _title(name: str, row: Row) -> str:
    what = row.get("key") or f"{row.get('hf_id') or row.get('model')} {row.get('ftype', '')}"
    return f"{name} {what}".strip()


def _line(summary: Summary) -> str:
    return (
        f"{summary.quantity}: {summary.rows} rows, {summary.exact} exact, "
        f"median {100 * summary.median:.2f} %, p95 {100 * summary.p95:.2f} %, "
        f"worst under {100 * summary.worst_under:.2f} %"
    )
