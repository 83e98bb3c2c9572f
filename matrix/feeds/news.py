"""What feeds tell: changed statements by day, releases, and news about maintenance.

Entries are made from names of the catalogue and counts; no sentence of a page is repeated.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta

from django.urls import reverse
from django.utils.translation import gettext as _

from matrix.domain import codec
from matrix.domain.catalogue import MaintenancePeriod
from matrix.domain.versions import Release
from matrix.feeds.atom import AtomFeed, Entry
from matrix.index import Knowledge
from matrix.models import Claim
from matrix.pages.changes import CHANGE_WORDS
from matrix.pages.evidence import scope_lines
from matrix.pages.links import node_name, with_query
from matrix.pages.words import LEVEL_SIGNS, STATUS_SIGNS
from matrix.queries import Change, ChangeKind, changes_between

FEED_DAYS = 90
MOST_ENTRIES = 100
MOST_FLIPS = 10
_Groups = dict[tuple[date, str], list[Change]]


def build_feed(knowledge: Knowledge, *, today: date, framework: str = "") -> AtomFeed:
    """The news of the last 90 days, of one framework or of all.

    **Queries**: 2 for the changes, 1 for when they were recorded.
    """
    start = today - timedelta(days=FEED_DAYS)
    changes = changes_between(
        start, today, revision=knowledge.revision, framework=framework or None
    )
    entries = [
        *_change_entries(knowledge, changes),
        *_release_entries(knowledge, framework, start, today),
        *_period_entries(knowledge, framework, start, today),
    ]
    entries.sort(key=lambda e: (e.published, e.key), reverse=True)
    if not framework:
        return AtomFeed(
            key="changes",
            title=_("Runproof: changes"),
            subtitle=_("Statements that began, ended or turned; releases; maintenance."),
            path=reverse("feed-changes"),
            page_path=reverse("changes"),
            entries=entries[:MOST_ENTRIES],
        )
    name = node_name(knowledge.catalogue, "framework", framework)
    return AtomFeed(
        key=f"framework:{framework}",
        title=_("Runproof: %(name)s") % {"name": name},
        subtitle=_("Releases, maintenance and changed statements of %(name)s.") % {"name": name},
        path=reverse("feed-framework", args=[framework]),
        page_path=reverse("framework", args=[framework]),
        entries=entries[:MOST_ENTRIES],
    )


def _change_entries(knowledge: Knowledge, changes: Iterable[Change]) -> list[Entry]:
    groups: _Groups = {}
    for change in changes:
        groups.setdefault((change.on, change.framework), []).append(change)
    newest = sorted(groups, key=lambda key: (-key[0].toordinal(), key[1]))[:MOST_ENTRIES]
    uids = [change.uid for key in newest for change in groups[key]]
    rows = Claim.objects.filter(uid__in=uids).values_list("uid", "recorded_at", "scope")
    known = {uid: (recorded_at, scope) for uid, recorded_at, scope in rows}
    found = []
    for on, framework in newest:
        members = groups[on, framework]
        counts = Counter(change.kind for change in members)
        recorded = [known[change.uid][0] for change in members if change.uid in known]
        name = node_name(knowledge.catalogue, "framework", framework)
        numbers = ", ".join(
            f"{counts[kind]} {CHANGE_WORDS[kind][1]}" for kind in ChangeKind if counts[kind]
        )
        published = _start_of(on)
        found.append(
            Entry(
                key=f"changes:{framework}:{on.isoformat()}",
                title=f"{name}: {numbers}",
                summary=_flips(knowledge, members, {u: scope for u, (_at, scope) in known.items()}),
                path=with_query(
                    reverse("changes"),
                    [
                        ("framework", framework),
                        ("from", (on - timedelta(days=1)).isoformat()),
                        ("to", on.isoformat()),
                    ],
                ),
                published=published,
                updated=max([published, *recorded]),
                category="statements",
            )
        )
    return found


def _flips(knowledge: Knowledge, members: Sequence[Change], scopes: dict[str, object]) -> str:
    """The statements whose level turned, one a line, in names of the catalogue."""
    flipped = [c for c in members if c.kind is ChangeKind.CHANGED and c.level_before]
    lines = []
    for change in flipped[:MOST_FLIPS]:
        plain = scopes.get(change.uid)
        scope = codec.scope_from_plain(plain if isinstance(plain, dict) else {})
        about = " · ".join(scope_lines(knowledge.catalogue, scope)) or change.release
        before = LEVEL_SIGNS[change.level_before].word if change.level_before else ""
        lines.append(f"{about}: {before} → {LEVEL_SIGNS[change.level].word}")
    if len(flipped) > MOST_FLIPS:
        lines.append(_("and %(n)s more that turned") % {"n": len(flipped) - MOST_FLIPS})
    releases = sorted({change.release for change in members if change.release})
    if releases:
        shown = ", ".join(releases[:5]) + (" …" if len(releases) > 5 else "")
        lines.append(_("At %(releases)s.") % {"releases": shown})
    return "\n".join(lines)


def _release_entries(knowledge: Knowledge, framework: str, start: date, today: date) -> list[Entry]:
    catalogue = knowledge.catalogue
    wanted = [framework] if framework else list(catalogue.releases)
    return [
        _release_entry(knowledge, slug, release)
        for slug in wanted
        for release in catalogue.releases.get(slug, ())
        if start < release.released_on <= today
    ]


def _release_entry(knowledge: Knowledge, slug: str, release: Release) -> Entry:
    name = node_name(knowledge.catalogue, "framework", slug)
    upstream = knowledge.catalogue.upstreams.get(slug, {}).get(release.version, "")
    parts = [_("Published on %(day)s.") % {"day": release.released_on.isoformat()}]
    if upstream:
        parts.append(_("Built on upstream release %(version)s.") % {"version": upstream})
    if release.yanked:
        parts.append(_("Withdrawn from its package index."))
    return Entry(
        key=f"release:{slug}:{release.version}",
        title=_("%(name)s %(version)s was released") % {"name": name, "version": release.version},
        summary="\n".join(parts),
        path=reverse("framework", args=[slug]) + "#releases",
        published=release.released_at,
        updated=release.released_at,
        category="release",
    )


def _period_entries(knowledge: Knowledge, framework: str, start: date, today: date) -> list[Entry]:
    return [
        _period_entry(knowledge, period)
        for period in knowledge.catalogue.periods
        if framework in ("", period.framework)
        and start < max(period.start, period.stated_on or period.start) <= today
    ]


def _period_entry(knowledge: Knowledge, period: MaintenancePeriod) -> Entry:
    name = node_name(knowledge.catalogue, "framework", period.framework)
    subject = f"{name} ({period.component})" if period.component else name
    # What a page said later than it came to pass is news on the day it was said.
    on = max(period.start, period.stated_on or period.start)
    return Entry(
        key=f"maintenance:{period.framework}:{period.component}:{period.status.value}:"
        f"{period.start.isoformat()}",
        title=_("%(subject)s: maintenance status %(status)s")
        % {"subject": subject, "status": STATUS_SIGNS[period.status].word},
        summary=_("Since %(day)s.") % {"day": period.start.isoformat()},
        path=reverse("framework", args=[period.framework]),
        published=_start_of(on),
        updated=_start_of(on),
        category="maintenance",
    )


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
