"""Service features: the overview with its exports, one feature, and the two sections."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from matrix.asking import UnknownParameter
from matrix.asking.reading import check_text
from matrix.domain.errors import InvalidValue, RunproofError
from matrix.domain.phrases import Phrase
from matrix.forms import DayForm
from matrix.index import Knowledge, current_knowledge
from matrix.pages.asked import Words, reader_for, today, without_blanks, words_of
from matrix.pages.feature_exports import features_csv, features_plain
from matrix.pages.feature_form import VERSION_PREFIX, FeaturesForm, pinned_versions
from matrix.pages.feature_page import build_feature_page
from matrix.pages.feature_sections import build_kernels_page, build_model_paths_page
from matrix.pages.features import (
    FeaturesPage,
    build_features_page,
    column_of,
    shown_frameworks,
)
from matrix.pages.links import with_query
from matrix.views.answering import framework_choices, render_error, shorter_address

MOST_FRAMEWORKS = 12


@require_safe
def show_features(request: HttpRequest) -> HttpResponse:
    """Service features × frameworks at their newest or the chosen releases. **Queries**: 1."""
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET)
    try:
        page = _page(knowledge, words)
    except RunproofError as error:
        return _refused(request, words, error)
    pairs = without_blanks(words)
    context = {
        "page": page,
        "form": FeaturesForm(given=words, columns=page.columns),
        "chosen": [column.slug for column in page.columns],
        "choices": framework_choices(knowledge),
        "csv_url": with_query(reverse("features-csv"), pairs),
        "json_url": with_query(reverse("features-json"), pairs),
    }
    return render(request, "matrix/features.html", context)


@require_safe
def export_features_csv(request: HttpRequest) -> HttpResponse:
    """The same overview as CSV. **Queries**: 1."""
    words = words_of(request.GET)
    try:
        page = _page(current_knowledge(), words)
    except RunproofError as error:
        return _refused(request, words, error)
    response = HttpResponse(features_csv(page), content_type="text/csv; charset=utf-8")
    name = f"runproof-features-{page.as_of.isoformat()}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
def export_features_json(request: HttpRequest) -> HttpResponse:
    """The same overview as JSON. **Queries**: 1."""
    words = words_of(request.GET)
    try:
        page = _page(current_knowledge(), words)
    except RunproofError as error:
        return _refused(request, words, error)
    return JsonResponse(features_plain(page), json_dumps_params={"ensure_ascii": False})


@require_safe
def show_feature(request: HttpRequest, slug: str) -> HttpResponse:
    """One feature: what it is, by framework and release, with the evidence. **Queries**: 1."""
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET)
    reader = reader_for(knowledge)
    try:
        feature = reader.resolve("feature", slug)
    except RunproofError as error:
        return render_error(request, error, status=404)
    try:
        as_of = reader.read_day("as_of", _last(words, "as_of")) or today()
    except RunproofError as error:
        return _refused_day(request, words, error)
    page = build_feature_page(knowledge, feature, as_of=as_of)
    context = {"page": page, "day_form": DayForm(given=words)}
    return render(request, "matrix/feature.html", context)


@require_safe
def show_attention_kernels(request: HttpRequest) -> HttpResponse:
    """What each attention kernel is and where it is stated to run. **Queries**: 1."""
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET)
    try:
        as_of = reader_for(knowledge).read_day("as_of", _last(words, "as_of")) or today()
    except RunproofError as error:
        return _refused_day(request, words, error)
    context = {
        "page": build_kernels_page(knowledge, as_of=as_of),
        "day_form": DayForm(given=words),
    }
    return render(request, "matrix/features_attention.html", context)


@require_safe
def show_model_paths(request: HttpRequest) -> HttpResponse:
    """How a model gets into TensorRT-LLM, and what an upgrade costs. **Queries**: 1."""
    if shorter := shorter_address(request):
        return shorter
    knowledge = current_knowledge()
    words = words_of(request.GET)
    try:
        as_of = reader_for(knowledge).read_day("as_of", _last(words, "as_of")) or today()
    except RunproofError as error:
        return _refused_day(request, words, error)
    page = build_model_paths_page(knowledge, as_of=as_of)
    if page is None:
        raise Http404
    context = {"page": page, "day_form": DayForm(given=words)}
    return render(request, "matrix/features_model_paths.html", context)


def _page(knowledge: Knowledge, words: Words) -> FeaturesPage:
    """The overview that the address asks for. **Raises**: ``RunproofError``."""
    reader = reader_for(knowledge)
    asked = [word for word in words.get("framework", ()) if word.strip()]
    if len(asked) > MOST_FRAMEWORKS:
        raise InvalidValue(
            name="framework",
            value=f"{len(asked)} names",
            accepted=Phrase("at most {most_frameworks}", most_frameworks=MOST_FRAMEWORKS),
        )
    frameworks = shown_frameworks(
        knowledge.catalogue,
        [reader.resolve("framework", check_text("framework", word)) for word in asked],
    )
    accepted = ("framework", "as_of", *(f"{VERSION_PREFIX}{slug}" for slug in frameworks))
    for name, values in words.items():
        if name not in accepted:
            raise UnknownParameter(name=name, accepted=accepted)
        for value in values:
            check_text(name, value)
    return build_features_page(
        knowledge,
        as_of=reader.read_day("as_of", _last(words, "as_of")) or today(),
        frameworks=frameworks,
        versions=pinned_versions(words),
    )


def _last(words: Words, name: str) -> str:
    return (words.get(name) or [""])[-1].strip()


def _refused(request: HttpRequest, words: Words, error: RunproofError) -> HttpResponse:
    """The error with the form of the newest releases, so that what was typed can be corrected."""
    knowledge = current_knowledge()
    frameworks = shown_frameworks(knowledge.catalogue, ())
    columns = [column_of(knowledge.catalogue, slug, as_of=today()) for slug in frameworks]
    return render_error(
        request,
        error,
        form=FeaturesForm(given=words, columns=columns),
        form_template="matrix/_features_fields.html",
        action=reverse("features"),
    )


def _refused_day(request: HttpRequest, words: Words, error: RunproofError) -> HttpResponse:
    return render_error(
        request,
        error,
        form=DayForm(given=words),
        form_template="matrix/_features_fields.html",
        action=request.path,
    )
