"""Sends messages: each at least once, with growing waits, until the tries are used up."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from ingest.domain.news import (
    FIRST_WAIT_SECONDS,
    LONGEST_WAIT_SECONDS,
    MOST_ATTEMPTS,
    DeliveryState,
)
from ingest.fetching import Delivered, FailureCode, FetchFailed, deliver
from ingest.fetching.backoff import delay_seconds
from ingest.models import WebhookDelivery
from ingest.webhooks.signing import find_secret, signed_headers

# Longer than one sending may take: a process that died in between is taken for dead after it.
_LEASE = timedelta(minutes=2)
# What was delivered or given up is kept for people to look at, and for no longer.
_KEPT = timedelta(days=30)
SECRET_LOST = "secret-lost"
_SECRET_LOST_SENTENCE = (
    "The site's secret key changed, so the secret that the receiver knows cannot be made again; "
    "rotate the secret of this webhook."
)
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class SendSummary:
    """How a round of sending ended."""

    delivered: int = 0
    failed: int = 0
    dead: int = 0


def send_due(*, clock: Clock, most: int = 500) -> SendSummary:
    """Sends what is due, one message after the other, up to ``most`` of them.

    A message is leased before it is sent and settled after, each in its own transaction: a process
    that is killed in between leaves it to the next round, which may send it a second time.
    """
    delivered = failed = dead = 0
    for _ in range(most):
        row = _take(clock())
        if row is None:
            break
        state = _send(row, clock=clock)
        delivered += state is DeliveryState.DELIVERED
        failed += state is DeliveryState.WAITING
        dead += state is DeliveryState.DEAD
    return SendSummary(delivered=delivered, failed=failed, dead=dead)


def drop_settled(*, now: datetime) -> int:
    """Removes messages that were settled long ago; returns how many. **Queries**: 1 or 2."""
    old = WebhookDelivery.objects.exclude(state=DeliveryState.WAITING).filter(
        created_at__lte=now - _KEPT
    )
    return old.delete()[0]


@transaction.atomic
def _take(now: datetime) -> WebhookDelivery | None:
    """The message that waited longest, leased to this process; ``None`` when nothing is due."""
    free = Q(leased_until__isnull=True) | Q(leased_until__lte=now)
    row = (
        WebhookDelivery.objects.select_for_update(of=("self",), skip_locked=True)
        .select_related("webhook")
        .filter(free, state=DeliveryState.WAITING, next_attempt_at__lte=now, webhook__active=True)
        .order_by("next_attempt_at", "created_at")
        .first()
    )
    if row is not None:
        row.leased_until = now + _LEASE
        row.attempts += 1
        row.save(update_fields=["leased_until", "attempts"])
    return row


def _send(row: WebhookDelivery, *, clock: Clock) -> DeliveryState:
    hook = row.webhook
    secret = find_secret(hook.salt, hook.secret_digest)
    if secret is None:
        return _note_failure(
            row, code=SECRET_LOST, sentence=_SECRET_LOST_SENTENCE, hopeless=True, now=clock()
        )
    body = row.body.encode()
    headers = signed_headers(secret, event=row.event, delivery=str(row.pk), body=body, now=clock())
    try:
        answer = deliver(hook.url, body, headers=tuple(headers.items()))
    except FetchFailed as failed:
        return _note_failure(
            row,
            code=failed.code,
            sentence=str(failed),
            now=clock(),
            wait_seconds=failed.retry_after_seconds,
            status=failed.facts.get("seen") if failed.code == FailureCode.HTTP_STATUS else None,
        )
    return _note_success(row, answer, now=clock())


def _note_success(row: WebhookDelivery, answer: Delivered, *, now: datetime) -> DeliveryState:
    row.state, row.delivered_at, row.status = DeliveryState.DELIVERED.value, now, answer.status
    row.error_code = row.error_sentence = ""
    row.leased_until = None
    row.save(update_fields=["state", "delivered_at", "status", "error_code", "error_sentence",
                            "leased_until"])  # fmt: skip
    return DeliveryState.DELIVERED


def _note_failure(
    row: WebhookDelivery,
    *,
    code: str,
    sentence: str,
    now: datetime,
    hopeless: bool = False,
    wait_seconds: float | None = None,
    status: object = None,
) -> DeliveryState:
    wait = delay_seconds(
        row.attempts, base=FIRST_WAIT_SECONDS, cap=LONGEST_WAIT_SECONDS, random=random.random
    )
    dead = hopeless or row.attempts >= MOST_ATTEMPTS
    row.state = (DeliveryState.DEAD if dead else DeliveryState.WAITING).value
    row.next_attempt_at = now + timedelta(seconds=max(wait, wait_seconds or 0.0))
    row.error_code, row.error_sentence = code, sentence
    row.status = status if isinstance(status, int) else None
    row.leased_until = None
    row.save(update_fields=["state", "next_attempt_at", "error_code", "error_sentence", "status",
                            "leased_until"])  # fmt: skip
    return DeliveryState(row.state)
