"""Glossary, rules, errors, and the components page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from matrix.domain.errors import UnknownName
from matrix.index import current_knowledge
from matrix.pages.about import build_about
from matrix.pages.components import build_components


@require_safe
def show_about(request: HttpRequest) -> HttpResponse:
    """What the words mean and how a verdict is made. **Queries**: 1."""
    return render(
        request, "matrix/about.html", {"page": build_about(current_knowledge().catalogue)}
    )


@require_safe
def show_components(request: HttpRequest) -> HttpResponse:
    """Every badge, table and empty state at once, for people who change them. **Queries**: 1."""
    context = {
        "page": build_about(current_knowledge().catalogue),
        "samples": build_components(),
        "error": UnknownName(axis="hardware", value="T5", nearest=["T4", "T400"]),
    }
    return render(request, "matrix/components.html", context)
