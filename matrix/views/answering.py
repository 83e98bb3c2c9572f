"""What all views share: who may read, shorter addresses, and errors that explain themselves."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from matrix.asking import problem_kind
from matrix.domain.errors import RunproofError
from matrix.index import Knowledge
from matrix.mentions import EMPTY, mentions_of
from matrix.pages.asked import has_blanks, without_blanks, words_of
from matrix.pages.links import label_of

View = Callable[..., HttpResponse]


def open_to_readers(view: View) -> View:
    """Lets everybody read, or only who signed in where the installation is closed."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.RUNPROOF_PUBLIC and not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        response = view(request, *args, **kwargs)
        # A fragment for htmx and the page share one address.
        patch_vary_headers(response, ("HX-Request",))
        return response

    return checked


def shorter_address(request: HttpRequest) -> HttpResponse | None:
    """A redirect without the fields that a form sent empty, so that addresses stay readable."""
    if request.method != "GET" or not has_blanks(request.GET):
        return None
    query = urlencode(without_blanks(words_of(request.GET)))
    return HttpResponseRedirect(f"{request.path}?{query}" if query else request.path)


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asked, so that only the fragment is wanted."""
    return bool(getattr(request, "htmx", False))


def framework_choices(knowledge: Knowledge) -> list[tuple[str, str]]:
    """Frameworks for a select field: those with claims first, most claims first."""
    mentions = mentions_of(knowledge)
    area = knowledge.catalogue.area("framework")
    order = sorted(area, key=lambda slug: (-mentions.get(slug, EMPTY).claims, slug))
    return [(slug, label_of(area[slug])) for slug in order]


def render_error(
    request: HttpRequest,
    error: RunproofError,
    *,
    form: Any = None,
    form_template: str = "",
    action: str = "",
    status: int | None = None,
) -> HttpResponse:
    """The page of an error: what was wrong, nearest names as links, the form kept."""
    kind = problem_kind(error.code)
    context = {
        "error": error,
        "kind": kind,
        "corrections": _corrections(request, error.facts),
        "form": form,
        "form_template": form_template,
        "action": action,
    }
    template = "matrix/_error.html" if is_fragment(request) else "matrix/error.html"
    return render(request, template, context, status=status or kind.status)


def _corrections(request: HttpRequest, facts: Mapping[str, object]) -> Sequence[tuple[str, str]]:
    """The same address with the wrong value replaced by each near one."""
    nearest = facts.get("nearest")
    if not isinstance(nearest, list):
        return ()
    wrong = str(facts.get("value", ""))
    words = words_of(request.GET)
    found = []
    for name in nearest:
        pairs = [
            (key, str(name) if value.strip() == wrong else value)
            for key, value in without_blanks(words)
        ]
        if (str(name) in {value for _key, value in pairs}) and wrong:
            found.append((str(name), f"{request.path}?{urlencode(pairs)}"))
    return found
