"""Whose turn it is at a host, for all processes of an installation: one row a host."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from ingest.models import HostTurn


class DatabaseGate:
    """The fetcher's gate over a table, so that workers beside each other share their turns."""

    def wait_turn(self, host: str, *, interval_seconds: float) -> float:
        """Takes the turn and returns 0, or takes nothing and returns the seconds until it comes.

        **Queries**: 3; the row is locked only while they run.
        """
        now = timezone.now()
        with transaction.atomic():
            HostTurn.objects.bulk_create(
                [HostTurn(host=host, next_allowed_at=now)], ignore_conflicts=True
            )
            row = HostTurn.objects.select_for_update().get(host=host)
            if row.next_allowed_at > now:
                return (row.next_allowed_at - now).total_seconds()
            row.next_allowed_at = now + timedelta(seconds=interval_seconds)
            row.save(update_fields=["next_allowed_at"])
        return 0.0

    def note_retry_after(self, host: str, until: datetime) -> None:
        """Holds the host back until the moment; an earlier one changes nothing. **Queries**: 3."""
        with transaction.atomic():
            HostTurn.objects.bulk_create(
                [HostTurn(host=host, next_allowed_at=until)], ignore_conflicts=True
            )
            row = HostTurn.objects.select_for_update().get(host=host)
            if row.next_allowed_at < until:
                row.next_allowed_at = until
                row.save(update_fields=["next_allowed_at"])
