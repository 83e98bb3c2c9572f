"""Releases with their images and pins, code hosts' repositories, and maintenance periods."""

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
    removed_on = models.DateField(
        _("removed upstream on"), null=True, blank=True,
        help_text=_("Day on which a curator confirmed that the code host no longer lists it."),
    )  # fmt: skip
    feed = models.CharField(
        _("feed"), max_length=80, blank=True, help_text=_("Blank for a shipped release.")
    )
    first_seen_at = models.DateTimeField(_("first seen at"), null=True, blank=True)
    url = models.URLField(_("address"), max_length=600, blank=True)
    snapshot_sha256 = models.CharField(_("snapshot"), max_length=64, blank=True)

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


class ReleaseImage(models.Model):
    """One published container image of a release; a tag that moved has one row for each digest."""

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.CASCADE, related_name="images"
    )
    repository = models.CharField(_("image repository"), max_length=200)
    tag = models.CharField(_("tag"), max_length=128)
    digest = models.CharField(_("digest"), max_length=100)
    variant = models.CharField(_("variant"), max_length=100, blank=True)
    platforms = models.JSONField(_("platforms"), default=list, blank=True)
    pushed_at = models.DateTimeField(_("pushed at"), null=True, blank=True)
    first_seen_at = models.DateTimeField(_("first seen at"))
    snapshot_sha256 = models.CharField(_("snapshot"), max_length=64, blank=True)

    class Meta:
        ordering = ("release", "tag", "-first_seen_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("repository", "tag", "digest"), name="one_image_per_tag_and_digest"
            ),
        )
        verbose_name = _("release image")
        verbose_name_plural = _("release images")

    def __str__(self) -> str:
        return f"{self.repository}:{self.tag}"


class ReleasePin(models.Model):
    """One requirement that a file of a release states: pinned, a range, or without a version."""

    release = models.ForeignKey(
        Release, verbose_name=_("release"), on_delete=models.CASCADE, related_name="pins"
    )
    name = models.CharField(_("name"), max_length=160)
    status = models.CharField(_("status"), max_length=20)
    value = models.CharField(_("value"), max_length=300, blank=True)
    source = models.CharField(_("source"), max_length=80)
    statement = models.CharField(_("statement"), max_length=300)
    path = models.CharField(_("path"), max_length=400, blank=True)
    locator = models.JSONField(_("place"), default=dict, blank=True)
    url = models.URLField(_("address"), max_length=800, blank=True)
    snapshot_sha256 = models.CharField(_("snapshot"), max_length=64, blank=True)

    class Meta:
        ordering = ("release", "name", "statement", "value")
        constraints = (
            models.UniqueConstraint(
                fields=("release", "source", "statement", "path", "value"),
                name="one_pin_per_statement",
            ),
        )
        verbose_name = _("release pin")
        verbose_name_plural = _("release pins")

    def __str__(self) -> str:
        return f"{self.name} {self.value}".strip()


class Repository(models.Model):
    """What the code host last said about the repository of a framework.

    **Dates**: ``pushed_at`` is the host's, ``seen_at`` the moment at which it said so.
    """

    framework = models.OneToOneField(
        Framework, verbose_name=_("framework"), on_delete=models.CASCADE, related_name="code"
    )
    name = models.CharField(_("asked name"), max_length=200)
    full_name = models.CharField(_("present name"), max_length=200)
    url = models.URLField(_("address"), max_length=600, blank=True)
    archived = models.BooleanField(_("archived"), null=True)
    default_branch = models.CharField(_("default branch"), max_length=120, blank=True)
    pushed_at = models.DateTimeField(_("last push at"), null=True, blank=True)
    seen_at = models.DateTimeField(_("seen at"))
    snapshot_sha256 = models.CharField(_("snapshot"), max_length=64, blank=True)

    class Meta:
        ordering = ("framework",)
        verbose_name = _("repository")
        verbose_name_plural = _("repositories")

    def __str__(self) -> str:
        return self.full_name


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
    shipped = models.BooleanField(
        _("shipped"), default=True, help_text=_("Replaced at each load of the shipped files.")
    )
    recorded_at = models.DateTimeField(_("recorded at"), null=True, blank=True)
    snapshot_sha256 = models.CharField(_("snapshot"), max_length=64, blank=True)

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
