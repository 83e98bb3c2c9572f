"""``manage.py feeds``: how each feed stands."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from ingest.queries_feeds import FeedStanding, feed_standings


class Command(BaseCommand):
    help = "List the feeds: last success, next due, last error."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--failing", action="store_true", help="only feeds with an error")

    def handle(self, *args: object, **options: Any) -> None:
        for standing in feed_standings(timezone.now()):
            if options["failing"] and not standing.error_code:
                continue
            self.stdout.write(_line(standing))


def _unread(standing: FeedStanding) -> str:
    """What is known of a feed that brought nothing yet."""
    return "no success yet" if standing.last_attempt_at else "never polled"


def _line(standing: FeedStanding) -> str:
    success = standing.last_success_at
    due = standing.next_due_at
    parts = [
        standing.name,
        standing.kind,
        f"last success {success:%Y-%m-%d %H:%M}" if success else _unread(standing),
        "due now" if standing.is_due else f"due {due:%Y-%m-%d %H:%M}" if due else "due now",
    ]
    if standing.open_items:
        parts.append(f"{standing.open_items} to review")
    if standing.error_code:
        parts.append(f"{standing.error_code}: {standing.error_sentence}")
    return " | ".join(parts)
