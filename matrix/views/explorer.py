"""The matrix explorer and its exports."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from matrix.domain.errors import RunproofError
from matrix.exports import grid_csv, grid_plain
from matrix.forms import ExplorerForm
from matrix.index import Knowledge, current_knowledge
from matrix.pages.asked import words_of
from matrix.pages.explorer import build_explorer
from matrix.pages.explorer_state import read_state
from matrix.pages.grid_markup import grid_markup
from matrix.views.answering import framework_choices, render_error, shorter_address


@require_safe
def show_matrix(request: HttpRequest) -> HttpResponse:
    """The explorer; its whole state is in the address. **Queries**: 1."""
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET)
    choices = framework_choices(knowledge)
    try:
        state = read_state(words, knowledge)
        explorer = build_explorer(knowledge, state)
    except RunproofError as error:
        return _refused(request, knowledge, error)
    form = ExplorerForm(frameworks=choices, given=words, catalogue=knowledge.catalogue, state=state)
    context = {"page": explorer, "form": form, "grid": grid_markup(explorer)}
    return render(request, "matrix/explorer.html", context)


def _refused(request: HttpRequest, knowledge: Knowledge, error: RunproofError) -> HttpResponse:
    form = ExplorerForm(
        frameworks=framework_choices(knowledge),
        given=words_of(request.GET),
        catalogue=knowledge.catalogue,
    )
    return render_error(
        request,
        error,
        form=form,
        form_template="matrix/_explorer_fields.html",
        action=reverse("matrix"),
    )


@require_safe
def export_matrix_csv(request: HttpRequest) -> HttpResponse:
    """The same grid as CSV. **Queries**: 1."""
    knowledge = current_knowledge()
    try:
        explorer = build_explorer(knowledge, read_state(words_of(request.GET), knowledge))
    except RunproofError as error:
        return _refused(request, knowledge, error)
    response = HttpResponse(grid_csv(explorer), content_type="text/csv; charset=utf-8")
    day = explorer.state.question.as_of.isoformat()
    response["Content-Disposition"] = f'attachment; filename="runproof-matrix-{day}.csv"'
    return response


@require_safe
def export_matrix_json(request: HttpRequest) -> HttpResponse:
    """The same grid as JSON. **Queries**: 1."""
    knowledge = current_knowledge()
    try:
        explorer = build_explorer(knowledge, read_state(words_of(request.GET), knowledge))
    except RunproofError as error:
        return _refused(request, knowledge, error)
    plain = grid_plain(explorer, revision=knowledge.revision)
    return JsonResponse(plain, json_dumps_params={"ensure_ascii": False})
