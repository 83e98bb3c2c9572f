"""Readings against the record: what a policy lets through is written, the rest waits for review.

One release after the other. What waits is neither said nor unsaid: the claims on record stand as
they are, and the reading counts as no silence about them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from ingest.domain.changes import Change, Key, changes_of, held_changes
from ingest.domain.derive import PageReading, Sightings, collect_sightings
from ingest.domain.feeds.policy import ACCEPT_EVERYTHING, AcceptPolicy
from ingest.domain.review import CHANGE_KINDS, ItemState
from ingest.models import ReviewItem
from ingest.queries import unsettled_statements
from ingest.services.accepting import (
    NOTHING_WRITTEN,
    Ground,
    IngestSummary,
    accept_readings,
    find_ground,
    write_difference,
)
from ingest.services.items import (
    Draft,
    Place,
    change_draft,
    identity_of,
    open_items,
    statement_identity,
)
from matrix.domain.versions import ReleaseHistory


@dataclass(frozen=True, slots=True)
class Settlement:
    """What was written, how many items were opened, and which rules have statements that wait.

    **Shapes**: ``waiting`` holds (claim source, version).
    """

    summary: IngestSummary = NOTHING_WRITTEN
    opened: int = 0
    waiting: frozenset[tuple[str, str]] = frozenset()

    def __add__(self, other: "Settlement") -> "Settlement":
        return Settlement(
            summary=self.summary + other.summary,
            opened=self.opened + other.opened,
            waiting=self.waiting | other.waiting,
        )


NOTHING_SETTLED = Settlement()


@transaction.atomic
def settle_readings(
    readings: Sequence[PageReading],
    *,
    framework: str,
    history: ReleaseHistory,
    actor: str,
    now: datetime,
    policy: AcceptPolicy = ACCEPT_EVERYTHING,
    feed: str = "",
    replaced: frozenset[str] = frozenset(),
) -> Settlement:
    """Writes what the policy lets through and opens a review item for each other change.

    All pages that a rule reads of a version are given together; ``replaced`` are the keys of
    documents whose place these pages have taken at the same release.
    **Raises**: ``InvalidClaim`` when a finding breaks a data rule; nothing is written then.
    """
    settled = NOTHING_SETTLED
    if policy.accepts_everything and not replaced:
        # Only versions with questions need to be looked at one by one.
        asked = _versions_with_items(framework)
        plain = [reading for reading in readings if reading.page.version not in asked]
        readings = [reading for reading in readings if reading.page.version in asked]
        if plain or not readings:
            summary = accept_readings(plain, framework=framework, history=history, actor=actor)
            settled += Settlement(summary=summary)
    by_version: dict[tuple[int, str], list[PageReading]] = {}
    for reading in readings:
        page = reading.page
        rank = history.find_rank(page.release) if page.release else None
        if rank is not None:
            by_version.setdefault((rank, page.version), []).append(reading)
    for rank, version in sorted(by_version):
        one = _Version(
            framework=framework,
            history=history,
            rank=rank,
            version=version,
            readings=by_version[rank, version],
            feed=feed,
            replaced=replaced,
        )
        settled += one.settle(policy, actor=actor, now=now)
    return settled


def _versions_with_items(framework: str) -> set[str]:
    """Versions of which some statement waits or was decided on. **Queries**: 1."""
    rows = ReviewItem.objects.filter(framework=framework, kind__in=CHANGE_KINDS)
    return set(rows.values_list("version", flat=True).distinct().order_by())


@dataclass
class _Version:
    """The readings of one version while they are settled."""

    framework: str
    history: ReleaseHistory
    rank: int
    version: str
    readings: Sequence[PageReading]
    feed: str
    replaced: frozenset[str]
    rule_bytes: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        pages: dict[str, list[str]] = {}
        for reading in self.readings:
            page = reading.page
            pages.setdefault(reading.claim_source, []).append(f"{page.path} {page.sha256}")
        self.rule_bytes = {name: identity_of(sorted(found)) for name, found in pages.items()}

    def settle(self, policy: AcceptPolicy, *, actor: str, now: datetime) -> Settlement:
        """Two differences: the first shows what would change, the second what may."""
        ground = find_ground(
            self.readings,
            framework=self.framework,
            history=self.history,
            replaced=self.replaced,
        )
        sightings = collect_sightings(self.readings, self.history)
        items = self._items()
        self._retire_items(items, sightings, now=now)
        decided, refused = self._sort_items(items, sightings)
        unsettled = self._unsettled(refused, items)
        kept = {key: seen for key, seen in sightings.items() if key not in refused}
        difference = ground.compare(kept, unsettled=unsettled)
        changes = changes_of(
            difference, kept, recorded=ground.recorded, history=self.history, rank=self.rank
        )
        held = [
            change
            for change in held_changes(
                changes, on_record=_on_record(ground, self.rank), policy=policy
            )
            if self._identity(change.key, sightings) not in decided
        ]
        if held:
            opened = open_items(self._drafts(held, sightings), now=now)
            waiting = {change.key for change in held}
            kept = {key: seen for key, seen in kept.items() if key not in waiting}
            unsettled = self._unsettled(refused | waiting, items)
            difference = ground.compare(kept, unsettled=unsettled)
        else:
            opened = 0
        still = {item.key for item in items if item.state == ItemState.OPEN} & refused
        waiting_rules = {change.key[0] for change in held} | {key[0] for key in still}
        return Settlement(
            summary=write_difference(ground, difference, actor=actor),
            opened=opened,
            waiting=frozenset((name, self.version) for name in waiting_rules),
        )

    def _items(self) -> list["_Known"]:
        """Change items of the same rules at the same version."""
        rows = ReviewItem.objects.filter(
            framework=self.framework, kind__in=CHANGE_KINDS, version=self.version
        ).exclude(state=ItemState.OBSOLETE)
        found = []
        for row in rows.values_list("pk", "identity", "source", "rule", "statement", "state"):
            source = f"{row[2]}:{row[3]}"
            if source in self.rule_bytes:
                found.append(_Known(row[0], row[1], (source, row[4]), row[5]))
        return found

    def _identity(self, key: Key, sightings: Sightings) -> str:
        return statement_identity(
            framework=self.framework,
            claim_source=key[0],
            version=self.version,
            statement=key[1],
            sightings=sightings.get(key, ()),
            rule_bytes=self.rule_bytes[key[0]],
        )

    def _retire_items(
        self, items: Iterable["_Known"], sightings: Sightings, *, now: datetime
    ) -> None:
        """Open items about bytes or words that are no longer there are out of date."""
        stale = [
            item.pk
            for item in items
            if item.state == ItemState.OPEN and item.identity != self._identity(item.key, sightings)
        ]
        ReviewItem.objects.filter(pk__in=stale).update(
            state=ItemState.OBSOLETE, decided_at=now, reason="the page was read anew"
        )

    def _sort_items(
        self, items: Iterable["_Known"], sightings: Sightings
    ) -> tuple[set[str], set[Key]]:
        """Identities that were accepted, and statements whose present word waits or was refused."""
        decided: set[str] = set()
        refused: set[Key] = set()
        for item in items:
            if item.identity != self._identity(item.key, sightings):
                continue
            if item.state == ItemState.ACCEPTED:
                decided.add(item.identity)
            else:
                refused.add(item.key)
        return decided, refused

    def _unsettled(
        self, waiting: set[Key], items: Sequence["_Known"]
    ) -> Mapping[Key, frozenset[int]]:
        """What waits at other releases, and at this one what waits now."""
        found = unsettled_statements(
            framework=self.framework, history=self.history, besides=[i.pk for i in items]
        )
        for key in waiting:
            found[key] = found.get(key, frozenset()) | {self.rank}
        return found

    def _drafts(self, held: Iterable[Change], sightings: Sightings) -> list[Draft]:
        release = self.history.releases[self.rank].version
        pages = {r.claim_source: r.page for r in self.readings}
        drafts = []
        for change in held:
            page = pages[change.key[0]]
            place = Place(
                framework=self.framework,
                version=page.version,
                release=release,
                path=page.path,
                url=page.url,
                feed=self.feed,
                snapshot_sha256=page.sha256,
            )
            identity = self._identity(change.key, sightings)
            drafts.append(change_draft(change, identity=identity, place=place))
        return drafts


@dataclass(frozen=True, slots=True)
class _Known:
    """A change item that exists."""

    pk: int
    identity: str
    key: Key
    state: str


def _on_record(ground: Ground, rank: int) -> dict[str, int]:
    """How many statements of each claim source stand at a release by the readings up to it."""
    history = ground.history
    found: dict[str, set[str]] = {}
    for claim in ground.recorded:
        seen = [history.find_rank(o.release) for o in claim.observations]
        ended = history.find_rank(claim.validity.gone) if claim.validity.gone else None
        begun = any(r is not None and r <= rank for r in seen)
        if begun and (ended is None or ended >= rank):
            found.setdefault(claim.source, set()).add(claim.statement)
    return {source: len(statements) for source, statements in found.items()}
