"""Filters over runs: one definition for REST, the list page and exports."""

import math
from collections.abc import Iterable
from enum import Enum
from typing import Any

import django_filters as filters
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.levels import (
    LoadMode,
    RunClass,
    RunOutcome,
    RunState,
    RunStatus,
)
from benchmarks_app.domain.metrics import METRICS, is_stat
from benchmarks_app.models import Measurement, Run
from matrix.domain.levels import Axis
from matrix.filters import DayFilter
from matrix.index import current_knowledge

STANDING = RunState.PUBLISHED.value
ANY_STATE = "any"
STATES = (STANDING, RunState.WITHDRAWN.value, RunState.REPLACED.value, ANY_STATE)
GRADES = ("A", "B", "C", "D")
DEFAULT_STAT = "value"
# Filters whose values are nodes of the catalogue: a node stands for itself and all below it.
NODE_FILTERS = ("model", "hardware", "quantization", "backend")


def _choices(values: Iterable[Enum]) -> list[tuple[str, str]]:
    return [(str(value.value), str(value.value)) for value in values]


def _check_stat(text: str) -> None:
    try:
        known = is_stat(text)
    except ValueError:
        known = False
    if not known:
        raise ValidationError(_("is no statistic; accepted: mean, p50, p99 and the like"))


class FloatFilter(filters.NumberFilter):
    """A finite number; the field refuses NaN and infinity."""

    field_class = forms.FloatField


class CountFilter(filters.NumberFilter):
    """A whole number from 1 on, no larger than the column holds."""

    field_class = forms.IntegerField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, min_value=1, max_value=2**31 - 1, **kwargs)

    def get_max_validator(self) -> None:
        """None: the field has its own."""
        return


class RunFilterForm(forms.Form):
    """Checks what no single filter can: bounds need a metric, and lie the right way round."""

    def clean(self) -> dict[str, Any]:
        """The checked values."""
        values: dict[str, Any] = super().clean() or {}
        low, high = values.get("min"), values.get("max")
        bounded = low is not None or high is not None
        if bounded and not values.get("metric") and "metric" not in self.errors:
            self.add_error("metric", _("is missing; min and max are bounds of a metric"))
        if low is not None and high is not None and low > high:
            self.add_error("min", _("is above max"))
        return values


class RunFilters(filters.FilterSet):
    """Public runs by what was measured, on what, how, when, and how well.

    Without ``state`` only standing runs: published, neither withdrawn nor replaced.
    """

    framework = filters.CharFilter(max_length=160)
    framework_version = filters.CharFilter(max_length=80, help_text=_("As the run states it."))
    model = filters.CharFilter(method="by_node", max_length=160)
    hardware = filters.CharFilter(method="by_node", max_length=160)
    quantization = filters.CharFilter(method="by_node", max_length=160)
    backend = filters.CharFilter(method="by_node", max_length=160)
    tool = filters.CharFilter(max_length=60, help_text=_("Tool that wrote the file."))
    status = filters.ChoiceFilter(choices=_choices(RunStatus), help_text=_("How it ended."))
    outcome = filters.ChoiceFilter(
        choices=_choices(RunOutcome), help_text=_("What it shows about its cell.")
    )
    run_class = filters.ChoiceFilter(choices=_choices(RunClass), help_text=_("Kind of evidence."))
    grade = filters.ChoiceFilter(
        choices=[(grade, grade) for grade in GRADES], help_text=_("Reproducibility, A to D.")
    )
    load_mode = filters.ChoiceFilter(
        choices=_choices(LoadMode), help_text=_("How load was offered.")
    )
    concurrency_min = CountFilter(field_name="max_concurrency", lookup_expr="gte")
    concurrency_max = CountFilter(field_name="max_concurrency", lookup_expr="lte")
    measured_from = DayFilter(field_name="measured_on", lookup_expr="gte")
    measured_to = DayFilter(field_name="measured_on", lookup_expr="lte")
    metric = filters.ChoiceFilter(
        choices=[(name, name) for name in METRICS],
        method="no_op",
        help_text=_("With min or max: only runs whose value of this metric lies within."),
    )
    stat = filters.CharFilter(
        method="no_op",
        max_length=12,
        validators=[_check_stat],
        help_text=_("Statistic of the metric; value or mean when left out."),
    )
    min = FloatFilter(method="no_op", help_text=_("In the metric's unit."))
    max = FloatFilter(method="no_op", help_text=_("In the metric's unit."))
    state = filters.ChoiceFilter(
        choices=[(state, state) for state in STATES],
        method="no_op",
        help_text=_("Standing runs when left out; withdrawn and replaced ones stay readable."),
    )
    q = filters.CharFilter(
        method="search", max_length=100, help_text=_("Part of a label, name or identifier.")
    )

    class Meta:
        model = Run
        fields: tuple[str, ...] = ()
        form = RunFilterForm

    def by_node(self, rows: QuerySet[Run], name: str, value: str) -> QuerySet[Run]:
        """Runs of the node or of one below it."""
        return rows.filter(**{f"{name}__in": node_family(name, value)})

    def no_op(self, rows: QuerySet[Run], name: str, value: Any) -> QuerySet[Run]:
        """The rows as they are: what this filter means depends on others, see below."""
        return rows

    def search(self, rows: QuerySet[Run], name: str, value: str) -> QuerySet[Run]:
        """Runs whose label, identifier, model, hardware or framework contains the text."""
        return rows.filter(
            Q(label__icontains=value)
            | Q(uid__iexact=value)
            | Q(model__icontains=value)
            | Q(hardware__icontains=value)
            | Q(framework__icontains=value)
            | Q(framework_version__icontains=value)
        )

    def filter_queryset(self, queryset: QuerySet[Run]) -> QuerySet[Run]:
        """The rows that all filters let through."""
        values = self.form.cleaned_data
        state = values.get("state") or STANDING
        rows = queryset.exclude(state=RunState.DRAFT.value)
        if state != ANY_STATE:
            rows = rows.filter(state=state)
        rows = super().filter_queryset(rows)
        return _within(rows, values)


def _within(rows: QuerySet[Run], values: dict[str, Any]) -> QuerySet[Run]:
    """Runs that have the metric, between its bounds; either origin of a value counts."""
    metric = values.get("metric")
    if not metric:
        return rows
    stat = values.get("stat")
    wanted = Measurement.objects.filter(run=OuterRef("pk"), metric=metric)
    wanted = wanted.filter(stat__in=[stat] if stat else [DEFAULT_STAT, "mean"])
    low, high = values.get("min"), values.get("max")
    if low is not None and math.isfinite(low):
        wanted = wanted.filter(value__gte=low)
    if high is not None and math.isfinite(high):
        wanted = wanted.filter(value__lte=high)
    return rows.filter(Exists(wanted))


def node_family(axis: str, slug: str) -> list[str]:
    """A node and all nodes below it."""
    tree = current_knowledge().catalogue.trees.tree(Axis(axis))
    return sorted({slug, *tree.down(slug)})
