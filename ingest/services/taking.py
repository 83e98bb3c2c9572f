"""Pages whose bytes are kept become knowledge: read, settled and noted in one transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from ingest.contract import Page, Source
from ingest.domain.feeds import registry
from ingest.domain.feeds.feed import Feed, FeedKind
from ingest.domain.feeds.policy import AcceptPolicy
from ingest.domain.review import CHANGE_KINDS, QUARANTINE_KINDS, ItemState
from ingest.domain.run_rules import RuleRun
from ingest.models import PageRecord, ReviewItem
from ingest.services.items import open_items
from ingest.services.outcomes import Outcome, fingerprint_of, matching_rules, read_pages
from ingest.services.records import note_outcome, pages_from, records_of
from ingest.services.settling import NOTHING_SETTLED, Settlement, settle_readings
from ingest.services.side_statements import take_side_statements
from ingest.sources import SOURCES
from matrix.catalog_files import read_placements
from matrix.convert import load_catalogue
from matrix.domain.catalogue import Catalogue
from matrix.domain.versions import ReleaseHistory
from matrix.models import SourceDocument

# Source and rule.
RuleName = tuple[str, str]


def load_whole_catalogue() -> Catalogue:
    """The catalogue with the placements of captures, which the tables do not hold."""
    return replace(load_catalogue(), placements=read_placements())


def history_of(catalogue: Catalogue, framework: str) -> ReleaseHistory:
    """The releases of a framework, empty for one that the catalogue does not know."""
    return catalogue.histories.get(framework) or ReleaseHistory(framework, ())


@dataclass(frozen=True)
class Taken:
    """What taking a set of pages gave."""

    outcome: Outcome
    settlement: Settlement
    opened: int = 0


@dataclass(frozen=True, slots=True)
class Terms:
    """On whose word and by which rules pages are taken.

    **Shapes**: ``rules`` narrows to some rules of the sources; alarms stop nothing of ``trusted``
    pages, which an operator chose.
    """

    policy: AcceptPolicy
    actor: str
    now: datetime
    feed: Feed | None = None
    trusted: bool = False
    rules: frozenset[RuleName] | None = None


@transaction.atomic
def take_pages(
    pages: Sequence[Page],
    *,
    sources: Sequence[Source],
    catalogue: Catalogue,
    terms: Terms,
    run: RuleRun | None = None,
) -> Taken:
    """Reads pages of one framework and settles what they state.

    Their content and records exist already.
    **Raises**: ``InvalidClaim``; nothing is written then.
    """
    if not pages:
        return Taken(outcome=Outcome(), settlement=NOTHING_SETTLED)
    framework = pages[0].framework
    history = history_of(catalogue, framework)
    name = terms.feed.name if terms.feed else ""
    outcome = read_pages(
        pages,
        narrow_sources(sources, terms.rules),
        catalogue.vocabulary,
        history=history,
        feed=name,
        run=run,
        trusted=terms.trusted,
    )
    opened = open_items(outcome.drafts, now=terms.now)
    _retire_alarms(outcome, pages, terms.rules, now=terms.now)
    settlement = settle_readings(
        outcome.readings(),
        framework=framework,
        history=history,
        actor=terms.actor,
        now=terms.now,
        policy=terms.policy,
        feed=name,
        replaced=_replaced_documents(terms.feed, pages, now=terms.now),
    )
    note_outcome(
        outcome,
        records_of(pages),
        fingerprint=fingerprint_of(catalogue, framework),
        waiting=settlement.waiting,
        now=terms.now,
    )
    opened += take_side_statements(outcome, catalogue, feed=name, now=terms.now)
    return Taken(outcome=outcome, settlement=settlement, opened=opened + settlement.opened)


def narrow_sources(
    sources: Sequence[Source], rules: frozenset[RuleName] | None
) -> Sequence[Source]:
    """The sources with only the rules that are wanted, all of them for ``None``."""
    if rules is None:
        return sources
    return [
        replace(source, rules=kept)
        for source in sources
        if (kept := tuple(rule for rule in source.rules if (source.name, rule.name) in rules))
    ]


def _retire_alarms(
    outcome: Outcome,
    pages: Iterable[Page],
    rules: frozenset[RuleName] | None,
    *,
    now: datetime,
) -> None:
    """Open alarms about pages that read well now are out of date. **Queries**: 2."""
    read = {(page.version, page.path) for page in pages}
    framework = next(page.framework for page in pages)
    current = {draft.identity for draft in outcome.drafts}
    rows = ReviewItem.objects.filter(
        framework=framework,
        kind__in=QUARANTINE_KINDS,
        state=ItemState.OPEN,
        version__in={version for version, _ in read},
    ).values_list("pk", "identity", "version", "path", "source", "rule")
    stale = [
        pk
        for pk, identity, version, path, source, rule in rows
        if identity not in current
        and (version, path) in read
        and (rules is None or (source, rule) in rules)
        and rule
    ]
    ReviewItem.objects.filter(pk__in=stale).update(
        state=ItemState.OBSOLETE, decided_at=now, reason="the page reads otherwise now"
    )


def _replaced_documents(
    feed: Feed | None, pages: Sequence[Page], *, now: datetime
) -> frozenset[str]:
    """Keys of documents of a live feed whose place the pages take at the same release.

    **Queries**: 2 for a live feed, else 0.
    """
    if feed is None or feed.kind is not FeedKind.DOCUMENTATION_LIVE:
        return frozenset()
    page = pages[0]
    older = PageRecord.objects.filter(
        feed=feed.name, framework=page.framework, release=page.release
    ).exclude(version=page.version)
    found = list(older.values_list("version", "path"))
    ReviewItem.objects.filter(
        framework=page.framework,
        version__in={version for version, _ in found},
        kind__in=(*CHANGE_KINDS, *QUARANTINE_KINDS),
        state=ItemState.OPEN,
    ).update(state=ItemState.OBSOLETE, decided_at=now, reason="the page is newer now")
    return frozenset(f"{page.framework}:{version}:{path}" for version, path in found)


def sources_of(framework: str, *, names: Iterable[str] = ()) -> list[Source]:
    """The sources about a framework, or those of the given names."""
    wanted = set(names)
    return [s for s in SOURCES if s.framework == framework and (not wanted or s.name in wanted)]


def reread_version(
    framework: str,
    version: str,
    *,
    catalogue: Catalogue,
    actor: str,
    now: datetime,
    rules: frozenset[RuleName] | None = None,
    policy: AcceptPolicy | None = None,
) -> Taken:
    """Reads the kept pages of a version again, all that some rule of its sources reads.

    **Raises**: ``InvalidClaim``, ``UndecodablePage``.
    """
    sources = narrow_sources(sources_of(framework), rules)
    records = [
        row
        for row in PageRecord.objects.filter(
            framework=framework, version=version, snapshot__isnull=False
        )
        if matching_rules(sources, row.path)
    ]
    feed = registry.find_feed(records[0].feed) if records else None
    return take_pages(
        pages_from(records),
        sources=sources,
        catalogue=catalogue,
        terms=Terms(
            policy=policy or (feed.policy if feed else AcceptPolicy()),
            actor=actor,
            now=now,
            feed=feed,
            rules=rules,
        ),
    )


def note_retrieved(framework: str, version: str, *, now: datetime) -> None:
    """Moves the moment at which the pages of a version were last known to be the same.

    **Queries**: 2.
    """
    PageRecord.objects.filter(framework=framework, version=version).update(retrieved_at=now)
    SourceDocument.objects.filter(key__startswith=f"{framework}:{version}:").update(
        retrieved_at=now
    )
