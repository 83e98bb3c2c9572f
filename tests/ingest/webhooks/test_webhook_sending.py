"""News finds its receivers: collected once, signed, sent at least once, given up with a reason."""

import hashlib
import hmac
import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command

from ingest.domain.news import MOST_ATTEMPTS, DeliveryState
from ingest.models import FeedState, Webhook, WebhookDelivery
from ingest.webhooks import sending
from ingest.webhooks.collecting import collect_news
from ingest.webhooks.sending import drop_settled, send_due
from ingest.webhooks.subscriptions import Wish, create_webhook, retry_delivery, send_ping
from matrix.domain.errors import InvalidValue
from matrix.index import forget_knowledge
from matrix.models import AuditEntry, Framework, MaintenancePeriod, Release
from matrix.services import add_claims, withdraw_claim
from tests import builders
from tests.ingest.webhooks.receiver import Receiver
from tests.matrix.api.rows import make_world

EARLIER = datetime(2026, 11, 1, tzinfo=UTC)
NOW = datetime(2027, 1, 1, tzinfo=UTC)
ALL = ("statements-changed", "release-published", "maintenance-changed", "feed-failing")


@pytest.fixture(autouse=True)
def world(db: None, settings: Any) -> Iterator[None]:
    """The small world, and this machine as an allowed target."""
    settings.FETCH_LOOPBACK = True
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


@pytest.fixture
def listen() -> Iterator[Callable[..., Receiver]]:
    """Starts receivers that answer these statuses."""
    started: list[Receiver] = []

    def start(*statuses: int) -> Receiver:
        started.append(Receiver(statuses or (204,)))
        return started[-1]

    yield start
    for one in started:
        one.close()


def subscribe(url: str, **changes: Any) -> tuple[Webhook, str]:
    """A subscription from before the world was made."""
    wish = Wish(**{"name": "ours", "url": url, "events": ALL, **changes})
    return create_webhook(wish, actor="ann", now=EARLIER)


def send(moment: datetime) -> sending.SendSummary:
    """Sends what is due at a moment."""
    return send_due(clock=lambda: moment)


def add_written(number: int) -> None:
    """Claims that are recorded now, in one write."""
    add_claims(
        [
            builders.claim(
                "supported",
                about=builders.scope(quantization="fp8"),
                uid=f"written-{position}",
                recorded_at=None,
            )
            for position in range(number)
        ],
        shipped=False,
    )


def make_news() -> None:
    """One of each kind, for vllm."""
    add_written(2)
    vllm = Framework.objects.get(slug="vllm")
    Release.objects.create(
        framework=vllm, version="0.13.0", released_at=NOW, first_seen_at=NOW, upstream_version=""
    )
    MaintenancePeriod.objects.create(
        framework=vllm, status="maintenance-mode", start_on=NOW.date(), recorded_at=NOW,
        evidence_kind="release-note", note="A sentence of a page.",
    )  # fmt: skip
    FeedState.objects.create(
        name="vllm-code-host", failures_in_row=3, error_at=NOW, error_code="timed-out",
        error_sentence="It took too long.",
    )  # fmt: skip


def test_each_kind_of_news_arrives_signed_and_names_its_framework(
    listen: Callable[..., Receiver],
) -> None:
    receiver = listen()
    _hook, secret = subscribe(receiver.url)
    make_news()
    assert collect_news(now=NOW) == 4
    sent = send(NOW)
    assert (sent.delivered, sent.failed, sent.dead) == (4, 0, 0)
    events = {}
    for message in receiver.received:
        said = message.headers["runproof-timestamp"].encode() + b"." + message.body
        made = hmac.new(secret.encode(), said, hashlib.sha256).hexdigest()
        assert message.headers["runproof-signature"] == f"sha256={made}"
        plain = json.loads(message.body)
        assert plain["delivery"] == message.headers["runproof-delivery"]
        assert plain["event"] == message.headers["runproof-event"]
        assert plain["framework"] == "vllm"
        assert "A sentence of a page." not in message.body.decode()
        events[plain["event"]] = plain
    assert sorted(events) == sorted(ALL)
    assert events["statements-changed"]["counts"] == {"recorded": 2}
    assert events["release-published"]["version"] == "0.13.0"


def test_news_is_put_on_its_way_once_however_often_it_is_collected(
    listen: Callable[..., Receiver],
) -> None:
    subscribe(listen().url)
    make_news()
    assert collect_news(now=NOW) == 4
    assert collect_news(now=NOW) == 0
    assert collect_news(now=NOW + timedelta(hours=1)) == 0


def test_what_a_long_transaction_wrote_late_is_told_all_the_same(
    listen: Callable[..., Receiver],
) -> None:
    subscribe(listen().url)
    collect_news(now=NOW)
    vllm = Framework.objects.get(slug="vllm")
    late = NOW - timedelta(minutes=50)
    Release.objects.create(framework=vllm, version="0.13.1", released_at=late, first_seen_at=late)
    assert collect_news(now=NOW + timedelta(minutes=1)) == 1


def test_only_the_chosen_events_and_frameworks_are_told(listen: Callable[..., Receiver]) -> None:
    url = listen().url
    subscribe(url, events=("release-published",))
    subscribe(url, frameworks=("vllm-ascend",))
    make_news()
    assert collect_news(now=NOW) == 1
    assert WebhookDelivery.objects.get().event == "release-published"


def test_what_came_before_a_subscription_is_no_news(listen: Callable[..., Receiver]) -> None:
    make_news()
    later = NOW + timedelta(hours=1)
    create_webhook(Wish("late", listen().url, ALL), actor="ann", now=later)
    assert collect_news(now=later) == 0


def test_a_withdrawn_claim_is_news(listen: Callable[..., Receiver]) -> None:
    receiver = listen()
    subscribe(receiver.url, events=("statements-changed",))
    collect_news(now=NOW)
    WebhookDelivery.objects.all().delete()
    withdraw_claim("turing", actor="ann", reason="was wrong")
    Webhook.objects.update(collected_until=EARLIER)
    collect_news(now=NOW)
    send(NOW)
    counts = [json.loads(m.body)["counts"] for m in receiver.received]
    assert {"withdrawn": 1} in counts


def test_a_long_list_of_statements_is_cut_but_counted(listen: Callable[..., Receiver]) -> None:
    receiver = listen()
    subscribe(receiver.url, events=("statements-changed",))
    add_written(80)
    collect_news(now=NOW)
    send(NOW)
    plain = max((json.loads(m.body) for m in receiver.received), key=lambda p: len(p["items"]))
    assert (plain["counts"]["recorded"], len(plain["items"])) == (80, 50)


def test_a_refused_message_is_tried_again_after_a_growing_wait(
    listen: Callable[..., Receiver],
) -> None:
    receiver = listen(500, 500, 204)
    hook, _secret = subscribe(receiver.url)
    ping = send_ping(hook, actor="ann", now=NOW)
    waits = []
    moment = NOW
    for _ in range(2):
        assert send(moment).failed == 1
        ping.refresh_from_db()
        assert ping.state == DeliveryState.WAITING
        assert (ping.error_code, ping.status) == ("http-status", 500)
        # Nothing is sent before its time.
        assert send(moment) == sending.SendSummary()
        waits.append(ping.next_attempt_at - moment)
        moment = ping.next_attempt_at
    assert timedelta(seconds=15) <= waits[0] <= timedelta(seconds=30) <= waits[1]
    assert send(moment).delivered == 1
    ping.refresh_from_db()
    assert (ping.state, ping.status, ping.error_code) == ("delivered", 204, "")
    bodies = {(m.body, m.headers["runproof-delivery"]) for m in receiver.received}
    assert bodies == {(ping.body.encode(), str(ping.pk))}


def test_a_message_that_nobody_takes_dies_with_its_reason_and_can_be_sent_again(
    listen: Callable[..., Receiver],
) -> None:
    receiver = listen(*[503] * MOST_ATTEMPTS, 204)
    hook, _secret = subscribe(receiver.url)
    ping = send_ping(hook, actor="ann", now=NOW)
    moment = NOW
    for _ in range(MOST_ATTEMPTS):
        send(moment)
        ping.refresh_from_db()
        moment = max(moment, ping.next_attempt_at)
    assert (ping.state, ping.attempts) == (DeliveryState.DEAD, MOST_ATTEMPTS)
    assert "503" in ping.error_sentence
    assert send(moment + timedelta(days=9)) == sending.SendSummary()
    retry_delivery(ping, actor="ann", now=moment)
    assert send(moment).delivered == 1
    with pytest.raises(InvalidValue, match="dead"):
        retry_delivery(WebhookDelivery.objects.get(), actor="ann", now=moment)


def test_a_process_that_died_while_sending_leaves_the_message_to_the_next(
    listen: Callable[..., Receiver],
) -> None:
    receiver = listen()
    hook, _secret = subscribe(receiver.url)
    ping = send_ping(hook, actor="ann", now=NOW)
    assert sending._take(NOW) == ping
    # Its lease stands, so that nobody sends it meanwhile; then it is free again.
    assert send(NOW + timedelta(seconds=90)).delivered == 0
    assert send(NOW + timedelta(minutes=3)).delivered == 1
    assert len(receiver.received) == 1


def test_an_address_that_came_to_mean_this_machine_is_refused(
    listen: Callable[..., Receiver], settings: Any
) -> None:
    receiver = listen()
    hook, _secret = subscribe(receiver.url)
    ping = send_ping(hook, actor="ann", now=NOW)
    settings.FETCH_LOOPBACK = False
    send(NOW)
    ping.refresh_from_db()
    assert ping.state == DeliveryState.WAITING
    assert ping.error_code
    assert receiver.received == []


def test_a_lost_site_key_is_said_and_not_signed_by_another(
    listen: Callable[..., Receiver], settings: Any
) -> None:
    receiver = listen()
    hook, _secret = subscribe(receiver.url)
    ping = send_ping(hook, actor="ann", now=NOW)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key altogether", []
    assert send(NOW).dead == 1
    ping.refresh_from_db()
    assert ping.error_code == "secret-lost"
    assert receiver.received == []


def test_a_switched_off_subscription_is_left_alone(listen: Callable[..., Receiver]) -> None:
    receiver = listen()
    hook, _secret = subscribe(receiver.url, active=False)
    make_news()
    send_ping(hook, actor="ann", now=NOW)
    assert collect_news(now=NOW) == 0
    assert send(NOW).delivered == 0
    assert receiver.received == []


def test_settled_messages_are_not_kept_for_ever(listen: Callable[..., Receiver]) -> None:
    hook, _secret = subscribe(listen().url)
    send_ping(hook, actor="ann", now=NOW)
    later = NOW + timedelta(days=31)
    assert drop_settled(now=later) == 0
    send(NOW)
    assert drop_settled(now=later) == 1


def test_the_secret_is_neither_in_the_tables_nor_in_the_audit_log(
    listen: Callable[..., Receiver],
) -> None:
    hook, secret = subscribe(listen().url)
    kept = json.dumps([list(Webhook.objects.values()), list(AuditEntry.objects.values())],
                      default=str)  # fmt: skip
    assert hook.salt in kept
    assert secret not in kept
    assert secret.removeprefix("whsec_") not in kept


def test_the_command_collects_and_sends(listen: Callable[..., Receiver]) -> None:
    receiver = listen()
    hook, _secret = subscribe(receiver.url, events=("release-published",))
    send_ping(hook, actor="ann", now=EARLIER)
    out = io.StringIO()
    call_command("deliver_webhooks", stdout=out)
    assert "delivered: 1" in out.getvalue()
    assert len(receiver.received) == 1
