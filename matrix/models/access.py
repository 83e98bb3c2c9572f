"""Access tokens and the audit log."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class ApiToken(models.Model):
    """A token of a user: only its hash is kept, the token itself is shown once."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.CASCADE,
        related_name="api_tokens",
    )
    name = models.CharField(_("name"), max_length=80)
    prefix = models.CharField(_("first characters"), max_length=12)
    digest = models.CharField(_("SHA-256 of the token"), max_length=64, unique=True)
    scopes = models.JSONField(_("scopes"), default=list)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires at"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used at"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"


class AuditEntry(models.Model):
    """Who changed what, when, from what to what."""

    at = models.DateTimeField(_("at"), auto_now_add=True)
    actor = models.CharField(_("actor"), max_length=150)
    action = models.CharField(_("action"), max_length=60)
    subject = models.CharField(_("subject"), max_length=200)
    before = models.JSONField(_("before"), default=dict, blank=True)
    after = models.JSONField(_("after"), default=dict, blank=True)

    class Meta:
        ordering = ("-at", "-id")
        indexes = (models.Index(fields=("subject",)),)
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d} {self.actor} {self.action} {self.subject}"
