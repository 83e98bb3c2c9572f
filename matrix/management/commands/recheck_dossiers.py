"""``manage.py recheck_dossiers``: what changed since dossiers were frozen."""

from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from matrix.domain.errors import RunproofError
from matrix.dossiers import recheck_dossier, recheck_due
from matrix.models import DossierRecheck


class Command(BaseCommand):
    """Without names it re-checks those that are due; each result is kept with its day."""

    help = "Re-check frozen dossiers: those named, or all that are due today."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declares what is re-checked."""
        parser.add_argument("uids", nargs="*", metavar="UID")
        parser.add_argument("--actor", default="recheck", help="name for the record")

    def handle(self, *args: Any, **options: Any) -> None:
        """Re-checks and says how much changed."""
        actor = options["actor"]
        try:
            if options["uids"]:
                found = [recheck_dossier(uid, actor=actor) for uid in options["uids"]]
            else:
                found = recheck_due(on=timezone.now().date(), actor=actor)
        except RunproofError as error:
            raise CommandError(str(error)) from error
        for row in found:
            self.stdout.write(f"{row.dossier.uid}: {_counted(row)}; next on {row.next_on}")
        self.stdout.write(f"Re-checked: {len(found)} dossiers.")


def _counted(row: DossierRecheck) -> str:
    kinds = Counter(str(change["kind"]) for change in row.changes)
    return ", ".join(f"{n} × {kind}" for kind, n in sorted(kinds.items())) or "nothing changed"
