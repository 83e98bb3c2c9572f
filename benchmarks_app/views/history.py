"""Histories of metrics, and the marks that people set into them."""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from benchmarks_app.models import Run
from benchmarks_app.pages.history import (
    HistoryForm,
    build_history_page,
    read_history_state,
    version_rank,
)
from benchmarks_app.pages.selecting import selected_runs
from benchmarks_app.plots.history_figure import history_figure
from benchmarks_app.queries.history import metric_series
from benchmarks_app.queries.uploads import REVIEW_RIGHT
from benchmarks_app.services.marks import remove_mark, set_mark
from matrix.domain.errors import RunproofError
from matrix.index import current_knowledge
from matrix.pages.asked import words_of
from matrix.queries.access import has_right
from matrix.views.answering import framework_choices, render_error, shorter_address


@require_safe
def show_history(request: HttpRequest) -> HttpResponse:
    """One metric of the selected runs over dates or releases.

    **Queries**: 4, whatever the number of runs; 2 to 3 more for who signed in.
    """
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET, split=())
    form = HistoryForm(frameworks=framework_choices(knowledge), given=words)
    try:
        state = read_history_state(words)
        runs = selected_runs(state.filters, knowledge) if state.filters else Run.objects.none()
    except RunproofError as error:
        return render_error(
            request,
            error,
            form=form,
            form_template="benchmarks/_history_fields.html",
            action=reverse("benchmark-history"),
        )
    catalogue = knowledge.catalogue
    series = metric_series(
        runs,
        metric=state.metric,
        stat=state.stat,
        along=state.along,
        rank=partial(version_rank, catalogue),
    )
    context = {
        "page": build_history_page(series, state, catalogue),
        "form": form,
        "figures": [history_figure(series, along=state.along, catalogue=catalogue)]
        if series
        else [],
        "may_mark": request.user.is_authenticated and has_right(request.user, REVIEW_RIGHT),
    }
    return render(request, "benchmarks/history.html", context)


@require_POST
def mark(request: HttpRequest) -> HttpResponse:
    """Sets a mark from a run on, with its reason."""
    try:
        set_mark(
            series=request.POST.get("series", ""),
            run_uid=request.POST.get("run", ""),
            reason=request.POST.get("reason", ""),
            actor=request.user.get_username(),
        )
    except RunproofError as error:
        return render_error(request, error, status=422)
    messages.success(request, _("The mark stands."))
    return HttpResponseRedirect(_way_back(request))


@require_POST
def unmark(request: HttpRequest, pk: int) -> HttpResponse:
    """Takes a mark out."""
    if remove_mark(pk, actor=request.user.get_username()):
        messages.success(request, _("The mark is taken out."))
    return HttpResponseRedirect(_way_back(request))


def _way_back(request: HttpRequest) -> str:
    """The history that the form stood on; never another site."""
    address = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(address, allowed_hosts={request.get_host()}):
        return address
    return reverse("benchmark-history")
