"""The comparison of runs and its files."""

import json
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from benchmarks_app.domain.slo import Thresholds
from benchmarks_app.exports.comparison import (
    comparison_csv,
    comparison_markdown,
    comparison_plain,
)
from benchmarks_app.exports.standalone import standalone_page
from benchmarks_app.models import Run
from benchmarks_app.pages.comparison import (
    EXPORTS,
    ComparisonForm,
    build_comparison_page,
    permalink_of,
)
from benchmarks_app.pages.comparison_state import ComparisonState, read_state
from benchmarks_app.pages.selecting import selected_runs
from benchmarks_app.plots.comparison_figures import comparison_figures
from benchmarks_app.queries.chosen import FEWEST_RUNS, newer_versions, newest_runs, runs_by_uid
from benchmarks_app.queries.comparison import Comparison, build_comparison
from matrix.domain.errors import InvalidValue, RunproofError
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge, current_knowledge
from matrix.pages.asked import today, words_of
from matrix.views.answering import render_error, shorter_address


class Chosen(NamedTuple):
    """The runs of an address, and whether more pass its filters."""

    runs: list[Run]
    more_exist: bool


@require_safe
def show_comparison(request: HttpRequest) -> HttpResponse:
    """Two to fifty runs beside each other; the whole state is in the address.

    **Queries**: 4, one more where a run was withdrawn or replaced; whatever the number of runs
    and samples.
    """
    if shorter := shorter_address(request):
        return shorter
    if len(request.GET.getlist("runs")) > 1:
        return _with_one_list(request)
    knowledge = current_knowledge()
    try:
        state = read_state(words_of(request.GET, split=()))
        chosen = _chosen_runs(state, knowledge)
        if len(chosen.runs) < FEWEST_RUNS:
            context = {"runs": chosen.runs, "state": state, "asked": bool(state.choice_pairs())}
            return render(request, "benchmarks/compare_few.html", context)
        comparison = compare_as_asked(chosen.runs, state)
    except RunproofError as error:
        return render_error(request, error)
    page = build_comparison_page(
        comparison,
        state,
        catalogue=knowledge.catalogue,
        newer=newer_versions(chosen.runs),
        more_exist=chosen.more_exist,
    )
    context = {
        "page": page,
        "form": ComparisonForm(state=state, runs=chosen.runs),
        "figures": comparison_figures(comparison, latency=state.latency, stat=state.latency_stat),
    }
    return render(request, "benchmarks/compare.html", context)


def _with_one_list(request: HttpRequest) -> HttpResponse:
    """The same address with the ticked runs as one list."""
    words = words_of(request.GET, split=())
    uids = [part for value in words.pop("runs") for part in value.split(",") if part]
    pairs = [("runs", ",".join(dict.fromkeys(uids)))]
    pairs += [(name, value) for name, values in words.items() for value in values]
    query = urlencode(pairs, safe=",")
    return HttpResponseRedirect(f"{reverse('benchmark-compare')}?{query}")


def _chosen_runs(state: ComparisonState, knowledge: Knowledge) -> Chosen:
    if state.uids:
        return Chosen(runs_by_uid(state.uids), more_exist=False)
    if not state.filters:
        return Chosen([], more_exist=False)
    return Chosen(*newest_runs(selected_runs(state.filters, knowledge)))


def compare_as_asked(runs: list[Run], state: ComparisonState) -> Comparison:
    """The comparison of the runs under the options of an address. **Queries**: 2."""
    return build_comparison(
        runs,
        baseline=state.baseline,
        thresholds=Thresholds(**state.thresholds),
        share=state.share,
        load_varies=state.load_varies,
    )


@require_safe
def export_comparison(request: HttpRequest, kind: str) -> HttpResponse:
    """The same comparison as CSV, JSON, Markdown or one HTML file. **Queries**: 4 to 5."""
    if kind not in EXPORTS:
        raise Http404(_("There is no export %(kind)s.") % {"kind": kind[:20]})
    knowledge = current_knowledge()
    try:
        state = read_state(words_of(request.GET, split=()))
        chosen = _chosen_runs(state, knowledge)
        if len(chosen.runs) < FEWEST_RUNS:
            raise InvalidValue(name="runs", value=state.uids, accepted=Phrase("at least two runs"))
        comparison = compare_as_asked(chosen.runs, state)
    except RunproofError as error:
        return render_error(request, error)
    address = request.build_absolute_uri(permalink_of(comparison, state))
    text, media_type, ending = _exported(kind, comparison, state, knowledge, address)
    response = HttpResponse(text, content_type=f"{media_type}; charset=utf-8")
    name = f"runproof-comparison-{comparison.digest}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _exported(
    kind: str, comparison: Comparison, state: ComparisonState, knowledge: Knowledge, address: str
) -> tuple[str, str, str]:
    """The text, its media type, and the ending of its file's name."""
    if kind == "csv":
        return comparison_csv(comparison), "text/csv", "csv"
    if kind == "json":
        plain = comparison_plain(comparison, thresholds=state.thresholds, share=state.share)
        text = json.dumps({"address": address, **plain}, ensure_ascii=False, indent=1)
        return text, "application/json", "json"
    if kind == "markdown":
        title = _("Comparison of %(n)d runs") % {"n": len(comparison.runs)}
        text = comparison_markdown(comparison, title=title, address=address)
        return text, "text/markdown", "md"
    return _standalone(comparison, state, knowledge, address), "text/html", "html"


def _standalone(
    comparison: Comparison, state: ComparisonState, knowledge: Knowledge, address: str
) -> str:
    figures = comparison_figures(comparison, latency=state.latency, stat=state.latency_stat)
    page = build_comparison_page(comparison, state, catalogue=knowledge.catalogue, newer={})
    context = {"page": page, "figures": figures, "address": address, "made_on": today()}
    return standalone_page(
        title=_("Comparison of %(n)d runs") % {"n": len(comparison.runs)},
        body=render_to_string("benchmarks/export_body.html", context),
        language=get_language() or "en",
        with_plots=any(figure.drawn for figure in figures),
    )
