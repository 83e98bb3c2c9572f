"""``manage.py poll``: fetches what is new of one feed, of those that are due, or of all."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ingest.queries_feeds import due_feeds, feed_named
from ingest.services.fetchers import open_fetcher
from ingest.services.polling import FeedFailed, note_crash, poll_feed
from ingest.services.states import FeedBusy
from matrix.domain.errors import UnknownName


class Command(BaseCommand):
    help = "Fetch what is new of the feeds and take it in; what needs a curator waits for review."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--feed", help="the name of one feed; `manage.py feeds` lists them")
        which.add_argument("--due", action="store_true", help="every feed whose time has come")
        parser.add_argument("--offline", action="store_true", help="list the feeds, ask nobody")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            feeds = [feed_named(options["feed"])] if options["feed"] else due_feeds(timezone.now())
        except UnknownName as error:
            raise CommandError(str(error)) from error
        if options["offline"]:
            self.stdout.write("\n".join(feed.name for feed in feeds) or "no feed is due")
            return
        fetcher = open_fetcher()
        failed = []
        for feed in feeds:
            try:
                result = poll_feed(
                    feed, fetcher=fetcher, now=timezone.now(), progress=self._say_progress
                )
            except (FeedFailed, FeedBusy) as error:
                failed.append(str(error))
                self.stderr.write(str(error))
                continue
            except Exception as error:
                note_crash(feed, error, now=timezone.now())
                raise
            done = result.settlement.summary
            self.stdout.write(
                f"{feed.name}: {'changed' if result.changed else 'unchanged'}, "
                f"fetched: {result.fetched}, claims new: {done.new}, confirmed: {done.confirmed}, "
                f"changed: {done.changed}, gone: {done.gone}, to review: {result.opened}"
            )
        if failed:
            raise CommandError(f"{len(failed)} of {len(feeds)} feeds failed; see above")

    def _say_progress(self, line: str) -> None:
        self.stderr.write(line)
