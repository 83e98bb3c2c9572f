"""The cell page, and the drawer that the explorer opens for a cell."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from matrix.domain.errors import RunproofError
from matrix.forms import QuestionForm
from matrix.index import current_knowledge
from matrix.pages.asked import PAGE_PARAMETERS, reader_for, words_of
from matrix.pages.cell import build_cell_page, build_neighbours, cell_timeline
from matrix.pages.cell_panels import cell_panels
from matrix.pages.kept_pages import bytes_cited_by, kept_addresses
from matrix.views.answering import (
    framework_choices,
    is_fragment,
    render_error,
    shorter_address,
)


@require_safe
def show_cell(request: HttpRequest) -> HttpResponse:
    """One answered question; for htmx only its head and legs. **Queries**: 2 plus the panels'."""
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET)
    form = QuestionForm(frameworks=framework_choices(knowledge), given=words)
    try:
        question = reader_for(knowledge).read(words, accepted=PAGE_PARAMETERS)
        verdict = knowledge.index.verdict_for(
            question.cell, as_of=question.as_of, known_at=question.known_at
        )
    except RunproofError as error:
        return render_error(
            request,
            error,
            form=form,
            form_template="matrix/_question_fields.html",
            action=reverse("cell"),
        )
    page = build_cell_page(knowledge, question, verdict)
    context: dict[str, Any] = {"page": page, "kept": kept_addresses(bytes_cited_by(page))}
    if is_fragment(request):
        return render(request, "matrix/_drawer.html", context)
    context |= {
        "form": form,
        "timeline": cell_timeline(knowledge, question, verdict),
        "neighbours": build_neighbours(knowledge, question),
        "panels": cell_panels(question, verdict),
    }
    return render(request, "matrix/cell.html", context)
