"""Who is told of news over HTTP, and each message on its way."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from ingest.domain.news import DeliveryState


class Webhook(models.Model):
    """One subscription of a receiver.

    **Shapes**: the secret itself is not kept: it follows from the site's key and ``salt``;
    ``secret_digest`` tells whether it still is the one that was shown. ``events`` are the words of
    ``ingest.domain.news.EventKind``; ``frameworks`` are slugs, empty for all.
    **Dates**: news up to ``collected_until`` was put on its way.
    """

    name = models.CharField(_("name"), max_length=80)
    url = models.URLField(_("address"), max_length=600)
    events = models.JSONField(_("events"), default=list)
    frameworks = models.JSONField(_("frameworks"), default=list, blank=True)
    active = models.BooleanField(_("active"), default=True)
    salt = models.CharField(_("salt"), max_length=64)
    secret_digest = models.CharField(_("digest of the secret"), max_length=64)
    created_by = models.CharField(_("created by"), max_length=150)
    created_at = models.DateTimeField(_("created at"))
    collected_until = models.DateTimeField(_("collected until"))

    class Meta:
        ordering = ("id",)
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")

    def __str__(self) -> str:
        return self.name


class WebhookDelivery(models.Model):
    """One message to one receiver; sent until the receiver takes it or the tries are used up.

    **Shapes**: ``event_key`` names the piece of news, so that it is put on its way once;
    ``body`` is what is signed and sent, byte for byte.
    **Dates**: ``leased_until`` is set while a process sends it; after it another one may.
    """

    id = models.UUIDField(_("identifier"), primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(
        Webhook, verbose_name=_("webhook"), on_delete=models.CASCADE, related_name="deliveries"
    )
    event = models.CharField(_("event"), max_length=40)
    event_key = models.CharField(_("piece of news"), max_length=64)
    body = models.TextField(_("body"))
    state = models.CharField(
        _("state"), max_length=10, default=DeliveryState.WAITING.value,
        choices=[(s.value, s.value) for s in DeliveryState],
    )  # fmt: skip
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    created_at = models.DateTimeField(_("created at"))
    next_attempt_at = models.DateTimeField(_("next attempt at"))
    leased_until = models.DateTimeField(_("being sent until"), null=True, blank=True)
    delivered_at = models.DateTimeField(_("delivered at"), null=True, blank=True)
    status = models.PositiveIntegerField(_("status of the answer"), null=True, blank=True)
    error_code = models.CharField(_("last error"), max_length=60, blank=True)
    error_sentence = models.TextField(_("last error in words"), blank=True)

    class Meta:
        ordering = ("-created_at", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("webhook", "event_key"), name="one_delivery_per_webhook_and_news"
            ),
        )
        indexes = (models.Index(fields=("state", "next_attempt_at")),)
        verbose_name = _("webhook delivery")
        verbose_name_plural = _("webhook deliveries")

    def __str__(self) -> str:
        return f"{self.event} {self.pk}"
