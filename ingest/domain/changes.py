"""A difference as a curator sees it: per statement added, changed or gone, with both sides."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.domain.derive import Sightings
from ingest.domain.difference import Difference
from ingest.domain.feeds.policy import AcceptPolicy
from ingest.domain.review import ItemKind
from ingest.domain.sightings import Sighting, said_of
from matrix.domain.claims import Claim
from matrix.domain.levels import SupportLevel
from matrix.domain.versions import ReleaseHistory

# (claim source, statement)
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one statement of one claim source at one release."""

    key: Key
    kind: ItemKind
    old: tuple[Claim, ...]
    new: tuple[Sighting, ...]

    @property
    def reverses(self) -> bool:
        """Whether a "yes" became a "no" or the other way round."""
        before = {claim.level for claim in self.old}
        now = {sighting.said.level for sighting in self.new}
        yes = {SupportLevel.SUPPORTED, SupportLevel.PARTIAL}
        no = {SupportLevel.UNSUPPORTED}
        return bool((before & yes and now & no) or (before & no and now & yes))


def changes_of(
    difference: Difference,
    sightings: Sightings,
    *,
    recorded: Iterable[Claim],
    history: ReleaseHistory,
    rank: int,
) -> list[Change]:
    """The changes of a difference made by one release, in the order of their statements.

    A claim that is only bounded more closely by a reading between two known ones says the same as
    before: it is no change. Where the reading between them says something else, or nothing, the
    claim would be cut in two: that is a change like any other.
    """
    before = {claim.uid: claim for claim in recorded}
    old: dict[Key, list[Claim]] = {}
    fresh: set[Key] = set()
    same: set[int] = set()
    for item in difference.replaced:
        successor = item.by
        if _is_cut(item.recorded, sightings, history=history, rank=rank):
            old.setdefault(_key(item.recorded), []).append(item.recorded)
            continue
        if successor is not None and said_of(successor).key() == said_of(item.recorded).key():
            same.add(id(successor))
            continue
        old.setdefault(_key(item.recorded), []).append(item.recorded)
    for claim in (*difference.changed, *difference.gone):
        # A statement known to end later was gone before; only the day is known better now.
        if claim.uid in before and not before[claim.uid].validity.gone:
            old.setdefault(_key(claim), []).append(before[claim.uid])
    # What is left of a claim that was cut is no news of its own.
    known = {(_key(claim), said_of(claim).key()) for claims in old.values() for claim in claims}
    fresh.update(
        _key(claim)
        for claim in difference.new
        if id(claim) not in same and (_key(claim), said_of(claim).key()) not in known
    )
    return [
        _change(key, old.get(key, ()), sightings.get(key, ()), key in fresh)
        for key in sorted({*old, *fresh})
    ]


def _is_cut(claim: Claim, sightings: Sightings, *, history: ReleaseHistory, rank: int) -> bool:
    """Whether the release lies between two that say the claim, and does not say it itself."""
    said = said_of(claim).key()
    if any(sighting.said.key() == said for sighting in sightings.get(_key(claim), ())):
        return False
    ranks = [
        found for o in claim.observations if (found := history.find_rank(o.release)) is not None
    ]
    return bool(ranks) and min(ranks) < rank < max(ranks)


def _key(claim: Claim) -> Key:
    return claim.source, claim.statement


def _change(key: Key, old: Sequence[Claim], seen: Sequence[Sighting], fresh: bool) -> Change:
    kind = ItemKind.CHANGED if fresh or seen else ItemKind.GONE
    if not old:
        kind = ItemKind.ADDED
    return Change(key=key, kind=kind, old=tuple(old), new=tuple(seen))


def held_changes(
    changes: Iterable[Change], *, on_record: Mapping[str, int], policy: AcceptPolicy
) -> list[Change]:
    """The changes that wait for a curator under a policy.

    **Shapes**: ``on_record`` counts the statements on record of each claim source.
    """
    by_source: dict[str, list[Change]] = {}
    for change in changes:
        by_source.setdefault(change.key[0], []).append(change)
    held: list[Change] = []
    for source, found in by_source.items():
        known = on_record.get(source, 0)
        if not known:
            held += found if policy.first_held else []
            continue
        if len(found) > policy.share_held_above * known:
            held += found
            continue
        held += [
            change
            for change in found
            if (policy.any_gone_held and change.kind is ItemKind.GONE)
            or (policy.any_reversal_held and change.reverses)
        ]
    return held
