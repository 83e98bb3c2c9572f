"""``manage.py verify_dossier``: whether dossiers are what their hash and sign-offs say."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from matrix.domain.errors import RunproofError
from matrix.dossiers import Verification, verify_dossier, verify_export
from matrix.queries.dossiers import dossier_of, listed_dossiers

LARGEST_FILE_BYTES = 64 * 2**20


class Command(BaseCommand):
    """Ends with 0 when every dossier holds, with 1 when one does not or cannot be read."""

    help = (
        "Recompute the hash of dossiers, look whether their sign-offs name it, and whether the "
        "claims they pin still say the same. A name that ends in .json is an exported file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declares what is verified."""
        parser.add_argument("dossiers", nargs="*", metavar="UID|FILE.json")
        parser.add_argument(
            "--all", action="store_true", help="verify every frozen dossier of the database"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Verifies each and says what was found."""
        names = list(options["dossiers"])
        if options["all"]:
            names += listed_dossiers().frozen().values_list("uid", flat=True)
        if not names and not options["all"]:
            raise CommandError("Name an identifier or an exported file, or --all.")
        broken = 0
        for name in names:
            try:
                found = _verified(name)
            except (RunproofError, OSError, ValueError, RecursionError) as error:
                self.stdout.write(f"{name}: cannot be verified: {error}")
                broken += 1
                continue
            broken += bool(found.problems)
            self._say(name, found)
        if broken:
            raise CommandError(f"{broken} of {len(names)} dossiers do not hold.")

    def _say(self, name: str, found: Verification) -> None:
        state = "does not hold" if found.problems else "holds"
        self.stdout.write(
            f"{name}: {state}; sha256 {found.sha256}; {found.claims} claims, "
            f"{found.sign_offs} sign-offs"
        )
        for line in (*found.problems, *found.notes):
            self.stdout.write(f"  {line}")


def _verified(name: str) -> Verification:
    if not name.endswith(".json"):
        dossier = dossier_of(name)
        if dossier is None:
            raise ValueError("it is no identifier of a dossier here")
        return verify_dossier(dossier)
    path = Path(name)
    if path.stat().st_size > LARGEST_FILE_BYTES:
        raise ValueError(f"the file is larger than {LARGEST_FILE_BYTES} bytes")
    text = path.read_text(encoding="utf-8")
    return verify_export(json.loads(text, object_pairs_hook=_one_of_each))


def _one_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object; of two of one name readers may show either."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found
