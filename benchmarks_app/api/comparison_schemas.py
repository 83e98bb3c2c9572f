"""Forms of comparisons, as OpenAPI tells them."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from benchmarks_app.domain.comparability import Role, Verdict
from benchmarks_app.domain.comparison_rows import Difference
from benchmarks_app.domain.levels import RunClass, RunState, RunStatus
from benchmarks_app.filters import RunFilters
from matrix.api.schemas.forms import Form, any_object, maybe_day, maybe_text, text, word_of


class ComparedRun(Form):
    """One of the compared runs."""

    uid = text()
    label = text(allow_blank=True)
    state = word_of(RunState)
    run_class = word_of(RunClass)
    status = word_of(RunStatus)
    framework = maybe_text()
    framework_version = maybe_text()
    model = maybe_text()
    quantization = maybe_text()
    hardware = maybe_text()
    hardware_count = serializers.IntegerField(allow_null=True)
    measured_on = maybe_day()
    digest = text()


class ComparedVariableAnswer(Form):
    """One controlled variable; `values` are in the order of the runs, null where unknown."""

    name = text()
    role = word_of(Role)
    verdict = word_of(Verdict)
    varied = serializers.BooleanField()
    values = serializers.ListField(child=serializers.JSONField())


class BarrierAnswer(Form):
    """What stands between a run and the baseline."""

    code = text()
    blocks = serializers.BooleanField(help_text="Whether it forbids a ratio.")
    left = serializers.JSONField()
    right = serializers.JSONField()


class MetricBarrier(BarrierAnswer):
    """What stands between a run and the baseline, for one metric."""

    run = text()
    metric = text()


def _interval(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.FloatField(), allow_null=True, **options)


class ComparedValue(Form):
    """The value of one run against that of the baseline, with 95 % intervals where there are."""

    run = text()
    value = serializers.FloatField(allow_null=True)
    origin = maybe_text()
    interval = _interval()
    ratio = serializers.FloatField(allow_null=True)
    ratio_interval = _interval()
    difference = serializers.FloatField(allow_null=True)
    difference_interval = _interval()
    verdict = word_of(Difference, allow_null=True)
    no_interval = maybe_text(help_text="Why there is none.")
    barriers = BarrierAnswer(many=True)


class ComparedStatistic(Form):
    """One statistic of one metric for all runs, in their order."""

    metric = text()
    stat = text()
    unit = text()
    runs = ComparedValue(many=True)


class AttainmentAnswer(Form):
    """How many requests of a run met all thresholds, made again from its samples."""

    run = text()
    met = serializers.IntegerField(allow_null=True)
    total = serializers.IntegerField(allow_null=True)
    share = serializers.FloatField(allow_null=True)
    goodput_requests_per_s = serializers.FloatField(allow_null=True)
    met_by = any_object(allow_null=True)
    undecided = serializers.IntegerField()
    why_unknown = maybe_text()
    why_no_goodput = maybe_text()


class BenchmarkComparison(Form):
    """Runs beside each other: first what is comparable, then values."""

    revision = serializers.IntegerField()
    digest = text(help_text="Changes when a run says something else or no longer stands.")
    baseline = text()
    load_varies = serializers.BooleanField()
    more_exist = serializers.BooleanField(help_text="Whether more runs pass the filters.")
    runs = ComparedRun(many=True)
    variables = ComparedVariableAnswer(many=True)
    values = ComparedStatistic(many=True)
    barriers = MetricBarrier(many=True)
    thresholds = any_object()
    share = serializers.FloatField()
    attainment = AttainmentAnswer(many=True)
    links: Any = serializers.DictField(child=serializers.CharField())


def _bound(name: str) -> OpenApiParameter:
    return OpenApiParameter(name, float, description="Threshold of each request, milliseconds.")


COMPARISON_PARAMETERS = [
    OpenApiParameter("runs", str, description="2 to 50 identifiers with commas; or filters:"),
    OpenApiParameter("baseline", str, description="One of the runs; the first when left out."),
    OpenApiParameter("vary", str, enum=["load"], description="The load is what is compared."),
    *(_bound(name) for name in ("ttft_ms", "tpot_ms", "e2el_ms")),
    OpenApiParameter("share", float, description="Wanted share of requests, up to 1."),
    *(OpenApiParameter(name, str, description="As in the list of runs.")
      for name in RunFilters.base_filters),
]  # fmt: skip
