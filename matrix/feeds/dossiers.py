"""News of dossiers: frozen, found changed by a re-check, due."""

from datetime import UTC, date, datetime, time, timedelta

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matrix.feeds.atom import AtomFeed, Entry
from matrix.feeds.news import FEED_DAYS, MOST_ENTRIES
from matrix.models import Dossier, DossierRecheck
from matrix.queries.dossiers import due_dossiers, due_on, listed_dossiers

LONGEST_SUMMARY = 400


def build_dossier_feed(*, today: date) -> AtomFeed:
    """The news of the last 90 days, and everything that is due now. **Queries**: 5."""
    since = _start_of(today - timedelta(days=FEED_DAYS))
    entries = [*_frozen(since), *_rechecked(since), *_due(today)]
    entries.sort(key=lambda entry: (entry.published, entry.key), reverse=True)
    return AtomFeed(
        key="dossiers",
        title=_("Runproof: dossiers"),
        subtitle=_("Decisions that were frozen, that changed since, and that are due again."),
        path=reverse("feed-dossiers"),
        page_path=reverse("dossiers"),
        entries=entries[:MOST_ENTRIES],
    )


def feed_updated(today: date) -> datetime:
    """When a feed without entries was updated."""
    return _start_of(today)


def _frozen(since: datetime) -> list[Entry]:
    rows = listed_dossiers().frozen().filter(frozen_at__gte=since)[:MOST_ENTRIES]
    return [_frozen_entry(row, row.frozen_at) for row in rows if row.frozen_at]


def _frozen_entry(row: Dossier, at: datetime) -> Entry:
    words = {"title": row.title, "version": row.version}
    return Entry(
        key=f"dossier-frozen:{row.uid}",
        title=_("Frozen: %(title)s, version %(version)d") % words,
        summary=_shortened(row.decision or row.summary),
        path=reverse("dossier", args=[row.uid]),
        published=at,
        updated=at,
        category="frozen",
    )


def _rechecked(since: datetime) -> list[Entry]:
    rows = (
        DossierRecheck.objects.filter(at__gte=since)
        .exclude(changes=[])
        .select_related("dossier")
        .defer("dossier__content")[:MOST_ENTRIES]
    )
    return [_recheck_entry(row) for row in rows]


def _recheck_entry(row: DossierRecheck) -> Entry:
    count = len(row.changes)
    text = ngettext("Changed since: %(title)s (%(n)d)", "Changed since: %(title)s (%(n)d)", count)
    kinds = sorted({str(change.get("kind", "")).replace("-", " ") for change in row.changes})
    return Entry(
        key=f"dossier-recheck:{row.dossier.uid}:{row.at.isoformat()}",
        title=text % {"title": row.dossier.title, "n": count},
        summary=", ".join(kinds),
        path=reverse("dossier", args=[row.dossier.uid]) + "#changed",
        published=row.at,
        updated=row.at,
        category="changed",
    )


def _due(today: date) -> list[Entry]:
    found = []
    for row in due_dossiers(today):
        day = due_on(row) or today
        found.append(
            Entry(
                key=f"dossier-due:{row.uid}:{day.isoformat()}",
                title=_("Due: %(title)s") % {"title": row.title},
                summary=_("To be checked again since %(day)s.") % {"day": day.isoformat()},
                path=reverse("dossier", args=[row.uid]) + "#changed",
                published=_start_of(day),
                updated=_start_of(day),
                category="due",
            )
        )
    return found


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SUMMARY else f"{text[: LONGEST_SUMMARY - 1]}…"


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
