"""Webhooks over REST: managed by curators, whether they read or write."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from ingest.api.permissions import MayReview
from ingest.domain.news import SUBSCRIBABLE, DeliveryState, EventKind
from ingest.models import Webhook, WebhookDelivery
from ingest.webhooks import subscriptions
from ingest.webhooks.subscriptions import Wish, webhook_plain
from matrix.api.base import Endpoint
from matrix.api.body_problems import invalid_member
from matrix.api.errors import MalformedJSON, NoSuchThing
from matrix.api.renderers import json_bytes
from matrix.api.schemas.forms import (
    Form,
    StrictForm,
    Word,
    maybe_moment,
    maybe_text,
    text,
    texts,
    word_of,
)
from matrix.domain.errors import UnknownName
from matrix.domain.phrases import Phrase
from matrix.index import current_knowledge

MOST_DELIVERIES = 100


class WebhookAnswer(Form):
    """A subscription."""

    id = serializers.IntegerField()
    name = text()
    url = text()
    events = serializers.ListField(child=Word(choices=[k.value for k in SUBSCRIBABLE]))
    frameworks = texts(help_text="Slugs; empty for all.")
    active = serializers.BooleanField()
    created_by = text()
    created_at = serializers.DateTimeField()


class WebhookSecretAnswer(WebhookAnswer):
    """A subscription with its secret."""

    secret = text(help_text="Shown this once.")


class WebhookListAnswer(Form):
    """All subscriptions."""

    results = WebhookAnswer(many=True)


class WebhookInput(StrictForm):
    """What a subscription shall be."""

    name = serializers.CharField(max_length=80)
    url = serializers.CharField(max_length=600)
    events = serializers.ListField(child=Word(choices=[k.value for k in SUBSCRIBABLE]))
    frameworks = serializers.ListField(
        child=serializers.CharField(max_length=160), required=False, default=list, max_length=200
    )
    active = serializers.BooleanField(required=False, default=True)


class DeliveryAnswer(Form):
    """One message on its way."""

    id = serializers.UUIDField()
    event = word_of(EventKind)
    state = word_of(DeliveryState)
    attempts = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    next_attempt_at = maybe_moment(help_text="Null unless it waits.")
    delivered_at = maybe_moment()
    status = serializers.IntegerField(allow_null=True, help_text="Status of the last answer.")
    error_code = maybe_text()
    error_sentence = maybe_text(help_text="Why the last try failed; of a dead one, why it died.")


class DeliveryListAnswer(Form):
    """The newest messages of a subscription."""

    results = DeliveryAnswer(many=True)


class WebhookList(Endpoint):
    """All subscriptions."""

    permission_classes = [MayReview]

    @extend_schema(operation_id="webhooks_list", responses=WebhookListAnswer)
    def get(self, request: Request) -> HttpResponse:
        """All subscriptions, without secrets."""
        return _private({"results": [webhook_plain(row) for row in Webhook.objects.all()]})

    @extend_schema(
        operation_id="webhooks_create",
        request=WebhookInput,
        responses={201: WebhookSecretAnswer},
    )
    def post(self, request: Request) -> HttpResponse:
        """Creates a subscription; the answer is the only one that shows its secret."""
        wish = _read_wish(request.data)
        row, secret = subscriptions.create_webhook(wish, actor=_actor(request), now=timezone.now())
        return _private({**webhook_plain(row), "secret": secret}, status=201)


class WebhookOne(Endpoint):
    """One subscription."""

    permission_classes = [MayReview]

    @extend_schema(operation_id="webhooks_retrieve", responses=WebhookAnswer)
    def get(self, request: Request, pk: int) -> HttpResponse:
        """The subscription, without its secret."""
        return _private(webhook_plain(_find(pk)))

    @extend_schema(operation_id="webhooks_update", request=WebhookInput, responses=WebhookAnswer)
    def put(self, request: Request, pk: int) -> HttpResponse:
        """Changes the subscription; its secret stays."""
        row = subscriptions.change_webhook(
            _find(pk), _read_wish(request.data), actor=_actor(request), now=timezone.now()
        )
        return _private(webhook_plain(row))

    @extend_schema(operation_id="webhooks_destroy", responses={204: None})
    def delete(self, request: Request, pk: int) -> HttpResponse:
        """Removes the subscription with its messages."""
        subscriptions.remove_webhook(_find(pk), actor=_actor(request))
        return HttpResponse(status=204)


class WebhookSecret(Endpoint):
    """A new secret of a subscription."""

    permission_classes = [MayReview]

    @extend_schema(
        operation_id="webhooks_rotate_secret", request=None, responses=WebhookSecretAnswer
    )
    def post(self, request: Request, pk: int) -> HttpResponse:
        """Makes a new secret, shows it this once, and signs by it from now on."""
        row = _find(pk)
        secret = subscriptions.rotate_secret(row, actor=_actor(request))
        return _private({**webhook_plain(row), "secret": secret})


class WebhookPing(Endpoint):
    """A message to try an address."""

    permission_classes = [MayReview]

    @extend_schema(operation_id="webhooks_ping", request=None, responses={202: DeliveryAnswer})
    def post(self, request: Request, pk: int) -> HttpResponse:
        """Puts a message on its way that says nothing but that it arrived."""
        sent = subscriptions.send_ping(_find(pk), actor=_actor(request), now=timezone.now())
        return _private(delivery_plain(sent), status=202)


class WebhookDeliveries(Endpoint):
    """The newest messages of a subscription."""

    permission_classes = [MayReview]

    @extend_schema(operation_id="webhooks_deliveries_list", responses=DeliveryListAnswer)
    def get(self, request: Request, pk: int) -> HttpResponse:
        """The newest 100 messages, with the reason where one failed."""
        rows = _find(pk).deliveries.defer("body")[:MOST_DELIVERIES]
        return _private({"results": [delivery_plain(row) for row in rows]})


class WebhookRetry(Endpoint):
    """A dead message that is to be tried again."""

    permission_classes = [MayReview]

    @extend_schema(
        operation_id="webhooks_deliveries_retry", request=None, responses={202: DeliveryAnswer}
    )
    def post(self, request: Request, pk: int, delivery: UUID) -> HttpResponse:
        """Puts a dead message on its way again, with all its tries."""
        row = _find(pk).deliveries.filter(pk=delivery).first()
        if row is None:
            raise NoSuchThing(what=Phrase("delivery"), value=str(delivery))
        row = subscriptions.retry_delivery(row, actor=_actor(request), now=timezone.now())
        return _private(delivery_plain(row), status=202)


def _find(pk: int) -> Webhook:
    row = Webhook.objects.filter(pk=pk).first() if pk < 2**63 else None
    if row is None:
        raise NoSuchThing(what=Phrase("webhook"), value=str(pk))
    return row


def _actor(request: Request) -> str:
    return str(request.user.get_username())


def _read_wish(data: Any) -> Wish:
    """The wish of a body; names of frameworks become slugs.

    **Raises**: ``MalformedJSON``, ``InvalidValue``, ``UnknownName``.
    """
    if not isinstance(data, Mapping):
        raise MalformedJSON(Phrase("it is a {name}; accepted: an object", name=type(data).__name__))
    form = WebhookInput(data=data)
    if not form.is_valid():
        raise invalid_member(
            form.errors, data, accepted=Phrase("name, url, events, frameworks and active")
        )
    values = form.validated_data
    return Wish(
        name=values["name"],
        url=values["url"],
        events=values["events"],
        frameworks=[_framework(word) for word in values["frameworks"]],
        active=values["active"],
    )


def _framework(word: str) -> str:
    catalogue = current_knowledge().catalogue
    if word in catalogue.area("framework"):
        return word
    table = catalogue.vocabulary.table("framework")
    found = table.find(word)
    if len(found) != 1:
        raise UnknownName(axis="framework", value=word[:80], nearest=table.nearest(word[:80]))
    return found[0]


def delivery_plain(row: WebhookDelivery) -> dict[str, Any]:
    """One message without its body."""
    waiting = row.state == DeliveryState.WAITING
    return {
        "id": str(row.pk),
        "event": row.event,
        "state": row.state,
        "attempts": row.attempts,
        "created_at": _iso(row.created_at),
        "next_attempt_at": _iso(row.next_attempt_at) if waiting else None,
        "delivered_at": _iso(row.delivered_at),
        "status": row.status,
        "error_code": row.error_code or None,
        "error_sentence": row.error_sentence or None,
    }


def _iso(moment: Any) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None


def _private(data: Any, *, status: int = 200) -> HttpResponse:
    response = HttpResponse(json_bytes(data), content_type="application/json", status=status)
    response["Cache-Control"] = "no-store"
    return response
