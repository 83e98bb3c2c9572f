"""What changed between two dates, on the valid or on the recorded clock."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from enum import StrEnum
from functools import lru_cache
from typing import Any

from django.db.models import Min, Q

from matrix.domain.levels import EvidenceKind, SupportLevel
from matrix.models import Claim, KnowledgeRevision


class Clock(StrEnum):
    """Which time a change is dated by: when sources said it, or when we wrote it down."""

    VALID = "valid"
    RECORDED = "recorded"


class ChangeKind(StrEnum):
    """What happened to a statement."""

    BEGAN = "began"
    ENDED = "ended"
    CHANGED = "changed"  # The same source says another level of the same scope.
    REWORDED = "reworded"  # The same level with another note, condition or kind of evidence.
    RECORDED = "recorded"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


CHANGE_KINDS_OF_CLOCK: dict[Clock, tuple[ChangeKind, ...]] = {
    Clock.VALID: (
        ChangeKind.BEGAN, ChangeKind.ENDED, ChangeKind.CHANGED, ChangeKind.REWORDED,
    ),
    Clock.RECORDED: (ChangeKind.RECORDED, ChangeKind.SUPERSEDED, ChangeKind.WITHDRAWN),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one claim.

    **Dates**: ``on`` is of the clock that was asked for. ``release`` is the release at which the
    statement began or was first missed. ``before_uid`` names the claim that it replaced.
    """

    kind: ChangeKind
    on: date
    uid: str
    framework: str
    source: str
    statement: str
    level: SupportLevel
    release: str
    evidence_kind: EvidenceKind = EvidenceKind.DOCUMENTATION
    note: str = ""
    reason: str = ""
    level_before: SupportLevel | None = None
    before_uid: str = ""


def changes_between(
    start: date,
    end: date,
    *,
    revision: int,
    clock: Clock = Clock.VALID,
    framework: str | None = None,
) -> tuple[Change, ...]:
    """Changes after ``start`` up to and with ``end``, newest first.

    **Queries**: 2, and 1 when the same question was asked since the last write.
    """
    # A restored database may come to the same revision number again, but not at the same moment.
    raised_at = KnowledgeRevision.objects.values_list("raised_at", flat=True).first()
    return _changes((revision, raised_at), start, end, clock, framework)


@lru_cache(maxsize=8)
def _changes(
    state: tuple[int, datetime | None],
    start: date,
    end: date,
    clock: Clock,
    framework: str | None,
) -> tuple[Change, ...]:
    # The state is part of the key only: any write makes the kept answers useless.
    rows = Claim.objects.filter(framework__slug=framework) if framework else Claim.objects.all()
    if clock is Clock.VALID:
        found = _pair_replacements(_valid_changes(rows, start, end))
    else:
        found = list(_recorded_changes(rows, start, end))
    found.sort(key=lambda c: (-c.on.toordinal(), c.framework, c.statement, c.uid, c.kind))
    return tuple(found)


_COLUMNS = ("uid", "framework__slug", "source", "statement", "level", "kind", "note", "reason")


def _change(row: dict[str, Any], kind: ChangeKind, on: date, release: str) -> Change:
    return Change(
        kind=kind,
        on=on,
        uid=row["uid"],
        framework=row["framework__slug"],
        source=row["source"],
        statement=row["statement"],
        level=SupportLevel(row["level"]),
        evidence_kind=EvidenceKind(row["kind"]),
        release=release,
        note=row["note"],
        reason=row["reason"],
    )


_Keyed = tuple[tuple[str, ...], Change]


def _valid_changes(rows: Any, start: date, end: date) -> Iterator[_Keyed]:
    """Beginnings and ends, each with the key of what source, statement and scope it is about."""
    between = Q(began_on__gt=start, began_on__lte=end) | Q(gone_on__gt=start, gone_on__lte=end)
    dated = rows.standing().annotate(began_on=Min("observations__stated_on")).filter(between)
    for row in dated.values(*_COLUMNS, "scope", "first", "gone", "gone_on", "began_on").iterator():
        key = (
            row["framework__slug"],
            row["source"],
            row["statement"],
            json.dumps(row["scope"], sort_keys=True),
        )
        if row["began_on"] and start < row["began_on"] <= end:
            yield key, _change(row, ChangeKind.BEGAN, row["began_on"], row["first"])
        if row["gone_on"] and start < row["gone_on"] <= end:
            yield key, _change(row, ChangeKind.ENDED, row["gone_on"], row["gone"])


def _pair_replacements(keyed: Iterable[_Keyed]) -> list[Change]:
    """Joins an end and a beginning of the same day about the same thing into one change."""
    groups: dict[tuple[object, ...], list[Change]] = {}
    for key, change in keyed:
        groups.setdefault((*key, change.on), []).append(change)
    found: list[Change] = []
    for changes in groups.values():
        ended = [c for c in changes if c.kind is ChangeKind.ENDED]
        began = [c for c in changes if c.kind is ChangeKind.BEGAN]
        if len(ended) != 1 or len(began) != 1 or ended[0].uid == began[0].uid:
            found += changes
            continue
        old, new = ended[0], began[0]
        kind = ChangeKind.REWORDED if old.level is new.level else ChangeKind.CHANGED
        found.append(replace(new, kind=kind, level_before=old.level, before_uid=old.uid))
    return found


def _recorded_changes(rows: Any, start: date, end: date) -> Iterator[Change]:
    # A day belongs to the range when it is after the first one and not after the last one.
    first = datetime.combine(start, time.max, tzinfo=UTC)
    last = datetime.combine(end, time.max, tzinfo=UTC)
    span = Q()
    stamps = {
        "recorded_at": ChangeKind.RECORDED,
        "superseded_at": ChangeKind.SUPERSEDED,
        "withdrawn_at": ChangeKind.WITHDRAWN,
    }
    for stamp in stamps:
        span |= Q(**{f"{stamp}__gt": first, f"{stamp}__lte": last})
    for row in rows.filter(span).values(*_COLUMNS, "first", *stamps).iterator():
        for stamp, kind in stamps.items():
            moment = row[stamp]
            if moment and first < moment <= last:
                yield _change(row, kind, moment.astimezone(UTC).date(), row["first"])
