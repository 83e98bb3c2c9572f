"""The list of runs and the page of one."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from benchmarks_app.domain.levels import RunState
from benchmarks_app.models import Run
from benchmarks_app.pages.run import build_run_page
from benchmarks_app.pages.run_list import PAGE_FIELDS, RunListForm, build_run_list
from benchmarks_app.pages.selecting import FILTER_FIELDS, selected_runs, single_words
from benchmarks_app.plots.run_figures import run_figures
from benchmarks_app.queries.first_steps import first_steps
from benchmarks_app.queries.run_list import Order, headlines_of, slice_of
from benchmarks_app.queries.runs import run_detail
from benchmarks_app.queries.uploads import REVIEW_RIGHT, run_seen_by
from matrix.domain.errors import InvalidValue, RunproofError
from matrix.index import current_knowledge
from matrix.pages.asked import without_blanks, words_of
from matrix.queries.access import has_right
from matrix.views.answering import framework_choices, render_error, shorter_address


@require_safe
def list_runs(request: HttpRequest) -> HttpResponse:
    """One page of runs; filters, order and place are in the address.

    **Queries**: 6 for the plain first page, 3 for one with filters, 4 for any other, whatever
    the number of runs.
    """
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET, split=())
    form = RunListForm(frameworks=framework_choices(knowledge), given=words)
    try:
        given = single_words(words, accepted=(*FILTER_FIELDS, *PAGE_FIELDS))
        piece = slice_of(
            selected_runs(given, knowledge),
            order=_order(given.get("sort", "")),
            after=given.get("after", ""),
            before=given.get("before", ""),
        )
    except RunproofError as error:
        return render_error(
            request,
            error,
            form=form,
            form_template="benchmarks/_list_fields.html",
            action=reverse("benchmarks"),
        )
    page = build_run_list(
        piece,
        headlines_of(run.pk for run in piece.rows),
        catalogue=knowledge.catalogue,
        pairs=without_blanks(words),
        first_steps=() if given else first_steps(),
    )
    return render(request, "benchmarks/list.html", {"page": page, "form": form})


def _order(text: str) -> Order:
    try:
        return Order(text or Order.NEWEST)
    except ValueError as error:
        accepted = ", ".join(Order)
        raise InvalidValue(name="sort", value=text[:40], accepted=accepted) from error


@require_safe
def show_run(request: HttpRequest, uid: str) -> HttpResponse:
    """One run with its values, environment, checklist and files.

    **Queries**: 7; up to 4 more for who may see a draft, 2 more for who may take it back.
    """
    run = run_seen_by(request.user, uid)
    if run is None:
        raise Http404(_("No run has the identifier %(uid)s.") % {"uid": uid[:40]})
    catalogue = current_knowledge().catalogue
    detail = run_detail(run)
    page = build_run_page(detail, headlines_of([run.pk]).get(run.pk, ()), catalogue)
    context = {
        "page": page,
        "figures": run_figures(detail),
        "may_end": _may_end(request, run),
    }
    return render(request, "benchmarks/run.html", context)


def _may_end(request: HttpRequest, run: Run) -> bool:
    """Whether the reader may withdraw or correct the run."""
    if run.state != RunState.PUBLISHED or not request.user.is_authenticated:
        return False
    own = run.created_by == request.user.get_username()
    return own or has_right(request.user, REVIEW_RIGHT)
