"""What waits for a curator, and what was decided."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from ingest.domain.review import ItemKind, ItemState


class ReviewItem(models.Model):
    """One question to a curator; decided once, and never asked again of the same bytes.

    **Shapes**: ``identity`` is a digest over what the item is about, the bytes included.
    ``old`` and ``new`` are what is on record and what the page says now (lists under
    ``statements``), or the facts of an alarm. ``locator`` is the place in the snapshot.
    """

    identity = models.CharField(_("identity"), max_length=64, unique=True)
    kind = models.CharField(
        _("kind"), max_length=20, choices=[(k.value, k.value) for k in ItemKind]
    )
    state = models.CharField(
        _("state"), max_length=10, default=ItemState.OPEN.value,
        choices=[(s.value, s.value) for s in ItemState],
    )  # fmt: skip
    feed = models.CharField(_("feed"), max_length=80, blank=True)
    source = models.CharField(_("source"), max_length=80, blank=True)
    rule = models.CharField(_("rule"), max_length=80, blank=True)
    framework = models.CharField(_("framework"), max_length=160, blank=True)
    version = models.CharField(_("version"), max_length=120, blank=True)
    release = models.CharField(_("release"), max_length=80, blank=True)
    path = models.CharField(_("path"), max_length=400, blank=True)
    url = models.URLField(_("address"), max_length=800, blank=True)
    statement = models.CharField(_("statement"), max_length=400, blank=True)
    code = models.CharField(_("code"), max_length=60, blank=True)
    sentence = models.TextField(_("in words"), blank=True)
    old = models.JSONField(_("on record"), default=dict, blank=True)
    new = models.JSONField(_("read now"), default=dict, blank=True)
    locator = models.JSONField(_("place"), default=dict, blank=True)
    snapshot_sha256 = models.CharField(_("snapshot"), max_length=64, blank=True)
    opened_at = models.DateTimeField(_("opened at"))
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    decided_by = models.CharField(_("decided by"), max_length=150, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    claim_uid = models.CharField(_("claim recorded instead"), max_length=64, blank=True)

    class Meta:
        ordering = ("-opened_at", "id")
        constraints = (
            models.CheckConstraint(
                condition=~models.Q(state__in=("rejected", "edited")) | ~models.Q(reason=""),
                name="a_refusal_has_a_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(state="open") | models.Q(decided_at__isnull=False),
                name="a_decision_has_a_date",
            ),
        )
        indexes = (
            models.Index(fields=("state", "kind")),
            models.Index(fields=("framework", "state")),
            models.Index(fields=("source", "rule", "version")),
        )
        verbose_name = _("review item")
        verbose_name_plural = _("review items")

    def __str__(self) -> str:
        return f"{self.kind} {self.framework} {self.version} {self.statement}".strip()
