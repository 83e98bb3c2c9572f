"""Tests that people ran by hand, kept as documents of their own."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class ManualTest(models.Model):
    """One test run by hand: what was run, what was expected and seen, and where; never edited.

    Its texts hold masks where secrets, people or machines stood. **Shapes**: ``environment`` is a
    list of objects with ``name``, ``value`` and ``how`` (declared, observed, not-captured). A
    database trigger refuses change and deletion.
    """

    uid = models.CharField(_("identifier"), max_length=24, unique=True)
    framework = models.CharField(_("framework"), max_length=160)
    version = models.CharField(_("version"), max_length=80)
    title = models.CharField(_("title"), max_length=300)
    ran_on = models.DateField(_("run on"))
    command = models.TextField(_("command"))
    expected = models.TextField(_("expected"), blank=True)
    observed = models.TextField(_("observed"))
    environment = models.JSONField(_("environment"), default=list)
    pasted = models.TextField(_("pasted output"), blank=True)
    author = models.CharField(_("author"), max_length=150)
    recorded_at = models.DateTimeField(_("recorded at"))

    class Meta:
        ordering = ("-recorded_at", "-id")
        indexes = (models.Index(fields=("framework", "version")),)
        verbose_name = _("manual test")
        verbose_name_plural = _("manual tests")

    def __str__(self) -> str:
        return self.title
