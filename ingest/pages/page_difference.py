"""What changed on a page since it was accepted last, line by line, for alarms that name no line."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from ingest.domain.review import ItemKind, PageState
from ingest.models import ReviewItem, RuleRecord, Snapshot
from ingest.pages.fragment import LONGEST_LINE, show_controls, text_of

# Longer pages would take seconds to compare while somebody waits for the page.
MOST_COMPARED_LINES = 5_000
MOST_SHOWN_LINES = 80


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """One line that only one of the two pages has, by its number there."""

    added: bool
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class PageDifference:
    """The lines that changed; ``too_long`` pages were not compared.

    **Shapes**: ``before_version`` is the version that was accepted last, ``left_out`` counts lines
    that changed and are not shown.
    """

    before_version: str
    before_url: str
    lines: Sequence[ChangedLine]
    left_out: int
    too_long: bool


def page_difference(item: ReviewItem) -> PageDifference | None:
    """What changed on the page of an alarm or an unexpected page; ``None`` where nothing older is
    kept. **Queries**: 3 for such items, else none."""
    if item.kind not in (ItemKind.DRIFT_ALARM, ItemKind.UNEXPECTED_PAGE):
        return None
    now = Snapshot.objects.filter(pk=item.snapshot_sha256).first()
    before = _accepted_before(item)
    if now is None or before is None or before.page.snapshot is None:
        return None
    old, new = (text_of(kept).lines for kept in (before.page.snapshot, now))
    too_long = max(len(old), len(new)) > MOST_COMPARED_LINES
    lines = [] if too_long else _changed_lines(old, new)
    return PageDifference(
        before_version=before.page.version,
        before_url=reverse("snapshot", args=[before.page.snapshot_id]),
        lines=lines[:MOST_SHOWN_LINES],
        left_out=max(0, len(lines) - MOST_SHOWN_LINES),
        too_long=too_long,
    )


def _accepted_before(item: ReviewItem) -> RuleRecord | None:
    """The newest reading of the same page by the same rule that counts, of an older day."""
    rows = RuleRecord.objects.filter(
        source=item.source,
        rule=item.rule,
        state=PageState.ACCEPTED,
        page__framework=item.framework,
        page__path=item.path,
        page__snapshot__isnull=False,
    ).exclude(page__version=item.version)
    own = RuleRecord.objects.filter(
        page__framework=item.framework, page__version=item.version, page__path=item.path
    ).values_list("page__stated_on", flat=True)
    day = own.first()
    if day is not None:
        rows = rows.filter(page__stated_on__lte=day)
    return rows.select_related("page__snapshot").order_by("-page__stated_on", "-pk").first()


def _changed_lines(old: Sequence[str], new: Sequence[str]) -> list[ChangedLine]:
    """The lines that went and came, in the order of the page."""
    found: list[ChangedLine] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(a=old, b=new).get_opcodes():
        if tag != "equal":
            found += [_line(False, n + 1, old[n]) for n in range(i1, i2)]
            found += [_line(True, n + 1, new[n]) for n in range(j1, j2)]
    return found


def _line(added: bool, number: int, text: str) -> ChangedLine:
    return ChangedLine(added=added, number=number, text=show_controls(text[:LONGEST_LINE]))
