"""How fresh feeds and claims are."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from ingest.pages.freshness import (
    build_freshness_page,
    read_freshness_question,
)
from matrix.domain.errors import RunproofError
from matrix.index import current_knowledge
from matrix.views.answering import render_error, shorter_address


@require_safe
def show_freshness(request: HttpRequest) -> HttpResponse:
    """Feeds, sources and claims due for a re-check. **Queries**: 6 or 7."""
    if shorter := shorter_address(request):
        return shorter
    catalogue = current_knowledge().catalogue
    now = timezone.now()
    try:
        question = read_freshness_question(
            request.GET.dict(), catalogue=catalogue, today=now.date()
        )
    except RunproofError as error:
        return render_error(request, error)
    page = build_freshness_page(question, catalogue=catalogue, now=now)
    return render(request, "ingest/freshness.html", {"page": page})
