"""Who may work on the review queue, and what its pages say to caches."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from matrix.queries.access import has_right

# Deciding on an item writes claims, so it takes the same right.
REVIEW_RIGHT = "write-claims"
View = Callable[..., HttpResponse]


def for_curators(view: View) -> View:
    """Lets in who may write claims; others sign in first or are refused."""

    @never_cache
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not has_right(request.user, REVIEW_RIGHT):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return checked
