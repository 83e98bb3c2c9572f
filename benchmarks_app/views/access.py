"""Who may send runs and look after them, and what these pages say to caches."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache

from benchmarks_app.queries.uploads import REVIEW_RIGHT, UPLOAD_RIGHT
from matrix.queries.access import has_right

View = Callable[..., HttpResponseBase]


def _with_right(view: View, right: str) -> View:
    @never_cache
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if right and not has_right(request.user, right):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return checked


def for_uploaders(view: View) -> View:
    """Lets in who may upload runs; others sign in first or are refused."""
    return _with_right(view, UPLOAD_RIGHT)


def for_reviewers(view: View) -> View:
    """Lets in who looks after everybody's runs; others sign in first or are refused."""
    return _with_right(view, REVIEW_RIGHT)


def for_accounts(view: View) -> View:
    """Lets in whoever signed in; whose the thing is, the view checks."""
    return _with_right(view, "")
