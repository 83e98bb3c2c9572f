"""What changed between two days."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from matrix.domain.errors import RunproofError
from matrix.forms import ChangesForm
from matrix.index import current_knowledge
from matrix.pages.asked import words_of
from matrix.pages.changes import build_changes_page, read_changes_question
from matrix.views.answering import framework_choices, render_error, shorter_address


@require_safe
def show_changes(request: HttpRequest) -> HttpResponse:
    """Claims begun, ended or flipped. **Queries**: 2; 1 when the changes are still held."""
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET)
    choices = framework_choices(knowledge)
    try:
        question = read_changes_question(words, knowledge)
    except RunproofError as error:
        return render_error(
            request,
            error,
            form=ChangesForm(frameworks=choices, sources=(), given=words),
            form_template="matrix/_changes_fields.html",
            action=reverse("changes"),
        )
    page = build_changes_page(knowledge, question)
    shown = {name: [value] for name, value in question.pairs()}
    form = ChangesForm(
        frameworks=choices, sources=[source for source, _count in page.sources], given=shown
    )
    return render(request, "matrix/changes.html", {"page": page, "form": form})
