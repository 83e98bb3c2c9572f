"""Comparisons of runs over REST."""

from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from benchmarks_app.api.comparison_schemas import COMPARISON_PARAMETERS, BenchmarkComparison
from benchmarks_app.domain.slo import Thresholds
from benchmarks_app.exports.comparison import comparison_plain
from benchmarks_app.pages.comparison_state import THRESHOLDS, ComparisonState, read_state
from benchmarks_app.pages.selecting import FILTER_FIELDS, selected_runs
from benchmarks_app.queries.chosen import FEWEST_RUNS, newest_runs, runs_by_uid
from benchmarks_app.queries.comparison import build_comparison
from benchmarks_app.queries.run_rows import runs_stamp
from matrix.api.base import Endpoint, sorted_query
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge, current_knowledge
from matrix.pages.links import with_query


class Comparisons(Endpoint):
    """Two to fifty runs beside each other."""

    accepted = ("runs", "baseline", "vary", *THRESHOLDS, "share", *FILTER_FIELDS)

    @extend_schema(
        operation_id="benchmark_comparisons_retrieve",
        parameters=COMPARISON_PARAMETERS,
        responses=BenchmarkComparison,
    )
    def get(self, request: Request) -> HttpResponse:
        """What is comparable, then values against the baseline. **Queries**: 3, 4 for the tag."""
        words = dict(request.query_params.lists())
        knowledge = current_knowledge()
        state = read_state(words)
        return self.answer(
            request,
            lambda: _build(state, knowledge),
            depends_on=[knowledge.revision, sorted_query(request), *runs_stamp()],
        )


def _build(state: ComparisonState, knowledge: Knowledge) -> dict[str, Any]:
    more_exist = False
    if state.uids:
        runs = runs_by_uid(state.uids)
    elif state.filters:
        runs, more_exist = newest_runs(selected_runs(state.filters, knowledge))
    else:
        runs = []
    if len(runs) < FEWEST_RUNS:
        raise InvalidValue(
            name="runs", value=", ".join(run.uid for run in runs) or "none",
            accepted=Phrase("2 to 50 identifiers of published runs, or filters that select "
"that many"),
        )  # fmt: skip
    comparison = build_comparison(
        runs,
        baseline=state.baseline,
        thresholds=Thresholds(**state.thresholds),
        share=state.share,
        load_varies=state.load_varies,
    )
    plain = comparison_plain(comparison, thresholds=state.thresholds, share=state.share)
    pairs = [("runs", ",".join(run.uid for run in runs)), ("baseline", plain["baseline"]),
             ("digest", comparison.digest)]  # fmt: skip
    page = with_query(reverse("benchmark-compare"), pairs)
    return {
        "revision": knowledge.revision,
        "more_exist": more_exist,
        **plain,
        "links": {"page": page},
    }
