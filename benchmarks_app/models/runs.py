"""Runs: what was measured, on what, and how; published ones never change."""

from datetime import date, datetime, timedelta

from django.db import models
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.levels import LoadMode, RunClass, RunOutcome, RunState, RunStatus
from benchmarks_app.models.uploads import Upload, UploadFile


def _choices(values: type) -> list[tuple[str, str]]:
    return [(one.value, one.value) for one in values]  # type: ignore[attr-defined]


# A run whose day nobody knows stands behind all others in an order of days.
MEASURED_DAY = Coalesce("measured_on", models.Value(date.min))


class RunQuerySet(models.QuerySet["Run"]):
    """Selections of runs."""

    def public(self) -> "RunQuerySet":
        """Runs that everybody may see: published, withdrawn and replaced ones."""
        return self.exclude(state=RunState.DRAFT.value)

    def standing(self, at: datetime | None = None) -> "RunQuerySet":
        """Published runs that were neither withdrawn nor replaced, now or at a moment."""
        if at is None:
            return self.filter(state=RunState.PUBLISHED.value)
        later = models.Q(ended_at__isnull=True) | models.Q(ended_at__gt=at)
        return self.public().filter(later, published_at__lte=at)

    def measured_by(self, day: date | None) -> "RunQuerySet":
        """Runs of a day and before, and those of no known day; all of them without a day.

        The day of a run is that of its writer's zone, which may be one ahead.
        """
        if day is None:
            return self
        undated = models.Q(measured_on__isnull=True)
        return self.filter(undated | models.Q(measured_on__lte=day + timedelta(days=1)))


class Run(models.Model):
    """One run in canonical units, as one or several files tell it.

    A database trigger refuses any change of what a published run says; its state, its reason and
    the catalogue nodes that its names mean may be written later.

    **Shapes**: ``facts`` map fact names to objects with value, origin, pointer; ``load``,
    ``requests`` and ``tokens`` hold only what is known; ``failures`` count kinds of errors;
    ``notices`` are objects with code, detail, pointer; ``unmapped`` and ``withheld`` as in
    ``UploadFile``. The node columns hold catalogue slugs, empty while a name is unknown.
    **Units**: rates per second, lengths in tokens (see ``contract.Load``).
    **Dates**: ``measured_at`` is the run's own clock when its zone is known;
    ``measured_on`` its day, in the zone of the writer where the zone is unknown.
    """

    uid = models.CharField(_("identifier"), max_length=24, unique=True)
    upload = models.ForeignKey(
        Upload, verbose_name=_("upload"), on_delete=models.PROTECT, related_name="runs"
    )
    number = models.PositiveIntegerField(_("number in its upload"))
    version = models.PositiveIntegerField(_("version"), default=1)
    replaces = models.OneToOneField(
        "self", verbose_name=_("replaces"), null=True, blank=True, on_delete=models.PROTECT,
        related_name="replaced_by",
    )  # fmt: skip
    state = models.CharField(_("state"), max_length=20, choices=_choices(RunState))
    run_class = models.CharField(_("class"), max_length=20, choices=_choices(RunClass))
    status = models.CharField(_("status"), max_length=20, choices=_choices(RunStatus))
    outcome = models.CharField(_("outcome"), max_length=20, choices=_choices(RunOutcome))
    outcome_detail = models.CharField(_("outcome in words"), max_length=200, blank=True)
    label = models.CharField(_("label"), max_length=200, blank=True)
    tool = models.CharField(_("tool"), max_length=60)
    format = models.CharField(_("format"), max_length=80)
    pointer = models.CharField(_("place in its file"), max_length=200, blank=True)
    identity = models.CharField(_("the tool's identifier"), max_length=200, blank=True)
    digest = models.CharField(_("digest of what it says"), max_length=64, db_index=True)

    framework = models.CharField(_("framework"), max_length=160, blank=True)
    framework_version = models.CharField(_("version of the framework"), max_length=80, blank=True)
    model = models.CharField(_("model"), max_length=160, blank=True)
    quantization = models.CharField(_("quantization"), max_length=160, blank=True)
    hardware = models.CharField(_("hardware"), max_length=160, blank=True)
    hardware_count = models.PositiveIntegerField(_("number of devices"), null=True, blank=True)
    backend = models.CharField(_("backend"), max_length=160, blank=True)

    load_mode = models.CharField(
        _("load mode"), max_length=20, choices=_choices(LoadMode), blank=True
    )
    max_concurrency = models.PositiveIntegerField(_("concurrency"), null=True, blank=True)
    request_rate = models.FloatField(_("request rate per second"), null=True, blank=True)
    input_tokens = models.FloatField(_("input tokens a request"), null=True, blank=True)
    output_tokens = models.FloatField(_("output tokens a request"), null=True, blank=True)
    measured_at = models.DateTimeField(_("measured at"), null=True, blank=True)
    measured_on = models.DateField(_("measured on"), null=True, blank=True)

    facts = models.JSONField(_("facts"), default=dict)
    load = models.JSONField(_("load"), default=dict)
    requests = models.JSONField(_("requests"), default=dict)
    tokens = models.JSONField(_("tokens"), default=dict)
    failures = models.JSONField(_("failures"), default=dict)
    notices = models.JSONField(_("notices"), default=list)
    unmapped = models.JSONField(_("fields not understood"), default=dict)
    withheld = models.JSONField(_("withheld places"), default=list)
    command = models.TextField(_("client command"), blank=True)
    grade = models.CharField(_("reproducibility grade"), max_length=2, blank=True)
    missing = models.JSONField(_("missing provenance"), default=list)

    created_by = models.CharField(_("created by"), max_length=150)
    created_at = models.DateTimeField(_("created at"))
    published_by = models.CharField(_("published by"), max_length=150, blank=True)
    published_at = models.DateTimeField(_("published at"), null=True, blank=True)
    ended_by = models.CharField(_("ended by"), max_length=150, blank=True)
    ended_at = models.DateTimeField(_("withdrawn or replaced at"), null=True, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    claim_uid = models.CharField(_("its claim"), max_length=64, blank=True, db_index=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ("-published_at", "-id")
        indexes = (
            models.Index(fields=("state", "-published_at", "-id")),
            models.Index(fields=("framework", "framework_version")),
            models.Index(fields=("model", "hardware", "quantization")),
            models.Index(fields=("hardware", "state")),
            models.Index(fields=("tool", "state")),
            models.Index(
                models.F("state"),
                MEASURED_DAY.desc(),
                models.F("id").desc(),
                name="runs_by_measured_day",
            ),
            # Kinds come in blocks of thousands, which a page of another kind would read through.
            models.Index(
                fields=("run_class", "state", "-published_at", "-id"), name="runs_by_class"
            ),
        )
        constraints = (
            models.UniqueConstraint(
                fields=("upload", "number", "version"), name="one_run_per_number_and_version"
            ),
        )
        verbose_name = _("run")
        verbose_name_plural = _("runs")

    def __str__(self) -> str:
        return self.label or self.uid


class Measurement(models.Model):
    """One statistic of one metric of a run, in the metric's canonical unit.

    ``origin`` is ``reported`` (as the tool wrote it) or ``recomputed`` (by us, from samples).
    """

    run = models.ForeignKey(
        Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="measurements"
    )
    metric = models.CharField(_("metric"), max_length=60)
    definition = models.CharField(_("definition"), max_length=80)
    stat = models.CharField(_("statistic"), max_length=12)
    value = models.FloatField(_("value"))
    origin = models.CharField(_("origin"), max_length=12, default="reported")
    basis = models.CharField(_("basis"), max_length=40, blank=True)
    percentile_method = models.CharField(_("percentile method"), max_length=20, blank=True)
    pointer = models.CharField(_("place in the file"), max_length=300, blank=True)

    class Meta:
        ordering = ("run", "metric", "stat", "origin")
        indexes = (models.Index(fields=("metric", "stat", "value")),)
        constraints = (
            models.UniqueConstraint(
                fields=("run", "metric", "definition", "stat", "origin", "basis"),
                name="one_value_per_statistic",
            ),
        )
        verbose_name = _("measurement")
        verbose_name_plural = _("measurements")

    def __str__(self) -> str:
        return f"{self.metric} {self.stat}"


class SampleSet(models.Model):
    """The samples of a run, encoded by ``domain.sample_codec``.

    **Shapes**: ``columns`` lists what is inside (``requests.ttft_ms``, ``pooled.itl_ms``).
    """

    run = models.OneToOneField(
        Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="sample_set"
    )
    encoded = models.BinaryField(_("encoded samples"))
    request_count = models.PositiveIntegerField(_("number of requests"), default=0)
    columns = models.JSONField(_("columns"), default=list)

    class Meta:
        verbose_name = _("samples")
        verbose_name_plural = _("samples")

    def __str__(self) -> str:
        return str(self.run_id)


class RunFile(models.Model):
    """Which files of its upload a run comes from, and as what.

    ``part`` is primary, duplicate (another form of the same run), sidecar or attachment.
    """

    run = models.ForeignKey(
        Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="files"
    )
    upload_file = models.ForeignKey(
        UploadFile, verbose_name=_("file"), on_delete=models.PROTECT, related_name="runs"
    )
    part = models.CharField(_("part"), max_length=12)

    class Meta:
        ordering = ("run", "part", "id")
        constraints = (
            models.UniqueConstraint(fields=("run", "upload_file"), name="one_row_per_run_and_file"),
        )
        verbose_name = _("file of a run")
        verbose_name_plural = _("files of runs")

    def __str__(self) -> str:
        return f"{self.run_id} {self.part}"
