"""Atom feeds, answered anew only where something changed."""

import hashlib
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language
from django.views.decorators.http import condition, require_safe

from matrix.feeds import build_feed, render_atom
from matrix.feeds.atom import ATOM_TYPE
from matrix.index import current_knowledge
from matrix.models import KnowledgeRevision
from matrix.pages.asked import today


def _tag(request: HttpRequest, slug: str = "") -> str:
    """Everything that a feed depends on. **Queries**: 1 or none."""
    parts = [
        request.path,
        request.build_absolute_uri("/"),
        get_language() or "",
        str(current_knowledge().revision),
        today().isoformat(),
    ]
    return f'"{hashlib.sha256(chr(31).join(parts).encode()).hexdigest()[:32]}"'


@require_safe
@condition(etag_func=_tag)
def show_changes_feed(request: HttpRequest) -> HttpResponse:
    """What changed, of all frameworks. **Queries**: 5."""
    return _answer(request, "")


@require_safe
@condition(etag_func=_tag)
def show_framework_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """Releases, maintenance and changed statements of one framework. **Queries**: 5."""
    return _answer(request, slug)


def _answer(request: HttpRequest, slug: str) -> HttpResponse:
    knowledge = current_knowledge()
    if slug and slug not in knowledge.catalogue.area("framework"):
        raise Http404
    feed = build_feed(knowledge, today=today(), framework=slug)
    text = render_atom(
        feed,
        base=request.build_absolute_uri("/").rstrip("/"),
        language=get_language() or "en",
        updated=_raised_at(),
    )
    response = HttpResponse(text, content_type=ATOM_TYPE)
    response["Cache-Control"] = "no-cache"
    response["X-Content-Type-Options"] = "nosniff"
    patch_vary_headers(response, ("Accept-Language", "Cookie"))
    return response


def _raised_at() -> datetime:
    """When the knowledge was written last; what a feed without entries was updated at."""
    found = KnowledgeRevision.objects.values_list("raised_at", flat=True).first()
    return found or datetime.combine(today(), datetime.min.time()).astimezone()
