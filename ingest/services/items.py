"""Review items as they are opened: what they are about, and their identity over the bytes."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.domain.changes import Change
from ingest.domain.review import ItemKind, ItemState
from ingest.domain.sightings import Said, Sighting
from ingest.models import ReviewItem
from matrix.domain import codec
from matrix.domain.claims import Claim

_MOST_PLACES = 20
_LONGEST_STATEMENT = 400


def identity_of(*parts: object) -> str:
    """A digest over what an item is about."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item stands: feed, page and the bytes of it."""

    framework: str
    version: str
    release: str = ""
    path: str = ""
    url: str = ""
    feed: str = ""
    snapshot_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A review item before it is opened."""

    identity: str
    kind: ItemKind
    place: Place
    source: str = ""
    rule: str = ""
    statement: str = ""
    code: str = ""
    sentence: str = ""
    old: Mapping[str, Any] = field(default_factory=dict)
    new: Mapping[str, Any] = field(default_factory=dict)
    locator: Mapping[str, Any] = field(default_factory=dict)


def open_items(drafts: Sequence[Draft], *, now: datetime) -> int:
    """Opens the items that were never opened before; returns how many.

    **Queries**: 2.
    """
    known = set(
        ReviewItem.objects.filter(identity__in=[d.identity for d in drafts]).values_list(
            "identity", flat=True
        )
    )
    fresh = {d.identity: d for d in drafts if d.identity not in known}
    rows = [
        ReviewItem(
            identity=d.identity,
            kind=d.kind.value,
            feed=d.place.feed,
            source=d.source,
            rule=d.rule,
            framework=d.place.framework,
            version=d.place.version,
            release=d.place.release,
            path=d.place.path,
            url=d.place.url,
            statement=d.statement[:_LONGEST_STATEMENT],
            code=d.code,
            sentence=d.sentence,
            old=dict(d.old),
            new=dict(d.new),
            locator=dict(d.locator),
            snapshot_sha256=d.place.snapshot_sha256,
            opened_at=now,
        )
        for d in fresh.values()
    ]
    # Another process may open the same item at the same moment; one of the two rows is enough.
    ReviewItem.objects.bulk_create(rows, batch_size=1_000, ignore_conflicts=True)
    return len(rows)


def accepted_among(identities: Iterable[str]) -> set[str]:
    """Those of the identities whose items a curator accepted. **Queries**: 1."""
    rows = ReviewItem.objects.filter(identity__in=list(identities), state=ItemState.ACCEPTED)
    return set(rows.values_list("identity", flat=True))


def said_to_plain(said: Said) -> dict[str, Any]:
    """Everything of a statement but where and when."""
    plain = {
        "level": said.level.value,
        "tier": said.tier.value,
        "execution": said.execution.value,
        "kind": said.kind.value,
        "scope": codec.scope_to_plain(said.scope),
        "note": said.note,
        "conditions": [codec.condition_to_plain(c) for c in said.conditions],
        "limit": said.limit.value if said.limit else "",
        "open_ended": said.open_ended,
    }
    return {key: value for key, value in plain.items() if value}


def sightings_to_plain(sightings: Iterable[Sighting]) -> dict[str, Any]:
    """What a page says now, each time with its place and sign."""
    return {
        "statements": [
            said_to_plain(s.said)
            | {
                "release": s.release,
                "raw": s.observation.raw,
                "path": s.observation.document.path,
                "url": s.observation.document.url,
                "snapshot": s.observation.document.sha256,
                "locator": codec.locator_to_plain(s.observation.locator),
            }
            for s in list(sightings)[:_MOST_PLACES]
        ]
    }


def claims_to_plain(claims: Iterable[Claim]) -> dict[str, Any]:
    """What is on record, each claim with its newest place."""
    found = []
    for claim in list(claims)[:_MOST_PLACES]:
        newest = claim.observations[-1]
        found.append(
            codec.claim_to_plain(claim)
            | {
                "release": newest.release,
                "raw": newest.raw,
                "path": newest.document.path,
                "url": newest.document.url,
                "snapshot": newest.document.sha256,
                "locator": codec.locator_to_plain(newest.locator),
            }
        )
    return {"statements": found}


def statement_identity(
    *,
    framework: str,
    claim_source: str,
    version: str,
    statement: str,
    sightings: Iterable[Sighting],
    rule_bytes: str,
) -> str:
    """The identity of one statement of a rule at a version, as these bytes say it.

    **Shapes**: ``rule_bytes`` names the bytes of all pages of the rule; it counts where no page
    says anything, because silence is a statement of all of them.
    """
    seen = list(sightings)
    pages = sorted({s.observation.document.sha256 or s.observation.document.key for s in seen})
    said = sorted(json.dumps(said_to_plain(s.said), sort_keys=True) for s in seen)
    return identity_of(
        "statement", framework, claim_source, version, statement, pages or [rule_bytes], said
    )


def change_draft(change: Change, *, identity: str, place: Place) -> Draft:
    """The item of a change."""
    source, _, rule = change.key[0].partition(":")
    newest = change.new[0].observation if change.new else None
    old = change.old[0].observations[-1] if change.old else None
    shown = newest or old
    if newest is not None:
        place = Place(
            framework=place.framework,
            version=place.version,
            release=place.release,
            path=newest.document.path,
            url=newest.document.url,
            feed=place.feed,
            snapshot_sha256=newest.document.sha256,
        )
    return Draft(
        identity=identity,
        kind=change.kind,
        place=place,
        source=source,
        rule=rule,
        statement=change.key[1],
        old=claims_to_plain(change.old),
        new=sightings_to_plain(change.new),
        locator=codec.locator_to_plain(shown.locator) if shown else {},
    )
