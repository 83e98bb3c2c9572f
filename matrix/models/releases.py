"""Releases, their upstream releases, and maintenance periods."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from matrix.domain.levels import EvidenceKind, MaintenanceStatus
from matrix.models.catalog import Framework


class Release(models.Model):
    """One published version on a release line."""

    framework = models.ForeignKey(
        Framework, verbose_name=_("framework"), on_delete=models.CASCADE, related_name="releases"
    )
    version = models.CharField(_("version"), max_length=80)
    released_at = models.DateTimeField(_("released at"), help_text=_("Publication time, UTC."))
    line = models.CharField(_("release line"), max_length=20, default="stable")
    commit = models.CharField(_("commit"), max_length=64, blank=True)
    tag = models.CharField(_("tag"), max_length=80, blank=True)
    yanked = models.BooleanField(_("withdrawn from the index"), default=False)
    upstream_version = models.CharField(_("upstream version"), max_length=80, blank=True)

    class Meta:
        ordering = ("framework", "-released_at", "version")
        constraints = (
            models.UniqueConstraint(
                fields=("framework", "version"), name="one_release_per_version"
            ),
        )
        verbose_name = _("release")
        verbose_name_plural = _("releases")

    def __str__(self) -> str:
        return self.version


class MaintenancePeriod(models.Model):
    """A maintenance status of a framework or component over a span of time, with evidence."""

    framework = models.ForeignKey(
        Framework,
        verbose_name=_("framework"),
        on_delete=models.CASCADE,
        related_name="maintenance_periods",
    )
    component = models.CharField(_("component"), max_length=120, blank=True)
    status = models.CharField(
        _("status"), max_length=20, choices=[(s.value, s.value) for s in MaintenanceStatus]
    )
    start_on = models.DateField(_("from"))
    start_kind = models.CharField(_("kind of start"), max_length=20, default="exact")
    end_on = models.DateField(_("until"), null=True, blank=True)
    note = models.TextField(_("note"), blank=True)
    evidence_kind = models.CharField(
        _("evidence kind"), max_length=24, choices=[(k.value, k.value) for k in EvidenceKind]
    )
    strength = models.CharField(_("strength"), max_length=40, blank=True)
    url = models.URLField(_("address"), max_length=600, blank=True)
    commit = models.CharField(_("commit"), max_length=64, blank=True)
    locator = models.CharField(_("locator"), max_length=300, blank=True)
    stated_on = models.DateField(_("stated on"), null=True, blank=True)

    class Meta:
        ordering = ("framework", "component", "start_on")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(end_on__isnull=True)
                | models.Q(end_on__gte=models.F("start_on")),
                name="a_period_ends_after_its_start",
            ),
        )
        verbose_name = _("maintenance period")
        verbose_name_plural = _("maintenance periods")

    def __str__(self) -> str:
        return f"{self.framework_id} {self.status} {self.start_on}"
