"""Which pages are known at which version, and what each rule made of them."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from ingest.domain.review import PageState
from ingest.models.snapshots import Snapshot

_STATES = [(state.value, state.value) for state in PageState]


class PageRecord(models.Model):
    """One page of one framework at one version.

    **Shapes**: ``release`` is the catalogue release it is observed at (empty when none is known).
    **Dates**: ``stated_on`` is the day the page speaks for, ``retrieved_at`` moves with every
    confirmation of the same bytes.
    """

    feed = models.CharField(_("feed"), max_length=80, blank=True, db_index=True)
    framework = models.CharField(_("framework"), max_length=160)
    version = models.CharField(_("version"), max_length=120)
    path = models.CharField(_("path"), max_length=400)
    url = models.URLField(_("address"), max_length=800, blank=True)
    commit = models.CharField(_("commit"), max_length=64, blank=True)
    release = models.CharField(_("release"), max_length=80, blank=True)
    stated_on = models.DateField(_("stated on"), null=True, blank=True)
    snapshot = models.ForeignKey(
        Snapshot, verbose_name=_("snapshot"), null=True, blank=True,
        on_delete=models.PROTECT, related_name="pages",
    )  # fmt: skip
    state = models.CharField(
        _("state"), max_length=12, choices=_STATES, default=PageState.UNREAD.value
    )
    retrieved_at = models.DateTimeField(_("retrieved at"), null=True, blank=True)
    read_at = models.DateTimeField(_("read at"), null=True, blank=True)

    class Meta:
        ordering = ("framework", "version", "path")
        constraints = (
            models.UniqueConstraint(
                fields=("framework", "version", "path"), name="one_record_per_page"
            ),
        )
        indexes = (models.Index(fields=("framework", "state")),)
        verbose_name = _("page")
        verbose_name_plural = _("pages")

    def __str__(self) -> str:
        return f"{self.framework} {self.version} {self.path}"


class RuleRecord(models.Model):
    """What one rule of a source read from a page last.

    **Shapes**: ``profile`` is the shape of the page as accepted (drift is measured against it);
    ``unknown_words`` are pairs of axis and word; ``fingerprint`` names the words and releases
    that were known when it was read.
    """

    page = models.ForeignKey(
        PageRecord, verbose_name=_("page"), on_delete=models.CASCADE, related_name="rules"
    )
    source = models.CharField(_("source"), max_length=80)
    rule = models.CharField(_("rule"), max_length=80)
    parser = models.CharField(_("parser"), max_length=120)
    snapshot_sha256 = models.CharField(_("snapshot read"), max_length=64)
    fingerprint = models.CharField(_("vocabulary"), max_length=64, blank=True)
    state = models.CharField(
        _("state"), max_length=12, choices=_STATES, default=PageState.ACCEPTED.value
    )
    findings = models.PositiveIntegerField(_("findings"), default=0)
    unknown_words = models.JSONField(_("unknown words"), default=list, blank=True)
    profile = models.JSONField(_("profile"), default=dict, blank=True)
    read_at = models.DateTimeField(_("read at"))

    class Meta:
        ordering = ("page", "source", "rule")
        constraints = (
            models.UniqueConstraint(
                fields=("page", "source", "rule"), name="one_record_per_page_and_rule"
            ),
        )
        indexes = (models.Index(fields=("source", "rule", "state")),)
        verbose_name = _("reading of a page")
        verbose_name_plural = _("readings of pages")

    def __str__(self) -> str:
        return f"{self.source}:{self.rule}"
