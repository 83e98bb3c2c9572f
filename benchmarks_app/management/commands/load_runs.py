"""Loads the shipped demonstration runs and published tables."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchmarks_app.domain.levels import UploadState
from benchmarks_app.services.shipping import load_shipped


class Command(BaseCommand):
    """Loading again writes nothing; a shipped file that cannot be read is a fault and fails."""

    help = "Load the runs that are shipped: demonstrations and published tables."

    def handle(self, *args: Any, **options: Any) -> None:
        """Receives and reads each upload, and says how many runs there are."""
        uploads = new = runs = 0
        broken = []
        for upload, is_new in load_shipped():
            uploads += 1
            new += is_new
            runs += upload.run_count
            if upload.state != UploadState.READ.value:
                broken.append(f"{upload.uid}: {upload.error_sentence or upload.state}")
        if broken:
            raise CommandError("Shipped runs could not be read: " + "; ".join(broken))
        self.stdout.write(f"Shipped runs: {runs} in {uploads} uploads, {new} of them new.")
