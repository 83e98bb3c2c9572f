"""How well the frameworks run on domestic accelerators."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from matrix.domain.errors import RunproofError
from matrix.index import current_knowledge
from matrix.pages.asked import today, words_of
from matrix.pages.domestic import build_domestic_page, read_as_of
from matrix.views.answering import render_error, shorter_address


@require_safe
def show_domestic(request: HttpRequest) -> HttpResponse:
    """All vendors on one page. **Queries**: 1."""
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    try:
        as_of = read_as_of(words_of(request.GET), knowledge)
    except RunproofError as error:
        return render_error(request, error)
    page = build_domestic_page(knowledge, as_of=as_of, today=today())
    return render(request, "matrix/domestic.html", {"page": page})
