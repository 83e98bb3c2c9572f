"""Selection dossiers: what was needed, who was a candidate, what was decided, and why.

A draft may change; a frozen dossier and everything that belongs to its content may not, and
comments, sign-offs and re-checks are append-only. Database triggers hold all of that.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

LONGEST_UID = 24


class DossierQuerySet(models.QuerySet["Dossier"]):
    """Selections of dossiers."""

    def named(self, uid: str) -> "DossierQuerySet":
        """The one of an identifier; none where the text cannot be one."""
        could_be = uid.isascii() and uid.isprintable() and len(uid) <= LONGEST_UID
        return self.filter(uid=uid) if could_be else self.none()

    def frozen(self) -> "DossierQuerySet":
        """Those whose content is fixed."""
        return self.filter(state="frozen")

    def current(self) -> "DossierQuerySet":
        """The newest version of each: those that no other one replaces."""
        return self.filter(replaced_by__isnull=True)


class Dossier(models.Model):
    """One version of one selection decision.

    **Shapes**: ``need`` holds the workload, objectives, hardware on hand, required features and
    operating limits (see docs/dossiers.md); ``content`` is everything that was frozen.
    **Dates**: ``as_of`` is the question date, ``known_at`` the time up to which recorded knowledge
    counts; both are pinned at the latest when the dossier is frozen. ``recheck_on`` is a day.
    """

    uid = models.CharField(_("identifier"), max_length=LONGEST_UID, unique=True)
    series = models.CharField(_("identifier of all its versions"), max_length=24)
    version = models.PositiveIntegerField(_("version"), default=1)
    replaces = models.OneToOneField(
        "self", verbose_name=_("replaces"), null=True, blank=True,
        on_delete=models.PROTECT, related_name="replaced_by",
    )  # fmt: skip
    title = models.CharField(_("title"), max_length=200)
    summary = models.TextField(_("summary"), blank=True)
    state = models.CharField(
        _("state"), max_length=8, default="draft",
        choices=[("draft", _("draft")), ("frozen", _("frozen"))],
    )  # fmt: skip
    is_demonstration = models.BooleanField(_("demonstration"), default=False)
    need = models.JSONField(_("need"), default=dict, blank=True)
    as_of = models.DateField(_("as of"), null=True, blank=True)
    known_at = models.DateTimeField(_("known at"), null=True, blank=True)
    ruleset = models.CharField(_("rule set"), max_length=20, blank=True)
    revision = models.PositiveBigIntegerField(_("knowledge revision"), null=True, blank=True)
    decision = models.TextField(_("decision"), blank=True)
    recheck_on = models.DateField(_("re-check on"), null=True, blank=True)
    # Raised by every change of a draft, so that two people cannot overwrite each other unseen.
    edition = models.PositiveIntegerField(_("edition"), default=0)
    content = models.JSONField(_("frozen content"), null=True, blank=True)
    content_sha256 = models.CharField(_("SHA-256 of the content"), max_length=64, blank=True)
    opened_by = models.CharField(_("opened by"), max_length=150)
    opened_at = models.DateTimeField(_("opened at"))
    frozen_by = models.CharField(_("frozen by"), max_length=150, blank=True)
    frozen_at = models.DateTimeField(_("frozen at"), null=True, blank=True)

    objects = DossierQuerySet.as_manager()

    class Meta:
        ordering = ("-opened_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("series", "version"), name="one_dossier_per_version_of_a_series"
            ),
            models.CheckConstraint(
                condition=models.Q(state="draft")
                | (
                    models.Q(
                        state="frozen",
                        content__isnull=False,
                        frozen_at__isnull=False,
                        as_of__isnull=False,
                        known_at__isnull=False,
                    )
                    & ~models.Q(content_sha256="")
                ),
                name="a_frozen_dossier_has_its_content",
            ),
        )
        indexes = (models.Index(fields=("state", "recheck_on")),)
        verbose_name = _("dossier")
        verbose_name_plural = _("dossiers")

    def __str__(self) -> str:
        return self.title


class DossierCandidate(models.Model):
    """One combination that could be chosen.

    **Shapes**: ``words`` is a list of [parameter, value], a question as the cell page takes it;
    ``layout`` the degrees of parallelism and memory options; ``effort`` stated engineering cost
    (counts and notes).
    """

    dossier = models.ForeignKey(
        Dossier, verbose_name=_("dossier"), on_delete=models.CASCADE, related_name="candidates"
    )
    position = models.PositiveSmallIntegerField(_("position"))
    name = models.CharField(_("name"), max_length=120)
    words = models.JSONField(_("question"), default=list)
    layout = models.JSONField(_("layout"), default=dict, blank=True)
    effort = models.JSONField(_("engineering cost"), default=dict, blank=True)
    note = models.TextField(_("note"), blank=True)
    is_chosen = models.BooleanField(_("chosen"), default=False)

    class Meta:
        ordering = ("dossier", "position")
        constraints = (
            models.UniqueConstraint(
                fields=("dossier", "name"), name="one_candidate_per_name_in_a_dossier"
            ),
        )
        verbose_name = _("candidate")
        verbose_name_plural = _("candidates")

    def __str__(self) -> str:
        return self.name


class DossierCriterion(models.Model):
    """What candidates are held against: a knock-out, or a weighted criterion.

    **Shapes**: ``check`` is the code of an automatic check (``verdict``, ``memory-fit``, …) or
    empty for a judgement of people; ``threshold`` its parameters.
    **Units**: ``weight_percent`` of the scored total; 0 for knock-outs.
    """

    dossier = models.ForeignKey(
        Dossier, verbose_name=_("dossier"), on_delete=models.CASCADE, related_name="criteria"
    )
    position = models.PositiveSmallIntegerField(_("position"))
    name = models.CharField(_("name"), max_length=200)
    kind = models.CharField(
        _("kind"), max_length=10,
        choices=[("knock-out", _("knock-out")), ("weighted", _("weighted"))],
    )  # fmt: skip
    check_code = models.CharField(_("automatic check"), max_length=40, blank=True)
    threshold = models.JSONField(_("threshold"), default=dict, blank=True)
    weight_percent = models.PositiveSmallIntegerField(_("weight in percent"), default=0)
    note = models.TextField(_("note"), blank=True)

    class Meta:
        ordering = ("dossier", "position")
        constraints = (
            models.UniqueConstraint(
                fields=("dossier", "name"), name="one_criterion_per_name_in_a_dossier"
            ),
            models.CheckConstraint(
                condition=models.Q(weight_percent__lte=100), name="a_weight_is_at_most_100_percent"
            ),
        )
        verbose_name = _("criterion")
        verbose_name_plural = _("criteria")

    def __str__(self) -> str:
        return self.name


class DossierScore(models.Model):
    """How people judge a candidate on a criterion. **Units**: ``points`` from 0 to 4."""

    dossier = models.ForeignKey(
        Dossier, verbose_name=_("dossier"), on_delete=models.CASCADE, related_name="scores"
    )
    candidate = models.ForeignKey(
        DossierCandidate, verbose_name=_("candidate"), on_delete=models.CASCADE,
        related_name="scores",
    )  # fmt: skip
    criterion = models.ForeignKey(
        DossierCriterion, verbose_name=_("criterion"), on_delete=models.CASCADE,
        related_name="scores",
    )  # fmt: skip
    points = models.PositiveSmallIntegerField(_("points"), null=True, blank=True)
    passes = models.BooleanField(_("passes"), null=True, blank=True)
    note = models.TextField(_("reason"), blank=True)
    scored_by = models.CharField(_("by"), max_length=150)
    scored_at = models.DateTimeField(_("at"))

    class Meta:
        ordering = ("criterion", "candidate")
        constraints = (
            models.UniqueConstraint(
                fields=("candidate", "criterion"), name="one_score_per_candidate_and_criterion"
            ),
            models.CheckConstraint(
                condition=models.Q(points__isnull=True) | models.Q(points__lte=4),
                name="a_score_is_at_most_4_points",
            ),
        )
        verbose_name = _("score")
        verbose_name_plural = _("scores")

    def __str__(self) -> str:
        return f"{self.candidate_id} {self.criterion_id}"


class DossierWaiver(models.Model):
    """A knock-out or gap that is accepted for a time, with the plan that ends it."""

    dossier = models.ForeignKey(
        Dossier, verbose_name=_("dossier"), on_delete=models.CASCADE, related_name="waivers"
    )
    candidate = models.ForeignKey(
        DossierCandidate, verbose_name=_("candidate"), on_delete=models.CASCADE,
        related_name="waivers",
    )  # fmt: skip
    criterion = models.ForeignKey(
        DossierCriterion, verbose_name=_("criterion"), null=True, blank=True,
        on_delete=models.CASCADE, related_name="waivers",
    )  # fmt: skip
    reason = models.TextField(_("reason"))
    removal_plan = models.TextField(_("plan to remove it"))
    remove_by = models.DateField(_("remove by"))
    granted_by = models.CharField(_("granted by"), max_length=150)
    granted_at = models.DateTimeField(_("granted at"))

    class Meta:
        ordering = ("remove_by", "id")
        constraints = (
            models.CheckConstraint(
                condition=~models.Q(reason="") & ~models.Q(removal_plan=""),
                name="a_waiver_has_a_reason_and_a_plan",
            ),
        )
        verbose_name = _("waiver")
        verbose_name_plural = _("waivers")

    def __str__(self) -> str:
        return self.reason[:60]


class DossierComment(models.Model):
    """One contribution to the discussion of a dossier; append-only."""

    dossier = models.ForeignKey(
        Dossier, verbose_name=_("dossier"), on_delete=models.CASCADE, related_name="comments"
    )
    author = models.CharField(_("author"), max_length=150)
    at = models.DateTimeField(_("at"))
    text = models.TextField(_("text"))

    class Meta:
        ordering = ("at", "id")
        verbose_name = _("comment")
        verbose_name_plural = _("comments")

    def __str__(self) -> str:
        return self.text[:60]


class DossierSignOff(models.Model):
    """One person's word on a frozen content, named by its hash; append-only."""

    dossier = models.ForeignKey(
        Dossier, verbose_name=_("dossier"), on_delete=models.PROTECT, related_name="sign_offs"
    )
    content_sha256 = models.CharField(_("SHA-256 of the content"), max_length=64)
    person = models.CharField(_("name"), max_length=150)
    role = models.CharField(_("role"), max_length=150, blank=True)
    stance = models.CharField(
        _("stance"), max_length=8,
        choices=[
            ("agree", _("agrees")), ("dissent", _("dissents")), ("abstain", _("abstains")),
        ],
    )  # fmt: skip
    statement = models.TextField(_("statement"), blank=True)
    recorded_by = models.CharField(_("recorded by"), max_length=150)
    at = models.DateTimeField(_("at"))

    class Meta:
        ordering = ("at", "id")
        constraints = (
            models.CheckConstraint(
                condition=~models.Q(stance="dissent") | ~models.Q(statement=""),
                name="a_dissent_says_why",
            ),
        )
        verbose_name = _("sign-off")
        verbose_name_plural = _("sign-offs")

    def __str__(self) -> str:
        return f"{self.person} {self.stance}"


class DossierRecheck(models.Model):
    """What had changed since a dossier was frozen, as found on a day; append-only.

    **Shapes**: ``changes`` is a list of objects with ``kind``, ``candidate`` and what changed from
    what to what (see docs/dossiers.md).
    """

    dossier = models.ForeignKey(
        Dossier, verbose_name=_("dossier"), on_delete=models.PROTECT, related_name="rechecks"
    )
    as_of = models.DateField(_("as of"))
    revision = models.PositiveBigIntegerField(_("knowledge revision"))
    ruleset = models.CharField(_("rule set"), max_length=20)
    changes = models.JSONField(_("changes"), default=list)
    next_on = models.DateField(_("next re-check on"), null=True, blank=True)
    note = models.TextField(_("note"), blank=True)
    checked_by = models.CharField(_("checked by"), max_length=150)
    at = models.DateTimeField(_("at"))

    class Meta:
        ordering = ("-at", "-id")
        verbose_name = _("re-check")
        verbose_name_plural = _("re-checks")

    def __str__(self) -> str:
        return f"{self.dossier_id} {self.as_of}"
