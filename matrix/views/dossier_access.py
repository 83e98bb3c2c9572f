"""Who may write dossiers, and what happens to a write that comes too late."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache

from matrix.dossiers import DraftDossier, FrozenDossier, ReplacedDossier, UnknownDossier
from matrix.pages.translated import in_words
from matrix.queries.access import has_right
from matrix.views.answering import render_error
from matrix.views.dossiers import FREEZE, WRITE

View = Callable[..., HttpResponse]


def _with_right(view: View, right: str) -> View:
    @never_cache
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            # What was sent cannot be sent again by a link, so that a POST leads to the dossier.
            back = request.get_full_path() if request.method == "GET" else reverse("dossiers")
            return redirect_to_login(back)
        if not has_right(request.user, right):
            raise PermissionDenied
        try:
            return view(request, *args, **kwargs)
        except UnknownDossier as error:
            raise Http404(in_words(str(error))) from error
        except (FrozenDossier, DraftDossier, ReplacedDossier) as error:
            return render_error(request, error)

    return checked


def for_writers(view: View) -> View:
    """Lets in who may write dossiers; others sign in first or are refused."""
    return _with_right(view, WRITE)


def for_deciders(view: View) -> View:
    """Lets in who may freeze dossiers; others sign in first or are refused."""
    return _with_right(view, FREEZE)
