"""What the kinds of polls share: asking for a page, keeping it, and taking a whole version."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import NoReturn

from ingest.contract import Source
from ingest.domain.feeds.feed import Feed
from ingest.domain.feeds.policy import AcceptPolicy
from ingest.domain.review import ItemKind, PageState
from ingest.fetching.errors import FetchFailed
from ingest.fetching.request import Fetched, FetchRequest, NotModified
from ingest.models import FeedState, PageRecord, Retrieval, RuleRecord
from ingest.placing import Placer, build_placer
from ingest.services.items import Draft, Place, accepted_among, identity_of, open_items
from ingest.services.listing import Target
from ingest.services.outcomes import matching_rules
from ingest.services.records import pages_from
from ingest.services.settling import NOTHING_SETTLED, Settlement
from ingest.services.snapshots import Bytes, Taken, keep_snapshot
from ingest.services.taking import (
    Terms,
    load_whole_catalogue,
    note_retrieved,
    sources_of,
    take_pages,
)
from matrix.domain.catalogue import Catalogue

Fetcher = Callable[[FetchRequest], Fetched | NotModified]
Progress = Callable[[str], None]
ACTOR = "poll"
# Failures that say something about one page alone; with any other the whole poll ends.
_PAGE_FAILURES = frozenset(
    {
        "http-status",
        "wrong-media-type",
        "too-large",
        "decompression-too-large",
        "unknown-encoding",
        "bad-charset",
        "blocked-page",
        "redirect-refused",
        "too-many-redirects",
    }
)
_STATUSES_OF_A_PAGE = (404, 410)


@dataclass
class Poll:
    """One poll while it runs.

    **Shapes**: ``failures`` are pages that cannot be had; the rest of the poll goes on without
    the rules that read them.
    """

    feed: Feed
    state: FeedState
    fetcher: Fetcher
    now: datetime
    policy: AcceptPolicy
    progress: Progress
    catalogue: Catalogue = field(default_factory=load_whole_catalogue)
    fetched: int = 0
    changed: bool = False
    opened: int = 0
    settlement: Settlement = NOTHING_SETTLED
    failures: list[FetchFailed] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sources: list[Source] = sources_of(self.feed.framework, names=self.feed.sources)
        self.placer: Placer = build_placer(self.feed.framework, self.catalogue)

    def ask(
        self,
        url: str,
        *,
        media_types: Sequence[str] = (),
        etag: str = "",
        last_modified: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Fetched | NotModified:
        """One request to the feed's host. **Raises**: ``FetchFailed``."""
        return self.fetcher(
            FetchRequest(
                url=url,
                media_types=tuple(media_types) or self.feed.media_types,
                etag=etag,
                last_modified=last_modified,
                accept=self.feed.accept,
                headers=tuple((headers or {}).items()),
            )
        )

    def ask_again(self, url: str, *, path: str = "", version: str = "") -> str | None:
        """The SHA-256 of a page's content if it is another one than at the last request."""
        last = (
            Retrieval.objects.filter(feed=self.feed.name, url=url).order_by("-retrieved_at").first()
        )
        headers = last.headers if last else {}
        answer = self.ask(
            url, etag=headers.get("etag", ""), last_modified=headers.get("last-modified", "")
        )
        if isinstance(answer, NotModified):
            return None
        content = content_of(answer)
        if last is not None and content.sha256 == last.snapshot_id:
            return None
        return self.keep(answer, url=url, path=path, version=version)

    def keep(self, answer: Fetched, *, url: str, path: str = "", version: str = "") -> str:
        """Keeps what came; returns its SHA-256."""
        self.fetched += 1
        return keep_snapshot(
            content_of(answer),
            Taken(
                url=url,
                retrieved_at=answer.retrieved_at,
                feed=self.feed.name,
                final_url=answer.final_url,
                status=answer.status,
                headers=answer.headers,
                framework=self.feed.framework,
                version=version,
                path=path,
            ),
        )

    def note_page(self, target: Target, path: str, sha256: str, *, day: date | None) -> None:
        """The record of a page whose content is kept. **Queries**: 2."""
        release, stated_on = self.placer.place(target.label, target.tag, target.commit, day)
        url = self.feed.fill(self.feed.public_url, ref=target.tag or target.ref, path=path)
        live = {page.path: page.url for page in self.feed.pages}
        record, created = PageRecord.objects.get_or_create(
            framework=self.feed.framework,
            version=target.label,
            path=path,
            defaults={"snapshot_id": sha256, "retrieved_at": self.now, "feed": self.feed.name},
        )
        if not created and record.snapshot_id != sha256:
            record.state = PageState.UNREAD
        record.snapshot_id = sha256
        record.feed, record.url = self.feed.name, live.get(path, url)
        record.commit, record.release, record.stated_on = target.commit, release, stated_on
        record.retrieved_at = self.now
        record.save()

    def fail_page(self, target: Target, path: str, url: str, error: FetchFailed) -> None:
        """A page that cannot be had stops the rules that read it at this version.

        **Raises**: the failure itself, where it is not about this page alone.
        """
        if not is_about_one_page(error):
            raise error
        release, _ = self.placer.place(target.label, target.tag, target.commit, None)
        place = Place(
            framework=self.feed.framework, version=target.label, release=release, path=path,
            url=url, feed=self.feed.name,
        )  # fmt: skip
        drafts = [
            Draft(
                identity=identity_of("unfetched", place, source, rule, error.code),
                kind=ItemKind.UNEXPECTED_PAGE,
                place=place,
                source=source,
                rule=rule,
                code=error.code,
                sentence=error.sentence,
                new=dict(error.facts),
            )
            for source, rule, _ in matching_rules(self.sources, path)
        ]
        # A curator may have said that the page is not to be had; then its rules do without it.
        done_without = accepted_among(draft.identity for draft in drafts)
        drafts = [draft for draft in drafts if draft.identity not in done_without]
        if not drafts:
            return
        self.failures.append(error)
        self.opened += open_items(drafts, now=self.now)
        record, _ = PageRecord.objects.get_or_create(
            framework=self.feed.framework,
            version=target.label,
            path=path,
            defaults={"feed": self.feed.name, "url": url, "release": release},
        )
        for draft in drafts:
            RuleRecord.objects.update_or_create(
                page=record,
                source=draft.source,
                rule=draft.rule,
                defaults={"state": PageState.QUARANTINED, "read_at": self.now},
            )
        PageRecord.objects.filter(pk=record.pk).update(state=PageState.QUARANTINED)

    def take_version(self, label: str, paths: Iterable[str]) -> bool:
        """Reads and settles a version whose pages are here; whether anything was to be read."""
        wanted = set(paths)
        records = [
            row
            for row in PageRecord.objects.filter(
                framework=self.feed.framework, version=label, snapshot__isnull=False
            )
            if row.path in wanted
        ]
        if records and not self._is_unread(records):
            note_retrieved(self.feed.framework, label, now=self.now)
            return False
        taken = take_pages(
            pages_from(records),
            sources=self.sources,
            catalogue=self.catalogue,
            terms=Terms(policy=self.policy, actor=ACTOR, now=self.now, feed=self.feed),
        )
        note_retrieved(self.feed.framework, label, now=self.now)
        self.settlement += taken.settlement
        self.opened += taken.opened
        self.changed = True
        for page, alarm in taken.outcome.notices:
            self.progress(f"notice: {page.version} {page.path}: {alarm.sentence}")
        return True

    def _is_unread(self, records: Sequence[PageRecord]) -> bool:
        """Whether some rule has not read the present content of a page yet. **Queries**: 1."""
        rows = RuleRecord.objects.filter(page__in=records).values_list(
            "page_id", "source", "rule", "parser", "snapshot_sha256"
        )
        read = set(rows)
        return any(
            (record.pk, *rule, record.snapshot_id) not in read
            for record in records
            for rule in matching_rules(self.sources, record.path)
        )


def content_of(answer: Fetched) -> Bytes:
    """The content of an answer."""
    return Bytes(body=answer.body, media_type=answer.content_type, charset=answer.charset)


def is_about_one_page(error: FetchFailed) -> bool:
    """Whether a failure says nothing about the host's other pages."""
    if error.code == "http-status":
        return error.facts.get("seen") in _STATUSES_OF_A_PAGE
    return error.hopeless and error.code in _PAGE_FAILURES


def refuse_kind(feed: Feed) -> NoReturn:
    """Says that a feed's own settings do not fit together."""
    raise ValueError(f"the feed {feed.name} has neither a branch nor pages; give it one of them")
