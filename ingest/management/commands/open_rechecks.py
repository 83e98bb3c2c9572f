"""``manage.py open_rechecks``: puts claims that are due for a re-check into the review queue."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from ingest.services.rechecks import open_rechecks


class Command(BaseCommand):
    help = "Open a review item for each page whose claims nobody repeated for too long."

    def handle(self, *args: object, **options: Any) -> None:
        done = open_rechecks(now=timezone.now())
        self.stdout.write(
            f"claims due: {done.claims}, pages: {done.pages}, items opened: {done.opened}, "
            f"no longer due: {done.obsolete}"
        )
