"""Forms of series, as OpenAPI tells them."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.domain.regression import EventKind
from benchmarks_app.pages.history import DEFAULT_METRIC, DEFAULT_STAT, FILTERS
from benchmarks_app.queries.history import Along
from matrix.api.schemas.forms import Form, any_object, maybe_day, maybe_text, text, word_of


class SeriesPoint(Form):
    """One run of a series."""

    run = text()
    value = serializers.FloatField()
    framework_version = maybe_text()
    measured_on = maybe_day()
    marked = serializers.BooleanField(
        help_text="Whether what is measured changed from this run on."
    )


class SeriesStep(Form):
    """A step between two runs; the effect is the change as a share of the level before."""

    run = text()
    previous_run = text()
    kind = word_of(EventKind)
    effect = serializers.FloatField()
    p_value = serializers.FloatField()
    noise = serializers.FloatField(help_text="Spread from run to run, as a share.")
    runs_before = serializers.IntegerField()
    runs_after = serializers.IntegerField()


class SeriesMark(Form):
    """A mark that a curator set, with its reason."""

    run = text()
    reason = text()
    made_on = serializers.DateField()


class BenchmarkSeries(Form):
    """Runs that compare, in their order; `same` is what all of them share."""

    key = text()
    definition = text()
    percentile_method = maybe_text()
    same = any_object()
    points = SeriesPoint(many=True)
    undated_count = serializers.IntegerField(help_text="Runs left out for want of a day.")
    steps = SeriesStep(many=True)
    why_no_steps = maybe_text(help_text="Why no steps could be looked for.")
    marks = SeriesMark(many=True)


class BenchmarkSeriesList(Form):
    """The series of one statistic of one metric, longest first."""

    revision = serializers.IntegerField()
    metric = text()
    stat = text()
    unit = text()
    better = text()
    along = word_of(Along)
    series = BenchmarkSeries(many=True)
    links: Any = serializers.DictField(child=serializers.CharField())


SERIES_PARAMETERS = [
    OpenApiParameter("metric", str, enum=list(METRICS),
                     description=f"{DEFAULT_METRIC} when left out."),
    OpenApiParameter("stat", str, description=f"{DEFAULT_STAT} when left out."),
    OpenApiParameter("along", str, enum=[one.value for one in Along],
                     description="What to order by."),
    *(OpenApiParameter(name, str, description="As in the list of runs; at least one filter.")
      for name in FILTERS),
]  # fmt: skip
