"""Collects what is news for each subscription and puts it on its way, each piece once."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from ingest.domain.feeds import registry
from ingest.domain.news import FAILURES_TO_TELL, MOST_ITEMS, EventKind
from ingest.models import FeedState, Webhook, WebhookDelivery
from matrix.models import Claim, MaintenancePeriod, Release

# A long transaction carries the time of its start; what it wrote is looked for again this long
# after, and the key of each piece of news keeps it from being told twice.
_OVERLAP = timedelta(hours=6)
_Plain = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventBody:
    """What a message says."""

    event: EventKind
    occurred_at: datetime
    framework: str
    data: _Plain


@dataclass(frozen=True, slots=True)
class News:
    """One piece of news with the key that names it."""

    key: str
    body: EventBody


@dataclass(slots=True)
class _Batch:
    """Changes of one framework that were written at one moment."""

    counts: Counter[str] = field(default_factory=Counter)
    items: list[_Plain] = field(default_factory=list)


def body_text(body: EventBody, *, delivery: str) -> str:
    """The message as it is signed and sent."""
    plain = {
        "delivery": delivery,
        "event": body.event.value,
        "occurred_at": body.occurred_at.isoformat().replace("+00:00", "Z"),
        "framework": body.framework or None,
        **body.data,
    }
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


@transaction.atomic
def collect_news(*, now: datetime) -> int:
    """Puts news on its way to every active subscription; returns how many messages are new.

    Running it twice, or from two processes at once, puts nothing on its way twice.
    **Queries**: 5 or 6, and 2 for each active subscription.
    """
    hooks = list(Webhook.objects.select_for_update().filter(active=True).order_by("pk"))
    if not hooks:
        return 0
    since = min(hook.collected_until for hook in hooks) - _OVERLAP
    news = [*_statements(since), *_releases(since), *_periods(since), *_feeds(since)]
    return sum(_put(hook, news, now=now) for hook in hooks)


def _put(hook: Webhook, news: Sequence[News], *, now: datetime) -> int:
    since = max(hook.created_at, hook.collected_until - _OVERLAP)
    wanted = {
        _digest(piece.key): piece.body
        for piece in news
        if piece.body.occurred_at > since
        and piece.body.event.value in hook.events
        and (not hook.frameworks or piece.body.framework in hook.frameworks)
    }
    told = hook.deliveries.filter(event_key__in=list(wanted)).values_list("event_key", flat=True)
    for key in told:
        wanted.pop(key, None)
    rows = []
    for key, body in wanted.items():
        row = WebhookDelivery(
            webhook=hook,
            event=body.event.value,
            event_key=key,
            created_at=now,
            next_attempt_at=now,
        )
        row.body = body_text(body, delivery=str(row.pk))
        rows.append(row)
    WebhookDelivery.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)
    hook.collected_until = now
    hook.save(update_fields=["collected_until"])
    return len(rows)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


# -- what is news ----------------------------------------------------------------------------------


def _statements(since: datetime) -> Iterator[News]:
    """Claims recorded, superseded or withdrawn, by framework and the moment of the write."""
    columns = ("uid", "framework__slug", "statement", "level", "first", "recorded_at",
               "superseded_at", "withdrawn_at")  # fmt: skip
    rows = Claim.objects.filter(
        Q(recorded_at__gt=since) | Q(superseded_at__gt=since) | Q(withdrawn_at__gt=since)
    ).order_by("pk")
    batches: dict[tuple[str, datetime], _Batch] = {}
    for uid, slug, statement, level, first, *moments in rows.values_list(*columns).iterator():
        for change, at in zip(("recorded", "superseded", "withdrawn"), moments, strict=True):
            if at is None or at <= since:
                continue
            batch = batches.setdefault((slug, at), _Batch())
            batch.counts[change] += 1
            if len(batch.items) < MOST_ITEMS:
                item = {"change": change, "claim": uid, "statement": statement, "level": level,
                        "release": first, "path": reverse("claim", args=[uid])}  # fmt: skip
                batch.items.append(item)
    for (slug, at), batch in batches.items():
        day = at.date().isoformat()
        yield News(
            key=f"{EventKind.STATEMENTS_CHANGED}:{slug}:{at.isoformat()}",
            body=EventBody(
                event=EventKind.STATEMENTS_CHANGED,
                occurred_at=at,
                framework=slug,
                data={
                    "counts": dict(batch.counts),
                    "items": batch.items,
                    "path": f"{reverse('changes')}?framework={slug}&clock=recorded&to={day}",
                },
            ),
        )


def _releases(since: datetime) -> Iterator[News]:
    columns = ("framework__slug", "version", "line", "released_at", "upstream_version",
               "first_seen_at")  # fmt: skip
    rows = Release.objects.filter(first_seen_at__gt=since).order_by("pk")
    for slug, version, line, released_at, upstream, seen_at in rows.values_list(*columns):
        yield News(
            key=f"{EventKind.RELEASE_PUBLISHED}:{slug}:{version}",
            body=EventBody(
                event=EventKind.RELEASE_PUBLISHED,
                occurred_at=seen_at,
                framework=slug,
                data={
                    "version": version,
                    "line": line,
                    "released_at": released_at.isoformat().replace("+00:00", "Z"),
                    "upstream_version": upstream or None,
                    "path": reverse("framework", args=[slug]),
                },
            ),
        )


def _periods(since: datetime) -> Iterator[News]:
    columns = ("framework__slug", "component", "status", "start_on", "strength", "recorded_at")
    rows = MaintenancePeriod.objects.filter(recorded_at__gt=since).order_by("pk")
    for slug, component, status, start, strength, recorded_at in rows.values_list(*columns):
        yield News(
            key=f"{EventKind.MAINTENANCE_CHANGED}:{slug}:{component}:{status}:{start}",
            body=EventBody(
                event=EventKind.MAINTENANCE_CHANGED,
                occurred_at=recorded_at,
                framework=slug,
                data={
                    "component": component or None,
                    "status": status,
                    "start_on": start.isoformat(),
                    "strength": strength or None,
                    "path": reverse("framework", args=[slug]),
                },
            ),
        )


def _feeds(since: datetime) -> Iterable[News]:
    """Feeds that fail again and again, once for each row of failures."""
    rows = FeedState.objects.filter(failures_in_row__gte=FAILURES_TO_TELL, error_at__gt=since)
    for state in rows.order_by("name"):
        last = state.last_success_at.isoformat() if state.last_success_at else "never"
        feed = registry.find_feed(state.name)
        assert state.error_at is not None
        yield News(
            key=f"{EventKind.FEED_FAILING}:{state.name}:{last}",
            body=EventBody(
                event=EventKind.FEED_FAILING,
                occurred_at=state.error_at,
                framework=feed.framework if feed else "",
                data={
                    "feed": state.name,
                    "failures_in_row": state.failures_in_row,
                    "error_code": state.error_code,
                    "error_sentence": state.error_sentence,
                    "path": reverse("freshness"),
                },
            ),
        )
