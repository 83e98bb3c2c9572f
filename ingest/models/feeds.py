"""How each feed stands, and when each host may be asked again."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class FeedState(models.Model):
    """The memory of one feed of the registry; its settings stay in the registry.

    **Shapes**: ``cursor`` is the feed's own bookkeeping: versions done, validators of listings.
    **Dates**: ``next_due_at`` is empty for a feed that was never polled: it is due.
    """

    name = models.CharField(_("feed"), max_length=80, unique=True)
    last_attempt_at = models.DateTimeField(_("last attempt at"), null=True, blank=True)
    last_success_at = models.DateTimeField(_("last success at"), null=True, blank=True)
    last_change_at = models.DateTimeField(_("last change at"), null=True, blank=True)
    next_due_at = models.DateTimeField(_("next due at"), null=True, blank=True)
    error_code = models.CharField(_("last error"), max_length=60, blank=True)
    error_facts = models.JSONField(_("facts of the last error"), default=dict, blank=True)
    error_sentence = models.TextField(_("last error in words"), blank=True)
    error_at = models.DateTimeField(_("last error at"), null=True, blank=True)
    failures_in_row = models.PositiveIntegerField(_("failures in a row"), default=0)
    locked_by = models.CharField(_("polled by"), max_length=120, blank=True)
    locked_until = models.DateTimeField(_("polled until at most"), null=True, blank=True)
    cursor = models.JSONField(_("progress"), default=dict, blank=True)

    class Meta:
        ordering = ("name",)
        verbose_name = _("feed state")
        verbose_name_plural = _("feed states")

    def __str__(self) -> str:
        return self.name


class HostTurn(models.Model):
    """The next moment at which any process may ask a host."""

    host = models.CharField(_("host"), max_length=255, unique=True)
    next_allowed_at = models.DateTimeField(_("next allowed at"))

    class Meta:
        ordering = ("host",)
        verbose_name = _("turn of a host")
        verbose_name_plural = _("turns of hosts")

    def __str__(self) -> str:
        return self.host
