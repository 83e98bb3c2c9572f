"""``manage.py deliver_webhooks``: tells receivers what is new, without a broker."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from ingest.webhooks.collecting import collect_news
from ingest.webhooks.sending import drop_settled, send_due


class Command(BaseCommand):
    help = "Put news on its way to the webhooks and send what is due; run it from a timer."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--most", type=int, default=500, help="messages of this run")

    def handle(self, *args: object, **options: Any) -> None:
        put = collect_news(now=timezone.now())
        sent = send_due(clock=timezone.now, most=options["most"])
        dropped = drop_settled(now=timezone.now())
        self.stdout.write(
            f"new messages: {put}, delivered: {sent.delivered}, to be tried again: {sent.failed}, "
            f"given up: {sent.dead}, old ones removed: {dropped}"
        )
