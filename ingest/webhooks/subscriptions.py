"""Subscriptions: created, changed, given a new secret and removed, each audited."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.crypto import get_random_string

from ingest.domain.news import SUBSCRIBABLE, DeliveryState, EventKind
from ingest.fetching import FetchFailed, check_delivery_url
from ingest.models import Webhook, WebhookDelivery
from ingest.webhooks.collecting import EventBody, body_text
from ingest.webhooks.signing import digest_of, make_salt, secret_of
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.services import write_audit

MOST_WEBHOOKS = 100
LONGEST_NAME = 80
LONGEST_URL = 600


@dataclass(frozen=True, slots=True)
class Wish:
    """What a subscription shall be."""

    name: str
    url: str
    events: Sequence[str]
    frameworks: Sequence[str] = ()
    active: bool = True


@transaction.atomic
def create_webhook(wish: Wish, *, actor: str, now: datetime) -> tuple[Webhook, str]:
    """The new subscription and its secret, which is shown this once.

    **Raises**: ``InvalidValue`` for an address that cannot be delivered to, an unknown event, a
    blank name, or one subscription too many.
    """
    _check(wish)
    if Webhook.objects.count() >= MOST_WEBHOOKS:
        raise InvalidValue(
            name="webhooks",
            value=MOST_WEBHOOKS + 1,
            accepted=Phrase("up to {most_webhooks}", most_webhooks=MOST_WEBHOOKS),
        )
    salt = make_salt()
    secret = secret_of(salt)
    row = Webhook.objects.create(
        name=wish.name.strip(),
        url=wish.url,
        events=list(dict.fromkeys(wish.events)),
        frameworks=sorted(set(wish.frameworks)),
        active=wish.active,
        salt=salt,
        secret_digest=digest_of(secret),
        created_by=actor,
        created_at=now,
        collected_until=now,
    )
    _audit(row, "create-webhook", actor, after=webhook_plain(row))
    return row, secret


@transaction.atomic
def change_webhook(row: Webhook, wish: Wish, *, actor: str, now: datetime) -> Webhook:
    """The changed subscription. One that is switched on again is told of what comes from now on.

    **Raises**: ``InvalidValue``.
    """
    _check(wish)
    before = webhook_plain(row)
    if wish.active and not row.active:
        row.collected_until = now
    row.name, row.url, row.active = wish.name.strip(), wish.url, wish.active
    row.events = list(dict.fromkeys(wish.events))
    row.frameworks = sorted(set(wish.frameworks))
    row.save()
    _audit(row, "change-webhook", actor, before=before, after=webhook_plain(row))
    return row


@transaction.atomic
def rotate_secret(row: Webhook, *, actor: str) -> str:
    """A new secret, shown this once; messages are signed by it from now on."""
    row.salt = make_salt()
    secret = secret_of(row.salt)
    row.secret_digest = digest_of(secret)
    row.save(update_fields=["salt", "secret_digest"])
    _audit(row, "rotate-webhook-secret", actor)
    return secret


@transaction.atomic
def remove_webhook(row: Webhook, *, actor: str) -> None:
    """Removes a subscription with its messages."""
    _audit(row, "remove-webhook", actor, before=webhook_plain(row))
    row.delete()


@transaction.atomic
def send_ping(row: Webhook, *, actor: str, now: datetime) -> WebhookDelivery:
    """Puts a message on its way that says nothing but that it arrived."""
    key = f"ping:{get_random_string(24)}"
    body = EventBody(event=EventKind.PING, occurred_at=now, framework="", data={})
    found = WebhookDelivery(
        webhook=row, event=EventKind.PING.value, event_key=key, created_at=now, next_attempt_at=now
    )
    found.body = body_text(body, delivery=str(found.pk))
    found.save(force_insert=True)
    _audit(row, "ping-webhook", actor)
    return found


@transaction.atomic
def retry_delivery(row: WebhookDelivery, *, actor: str, now: datetime) -> WebhookDelivery:
    """Puts a dead message on its way again, with all its tries.

    **Raises**: ``InvalidValue`` for one that is not dead.
    """
    if row.state != DeliveryState.DEAD:
        raise InvalidValue(name="delivery", value=row.state, accepted=Phrase("a dead delivery"))
    row.state, row.attempts, row.next_attempt_at = DeliveryState.WAITING.value, 0, now
    row.save(update_fields=["state", "attempts", "next_attempt_at"])
    _audit(row.webhook, "retry-webhook-delivery", actor, after={"delivery": str(row.pk)})
    return row


def _check(wish: Wish) -> None:
    if not wish.name.strip() or len(wish.name) > LONGEST_NAME or not wish.name.isprintable():
        raise InvalidValue(
            name="name",
            value=wish.name[:LONGEST_NAME],
            accepted=Phrase("1 to {longest_name} characters", longest_name=LONGEST_NAME),
        )
    unknown = [event for event in wish.events if event not in SUBSCRIBABLE]
    if unknown or not wish.events:
        accepted = "one or more of " + ", ".join(kind.value for kind in SUBSCRIBABLE)
        raise InvalidValue(name="events", value=", ".join(unknown)[:80], accepted=accepted)
    if len(wish.url) > LONGEST_URL:
        raise InvalidValue(
            name="url",
            value=wish.url[:60],
            accepted=Phrase("up to {longest_url} characters", longest_url=LONGEST_URL),
        )
    try:
        check_delivery_url(wish.url)
    except FetchFailed as failed:
        raise InvalidValue(
            name="url",
            value=wish.url[:80],
            accepted=Phrase("a public https address. {rstrip}", rstrip=str(failed).rstrip(".")),
        ) from failed


def webhook_plain(row: Webhook) -> dict[str, Any]:
    """A subscription without anything secret; the path of an address may be a secret as well, so
    this is for those who may manage it only."""
    return {
        "id": row.pk,
        "name": row.name,
        "url": row.url,
        "events": list(row.events),
        "frameworks": list(row.frameworks),
        "active": row.active,
        "created_by": row.created_by,
        "created_at": row.created_at.isoformat().replace("+00:00", "Z"),
    }


def _audit(
    row: Webhook, action: str, actor: str, *, before: object = None, after: object = None
) -> None:
    write_audit(actor=actor, action=action, subject=f"webhook:{row.pk}", before=before, after=after)
