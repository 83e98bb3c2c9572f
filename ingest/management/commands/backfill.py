"""``manage.py backfill --source vllm --since 0.6``: reads the releases of the past, resumable."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ingest.domain.feeds import ACCEPT_EVERYTHING
from ingest.queries_feeds import tag_feeds_of
from ingest.services.fetchers import open_fetcher
from ingest.services.polling import FeedFailed, backfill_feed
from ingest.services.states import FeedBusy
from matrix.domain.errors import InvalidValue, UnknownName, UnknownVersion


class Command(BaseCommand):
    help = "Fetch and read every release of a span that was not read yet; goes on where it ended."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--source", required=True, help="a source or a framework")
        parser.add_argument("--since", default="", help="first release, such as 0.6 or 0.6.3")
        parser.add_argument("--until", default="", help="last release; the newest by default")
        parser.add_argument(
            "--accept",
            action="store_true",
            help="accept every difference between releases; alarms wait for review all the same",
        )

    def handle(self, *args: object, **options: Any) -> None:
        try:
            feeds = tag_feeds_of(options["source"])
        except UnknownName as error:
            raise CommandError(str(error)) from error
        failed = False
        for feed in feeds:
            try:
                result = backfill_feed(
                    feed,
                    fetcher=open_fetcher(),
                    now=timezone.now(),
                    since=options["since"],
                    until=options["until"],
                    policy=ACCEPT_EVERYTHING if options["accept"] else None,
                    progress=self._say_progress,
                )
            except (UnknownVersion, InvalidValue) as error:
                raise CommandError(str(error)) from error
            except (FeedFailed, FeedBusy) as error:
                failed = True
                self.stderr.write(str(error))
                continue
            done = result.settlement.summary
            self.stdout.write(
                f"{feed.name}: fetched: {result.fetched}, claims new: {done.new}, "
                f"confirmed: {done.confirmed}, changed: {done.changed}, gone: {done.gone}, "
                f"to review: {result.opened}"
            )
        if failed:
            raise CommandError("not everything was read; run it again to go on")

    def _say_progress(self, line: str) -> None:
        self.stderr.write(line)
