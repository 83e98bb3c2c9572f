"""Alarms when a page drifts away from what its rule expects, by comparing two profiles.

A line that still stands on the page must still be read, and read the same. Where the page itself
says less, that is a change; where only the reading says less, it is a loss, and a loss is never
accepted without a person. Profiles are comparable when the same parser version made both: after
a parser changed, the older page is read again first.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from ingest.domain.drift_alarms import (
    DEFAULT_THRESHOLDS,
    DriftAlarm,
    DriftCode,
    Pair,
    Thresholds,
    pair_of,
)
from ingest.domain.drift_profile import (
    NO,
    OTHER,
    PARTLY,
    WAITING,
    YES,
    PageProfile,
    profile_page,
)
from ingest.domain.drift_storage import from_plain, to_plain
from ingest.domain.drift_tables import find_table_drift

__all__ = [
    "DriftAlarm",
    "DriftCode",
    "PageProfile",
    "Thresholds",
    "compare_profiles",
    "from_plain",
    "profile_page",
    "to_plain",
]


def compare_profiles(
    before: PageProfile | None, now: PageProfile, *, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> tuple[DriftAlarm, ...]:
    """Returns the alarms of a page against its last accepted profile, quarantining ones first.

    **Shapes**: ``before`` is ``None`` for a page that was never read.
    """
    if now.blocked:
        return (_blocked(now),)
    if before is None:
        return tuple(_first_sight(now))
    if before.findings and not now.findings:
        return (_nothing_found(before, now),)
    pair = pair_of(before, now, thresholds)
    alarms = [alarm for check in _CHECKS for alarm in check(pair)]
    return tuple(sorted(alarms, key=lambda alarm: not alarm.quarantines))


def _blocked(now: PageProfile) -> DriftAlarm:
    return DriftAlarm(
        DriftCode.BLOCK_PAGE,
        f"The page is no documentation but a block or login page: {now.blocked}.",
        True,
        {"reason": now.blocked},
    )


def _nothing_found(before: PageProfile, now: PageProfile) -> DriftAlarm:
    return DriftAlarm(
        DriftCode.NOTHING_FOUND,
        f"The rule “{now.rule}” found nothing where it found {before.findings} statements before.",
        True,
        {"before": before.findings},
    )


def _first_sight(now: PageProfile) -> Iterator[DriftAlarm]:
    if not now.findings:
        yield DriftAlarm(
            DriftCode.NOTHING_FOUND,
            f"The rule “{now.rule}” found nothing on a page that was never read before.",
            False,
        )
    if now.unknown_signs:
        yield _unknown_signs(now.unknown_signs)


def _find_lost(pair: Pair) -> Iterator[DriftAlarm]:
    """Statements that are gone: with their lines, or although their lines still stand there."""
    lost = pair.lost
    if not lost:
        return
    unread = [said for said in lost if said.anchor and said.anchor in pair.now.lines]
    if unread:
        yield DriftAlarm(
            DriftCode.COVERAGE_MOVED,
            f"{len(unread)} statements are no longer read although the lines that said them are"
            " still on the page.",
            True,
            {"unread": len(unread)},
        )
    share = len(lost) / len(pair.before.said)
    yield DriftAlarm(
        DriftCode.FEWER_ITEMS,
        f"{len(lost)} of {len(pair.before.said)} statements are gone.",
        share >= pair.limits.lost,
        {"lost": len(lost), "before": len(pair.before.said)},
    )


def _find_lost_areas(pair: Pair) -> Iterator[DriftAlarm]:
    """Whole kinds of statements that the page made before and makes no longer."""
    was = Counter[str]()
    for key, count in pair.before.counts.items():
        was[key.rpartition("|")[0]] += count
    now = {key.rpartition("|")[0] for key in pair.now.counts}
    for area, count in was.items():
        if area not in now:
            name = area.partition("|")[0]
            yield DriftAlarm(
                DriftCode.AREA_LOST,
                f"Nothing is said about “{name}” any more; {count} statements were before.",
                True,
                {"area": name, "before": count},
            )


def _find_shrunk_lists(pair: Pair) -> Iterator[DriftAlarm]:
    """Lists whose omissions count as "not listed": a short one would say so of what it lost."""
    for name, length in pair.before.lists.items():
        left = pair.now.lists.get(name, 0)
        if left < length:
            yield DriftAlarm(
                DriftCode.FEWER_ITEMS,
                f"The complete list “{name}” has {left} entries; it had {length}.",
                left < length * (1 - pair.limits.shrunk_list),
                {"list": name, "before": length, "now": left},
            )


def _find_shorter_page(pair: Pair) -> Iterator[DriftAlarm]:
    """A page cut off: much shorter, or its end is gone and with it something that it said."""
    before, now = pair.before, pair.now
    much = now.text_lines < before.text_lines * (1 - pair.limits.shorter)
    cut = before.last_line != now.last_line and now.text_length < before.text_length
    if (much and pair.lost) or (cut and (pair.lost or pair.altered)):
        yield DriftAlarm(
            DriftCode.PAGE_SHORTER,
            f"The page has {now.text_lines} lines with {now.text_length} characters; it had"
            f" {before.text_lines} with {before.text_length}, and what stood at its end is gone.",
            True,
            {"before": before.text_lines, "now": now.text_lines},
        )


def _find_read_differently(pair: Pair) -> Iterator[DriftAlarm]:
    """The same line read to mean something else: a header, heading, legend or footnote changed."""
    count = 0
    for key, was in pair.was.items():
        same_line = {said.anchor for said in was if said.anchor}
        same_line &= {said.anchor for said in pair.is_now.get(key, ())}
        spoken = {said.stance for said in (*was, *pair.is_now.get(key, ()))}
        if not same_line or spoken == {OTHER}:
            continue
        old = {said.meaning for said in was if said.anchor in same_line}
        new = [said for said in pair.is_now[key] if said.anchor in same_line]
        waits = all(said.stance == WAITING for said in new)
        knew = any(said.stance != WAITING for said in was)
        count += {said.meaning for said in new} != old and knew and not waits
    if count:
        yield DriftAlarm(
            DriftCode.READ_DIFFERENTLY,
            f"{count} unchanged lines are now read to mean something else.",
            True,
            {"lines": count},
        )


def _find_swing(pair: Pair) -> Iterator[DriftAlarm]:
    """Many yes and no at once turned into their contrary: the signature of an inversion."""
    flipped = held = 0
    for key, was in pair.was.items():
        old = {said.stance for said in was} & {YES, NO}
        new = {said.stance for said in pair.is_now.get(key, ())} & {YES, NO}
        if len(old) == 1 and len(new) == 1:
            flipped += old != new
            held += 1
    if flipped:
        yield DriftAlarm(
            DriftCode.STATUS_SWING,
            f"{flipped} of {held} statements turned from supported to unsupported or back.",
            flipped >= held * pair.limits.flipped,
            {"flipped": flipped, "of": held},
        )


def _find_waiting(pair: Pair) -> Iterator[DriftAlarm]:
    """Signs that nothing maps, and statements whose words were known and no longer are."""
    new = tuple(s for s in pair.now.unknown_signs if s not in pair.before.unknown_signs)
    if new:
        yield _unknown_signs(new)
    known = max(1, pair.before.findings - pair.before.waiting)
    more = pair.now.waiting - pair.before.waiting
    muted = _count_muted(pair)
    for count, words in (
        (more, "wait for a word that nothing maps"),
        (muted, "say neither yes nor no any more"),
    ):
        if count > 0:
            yield DriftAlarm(
                DriftCode.COVERAGE_MOVED,
                f"{count} of {known} statements {words}.",
                count >= known * pair.limits.waiting,
                {"statements": count, "of": known},
            )


def _find_sign_swing(pair: Pair) -> Iterator[DriftAlarm]:
    """Signs that the page stopped using, or that took the place of others."""
    was, now = pair.before.signs, pair.now.signs
    unused = " ".join(sign for sign in was if sign not in now)
    if unused and (pair.lost or pair.altered):
        yield DriftAlarm(
            DriftCode.SYMBOL_UNKNOWN,
            f"The page no longer uses these signs, and statements changed with them: {unused}.",
            True,
            {"unused": unused},
        )
    total = sum(was.values())
    fewer = sum(max(0, count - now.get(sign, 0)) for sign, count in was.items())
    more = sum(max(0, count - was.get(sign, 0)) for sign, count in now.items())
    if total and min(fewer, more) >= total * pair.limits.swung_signs:
        yield DriftAlarm(
            DriftCode.STATUS_SWING,
            f"{fewer} of {total} signs on the page turned into others.",
            True,
            {"turned": fewer, "of": total},
        )


def _find_lost_headings(pair: Pair) -> Iterator[DriftAlarm]:
    """Headings that are gone: what they restricted may now be read as holding everywhere."""
    before, now = pair.before.headings, pair.now.headings
    if before and not now:
        yield DriftAlarm(
            DriftCode.COVERAGE_MOVED,
            f"The page has no headings any more; it had {before}.",
            True,
            {"headings": before},
        )


def _count_muted(pair: Pair) -> int:
    """Returns how many statements said yes, no or partly before and now none of these."""
    speaks = {YES, PARTLY, NO}
    return sum(
        bool({said.stance for said in was} & speaks)
        and not {said.stance for said in pair.is_now[key]} & {*speaks, WAITING}
        for key, was in pair.was.items()
        if key in pair.is_now
    )


def _unknown_signs(signs: Iterable[str]) -> DriftAlarm:
    named = ", ".join(f"“{sign[:20]}”" for sign in list(signs)[:6])
    return DriftAlarm(
        DriftCode.SYMBOL_UNKNOWN,
        f"The page uses signs that its rule does not know: {named}.",
        False,
        {"signs": named},
    )


def _find_changed_legend(pair: Pair) -> Iterator[DriftAlarm]:
    """Signs that the page explains otherwise, or no longer."""
    before, now = pair.before.legend, pair.now.legend
    changed = [sign for sign, words in before.items() if now.get(sign) != words]
    added = [sign for sign in now if sign not in before]
    if changed or added:
        signs = " ".join(changed or added)
        yield DriftAlarm(
            DriftCode.LEGEND_CHANGED,
            f"The page explains these signs otherwise than before: {signs}.",
            bool(changed),
            {"signs": signs},
        )


def _find_lost_footnotes(pair: Pair) -> Iterator[DriftAlarm]:
    """Marks whose footnote is no longer defined: a condition may be missing."""
    lost = [m for m in pair.now.unresolved_marks if m not in pair.before.unresolved_marks]
    if lost:
        named = ", ".join(f"“{mark[:20]}”" for mark in lost[:6])
        yield DriftAlarm(
            DriftCode.FOOTNOTE_LOST,
            f"These footnote marks are no longer defined on the page: {named}.",
            True,
            {"marks": named},
        )


def _find_moved_page(pair: Pair) -> Iterator[DriftAlarm]:
    if pair.before.path != pair.now.path:
        yield DriftAlarm(
            DriftCode.PAGE_MOVED,
            f"The page moved from “{pair.before.path}” to “{pair.now.path}”.",
            False,
            {"before": pair.before.path, "now": pair.now.path},
        )


def _find_tables(pair: Pair) -> Iterator[DriftAlarm]:
    for found in find_table_drift(pair.before.tables, pair.now.tables):
        # With the header other statements changed too: a column may have been taken for another.
        moved = found.code == DriftCode.HEADER_RENAMED and bool(pair.lost or pair.altered)
        yield DriftAlarm(
            DriftCode(found.code), found.sentence, found.quarantines or moved, found.facts
        )


_CHECKS: tuple[Callable[[Pair], Iterator[DriftAlarm]], ...] = (
    _find_lost,
    _find_lost_areas,
    _find_shrunk_lists,
    _find_shorter_page,
    _find_read_differently,
    _find_swing,
    _find_waiting,
    _find_sign_swing,
    _find_lost_headings,
    _find_changed_legend,
    _find_lost_footnotes,
    _find_tables,
    _find_moved_page,
)
