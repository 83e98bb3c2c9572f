"""The two sides of a change: what is on record and what the page says now, with what differs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise

from matrix.domain import codec
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Locator
from matrix.domain.levels import EvidenceKind, Execution, Limit, Tier
from matrix.pages.evidence import ConditionLine, condition_line, place_query, scope_lines
from matrix.pages.words import EXECUTION_WORDS, LIMIT_WORDS, TIER_WORDS

# What is compared between the sides, in the order in which it is shown.
COMPARED = ("level", "scope", "note", "conditions", "execution", "tier", "kind", "limit", "raw")


@dataclass(frozen=True, slots=True)
class SaidView:
    """One statement of a side. **Shapes**: ``differs`` names what the other side says otherwise."""

    level: str
    kind: str
    scope: Sequence[str]
    note: str
    conditions: Sequence[ConditionLine]
    execution: str | Promise
    tier: str | Promise
    limit: str | Promise
    raw: str
    release: str
    span: str
    uid: str
    path: str
    url: str
    place: str
    snapshot: str
    kept_url: str
    differs: Sequence[str] = field(default=())


def build_sides(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    *,
    catalogue: Catalogue,
    kept: Mapping[str, str],
) -> tuple[Sequence[SaidView], Sequence[SaidView]]:
    """The statements of both sides, each with what the other side says otherwise.

    **Shapes**: ``kept`` are addresses of kept bytes by SHA-256.
    """
    before, now = statements_of(old), statements_of(new)
    return (
        [_view(said, now, catalogue, kept) for said in before],
        [_view(said, before, catalogue, kept) for said in now],
    )


def statements_of(side: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The statements of a side; an item of another kind has none."""
    found = side.get("statements")
    return [said for said in found if isinstance(said, dict)] if isinstance(found, list) else []


def snapshots_in(sides: Iterable[Mapping[str, Any]]) -> set[str]:
    """The names of all bytes that statements of the sides stand in."""
    names = {str(said.get("snapshot", "")) for side in sides for said in statements_of(side)}
    return names - {""}


def _view(
    said: Mapping[str, Any],
    others: Sequence[Mapping[str, Any]],
    catalogue: Catalogue,
    kept: Mapping[str, str],
) -> SaidView:
    locator: Locator = codec.locator_from_plain(said.get("locator", {}))
    snapshot = str(said.get("snapshot", ""))
    conditions = codec.conditions_from_plain(said.get("conditions", ()))
    first, last = said.get("first", ""), said.get("last", "")
    return SaidView(
        level=str(said.get("level", "unknown")),
        kind=str(said.get("kind", EvidenceKind.DOCUMENTATION)),
        scope=scope_lines(catalogue, codec.scope_from_plain(said.get("scope", {}))),
        note=str(said.get("note", "")),
        conditions=[condition_line(condition) for condition in conditions],
        execution=EXECUTION_WORDS[Execution(said.get("execution") or Execution.UNSTATED)],
        tier=TIER_WORDS[Tier(said.get("tier") or Tier.OFFICIAL)],
        limit=LIMIT_WORDS[Limit(said["limit"])] if said.get("limit") else "",
        raw=str(said.get("raw", "")),
        release=str(said.get("release", "")),
        span=first if first == last else f"{first} – {last}",
        uid=str(said.get("uid", "")),
        path=str(said.get("path", "")),
        url=str(said.get("url", "")),
        place=codec.locator_text(locator),
        snapshot=snapshot,
        kept_url=kept[snapshot] + place_query(locator) if snapshot in kept else "",
        differs=_differing(said, others),
    )


def _differing(said: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> list[str]:
    """What no statement of the other side says in the same way."""
    if not others:
        return []
    return [
        name
        for name in COMPARED
        if all(_value(said, name) != _value(other, name) for other in others)
    ]


_DEFAULTS = {"execution": "unstated", "tier": "official"}


def _value(said: Mapping[str, Any], name: str) -> Any:
    return said.get(name) or _DEFAULTS.get(name, "")
