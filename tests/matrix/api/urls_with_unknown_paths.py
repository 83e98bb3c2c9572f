"""The site's URLs, and below /api/ a named answer for what no route takes."""

from django.urls import include, path, re_path

from matrix.api.errors import unknown_path

urlpatterns = [
    path("", include("matrix.site.urls")),
    re_path(r"^api/", unknown_path),
]
