"""The bytes as they came, by their hash, and each time they were taken."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Snapshot(models.Model):
    """Bytes under their SHA-256: kept for ever, never changed; a trigger refuses anything else.

    **Shapes**: ``git_blob`` is the name that git gives to the same bytes, so that a listing of a
    tag shows which files need no fetching.
    """

    sha256 = models.CharField(_("SHA-256"), max_length=64, primary_key=True)
    body = models.BinaryField(_("bytes"))
    size_bytes = models.PositiveBigIntegerField(_("size in bytes"))
    git_blob = models.CharField(_("git blob"), max_length=64, db_index=True)
    media_type = models.CharField(_("media type"), max_length=100, blank=True)
    charset = models.CharField(_("charset"), max_length=40, blank=True)
    first_seen_at = models.DateTimeField(_("first seen at"))

    class Meta:
        ordering = ("-first_seen_at", "sha256")
        verbose_name = _("snapshot")
        verbose_name_plural = _("snapshots")

    def __str__(self) -> str:
        return self.sha256[:12]


class Retrieval(models.Model):
    """One time that bytes were taken or confirmed: where, when and with which headers."""

    feed = models.CharField(_("feed"), max_length=80, blank=True)
    url = models.URLField(_("address"), max_length=800, blank=True)
    final_url = models.URLField(_("address after redirects"), max_length=800, blank=True)
    status = models.PositiveSmallIntegerField(_("HTTP status"), default=0)
    headers = models.JSONField(_("headers"), default=dict, blank=True)
    snapshot = models.ForeignKey(
        Snapshot, verbose_name=_("snapshot"), on_delete=models.PROTECT, related_name="retrievals"
    )
    framework = models.CharField(_("framework"), max_length=160, blank=True)
    version = models.CharField(_("version"), max_length=120, blank=True)
    path = models.CharField(_("path"), max_length=400, blank=True)
    retrieved_at = models.DateTimeField(_("retrieved at"))

    class Meta:
        ordering = ("-retrieved_at", "-id")
        indexes = (
            models.Index(fields=("feed", "url")),
            models.Index(fields=("framework", "version", "path")),
        )
        verbose_name = _("retrieval")
        verbose_name_plural = _("retrievals")

    def __str__(self) -> str:
        return f"{self.retrieved_at:%Y-%m-%d} {self.url}"
