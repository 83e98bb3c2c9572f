"""The list of frameworks and the page of one."""

from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from matrix.domain.errors import InvalidValue, RunproofError, UnknownVersion
from matrix.domain.phrases import Phrase
from matrix.forms import DayForm, ReleaseDifferenceForm
from matrix.index import Knowledge, current_knowledge
from matrix.pages.asked import Words, reader_for, today, words_of
from matrix.pages.frameworks import (
    Difference,
    build_framework_page,
    release_differences,
    support_areas,
)
from matrix.pages.overview import framework_row
from matrix.pages.releases import build_release_page
from matrix.views.answering import (
    framework_choices,
    is_fragment,
    render_error,
    shorter_address,
)


@require_safe
def list_frameworks(request: HttpRequest) -> HttpResponse:
    """All frameworks, plug-ins and forks. **Queries**: 1."""
    knowledge = current_knowledge()
    rows = [
        framework_row(knowledge, slug, as_of=today())
        for slug, _name in framework_choices(knowledge)
    ]
    return render(request, "matrix/frameworks.html", {"rows": rows, "as_of": today()})


@require_safe
def show_framework(request: HttpRequest, slug: str) -> HttpResponse:
    """One framework on a day: maintenance, releases, support by area, sources. **Queries**: 2."""
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET)
    try:
        framework = reader_for(knowledge).resolve("framework", slug)
    except RunproofError as error:
        return render_error(request, error, status=404)
    try:
        as_of = _asked_day(knowledge, words)
        page = build_framework_page(knowledge, framework, as_of=as_of, page=_page_number(words))
        differences = _differences(knowledge, framework, words, as_of=as_of)
    except RunproofError as error:
        return render_error(
            request,
            error,
            form=ReleaseDifferenceForm(given=words, framework=framework),
            form_template="matrix/_difference_fields.html",
            action=request.path,
        )
    context = {
        "page": page,
        "form": ReleaseDifferenceForm(given=words, framework=framework),
        "day_form": DayForm(given=words),
        "is_today": as_of == today(),
        "differences": differences,
        "before": (words.get("before") or [""])[-1],
        "after": (words.get("after") or [""])[-1],
    }
    return render(request, "matrix/framework.html", context)


@require_safe
def show_release(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """One release: date, commit, images with digests, pins. **Queries**: 4."""
    knowledge = current_knowledge()
    if slug not in knowledge.catalogue.area("framework"):
        raise Http404
    page = build_release_page(knowledge, slug, version)
    if page is None:
        history = knowledge.catalogue.histories[slug]
        error = UnknownVersion(
            framework=slug, value=version[:80], nearest=history.nearest(version[:80]), accepted=""
        )
        return render_error(request, error, status=404)
    return render(request, "matrix/release.html", {"page": page})


@require_safe
def show_support(request: HttpRequest, slug: str) -> HttpResponse:
    """Counts of levels by area, as a fragment or as a page of its own. **Queries**: 1."""
    knowledge = current_knowledge()
    node = knowledge.catalogue.area("framework").get(slug)
    if node is None:
        raise Http404
    context = {"node": node, "areas": support_areas(knowledge, slug, as_of=today())}
    template = "matrix/_support.html" if is_fragment(request) else "matrix/support.html"
    return render(request, template, context)


def _page_number(words: Words) -> int:
    text = (words.get("page") or ["1"])[-1]
    if not (text.isascii() and text.isdigit() and int(text[:9]) >= 1):
        raise InvalidValue(name="page", value=text[:40], accepted=Phrase("a whole number from 1"))
    return int(text[:9])


def _asked_day(knowledge: Knowledge, words: Words) -> date:
    """The day of the page. **Raises**: ``InvalidValue`` for one that is none or is to come."""
    text = (words.get("as_of") or [""])[-1].strip()
    return reader_for(knowledge).read_day("as_of", text) or today()


def _differences(
    knowledge: Knowledge, framework: str, words: Words, *, as_of: date
) -> list[Difference] | None:
    before, after = ((words.get(name) or [""])[-1].strip() for name in ("before", "after"))
    if not before or not after:
        return None
    return release_differences(knowledge, framework, before=before, after=after, as_of=as_of)
