"""Claims and their evidence: append-only, held so by the database."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from matrix.domain.levels import CLAIM_LEVELS, EndpointKind, EvidenceKind, Execution, Tier
from matrix.models.catalog import Framework


class SourceDocument(models.Model):
    """One version of one page, file or thread that claims rest on."""

    key = models.CharField(_("key"), max_length=400, unique=True)
    url = models.URLField(_("address"), max_length=800, blank=True)
    version = models.CharField(_("version"), max_length=80, blank=True)
    commit = models.CharField(_("commit"), max_length=64, blank=True)
    path = models.CharField(_("path"), max_length=400, blank=True)
    title = models.CharField(_("title"), max_length=300, blank=True)
    sha256 = models.CharField(_("SHA-256 of the bytes"), max_length=64, blank=True)
    stated_on = models.DateField(_("stated on"), null=True, blank=True)
    retrieved_at = models.DateTimeField(_("retrieved at"), null=True, blank=True)

    class Meta:
        ordering = ("key",)
        verbose_name = _("source document")
        verbose_name_plural = _("source documents")

    def __str__(self) -> str:
        return self.title or self.key


class ClaimQuerySet(models.QuerySet["Claim"]):
    """Selections of claims."""

    def standing(self) -> "ClaimQuerySet":
        """Claims neither superseded nor withdrawn."""
        return self.filter(superseded_at__isnull=True, withdrawn_at__isnull=True)


class Claim(models.Model):
    """One dated statement of one source about a scope; never edited, never deleted.

    A database trigger refuses deletion and any change of what was said; only confirmation
    (``last``, ``gone``), supersession and withdrawal may be written later.
    """

    uid = models.CharField(_("identifier"), max_length=64, unique=True)
    framework = models.ForeignKey(
        Framework, verbose_name=_("framework"), on_delete=models.PROTECT, related_name="claims"
    )
    source = models.CharField(_("source"), max_length=80)
    statement = models.CharField(_("statement"), max_length=400)
    scope = models.JSONField(_("scope"))
    level = models.CharField(
        _("level"), max_length=12, choices=[(level.value, level.value) for level in CLAIM_LEVELS]
    )
    execution = models.CharField(
        _("execution"), max_length=20, default=Execution.UNSTATED.value,
        choices=[(e.value, e.value) for e in Execution],
    )  # fmt: skip
    tier = models.CharField(
        _("tier"), max_length=14, default=Tier.OFFICIAL.value,
        choices=[(t.value, t.value) for t in Tier],
    )  # fmt: skip
    outcome = models.CharField(_("outcome"), max_length=20, default="unstated")
    limit = models.CharField(_("whose limit"), max_length=12, blank=True)
    kind = models.CharField(
        _("evidence kind"), max_length=24, choices=[(k.value, k.value) for k in EvidenceKind]
    )
    note = models.TextField(_("note"), blank=True)
    conditions = models.JSONField(_("conditions"), default=list, blank=True)
    first = models.CharField(_("first release"), max_length=80)
    first_kind = models.CharField(
        _("kind of first release"), max_length=14, default=EndpointKind.EXACT.value,
        choices=[(k.value, k.value) for k in EndpointKind],
    )  # fmt: skip
    after = models.CharField(_("after release"), max_length=80, blank=True)
    last = models.CharField(_("last release seen"), max_length=80)
    gone = models.CharField(_("no longer stated at release"), max_length=80, blank=True)
    gone_on = models.DateField(_("no longer stated on"), null=True, blank=True)
    open_ended = models.BooleanField(_("from this release on"), default=False)
    reference = models.CharField(_("reference"), max_length=200, blank=True)
    parser = models.CharField(_("parser or person"), max_length=120, blank=True)
    shipped = models.BooleanField(_("shipped knowledge"), default=False)
    recorded_at = models.DateTimeField(_("recorded at"))
    superseded_at = models.DateTimeField(_("superseded at"), null=True, blank=True)
    superseded_by = models.ForeignKey(
        "self", verbose_name=_("superseded by"), null=True, blank=True,
        on_delete=models.PROTECT, related_name="supersedes",
    )  # fmt: skip
    withdrawn_at = models.DateTimeField(_("withdrawn at"), null=True, blank=True)
    reason = models.TextField(_("reason of withdrawal or supersession"), blank=True)

    objects = ClaimQuerySet.as_manager()

    class Meta:
        ordering = ("uid",)
        constraints = (
            models.CheckConstraint(
                condition=~models.Q(level="partial") | ~models.Q(note=""),
                name="a_partial_claim_has_a_note",
            ),
            models.CheckConstraint(
                condition=models.Q(level__in=[level.value for level in CLAIM_LEVELS]),
                name="a_claim_has_a_claim_level",
            ),
            models.CheckConstraint(
                condition=~models.Q(first_kind="between") | ~models.Q(after=""),
                name="a_between_start_names_its_lower_end",
            ),
            models.CheckConstraint(
                condition=models.Q(superseded_at__isnull=True)
                | models.Q(superseded_at__gte=models.F("recorded_at")),
                name="a_claim_is_superseded_after_it_is_recorded",
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True) | ~models.Q(reason=""),
                name="a_withdrawal_has_a_reason",
            ),
        )
        indexes = (
            models.Index(fields=("framework", "level")),
            models.Index(fields=("source", "statement")),
            models.Index(fields=("recorded_at",)),
        )
        verbose_name = _("claim")
        verbose_name_plural = _("claims")

    def __str__(self) -> str:
        return f"{self.framework_id} {self.statement}: {self.level}"


class Observation(models.Model):
    """One document saying the claim's statement, at one release."""

    claim = models.ForeignKey(
        Claim, verbose_name=_("claim"), on_delete=models.PROTECT, related_name="observations"
    )
    document = models.ForeignKey(
        SourceDocument,
        verbose_name=_("document"),
        on_delete=models.PROTECT,
        related_name="observations",
    )
    release = models.CharField(_("release"), max_length=80)
    stated_on = models.DateField(_("stated on"))
    locator = models.JSONField(_("locator"), default=dict)
    raw = models.CharField(_("as written"), max_length=200, blank=True)
    recorded_at = models.DateTimeField(_("recorded at"))

    class Meta:
        ordering = ("claim", "stated_on", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("claim", "document", "release"), name="one_observation_per_document"
            ),
        )
        verbose_name = _("observation")
        verbose_name_plural = _("observations")

    def __str__(self) -> str:
        return f"{self.release} {self.stated_on}"


class KnowledgeRevision(models.Model):
    """The counter raised by every transaction that writes knowledge; one row, id 1."""

    number = models.PositiveBigIntegerField(_("number"), default=0)
    raised_at = models.DateTimeField(_("raised at"), auto_now=True)
    shipped_digest = models.CharField(_("digest of the shipped files"), max_length=64, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(condition=models.Q(id=1), name="there_is_one_revision_row"),
        )
        verbose_name = _("knowledge revision")
        verbose_name_plural = _("knowledge revisions")

    def __str__(self) -> str:
        return str(self.number)
