"""The overview and the suggestions of its fields."""

from collections import Counter

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from matrix.forms import QuestionForm
from matrix.index import current_knowledge
from matrix.mentions import EMPTY, mentions_of
from matrix.pages.asked import today
from matrix.pages.cell_panels import overview_panels
from matrix.pages.check_form import CheckForm
from matrix.pages.links import with_query
from matrix.pages.overview import build_overview, framework_coverage
from matrix.views.answering import framework_choices, is_fragment

SUGGESTED_AXES = {
    "model": "model",
    "quantization": "quantization",
    "hardware": "hardware",
    "backend": "backend",
    "feature": "feature",
    "kv_dtype": "quantization",
}
MOST_SUGGESTIONS = 1_500
MOST_VERSIONS = 300


@require_safe
def show_overview(request: HttpRequest) -> HttpResponse:
    """The first page. **Queries**: 2, 1 when the changes are still held; and those of panels."""
    knowledge = current_knowledge()
    context = {
        "page": build_overview(knowledge, as_of=today()),
        "form": QuestionForm(frameworks=framework_choices(knowledge), given={}),
        "check_form": CheckForm(
            frameworks=framework_choices(knowledge), given={}, auto_id="check_%s"
        ),
        "panels": overview_panels(),
    }
    return render(request, "matrix/overview.html", context)


@require_safe
def show_suggestions(request: HttpRequest) -> HttpResponse:
    """Known names of an axis as options of a field; nothing for an axis that has none."""
    knowledge = current_knowledge()
    axis = request.GET.get("axis", "")
    names: list[str] = []
    if axis == "version":
        history = knowledge.catalogue.histories.get(request.GET.get("framework", ""))
        releases = history.releases if history else ()
        names = [release.version for release in reversed(releases)][:MOST_VERSIONS]
    elif axis in SUGGESTED_AXES:
        area = knowledge.catalogue.area(SUGGESTED_AXES[axis])
        found = mentions_of(knowledge).get(request.GET.get("framework", ""), EMPTY)
        named = found.nodes.get(axis, Counter())
        slugs = sorted(area, key=lambda slug: (slug not in named, area[slug].name.casefold()))
        names = [area[slug].name for slug in slugs][:MOST_SUGGESTIONS]
    response = render(request, "matrix/_suggestions.html", {"names": names})
    response["Cache-Control"] = "private, max-age=300"
    return response


@require_safe
def show_coverage(request: HttpRequest, slug: str) -> HttpResponse:
    """How many cells are answered, as a fragment; a whole page is the matrix. **Queries**: 1."""
    knowledge = current_knowledge()
    if slug not in knowledge.catalogue.area("framework"):
        raise Http404
    if not is_fragment(request):
        return HttpResponseRedirect(with_query(reverse("matrix"), [("framework", slug)]))
    coverage = framework_coverage(knowledge, slug, as_of=today())
    return render(request, "matrix/_coverage.html", {"coverage": coverage})
