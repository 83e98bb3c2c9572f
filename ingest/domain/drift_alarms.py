"""What an alarm is, from which share on a change is one, and the pair of profiles compared."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ingest.domain.drift_profile import WAITING, PageProfile, Said


class DriftCode(StrEnum):
    """What kind of drift an alarm is about; constant, for machines."""

    BLOCK_PAGE = "block-page"
    NOTHING_FOUND = "nothing-found"
    AREA_LOST = "area-lost"
    FEWER_ITEMS = "fewer-items"
    PAGE_SHORTER = "page-shorter"
    COVERAGE_MOVED = "coverage-moved"
    READ_DIFFERENTLY = "read-differently"
    STATUS_SWING = "status-swing"
    LEGEND_CHANGED = "legend-changed"
    FOOTNOTE_LOST = "footnote-lost"
    SYMBOL_UNKNOWN = "symbol-unknown"
    HEADER_RENAMED = "header-renamed"
    TABLE_MOVED = "table-moved"
    TABLE_GONE = "table-gone"
    TABLE_IRREGULAR = "table-irregular"
    NEW_TABLE = "new-table"
    PAGE_MOVED = "page-moved"


@dataclass(frozen=True, slots=True)
class DriftAlarm:
    """One alarm: its code, one sentence, and whether it stops findings from being accepted.

    **Shapes**: ``facts`` holds what the sentence says, for machines. An alarm that does not
    quarantine is a notice.
    """

    code: DriftCode
    sentence: str
    quarantines: bool
    facts: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which share on a change is too large to be accepted without a person.

    **Shapes**: ``lost`` of all statements, ``shrunk_list`` of a list that claims to be complete,
    ``shorter`` of the page's lines, ``flipped`` of the statements that say yes or no, ``waiting``
    of the statements whose words all were known,
    ``swung_signs`` of the status signs on the page.
    """

    lost: float = 0.2
    shrunk_list: float = 0.1
    shorter: float = 0.35
    flipped: float = 0.2
    waiting: float = 0.2
    swung_signs: float = 0.3


DEFAULT_THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two profiles of one page, and which statements they share."""

    before: PageProfile
    now: PageProfile
    limits: Thresholds
    was: Mapping[str, list[Said]]
    is_now: Mapping[str, list[Said]]

    @property
    def lost(self) -> list[Said]:
        """What was said before and no longer is; what waited for a word is not lost with it."""
        return [
            said
            for key, all_said in self.was.items()
            if key not in self.is_now
            for said in all_said
            if said.stance != WAITING
        ]

    @property
    def altered(self) -> list[str]:
        """Keys of statements that were understood before and now say something else."""
        return [
            key
            for key, was in self.was.items()
            if key in self.is_now
            and any(said.stance != WAITING for said in was)
            and {said.meaning for said in was} != {said.meaning for said in self.is_now[key]}
        ]


def pair_of(before: PageProfile, now: PageProfile, limits: Thresholds) -> Pair:
    """Returns two profiles with their statements by key."""
    return Pair(before, now, limits, _by_key(before.said), _by_key(now.said))


def _by_key(said: Iterable[Said]) -> dict[str, list[Said]]:
    found: dict[str, list[Said]] = {}
    for item in said:
        found.setdefault(item.key, []).append(item)
    return found
