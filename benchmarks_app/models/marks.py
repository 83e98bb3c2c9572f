"""Marks that people set into a history: why a metric's distribution changed."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class ChangeMark(models.Model):
    """From a run on, earlier values of a series are no measure for later ones, and why.

    **Shapes**: ``series`` is the key of ``queries.history``: the cell, metric, statistic and load.
    """

    series = models.CharField(_("series"), max_length=64, db_index=True)
    run_uid = models.CharField(_("from this run on"), max_length=24)
    reason = models.TextField(_("reason"))
    made_by = models.CharField(_("made by"), max_length=150)
    made_at = models.DateTimeField(_("made at"))
    removed_by = models.CharField(_("removed by"), max_length=150, blank=True)
    removed_at = models.DateTimeField(_("removed at"), null=True, blank=True)

    class Meta:
        ordering = ("series", "made_at", "id")
        verbose_name = _("mark of change")
        verbose_name_plural = _("marks of change")

    def __str__(self) -> str:
        return f"{self.series} {self.run_uid}"
