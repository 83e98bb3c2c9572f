"""One metric of a cell over dates or releases, with steps and marks."""

from functools import partial
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from benchmarks_app.api.series_schemas import SERIES_PARAMETERS, BenchmarkSeriesList
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.models import ChangeMark
from benchmarks_app.pages.history import (
    PARAMETERS,
    HistoryState,
    read_history_state,
    version_rank,
)
from benchmarks_app.pages.selecting import selected_runs
from benchmarks_app.queries.history import Series, metric_series
from benchmarks_app.queries.run_rows import runs_stamp
from matrix.api.base import Endpoint, sorted_query
from matrix.asking import MissingParameter
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge, current_knowledge
from matrix.pages.links import with_query


class SeriesList(Endpoint):
    """Series of a metric over the standing runs that pass the filters."""

    accepted = PARAMETERS

    @extend_schema(
        operation_id="benchmark_series_list",
        parameters=SERIES_PARAMETERS,
        responses=BenchmarkSeriesList,
    )
    def get(self, request: Request) -> HttpResponse:
        """Each series holds runs that compare; longest first. **Queries**: 3, 5 for the tag."""
        knowledge = current_knowledge()
        state = read_history_state(dict(request.query_params.lists()))
        if not state.filters:
            raise MissingParameter(name="framework", accepted=Phrase("at least one filter of runs"))
        marks = ChangeMark.objects.order_by("-pk").values_list("pk", flat=True).first()
        removed = ChangeMark.objects.filter(removed_at__isnull=False).count()
        return self.answer(
            request,
            lambda: _build(state, knowledge),
            depends_on=[knowledge.revision, sorted_query(request), marks, removed, *runs_stamp()],
        )


def _build(state: HistoryState, knowledge: Knowledge) -> dict[str, Any]:
    found = metric_series(
        selected_runs(state.filters, knowledge),
        metric=state.metric,
        stat=state.stat,
        along=state.along,
        rank=partial(version_rank, knowledge.catalogue),
    )
    metric = METRICS[state.metric]
    return {
        "revision": knowledge.revision,
        "metric": state.metric,
        "stat": state.stat,
        "unit": metric.unit.value,
        "better": metric.direction.value,
        "along": state.along.value,
        "series": [series_plain(one) for one in found],
        "links": {"page": with_query(reverse("benchmark-history"), state.pairs())},
    }


def series_plain(series: Series) -> dict[str, Any]:
    """One series with its points in order, its steps and its marks."""
    return {
        "key": series.key,
        "definition": series.definition,
        "percentile_method": series.method or None,
        "same": {name: value if value != "" else None for name, value in series.same.items()},
        "points": [
            {
                "run": point.uid,
                "value": point.value,
                "framework_version": point.version or None,
                "measured_on": point.measured_on.isoformat() if point.measured_on else None,
                "marked": point.marked,
            }
            for point in series.points
        ],
        "undated_count": len(series.undated),
        "steps": [
            {
                "run": event.uid,
                "previous_run": event.previous_uid,
                "kind": event.kind.value,
                "effect": event.effect,
                "p_value": event.p_value,
                "noise": event.noise,
                "runs_before": event.before,
                "runs_after": event.after,
            }
            for event in series.steps.events
        ],
        "why_no_steps": series.steps.why_none.value if series.steps.why_none else None,
        "marks": [
            {
                "run": mark.run_uid,
                "reason": mark.reason,
                "made_on": mark.made_at.date().isoformat(),
            }
            for mark in series.marks
        ],
    }
